"""What models behind an SDK have in common: attempts within a deadline, the SDK's errors as ours, replies checked."""

from __future__ import annotations

import itertools
import math
import socket
import time
import weakref
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from shared.adapters.retry import Clock, retry_until, retry_within
from shared.adapters.sdk_errors import translated
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.model.answers import Delta, Draft, Prompt, Usage
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration
from shared.ports.cancel import Cancel, Cancelled, current

if TYPE_CHECKING:
    from httpx2 import Response

    from shared.adapters.sdk_errors import Table

DOCUMENTS_SECONDS, QUERY_SECONDS = 45.0, 5.0
"""What embedding a batch of documents, or a query, may take with all its attempts: a question rather does without."""
BATCH_SECONDS = 20.0
"""What one attempt may take. A batch takes about a second: a call that hangs this long is better made again."""


class _Client(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=_Client)


@dataclass(kw_only=True, eq=False, repr=False)
class Remote(ABC, Generic[C]):
    """A model behind an SDK, whose client is made on first use, once."""

    model: str
    clock: Clock = time

    def __post_init__(self) -> None:
        self._client: C | None = None
        self._connecting = Lock()

    def client(self) -> C:
        with self._connecting:
            if self._client is None:
                self._client = self._connected()
                # Garbage collection would take its sockets before it could close them.
                weakref.finalize(self, self._client.close)
            return self._client

    @abstractmethod
    def _connected(self) -> C:
        """A client of the SDK, which this call may load."""

    @staticmethod
    @abstractmethod
    def _errors() -> Table:
        """The SDK's errors as ours."""


@dataclass(kw_only=True, eq=False, repr=False)
class RemoteEmbedder(Remote[C]):
    """`shared.ports.models.Embedder` over the requests of one SDK."""

    dimension: int = 768
    batch_size: int = 10
    calibration: CosineCalibration | None = None
    languages = None

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return self._embed(texts, DOCUMENTS_SECONDS, as_query=False) if texts else ()

    def embed_query(self, text: str) -> Vector:
        return self._embed([text], QUERY_SECONDS, as_query=True)[0]

    def _embed(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> tuple[Vector, ...]:
        def call(left: float) -> tuple[Vector, ...]:
            with translated(self._errors, self.model):
                rows = self._request(texts, left, as_query=as_query)
            if len(rows) != len(texts):
                raise PortContractError(f"{self.model}: {len(texts)} texts were sent, {len(rows)} vectors came back")
            return tuple(map(self._unit, rows))

        return retry_within(call, model=self.model, seconds=seconds, attempt_seconds=BATCH_SECONDS, clock=self.clock)

    def _unit(self, row: Sequence[float]) -> Vector:
        """The row at length 1. Raises PortContractError for another dimension, NaN, infinity or zero."""
        if len(row) != self.dimension:
            raise PortContractError(
                f"EMBEDDING_DIM is {self.dimension}, but {self.model} returns {len(row)} dimensions: "
                f"set EMBEDDING_DIM={len(row)}"
            )
        norm = math.hypot(*row)
        if not (math.isfinite(norm) and norm > 0):
            raise PortContractError(f"{self.model}: a vector without direction came back (NaN, infinity or all zeros)")
        return array("f", [value / norm for value in row])

    @abstractmethod
    def _request(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> Sequence[Sequence[float]]:
        """The rows of one request. Raises the SDK's errors."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply, or the next part of one."""

    text: str
    reason: str | None
    """Why it ends, in the server's word; None: nothing is said of it."""
    ended: bool
    """Whether the model says that it has ended."""
    truncated: bool
    """It ends at the model's limit."""
    usage: Usage | None


@dataclass(kw_only=True, eq=False, repr=False)
class RemoteWriter(Remote[C]):
    """`shared.ports.models.Writer` over the requests of one SDK. `timeout`: seconds for all attempts together."""

    temperature: float = 0.3
    timeout: float = 30.0

    def write(self, prompt: Prompt) -> Draft:
        def call(left: float) -> Draft:
            with translated(self._errors, self.model):
                reply = self._request(prompt, left)
            if not reply.text.strip():
                raise self._empty(reply.reason)
            return Draft(reply.text.strip(), self.model, reply.usage or Usage(), truncated=reply.truncated)

        return retry_within(call, model=self.model, seconds=self.timeout, clock=self.clock)

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        def begin(left: float) -> Generator[Delta]:
            reason, has_text, ended = None, False, False
            with translated(self._errors, self.model):
                for part in self._streamed(prompt, left):
                    reason, ended = part.reason or reason, ended or part.ended
                    has_text = has_text or bool(part.text.strip())
                    yield Delta(part.text, part.usage, truncated=part.truncated)
            if not has_text:
                raise self._empty(reason)
            if not ended:
                yield Delta("", truncated=True)  # the connection went before the model said that it has ended

        return stream_with_deadline(begin, model=self.model, seconds=self.timeout, clock=self.clock)

    def _empty(self, reason: str | None) -> ModelRefused:
        return ModelRefused(f"{self.model}: an empty reply ({reason or 'no choices'})")

    @abstractmethod
    def _request(self, prompt: Prompt, seconds: float) -> Reply:
        """The whole reply. Raises the SDK's errors, ModelRefused for one that was blocked."""

    @abstractmethod
    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[Reply]:
        """The parts of the reply as they come. Raises as `_request`."""


def attach(response: Response) -> None:
    """Called by an adapter as soon as a reply begins, so that the request's `Cancel` can end it."""
    if cancel := current.get(None):
        cancel.attach(partial(_shut, response))


def stream_with_deadline(
    open_stream: Callable[[float], Generator[Delta]], *, model: str, seconds: float, clock: Clock = time
) -> Generator[Delta]:
    """The deltas of the first attempt that brings text. `seconds` for all attempts and all reading; `open_stream` is
    given those that are left.

    A server that stalls is ended by its socket's timeout, or before by the listener (`Cancel.check`). Raises
    ModelUnavailable, Cancelled once the listener has left, and any other error of `open_stream` as it comes. Attempts
    are made again as `retry_within` does, but not once there was text.
    """
    deadline, cancel = clock.monotonic() + seconds, current.get(None) or Cancel()

    def begin(left: float) -> tuple[list[Delta], Generator[Delta]]:
        if cancel.left:
            raise Cancelled
        deltas, read = open_stream(left), []
        for delta in deltas:  # up to the first text: so far another attempt can be made
            read.append(delta)
            if delta.text:
                break
        return read, deltas

    with cancel.watches(time.monotonic() + seconds):
        try:
            first, rest = retry_until(begin, deadline=deadline, clock=clock)
            with closing(rest):
                for delta in itertools.chain(first, rest):
                    if clock.monotonic() >= deadline:
                        raise ModelUnavailable(f"{model}: no complete reply in time")
                    yield delta
        except ModelUnavailable as error:
            if cancel.left:
                raise Cancelled from error
            raise


def _shut(response: Response) -> None:
    """End the connection under its reader; closing it would leave the reader waiting."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(connection, socket.socket):
        try:
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError:
            return  # the server was first
