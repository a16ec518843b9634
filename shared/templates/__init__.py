"""Reasoning templates: the steps along which an answer is laid out.

files.py      folders -> files -> templates, and what one may hold
ranking.py    template -> vector; similarities -> the best, or the chain of thought where none is near
service.py    what front doors ask: the files' templates, read-only, beside a tenant's own
"""
