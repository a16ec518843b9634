"""Phrase -> range: the times that a text names, and how times are written.

text -> mentions (by a language's lexicon) -> resolvers (on a calendar), intent -> phrases: the range that is asked for
dates: dates in texts, dates in words, and the times that callers write
"""
