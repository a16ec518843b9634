"""Results of a search and their figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from shared.answering.answer_language import answer_lang
from shared.api.values import SpanJson, instant, optional_instant, rounded, snippet, span
from shared.model.answers import Quote
from shared.model.questions import Question, TimeRange
from shared.model.retrieval import Retrieved, Scored, WeightedFolder


class ScoresJson(TypedDict):
    """The parts of a score as they entered it, and the similarity that thresholds compare with."""

    vector: float
    keyword: float
    recency: float
    similarity: float


class ResultJson(TypedDict):
    """A passage that was found."""

    noteId: str
    chunkId: str
    title: str
    vault: str
    path: str
    headingPath: str
    createdAt: str
    snippet: str
    span: SpanJson
    score: float
    scores: ScoresJson


class TimeRangeJson(TypedDict):
    """The time a question was understood to name. `start` and `end` null: open; `widened` null: not widened;
    `restricts` false: notes near to it come first, and none is left out.
    """

    start: str | None
    end: str | None
    phrase: str
    zone: str
    days: int | None
    widened: str | None
    restricts: bool


class QueryJson(TypedDict):
    """A question taken apart. `lang`: the language it was read in, ISO 639-1; English where that cannot be told; answers of
    earlier releases have none.
    """

    lang: NotRequired[str]
    keywords: list[str]
    timeRange: TimeRangeJson | None


class RerankerJson(TypedDict):
    """The reranker that was asked. `failure` null: the order is its."""

    model: str
    failure: str | None


class FailedLegJson(TypedDict):
    """A search that failed, and why."""

    leg: str
    reason: str


class RetrievalJson(TypedDict):
    """Method by which the passages were found. `reranker` null: none is configured."""

    k: int
    strategy: str
    candidateCount: int
    rerankCount: int
    timeMs: int
    reranker: RerankerJson | None
    failedLegs: list[FailedLegJson]


class NearestJson(ResultJson):
    """A passage that came near. `quote`: what of it lies nearest to the question, as written in the note at
    `quoteSpan`; `snippet`: the same as it reads best.
    """

    quote: str
    quoteSpan: SpanJson


class SearchedFolderJson(TypedDict):
    """A folder that was searched, and what scores there were multiplied by."""

    vault: str
    folder: str
    weight: float
    chosenBy: str


class SearchMetaJson(TypedDict):
    """Figures of a search."""

    retrieval: RetrievalJson
    requestId: str
    offsetUnit: Literal["utf16"]
    query: QueryJson
    timings: dict[str, float]


class SearchJson(TypedDict):
    """Passages, best first."""

    results: list[ResultJson]
    meta: SearchMetaJson


def result_json(passage: Scored) -> ResultJson:
    """Returns one row of `/search`."""
    chunk = passage.chunk
    scores = passage.scores
    return {
        "noteId": chunk.note_id,
        "chunkId": chunk.chunk_id,
        "title": chunk.title,
        "vault": chunk.vault,
        "path": chunk.path,
        "headingPath": chunk.heading_path,
        "createdAt": instant(chunk.created_at),
        "snippet": snippet(chunk.text),
        "span": span(chunk, chunk.start, chunk.end),
        "score": rounded(passage.score),
        "scores": {
            "vector": rounded(scores.vector),
            "keyword": rounded(scores.keyword),
            "recency": rounded(scores.recency),
            "similarity": rounded(scores.similarity),
        },
    }


def nearest_json(quote: Quote) -> NearestJson:
    """Returns a passage that came near, with the part that comes nearest."""
    return {
        **result_json(quote.passage),
        "snippet": snippet("\n".join(quote.lines)),
        "quote": quote.text,
        "quoteSpan": span(quote.passage.chunk, quote.start, quote.end),
    }


def searched_folder_json(folder: WeightedFolder) -> SearchedFolderJson:
    """Returns a folder that was searched."""
    return {
        "vault": folder.vault,
        "folder": folder.folder,
        "weight": rounded(folder.weight),
        "chosenBy": folder.chosen_by.value,
    }


def query_json(question: Question, retrieved: Retrieved) -> QueryJson:
    """Returns the question as it was understood."""
    analysis = retrieved.analysis
    time_range: TimeRangeJson | None = None
    hint = analysis.time
    if hint is not None:
        used = hint.range
        if hint.restricts:
            used = retrieved.range_used or TimeRange(None, None)
        time_range = {
            "start": optional_instant(used.start),
            "end": optional_instant(used.end),
            "phrase": hint.phrase,
            "zone": question.zone,
            "days": hint.days,
            "widened": retrieved.widened,
            "restricts": hint.restricts,
        }
    return {
        "lang": answer_lang(question.asked or question.text, retrieved),
        "keywords": list(analysis.keywords),
        "timeRange": time_range,
    }


def timings_json(timings_ms: Mapping[str, float]) -> dict[str, float]:
    """Returns step -> milliseconds."""
    return {name: round(value, 1) for name, value in timings_ms.items()}


def retrieval_json(retrieved: Retrieved | None, k: int) -> RetrievalJson:
    """Returns how the passages were found; `retrieved` is None if there was no search."""
    if retrieved is None:
        return {
            "k": k,
            "strategy": "none",
            "candidateCount": 0,
            "rerankCount": 0,
            "timeMs": 0,
            "reranker": None,
            "failedLegs": [],
        }
    failed_legs: list[FailedLegJson] = []
    for failed in retrieved.failed_legs:
        failed_legs.append({"leg": failed.leg.value, "reason": failed.reason})
    reranker: RerankerJson | None = None
    if retrieved.reranked is not None:
        reranked = retrieved.reranked
        reranker = {"model": reranked.model, "failure": reranked.failure}
    return {
        "k": k,
        "strategy": retrieved.mode.value,
        "candidateCount": retrieved.candidate_count,
        "rerankCount": len(retrieved.selected),
        "timeMs": round(retrieved.timings_ms.get("retrieval", 0.0)),
        "reranker": reranker,
        "failedLegs": failed_legs,
    }


def search_json(question: Question, retrieved: Retrieved, *, k: int, request_id: str) -> SearchJson:
    """Returns the body of `/search`."""
    meta: SearchMetaJson = {
        "retrieval": retrieval_json(retrieved, k),
        "requestId": request_id,
        "offsetUnit": "utf16",
        "query": query_json(question, retrieved),
        "timings": timings_json(retrieved.timings_ms),
    }
    return {"results": [result_json(passage) for passage in retrieved.selected], "meta": meta}
