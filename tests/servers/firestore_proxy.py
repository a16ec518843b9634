"""A gRPC proxy before the Firestore emulator: it passes requests on as bytes, after rules that may answer instead.

The emulator refuses nothing that production refuses for its size, its haste or a missing index. A rule sees each
request before the emulator does and answers as production would; a test puts it into FIRESTORE_EMULATOR_HOST, so that
the product's own client, in this process or another, meets it.

    with FirestoreProxy(emulator.host, refuse_vector_searches) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, Self

import grpc  # type: ignore[import-untyped]
from google.cloud.firestore_v1 import types

from shared.adapters.firestore import FirestoreStore

_SIZES = (
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
)
_THREADS = 256
"""Each request under way holds one; a process's 16 times some dozen processes."""
_STREAMS = ("Listen", "Write")
"""Methods whose client goes on sending."""
_PASSED_ON = ("authorization", "google-cloud-resource-prefix", "x-goog-request-params")


class Call:
    """One request as the client sent it; of a stream of requests the first."""

    def __init__(self, method: str, body: bytes) -> None:
        self.method = method
        """`Commit`, `RunQuery`, `RunAggregationQuery`, `BatchGetDocuments`, `BatchWrite`, `Listen`, …"""
        self.body = body

    @cached_property
    def request(self) -> Any:  # noqa: ANN401 - classes made at run time
        """The request as raw protobuf message."""
        return getattr(types, f"{self.method}Request").pb().FromString(self.body)


@dataclass(frozen=True, slots=True)
class Refuse:
    """Ends the call with this status; the emulator never sees it."""

    code: grpc.StatusCode
    details: str


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing at all, until the client gives up."""


Answer = Refuse | Silence
Rule = Callable[[Call], Answer | None]
"""Answer to a call; None to let it pass. Called from many threads at once."""


class FirestoreProxy:
    """Serves on loopback from entering to leaving. `rules` may be replaced at any time."""

    def __init__(self, target: str, *rules: Rule) -> None:
        """`target`: host and port of the emulator, or of another proxy."""
        self.rules = rules
        self._target = target

    def __enter__(self) -> Self:
        self._channel = grpc.insecure_channel(self._target, options=_SIZES)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="firestore-proxy")
        self._server = grpc.server(self._threads, options=_SIZES)
        self._server.add_generic_rpc_handlers((_Everything(self._serve, self._serve_stream),))
        self.host = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(0).wait()
        self._threads.shutdown()
        self._channel.close()

    def _serve(self, path: str, body: bytes, context: Any) -> Iterator[bytes]:  # noqa: ANN401 - grpc has no types
        ask = partial(self._channel.unary_stream(path), body, timeout=context.time_remaining())
        yield from self._answer(Call(_method(path), body), ask, context)

    def _serve_stream(self, path: str, bodies: Iterator[bytes], context: Any) -> Iterator[bytes]:  # noqa: ANN401
        first = next(bodies)
        ask = partial(self._channel.stream_stream(path), chain((first,), bodies))
        yield from self._answer(Call(_method(path), first), ask, context)

    def _answer(self, call: Call, ask: Callable[..., Any], context: Any) -> Iterator[bytes]:  # noqa: ANN401
        for rule in self.rules:
            _obey(rule(call), context)
        metadata = [
            (key, value) for key, value in context.invocation_metadata() if key in _PASSED_ON
        ]
        replies = ask(metadata=metadata)
        context.add_callback(replies.cancel)
        try:
            yield from replies
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())


class _Everything(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Every method as bytes: one request or a stream, any number of replies. A unary reply is a stream of one."""

    def __init__(
        self,
        serve: Callable[[str, bytes, Any], Iterator[bytes]],
        serve_stream: Callable[[str, Iterator[bytes], Any], Iterator[bytes]],
    ) -> None:
        self._serve = serve
        self._serve_stream = serve_stream

    def service(self, details: Any) -> Any:  # noqa: ANN401
        if _method(details.method) in _STREAMS:
            return grpc.stream_stream_rpc_method_handler(
                partial(self._serve_stream, details.method)
            )
        return grpc.unary_stream_rpc_method_handler(partial(self._serve, details.method))


def _method(path: str) -> str:
    return path.rpartition("/")[2]


def _obey(answer: Answer | None, context: Any) -> None:  # noqa: ANN401
    if isinstance(answer, Refuse):
        context.abort(answer.code, answer.details)
    if isinstance(answer, Silence):
        over = threading.Event()
        if context.add_callback(over.set):
            over.wait()
        context.abort(grpc.StatusCode.CANCELLED, "the client gave up")


def gone_after(
    number: int, method: str, store: FirestoreStore, *, given_up_within: float = 1.0
) -> Rule:
    """So many requests of the kind get through, then the server is away.

    The store's writes have their time on a busy machine until then, and after it so many seconds.
    """
    passed = Counter[str]()

    def rule(call: Call) -> Answer | None:
        if call.method != method:
            return None
        passed[method] += 1
        if passed[method] == number:
            store._db._write_seconds = given_up_within
        if passed[method] > number:
            return Refuse(grpc.StatusCode.UNAVAILABLE, "away")
        return None

    return rule
