"""Everything on one machine: one SQLite file a tenant, keywords in FTS5, vectors searched with numpy.

Read in this order: `store` (what there is), `rows` and `tokens` (how it lies), `writing` (how a note's index moves),
`searching` (how a question is asked); `requests` carries it.

The file is the truth: what is in memory is read from it and follows every commit of any process.
"""

from shared.adapters.embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
