"""Pool and formula -> live passages, best first, reading no more of the store than those taken need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import mul
from typing import Protocol

from shared.model.index import IndexRecord, Vector
from shared.model.retrieval import Candidate, Scored
from shared.retrieval.candidates.pool import Pool
from shared.retrieval.scoring.scores import Formula, contenders, ranked

VECTORS_AT_ONCE = 16
"""Most questions need fewer, so one round trip; where more could come into the head, the first ones read often settle
it for the rest, and each is a billed read on Firestore."""


class VectorsAndRecords(Protocol):
    """What ranking reads of the index."""

    def read_vectors(self, tenant_id: str, chunk_ids: Sequence[str]) -> Mapping[str, Vector]: ...

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]: ...


def best_first(
    pool: Pool, formula: Formula, *, tenant_id: str, store: VectorsAndRecords, threshold: float, head: int
) -> Iterator[Scored]:
    """Candidates that match, pass the threshold and belong to their note as it is now, in exact order.

    Works on the best `head` first, then on half as many at a time and only when more are taken: vectors are read of
    chunks that can come among them, and index records of the notes they belong to.
    """
    revisions: dict[str, str] = {}
    done, step = 0, max(1, head // 2)
    while True:
        while able := contenders(pool, formula, head=head, threshold=threshold):
            pool = with_vectors(pool, able[:VECTORS_AT_ONCE], tenant_id, store)
        ranking = ranked(pool, formula, threshold=threshold)
        batch = ranking[done:head]
        unknown = dict.fromkeys(scored.chunk.note_id for scored in batch if scored.chunk.note_id not in revisions)
        revisions.update(_revisions(tenant_id, tuple(unknown), store))
        yield from (scored for scored in batch if revisions[scored.chunk.note_id] == scored.chunk.note_revision)
        if head > len(ranking):  # nothing was left for the vectors to be worse than: all that match have been read
            return
        done, head = head, head + step


def _revisions(tenant_id: str, note_ids: Sequence[str], store: VectorsAndRecords) -> Mapping[str, str]:
    """Note id -> the revision its chunks must have; empty, which none has, for a deleted note."""
    live = store.live_records(tenant_id, note_ids) if note_ids else {}
    return {note_id: live[note_id].note_revision if note_id in live else "" for note_id in note_ids}


def with_vectors(pool: Pool, chunk_ids: Sequence[str], tenant_id: str, store: VectorsAndRecords) -> Pool:
    """The pool with the cosines of those of the chunks that have a vector, none of them unread any more."""
    vectors = store.read_vectors(tenant_id, chunk_ids)
    query = pool.query or ()
    return replace(
        pool,
        candidates=tuple(_with_cosine(candidate, query, vectors) for candidate in pool.candidates),
        unread=pool.unread.difference(chunk_ids),
    )


def _with_cosine(candidate: Candidate, query: Sequence[float], vectors: Mapping[str, Vector]) -> Candidate:
    vector = vectors.get(candidate.chunk.chunk_id)
    return candidate if vector is None else replace(candidate, cosine=sum(map(mul, query, vector)))
