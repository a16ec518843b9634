"""Whether a request comes from one of the project's own apps, where APP_CHECK asks for that."""

from __future__ import annotations

import logging

from functions.http import log as _log
from functions.http.calls import current_app
from functions.http.errors import kind_of
from shared.errors import AppCheckInvalid, AppCheckMissing, Unavailable

APP_CHECK = "X-Firebase-AppCheck"
"""The header that holds the token."""

_logger = logging.getLogger(__name__)


def check_app(token: str | None) -> None:
    """Into the request's log line what became of it; where it is not enforced, a line of its own says what is wrong.

    Raises AppCheckMissing, AppCheckInvalid; Unavailable while tokens cannot be verified.
    """
    app = current_app()
    if app.attester is None:
        return
    try:
        app.attester.verify(token)
    except (AppCheckMissing, AppCheckInvalid, Unavailable) as error:
        _log.measure({"appCheck": kind_of(error).reason})
        if app.settings.app_check == "enforce":
            raise
        _logger.warning("let in although App Check would not: %s", error.message)
    else:
        _log.measure({"appCheck": "VALID"})
