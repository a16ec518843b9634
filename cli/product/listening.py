"""Every write to some collections, told as it happens: for emulators that post no events to us.

Google's own listener opens a stream that broke off again at once: while nobody is there it takes a whole processor.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from shared.adapters.firestore.connection import DEFAULT_DATABASE, Connection, client
from shared.adapters.firestore.errors import translated
from shared.adapters.firestore.protocol import protocol
from shared.errors import Conflict, StoreRefused, StoreUnavailable

FIRST_PAUSE, MAX_PAUSE = 0.1, 2.0
"""Seconds before a stream that broke off is opened again; each pause is twice the one before, until something comes."""
TOLD_AFTER = 3
"""Streams in a row by which nothing came: the first find a server that is just starting, or a busy machine."""
OnWrite: TypeAlias = Callable[[str], object]

_log = logging.getLogger(__name__)


@contextmanager
def listening(project: str, told: Mapping[str, OnWrite], *, database: str = DEFAULT_DATABASE) -> Iterator[None]:
    """`told`: collection -> what is called with the path of each document of a collection of that name, wherever it
    lies: first of all that are there, then of each that is made, changed or removed. Called by one thread, one document
    after the other. What passes (busy, away, too late) is tried again; after another refusal nothing is told any more,
    and reconciling finds what is missed.
    """
    connection = Connection(project, database=database, read_seconds=0, write_seconds=0)
    listener = _Listener(connection, [_Target(name, on_write) for name, on_write in told.items()])
    thread = threading.Thread(target=listener.run, name="listening", daemon=True)
    thread.start()
    try:
        yield
    finally:
        listener.stop()
        thread.join()


@dataclass(slots=True)
class _Target:
    """One collection: what was told of it."""

    collection: str
    on_write: OnWrite
    known: dict[str, object] = field(default_factory=dict)
    """Path -> when it was last changed."""
    unseen: set[str] = field(default_factory=set)
    """Those of them that have not come again since the server began from the start, as the emulator does each time."""

    def begin(self) -> None:
        self.unseen = set(self.known)

    def changed(self, path: str, when: object) -> None:
        self.unseen.discard(path)
        if self.known.get(path) != when:
            self.known[path] = when
            self.on_write(path)

    def removed(self, path: str) -> None:
        self.unseen.discard(path)
        if self.known.pop(path, None) is not None:
            self.on_write(path)

    def end(self) -> None:
        """All that is there has come."""
        for path in sorted(self.unseen):
            self.removed(path)


class _Listener:
    """One stream for all targets, opened again whenever it breaks off."""

    def __init__(self, connection: Connection, targets: list[_Target]) -> None:
        self._connection, self._targets = connection, targets
        self._stopped = threading.Event()
        self._stream: Any = None
        self._heard = False
        """Whether anything has come by the stream that is open."""

    def run(self) -> None:
        in_vain, pause = 0, FIRST_PAUSE
        while not self._stopped.is_set():
            try:
                with translated():
                    self._listen()
            except (StoreRefused, Conflict) as error:  # a conflict: the database is not there
                _log.warning("%s: writes are not followed any more as they happen", error.message)
                return
            except StoreUnavailable as error:
                in_vain, pause = (0, FIRST_PAUSE) if self._heard else (in_vain + 1, min(2 * pause, MAX_PAUSE))
                if in_vain == TOLD_AFTER:
                    _log.warning("%s: writes are followed again when it answers", error.message)
            self._stopped.wait(pause)

    def stop(self) -> None:
        self._stopped.set()
        if self._stream is not None:
            self._stream.cancel()

    def _listen(self) -> None:
        """Until the stream breaks off. Raises the library's errors."""
        import grpc  # type: ignore[import-untyped]  # noqa: PLC0415 - where a store of Google's is listened to
        from google.api_core import exceptions  # noqa: PLC0415

        self._heard = False
        for target in self._targets:
            target.begin()
        self._stream = self._opened()
        if self._stopped.is_set():  # `stop` did not find this one
            self._stream.cancel()
        try:
            for reply in self._stream:
                self._take(type(reply).pb(reply))
                self._heard = True
        except grpc.RpcError as error:
            raise exceptions.from_grpc_error(error) from error  # type: ignore[no-untyped-call]
        finally:
            self._stream.cancel()

    def _opened(self) -> Any:  # noqa: ANN401 - a call of gRPC's
        """A call that goes on until its `cancel`: iterated, the ListenResponses; it raises gRPC's own errors."""
        from google.cloud.firestore_v1 import types  # noqa: PLC0415 - as above

        ended = threading.Event()

        def sent() -> Iterator[Any]:
            yield from (types.ListenRequest.wrap(self._request(number)) for number in range(len(self._targets)))
            ended.wait()  # a stream whose requests end is closed

        call = client().transport.listen(sent(), metadata=self._connection.metadata)
        call.add_done_callback(lambda _: ended.set())
        return call

    def _request(self, number: int) -> Any:  # noqa: ANN401 - a protobuf class made at run time
        request = protocol().ListenRequest(database=self._connection.database)
        wanted = request.add_target
        wanted.target_id, wanted.query.parent = number + 1, self._connection.root  # 0: the server numbers it
        source = wanted.query.structured_query.from_.add()
        source.collection_id, source.all_descendants = self._targets[number].collection, True
        return request

    def _take(self, reply: Any) -> None:  # noqa: ANN401
        kind = reply.WhichOneof("response_type")
        if kind == "document_change":
            document = reply.document_change.document
            target, path = self._place(document.name)
            target.changed(path, (document.update_time.seconds, document.update_time.nanos))
        elif kind in ("document_delete", "document_remove"):
            target, path = self._place(getattr(reply, kind).document)
            target.removed(path)
        elif kind == "target_change":
            self._turn(reply.target_change)

    def _place(self, name: str) -> tuple[_Target, str]:
        """A document's target and path, by its name."""
        path = name.removeprefix(f"{self._connection.root}/")
        collection = path.split("/")[-2]
        return next(target for target in self._targets if target.collection == collection), path

    def _turn(self, change: Any) -> None:  # noqa: ANN401
        """Raises the library's error for a target that the server takes away."""
        from google.api_core import exceptions  # noqa: PLC0415

        if change.cause.code:
            raise exceptions.from_grpc_status(change.cause.code, change.cause.message)  # type: ignore[no-untyped-call]
        kind = change.TargetChangeType.Name(change.target_change_type)
        for number in change.target_ids or range(1, len(self._targets) + 1):
            if kind == "RESET":
                self._targets[number - 1].begin()
            elif kind == "CURRENT":
                self._targets[number - 1].end()
