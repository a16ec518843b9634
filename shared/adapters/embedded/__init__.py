"""Everything on one machine: one SQLite file a tenant, keywords in FTS5, vectors searched with numpy.

    files.py     tenant -> its file: connections, transactions, SQLite's errors as ours
    schema.py    the tables, and whether a file is one of ours
    tokens.py    stems and scopes as FTS5 tokens
    rows.py      domain values <-> rows
    notes.py     NoteStore
    changes.py   IndexStore: compare-and-set on a note's index
    sweep.py     SweepStore, across all files
    search.py    SearchStore: the three legs
    vectors.py   one index version's vectors in memory, kept equal to the file
    codes.py     vectors as one byte a number, with what that loses at most
    templates.py TemplateStore
    store.py     the port, method by method

The file is the truth: what is in memory is read from it and follows every commit of any process.
"""

from shared.adapters.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
