"""What else a person owns: `feedback/{id}` and `requests/{requestId}`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.documents import Fields
from shared.adapters.firestore.requests.connection import Connection
from shared.adapters.firestore.requests.protocol import protocol, put, timestamp
from shared.adapters.firestore.requests.queries import KEY, Order, Query, Reference
from shared.errors import TooLarge
from shared.model.account import AnsweredRequest, Feedback, Person, Rating, StoredRequest
from shared.ports.pages import Page, make_token, read_token

MAX_ANSWER = 900_000
"""Bytes of a kept reply: Firestore's documents end at 1 MiB."""


class Account:
    """`shared.ports.tenants.FeedbackStore` and `RequestStore` on Firestore."""

    _connection: Connection

    # -- feedback

    def put_feedback(self, person: Person, feedback: Feedback) -> None:
        fields = {
            "requestId": feedback.request_id,
            "messageId": feedback.message_id,
            "createdAt": feedback.created_at,
            "rating": feedback.rating,
            "comment": feedback.comment,
            "citation": feedback.citation,
        }
        name = self._connection.own(person, "feedback", feedback.feedback_id)
        self._connection.commit([put(name, fields)])

    def get_feedback(self, person: Person, feedback_id: str) -> Feedback | None:
        document = self._connection.read(self._connection.own(person, "feedback", feedback_id))
        return None if document is None else _feedback(document)

    def list_feedback(self, person: Person, *, limit: int, token: str | None = None) -> Page[Feedback]:
        last = None if token is None else read_token(token, "feedback")[0]
        place = () if last is None else (Reference(self._connection.own(person, "feedback", last)),)
        query = Query(collection="feedback", order=(Order(KEY),), after=place, limit=limit + 1)
        documents = self._connection.query(self._connection.person(person), query)
        items = tuple(map(_feedback, documents[:limit]))
        return Page(items, make_token("feedback", items[-1].feedback_id) if len(documents) > limit else None)

    # -- requests

    def read_request(self, person: Person, request_id: str) -> StoredRequest:
        document = self._connection.read(self._connection.own(person, "requests", request_id))
        if document is None:
            return StoredRequest(None, None)
        return StoredRequest(_request(document), _token(document.update_time))

    def write_request(
        self,
        person: Person,
        request_id: str,
        record: AnsweredRequest | None,
        *,
        expected: str | None,
        now: datetime,  # noqa: ARG002 - a time-to-live policy on `expiresAt` drops what has expired
    ) -> str | None:
        name = self._connection.own(person, "requests", request_id)
        write = protocol().Write(delete=name) if record is None else put(name, _request_fields(record))
        if expected is None:
            write.current_document.exists = False
        else:
            stamp = write.current_document.update_time
            stamp.seconds, stamp.nanos = map(int, expected.split("."))
        reply = self._connection.commit([write])
        return None if record is None else _token(reply.write_results[0].update_time)


def _token(stamp: Any) -> str:  # noqa: ANN401
    return f"{stamp.seconds}.{stamp.nanos}"


def _feedback(document: Any) -> Feedback:  # noqa: ANN401
    fields = Fields(document.fields)
    rating = fields.text("rating", "")
    return Feedback(
        feedback_id=names.last(document.name),
        request_id=fields.text("requestId", ""),
        created_at=fields.time("createdAt", timestamp(document.create_time)),
        message_id=fields.text("messageId", "") or None,
        rating=Rating(rating) if rating else None,
        comment=fields.text("comment", ""),
        citation=fields.text("citation", "") or None,
    )


def _request_fields(record: AnsweredRequest) -> Mapping[str, object]:
    if record.answer is not None and len(record.answer.encode()) > MAX_ANSWER:
        raise TooLarge(f"answer: at most {MAX_ANSWER} bytes can be kept")
    return {
        "fingerprint": record.fingerprint,
        "expiresAt": record.expires_at,
        "leaseUntil": record.lease_until,
        "answer": record.answer,
        "noteIds": tuple(record.notes),
        "noteRevisions": tuple(record.notes.values()),
    }


def _request(document: Any) -> AnsweredRequest:  # noqa: ANN401
    fields = document.fields
    leased = fields["leaseUntil"].HasField("timestamp_value")
    answered = fields["answer"].HasField("string_value")
    return AnsweredRequest(
        fingerprint=fields["fingerprint"].string_value,
        expires_at=timestamp(fields["expiresAt"].timestamp_value),
        lease_until=timestamp(fields["leaseUntil"].timestamp_value) if leased else None,
        answer=fields["answer"].string_value if answered else None,
        notes=dict(zip(_texts(fields["noteIds"]), _texts(fields["noteRevisions"]), strict=True)),
    )


def _texts(field: Any) -> list[str]:  # noqa: ANN401
    return [each.string_value for each in field.array_value.values]
