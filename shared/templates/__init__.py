"""Reasoning templates: the steps along which an answer is laid out.

files.py      folders -> files -> templates; limits of a template
ranking.py    template -> vector; similarities -> the best, or the chain of thought where none is near
service.py    operations for front doors: the files' templates, read-only, beside a tenant's own
"""
