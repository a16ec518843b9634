"""Firestore as the store of notes and index, by its generated client and raw protobuf.

Read in this order: `store` (what there is), `documents` (how it lies), `commits` (how a note's index moves),
`search` (how a question is asked); `connection` and `protocol` carry it.

Beside the fields of the data model, documents hold a few that serve this store alone. Chunks: `postings` (stem ->
time and count: by it chunks are found by stem, newest first, and a search reads the counts of its stems only), a
token of the day among `scopes` and
`embedded` (whether `embedding` is there, without reading it). Index records: `vault` and `folder` (where the note is
counted), `changedAt` (server time of the last change), `writing` (moves while a change takes several commits).
Folders: `notes` (indexed notes in it; 0: not in use) and `changedAt` (of that count). `bookmarks/{name}` at the root
keeps reconcile's place.
"""

from shared.adapters.firestore.reads import Reads, vector_reads
from shared.adapters.firestore.store import FirestoreStore

__all__ = ["FirestoreStore", "Reads", "vector_reads"]
