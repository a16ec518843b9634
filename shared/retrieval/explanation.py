"""Question and notes -> how every leg saw each passage of these notes, and why one is not in the result.

Follows the very retrieval that a search makes, then scores what it left out by the same formula.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
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
    states: Mapping[str, NoteState] = field(default_factory=dict)
    """Note id -> how far the index has followed it."""


def explain(
    question: Question, note_ids: Sequence[str], retriever: Retriever, options: RetrievalOptions
) -> Explanation:
    """`note_ids` empty: the notes of the result, the best of them as far as MAX_CHUNKS goes. Reads all chunks and
    vectors of these notes. Raises as `retrieve`, and InvalidArgument("noteIds") for notes with more chunks than that.
    """
    trace = retriever.retrieve(question, options=options)
    search, pool = trace.search, trace.pool
    asked = tuple(dict.fromkeys(note_ids or (each.chunk.note_id for each in trace.retrieved.selected)))
    records = search.records(asked) if asked else {}
    counts = (records[note_id].chunk_count if note_id in records else 0 for note_id in asked)
    ids = [note_id for note_id, total in zip(asked, accumulate(counts), strict=True) if total <= MAX_CHUNKS]
    if note_ids and len(ids) < len(asked):
        raise InvalidArgument("noteIds", f"notes of at most {MAX_CHUNKS} passages together")
    chunks = dict[str, tuple[IndexedChunk, ...]]()
    for note_id in ids:  # of the revision that the note's record names; others are never shown
        live = records[note_id].note_revision if note_id in records else None
        stored = search.store.note_chunks(question.tenant_id, note_id, stems=search.analysis.stems) if live else ()
        chunks[note_id] = tuple(chunk for chunk in stored if chunk.note_revision == live)
    seen, others = _seen([chunk for of_note in chunks.values() for chunk in of_note], trace)
    keyword = keyword_parts(pool, search.options, others, words=trace.formula.words)
    ranked = best_first(pool, trace.formula, search, threshold=question.threshold, head=max(1, len(pool.candidates)))
    case = _Case(
        trace=trace,
        formula=replace(trace.formula, keyword=keyword),
        seen=seen,
        ranking={
            passage.chunk.chunk_id: (place, repeated.chunk_id if repeated else None)
            for place, (passage, repeated) in enumerate(with_repeats(ranked), start=1)
        },
    )
    notes = tuple(case.note(note_id, chunks[note_id], records.get(note_id)) for note_id in ids)
    return Explanation(retrieved=trace.retrieved, options=options, searched=pool.restriction, notes=notes)


def _seen(
    chunks: Sequence[IndexedChunk], trace: RetrievalTrace
) -> tuple[Mapping[str, Candidate], Sequence[IndexedChunk]]:
    """Chunk id -> the passage with its cosine and its rank in each leg; and those that were no candidates, whose ranks
    are those further down the lists of the legs.
    """
    search, pool = trace.search, trace.pool
    brought = {each.chunk.chunk_id for each in pool.candidates}
    others = [chunk for chunk in chunks if chunk.chunk_id not in brought]
    further: dict[str, Candidate] = {}
    if others:
        deep = replace(search, options=replace(search.options, leg_size=DEEP, newest=DEEP))
        further = {each.chunk.chunk_id: each for each in gather(deep, pool.restriction).candidates}
    ranked = [replace(further.get(chunk.chunk_id, Candidate(chunk, None)), cosine=None) for chunk in others]
    comparable = {chunk.chunk_id for chunk in others if pool.query}
    wanted = {chunk.chunk_id for chunk in chunks}
    whole = replace(pool, candidates=(*pool.candidates, *ranked))
    read = with_vectors(whole, sorted((pool.unread | comparable) & wanted), search)
    return {each.chunk.chunk_id: each for each in read.candidates if each.chunk.chunk_id in wanted}, others


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

    def note(self, note_id: str, chunks: Sequence[IndexedChunk], record: IndexRecord | None) -> NoteReport:
        """`chunks`: the note's live ones."""
        if record is None or not chunks:
            failed = record is None or record.status is IndexStatus.FAILED
            return NoteReport(note_id, Absence.NOT_INDEXED if failed else Absence.INDEX_PENDING, ())

        def furthest_first(report: PassageReport) -> tuple[bool, float, bool, float, int]:
            place = math.inf if report.place is None else report.place
            outside = not report.was_candidate
            return report.absence is not None, place, outside, -report.scored.score, report.scored.chunk.position

        passages = sorted((self._passage(chunk, record) for chunk in chunks), key=furthest_first)
        return NoteReport(note_id, passages[0].absence, tuple(passages))

    def _passage(self, chunk: IndexedChunk, record: IndexRecord) -> PassageReport:
        seen, pool, options = self.seen[chunk.chunk_id], self.trace.pool, self.trace.search.options
        scored = self.formula.score(seen, seen.cosine)
        place, repeats = self.ranking.get(chunk.chunk_id, (None, None))
        was_candidate = any(each.chunk.chunk_id == chunk.chunk_id for each in pool.candidates)
        if any(each.chunk.chunk_id == chunk.chunk_id for each in self.trace.retrieved.selected):
            absence: Absence | None = None
        elif place is not None:
            absence = Absence.MERGED if repeats else Absence.BEYOND_K
        elif was_candidate:
            absence = Absence.BELOW_THRESHOLD if scored.score > 0 else Absence.UNRELATED
        elif not Restriction(scopes=pool.restriction.scopes).allows(chunk):
            absence = Absence.NOT_IN_FILTERS
        elif not pool.restriction.allows(chunk):
            absence = Absence.OUT_OF_TIME_RANGE
        else:
            lacks_vector = record.status is IndexStatus.PENDING and seen.cosine is None
            absence = Absence.INDEX_PENDING if lacks_vector else Absence.NOT_A_CANDIDATE
        return PassageReport(
            scored=scored,
            seen=seen,
            shares=self.formula.shares(seen, scored.scores),
            bm25=bm25([chunk], pool.frequencies, pool.stats, k1=options.bm25_k1, b=options.bm25_b)[0],
            was_candidate=was_candidate,
            place=place,
            repeats=repeats,
            absence=absence,
        )
