"""Question and notes -> how every leg saw each passage of these notes, and why one is not in the result.

Follows the very retrieval that a search makes, then scores what it left out by the same formula.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain

from shared.errors import InvalidArgument
from shared.model.index import IndexedChunk, IndexRecord, IndexStatus, NoteState
from shared.model.questions import Question
from shared.model.retrieval import Candidate, Restriction, Retrieved, Scored, WeightedFolder
from shared.ports.freshness import Freshness, compare
from shared.retrieval.bm25 import bm25
from shared.retrieval.candidates import gather
from shared.retrieval.legs import LegRunner
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import RetrievalTrace, Retriever
from shared.retrieval.scores import Formula, keyword_parts
from shared.retrieval.selection import best_first, with_repeats, with_vectors

MAX_CHUNKS = 2000
"""Chunks of all notes that are explained together. On Firestore each is two billed reads."""
DEEP = 200
"""Length of the list of each leg that is followed for the rank of a passage that was no candidate."""


class Absence(StrEnum):
    """Reasons for which a passage is not in the result."""

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
    """One passage as the search scored it; one that was no candidate as the search would have scored it."""

    scored: Scored
    candidate: Candidate
    """The passage with its cosine and its rank in each leg.

    The cosine is None if the passage or the question has no vector; a rank is None if the passage is not among the
    first `DEEP` of the leg.
    """
    folder_weight: float
    """Factor of the score for the folder that the passage lies in; 1 where no folders are weighed."""
    shares: tuple[float, float, float]
    """Shares of the vector, the keyword and the recency part in the score."""
    bm25: float
    """BM25 before it is divided by the best."""
    was_candidate: bool
    place: int | None
    """Rank among all passages that match and pass the threshold, from 1; None if it is not ranked."""
    repeats: str | None
    """Chunk id of a better passage with the same content; None if there is none."""
    absence: Absence | None
    """Reason why the passage is not in the result; None if it is."""


@dataclass(frozen=True, slots=True)
class NoteReport:
    """A note's passages; those that came nearest to the result are first."""

    note_id: str
    absence: Absence | None
    """Absence of the passage that got furthest; None if a passage of the note is in the result."""
    passages: tuple[PassageReport, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A search and what became of the notes in question."""

    retrieved: Retrieved
    options: RetrievalOptions
    searched: Restriction
    """The restriction of every leg, after widening."""
    notes: tuple[NoteReport, ...]
    states: Mapping[str, NoteState] = field(default_factory=dict)
    """Note id -> state of its index."""


def explain(
    question: Question,
    note_ids: Sequence[str],
    retriever: Retriever,
    options: RetrievalOptions,
    *,
    weighted_folders: tuple[WeightedFolder, ...] = (),
) -> Explanation:
    """Searches, and reports for each note why it is in the result or not.

    Reads all chunks and vectors of these notes. Raises as `retrieve`, and InvalidArgument("noteIds") if the notes have
    more than MAX_CHUNKS chunks together.

    note_ids: the notes to report on; if empty, the best notes of the result, as many as have MAX_CHUNKS chunks
    together.
    weighted_folders: as for `retrieve`.
    """
    trace = retriever.retrieve(question, options=options, weighted_folders=weighted_folders)
    legs = trace.legs
    requested = note_ids or [passage.chunk.note_id for passage in trace.retrieved.selected]
    requested_ids = tuple(dict.fromkeys(requested))
    records: Mapping[str, IndexRecord] = {}
    if requested_ids:
        records = legs.records(requested_ids)
    explained_ids = _within_limit(requested_ids, records)
    if note_ids and len(explained_ids) < len(requested_ids):
        raise InvalidArgument("noteIds", f"notes of at most {MAX_CHUNKS} passages together")

    # Chunks that were no candidates are scored by the formula of the search.
    chunks = {}
    for note_id in explained_ids:
        chunks[note_id] = _current_chunks(note_id, records.get(note_id), legs)
    all_chunks = [*chain.from_iterable(chunks.values())]
    candidate_ids = {candidate.chunk.chunk_id for candidate in trace.pool.candidates}
    missed = [chunk for chunk in all_chunks if chunk.chunk_id not in candidate_ids]
    keyword = keyword_parts(
        trace.pool,
        legs.options,
        missed,
        ngram_words=trace.formula.ngram_words,
    )
    report = _Reporter(
        trace=trace,
        formula=replace(trace.formula, keyword=keyword),
        candidates=_candidates(all_chunks, missed, trace),
        ranking=_ranking(trace, question.threshold),
    )

    notes = []
    for note_id in explained_ids:
        note = report.note(note_id, chunks[note_id], records.get(note_id))
        notes.append(note)
    return Explanation(
        retrieved=trace.retrieved,
        options=options,
        searched=trace.pool.restriction,
        notes=tuple(notes),
    )


def _within_limit(note_ids: Sequence[str], records: Mapping[str, IndexRecord]) -> list[str]:
    """Returns the first notes that have at most MAX_CHUNKS chunks together."""
    explained = []
    chunk_count = 0
    for note_id in note_ids:
        if note_id in records:
            chunk_count += records[note_id].chunk_count
        if chunk_count > MAX_CHUNKS:
            break
        explained.append(note_id)
    return explained


def _current_chunks(
    note_id: str,
    record: IndexRecord | None,
    legs: LegRunner,
) -> tuple[IndexedChunk, ...]:
    """Reads the chunks of the revision that the note's record names; others are never shown."""
    if record is None or not record.note_revision:
        return ()
    stored_chunks = legs.store.note_chunks(
        legs.question.tenant_id,
        note_id,
        stems=legs.analysis.stems,
    )
    current_chunks = []
    for chunk in stored_chunks:
        freshness = compare(chunk.note_revision, record.note_revision)
        if freshness is Freshness.CURRENT:
            current_chunks.append(chunk)
    return tuple(current_chunks)


def _candidates(
    chunks: Sequence[IndexedChunk],
    missed: Sequence[IndexedChunk],
    trace: RetrievalTrace,
) -> Mapping[str, Candidate]:
    """Returns each chunk as a candidate, with its cosine and its rank in each leg: chunk id -> candidate.

    Chunks that were not candidates (`missed`) have the ranks that they get in longer lists of the legs.
    """
    legs = trace.legs
    pool = trace.pool
    further: dict[str, Candidate] = {}
    if missed:
        deep_options = replace(legs.options, leg_size=DEEP, newest=DEEP)
        deep_legs = replace(legs, options=deep_options)
        deep_pool = gather(deep_legs, pool.restriction)
        for candidate in deep_pool.candidates:
            further[candidate.chunk.chunk_id] = candidate
    missed_candidates = []
    for chunk in missed:
        candidate = further.get(chunk.chunk_id, Candidate(chunk, None))
        missed_candidates.append(replace(candidate, cosine=None))

    # Then the vectors that the search did not need are read.
    chunk_ids = {chunk.chunk_id for chunk in chunks}
    unread_ids = set(pool.unread)
    if pool.query:
        unread_ids.update(chunk.chunk_id for chunk in missed)
    unread_ids &= chunk_ids
    whole_pool = replace(pool, candidates=(*pool.candidates, *missed_candidates))
    whole_pool = with_vectors(whole_pool, sorted(unread_ids), legs)
    candidates = {candidate.chunk.chunk_id: candidate for candidate in whole_pool.candidates}
    return {chunk_id: candidates[chunk_id] for chunk_id in sorted(chunk_ids)}


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A passage's place in the ranking."""

    place: int
    repeats: str | None
    """Chunk id of the better passage that says the same."""


def _ranking(trace: RetrievalTrace, threshold: float) -> Mapping[str, _Ranked]:
    """Ranks all that match and pass the threshold: chunk id -> place."""
    candidate_count = len(trace.pool.candidates)
    passages = best_first(
        trace.pool,
        trace.formula,
        trace.legs,
        threshold=threshold,
        head=max(1, candidate_count),
    )
    ranking = {}
    for place, (passage, repeated) in enumerate(with_repeats(passages), start=1):
        repeated_id = None
        if repeated is not None:
            repeated_id = repeated.chunk_id
        ranking[passage.chunk.chunk_id] = _Ranked(place, repeated_id)
    return ranking


@dataclass(frozen=True, slots=True)
class _Reporter:
    """Reports passages from everything that is known of them."""

    trace: RetrievalTrace
    formula: Formula
    """The formula of the search, including the keyword parts of chunks that were not candidates."""
    candidates: Mapping[str, Candidate]
    """Chunk id -> the passage with its cosine, for each one in question."""
    ranking: Mapping[str, _Ranked]

    def note(
        self,
        note_id: str,
        chunks: Sequence[IndexedChunk],
        record: IndexRecord | None,
    ) -> NoteReport:
        """Reports a note. `chunks`: those of its current revision."""
        if record is None:
            return NoteReport(note_id, Absence.NOT_INDEXED, ())
        if not chunks:
            failed = record.status is IndexStatus.FAILED
            absence = Absence.NOT_INDEXED if failed else Absence.INDEX_PENDING
            return NoteReport(note_id, absence, ())

        passages = [self._passage(chunk, record) for chunk in chunks]
        passages.sort(key=_furthest_first)
        return NoteReport(note_id, passages[0].absence, tuple(passages))

    def _passage(self, chunk: IndexedChunk, record: IndexRecord) -> PassageReport:
        candidate = self.candidates[chunk.chunk_id]
        pool = self.trace.pool
        options = self.trace.legs.options
        scored = self.formula.score(candidate, candidate.cosine)
        ranked = self.ranking.get(chunk.chunk_id)
        (chunk_bm25,) = bm25(
            [chunk],
            pool.frequencies,
            pool.stats,
            k1=options.bm25_k1,
            b=options.bm25_b,
            forms=pool.forms,
        )
        return PassageReport(
            scored=scored,
            candidate=candidate,
            folder_weight=self.formula.weigh(chunk),
            shares=self.formula.shares(candidate, scored.scores),
            bm25=chunk_bm25,
            was_candidate=self._was_candidate(chunk),
            place=ranked.place if ranked else None,
            repeats=ranked.repeats if ranked else None,
            absence=self._absence(scored, candidate, record),
        )

    def _was_candidate(self, chunk: IndexedChunk) -> bool:
        candidates = self.trace.pool.candidates
        return any(candidate.chunk.chunk_id == chunk.chunk_id for candidate in candidates)

    def _absence(self, scored: Scored, candidate: Candidate, record: IndexRecord) -> Absence | None:
        """Finds out why a passage is not in the result; None if it is."""
        chunk = scored.chunk
        selected = self.trace.retrieved.selected
        if any(passage.chunk.chunk_id == chunk.chunk_id for passage in selected):
            return None

        # The search scored it.
        ranked = self.ranking.get(chunk.chunk_id)
        if ranked is not None:
            if ranked.repeats:
                return Absence.MERGED
            return Absence.BEYOND_K
        if self._was_candidate(chunk):
            if scored.score > 0:
                return Absence.BELOW_THRESHOLD
            return Absence.UNRELATED

        # The search did not see it.
        restriction = self.trace.pool.restriction
        anytime = replace(restriction, created=None)
        if not anytime.allows(chunk):
            return Absence.NOT_IN_FILTERS
        if not restriction.allows(chunk):
            return Absence.OUT_OF_TIME_RANGE
        if record.status is IndexStatus.PENDING and candidate.cosine is None:
            return Absence.INDEX_PENDING
        return Absence.NOT_A_CANDIDATE


def _furthest_first(report: PassageReport) -> tuple[bool, float, bool, float, int]:
    """Sorts passages of the result first, then by place, then candidates, by score and position."""
    place = math.inf if report.place is None else report.place
    return (
        report.absence is not None,
        place,
        not report.was_candidate,
        -report.scored.score,
        report.scored.chunk.position,
    )
