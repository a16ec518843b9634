"""Markdown as people write it: blocks, frontmatter, what a reader sees of it, and what may be shown of it.

file -> frontmatter, text -> blocks                 for the index
note -> note_file                                   for a zip of all notes, and for files that the command writes
note -> pointers                                    for links between notes
text -> plain, neutralize -> quotable, sanitize (links)   for quotes, prompts and answers
"""
