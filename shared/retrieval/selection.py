"""Step 4. Scores -> live passages, best first -> in a reranker's order -> without repeats, not too many, not too long.

Reads no more of the store than the passages taken need.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from operator import mul
from typing import Protocol

from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.vocabulary import vocabularies
from shared.model.index import IndexedChunk, IndexRecord, Vector
from shared.model.retrieval import Reranked, Scored
from shared.ports.models import Reranker
from shared.retrieval.candidates import Pool
from shared.retrieval.context import trigrams
from shared.retrieval.scores import Formula, rank

logger = logging.getLogger(__name__)

VECTORS_AT_ONCE = 16
"""Most questions need fewer, so one round trip; where more could come into the head, the first ones read often settle
it for the rest, and each is a billed read on Firestore."""

SPAN_OVERLAP = 0.5
"""Share of the shorter passage that lies in the other one of the same note, from which they are one. Neighbours
share less than that by design and are cited each for its own part."""
SHINGLE_OVERLAP = 0.85
"""Jaccard similarity of word trigrams from which two texts are one."""
MIN_WORDS = 8
"""Shorter texts are never repeats of another note's: "45 min run" under two dates is two facts."""


class IndexReader(Protocol):
    """What is read of the index while passages are taken."""

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Chunk id -> vector, of those that have one."""
        ...

    def records(self, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]:
        """Note id -> index record, of the notes that still exist."""
        ...


def best_first(pool: Pool, formula: Formula, reader: IndexReader, *, threshold: float, head: int) -> Iterator[Scored]:
    """Candidates that match, pass the threshold and belong to their note as it is now, in exact order.

    Works on the best `head` first, then on half as many at a time and only when more are taken: vectors are read of
    chunks that can come among them, and index records of the notes they belong to.
    """
    revisions: dict[str, str] = {}
    done, step = 0, max(1, head // 2)
    while True:
        ranking, unread = rank(pool, formula, threshold=threshold, head=head)
        if unread:
            pool = with_vectors(pool, unread[:VECTORS_AT_ONCE], reader)
            continue
        batch = ranking[done:head]
        unknown = dict.fromkeys(scored.chunk.note_id for scored in batch if scored.chunk.note_id not in revisions)
        live = reader.records(tuple(unknown)) if unknown else {}
        # No chunk has the empty revision, which stands for a deleted note.
        revisions.update((note_id, live[note_id].note_revision if note_id in live else "") for note_id in unknown)
        for scored in batch:
            if revisions[scored.chunk.note_id] == scored.chunk.note_revision:
                yield scored
        if head > len(ranking):  # nothing was left for the vectors to be worse than: all that match have been read
            return
        done, head = head, head + step


def with_vectors(pool: Pool, chunk_ids: Sequence[str], reader: IndexReader) -> Pool:
    """The pool with the cosines of those of the chunks that have a vector, none of them unread any more."""
    query, read = pool.query or (), reader.vectors(chunk_ids)
    cosines = {chunk_id: sum(map(mul, query, vector)) for chunk_id, vector in read.items()}
    candidates = [
        replace(each, cosine=cosines[each.chunk.chunk_id]) if each.chunk.chunk_id in cosines else each
        for each in pool.candidates
    ]
    return replace(pool, candidates=tuple(candidates), unread=pool.unread.difference(chunk_ids))


def rerank(
    question: str, ranked: Iterator[Scored], reranker: Reranker | None, *, limit: int
) -> tuple[Iterable[Scored], Reranked | None]:
    """The first `limit` by what the reranker says, equals as before; the rest after them. Scores stay what they are.

    A reranker that is away, refuses or lies leaves the order as it was, and the second part says so.
    """
    best = [] if reranker is None else list(islice(ranked, limit))
    if reranker is None or len(best) < 2:
        return chain(best, ranked), None
    # As they are indexed: each text under its title and headings.
    texts = ["\n".join(filter(None, (each.chunk.title, each.chunk.heading_path, each.chunk.text))) for each in best]
    try:
        given = reranker.scores(question, texts)
        if len(given) != len(best):
            raise PortContractError(f"{reranker.model}: {len(best)} passages were sent, {len(given)} scores came back")
        if not all(map(math.isfinite, given)):
            raise PortContractError(f"{reranker.model}: a score that is no number came back")
    except (ModelUnavailable, ModelRefused, PortContractError) as error:
        logger.warning("passages stay as scored: %s", error.message)
        return chain(best, ranked), Reranked(reranker.model, error.message)
    order = sorted(range(len(best)), key=lambda place: -given[place])
    return chain((best[place] for place in order), ranked), Reranked(reranker.model, None)


def select(passages: Iterable[Scored], *, wanted: int, max_characters: int | None) -> tuple[Scored, ...]:
    """The best `wanted` different passages, as far as all their texts fit into `max_characters` code points.

    Of repeats the better one stays. Takes no more from `passages` than it needs. A best passage that is longer than
    the whole allowance is cut to it.
    """
    selected: list[Scored] = []
    room = max_characters
    for passage in islice((passage for passage, repeated in with_repeats(passages) if repeated is None), wanted):
        chunk = passage.chunk
        if room is None or len(chunk.text) <= room:
            selected.append(passage)
            room = None if room is None else room - len(chunk.text)
        elif not selected:
            cut = replace(chunk, text=chunk.text[:room], end=chunk.start + room)
            return (replace(passage, chunk=cut),)
    return tuple(selected)


def with_repeats(passages: Iterable[Scored]) -> Iterator[tuple[Scored, IndexedChunk | None]]:
    """Each passage with the chunk before it that it repeats; None: it says something new."""
    kept: list[_Wording] = []
    for passage in passages:
        text = passage.chunk.text
        wording = _Wording(passage.chunk, re.findall(r"\w+", text), trigrams(text))
        repeated = next((other.chunk for other in kept if _repeats(wording, other)), None)
        if repeated is None:
            kept.append(wording)
        yield passage, repeated


def best_of_notes(passages: Iterable[Scored], wanted: int) -> tuple[Scored, ...]:
    """The best passage of each of the first `wanted` notes."""
    best: dict[str, Scored] = {}
    for passage in passages:
        best.setdefault(passage.chunk.note_id, passage)
        if len(best) == wanted:
            break
    return tuple(best.values())


@dataclass(frozen=True, slots=True)
class _Wording:
    chunk: IndexedChunk
    words: Sequence[str]
    shingles: frozenset[tuple[str, ...]]


def _repeats(one: _Wording, other: _Wording) -> bool:
    if one.chunk.note_id == other.chunk.note_id:
        shared = min(one.chunk.end, other.chunk.end) - max(one.chunk.start, other.chunk.start)
        if shared >= SPAN_OVERLAP * min(len(one.chunk.text), len(other.chunk.text)):
            return True
    if min(len(one.words), len(other.words)) < MIN_WORDS:
        return False
    fewer, more = sorted((len(one.shingles), len(other.shingles)))
    if fewer < SHINGLE_OVERLAP * more:  # too different in length, found without comparing
        return False
    common = len(one.shingles & other.shingles)
    return common >= SHINGLE_OVERLAP * (fewer + more - common) and not _facts_differ(one, other)


@cache
def _negations() -> frozenset[str]:
    """Of every language, casefolded."""
    known = [words.facts for words in vocabularies() if words.facts]
    return frozenset(word.casefold() for each in known for word in f"{each.negations} {each.half_negations}".split())


def _facts_differ(one: _Wording, other: _Wording) -> bool:
    """Whether a number, a name or a negation stands in one alone: then near-equal texts say different things."""
    spelled = {word.casefold(): word for word in (*one.words, *other.words)}
    odd = {word.casefold() for word in one.words} ^ {word.casefold() for word in other.words}
    return any(word in _negations() or spelled[word] != word or any(map(str.isdigit, word)) for word in odd)
