"""Feedback, receipts, and everything a tenant owns, line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from shared.account.export import Exported, SessionMessage
from shared.api.notes import NoteJson, TrashedNoteJson
from shared.api.sessions import MessageJson, SessionJson, message_json, session_json
from shared.api.templates import TemplateJson
from shared.api.values import ErrorJson, instant, shown
from shared.indexing.state import note_revision
from shared.model.account import DayUsage, Feedback, Receipt
from shared.model.notes import Note, TrashedNote, UnreadableNote
from shared.model.sessions import Session
from shared.model.templates import Template


class FeedbackJson(TypedDict):
    """What was said of an answer. `messageId` null: it was no session's; `citation` null: the whole answer is meant."""

    feedbackId: str
    requestId: str
    messageId: str | None
    rating: str | None
    comment: str
    citation: str | None
    createdAt: str


class ReceiptJson(TypedDict):
    """What was erased: kind -> how many; kinds of which there was nothing are absent. `usageKeptUntil`: the numbers of
    today's answers, searches and embedded tokens stay until then, so that the day's limits hold; absent: none stay.
    """

    erased: dict[str, int]
    usageKeptUntil: NotRequired[str]


class NoteLineJson(NoteJson):
    """A note, as a line of an export."""

    type: Literal["note"]


class UnreadableNoteLineJson(TypedDict):
    """What an app wrote in the place of a note, as a line of an export: `reason` says why it cannot be read, and
    `fields` are all it holds, as Firestore's REST API gives them, each with its type.
    """

    type: Literal["unreadableNote"]
    noteId: str
    reason: str
    fields: Mapping[str, object]


class TrashedNoteLineJson(TrashedNoteJson):
    """A note in the trash, as a line of an export."""

    type: Literal["trashedNote"]


class TemplateLineJson(TemplateJson):
    """A template, as a line of an export."""

    type: Literal["template"]


class SessionLineJson(SessionJson):
    """A conversation, as a line of an export; its messages follow."""

    type: Literal["session"]


class MessageLineJson(MessageJson):
    """A message, as a line of an export."""

    type: Literal["message"]
    sessionId: str


class FeedbackLineJson(FeedbackJson):
    """What was said of an answer, as a line of an export."""

    type: Literal["feedback"]


class UsageLineJson(TypedDict):
    """What was spent on one day (UTC), as a line of an export."""

    type: Literal["usage"]
    day: str
    answers: int
    searches: int
    embeddedTokens: int


class EndLineJson(TypedDict):
    """The last line of an export: how many there were of each type. Without it the export was cut off."""

    type: Literal["end"]
    counts: dict[str, int]


class ErrorLineJson(ErrorJson):
    """The last line of an export that failed half-way."""

    type: Literal["error"]


def receipt_json(receipt: Receipt) -> ReceiptJson:
    """The body of DELETE /me."""
    until = receipt.usage_kept_until
    kept: ReceiptJson = {"erased": dict(sorted(receipt.erased.items()))}
    return {**kept, "usageKeptUntil": instant(until)} if until else kept


def export_lines(items: Iterable[Exported]) -> Iterator[Mapping[str, object]]:
    """One object an item, with its `type`; after the last the line that says how many of each there were.

    An export without that line was cut off.
    """
    counts: Counter[str] = Counter()
    for item in items:
        row = _exported_json(item)
        counts[str(row["type"])] += 1
        yield row
    yield {"type": "end", "counts": dict(counts)}


EXPORT_LINES = (
    NoteLineJson,
    UnreadableNoteLineJson,
    TrashedNoteLineJson,
    TemplateLineJson,
    SessionLineJson,
    MessageLineJson,
    FeedbackLineJson,
    UsageLineJson,
    EndLineJson,
    ErrorLineJson,
)
"""What a line of an export may be."""


def _exported_json(item: Exported) -> Mapping[str, object]:
    match item:
        case Note():
            return shown(NoteLineJson, item, type="note", revision=note_revision(item))
        case TrashedNote():
            return shown(TrashedNoteLineJson, item, item.note, type="trashedNote")
        case Session():
            return {"type": "session", **session_json(item)}
        case SessionMessage():
            return {"type": "message", "sessionId": item.session_id, **message_json(item.message)}
    kind, name = _LINES[type(item)]
    return shown(kind, item, type=name)


_LINES: Mapping[type, tuple[Any, str]] = {
    UnreadableNote: (UnreadableNoteLineJson, "unreadableNote"),
    Feedback: (FeedbackLineJson, "feedback"),
    DayUsage: (UsageLineJson, "usage"),
    Template: (TemplateLineJson, "template"),
}
"""Item -> its line and the line's type, where the line is the item and nothing else."""
