"""Feedback, receipts, and everything a tenant owns, line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict, get_type_hints

from shared.account.export import Exported, SessionMessage
from shared.api.notes import NoteJson, TrashedNoteJson, note_json, trashed_json
from shared.api.sessions import MessageJson, SessionJson, message_json, session_json
from shared.api.templates import TemplateJson, template_json
from shared.api.values import ErrorJson, instant
from shared.model.account import DayUsage, Feedback, Receipt
from shared.model.documents import UnreadableDocument
from shared.model.notes import Note, TrashedNote, UnreadableNote
from shared.model.sessions import Session
from shared.model.templates import Template


class FeedbackJson(TypedDict):
    """Feedback on an answer. `messageId` null: the answer belongs to no session; `citation` null: for the whole answer."""

    feedbackId: str
    requestId: str
    messageId: str | None
    rating: str | None
    comment: str
    citation: str | None
    createdAt: str


class ReceiptJson(TypedDict):
    """Numbers of what was erased, by kind; kinds with nothing to erase are absent.

    `usageKeptUntil`: the numbers of today's answers, searches and embedded tokens stay until then, so that the day's
    limits hold; absent if none stay.
    """

    erased: dict[str, int]
    usageKeptUntil: NotRequired[str]


class UnreadableNoteJson(TypedDict):
    """Document that an app wrote in the place of a note. `reason` says why it cannot be read, and `fields` are all its
    fields as Firestore's REST API returns them, each with its type.
    """

    noteId: str
    reason: str
    fields: Mapping[str, object]


class UnreadableDocumentJson(TypedDict):
    """Another document that cannot be read: an app wrote it badly, or the disk has changed it. `collection` says where
    it is kept (`trash`, `sessions`, `messages`, `templates`, `feedback`), and `reason` why it cannot be read.
    """

    collection: str
    id: str
    reason: str


class DayUsageJson(TypedDict):
    """Spending of one day (UTC)."""

    day: str
    answers: int
    searches: int
    embeddedTokens: int
    indexWrites: int


class SessionMessageJson(MessageJson):
    """A message of a session."""

    sessionId: str


class EndLineJson(TypedDict):
    """The last line of an export: how many there were of each type. Without it the export was cut off."""

    type: Literal["end"]
    counts: dict[str, int]


class ErrorLineJson(ErrorJson):
    """The last line of an export that failed half-way."""

    type: Literal["error"]


def feedback_json(feedback: Feedback) -> FeedbackJson:
    """Returns feedback on an answer."""
    rating = None
    if feedback.rating is not None:
        rating = feedback.rating.value
    return {
        "feedbackId": feedback.feedback_id,
        "requestId": feedback.request_id,
        "messageId": feedback.message_id,
        "rating": rating,
        "comment": feedback.comment,
        "citation": feedback.citation,
        "createdAt": instant(feedback.created_at),
    }


def receipt_json(receipt: Receipt) -> ReceiptJson:
    """Returns the body of DELETE /me."""
    reply: ReceiptJson = {"erased": dict(sorted(receipt.erased.items()))}
    if receipt.usage_kept_until is not None:
        reply["usageKeptUntil"] = instant(receipt.usage_kept_until)
    return reply


def _unreadable_note_json(note: UnreadableNote) -> UnreadableNoteJson:
    return {"noteId": note.note_id, "reason": note.reason, "fields": dict(note.fields)}


def _unreadable_document_json(document: UnreadableDocument) -> UnreadableDocumentJson:
    return {
        "collection": document.collection,
        "id": document.document_id,
        "reason": document.reason,
    }


def _day_usage_json(usage: DayUsage) -> DayUsageJson:
    return {
        "day": usage.day.isoformat(),
        "answers": usage.answers,
        "searches": usage.searches,
        "embeddedTokens": usage.embedded_tokens,
        "indexWrites": usage.index_writes,
    }


def _session_message_json(item: SessionMessage) -> dict[str, object]:
    return {"sessionId": item.session_id, **message_json(item.message)}


@dataclass(frozen=True, slots=True)
class _LineKind:
    """A type of line in an export."""

    name: str
    """Value of the line's `type`."""
    json_type: Any
    """TypedDict of what else the line holds."""
    to_json: Callable[[Any], Mapping[str, object]]


_LINE_KINDS: Mapping[type[Exported], _LineKind] = {
    Note: _LineKind("note", NoteJson, note_json),
    UnreadableNote: _LineKind("unreadableNote", UnreadableNoteJson, _unreadable_note_json),
    TrashedNote: _LineKind("trashedNote", TrashedNoteJson, trashed_json),
    Template: _LineKind("template", TemplateJson, template_json),
    Session: _LineKind("session", SessionJson, session_json),
    SessionMessage: _LineKind("message", SessionMessageJson, _session_message_json),
    Feedback: _LineKind("feedback", FeedbackJson, feedback_json),
    DayUsage: _LineKind("usage", DayUsageJson, _day_usage_json),
    UnreadableDocument: _LineKind("unreadable", UnreadableDocumentJson, _unreadable_document_json),
}


def export_lines(items: Iterable[Exported]) -> Iterator[Mapping[str, object]]:
    """Yields one object an item, with its `type`; after the last the line that says how many of each there were.

    An export without that line was cut off.
    """
    counts: Counter[str] = Counter()
    for item in items:
        kind = _LINE_KINDS[type(item)]
        counts[kind.name] += 1
        yield {"type": kind.name, **kind.to_json(item)}
    yield {"type": "end", "counts": dict(counts)}


def _line_type(kind: _LineKind) -> Any:  # noqa: ANN401 - a type made at run time
    """Returns the TypedDict of an export's lines of this kind, with their `type`."""
    fields = get_type_hints(kind.json_type, include_extras=True)
    fields["type"] = Literal[kind.name]
    class_name = kind.name[0].upper() + kind.name[1:] + "LineJson"
    line_type = cast("Any", TypedDict)(class_name, fields)
    summary, _, rest = kind.json_type.__doc__.partition(".")
    line_type.__doc__ = f"{summary}, as a line of an export.{rest}"
    return line_type


EXPORT_LINES = (
    *(_line_type(kind) for kind in _LINE_KINDS.values()),
    EndLineJson,
    ErrorLineJson,
)
"""Types of the lines of an export."""
