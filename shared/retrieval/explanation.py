"""Question and notes -> how every leg saw each passage of these notes, and why one is not in the result.

Follows the very retrieval that a search makes, then scores what it left out by the same formula.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import accumulate

from shared.errors import InvalidArgument
from shared.model.index import IndexedChunk, IndexRecord, IndexStatus, NoteState
from shared.model.questions import Question
from shared.model.retrieval import Candidate, Restriction, Retrieved, Scored
from shared.retrieval.bm25 import bm25
from shared.retrieval.candidates import gather
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import RetrievalTrace, Retriever
from shared.retrieval.scores import Formula, keyword_parts
from shared.retrieval.selection import best_first, with_repeats, with_vectors

MAX_CHUNKS = 2000
"""Of all notes that are explained together. On Firestore each is two billed reads."""
DEEP = 200
"""How far down its list each leg is followed for the rank of a passage that was no candidate."""


class Absence(StrEnum):
    """Why a passage is not in the result."""

    NOT_INDEXED = "not_indexed"
    INDEX_PENDING = "index_pending"
    NOT_IN_FILTERS = "not_in_filters"
    OUT_OF_TIME_RANGE = "out_of_time_range"
    NOT_A_CANDIDATE = "not_a_candidate"
    UNRELATED = "unrelated"
    """A candidate whose score is 0."""
    BELOW_THRESHOLD = "below_threshold"
    MERGED = "merged"
    """It repeats a better passage."""
    BEYOND_K = "beyond_k"


@dataclass(frozen=True, slots=True)
class PassageReport:
    """One passage as the search saw it, or if it was no candidate as it would have."""

    scored: Scored
    seen: Candidate
    """Its cosine (None: no vector, or none of the question) and its rank in each leg (None: not among those looked
    at; a leg is followed `DEEP` for what it did not bring)."""
    shares: tuple[float, float, float]
    """What the vector, the keyword and the recency part add to the score."""
    bm25: float
    """Not divided by the best yet."""
    was_candidate: bool
    place: int | None
    """In the ranking of all that match and pass the threshold, from 1."""
    repeats: str | None
    """Chunk id of the better passage that says the same."""
    absence: Absence | None
    """None: it is in the result."""


@dataclass(frozen=True, slots=True)
class NoteReport:
    """A note's passages, those that got furthest first. `absence` None: one of them is in the result."""

    note_id: str
    absence: Absence | None
    passages: tuple[PassageReport, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A search and what became of the notes in question."""

    retrieved: Retrieved
    options: RetrievalOptions
    searched: Restriction
    """What every leg obeyed, after widening."""
    notes: tuple[NoteReport, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """What became of some notes in a search. `states`: note id -> how far the index has followed it."""

    explanation: Explanation
    states: Mapping[str, NoteState]


def explain(
    question: Question, note_ids: Sequence[str], retriever: Retriever, options: RetrievalOptions
) -> Explanation:
    """`note_ids` empty: the notes of the result, the best of them as far as MAX_CHUNKS goes. Reads all chunks and
    vectors of these notes. Raises as `retrieve`, and InvalidArgument("noteIds") for notes with more chunks than that.
    """
    trace, store = retriever.retrieve(question, options=options), retriever.store
    asked = tuple(dict.fromkeys(note_ids or (each.chunk.note_id for each in trace.retrieved.selected)))
    records = store.live_records(question.tenant_id, asked) if asked else {}
    ids = _affordable(asked, records)
    if note_ids and len(ids) < len(asked):
        raise InvalidArgument("noteIds", f"notes of at most {MAX_CHUNKS} passages together")
    chunks = {note_id: _live_chunks(records.get(note_id), note_id, trace) for note_id in ids}
    case = _case(question, trace, [chunk for of_note in chunks.values() for chunk in of_note])
    notes = tuple(_note(note_id, chunks[note_id], records.get(note_id), case) for note_id in ids)
    return Explanation(retrieved=trace.retrieved, options=options, searched=trace.restriction, notes=notes)


def _affordable(note_ids: Sequence[str], records: Mapping[str, IndexRecord]) -> tuple[str, ...]:
    """The first of them that have at most MAX_CHUNKS chunks together."""
    counts = (records[note_id].chunk_count if note_id in records else 0 for note_id in note_ids)
    return tuple(note_id for note_id, total in zip(note_ids, accumulate(counts), strict=True) if total <= MAX_CHUNKS)


@dataclass(frozen=True, slots=True)
class _Case:
    """All that is known of the passages in question."""

    trace: RetrievalTrace
    formula: Formula
    """That of the search, with the keyword parts of those it left out."""
    seen: Mapping[str, Candidate]
    """Chunk id -> the passage with its cosine, for each one in question."""
    ranking: Mapping[str, tuple[int, str | None]]
    """Chunk id -> place, and the chunk that it repeats, of all that match and pass the threshold."""


def _live_chunks(record: IndexRecord | None, note_id: str, trace: RetrievalTrace) -> tuple[IndexedChunk, ...]:
    """Chunks of the revision that the note's record names; others are never shown."""
    if record is None:
        return ()
    search = trace.search
    stored = search.store.note_chunks(search.tenant_id, note_id, stems=search.stems)
    return tuple(chunk for chunk in stored if chunk.note_revision == record.note_revision)


def _case(question: Question, trace: RetrievalTrace, chunks: Sequence[IndexedChunk]) -> _Case:
    pool, store = trace.pool, trace.search.store
    brought = {each.chunk.chunk_id for each in pool.candidates}
    others = [chunk for chunk in chunks if chunk.chunk_id not in brought]
    version = trace.search.options.index_version
    comparable = {chunk.chunk_id for chunk in others if pool.query and chunk.index_version == version}
    everything = replace(
        pool, candidates=(*pool.candidates, *_as_candidates(others, trace)), unread=pool.unread | comparable
    )
    in_question = {chunk.chunk_id for chunk in chunks}
    vectors = partial(store.read_vectors, question.tenant_id)
    read = with_vectors(everything, sorted(everything.unread & in_question), vectors)
    ranked = best_first(
        pool,
        trace.formula,
        vectors=vectors,
        records=partial(store.live_records, question.tenant_id),
        threshold=question.threshold,
        head=max(1, len(pool.candidates)),
    )
    return _Case(
        trace=trace,
        formula=replace(trace.formula, keyword=keyword_parts(pool, trace.search.options, others, words=trace.words)),
        seen={each.chunk.chunk_id: each for each in read.candidates if each.chunk.chunk_id in in_question},
        ranking={
            passage.chunk.chunk_id: (place, repeated.chunk_id if repeated else None)
            for place, (passage, repeated) in enumerate(with_repeats(ranked), start=1)
        },
    )


def _as_candidates(others: Sequence[IndexedChunk], trace: RetrievalTrace) -> list[Candidate]:
    """With the ranks that they have further down the lists of the legs."""
    if not others:
        return []
    search = replace(trace.search, options=replace(trace.search.options, leg_size=DEEP, newest=DEEP))
    further = gather(search, trace.restriction, lambda: trace.pool.query)
    deep = {each.chunk.chunk_id: each for each in further.candidates}
    found = [deep.get(chunk.chunk_id, Candidate(chunk, None)) for chunk in others]
    return [replace(each, cosine=None) for each in found]


def _note(note_id: str, chunks: Sequence[IndexedChunk], record: IndexRecord | None, case: _Case) -> NoteReport:
    if record is None or not chunks:
        failed = record is None or record.status is IndexStatus.FAILED
        return NoteReport(note_id, Absence.NOT_INDEXED if failed else Absence.INDEX_PENDING, ())
    passages = sorted((_passage(chunk, record, case) for chunk in chunks), key=_furthest_first)
    return NoteReport(note_id, passages[0].absence, tuple(passages))


def _passage(chunk: IndexedChunk, record: IndexRecord, case: _Case) -> PassageReport:
    seen, pool, options = case.seen[chunk.chunk_id], case.trace.pool, case.trace.search.options
    scored = case.formula.score(seen, seen.cosine)
    place, repeats = case.ranking.get(chunk.chunk_id, (None, None))
    was_candidate = any(each.chunk.chunk_id == chunk.chunk_id for each in pool.candidates)
    report = PassageReport(
        scored=scored,
        seen=seen,
        shares=case.formula.shares(seen, scored.scores),
        bm25=bm25([chunk], pool.frequencies, pool.stats, k1=options.bm25_k1, b=options.bm25_b)[0],
        was_candidate=was_candidate,
        place=place,
        repeats=repeats,
        absence=None,
    )
    return replace(report, absence=_absence(report, record, case.trace))


def _absence(report: PassageReport, record: IndexRecord, trace: RetrievalTrace) -> Absence | None:
    chunk = report.scored.chunk
    if any(each.chunk.chunk_id == chunk.chunk_id for each in trace.retrieved.selected):
        return None
    if report.place is not None:
        return Absence.MERGED if report.repeats else Absence.BEYOND_K
    if report.was_candidate:
        return Absence.BELOW_THRESHOLD if report.scored.score > 0 else Absence.UNRELATED
    if not Restriction(scopes=trace.restriction.scopes).allows(chunk):
        return Absence.NOT_IN_FILTERS
    if not trace.restriction.allows(chunk):
        return Absence.OUT_OF_TIME_RANGE
    lacks_vector = record.status is IndexStatus.PENDING and report.seen.cosine is None
    return Absence.INDEX_PENDING if lacks_vector else Absence.NOT_A_CANDIDATE


def _furthest_first(report: PassageReport) -> tuple[bool, float, bool, float, int]:
    place = math.inf if report.place is None else report.place
    outside = not report.was_candidate
    return report.absence is not None, place, outside, -report.scored.score, report.scored.chunk.position
