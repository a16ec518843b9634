"""Why notes were found, or not."""

from __future__ import annotations

from typing_extensions import TypedDict

from shared.api.notes import IndexStatusJson, index_status_json
from shared.api.search import ResultJson, SearchMetaJson, result_json, search_json
from shared.api.values import instant, optional_instant, rounded
from shared.model.questions import Question
from shared.model.retrieval import RetrievalMode
from shared.retrieval.explanation import Absence, Explanation, NoteReport, PassageReport


class LegJson(TypedDict):
    """Contribution of one leg to a passage: rank from 1 (null if the leg did not find it), part, weight, and product."""

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
    """A passage and what became of it. `reason` null: it is in the result. `folderWeight`: by what its folder multiplies
    the score, in `adds` already; 1 where no folders are weighed.
    """

    inResult: bool
    reason: str | None
    detail: str | None
    candidate: bool
    rank: int | None
    mergedInto: str | None
    folderWeight: float
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
    """Explanation of a search for each note in question."""

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


def explain_json(
    question: Question,
    explanation: Explanation,
    *,
    k: int,
    request_id: str,
) -> ExplainJson:
    """Returns the body of `/search` for the same question, and what became of every note in question."""
    search = search_json(question, explanation.retrieved, k=k, request_id=request_id)
    meta: ExplainMetaJson = {
        **search["meta"],
        "threshold": question.threshold,
        "legSize": explanation.options.leg_size,
    }
    return {
        "notes": [_note_json(note, question, explanation) for note in explanation.notes],
        "results": search["results"],
        "meta": meta,
    }


def _note_json(note: NoteReport, question: Question, explanation: Explanation) -> ExplainedNoteJson:
    best_passage = None
    if note.passages:
        best_passage = note.passages[0]
    passages = note.passages[:MAX_PASSAGES]
    return {
        "noteId": note.note_id,
        "inResult": note.absence is None,
        "reason": _reason(note.absence),
        "detail": _detail(note.absence, best_passage, question, explanation),
        "chunkCount": len(note.passages),
        "chunks": [_passage_json(passage, question, explanation) for passage in passages],
        "index": index_status_json(note.note_id, explanation.states[note.note_id]),
    }


def _reason(absence: Absence | None) -> str | None:
    if absence is None:
        return None
    return absence.value


def _detail(
    absence: Absence | None,
    passage: PassageReport | None,
    question: Question,
    explanation: Explanation,
) -> str | None:
    """Returns one sentence on why a passage is not in the result; None if it is.

    passage: None for a note without passages.
    """
    if absence is None:
        return None
    if absence in _REASONS:
        return _REASONS[absence]
    if passage is None:
        return None
    match absence:
        case Absence.OUT_OF_TIME_RANGE:
            created = instant(passage.scored.chunk.created_at)
            return f"it is of {created}, searched was {_searched_time(explanation)}"
        case Absence.BELOW_THRESHOLD:
            similarity = passage.scored.scores.similarity
            return f"its similarity {similarity:.2f} is below {question.threshold:g}"
        case Absence.MERGED:
            return f"it repeats {passage.repeats}, which ranks higher"
        case Absence.BEYOND_K:
            return f"it is number {passage.place} in the ranking; better ones fill the result"
        case _:
            return f"no leg had it among its best {explanation.options.leg_size}"


def _searched_time(explanation: Explanation) -> str:
    """Returns the time to which the search was restricted, in words."""
    start = "the beginning"
    end = "today"
    searched = explanation.searched.created
    if searched is not None:
        start = optional_instant(searched.start) or start
        end = optional_instant(searched.end) or end
    return f"{start} to {end}"


def _passage_json(
    report: PassageReport,
    question: Question,
    explanation: Explanation,
) -> ExplainedPassageJson:
    return {
        **result_json(report.scored),
        "inResult": report.absence is None,
        "reason": _reason(report.absence),
        "detail": _detail(report.absence, report, question, explanation),
        "candidate": report.was_candidate,
        "rank": report.place,
        "mergedInto": report.repeats,
        "folderWeight": rounded(report.folder_weight),
        "legs": _legs_json(report, question, explanation),
    }


def _legs_json(report: PassageReport, question: Question, explanation: Explanation) -> LegsJson:
    """Returns for each leg its rank, its part of the score in [0, 1], that part's weight, and what both add."""
    candidate = report.candidate
    scores = report.scored.scores
    chunk = report.scored.chunk
    options = explanation.options
    vector_weight = options.weight_vector
    keyword_weight = options.weight_keyword
    recency_weight = options.weight_recency
    if explanation.retrieved.mode is RetrievalMode.RRF:
        # Rank fusion counts the first two lists alike.
        vector_weight = 1.0
        keyword_weight = 1.0
        recency_weight = 0.0
    vector_share, keyword_share, recency_share = report.shares
    cosine = None
    if candidate.cosine is not None:
        cosine = rounded(candidate.cosine)
    age = question.now - chunk.created_at
    return {
        "vector": {
            "rank": candidate.vector_rank,
            "score": rounded(scores.vector),
            "weight": vector_weight,
            "adds": round(vector_share, 6),
            "cosine": cosine,
            "similarity": rounded(scores.similarity),
        },
        "keyword": {
            "rank": candidate.keyword_rank,
            "score": rounded(scores.keyword),
            "weight": keyword_weight,
            "adds": round(keyword_share, 6),
            "bm25": rounded(report.bm25),
            "stems": sorted(chunk.terms),
        },
        "recency": {
            "rank": candidate.recent_rank,
            "score": rounded(scores.recency),
            "weight": recency_weight,
            "adds": round(recency_share, 6),
            "ageDays": round(age.total_seconds() / 86_400, 2),
        },
    }
