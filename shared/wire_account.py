"""Feedback, exports and receipts -> the JSON objects clients read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from shared.account.export import Exported, SessionMessage
from shared.model.account import DayUsage, Feedback, Receipt
from shared.model.notes import Note
from shared.model.sessions import Session
from shared.wire import instant, note_json, template_json
from shared.wire_sessions import message_json, session_json
from shared.wire_types import (
    EndLineJson,
    ErrorLineJson,
    FeedbackJson,
    FeedbackLineJson,
    MessageLineJson,
    NoteLineJson,
    ReceiptJson,
    SessionLineJson,
    TemplateLineJson,
    UsageLineJson,
)


def feedback_json(feedback: Feedback) -> FeedbackJson:
    """As `/feedback` and exports give it."""
    return {
        "feedbackId": feedback.feedback_id,
        "requestId": feedback.request_id,
        "messageId": feedback.message_id,
        "rating": None if feedback.rating is None else feedback.rating.value,
        "comment": feedback.comment,
        "citation": feedback.citation,
        "createdAt": instant(feedback.created_at),
    }


def receipt_json(receipt: Receipt) -> ReceiptJson:
    """The body of DELETE /me."""
    return {"erased": dict(sorted(receipt.erased.items()))}


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
    if isinstance(item, Note):
        return {"type": "note", **note_json(item)}
    if isinstance(item, Session):
        return {"type": "session", **session_json(item)}
    if isinstance(item, SessionMessage):
        return {"type": "message", "sessionId": item.session_id, **message_json(item.message)}
    if isinstance(item, Feedback):
        return {"type": "feedback", **feedback_json(item)}
    if isinstance(item, DayUsage):
        day = item.day.isoformat()
        return {"type": "usage", "day": day, "answers": item.answers, "embeddedTokens": item.embedded_tokens}
    return {"type": "template", **template_json(item)}
