"""Step 4. Scores -> live passages, best first -> in a reranker's order -> without repeats, not too many, not too long.

Reads no more of the store than the passages taken need.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from operator import mul
from typing import Protocol

from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.vocabulary import vocabularies
from shared.model.index import IndexedChunk, Vector
from shared.model.retrieval import Reranked, Scored
from shared.ports.freshness import Freshness, NoteRevision, revision_of
from shared.ports.models import Reranker
from shared.retrieval.candidates import Pool
from shared.retrieval.context import trigrams
from shared.retrieval.scores import Formula, rank

logger = logging.getLogger(__name__)

VECTORS_AT_ONCE = 16
"""Vectors read in one round trip. Most questions need fewer; where more could come into the head, the first ones read
often settle it for the rest, and each is a billed read on Firestore."""
SPAN_OVERLAP = 0.5
"""Share of the shorter passage in the other one of the same note from which they are one. Neighbours share less than
that by design and are cited each for its own part."""
TRIGRAM_OVERLAP = 0.85
"""Jaccard similarity of word trigrams from which two texts are one."""
MIN_WORDS = 8
"""Shorter texts are never repeats of another note's: "45 min run" under two dates is two facts."""


class IndexReader(Protocol):
    """Reads the index while passages are taken."""

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        """Returns chunk id -> vector, of the chunks that have one."""
        ...

    def current(self, revisions: Collection[NoteRevision]) -> Mapping[NoteRevision, Freshness]:
        """Returns the state of each note since its revision was read."""
        ...


def best_first(
    pool: Pool,
    formula: Formula,
    reader: IndexReader,
    *,
    threshold: float,
    head: int,
) -> Iterator[Scored]:
    """Yields candidates that match, pass the threshold and belong to their note as it is now, in exact order.

    Works on the best `head` first, then on half as many at a time and only when more are taken: vectors are read of
    chunks that can come among them, and index records of their notes once.
    """
    states: dict[NoteRevision, Freshness] = {}
    step = max(1, head // 2)
    done = 0
    while True:
        ranking = rank(pool, formula, threshold=threshold, head=head)
        if ranking.contenders:
            pool = with_vectors(pool, ranking.contenders[:VECTORS_AT_ONCE], reader)
            continue
        batch = ranking.passages[done:head]
        revisions = {revision_of(scored.chunk) for scored in batch}
        states.update(reader.current(revisions.difference(states)))
        for scored in batch:
            if states[revision_of(scored.chunk)] is Freshness.CURRENT:
                yield scored
        if head > len(ranking.passages):
            # No unread vector could be worse than what was missing, so all that match have been read.
            return
        done = head
        head += step


def with_vectors(pool: Pool, chunk_ids: Sequence[str], reader: IndexReader) -> Pool:
    """Reads the vectors of chunks and returns the pool with their cosines, none of them unread any more."""
    query = pool.query or ()
    cosines = {
        chunk_id: sum(map(mul, query, vector))
        for chunk_id, vector in reader.vectors(chunk_ids).items()
    }
    candidates = []
    for candidate in pool.candidates:
        cosine = cosines.get(candidate.chunk.chunk_id, candidate.cosine)
        candidates.append(replace(candidate, cosine=cosine))
    return replace(pool, candidates=tuple(candidates), unread=pool.unread.difference(chunk_ids))


def rerank(
    question: str,
    ranked: Iterator[Scored],
    reranker: Reranker | None,
    *,
    limit: int,
) -> tuple[Iterable[Scored], Reranked | None]:
    """Orders the first `limit` passages by what the reranker says, equals as before; the rest follow them.

    Scores stay what they are. A reranker that is away, refuses or breaks its contract leaves the order as it was, and
    the second part says so; it is None if none was asked.
    """
    if reranker is None:
        return ranked, None
    best = list(islice(ranked, limit))
    if len(best) < 2:
        return chain(best, ranked), None
    try:
        relevances = _relevances(question, best, reranker)
    except (ModelUnavailable, ModelRefused, PortContractError) as error:
        logger.warning("passages stay as scored: %s", error.message)
        return chain(best, ranked), Reranked(reranker.model, error.message)
    order = sorted(range(len(best)), key=lambda index: -relevances[index])
    reordered = [best[index] for index in order]
    return chain(reordered, ranked), Reranked(reranker.model, None)


def _relevances(question: str, passages: Sequence[Scored], reranker: Reranker) -> Sequence[float]:
    """Asks the reranker. Raises PortContractError if it does not give each passage a number."""
    texts = []
    for passage in passages:  # as they are indexed: each text under its title and headings
        chunk = passage.chunk
        lines = [line for line in (chunk.title, chunk.heading_path, chunk.text) if line]
        texts.append("\n".join(lines))
    relevances = reranker.scores(question, texts)
    if len(relevances) != len(passages):
        raise PortContractError(
            f"{reranker.model}: {len(passages)} passages were sent, {len(relevances)} scores came back",
        )
    if not all(map(math.isfinite, relevances)):
        raise PortContractError(f"{reranker.model}: a score that is no number came back")
    return relevances


def select(
    passages: Iterable[Scored],
    *,
    limit: int,
    max_characters: int | None,
) -> tuple[Scored, ...]:
    """Selects the best `limit` different passages, as far as all their texts fit into `max_characters` code points.

    Of repeats the better one stays. Takes no more from `passages` than it needs. A best passage that is longer than
    the whole allowance is cut to it.
    """
    selected: list[Scored] = []
    room = math.inf if max_characters is None else max_characters
    different = (passage for passage, repeated in with_repeats(passages) if repeated is None)
    for passage in islice(different, limit):
        chunk = passage.chunk
        if len(chunk.text) <= room:
            selected.append(passage)
            room -= len(chunk.text)
        elif not selected:
            cut = replace(
                chunk,
                text=chunk.text[:max_characters],
                end=chunk.start + (max_characters or 0),
            )
            return (replace(passage, chunk=cut),)
    return tuple(selected)


def with_repeats(passages: Iterable[Scored]) -> Iterator[tuple[Scored, IndexedChunk | None]]:
    """Yields each passage with the chunk before it that it repeats; None: it says something new."""
    different: list[_Wording] = []
    for passage in passages:
        wording = _Wording.of(passage.chunk)
        repeated = next((other.chunk for other in different if _repeats(wording, other)), None)
        if repeated is None:
            different.append(wording)
        yield passage, repeated


def best_of_notes(passages: Iterable[Scored], limit: int) -> tuple[Scored, ...]:
    """Returns the best passage of each of the first `limit` notes."""
    best: dict[str, Scored] = {}
    for passage in passages:
        best.setdefault(passage.chunk.note_id, passage)
        if len(best) == limit:
            break
    return tuple(best.values())


@dataclass(frozen=True, slots=True)
class _Wording:
    """The words of a chunk, to be compared with those of others."""

    chunk: IndexedChunk
    words: Sequence[str]
    trigrams: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, chunk: IndexedChunk) -> _Wording:
        return cls(chunk, re.findall(r"\w+", chunk.text), trigrams(chunk.text))


def _repeats(wording: _Wording, other: _Wording) -> bool:
    """Reports whether two passages overlap in their note, or say the same in other notes."""
    if wording.chunk.note_id == other.chunk.note_id and _overlap(wording.chunk, other.chunk):
        return True
    if min(len(wording.words), len(other.words)) < MIN_WORDS:
        return False
    fewer, more = sorted((len(wording.trigrams), len(other.trigrams)))
    if fewer < TRIGRAM_OVERLAP * more:  # too different in length, so they need not be compared
        return False
    common = len(wording.trigrams & other.trigrams)
    in_either = fewer + more - common
    if common < TRIGRAM_OVERLAP * in_either:
        return False
    return not _facts_differ(wording, other)


def _overlap(chunk: IndexedChunk, other: IndexedChunk) -> bool:
    """Reports whether a good part of the shorter chunk lies in the other one of the same note."""
    common = min(chunk.end, other.end) - max(chunk.start, other.start)
    shorter = min(len(chunk.text), len(other.text))
    return common >= SPAN_OVERLAP * shorter


@cache
def _negations() -> frozenset[str]:
    """Returns the negations of every language, casefolded."""
    negations: set[str] = set()
    for language in vocabularies():
        if language.facts is not None:
            words = f"{language.facts.negations} {language.facts.half_negations}"
            negations.update(words.casefold().split())
    return frozenset(negations)


def _facts_differ(wording: _Wording, other: _Wording) -> bool:
    """Reports whether a number, a name or a negation stands in one alone: near-equal texts then say different things."""
    spellings = {word.casefold(): word for word in (*wording.words, *other.words)}
    words = {word.casefold() for word in wording.words}
    other_words = {word.casefold() for word in other.words}
    for word in words ^ other_words:
        is_name = spellings[word] != word
        is_number = any(map(str.isdigit, word))
        if is_name or is_number or word in _negations():
            return True
    return False
