"""Domain values -> the JSON objects clients read (SPEC names, camelCase, UTC instants, UTF-16 offsets).

Used by every front door, so that `/chat`, `aurora ask --json` and tools print the same thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from shared.domain import (
    Answer,
    Citation,
    Coverage,
    IndexedChunk,
    IndexRecord,
    Message,
    Note,
    Place,
    Question,
    Retrieved,
    Scored,
    Session,
    Template,
    TemplateMatch,
    TimeRange,
)
from shared.indexing.reconcile import ReconcileReport
from shared.text.offsets import Utf16Offsets

Json: TypeAlias = dict[str, Any]

SNIPPET_LENGTH = 160
"""Characters of a passage shown in lists."""


def instant(when: datetime) -> str:
    """`2026-01-15T10:30:00.000Z`."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def snippet(text: str) -> str:
    """The start of a passage on one line, at most SNIPPET_LENGTH characters and an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET_LENGTH else line[:SNIPPET_LENGTH].rsplit(" ", 1)[0] + "…"


def span(chunk: IndexedChunk, start: int, end: int) -> Json:
    """Code points `[start, end)` of the note, inside the chunk, as UTF-16 offsets into the note."""
    offsets = Utf16Offsets(chunk.text)
    first, last = (chunk.utf16_start + offsets.at(place - chunk.start) for place in (start, end))
    return {"start": first, "end": last}


def _scores(passage: Scored) -> Json:
    parts = passage.scores
    return {
        "vector": round(parts.vector, 4),
        "keyword": round(parts.keyword, 4),
        "recency": round(parts.recency, 4),
        "similarity": round(parts.similarity, 4),
    }


def citation_json(citation: Citation) -> Json:
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
        "folder": chunk.folder,
        "headingPath": chunk.heading_path,
        "position": chunk.position,
        "span": span(chunk, citation.quote_start, citation.quote_end),
        "quote": citation.quote,
        "scores": _scores(citation.passage),
    }


def result_json(passage: Scored) -> Json:
    """One row of `/search`, and of a refusal's nearest notes."""
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


def _query_json(question: Question, retrieved: Retrieved) -> Json:
    hint = retrieved.analysis.time
    if hint is None:
        return {"keywords": list(retrieved.analysis.keywords), "timeRange": None}
    used = retrieved.range_used or TimeRange(None, None)
    time_range = {
        "start": instant(used.start) if used.start else None,
        "end": instant(used.end) if used.end else None,
        "phrase": hint.phrase,
        "zone": question.zone,
        "days": hint.days,
        "widened": retrieved.widened,
    }
    return {"keywords": list(retrieved.analysis.keywords), "timeRange": time_range}


def _timings(timings_ms: Mapping[str, float]) -> Json:
    return {name: round(value, 1) for name, value in timings_ms.items()}


def _retrieval_json(retrieved: Retrieved | None, k: int) -> Json:
    if retrieved is None:
        return {"k": k, "strategy": "none", "candidateCount": 0, "rerankCount": 0, "timeMs": 0}
    return {
        "k": k,
        "strategy": retrieved.mode.value,
        "candidateCount": retrieved.candidate_count,
        "rerankCount": len(retrieved.selected),
        "timeMs": round(retrieved.timings_ms.get("retrieval", 0.0)),
    }


def answer_json(question: Question, answer: Answer, *, k: int, request_id: str) -> Json:
    """The body of `/chat`: the fixed contract first, additions after it. `k`: passages the writer was to get."""
    retrieved = answer.retrieved
    meta: Json = {
        "model": answer.model,
        "retrieval": _retrieval_json(retrieved, k),
        "requestId": request_id,
        "offsetUnit": "utf16",
        "query": _query_json(question, retrieved) if retrieved else None,
        "refusal": None,
        "template": chosen_json(answer.template),
        "usage": {"inputTokens": answer.usage.input_tokens, "outputTokens": answer.usage.output_tokens},
        "timings": _timings({**(retrieved.timings_ms if retrieved else {}), **answer.timings_ms}),
    }
    if answer.refusal is not None:
        nearest = [result_json(passage) for passage in retrieved.nearest] if retrieved else []
        meta["refusal"] = {"reason": answer.refusal.value, "nearest": nearest}
    return {
        "answer": answer.text,
        "citations": [citation_json(citation) for citation in answer.citations],
        "meta": meta,
    }


def ask_json(question: Question, answer: Answer, *, k: int, request_id: str) -> Json:
    """The body of `/ask`: the answer, the passages it was written from, and which folders were searched."""
    body = answer_json(question, answer, k=k, request_id=request_id)
    retrieved = answer.retrieved
    used = retrieved.selected if retrieved and answer.refusal is None else ()
    meta = {
        **body["meta"],
        "folders": [_place_json(place) for place in retrieved.places] if retrieved else [],
        "silentVaults": list(retrieved.silent_vaults) if retrieved else [],
    }
    references = [_reference_json(passage.chunk) for passage in used]
    return {"answer": body["answer"], "references": references, "citations": body["citations"], "meta": meta}


def _reference_json(chunk: IndexedChunk) -> Json:
    return {
        "vault": chunk.vault,
        "relPath": chunk.path,
        "headingPath": chunk.heading_path,
        "chunkIndex": chunk.position,
        "noteId": chunk.note_id,
        "chunkId": chunk.chunk_id,
        "title": chunk.title,
    }


def _place_json(place: Place) -> Json:
    chosen_by = place.chosen_by.value
    return {"vault": place.vault, "folder": place.folder, "weight": place.weight, "chosenBy": chosen_by}


def search_json(question: Question, retrieved: Retrieved, *, k: int, request_id: str) -> Json:
    """The body of `/search`."""
    meta = {
        "retrieval": _retrieval_json(retrieved, k),
        "requestId": request_id,
        "offsetUnit": "utf16",
        "query": _query_json(question, retrieved),
        "timings": _timings(retrieved.timings_ms),
    }
    return {"results": [result_json(passage) for passage in retrieved.selected], "meta": meta}


def note_json(note: Note) -> Json:
    """A note as `/notes` gives it."""
    return {
        "noteId": note.note_id,
        "title": note.title,
        "text": note.text,
        "createdAt": instant(note.created_at),
        "updatedAt": instant(note.updated_at),
        "vault": note.vault,
        "path": note.path,
        "tags": list(note.tags),
        "lang": note.lang,
    }


def session_json(session: Session) -> Json:
    """A session as `/sessions/{id}` gives it. `model` null: the configured one."""
    settings = session.settings
    return {
        "sessionId": session.session_id,
        "title": session.shown_title,
        "createdAt": instant(session.created_at),
        "updatedAt": instant(session.updated_at),
        "messageCount": session.message_count,
        "settings": {
            "useNotes": settings.use_notes,
            "topK": settings.top_k,
            "threshold": settings.threshold,
            "includeCitations": settings.include_citations,
            "systemPrompt": settings.system_prompt,
            "model": settings.model or None,
            "maxContextTokens": settings.max_context_tokens,
            "maxHistory": settings.max_history,
        },
    }


def message_json(message: Message) -> Json:
    """A message as `/sessions/{id}/messages` gives it; citations and meta as they were answered."""
    return {
        "messageId": message.message_id,
        "role": message.role.value,
        "text": message.text,
        "createdAt": instant(message.created_at),
        "citations": [dict(each.shown) for each in message.citations],
        "meta": None if message.meta is None else dict(message.meta),
    }


def template_json(template: Template) -> Json:
    """A template as `/templates/{id}` gives it; lists leave `content` out."""
    return {
        "templateId": template.template_id,
        "name": template.name,
        "domain": template.domain,
        "complexity": template.complexity,
        "methodology": template.methodology,
        "keywords": list(template.keywords),
        "description": template.description,
        "content": template.content,
    }


def templates_json(templates: Iterable[Template], *, ready: bool) -> Json:
    """The body of `/templates`, without the steps. `ready`: every one of them is found by similarity."""
    listed = [{name: value for name, value in template_json(each).items() if name != "content"} for each in templates]
    return {"templates": listed, "ready": ready}


def template_match_json(match: TemplateMatch) -> Json:
    """One row of `/templates:search`."""
    return {**template_json(match.template), "score": _rounded(match.score)}


def chosen_json(match: TemplateMatch | None) -> Json | None:
    """In an answer's meta: which template the writer was given. `score` null: the caller named it."""
    if match is None:
        return None
    return {"id": match.template.template_id, "name": match.template.name, "score": _rounded(match.score)}


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def index_status_json(note_id: str, record: IndexRecord | None, *, current: bool) -> Json:
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


def coverage_json(coverage: Coverage) -> Json:
    """How much of a tenant's notes the index holds."""
    return {
        "notes": coverage.notes,
        "indexed": coverage.indexed,
        "pendingEmbeddings": coverage.pending,
        "failed": coverage.failed,
        "missing": coverage.missing,
    }


def reconcile_json(report: ReconcileReport) -> Json:
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
