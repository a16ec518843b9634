"""POST /feedback, GET /me:quality, GET /me:export, DELETE /me; GET /tenant:export, DELETE /tenant."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from pydantic import Field

from functions.http.bodies import Body, TenantBody, checked_body, parse_query
from functions.http.calls import Call, Reply, operation
from functions.http.errors import reported
from functions.http.questions import RequestId
from shared.account import export as exports
from shared.account.export import Exported, zipped
from shared.account.quality import QualityJson, quality
from shared.api.account import FeedbackJson, ReceiptJson, export_lines, receipt_json
from shared.api.values import shown
from shared.errors import PermissionDenied
from shared.model.account import Feedback, Rating
from shared.tracing import measure

CONFIRMATION = "erase everything"
MAX_COMMENT = 2000
"""Characters."""
ANSWER_ID = "the requestId of the answer that is meant: 1-128 letters, digits, . _ : or -"
RATING = "up, down, or null to take it back; left out, an earlier one stays"
MAX_QUALITY_DAYS = 365
DAYS = f"a whole number of days from 1 to {MAX_QUALITY_DAYS}"
COMMENT = f"text of at most {MAX_COMMENT} characters; left out, an earlier one stays"
FORMAT = "lines or markdown"
NDJSON, ZIP = "application/x-ndjson", "application/zip"
ZIP_NAME = 'attachment; filename="aurora-notes.zip"'

_logger = logging.getLogger(__name__)


class FeedbackBody(TenantBody):
    """The request of POST /feedback: a rating, a remark, or a click on a citation."""

    request_id: RequestId = Field(description=ANSWER_ID)
    message_id: str | None = Field(
        default=None,
        pattern=r"^[^/\x00-\x1f\x7f]{1,128}$",
        description="the message of a session that is meant: 1-128 characters",
    )
    rating: Literal["up", "down"] | None = Field(default=None, description=RATING)
    comment: str = Field(default="", max_length=MAX_COMMENT, description=COMMENT)
    citation: str | None = Field(default=None, pattern=r"^N[1-9][0-9]{0,2}$", description="a label like N1")


@operation(body=FeedbackBody, reply=FeedbackJson)
def submit_feedback(call: Call) -> Reply:
    """Rate an answer or one of its citations; said again of the same, it replaces what was said before.

    Whether there was such an answer is not asked: only those of sessions and of repeatable requests are kept.
    """
    body = checked_body(call, FeedbackBody)
    subject = json.dumps([body.request_id, body.message_id, body.citation])
    feedback = Feedback(
        feedback_id=hashlib.sha256(subject.encode()).hexdigest()[:32],  # a repeated request replaces the first
        request_id=body.request_id,
        created_at=call.app.clock(),
        message_id=body.message_id,
        citation=body.citation,
        rating=None if body.rating is None else Rating(body.rating),
        comment=body.comment,
    )
    unsaid = {"rating", "comment"} - body.model_fields_set
    if unsaid and (before := call.app.store.get_feedback(call.caller.person, feedback.feedback_id)):
        feedback = replace(feedback, **{name: getattr(before, name) for name in unsaid})
    call.app.store.put_feedback(call.caller.person, feedback)
    measure({"feedback": {"rating": feedback.rating, "click": feedback.citation is not None}})
    return Reply(shown(FeedbackJson, feedback))


class QualityQuery(Body):
    """The parameters of GET /me:quality."""

    days: int = Field(default=30, ge=1, le=MAX_QUALITY_DAYS, description=DAYS)


@operation(query=QualityQuery, reply=QualityJson)
def show_quality(call: Call) -> Reply:
    """Ratings, opened citations and follow-ups in the caller's sessions that changed in the last `days`."""
    since = call.app.clock() - timedelta(days=parse_query(call.query, QualityQuery).days)
    return Reply(quality(call.app.store, call.sessions, since))


class ExportQuery(Body):
    """The parameters of GET /me:export."""

    format: Literal["lines", "markdown"] = Field(default="lines", description=FORMAT)


@operation(query=ExportQuery, media_types=(NDJSON, ZIP), errors=(403,))
def export(call: Call) -> Reply:
    """Everything the caller owns, one JSON object a line; the last line is of type `end` and counts them. As
    `markdown` the notes alone, a zip of Markdown files, for who owns the tenant. What cannot be read as a note comes as
    it is kept.
    """
    return _export_reply(call, exports.export(call.app.store, call.sessions))


@operation(query=ExportQuery, media_types=(NDJSON, ZIP), errors=(403,))
def export_tenant(call: Call) -> Reply:
    """The tenant's notes, templates and usage, as GET /me:export gives a person's; for who owns the tenant."""
    return _export_reply(call, exports.export_tenant(_owned_tenant(call), call.app.store))


def _export_reply(call: Call, items: Iterator[Exported]) -> Reply:
    if parse_query(call.query, ExportQuery).format == "lines":
        return Reply(None, stream=_lines(items), media_type=NDJSON)
    pieces = _zip(zipped(exports.all_notes(_owned_tenant(call), call.app.store)))
    return Reply(None, stream=pieces, media_type=ZIP, headers={"Content-Disposition": ZIP_NAME})


def _owned_tenant(call: Call) -> str:
    """Raises PermissionDenied."""
    if not call.caller.owns_tenant:
        raise PermissionDenied("the notes belong to the whole tenant: the claim `role` must be `owner`")
    return call.caller.tenant_id


def _zip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Sent while it is read. An error half-way ends the connection, so that a part is not taken for the whole: the
    status went out long before, and a zip has no place for an error.
    """
    try:
        yield from pieces
    except Exception:  # `from None`: the server logs what it is raised, and a cause may quote a note
        _logger.exception("an export as a zip broke off")
        raise ConnectionAbortedError("an export as a zip broke off") from None


def _lines(items: Iterator[Exported]) -> Iterator[bytes]:
    """Sent while it is read. What fails half-way is the last line: the status went out long before."""
    try:
        for row in export_lines(items):
            yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except Exception as error:  # noqa: BLE001 - what breaks off a stream can only be said in it
        yield json.dumps({"type": "error", **reported(error)}).encode() + b"\n"


class EraseBody(TenantBody):
    """The request of DELETE /me and DELETE /tenant."""

    confirm: Literal["erase everything"] = Field(description=f"the words `{CONFIRMATION}`")


@operation(body=EraseBody, reply=ReceiptJson)
def erase(call: Call) -> Reply:
    """Erase everything the caller owns; what was erased, by kind. Broken off, the next call does the rest. What belongs
    to a tenant of several people stays.
    """
    checked_body(call, EraseBody, optional=True)
    return Reply(receipt_json(call.app.erasure.erase(call.caller.person)))


@operation(body=EraseBody, reply=ReceiptJson, errors=(403,))
def erase_tenant(call: Call) -> Reply:
    """Erase the tenant: its notes, and everything of all its people; for who owns the tenant."""
    checked_body(call, EraseBody, optional=True)
    return Reply(receipt_json(call.app.erasure.erase_tenant(_owned_tenant(call))))
