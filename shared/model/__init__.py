"""The value types of both paths, by subject, in the order in which data flows.

notes -> index                                  a saved note
questions -> retrieval -> answers               a question
sessions, templates, account                    along the way

All are frozen. Offsets count Unicode code points of the note's text unless a name says `utf16` (only the wire does).
Datetimes are timezone-aware.
"""
