"""A model's stream, read in the thread that answers: one deadline over all attempts, ended early by `Cancel`."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from shared.adapters.retry import Clock, retry_until
from shared.errors import ModelUnavailable
from shared.model.answers import Delta
from shared.ports.cancel import Cancel, Cancelled, current

if TYPE_CHECKING:
    from httpx2 import Response

Open: TypeAlias = "Callable[[float], Generator[Delta]]"
"""Seconds that are left -> the deltas of one attempt."""


def attach(response: Response) -> None:
    """Called by an adapter as soon as a reply begins, so that the request's `Cancel` can end it."""
    if cancel := current.get(None):
        cancel.attach(partial(_shut, response))


def stream_with_deadline(open_stream: Open, *, model: str, seconds: float, clock: Clock = time) -> Generator[Delta]:
    """The deltas of the first attempt that brings text. `seconds` for all attempts and all reading.

    A server that stalls is ended by its socket's timeout, or before by whoever listens (`Cancel.check`). Raises
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
    """End the connection under whoever reads from it; closing it would leave them waiting."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(connection, socket.socket):
        try:
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
        except OSError:
            return  # the server was first
