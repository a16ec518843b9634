"""Streamed replies of both SDKs, against servers that drip, stall, break off and talk nonsense."""

from __future__ import annotations

import contextvars
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import pytest

from functions.http.streams import pump_with_keepalive
from shared.adapters.gemini import GeminiWriter
from shared.adapters.openai import OpenAIWriter
from shared.adapters.remote import RemoteWriter
from shared.errors import ModelRefused, ModelUnavailable
from shared.model.answers import Delta
from shared.ports.cancel import Cancel, Cancelled, current
from tests.adapters.models.waiting import PROMPT, FakeClock
from tests.servers import gemini as google
from tests.servers import openai as compatible
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply, ScriptedServer

pytestmark = pytest.mark.slow

WORDS = ("You ", "chose ", "Cloud ", "Run [N1].")


@dataclass
class Service:
    """A model's server, a writer for it, and how it streams."""

    server: ScriptedServer
    writer: Callable[..., RemoteWriter[Any]]
    streamed: Callable[..., Reply]


@pytest.fixture(params=["gemini", "openai"])
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    if request.param == "gemini":
        with GeminiServer() as gemini:

            def by_google(**more: Any) -> GeminiWriter:  # noqa: ANN401
                return GeminiWriter(
                    api_key="k",
                    base_url=gemini.url,
                    **more,
                )

            yield Service(gemini, by_google, google.streamed)
    else:
        with OpenAIServer() as openai:

            def by_openai(**more: Any) -> OpenAIWriter:  # noqa: ANN401
                return OpenAIWriter(
                    model="m",
                    base_url=openai.base_url,
                    **more,
                )

            yield Service(openai, by_openai, compatible.chunked)


def texts(pieces: Iterator[Delta]) -> list[str]:
    return [piece.text for piece in pieces if piece.text]


def test_pieces_come_one_by_one_and_the_usage_with_the_last(service: Service) -> None:
    service.server.script(service.streamed(*WORDS))
    pieces = [piece for piece in service.writer().stream(PROMPT) if piece.text or piece.usage]
    assert "".join(piece.text for piece in pieces) == "".join(WORDS)
    assert len(pieces) >= len(WORDS)
    assert pieces[-1].usage is not None
    assert pieces[-1].usage.input_tokens == 120
    assert not any(piece.truncated for piece in pieces)


def test_the_first_piece_does_not_wait_for_the_second(service: Service) -> None:
    """The second never comes: who waited for it would end with a failure."""
    writer = service.writer(timeout=20)
    reply = service.streamed(*WORDS)
    body = reply.payload()
    first_word = body.index(WORDS[0].encode())
    end_of_event = re.compile(rb"(\r?\n){2}").search(body, first_word)
    assert end_of_event
    service.server.script(replace(reply, hang_after=end_of_event.end()))
    pieces = writer.stream(PROMPT)
    assert next(piece.text for piece in pieces if piece.text) == WORDS[0]
    pieces.close()


@pytest.mark.parametrize("reply", ["dripping", "silent"])
def test_closing_hangs_up_at_once(service: Service, reply: str) -> None:
    writer = service.writer()
    list(writer.stream(PROMPT))
    delays = {"pause": 0.05} if reply == "dripping" else {"hang_after": 400}
    service.server.script(service.streamed(*WORDS * 50, **delays))
    pieces = writer.stream(PROMPT)
    next(piece for piece in pieces if piece.text)
    pieces.close()
    assert service.server.hung_up.wait(10)


@pytest.mark.parametrize(
    "how",
    [
        {"delay": 0.4, "pause": 0.1},
        {"hang_after": 400},
        {"pause": 0.05},
    ],
    ids=str,
)
def test_a_client_that_leaves_ends_the_call_from_another_thread(
    service: Service, how: dict[str, Any]
) -> None:
    writer = service.writer()
    list(writer.stream(PROMPT))
    service.server.script(service.streamed(*WORDS * 50, **how))
    cancel = Cancel()
    context = contextvars.copy_context()
    context.run(current.set, cancel)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(context.run, lambda: list(writer.stream(PROMPT)))
        while len(service.server.requests) < 2:
            time.sleep(0.01)
        time.sleep(0.2)
        cancel.leave()
        with pytest.raises(Cancelled):
            reading.result(10)
    assert service.server.hung_up.wait(10)
    assert len(service.server.requests) == 2


def test_a_hung_up_stream_leaves_the_client_usable(service: Service) -> None:
    writer = service.writer()
    for _ in range(5):
        service.server.script(service.streamed(*WORDS, pause=0.02))
        pieces = writer.stream(PROMPT)
        next(piece for piece in pieces if piece.text)
        pieces.close()
    service.server.script(service.streamed(*WORDS))
    assert "".join(texts(writer.stream(PROMPT))) == "".join(WORDS)


@pytest.mark.parametrize(
    "how",
    [
        {"delay": 30},
        {"hang_after": 400},
        {"drip": 0.05},
        {"pause": 0.3},
    ],
    ids=str,
)
def test_the_deadline_is_for_the_whole_stream_however_the_server_stalls(
    service: Service, how: dict[str, Any]
) -> None:
    writer = service.writer()
    list(writer.stream(PROMPT))  # the first call loads the SDK
    writer.timeout = 1.0
    service.server.script(service.streamed(*WORDS * 20, **how))
    started = time.monotonic()
    with pytest.raises(ModelUnavailable):
        list(pump_with_keepalive(Delta(""), writer.stream(PROMPT)))
    assert time.monotonic() - started < 15  # the whole stream takes 24 or more
    assert how == {"delay": 30} or service.server.hung_up.wait(10)


def test_attempts_are_repeated_before_the_first_text(service: Service, clock: FakeClock) -> None:
    service.server.script(Reply(status=503), Reply(status=503), service.streamed(*WORDS))
    assert "".join(texts(service.writer(clock=clock).stream(PROMPT))) == "".join(WORDS)
    assert len(service.server.requests) == 3
    assert len(clock.pauses) == 2


def test_a_reply_that_breaks_off_after_text_is_not_asked_for_again(
    service: Service, clock: FakeClock
) -> None:
    uncut = service.streamed(*WORDS)
    service.server.script(service.streamed(*WORDS, cut_after=len(uncut.payload()) // 2))
    pieces = service.writer(clock=clock).stream(PROMPT)
    read: list[str] = []
    with pytest.raises(ModelUnavailable):
        read.extend(piece.text for piece in pieces)
    assert len(service.server.requests) == 1


@pytest.mark.parametrize(
    "garbage", [b'data: {"a\n\n', b"<html>busy</html>", b"data: \xff\xfe\n\n", b"data: 7\n\n", b""]
)
def test_garbage_is_an_error_of_ours(service: Service, clock: FakeClock, garbage: bytes) -> None:
    reply = Reply(body=garbage, headers={"Content-Type": "text/event-stream"})
    service.server.answer = lambda _: reply
    with pytest.raises((ModelUnavailable, ModelRefused)):
        list(service.writer(clock=clock).stream(PROMPT))


def test_an_empty_stream_is_refused_and_not_asked_again(service: Service, clock: FakeClock) -> None:
    service.server.script(service.streamed(" ", "\n"))
    with pytest.raises(ModelRefused, match="an empty reply"):
        list(service.writer(clock=clock).stream(PROMPT))
    assert len(service.server.requests) == 1


def test_a_stream_at_the_limit_is_truncated(service: Service) -> None:
    reason = "MAX_TOKENS" if isinstance(service.server, GeminiServer) else "length"
    service.server.script(service.streamed(*WORDS, finish_reason=reason))
    assert any(piece.truncated for piece in service.writer().stream(PROMPT))


def test_a_stream_that_ends_before_the_model_does_is_truncated(service: Service) -> None:
    service.server.script(service.streamed(*WORDS, finish_reason=None))
    *_, last = service.writer().stream(PROMPT)
    assert last.truncated


def test_a_stream_that_is_blocked_on_the_way_is_refused(service: Service) -> None:
    reason = "SAFETY" if isinstance(service.server, GeminiServer) else "content_filter"
    service.server.script(service.streamed(*WORDS, finish_reason=reason))
    with pytest.raises(ModelRefused, match=f"the reply was blocked \\({reason}\\)"):
        list(service.writer().stream(PROMPT))


def test_an_error_told_inside_the_stream_is_ours(service: Service) -> None:
    service.server.script(
        google.sse(
            {
                "error": {
                    "code": 503,
                    "status": "UNAVAILABLE",
                    "message": "busy",
                }
            }
        )
    )
    service.server.answer = lambda _: service.streamed(*WORDS)
    assert "".join(texts(service.writer().stream(PROMPT))) == "".join(WORDS)
    assert len(service.server.requests) == 2


def test_gemini_is_asked_as_unstreamed() -> None:
    with GeminiServer() as server:
        writer = GeminiWriter(api_key="k", base_url=server.url)
        writer.write(PROMPT)
        list(writer.stream(PROMPT))
        first_request, streamed = server.requests
        assert streamed.path == "/v1beta/models/gemini-3.5-flash-lite:streamGenerateContent?alt=sse"
        assert streamed.json() == first_request.json()
