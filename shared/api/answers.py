"""Answers with their citations, whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from shared.account.prices import usd
from shared.api import search
from shared.api.values import SpanJson, instant, rounded, span
from shared.model.answers import Answer, AnswerKind, Citation, Claim, StoredAnswer, Support
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.sessions import StoredCitation
from shared.model.templates import TemplateMatch


class SupportJson(TypedDict):
    """Support of the text that cites a passage; for a citation, of the claim that it supports least. `quoted`: the text
    is the note's own and was not judged as an answer; the score is then its similarity to the question.
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
    """The part of a cited passage that supports most of a claim. `title` and `createdAt` are the note's; answers of
    earlier releases lack them.
    """

    cid: str
    span: SpanJson
    quote: str
    title: NotRequired[str]
    createdAt: NotRequired[str]


class ClaimJson(TypedDict):
    """A sentence of the answer that states something. `span`: in the answer; `cids` empty and `support` null: it cites
    nothing; else how far all that it cites backs it, read together.
    """

    span: SpanJson
    cids: list[str]
    support: SupportJson | None
    quotes: list[ClaimQuoteJson]


class RefusalJson(TypedDict):
    """Why there is no answer from the notes, and the notes that came nearest. `told` says why in the question's
    language, or in English where there are no words for it; `lang` is that language, which answers of earlier releases
    lack.
    """

    reason: str
    told: str
    lang: NotRequired[str]
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
    """Origin of an answer.

    `answerKind`: `written` by a model, or the fixed sentence of a refusal; `quoted` if no model wrote and passages of
    the notes are quoted, which may not answer; `general` if the notes do not hold the answer and a model answered
    without them (`whenNotInNotes`). `model`: the model that wrote, quoted or found no answer; `none` if no model was
    called. `nothingAbout`: the named person or thing of which no quote says what is asked (`Marek's phone number`); null if
    the quotes may say it, or it is no `quoted` answer; answers of earlier releases lack it. `notesRead`: for a question
    about a period alone, the number of notes read of it; else null. `removedCitations`: labels that the writer made up, as
    in its draft. `writerProblem`: the reason why the configured model did not write; null if it did, or none is configured.
    """

    model: str
    answerKind: Literal["written", "quoted", "general"]
    retrieval: search.RetrievalJson
    requestId: str
    sessionId: str | None
    offsetUnit: Literal["utf16"]
    query: search.QueryJson | None
    nothingAbout: NotRequired[str | None]
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

    folders: list[search.SearchedFolderJson]
    failedVaults: list[str]


class AskJson(TypedDict):
    """An answer from chosen folders."""

    answer: str
    references: list[ReferenceJson]
    citations: list[CitationJson]
    claims: list[ClaimJson]
    meta: AskMetaJson


def citation_json(citation: Citation) -> CitationJson:
    """Returns the citation object that every front door shows."""
    chunk = citation.passage.chunk
    return {
        **search.result_json(citation.passage),
        "span": span(chunk, citation.quote_start, citation.quote_end),
        "cid": citation.label,
        "folder": chunk.folder,
        "position": chunk.position,
        "quote": citation.quote,
        "support": _support_json(citation.support),
        "stale": citation.stale,
    }


def claim_json(claim: Claim) -> ClaimJson:
    """Returns a claim with the quotes that support it."""
    quotes: list[ClaimQuoteJson] = []
    for citation in claim.citations:
        chunk = citation.passage.chunk
        quotes.append(
            {
                "cid": citation.label,
                "span": span(chunk, citation.quote_start, citation.quote_end),
                "quote": citation.quote,
                "title": chunk.title,
                "createdAt": instant(chunk.created_at),
            },
        )
    return {
        "span": {"start": claim.start, "end": claim.end},
        "cids": [citation.label for citation in claim.citations],
        "support": _support_json(claim.support),
        "quotes": quotes,
    }


def _support_json(support: Support | None) -> SupportJson | None:
    if support is None:
        return None
    return {"state": support.state.value, "score": rounded(support.score)}


def stored_answer(
    question: Question,
    answer: Answer,
    *,
    k: int,
    request_id: str,
    session_id: str | None = None,
) -> StoredAnswer:
    """Returns an answer of `/chat` as its caller gets it.

    k: passages that the writer was to get.
    """
    citations = []
    for citation in answer.citations:
        chunk = citation.passage.chunk
        citations.append(
            StoredCitation(chunk.note_id, chunk.note_revision, citation_json(citation)),
        )
    return StoredAnswer(
        text=answer.text,
        citations=tuple(citations),
        claims=tuple(claim_json(claim) for claim in answer.claims),
        meta=_meta_json(
            question,
            answer,
            k=k,
            request_id=request_id,
            session_id=session_id,
        ),
    )


def stored_answer_with_references(
    question: Question,
    answer: Answer,
    *,
    k: int,
    request_id: str,
) -> StoredAnswer:
    """Returns an answer of `/ask` as its caller gets it: with the passages that it was written from, and the folders
    that were searched.
    """
    stored = stored_answer(question, answer, k=k, request_id=request_id)
    folders = []
    failed_vaults: list[str] = []
    references = []
    retrieved = answer.retrieved
    if retrieved is not None:
        folders = [search.searched_folder_json(folder) for folder in retrieved.weighted_folders]
        failed_vaults.extend(retrieved.failed_vaults)
        if answer.refusal is None and answer.kind is not AnswerKind.GENERAL:
            references = [_reference_json(passage.chunk) for passage in retrieved.selected]
    meta = {**stored.meta, "folders": folders, "failedVaults": failed_vaults}
    return replace(stored, references=tuple(references), meta=meta)


def _meta_json(
    question: Question,
    answer: Answer,
    *,
    k: int,
    request_id: str,
    session_id: str | None,
) -> AnswerMetaJson:
    query = None
    notes_read = None
    timings_ms = answer.timings_ms
    retrieved = answer.retrieved
    if retrieved is not None:
        query = search.query_json(question, retrieved)
        notes_read = retrieved.notes_read
        timings_ms = {**retrieved.timings_ms, **answer.timings_ms}
    refusal: RefusalJson | None = None
    if answer.refusal is not None:
        refusal = {
            "reason": answer.refusal.value,
            "told": answer.localized_reason or answer.text,
            "lang": answer.reason_lang,
            "nearest": [search.nearest_json(quote) for quote in answer.nearest],
        }
    grounding: GroundingJson | None = None
    if answer.grounding is not None:
        grounding = {
            "precision": rounded(answer.grounding.precision),
            "recall": rounded(answer.grounding.recall),
        }
    usage: UsageJson = {
        "inputTokens": answer.usage.input_tokens,
        "outputTokens": answer.usage.output_tokens,
        "reads": answer.usage.reads,
        "usd": usd(answer.usage, answer.model),
    }
    return {
        "model": answer.model,
        "answerKind": answer.kind.value,
        "retrieval": search.retrieval_json(retrieved, k),
        "requestId": request_id,
        "sessionId": session_id,
        "offsetUnit": "utf16",
        "query": query,
        "nothingAbout": answer.nothing_about or None,
        "notesRead": notes_read,
        "refusal": refusal,
        "grounding": grounding,
        "removedCitations": list(answer.removed_labels),
        "writerProblem": answer.writer_problem or None,
        "template": _template_json(answer.template),
        "usage": usage,
        "timings": search.timings_json(timings_ms),
    }


def _template_json(match: TemplateMatch | None) -> ChosenTemplateJson | None:
    if match is None:
        return None
    score = None
    if match.score is not None:
        score = rounded(match.score)
    return {"id": match.template.template_id, "name": match.template.name, "score": score}


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


def reply_json(answer: StoredAnswer) -> dict[str, object]:
    """Returns the body of `/chat` or `/ask`: the fixed contract first, additions after it."""
    reply: dict[str, object] = {
        "answer": answer.text,
        "citations": [citation.shown for citation in answer.citations],
        "claims": list(answer.claims),
        "meta": answer.meta,
    }
    if answer.references is not None:
        reply["references"] = list(answer.references)
    return reply


def read_reply(reply: Mapping[str, Any], revisions: Mapping[str, str]) -> StoredAnswer:
    """Returns the answer in a body that `reply_json` made.

    revisions: note id -> revision that was read.
    """
    citations = []
    for citation in reply["citations"]:
        note_id = citation["noteId"]
        citations.append(StoredCitation(note_id, revisions.get(note_id, ""), citation))
    references = reply.get("references")
    if references is not None:
        references = tuple(references)
    return StoredAnswer(
        text=reply["answer"],
        citations=tuple(citations),
        claims=tuple(reply["claims"]),
        meta=reply["meta"],
        references=references,
    )
