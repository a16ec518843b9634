"""POST /feedback, GET /me:quality, GET /me:export, DELETE /me; GET /tenant:export, DELETE /tenant."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from pydantic import Field

from functions.http.bodies import (
    Body,
    RequestId,
    TenantBody,
    checked_body,
    parse_query,
    with_example,
)
from functions.http.calls import Call, Reply, operation
from functions.http.errors import reported
from shared.account import export as exports
from shared.account.export import Exported, zipped
from shared.account.quality import QualityJson, quality
from shared.api.account import FeedbackJson, ReceiptJson, export_lines, feedback_json, receipt_json
from shared.errors import PermissionDenied
from shared.model.account import Feedback, Rating
from shared.model.documents import FEEDBACK
from shared.tracing import measure

CONFIRMATION = "erase everything"
MAX_COMMENT = 2000
"""Characters."""
ANSWER_ID = "the requestId of the answer: 1-128 letters, digits, . _ : or -"
RATING = "up, down, or null to take it back; left out, an earlier one stays"
MAX_QUALITY_DAYS = 365
DAYS = f"a whole number of days from 1 to {MAX_QUALITY_DAYS}"
COMMENT = f"text of at most {MAX_COMMENT} characters; left out, an earlier one stays"
FORMAT = "lines or markdown"
NDJSON = "application/x-ndjson"
ZIP = "application/zip"
ZIP_NAME = 'attachment; filename="aurora-notes.zip"'

_logger = logging.getLogger(__name__)


class FeedbackBody(TenantBody):
    """The request of POST /feedback: a rating, a remark, or a click on a citation."""

    model_config = with_example(
        requestId="3f0e9c1a",
        rating="up",
        citation="N1",
    )

    request_id: RequestId = Field(description=ANSWER_ID)
    message_id: str | None = Field(
        default=None,
        pattern=r"^[^/\x00-\x1f\x7f]{1,128}$",
        description="the id of a session's message: 1-128 characters",
    )
    rating: Literal["up", "down"] | None = Field(default=None, description=RATING)
    comment: str = Field(default="", max_length=MAX_COMMENT, description=COMMENT)
    citation: str | None = Field(
        default=None,
        pattern=r"^N[1-9][0-9]{0,2}$",
        description="a label like N1",
    )


@operation(body=FeedbackBody, reply=FeedbackJson)
def submit_feedback(call: Call) -> Reply:
    """Rate an answer or one of its citations. A second rating of it replaces the first.

    Any `requestId` is accepted: only answers of sessions and of repeatable requests are stored.
    """
    body = checked_body(call, FeedbackBody)
    rating = None
    if body.rating is not None:
        rating = Rating(body.rating)

    feedback = Feedback(
        feedback_id=_feedback_id(body),
        request_id=body.request_id,
        created_at=call.app.clock(),
        message_id=body.message_id,
        citation=body.citation,
        rating=rating,
        comment=body.comment,
    )
    feedback = _with_stored_fields(call, feedback, body.model_fields_set)
    call.app.store.put(call.caller.person, FEEDBACK, feedback)

    is_click = feedback.citation is not None
    measure({"feedback": {"rating": feedback.rating, "click": is_click}})
    return Reply(feedback_json(feedback))


def _feedback_id(body: FeedbackBody) -> str:
    """Returns one id for what is rated, so that a second rating of it replaces the first."""
    subject = [body.request_id, body.message_id, body.citation]
    content = json.dumps(subject).encode()
    digest = hashlib.sha256(content).hexdigest()
    return digest[:32]


def _with_stored_fields(call: Call, feedback: Feedback, sent: Collection[str]) -> Feedback:
    """Takes over the stored rating and comment where the request sent none."""
    if "rating" in sent and "comment" in sent:
        return feedback

    stored = call.app.store.get(call.caller.person, FEEDBACK, feedback.feedback_id).value
    if stored is None:
        return feedback

    if "rating" not in sent:
        feedback = replace(feedback, rating=stored.rating)
    if "comment" not in sent:
        feedback = replace(feedback, comment=stored.comment)
    return feedback


class QualityQuery(Body):
    """The parameters of GET /me:quality."""

    days: int = Field(default=30, ge=1, le=MAX_QUALITY_DAYS, description=DAYS)


@operation(query=QualityQuery, reply=QualityJson)
def show_quality(call: Call) -> Reply:
    """Ratings, opened citations and follow-ups in the caller's sessions that changed in the last `days`."""
    query = parse_query(call.query, QualityQuery)
    app = call.app
    window = timedelta(days=query.days)
    since = app.clock() - window
    rates = quality(app.store, call.sessions, since)
    return Reply(rates)


class ExportQuery(Body):
    """The parameters of GET /me:export."""

    format: Literal["lines", "markdown"] = Field(default="lines", description=FORMAT)


@operation(query=ExportQuery, media_types=(NDJSON, ZIP), errors=(403,))
def export(call: Call) -> Reply:
    """Everything the caller owns, one JSON object a line; the last line is of type `end` and counts them. As
    `markdown` the notes alone, a zip of Markdown files, for an owner of the tenant. What cannot be read as a note is
    exported as it is stored.
    """
    items = exports.export(call.app.store, call.sessions)
    return _export_reply(call, items)


@operation(query=ExportQuery, media_types=(NDJSON, ZIP), errors=(403,))
def export_tenant(call: Call) -> Reply:
    """The tenant's notes, templates and usage, in the form of GET /me:export; for an owner of the tenant."""
    tenant_id = _owned_tenant(call)
    items = exports.export_tenant(tenant_id, call.app.store)
    return _export_reply(call, items)


def _export_reply(call: Call, items: Iterator[Exported]) -> Reply:
    query = parse_query(call.query, ExportQuery)
    if query.format == "lines":
        return Reply(None, stream=_lines(items), media_type=NDJSON)

    tenant_id = _owned_tenant(call)
    notes = exports.all_notes(tenant_id, call.app.store)
    pieces = zipped(notes)
    return Reply(
        None,
        stream=_zip(pieces),
        media_type=ZIP,
        headers={"Content-Disposition": ZIP_NAME},
    )


def _owned_tenant(call: Call) -> str:
    """Returns the tenant of a caller who owns it. Raises PermissionDenied."""
    if not call.caller.owns_tenant:
        raise PermissionDenied(
            "the notes belong to the whole tenant: the claim `role` must be `owner`",
        )
    return call.tenant_id


def _zip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the pieces while they are read. An error half-way ends the connection.

    The status went out long before, and a zip has no place for an error: without the end a part could be taken for all.
    """
    try:
        yield from pieces
    except Exception:
        _logger.exception("an export as a zip broke off")
        # `from None`: the server logs the error it gets, and a cause may quote a note.
        raise ConnectionAbortedError("an export as a zip broke off") from None


def _lines(items: Iterator[Exported]) -> Iterator[bytes]:
    """Yields the lines while the items are read. An error half-way is the last line: the status went out long before."""
    try:
        for row in export_lines(items):
            line = json.dumps(row, ensure_ascii=False)
            yield line.encode() + b"\n"
    except Exception as error:  # noqa: BLE001 - what breaks off a stream can only be said in it
        line = json.dumps({"type": "error", **reported(error)})
        yield line.encode() + b"\n"


class EraseBody(TenantBody):
    """The request of DELETE /me and DELETE /tenant."""

    model_config = with_example(
        confirm="erase everything",
    )

    confirm: Literal["erase everything"] = Field(description=f"the words `{CONFIRMATION}`")


@operation(body=EraseBody, reply=ReceiptJson)
def erase(call: Call) -> Reply:
    """Erase everything the caller owns, and count what was erased by kind. If it is interrupted, the next call does the
    rest. The data of a tenant of several people stays.
    """
    checked_body(call, EraseBody, optional=True)
    receipt = call.app.erasure.erase(call.caller.person)
    return Reply(receipt_json(receipt))


@operation(body=EraseBody, reply=ReceiptJson, errors=(403,))
def erase_tenant(call: Call) -> Reply:
    """Erase the tenant: its notes, and everything of all its people; for an owner of the tenant."""
    checked_body(call, EraseBody, optional=True)
    tenant_id = _owned_tenant(call)
    receipt = call.app.erasure.erase_tenant(tenant_id)
    return Reply(receipt_json(receipt))
