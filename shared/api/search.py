"""What was found for a question, and how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from typing_extensions import TypedDict

from shared.api.values import SpanJson, shown, snippet, span
from shared.model.answers import Quote
from shared.model.questions import Question, TimeRange
from shared.model.retrieval import Retrieved, Scored


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
    """A question taken apart."""

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
    """How the passages were found. `reranker` null: none is configured. `silentLegs`: the old name of `failedLegs`."""

    k: int
    strategy: str
    candidateCount: int
    rerankCount: int
    timeMs: int
    reranker: RerankerJson | None
    failedLegs: list[FailedLegJson]
    silentLegs: list[FailedLegJson]


class NearestJson(ResultJson):
    """A passage that came near. `quote`: what of it lies nearest to the question, as written in the note at
    `quoteSpan`; `snippet`: the same as it reads best.
    """

    quote: str
    quoteSpan: SpanJson


class PlaceJson(TypedDict):
    """A folder that was searched, and what scores there were multiplied by."""

    vault: str
    folder: str
    weight: float
    chosenBy: str


class SearchMetaJson(TypedDict):
    """How passages were found."""

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
    """One row of `/search`."""
    chunk = passage.chunk
    return shown(ResultJson, passage, chunk, snippet=snippet(chunk.text), span=span(chunk, chunk.start, chunk.end))


def nearest_json(quote: Quote) -> NearestJson:
    return {
        **result_json(quote.passage),
        "snippet": snippet(" ".join(quote.lines)),
        "quote": quote.text,
        "quoteSpan": span(quote.passage.chunk, quote.start, quote.end),
    }


def query_json(question: Question, retrieved: Retrieved) -> QueryJson:
    hint, keywords = retrieved.analysis.time, list(retrieved.analysis.keywords)
    if hint is None:
        return {"keywords": keywords, "timeRange": None}
    used = hint.range if not hint.restricts else retrieved.range_used or TimeRange(None, None)
    return {"keywords": keywords, "timeRange": shown(TimeRangeJson, used, hint, question, retrieved)}


def timings_json(timings_ms: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds a step."""
    return {name: round(value, 1) for name, value in timings_ms.items()}


def retrieval_json(retrieved: Retrieved | None, k: int) -> RetrievalJson:
    failed = [shown(FailedLegJson, each) for each in retrieved.failed_legs] if retrieved else []
    reranked = retrieved.reranked if retrieved else None
    return {
        "k": k,
        "strategy": retrieved.mode.value if retrieved else "none",
        "candidateCount": retrieved.candidate_count if retrieved else 0,
        "rerankCount": len(retrieved.selected) if retrieved else 0,
        "timeMs": round(retrieved.timings_ms.get("retrieval", 0.0)) if retrieved else 0,
        "reranker": shown(RerankerJson, reranked) if reranked else None,
        "failedLegs": failed,
        "silentLegs": failed,
    }


def search_json(question: Question, retrieved: Retrieved, *, k: int, request_id: str) -> SearchJson:
    """The body of `/search`."""
    meta: SearchMetaJson = {
        "retrieval": retrieval_json(retrieved, k),
        "requestId": request_id,
        "offsetUnit": "utf16",
        "query": query_json(question, retrieved),
        "timings": timings_json(retrieved.timings_ms),
    }
    return {"results": [result_json(passage) for passage in retrieved.selected], "meta": meta}
