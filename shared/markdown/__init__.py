"""Markdown as people write it: blocks, frontmatter, what a reader sees of it, and what may be shown of it.

file -> frontmatter, text -> blocks                 for the index
note -> note_file                                   for writing back, the trash and a zip of all notes
note -> pointers                                    for links between notes
text -> plain, inert -> quotable, passive (links)   for quotes, prompts and answers
"""
