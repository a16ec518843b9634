"""Domain values -> the JSON objects clients read (SPEC names, camelCase, UTC instants, UTF-16 offsets).

Used by every front door, so that `/chat`, `aurora ask --json` and tools print the same thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from shared.indexing.revision import note_revision
from shared.language.offsets import Utf16Offsets
from shared.markdown.file import note_id_of
from shared.model.answers import Answer, Citation, Grounding, Quote, Support
from shared.model.index import Coverage, IndexedChunk, IndexRecord
from shared.model.notes import Note
from shared.model.questions import Question, TimeRange
from shared.model.retrieval import Place, Retrieved, Scored
from shared.model.templates import Template, TemplateMatch
from shared.ports.stores import Origin
from shared.sweep.reconcile import ReconcileReport
from shared.wire_types import (
    AnswerJson,
    AnswerMetaJson,
    AskJson,
    AskMetaJson,
    ChosenTemplateJson,
    CitationJson,
    CoverageJson,
    GroundingJson,
    IndexStatusJson,
    ListedNoteJson,
    ListedTemplateJson,
    NearestJson,
    NoteJson,
    OpenNoteJson,
    OriginJson,
    PlaceJson,
    QueryJson,
    ReconcileJson,
    ReferenceJson,
    ResultJson,
    RetrievalJson,
    ScoresJson,
    SearchJson,
    SearchMetaJson,
    SpanJson,
    SupportJson,
    TemplateJson,
    TemplateMatchJson,
    TemplatesJson,
    TimeRangeJson,
)

SNIPPET_LENGTH = 160
"""Characters of a passage shown in lists."""


def instant(when: datetime) -> str:
    """`2026-01-15T10:30:00.000Z`."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def snippet(text: str) -> str:
    """The start of a passage on one line, at most SNIPPET_LENGTH characters and an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET_LENGTH else line[:SNIPPET_LENGTH].rsplit(" ", 1)[0] + "…"


def span(chunk: IndexedChunk, start: int, end: int) -> SpanJson:
    """Code points `[start, end)` of the note, inside the chunk, as UTF-16 offsets into the note."""
    offsets = Utf16Offsets(chunk.text)
    first, last = (chunk.utf16_start + offsets.at(place - chunk.start) for place in (start, end))
    return {"start": first, "end": last}


def _scores(passage: Scored) -> ScoresJson:
    parts = passage.scores
    return {
        "vector": round(parts.vector, 4),
        "keyword": round(parts.keyword, 4),
        "recency": round(parts.recency, 4),
        "similarity": round(parts.similarity, 4),
    }


def citation_json(citation: Citation) -> CitationJson:
    """The citation object that every front door shows."""
    chunk = citation.passage.chunk
    return {
        "cid": citation.label,
        "noteId": chunk.note_id,
        "chunkId": chunk.chunk_id,
        "createdAt": instant(chunk.created_at),
        "snippet": snippet(chunk.text),
        "score": round(citation.passage.score, 4),
        "title": chunk.title,
        "vault": chunk.vault,
        "path": chunk.path,
        "folder": chunk.folder,
        "headingPath": chunk.heading_path,
        "position": chunk.position,
        "span": span(chunk, citation.quote_start, citation.quote_end),
        "quote": citation.quote,
        "scores": _scores(citation.passage),
        "support": _support_json(citation.support),
        "stale": citation.stale,
    }


def _support_json(support: Support | None) -> SupportJson | None:
    return None if support is None else {"state": support.state.value, "score": round(support.score, 4)}


def grounding_json(grounding: Grounding | None) -> GroundingJson | None:
    """Shares of citations and of sentences."""
    if grounding is None:
        return None
    return {"precision": round(grounding.precision, 4), "recall": round(grounding.recall, 4)}


def result_json(passage: Scored) -> ResultJson:
    """One row of `/search`."""
    chunk = passage.chunk
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
        "score": round(passage.score, 4),
        "scores": _scores(passage),
    }


def _nearest_json(quote: Quote) -> NearestJson:
    return {
        **result_json(quote.passage),
        "snippet": snippet(" ".join(quote.lines)),
        "quote": quote.text,
        "quoteSpan": span(quote.passage.chunk, quote.start, quote.end),
    }


def query_json(question: Question, retrieved: Retrieved) -> QueryJson:
    hint = retrieved.analysis.time
    if hint is None:
        return {"keywords": list(retrieved.analysis.keywords), "timeRange": None}
    used = hint.range if not hint.restricts else retrieved.range_used or TimeRange(None, None)
    time_range: TimeRangeJson = {
        "start": instant(used.start) if used.start else None,
        "end": instant(used.end) if used.end else None,
        "phrase": hint.phrase,
        "zone": question.zone,
        "days": hint.days,
        "widened": retrieved.widened,
        "restricts": hint.restricts,
    }
    return {"keywords": list(retrieved.analysis.keywords), "timeRange": time_range}


def timings_json(timings_ms: Mapping[str, float]) -> dict[str, float]:
    """Milliseconds a step."""
    return {name: round(value, 1) for name, value in timings_ms.items()}


def _retrieval_json(retrieved: Retrieved | None, k: int) -> RetrievalJson:
    if retrieved is None:
        return {
            "k": k,
            "strategy": "none",
            "candidateCount": 0,
            "rerankCount": 0,
            "timeMs": 0,
            "reranker": None,
            "silentLegs": [],
        }
    asked = retrieved.reranked
    return {
        "k": k,
        "strategy": retrieved.mode.value,
        "candidateCount": retrieved.candidate_count,
        "rerankCount": len(retrieved.selected),
        "timeMs": round(retrieved.timings_ms.get("retrieval", 0.0)),
        "reranker": {"model": asked.model, "failure": asked.failure} if asked else None,
        "silentLegs": [{"leg": each.leg.value, "reason": each.reason} for each in retrieved.silent_legs],
    }


def answer_json(
    question: Question, answer: Answer, *, k: int, request_id: str, session_id: str | None = None
) -> AnswerJson:
    """The body of `/chat`: the fixed contract first, additions after it. `k`: passages the writer was to get."""
    retrieved = answer.retrieved
    meta: AnswerMetaJson = {
        "model": answer.model,
        "answerKind": answer.kind.value,
        "retrieval": _retrieval_json(retrieved, k),
        "requestId": request_id,
        "sessionId": session_id,
        "offsetUnit": "utf16",
        "query": query_json(question, retrieved) if retrieved else None,
        "refusal": None,
        "grounding": grounding_json(answer.grounding),
        "removedCitations": list(answer.removed_labels),
        "template": chosen_json(answer.template),
        "usage": {"inputTokens": answer.usage.input_tokens, "outputTokens": answer.usage.output_tokens},
        "timings": timings_json({**(retrieved.timings_ms if retrieved else {}), **answer.timings_ms}),
    }
    if answer.refusal is not None:
        meta["refusal"] = {"reason": answer.refusal.value, "nearest": list(map(_nearest_json, answer.nearest))}
    return {
        "answer": answer.text,
        "citations": [citation_json(citation) for citation in answer.citations],
        "meta": meta,
    }


def ask_json(question: Question, answer: Answer, *, k: int, request_id: str) -> AskJson:
    """The body of `/ask`: the answer, the passages it was written from, and which folders were searched."""
    body = answer_json(question, answer, k=k, request_id=request_id)
    retrieved = answer.retrieved
    used = retrieved.selected if retrieved and answer.refusal is None else ()
    meta: AskMetaJson = {
        **body["meta"],
        "folders": [_place_json(place) for place in retrieved.places] if retrieved else [],
        "silentVaults": list(retrieved.silent_vaults) if retrieved else [],
    }
    references = [_reference_json(passage.chunk) for passage in used]
    return {"answer": body["answer"], "references": references, "citations": body["citations"], "meta": meta}


def _reference_json(chunk: IndexedChunk) -> ReferenceJson:
    return {
        "vault": chunk.vault,
        "relPath": chunk.path,
        "headingPath": chunk.heading_path,
        "chunkIndex": chunk.position,
        "noteId": chunk.note_id,
        "chunkId": chunk.chunk_id,
        "title": chunk.title,
    }


def _place_json(place: Place) -> PlaceJson:
    chosen_by = place.chosen_by.value
    return {"vault": place.vault, "folder": place.folder, "weight": place.weight, "chosenBy": chosen_by}


def search_json(question: Question, retrieved: Retrieved, *, k: int, request_id: str) -> SearchJson:
    """The body of `/search`."""
    meta: SearchMetaJson = {
        "retrieval": _retrieval_json(retrieved, k),
        "requestId": request_id,
        "offsetUnit": "utf16",
        "query": query_json(question, retrieved),
        "timings": timings_json(retrieved.timings_ms),
    }
    return {"results": [result_json(passage) for passage in retrieved.selected], "meta": meta}


def note_json(note: Note) -> NoteJson:
    """A note as `/notes/{id}` gives it."""
    return {**listed_note_json(note), "text": note.text, "revision": note_revision(note)}


def open_note_json(note: Note, origin: Origin | None) -> OpenNoteJson:
    """The same with its file: one that is known, or one that its id speaks of."""
    shown: OriginJson | None
    if origin is not None:
        shown = OriginJson(folder=origin.folder, path=origin.path, writeBack=origin.write_back, state=origin.state)
    elif note.note_id == note_id_of(note.vault, note.path):
        shown = OriginJson(folder=None, path=note.path, writeBack=None, state=None)
    else:
        shown = None
    return {**note_json(note), "origin": shown}


def listed_note_json(note: Note) -> ListedNoteJson:
    """A note as lists give it, without its text."""
    return {
        "noteId": note.note_id,
        "title": note.title,
        "createdAt": instant(note.created_at),
        "updatedAt": instant(note.updated_at),
        "vault": note.vault,
        "path": note.path,
        "tags": list(note.tags),
        "lang": note.lang,
    }


def template_json(template: Template) -> TemplateJson:
    """A template as `/templates/{id}` gives it."""
    return {**_listed_template_json(template), "content": template.content}


def _listed_template_json(template: Template) -> ListedTemplateJson:
    return {
        "templateId": template.template_id,
        "name": template.name,
        "domain": template.domain,
        "complexity": template.complexity,
        "methodology": template.methodology,
        "keywords": list(template.keywords),
        "description": template.description,
    }


def templates_json(templates: Iterable[Template], *, ready: bool) -> TemplatesJson:
    """The body of `/templates`, without the steps. `ready`: every one of them is found by similarity."""
    return {"templates": [_listed_template_json(each) for each in templates], "ready": ready}


def template_match_json(match: TemplateMatch) -> TemplateMatchJson:
    """One row of `/templates:search`."""
    return {**template_json(match.template), "score": _rounded(match.score)}


def chosen_json(match: TemplateMatch | None) -> ChosenTemplateJson | None:
    """In an answer's meta: which template the writer was given. `score` null: the caller named it."""
    if match is None:
        return None
    return {"id": match.template.template_id, "name": match.template.name, "score": _rounded(match.score)}


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def index_status_json(note_id: str, record: IndexRecord | None, *, current: bool) -> IndexStatusJson:
    """A note's index state. `missing`: the index has not seen it yet; `current`: it holds this very revision."""
    if record is None:
        return {"noteId": note_id, "status": "missing", "current": False, "chunkCount": 0}
    return {
        "noteId": note_id,
        "status": record.status.value,
        "current": current,
        "chunkCount": record.chunk_count,
        "indexVersion": record.index_version,
        "noteRevision": record.note_revision,
        "indexedAt": instant(record.indexed_at),
        "attempts": record.attempts,
        "error": record.error,
    }


def coverage_json(coverage: Coverage) -> CoverageJson:
    """How much of a tenant's notes the index holds."""
    return {
        "notes": coverage.notes,
        "indexed": coverage.indexed,
        "pendingEmbeddings": coverage.pending,
        "failed": coverage.failed,
        "missing": coverage.missing,
    }


def reconcile_json(report: ReconcileReport) -> ReconcileJson:
    """What one reconcile found and did; of a dry run, what it would embed. `complete` false: call again."""
    return {
        "examined": report.examined,
        "found": {finding.value: count for finding, count in report.found.items()},
        "indexed": report.indexed,
        "deleted": report.deleted,
        "failed": report.failed,
        "postponed": report.postponed,
        "texts": report.texts,
        "tokens": report.tokens,
        "complete": report.complete,
        "dryRun": report.dry_run,
    }
