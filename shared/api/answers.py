"""Answers with their citations, whole."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from shared.account.prices import usd
from shared.api import search
from shared.api.values import SpanJson, shown, snippet, span
from shared.model.answers import Answer, AnswerKind, Citation, Claim
from shared.model.questions import Question


class SupportJson(TypedDict):
    """How far a passage backs what is said with its label; of a citation, the claim that it backs least. `quoted`: the
    text is the note's own, and whether it answers was not judged; the score is then how near it lies to the question.
    """

    state: Literal["supported", "partial", "unsupported", "quoted"]
    score: float


class CitationJson(search.ResultJson):
    """A label in the answer and the exact passage it points at. `support` null: not judged; `stale`: the note has
    changed since it was read; of a deleted one the texts are empty.
    """

    cid: str
    folder: str
    position: int
    quote: str
    support: SupportJson | None
    stale: bool


class ClaimQuoteJson(TypedDict):
    """What carries most of a claim in one passage that it cites."""

    cid: str
    span: SpanJson
    quote: str


class ClaimJson(TypedDict):
    """A sentence of the answer that states something. `span`: in the answer; `cids` empty and `support` null: it cites
    nothing; else how far all that it cites backs it, read together.
    """

    span: SpanJson
    cids: list[str]
    support: SupportJson | None
    quotes: list[ClaimQuoteJson]


class RefusalJson(TypedDict):
    """Why there is no answer from the notes, `told` in the question's language, and the notes that came nearest."""

    reason: str
    told: str
    nearest: list[search.NearestJson]


class ChosenTemplateJson(TypedDict):
    """The template the writer was given. `score` null: the caller named it."""

    id: str
    name: str
    score: float | None


class UsageJson(TypedDict):
    """Tokens that models bill and documents read (without what vector searches scan; null: not counted), and
    what they cost by list prices (null: the model's are not known).
    """

    inputTokens: int
    outputTokens: int
    reads: int | None
    usd: float | None


class GroundingJson(TypedDict):
    """Share of the citations that matter, and of the factual sentences that are fully supported by what they cite."""

    precision: float
    recall: float


class AnswerMetaJson(TypedDict):
    """How an answer came about. `answerKind`: `written` by a model, or the fixed sentence of a refusal; `quoted` where
    none wrote and passages of the notes are quoted, which may not answer; `general` where the notes do not hold the
    answer and a model answered without them (`whenNotInNotes`). `model`: what wrote, quoted or found no answer; `none`
    where no model was asked. `notesRead`: for a question of a time and nothing else, how many notes of that time were
    read; else null. `removedCitations`: labels that the writer made up, as in its draft. `writerProblem`: why the model
    that is set did not write; null: it did, or none is set.
    """

    model: str
    answerKind: Literal["written", "quoted", "general"]
    retrieval: search.RetrievalJson
    requestId: str
    sessionId: str | None
    offsetUnit: Literal["utf16"]
    query: search.QueryJson | None
    notesRead: int | None
    refusal: RefusalJson | None
    grounding: GroundingJson | None
    removedCitations: list[str]
    writerProblem: str | None
    template: ChosenTemplateJson | None
    usage: UsageJson
    timings: dict[str, float]


class AnswerJson(TypedDict):
    """An answer whose every label points at a passage it was written from."""

    answer: str
    citations: list[CitationJson]
    claims: list[ClaimJson]
    meta: AnswerMetaJson


class ReferenceJson(TypedDict):
    """A passage that an answer was written from."""

    vault: str
    relPath: str
    headingPath: str
    chunkIndex: int
    noteId: str
    chunkId: str
    title: str


class AskMetaJson(AnswerMetaJson):
    """The meta of an answer, and which folders were searched."""

    folders: list[search.PlaceJson]
    silentVaults: list[str]


class AskJson(TypedDict):
    """An answer from chosen folders."""

    answer: str
    references: list[ReferenceJson]
    citations: list[CitationJson]
    claims: list[ClaimJson]
    meta: AskMetaJson


def citation_json(citation: Citation) -> CitationJson:
    """The citation object that every front door shows."""
    passage, chunk = citation.passage, citation.passage.chunk
    place = span(chunk, citation.quote_start, citation.quote_end)
    return shown(CitationJson, citation, passage, chunk, cid=citation.label, snippet=snippet(chunk.text), span=place)


def claim_json(claim: Claim) -> ClaimJson:
    quotes = [
        shown(ClaimQuoteJson, each, cid=each.label, span=span(each.passage.chunk, each.quote_start, each.quote_end))
        for each in claim.citations
    ]
    place, cids = SpanJson(start=claim.start, end=claim.end), [each.label for each in claim.citations]
    return shown(ClaimJson, claim, span=place, cids=cids, quotes=quotes)


def answer_json(
    question: Question, answer: Answer, *, k: int, request_id: str, session_id: str | None = None
) -> AnswerJson:
    """The body of `/chat`: the fixed contract first, additions after it. `k`: passages the writer was to get."""
    retrieved, match = answer.retrieved, answer.template
    meta: AnswerMetaJson = {
        "model": answer.model,
        "answerKind": answer.kind.value,
        "retrieval": search.retrieval_json(retrieved, k),
        "requestId": request_id,
        "sessionId": session_id,
        "offsetUnit": "utf16",
        "query": search.query_json(question, retrieved) if retrieved else None,
        "notesRead": retrieved.notes_read if retrieved else None,
        "refusal": None,
        "grounding": shown(GroundingJson, answer.grounding) if answer.grounding else None,
        "removedCitations": list(answer.removed_labels),
        "writerProblem": answer.writer_problem or None,
        "template": shown(ChosenTemplateJson, match, match.template, id=match.template.template_id) if match else None,
        "usage": shown(UsageJson, answer.usage, usd=usd(answer.usage, answer.model)),
        "timings": search.timings_json({**(retrieved.timings_ms if retrieved else {}), **answer.timings_ms}),
    }
    if answer.refusal is not None:
        meta["refusal"] = {
            "reason": answer.refusal.value,
            "told": answer.refusal_told or answer.text,
            "nearest": list(map(search.nearest_json, answer.nearest)),
        }
    return {
        "answer": answer.text,
        "citations": [citation_json(citation) for citation in answer.citations],
        "claims": [claim_json(claim) for claim in answer.claims],
        "meta": meta,
    }


def ask_json(question: Question, answer: Answer, *, k: int, request_id: str) -> AskJson:
    """The body of `/ask`: the answer, the passages it was written from, and which folders were searched."""
    body = answer_json(question, answer, k=k, request_id=request_id)
    retrieved = answer.retrieved
    is_from_notes = answer.refusal is None and answer.kind is not AnswerKind.GENERAL
    used = retrieved.selected if retrieved and is_from_notes else ()
    meta: AskMetaJson = {
        **body["meta"],
        "folders": [shown(search.PlaceJson, place) for place in retrieved.places] if retrieved else [],
        "silentVaults": list(retrieved.failed_vaults) if retrieved else [],
    }
    chunks = [passage.chunk for passage in used]
    references = [shown(ReferenceJson, each, relPath=each.path, chunkIndex=each.position) for each in chunks]
    return {**body, "references": references, "meta": meta}
