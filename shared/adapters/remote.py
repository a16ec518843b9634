"""Common parts of models behind an SDK: attempts within a deadline, the SDK's errors as ours, replies checked."""

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
from shared.adapters.sdk_errors import reported, translate_errors
from shared.errors import ModelMisconfigured, ModelRefused, ModelUnavailable, PortContractError
from shared.model.answers import Delta, Draft, Prompt, Usage
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration
from shared.ports.cancel import Cancel, Cancelled, current
from shared.ports.models import check_norm

if TYPE_CHECKING:
    from httpx2 import Response

    from shared.adapters.sdk_errors import Table

DOCUMENTS_SECONDS = 45.0
"""Longest time for embedding a batch of documents, all attempts together."""
QUERY_SECONDS = 5.0
"""Longest time for embedding a query, all attempts together: a question rather does without."""
BATCH_SECONDS = 20.0
"""Longest time of one attempt. A batch takes about a second: a call that hangs this long is better made again."""


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
        """Returns the client, made by the first call."""
        with self._connecting:
            if self._client is None:
                self._client = self._connected()
                # Garbage collection would take its sockets before it could close them.
                weakref.finalize(self, self._client.close)
            return self._client

    @abstractmethod
    def _connected(self) -> C:
        """Makes a client of the SDK, which this call may load."""

    @staticmethod
    @abstractmethod
    def _errors() -> Table:
        """Returns the table from the SDK's errors to ours."""


@dataclass(kw_only=True, eq=False, repr=False)
class RemoteEmbedder(Remote[C]):
    """`shared.ports.models.Embedder` over the requests of one SDK."""

    dimension: int = 768
    batch_size: int = 10
    calibration: CosineCalibration | None = None
    languages = None

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if not texts:
            return ()
        return self._embed(texts, DOCUMENTS_SECONDS, as_query=False)

    def embed_query(self, text: str) -> Vector:
        vectors = self._embed([text], QUERY_SECONDS, as_query=True)
        return vectors[0]

    def _embed(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> tuple[Vector, ...]:
        def call(seconds_left: float) -> tuple[Vector, ...]:
            with translate_errors(self._errors, self.model):
                rows = self._request(texts, seconds_left, as_query=as_query)
            sent = len(texts)
            received = len(rows)
            if received != sent:
                raise PortContractError(
                    f"{self.model}: {sent} texts were sent, {received} vectors came back",
                )
            self._check_dimension(rows)
            return tuple(map(self._unit, rows))

        return retry_within(
            call,
            model=self.model,
            seconds=seconds,
            attempt_seconds=BATCH_SECONDS,
            clock=self.clock,
        )

    def _check_dimension(self, rows: Sequence[Sequence[float]]) -> None:
        """Raises ModelMisconfigured if the model returns one other dimension, PortContractError if it returns several."""
        returned = {len(row) for row in rows}
        if returned <= {self.dimension}:
            return
        dimension = max(returned)
        if len(returned) > 1 or dimension == 0:
            raise PortContractError(
                f"{self.model}: vectors of {min(returned)} to {dimension} dimensions came back, "
                f"not of {self.dimension}",
            )
        problem = ModelMisconfigured(
            f"EMBEDDING_DIM is {self.dimension}, but {self.model} returns {dimension} dimensions: "
            f"set EMBEDDING_DIM={dimension}",
            advice="The notes that wait are embedded then.",
            is_billed=True,
        )
        raise reported(problem)

    def _unit(self, row: Sequence[float]) -> Vector:
        """Returns the row at length 1. Raises PortContractError for NaN, infinity or zero."""
        norm = math.hypot(*row)
        check_norm(norm, self.model)
        return array("f", [value / norm for value in row])

    @abstractmethod
    def _request(
        self,
        texts: Sequence[str],
        seconds: float,
        *,
        as_query: bool,
    ) -> Sequence[Sequence[float]]:
        """Makes one request and returns its rows. Raises the SDK's errors."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply, or the next part of one."""

    text: str
    reason: str | None
    """Reason of the end, in the server's words; None if the server gives none."""
    ended: bool
    """True if the model reports that it has ended."""
    truncated: bool
    """True if it ends at the model's limit."""
    usage: Usage | None


@dataclass(kw_only=True, eq=False, repr=False)
class RemoteWriter(Remote[C]):
    """`shared.ports.models.Writer` over the requests of one SDK. `timeout`: seconds for all attempts together."""

    temperature: float = 0.3
    timeout: float = 30.0

    def write(self, prompt: Prompt) -> Draft:
        def call(seconds_left: float) -> Draft:
            with translate_errors(self._errors, self.model):
                reply = self._request(prompt, seconds_left)
            text = reply.text.strip()
            if not text:
                raise self._empty(reply.reason)
            usage = reply.usage or Usage()
            return Draft(text, self.model, usage, truncated=reply.truncated)

        return retry_within(
            call,
            model=self.model,
            seconds=self.timeout,
            clock=self.clock,
        )

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        def begin(seconds_left: float) -> Generator[Delta]:
            reason = None
            has_text = False
            has_ended = False
            with translate_errors(self._errors, self.model):
                for part in self._streamed(prompt, seconds_left):
                    if part.reason:
                        reason = part.reason
                    if part.ended:
                        has_ended = True
                    if part.text.strip():
                        has_text = True
                    yield Delta(part.text, part.usage, truncated=part.truncated)
            if not has_text:
                raise self._empty(reason)
            if not has_ended:
                # The connection was lost before the model reported its end.
                yield Delta("", truncated=True)

        return stream_with_deadline(
            begin,
            model=self.model,
            seconds=self.timeout,
            clock=self.clock,
        )

    def _empty(self, reason: str | None) -> ModelRefused:
        return ModelRefused(f"{self.model}: an empty reply ({reason or 'no choices'})")

    @abstractmethod
    def _request(self, prompt: Prompt, seconds: float) -> ModelReply:
        """Makes one request and returns the whole reply. Raises the SDK's errors, ModelRefused for one that was blocked."""

    @abstractmethod
    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[ModelReply]:
        """Yields the parts of the reply as they come. Raises as `_request`."""


def attach(response: Response) -> None:
    """Lets the request's `Cancel` end a reply. An adapter calls it as soon as the reply begins."""
    cancel = current.get(None)
    if cancel:
        cancel.attach(partial(_shut, response))


def stream_with_deadline(
    open_stream: Callable[[float], Generator[Delta]],
    *,
    model: str,
    seconds: float,
    clock: Clock,
) -> Generator[Delta]:
    """Yields the deltas of the first attempt that brings text.

    `seconds` are for all attempts and all reading; `open_stream` gets those that are left.

    A server that stalls is ended by its socket's timeout, or before by the listener (`Cancel.check`). Raises
    ModelUnavailable, Cancelled once the listener has left, and any other error of `open_stream` as it comes. Attempts
    are made again as `retry_within` does, but not once there was text.
    """
    deadline = clock.monotonic() + seconds
    cancel = current.get(None) or Cancel()

    def begin(seconds_left: float) -> tuple[list[Delta], Generator[Delta]]:
        """Reads up to the first text: so far another attempt can be made. Returns these deltas, and the others."""
        if cancel.left:
            raise Cancelled
        deltas = open_stream(seconds_left)
        first_deltas = []
        for delta in deltas:
            first_deltas.append(delta)
            if delta.text:
                break
        return first_deltas, deltas

    with cancel.watches(time.monotonic() + seconds):
        try:
            first_deltas, deltas = retry_until(begin, deadline=deadline, clock=clock)
            with closing(deltas):
                for delta in itertools.chain(first_deltas, deltas):
                    if clock.monotonic() >= deadline:
                        raise ModelUnavailable(f"{model}: no complete reply in time")
                    yield delta
        except ModelUnavailable as error:
            if cancel.left:
                raise Cancelled from error
            raise


def _shut(response: Response) -> None:
    """Ends the connection under its reader; closing it would leave the reader waiting."""
    stream = response.extensions.get("network_stream")
    if stream is None:
        return
    connection = stream.get_extra_info("socket")
    if isinstance(connection, socket.socket):
        try:
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError:
            return  # the server was first
