"""The one table from Google's errors to ours, always chained."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from shared.errors import AuroraError, Conflict, StoreRefused, StoreUnavailable

_TOO_BIG = re.compile("too big|too large|exceeds the (limit|maximum)|larger than max", re.IGNORECASE)
"""How servers, the emulator's and gRPC itself say it; the status is INVALID_ARGUMENT or RESOURCE_EXHAUSTED."""


class CommitTooBig(StoreRefused):
    """A commit that must go in smaller ones."""


@cache
def table() -> Mapping[type[Exception], type[AuroraError]]:
    """Error class -> ours, also of its subclasses. Loaded only when something was raised: the SDK is loaded by then."""
    from google.api_core import exceptions as core  # noqa: PLC0415
    from google.auth import exceptions as auth  # noqa: PLC0415

    return {
        # Try later.
        core.GoogleAPIError: StoreUnavailable,
        core.Aborted: StoreUnavailable,
        core.Cancelled: StoreUnavailable,
        core.TooManyRequests: StoreUnavailable,
        auth.GoogleAuthError: StoreUnavailable,
        # Somebody else was first, or what was to be changed is gone.
        core.Conflict: Conflict,
        core.NotFound: Conflict,
        # The deployment must be mended: an index, a database or a right is missing, or a request of ours is wrong.
        core.ClientError: StoreRefused,
        core.Redirection: StoreRefused,
        core.MethodNotImplemented: StoreRefused,
        core.DuplicateCredentialArgs: StoreRefused,
        core.AsyncRestUnsupportedParameterError: StoreRefused,
        auth.DefaultCredentialsError: StoreRefused,
    }


def ours(error: Exception) -> AuroraError:
    """The table's error for the class of `error` or its nearest parent.

    It names the class alone: what the server wrote may quote a document. The original stays chained.
    """
    known = table()
    kind = next(known[each] for each in type(error).__mro__ if each in known)
    return kind(f"Firestore: {type(error).__name__}")


def is_too_big(error: Exception) -> bool:
    """Whether the request was refused for its size, so that it never succeeds as it is."""
    from google.api_core.exceptions import InvalidArgument, ResourceExhausted  # noqa: PLC0415

    return isinstance(error, (InvalidArgument, ResourceExhausted)) and bool(_TOO_BIG.search(str(error)))


@contextmanager
def translated(*, guarded: bool = False) -> Iterator[None]:
    """Raises ours for every error in the table. `guarded`: a commit. It has preconditions, so a failed one is Conflict
    (for a query the same status means that an index is missing), and it may be CommitTooBig.
    """
    from google.api_core.exceptions import FailedPrecondition  # noqa: PLC0415

    try:
        yield
    except tuple(table()) as error:
        if guarded and is_too_big(error):
            raise CommitTooBig("Firestore: the commit is too big") from error
        if guarded and isinstance(error, FailedPrecondition):
            raise Conflict("Firestore: the document moved") from error
        raise ours(error) from error
