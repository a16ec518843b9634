"""The process's client of Firestore, and the one table from Google's errors to those of shared.errors."""

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
    "too big|too large|exceeds the (limit|maximum)|larger than max",
    re.IGNORECASE,
)
"""Wordings of the server, the emulator and gRPC; the status is INVALID_ARGUMENT or RESOURCE_EXHAUSTED."""

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
    """Returns host and port of the emulator that stands in for Firestore; empty without one."""
    return os.environ.get("FIRESTORE_EMULATOR_HOST", "")


def client() -> Any:  # noqa: ANN401
    """Returns the process's one client, made on first use, of Firestore or the emulator at FIRESTORE_EMULATOR_HOST.

    It is never made at import: functions-framework imports before it forks, and gRPC does not survive a fork.
    """
    with _making:  # two first callers must not open two channels
        return _client(emulator())


@cache
def pool() -> Executor:
    """Returns threads for parallel requests of one call. They wait on the network and never on each other."""
    return RequestThreads(16, thread_name_prefix="firestore")


class CommitTooBig(StoreRefused):
    """A commit that must be split."""


@cache
def error_table() -> Mapping[type[Exception], type[AuroraError]]:
    """Returns Google's error class -> the class in shared.errors, for its subclasses too.

    Called only after something was raised: the SDK is loaded by then.
    """
    from google.api_core import exceptions as core  # noqa: PLC0415
    from google.auth import exceptions as auth  # noqa: PLC0415

    return {
        # Try later.
        core.GoogleAPIError: StoreUnavailable,
        core.Aborted: StoreUnavailable,
        core.Cancelled: StoreUnavailable,
        core.TooManyRequests: StoreUnavailable,
        auth.GoogleAuthError: StoreUnavailable,
        # Another writer was first, or the document to change is gone.
        core.Conflict: Conflict,
        core.NotFound: Conflict,
        # The deployment must be repaired: an index, a database or a permission is missing, or a request is wrong.
        core.ClientError: StoreRefused,
        core.Redirection: StoreRefused,
        core.MethodNotImplemented: StoreRefused,
        core.DuplicateCredentialArgs: StoreRefused,
        core.AsyncRestUnsupportedParameterError: StoreRefused,
        auth.DefaultCredentialsError: StoreRefused,
    }


def store_error(error: Exception) -> AuroraError:
    """Returns the table's error for the class of `error` or its nearest parent.

    The message names the class alone: the server's own message may quote a document.
    """
    table = error_table()
    listed = next(parent for parent in type(error).__mro__ if parent in table)
    return table[listed](f"Firestore: {type(error).__name__}")


def is_too_big(error: Exception) -> bool:
    """Reports whether the request was refused for its size, so that repeating it is useless."""
    from google.api_core.exceptions import InvalidArgument, ResourceExhausted  # noqa: PLC0415

    if not isinstance(error, (InvalidArgument, ResourceExhausted)):
        return False
    return _TOO_BIG.search(str(error)) is not None


@contextmanager
def translate_errors(*, guarded: bool = False) -> Iterator[None]:
    """Raises the error of shared.errors, chained, for every error in the table.

    guarded: True for commits: a failed precondition raises Conflict (for a query that status means a missing index),
        and a commit that is too big CommitTooBig.
    """
    from google.api_core.exceptions import FailedPrecondition  # noqa: PLC0415

    try:
        yield
    except tuple(error_table()) as error:
        if guarded and is_too_big(error):
            raise CommitTooBig("Firestore: the commit is too big") from error
        if guarded and isinstance(error, FailedPrecondition):
            raise Conflict("Firestore: the document moved") from error
        raise store_error(error) from error
