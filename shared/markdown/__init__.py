"""Markdown as people write it: blocks, frontmatter, plain text, and what may be shown of it.

file -> frontmatter, text -> blocks      for the index
note -> file                             for a zip of all notes, and for files that the command writes
note -> pointers                         for links between notes
text -> neutralize -> quotable           for prompts and quotes
answer -> sanitize                       for what clients render
"""
