"""Why notes were found, or not."""

from __future__ import annotations

from typing_extensions import TypedDict

from shared.api.notes import IndexStatusJson, index_status_json
from shared.api.search import ResultJson, SearchMetaJson, result_json, search_json
from shared.api.values import instant, shown
from shared.model.questions import Question
from shared.model.retrieval import RetrievalMode
from shared.retrieval.explanation import Absence, Explanation, NoteReport, PassageReport


class LegJson(TypedDict):
    """What one leg knows of a passage: rank from 1 (null: it did not bring it), part, weight, and what both add."""

    rank: int | None
    score: float
    weight: float
    adds: float


class VectorLegJson(LegJson):
    """`cosine` null: no vector was compared."""

    cosine: float | None
    similarity: float


class KeywordLegJson(LegJson):
    """`stems`: those of the question that the passage holds."""

    bm25: float
    stems: list[str]


class RecencyLegJson(LegJson):
    """The age of the passage's note."""

    ageDays: float


class LegsJson(TypedDict):
    """The three legs of a score."""

    vector: VectorLegJson
    keyword: KeywordLegJson
    recency: RecencyLegJson


class ExplainedPassageJson(ResultJson):
    """A passage and what became of it. `reason` null: it is in the result."""

    inResult: bool
    reason: str | None
    detail: str | None
    candidate: bool
    rank: int | None
    mergedInto: str | None
    legs: LegsJson


class ExplainedNoteJson(TypedDict):
    """A note and what became of its passages."""

    noteId: str
    inResult: bool
    reason: str | None
    detail: str | None
    chunkCount: int
    chunks: list[ExplainedPassageJson]
    index: IndexStatusJson


class ExplainMetaJson(SearchMetaJson):
    """The meta of a search, and what every passage was measured by."""

    threshold: float
    legSize: int


class ExplainJson(TypedDict):
    """How a search saw each note in question."""

    notes: list[ExplainedNoteJson]
    results: list[ResultJson]
    meta: ExplainMetaJson


MAX_PASSAGES = 20
"""Passages of a note that are shown, those that got furthest first."""


_REASONS = {
    Absence.NOT_INDEXED: "the index holds nothing of this note",
    Absence.INDEX_PENDING: "the index is still following this note: passages or vectors of it are to come",
    Absence.NOT_IN_FILTERS: "it lies outside the vaults, folders or tags asked for",
    Absence.UNRELATED: "it shares no word with the question, and its vector points elsewhere",
}


def explain_json(question: Question, explanation: Explanation, *, k: int, request_id: str) -> ExplainJson:
    """The body of `/search` for the same question, and what became of every note in question."""
    found = search_json(question, explanation.retrieved, k=k, request_id=request_id)
    notes = [
        shown(
            ExplainedNoteJson,
            note,
            inResult=note.absence is None,
            reason=note.absence.value if note.absence else None,
            detail=_why(note, question, explanation),
            chunkCount=len(note.passages),
            chunks=[_passage_json(each, question, explanation) for each in note.passages[:MAX_PASSAGES]],
            index=index_status_json(note.note_id, explanation.states[note.note_id]),
        )
        for note in explanation.notes
    ]
    meta: ExplainMetaJson = {**found["meta"], "threshold": question.threshold, "legSize": explanation.options.leg_size}
    return {"notes": notes, "results": found["results"], "meta": meta}


def _why(report: PassageReport | NoteReport, question: Question, explanation: Explanation) -> str | None:
    """One sentence on why it is not in the result; None if it is."""
    if report.absence in _REASONS:
        return _REASONS[report.absence]
    passage = report if isinstance(report, PassageReport) else next(iter(report.passages), None)
    if passage is None:
        return None
    searched = explanation.searched.created
    start = instant(searched.start) if searched and searched.start else "the beginning"
    end = instant(searched.end) if searched and searched.end else "today"
    created, similarity = instant(passage.scored.chunk.created_at), passage.scored.scores.similarity
    measured = {
        Absence.OUT_OF_TIME_RANGE: f"it is of {created}, searched was {start} to {end}",
        Absence.BELOW_THRESHOLD: f"its similarity {similarity:.2f} is below {question.threshold:g}",
        Absence.MERGED: f"it repeats {passage.repeats}, which ranks higher",
        Absence.BEYOND_K: f"it is number {passage.place} in the ranking; better ones fill the result",
        Absence.NOT_A_CANDIDATE: f"no leg had it among its best {explanation.options.leg_size}",
    }
    return measured.get(passage.absence) if passage.absence else None


def _passage_json(report: PassageReport, question: Question, explanation: Explanation) -> ExplainedPassageJson:
    return {
        **result_json(report.scored),
        "inResult": report.absence is None,
        "reason": report.absence.value if report.absence else None,
        "detail": _why(report, question, explanation),
        "candidate": report.was_candidate,
        "rank": report.place,
        "mergedInto": report.repeats,
        "legs": _legs_json(report, question, explanation),
    }


def _legs_json(report: PassageReport, question: Question, explanation: Explanation) -> LegsJson:
    """Each leg: its rank, its part of the score in [0, 1], that part's weight, and what both add to the score."""
    seen, parts, chunk, options = report.seen, report.scored.scores, report.scored.chunk, explanation.options
    weights = (options.weight_vector, options.weight_keyword, options.weight_recency)
    if explanation.retrieved.mode is RetrievalMode.RRF:  # rank fusion counts the first two lists alike
        weights = (1.0, 1.0, 0.0)
    ranks = (seen.vector_rank, seen.keyword_rank, seen.recent_rank)
    scores = (parts.vector, parts.keyword, parts.recency)
    legs = [
        {"rank": rank, "score": round(score, 4), "weight": weight, "adds": round(share, 6)}
        for rank, score, weight, share in zip(ranks, scores, weights, report.shares, strict=True)
    ]
    age = (question.now - chunk.created_at).total_seconds() / 86_400
    return {
        "vector": shown(VectorLegJson, seen, parts, **legs[0]),
        "keyword": shown(KeywordLegJson, report, stems=sorted(chunk.terms), **legs[1]),
        "recency": shown(RecencyLegJson, ageDays=round(age, 2), **legs[2]),
    }
