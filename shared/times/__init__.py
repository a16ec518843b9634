"""Phrase -> range: what times a text names, and how times are written.

text -> mentions (by a language's lexicon) -> readings -> kinds, distances (on a calendar) -> phrases: the range named
dates: those that a text states, and how one is written      instants: how callers write times
shifts: a time in one question, seen from the next
"""
