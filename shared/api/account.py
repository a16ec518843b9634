"""Feedback, receipts, and everything a tenant owns, line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict, get_type_hints

from shared.account.export import Exported, SessionMessage
from shared.api.notes import NoteJson, TrashedNoteJson, note_json, trashed_json
from shared.api.sessions import MessageJson, SessionJson, message_json, session_json
from shared.api.templates import TemplateJson
from shared.api.values import ErrorJson, instant, shown
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


class UnreadableNoteJson(TypedDict):
    """What an app wrote in the place of a note. `reason` says why it cannot be read, and `fields` are all it holds, as
    Firestore's REST API gives them, each with its type.
    """

    noteId: str
    reason: str
    fields: Mapping[str, object]


class DayUsageJson(TypedDict):
    """What was spent on one day (UTC)."""

    day: str
    answers: int
    searches: int
    embeddedTokens: int


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
        name, _, row_of = _ROWS[type(item)]
        counts[name] += 1
        yield {"type": name, **row_of(item)}
    yield {"type": "end", "counts": dict(counts)}


_ROWS: Mapping[type[Exported], tuple[str, Any, Callable[[Any], Mapping[str, object]]]] = {
    Note: ("note", NoteJson, note_json),
    UnreadableNote: ("unreadableNote", UnreadableNoteJson, partial(shown, UnreadableNoteJson)),
    TrashedNote: ("trashedNote", TrashedNoteJson, trashed_json),
    Template: ("template", TemplateJson, partial(shown, TemplateJson)),
    Session: ("session", SessionJson, session_json),
    SessionMessage: (
        "message",
        SessionMessageJson,
        lambda item: {"sessionId": item.session_id, **message_json(item.message)},
    ),
    Feedback: ("feedback", FeedbackJson, partial(shown, FeedbackJson)),
    DayUsage: ("usage", DayUsageJson, partial(shown, DayUsageJson)),
}
"""Class -> the `type` of its line, the JSON type of what else the line holds, and what makes it of an item."""


def _line(name: str, kind: Any) -> Any:  # noqa: ANN401 - types made at run time
    """The type of an export's lines that are JSON of this kind, with their `type`."""
    fields = {**get_type_hints(kind, include_extras=True), "type": Literal[name]}
    made = cast("Any", TypedDict)(f"{name[0].upper()}{name[1:]}LineJson", fields)
    first, _, rest = kind.__doc__.partition(".")
    made.__doc__ = f"{first}, as a line of an export.{rest}"
    return made


EXPORT_LINES = (*(_line(name, kind) for name, kind, _ in _ROWS.values()), EndLineJson, ErrorLineJson)
"""What a line of an export may be."""
