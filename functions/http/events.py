"""CloudEvents of Firestore: the document that an event names, and the answer to the event.

Only the document's path is taken from an event: the handler reads the document as it is now.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import flask
from cloudevents.http import CloudEvent

from functions.http.calls import current_app
from shared import errors
from shared.tracing import RequestRecord

_logger = logging.getLogger(__name__)

GIVE_UP_AFTER = timedelta(hours=1)
"""Eventarc sends an event again for 24 hours, each time a billed call; reconcile looks at unfinished notes every five
minutes and waits longer after each failure.
"""

_LEFT_TO_SWEEP: Mapping[type[errors.AuroraError], str] = {
    errors.EmbeddingQuotaExceeded: (
        "today's embedding budget is used up; what is missing is embedded tomorrow"
    ),
    errors.IndexQuotaExceeded: (
        "today's writes of the index are used up; the sweep takes the note up tomorrow"
    ),
    errors.ModelMisconfigured: "the sweep embeds what is missing once the model is mended",
}
"""Errors that another delivery would not mend, and what happens instead."""

_DOCUMENT = re.compile(r"tenants/([^/]+)/([^/]+)/([^/]+)", re.DOTALL)


@contextmanager
def handling(
    event: CloudEvent,
    give_up: Callable[[str], object] | None = None,
    **names: str,
) -> Iterator[None]:
    """Turns errors of the work on a document into an answer to the event; `names` identify the document in the log.

    - An error that may pass with time (an outage, another worker at the same note) is answered with 503, so that the
      event comes again.
    - An error that will not pass is acknowledged and logged.
    - A bug is answered with 500 and comes again too. Its text may quote a note, so it stays inside.
    - An event older than GIVE_UP_AFTER is acknowledged: `give_up` records the reason, and reconcile goes on with it.
    """
    event_id = str(event.get_attributes().get("id"))
    record = RequestRecord({"eventId": event_id, **names})
    with record.active():
        try:
            yield
        except (
            errors.ModelRefused,
            errors.PortContractError,
            errors.InvalidArgument,
            errors.NotOwner,
            errors.StoreRefused,
        ):
            _logger.exception("acknowledged: it would end the same again")
        except errors.NoteSuspect as error:
            _logger.warning("acknowledged: %s", error.message)
        except tuple(_LEFT_TO_SWEEP) as error:
            _logger.info("acknowledged: %s", _LEFT_TO_SWEEP[type(error)])
        except errors.Unavailable as error:
            if not _is_old(event):
                _logger.warning("to be sent again, %s: %s", type(error).__name__, error.message)
                flask.abort(503, description=type(error).__name__)
            if not isinstance(error, errors.StoreUnavailable):
                give_up = None
            _give_up(error.message, give_up)
        except Exception as error:
            _logger.exception("unexpected error")
            if not _is_old(event):
                flask.abort(500)
            _give_up(f"unexpected error: {type(error).__name__}", give_up)
        finally:
            _count_cost(record)


def _count_cost(record: RequestRecord) -> None:
    """Counts and logs what the work on an event has cost."""
    budget = current_app().project_budget
    if budget is not None:
        budget.add_reads(record.documents)
    if record.indexing_usd:
        _logger.info("spent", extra={"fields": {"usd": round(record.indexing_usd, 9)}})


def _is_old(event: CloudEvent) -> bool:
    """Reports whether the event has been redelivered for longer than GIVE_UP_AFTER. An event without a time is not old."""
    time = event.get_attributes().get("time")
    try:
        sent_at = datetime.fromisoformat(str(time))
    except ValueError:
        return False
    if sent_at.tzinfo is None:
        return False
    return datetime.now(UTC) - sent_at > GIVE_UP_AFTER


def _give_up(reason: str, give_up: Callable[[str], object] | None) -> None:
    """Acknowledges the event, also if the record cannot be written: reconcile finds what the index lacks."""
    _logger.error("acknowledged after %s of trying: %s", GIVE_UP_AFTER, reason)
    try:
        if give_up is not None:
            give_up(reason)
    except errors.AuroraError as problem:
        _logger.warning(
            "the record of it could not be written, %s: %s",
            type(problem).__name__,
            problem.message,
        )


def written_documents(event: CloudEvent, collection: str) -> list[tuple[str, str]]:
    """Returns tenant and id of the written document; nothing for another collection or another database.

    The path is in the attribute `document`, else after `documents/` in `subject`. As an HTTP header it may be
    percent-encoded (CloudEvents HTTP binding, 3.1.3.2) or not (the emulator sends an id `50%25` as it is), and nothing
    says which: where they differ both readings are returned, and following a document that is not there does nothing.
    """
    attributes = event.get_attributes()
    database = _database_of(attributes)
    our_database = current_app().settings.firestore_database
    names = []
    if database in ("", our_database):
        for path in _readings(_path_of(attributes)):
            document = _DOCUMENT.fullmatch(path)
            if document is not None and document[2] == collection:
                tenant_id = document[1]
                document_id = document[3]
                names.append((tenant_id, document_id))

    if not names:
        _logger.warning("acknowledged an event that names no document of %s", collection)
    return names


def _database_of(attributes: Mapping[str, Any]) -> str:
    """Returns the database's name; empty if the event has none."""
    database = attributes.get("database")
    if database:
        return str(database)

    source = unquote(str(attributes.get("source")))
    _, _, name = source.partition("/databases/")
    return name


def _path_of(attributes: Mapping[str, Any]) -> str:
    """Returns the document's path as it was sent."""
    document = attributes.get("document")
    if document:
        return str(document)

    subject = str(attributes.get("subject", ""))
    return subject.removeprefix("documents/")


def _readings(path: str) -> Iterable[str]:
    """Returns the path read as plain text and as percent-encoded text, once if they are equal."""
    try:
        as_utf8 = path.encode("latin-1").decode("utf-8")  # WSGI hands header bytes over as Latin-1
    except UnicodeError:
        as_utf8 = path
    return dict.fromkeys((as_utf8, unquote(path)))
