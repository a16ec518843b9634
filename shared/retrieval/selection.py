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
from typing import Protocol

from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.vocabulary import vocabularies
from shared.model.index import IndexedChunk, Vector, dot_product
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
    """Yields candidates that match, pass the threshold and belong to their note as it is now, in exact order unless the
    budget for vectors runs out.

    Works on the best `head` first, then on half as many at a time and only when more are taken: vectors are read of
    chunks that can come among them, as far as the budget lasts, and index records of their notes once.
    """
    budget = formula.options.vector_budget
    if budget is None:
        budget = len(pool.unread)
    states: dict[NoteRevision, Freshness] = {}
    step = max(1, head // 2)
    done = 0
    while True:
        ranking = rank(pool, formula, threshold=threshold, head=head)
        if ranking.contenders and budget > 0:
            likeliest = ranking.contenders[: min(budget, VECTORS_AT_ONCE)]
            budget -= len(likeliest)
            pool = with_vectors(pool, likeliest, reader)
            continue

        batch = ranking.passages[done:head]
        revisions = {revision_of(scored.chunk) for scored in batch}
        new_revisions = revisions.difference(states)
        states.update(reader.current(new_revisions))
        for scored in batch:
            revision = revision_of(scored.chunk)
            if states[revision] is Freshness.CURRENT:
                yield scored

        if head > len(ranking.passages):
            # Every unread vector could be better than what was missing, so all that match have been read, or the budget
            # is spent.
            return
        done = head
        head += step


def with_vectors(pool: Pool, chunk_ids: Sequence[str], reader: IndexReader) -> Pool:
    """Reads the vectors of chunks and returns the pool with their cosines; none of these chunks is unread any more."""
    query = list(pool.query or ())
    cosines = {}
    for chunk_id, vector in reader.vectors(chunk_ids).items():
        cosines[chunk_id] = dot_product(query, vector)

    candidates = []
    for candidate in pool.candidates:
        cosine = cosines.get(candidate.chunk.chunk_id)
        if cosine is not None:
            candidate = replace(candidate, cosine=cosine)  # noqa: PLW2901 - the same candidate
        candidates.append(candidate)
    return replace(
        pool,
        candidates=tuple(candidates),
        unread=pool.unread.difference(chunk_ids),
    )


def rerank(
    question: str,
    ranked: Iterator[Scored],
    reranker: Reranker | None,
    *,
    limit: int,
) -> tuple[Iterable[Scored], Reranked | None]:
    """Orders the first `limit` passages by the reranker's scores; the rest follow in their order.

    The passages keep their own scores, and equal ones keep their order. If the reranker is unavailable, refuses or
    breaks its contract, the order stays, and the second value says so; it is None if no reranker was asked.
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

    def most_relevant_first(index: int) -> float:
        return -relevances[index]

    order = sorted(range(len(best)), key=most_relevant_first)
    reordered = [best[index] for index in order]
    return chain(reordered, ranked), Reranked(reranker.model, None)


def _relevances(question: str, passages: Sequence[Scored], reranker: Reranker) -> Sequence[float]:
    """Asks the reranker. Raises PortContractError if it does not give each passage a number."""
    # Texts are sent as they are indexed: each under its title and headings.
    texts = []
    for passage in passages:
        chunk = passage.chunk
        lines = [line for line in (chunk.title, chunk.heading_path, chunk.text) if line]
        texts.append("\n".join(lines))

    relevances = reranker.scores(question, texts)
    model = reranker.model
    sent = len(passages)
    returned = len(relevances)
    if returned != sent:
        raise PortContractError(
            f"{model}: {sent} passages were sent, {returned} scores came back",
        )
    are_numbers = all(map(math.isfinite, relevances))
    if not are_numbers:
        raise PortContractError(f"{model}: a score that is no number came back")
    return relevances


def select(
    passages: Iterable[Scored],
    *,
    limit: int,
    max_characters: int | None,
) -> tuple[Scored, ...]:
    """Selects the best `limit` different passages whose texts fit into `max_characters` code points together.

    Of passages that repeat each other, the better one stays. Takes no more from `passages` than it needs. If even the
    best passage is too long, it is cut.
    """
    selected: list[Scored] = []
    room = math.inf
    if max_characters is not None:
        room = max_characters
    different = (passage for passage, repeated in with_repeats(passages) if repeated is None)
    for passage in islice(different, limit):
        length = len(passage.chunk.text)
        if length <= room:
            selected.append(passage)
            room -= length
        elif not selected and max_characters is not None:
            return (_cut(passage, max_characters),)
    return tuple(selected)


def _cut(passage: Scored, length: int) -> Scored:
    """Returns the first `length` code points of a passage."""
    chunk = passage.chunk
    shorter = replace(
        chunk,
        text=chunk.text[:length],
        end=chunk.start + length,
    )
    return replace(passage, chunk=shorter)


def with_repeats(passages: Iterable[Scored]) -> Iterator[tuple[Scored, IndexedChunk | None]]:
    """Yields each passage with the earlier chunk that it repeats; None if it says something new."""
    different: list[_Wording] = []
    for passage in passages:
        wording = _Wording.of(passage.chunk)
        repeated = _first_repeated(wording, different)
        if repeated is None:
            different.append(wording)
        yield passage, repeated


def _first_repeated(wording: _Wording, earlier: Iterable[_Wording]) -> IndexedChunk | None:
    """Returns the first of earlier chunks that a chunk repeats; None if it says something new."""
    for other in earlier:
        if _repeats(wording, other):
            return other.chunk
    return None


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
    """The words of a chunk, prepared for comparison with other chunks."""

    chunk: IndexedChunk
    words: Sequence[str]
    trigrams: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, chunk: IndexedChunk) -> _Wording:
        """Reads the words of a chunk."""
        words = re.findall(r"\w+", chunk.text)
        return cls(chunk, words, trigrams(chunk.text))


def _repeats(wording: _Wording, other: _Wording) -> bool:
    """Reports whether two passages overlap in their note, or say the same in other notes."""
    chunk = wording.chunk
    other_chunk = other.chunk
    if chunk.note_id == other_chunk.note_id and _overlap(chunk, other_chunk):
        return True
    if len(wording.words) < MIN_WORDS or len(other.words) < MIN_WORDS:
        return False

    # Trigrams of texts that differ too much in length need not be compared.
    fewer, more = sorted((len(wording.trigrams), len(other.trigrams)))
    if fewer < TRIGRAM_OVERLAP * more:
        return False

    common = len(wording.trigrams & other.trigrams)
    in_either = fewer + more - common
    if common < TRIGRAM_OVERLAP * in_either:
        return False
    return not _facts_differ(wording, other)


def _overlap(chunk: IndexedChunk, other: IndexedChunk) -> bool:
    """Reports whether a good part of the shorter chunk lies in the other one of the same note."""
    first = max(chunk.start, other.start)
    last = min(chunk.end, other.end)
    common = last - first
    shorter = min(len(chunk.text), len(other.text))
    return common >= SPAN_OVERLAP * shorter


@cache
def _negations() -> frozenset[str]:
    """Returns the negations of every language, casefolded."""
    negations: set[str] = set()
    for language in vocabularies():
        facts = language.facts
        if facts is not None:
            words = f"{facts.negations} {facts.half_negations}"
            negations.update(words.casefold().split())
    return frozenset(negations)


def _facts_differ(wording: _Wording, other: _Wording) -> bool:
    """Reports whether a number, a name or a negation stands in only one of them: similar texts then say different
    things.
    """
    spellings = _spellings(wording.words)
    other_spellings = _spellings(other.words)
    for word in spellings.keys() ^ other_spellings.keys():
        spelling = spellings.get(word) or other_spellings[word]
        is_name = spelling != word
        if is_name or word in _negations():
            return True
        if any(map(str.isdigit, word)):
            return True
    return False


def _spellings(words: Iterable[str]) -> dict[str, str]:
    """Maps each word, casefolded, to its last spelling."""
    return {word.casefold(): word for word in words}
