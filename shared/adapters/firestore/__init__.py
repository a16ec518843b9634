"""Firestore as the store of notes and index, by its generated client and raw protobuf.

Read in this order: `store` (what there is), `documents` (how it lies), `writing` (how a note's index moves),
`searching` (how a question is asked); `requests` carries it.

Beside the fields of the data model, documents hold a few that serve this store alone. Chunks: `postings` (stem ->
time and count: by it chunks are found by stem, newest first, and a search reads the counts of its stems only), a
digest of the `place` (vault and folder) and the `day`, by which vector searches are restricted, and `embedded` (whether
`embedding` is there, without reading it). Index records: `vault`, `folder` and `place` (where the note lies),
`changedAt` (server time of the last change), `writing` (moves while a change takes several commits), `chunkEntries` and
`chunkBytes` (what the heaviest chunk weighs). Folders: `leaving` (somebody is removing it). `changes/{00 to ff}`:
`changedAt` of what leaves no other trace. `usage/{day}/embedded/{00 to ff}`: `tokens`. Templates: `vectorKey` (of what
`embedding` is). `settings/templateShelf` says which files were brought from the template folders. `bookmarks/{name}` at
the root keeps reconcile's place.
"""

from shared.adapters.firestore.requests.reads import Reads, vector_reads
from shared.adapters.firestore.store import FirestoreStore

__all__ = ["FirestoreStore", "Reads", "vector_reads"]
