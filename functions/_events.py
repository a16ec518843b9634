"""CloudEvents of Firestore: which document they name, and how an event ends.

Nothing but the document's path is needed of an event: the handler reads what is there now.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote

import flask
from cloudevents.http import CloudEvent

from functions import _log
from shared.errors import BrokenPromise, EmbeddingsSpent, InvalidArgument, ModelRefused, Unavailable

if TYPE_CHECKING:
    from shared.domain import NoteKey, TemplateKey

_logger = logging.getLogger(__name__)

_DOCUMENT = re.compile(r"tenants/([^/]+)/([^/]+)/([^/]+)", re.DOTALL)


def note_keys(event: CloudEvent) -> tuple[NoteKey, ...]:
    """The note that was written; none if the event is of anything else."""
    from shared.domain import NoteKey  # noqa: PLC0415 - main.py loads every function; this costs a cold start 20 ms

    return tuple(NoteKey(*names) for names in _written(event, "notes"))


def template_keys(event: CloudEvent) -> tuple[TemplateKey, ...]:
    """The template that was written; none if the event is of anything else."""
    from shared.domain import TemplateKey  # noqa: PLC0415 - as above

    return tuple(TemplateKey(*names) for names in _written(event, "templates"))


@contextmanager
def handling(event: CloudEvent, **names: str) -> Iterator[None]:
    """Around the work on the document that `names` identify in the log.

    What may pass with time (an outage, another worker at the same note) answers 503, so that the event comes again;
    what will not is acknowledged and logged. A bug is 500 and comes again too; its text, which may quote a note, stays
    inside.
    """
    with _log.context({"eventId": str(event.get_attributes().get("id")), **names}):
        try:
            yield
        except (ModelRefused, BrokenPromise, InvalidArgument):
            _logger.exception("acknowledged: it would end the same again")
        except EmbeddingsSpent:
            _logger.info("acknowledged: today's embedding budget is used up; what is missing is embedded tomorrow")
        except Unavailable as error:
            _logger.warning("to be sent again, %s: %s", type(error).__name__, error.message)
            flask.abort(503, description=type(error).__name__)
        except Exception:
            _logger.exception("unexpected error")
            flask.abort(500)


def _written(event: CloudEvent, collection: str) -> list[tuple[str, str]]:
    """Tenant and id of the document.

    The path stands in the attribute `document`, else after `documents/` in `subject`. As an HTTP header it may be
    percent-encoded (CloudEvents HTTP binding, 3.1.3.2) or not (the emulator sends an id `50%25` as it is), and nothing
    says which: where they differ both readings are given, and following a document that is not there does nothing.
    """
    attributes = event.get_attributes()
    path = str(attributes.get("document") or str(attributes.get("subject", "")).removeprefix("documents/"))
    readings = dict.fromkeys((_as_utf8(path), unquote(path)))
    found = [match for reading in readings if (match := _DOCUMENT.fullmatch(reading))]
    return [(match[1], match[3]) for match in found if match[2] == collection]


def _as_utf8(header: str) -> str:
    """WSGI hands header bytes over as Latin-1."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header
