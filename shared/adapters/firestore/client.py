"""The process's one client of Firestore, and the one table from Google's errors to ours, always chained."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import cache
from typing import Any

from shared.errors import AuroraError, Conflict, StoreRefused, StoreUnavailable
from shared.tracing import RequestThreads

_TOO_BIG = re.compile(
    "too big|too large|exceeds the (limit|maximum)|larger than max", re.IGNORECASE
)
"""How servers, the emulator's and gRPC itself say it; the status is INVALID_ARGUMENT or RESOURCE_EXHAUSTED."""


# A broken connection is tried again every second, not every two minutes; idle ones stay open between questions.
_CHANNEL_OPTIONS = (
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)

_making = threading.Lock()


@cache
def _client(host: str) -> Any:  # noqa: ANN401 - the generated client, loaded on first use
    import grpc  # type: ignore[import-untyped]  # noqa: PLC0415
    from google.cloud.firestore_v1.services.firestore import FirestoreClient  # noqa: PLC0415
    from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport  # noqa: PLC0415

    if host:
        channel = grpc.insecure_channel(host, options=_CHANNEL_OPTIONS)
    else:
        channel = FirestoreGrpcTransport.create_channel(options=_CHANNEL_OPTIONS)
    return FirestoreClient(transport=FirestoreGrpcTransport(channel=channel))


def emulator() -> str:
    """Host and port of the emulator that takes Firestore's place; empty: none does."""
    return os.environ.get("FIRESTORE_EMULATOR_HOST", "")


def client() -> Any:  # noqa: ANN401
    """The process's one client, made on first use; of production, or of the emulator at FIRESTORE_EMULATOR_HOST.

    Never made at import: functions-framework imports before it forks, and gRPC does not survive a fork.
    """
    with _making:  # two first callers must not open two channels
        return _client(emulator())


@cache
def pool() -> Executor:
    """Threads for requests that one call makes side by side. They wait on the network and never on each other."""
    return RequestThreads(16, thread_name_prefix="firestore")


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

    return isinstance(error, (InvalidArgument, ResourceExhausted)) and bool(
        _TOO_BIG.search(str(error))
    )


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
