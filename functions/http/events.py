"""CloudEvents of Firestore: which document they name, and how an event ends.

Nothing but the document's path is needed of an event: the handler reads what is there now.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
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

_DOCUMENT = re.compile(r"tenants/([^/]+)/([^/]+)/([^/]+)", re.DOTALL)


@contextmanager
def handling(event: CloudEvent, give_up: Callable[[str], object] | None = None, **names: str) -> Iterator[None]:
    """Around the work on the document that `names` identify in the log.

    What may pass with time (an outage, another worker at the same note) answers 503, so that the event comes again;
    what will not is acknowledged and logged. A bug is 500 and comes again too; its text, which may quote a note, stays
    inside. Redelivery has an end: for an event older than GIVE_UP_AFTER, `give_up` records the reason, and reconcile
    goes on with it.
    """
    record = RequestRecord({"eventId": str(event.get_attributes().get("id")), **names})
    with record.active():
        try:
            yield
        except (errors.ModelRefused, errors.PortContractError, errors.InvalidArgument, errors.StoreRefused):
            _logger.exception("acknowledged: it would end the same again")
        except errors.EmbeddingQuotaExceeded:
            _logger.info("acknowledged: today's embedding budget is used up; what is missing is embedded tomorrow")
        except errors.Unavailable as error:
            if _is_old(event):
                _end(error.message, give_up if isinstance(error, errors.StoreUnavailable) else None)
            else:
                _logger.warning("to be sent again, %s: %s", type(error).__name__, error.message)
                flask.abort(503, description=type(error).__name__)
        except Exception as error:
            _logger.exception("unexpected error")
            if not _is_old(event):
                flask.abort(500)
            _end(f"unexpected error: {type(error).__name__}", give_up)
        finally:
            if record.embedding_usd:
                _logger.info("embedded", extra={"fields": {"usd": round(record.embedding_usd, 9)}})


def _is_old(event: CloudEvent) -> bool:
    """Whether the event has been redelivered for longer than GIVE_UP_AFTER. An event without a time is not old."""
    try:
        at = datetime.fromisoformat(str(event.get_attributes().get("time")))
    except ValueError:
        return False
    return at.tzinfo is not None and datetime.now(UTC) - at > GIVE_UP_AFTER


def _end(reason: str, give_up: Callable[[str], object] | None) -> None:
    """Acknowledges the event, also if the record cannot be written: reconcile finds what the index lacks."""
    _logger.error("acknowledged after %s of trying: %s", GIVE_UP_AFTER, reason)
    try:
        if give_up is not None:
            give_up(reason)
    except errors.AuroraError as problem:
        _logger.warning("the record of it could not be written, %s: %s", type(problem).__name__, problem.message)


def written(event: CloudEvent, collection: str) -> list[tuple[str, str]]:
    """Tenant and id of the written document; empty for another collection, or another database than the product's.

    The path is in the attribute `document`, else after `documents/` in `subject`. As an HTTP header it may be
    percent-encoded (CloudEvents HTTP binding, 3.1.3.2) or not (the emulator sends an id `50%25` as it is), and nothing
    says which: where they differ both readings are given, and following a document that is not there does nothing.
    """
    attributes = event.get_attributes()
    named = str(attributes.get("database") or unquote(str(attributes.get("source"))).partition("/databases/")[2])
    path = str(attributes.get("document") or str(attributes.get("subject", "")).removeprefix("documents/"))
    try:
        as_utf8 = path.encode("latin-1").decode("utf-8")  # WSGI hands header bytes over as Latin-1
    except UnicodeError:
        as_utf8 = path
    readings = dict.fromkeys((as_utf8, unquote(path)))
    found = [match for reading in readings if (match := _DOCUMENT.fullmatch(reading))]
    is_ours = named in ("", current_app().settings.firestore_database)
    names = [(match[1], match[3]) for match in found if is_ours and match[2] == collection]
    if not names:
        _logger.warning("acknowledged an event that names no document of %s", collection)
    return names
