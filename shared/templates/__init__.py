"""Reasoning templates: the steps along which an answer is laid out.

Files come in:  pipeline.index  folders -> files -> templates -> what is new -> vectors -> store
Asked for:      pipeline.search query -> similarities -> the best, or the chain of thought

    markdown.py   a file's text -> a template, or why it is none
    limits.py     what a template may hold
    folders.py    folders -> the templates in them, and the files that are none
    shelf.py      what is in the folders, what was, what a tenant has -> what to write and remove
    embedding.py  a template -> the text that is embedded, its key, its vector
    ranking.py    similarities -> the best; the chain of thought where none is near
    pipeline.py   the steps in order
    service.py    what front doors ask of all this
"""
