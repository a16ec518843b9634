"""Markdown as people write it: blocks, frontmatter, plain text, and what may be shown of it.

file -> frontmatter, text -> blocks      for the index
text -> lines, plain                     kinds of lines, and text without marks
note -> file                             for a zip of all notes, and for files that the command writes
note -> pointers                         for links between notes
text -> neutralize                       for prompts
passage -> quotable, outline             pieces that can be quoted, and the blocks they stand in
passage -> quotations                    for quotes
answer -> sanitize                       for what clients render
"""
