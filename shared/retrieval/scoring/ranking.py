"""Pool and formula -> live passages, best first, reading no more of the store than those taken need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import mul
from typing import TypeAlias, TypeVar

from shared.model.index import IndexRecord, Vector
from shared.model.retrieval import Candidate, Scored
from shared.retrieval.candidates.pool import Pool
from shared.retrieval.scoring.scores import Formula, contenders, ranked

T = TypeVar("T")

VECTORS_AT_ONCE = 16
"""Most questions need fewer, so one round trip; where more could come into the head, the first ones read often settle
it for the rest, and each is a billed read on Firestore."""


Vectors: TypeAlias = "Callable[[Sequence[str]], Mapping[str, Vector]]"
"""Chunk ids -> the vectors of those that have one."""
Records: TypeAlias = "Callable[[Sequence[str]], Mapping[str, IndexRecord]]"
"""Note ids -> the index records of those notes that still exist."""


def once(read: Callable[[Sequence[str]], Mapping[str, T]]) -> Callable[[Sequence[str]], Mapping[str, T]]:
    """The same for one question, in which candidates may be ranked again: nothing is read twice."""
    asked: set[str] = set()
    found: dict[str, T] = {}

    def reading(ids: Sequence[str]) -> Mapping[str, T]:
        unread = [each for each in ids if each not in asked]
        if unread:
            found.update(read(unread))
            asked.update(unread)
        return {each: found[each] for each in ids if each in found}

    return reading


def best_first(
    pool: Pool, formula: Formula, *, vectors: Vectors, records: Records, threshold: float, head: int
) -> Iterator[Scored]:
    """Candidates that match, pass the threshold and belong to their note as it is now, in exact order.

    Works on the best `head` first, then on half as many at a time and only when more are taken: vectors are read of
    chunks that can come among them, and index records of the notes they belong to.
    """
    revisions: dict[str, str] = {}
    done, step = 0, max(1, head // 2)
    while True:
        while able := contenders(pool, formula, head=head, threshold=threshold):
            pool = with_vectors(pool, able[:VECTORS_AT_ONCE], vectors)
        ranking = ranked(pool, formula, threshold=threshold)
        batch = ranking[done:head]
        unknown = dict.fromkeys(scored.chunk.note_id for scored in batch if scored.chunk.note_id not in revisions)
        live = records(tuple(unknown)) if unknown else {}
        # No chunk has the empty revision, which stands for a deleted note.
        revisions.update((note_id, live[note_id].note_revision if note_id in live else "") for note_id in unknown)
        yield from (scored for scored in batch if revisions[scored.chunk.note_id] == scored.chunk.note_revision)
        if head > len(ranking):  # nothing was left for the vectors to be worse than: all that match have been read
            return
        done, head = head, head + step


def with_vectors(pool: Pool, chunk_ids: Sequence[str], vectors: Vectors) -> Pool:
    """The pool with the cosines of those of the chunks that have a vector, none of them unread any more."""
    read = vectors(chunk_ids)
    query = pool.query or ()
    return replace(
        pool,
        candidates=tuple(_with_cosine(candidate, query, read) for candidate in pool.candidates),
        unread=pool.unread.difference(chunk_ids),
    )


def _with_cosine(candidate: Candidate, query: Sequence[float], vectors: Mapping[str, Vector]) -> Candidate:
    vector = vectors.get(candidate.chunk.chunk_id)
    return candidate if vector is None else replace(candidate, cosine=sum(map(mul, query, vector)))
