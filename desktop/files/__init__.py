"""Files as notes.

reading      a folder -> its files as notes, and what was left out and why
conversion   PDF, Word, HTML, Org -> Markdown, in a process of its own
writing      a note -> what its file is to hold; replace, create, move and remove files
"""
