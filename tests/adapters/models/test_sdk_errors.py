from __future__ import annotations

import inspect
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import ModuleType

import google.auth.exceptions
import google.genai.errors
import httpx2
import openai
import pytest

from shared.adapters import sdk_errors
from shared.adapters.gemini import GeminiEmbedder, GeminiRemote, GeminiWriter
from shared.adapters.openai import OpenAIEmbedder, OpenAIWriter
from shared.adapters.openai.models import OpenAIRemote
from shared.errors import ModelMisconfigured, ModelRefused, ModelUnavailable, ModelUnreachable
from tests.adapters.models.waiting import PROMPT, FakeClock
from tests.servers import gemini as gemini_replies
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply

UNUSED = {
    # google-genai: function calling and interactions, which the product does not use
    "UnknownFunctionCallArgumentError",
    "UnsupportedFunctionError",
    "FunctionInvocationError",
    "ContinuationInterruptedError",
    # a warning, not an error
    "ExperimentalWarning",
    "HTTPXDeprecationWarning",
    # httpx2: bases, and what only a caller of httpx2 itself can cause (streams, raise_for_status, cookies)
    "HTTPError",
    "HTTPStatusError",
    "CookieConflict",
    "StreamError",
    "StreamConsumed",
    "StreamClosed",
    "ResponseNotRead",
    "RequestNotRead",
    # openai: bases, parsed replies, webhooks, web sockets and workload identity, which the product does not use
    "OpenAIError",
    "LengthFinishReasonError",
    "ContentFilterFinishReasonError",
    "InvalidWebhookSignatureError",
    "SubjectTokenProviderError",
    "WebSocketConnectionClosedError",
    "WebSocketQueueFullError",
    "APIResponseValidationError",
}


def classes(module: ModuleType) -> Iterable[type[Exception]]:
    members = (member for _, member in inspect.getmembers(module, inspect.isclass))
    return [
        member
        for member in members
        if issubclass(member, Exception) and not member.__name__.startswith("_")
    ]


@pytest.mark.parametrize(
    ("module", "table"),
    [
        (google.genai.errors, GeminiRemote._errors()),
        (httpx2, GeminiRemote._errors()),
        (google.auth.exceptions, GeminiRemote._errors()),
        (openai, OpenAIRemote._errors()),
        (httpx2, OpenAIRemote._errors()),
    ],
    ids=lambda value: value.__name__ if isinstance(value, ModuleType) else "",
)
def test_every_error_class_of_the_sdks_is_mapped_or_known_to_be_unused(
    module: ModuleType, table: sdk_errors.Table
) -> None:
    unmapped = {
        kind.__name__
        for kind in classes(module)
        if not any(parent in table for parent in kind.__mro__)
    }
    assert unmapped - UNUSED == set()


def test_google_genai_classes_are_mapped_one_by_one() -> None:
    error_kinds = {
        kind for kind in classes(google.genai.errors) if kind.__module__ == "google.genai.errors"
    }
    assert {kind.__name__ for kind in error_kinds - set(GeminiRemote._errors())} <= UNUSED


STATUSES = [
    *((status, ModelRefused) for status in (304, 400, 413, 422)),
    *((status, ModelMisconfigured) for status in (401, 402, 403, 404)),
    *((status, ModelUnavailable) for status in (408, 429, 500, 502, 503, 504, 529)),
]


@pytest.mark.parametrize(("status", "kind"), STATUSES)
def test_a_status_is_a_refusal_or_an_outage(
    status: int,
    kind: type[Exception],
    gemini: GeminiServer,
    openai_server: OpenAIServer,
    clock: FakeClock,
) -> None:
    error = {"code": status, "message": "no", "status": "WHY"}
    gemini.answer = openai_server.answer = lambda _: Reply(status=status, body={"error": error})
    google_writer = GeminiWriter(
        model="m",
        api_key="k",
        base_url=gemini.url,
        clock=clock,
    )
    openai_writer = OpenAIWriter(
        model="m",
        base_url=openai_server.base_url,
        clock=clock,
    )
    for writer, cause in (
        (google_writer, google.genai.errors.APIError),
        (openai_writer, openai.APIStatusError),
    ):
        with pytest.raises(kind, match=rf"^m: {status}") as caught:
            writer.write(PROMPT)
        assert isinstance(caught.value.__cause__, cause)
    request_counts = len(gemini.requests), len(openai_server.requests)
    repeated = kind is ModelUnavailable
    assert all((count > 1) is repeated for count in request_counts)


STATUSES_IN_THE_MIDDLE = (408, 499, 502, 504, 524)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503, 529, *STATUSES_IN_THE_MIDDLE])
def test_a_status_that_refuses_the_call_is_not_billed_and_one_that_cuts_it_may_be(
    status: int,
    gemini: GeminiServer,
    openai_server: OpenAIServer,
    clock: FakeClock,
) -> None:
    error = {"code": status, "message": "no", "status": "WHY"}
    gemini.answer = openai_server.answer = lambda _: Reply(status=status, body={"error": error})
    for writer in (
        GeminiWriter(
            model="m",
            api_key="k",
            base_url=gemini.url,
            clock=clock,
        ),
        OpenAIWriter(
            model="m",
            base_url=openai_server.base_url,
            clock=clock,
        ),
    ):
        with pytest.raises((ModelUnavailable, ModelRefused)) as caught:
            writer.write(PROMPT)
        assert isinstance(caught.value, (ModelUnavailable, ModelRefused))
        assert caught.value.is_billed is (status in STATUSES_IN_THE_MIDDLE)


BODIES = [
    (Reply(body=b"<html>"), ModelUnavailable),
    (Reply(body=b"\xff\xfe"), ModelUnavailable),
    (Reply(body=b'{"half": '), ModelUnavailable),
    (Reply(body={"a": "b" * 100}, cut_after=20), ModelUnavailable),
    (Reply(body={"a": "b" * 100}, cut_after=0), ModelUnavailable),
    (Reply(body=b"not gzip", headers={"Content-Encoding": "gzip"}), ModelUnavailable),
    (Reply(status=503, body=b"\xff\xff"), ModelUnavailable),
    (Reply(status=429, body=b"[1]"), ModelUnavailable),
    (Reply(status=429, body={"error": {"details": ["x"]}}), ModelUnavailable),
]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        *BODIES,
        (Reply(body={"candidates": [{"content": {"parts": "x"}}]}), ModelRefused),
        (Reply(body=[]), ModelRefused),
    ],
)
def test_broken_replies_of_gemini(
    reply: Reply, kind: type[Exception], gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.answer = lambda _: reply
    with pytest.raises(kind):
        GeminiWriter(api_key="k", base_url=gemini.url, clock=clock).write(PROMPT)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        *BODIES,
        (Reply(body=b""), ModelUnavailable),
        (Reply(body=[]), ModelRefused),
        (Reply(body={}), ModelRefused),
        (Reply(body={"choices": None, "data": [{"embedding": "no base64"}]}), ModelRefused),
        (Reply(body={"choices": [{}], "data": [{"embedding": "YWJj"}]}), ModelRefused),
    ],
)
def test_broken_replies_of_openai(
    reply: Reply, kind: type[Exception], openai_server: OpenAIServer, clock: FakeClock
) -> None:
    openai_server.answer = lambda _: reply
    url = openai_server.base_url
    with pytest.raises(kind):
        OpenAIWriter(model="m", base_url=url, clock=clock).write(PROMPT)
    with pytest.raises(kind):
        OpenAIEmbedder(model="m", base_url=url, dimension=4, clock=clock).embed_query("a")


def test_an_address_where_nobody_listens_is_told_after_two_tries(clock: FakeClock) -> None:
    message = "nobody answers at http://127.0.0.1:1$"
    with pytest.raises(ModelUnreachable, match=message):
        GeminiEmbedder(
            api_key="k", base_url="http://me:secret@127.0.0.1:1", clock=clock
        ).embed_query("a")
    with pytest.raises(ModelUnreachable, match=message):
        OpenAIEmbedder(
            model="m", base_url="http://me:secret@127.0.0.1:1/v1", clock=clock
        ).embed_query("a")
    with pytest.raises(ModelUnreachable, match=message):
        next(OpenAIWriter(model="m", base_url="http://127.0.0.1:1/v1", clock=clock).stream(PROMPT))
    assert len(clock.pauses) == 3


def test_a_redirect_to_nowhere_is_refused(
    gemini: GeminiServer, openai_server: OpenAIServer, clock: FakeClock
) -> None:
    gemini.answer = openai_server.answer = lambda _: Reply(
        status=307, headers={"Location": "ftp://127.0.0.1"}
    )
    with pytest.raises(ModelMisconfigured, match="cannot be sent"):
        GeminiEmbedder(api_key="k", base_url=gemini.url, clock=clock).embed_query("a")
    with pytest.raises(ModelMisconfigured, match="cannot be sent"):
        OpenAIEmbedder(model="m", base_url=openai_server.base_url, clock=clock).embed_query("a")


BAD_KEY = gemini_replies.error(
    400, "INVALID_ARGUMENT", gemini_replies.error_info("API_KEY_INVALID")
)


def test_a_key_that_is_not_valid_is_the_operators_and_its_reason_code_is_told(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.script(BAD_KEY)
    with pytest.raises(
        ModelMisconfigured,
        match=r": 400 INVALID_ARGUMENT API_KEY_INVALID \(the key is not valid\)$",
    ):
        GeminiWriter(api_key="k", base_url=gemini.url, clock=clock).write(PROMPT)
    assert len(gemini.requests) == 1


def test_a_request_at_fault_is_not_the_operators(gemini: GeminiServer, clock: FakeClock) -> None:
    gemini.script(gemini_replies.error(400, "INVALID_ARGUMENT"))
    with pytest.raises(ModelRefused, match=r": 400 INVALID_ARGUMENT$"):
        GeminiWriter(api_key="k", base_url=gemini.url, clock=clock).write(PROMPT)


def test_a_service_without_billing_is_the_operators(gemini: GeminiServer, clock: FakeClock) -> None:
    gemini.script(gemini_replies.error(400, "FAILED_PRECONDITION"))
    with pytest.raises(ModelMisconfigured, match="FAILED_PRECONDITION"):
        GeminiWriter(api_key="k", base_url=gemini.url, clock=clock).write(PROMPT)


def test_the_operator_is_told_once_what_to_do(
    gemini: GeminiServer, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    gemini.answer = lambda _: BAD_KEY
    embedder = GeminiEmbedder(
        model="told-once",
        api_key="secret",
        base_url=gemini.url,
        clock=clock,
    )
    for text in ("a", "b", "c"):
        with pytest.raises(ModelMisconfigured):
            embedder.embed_query(text)
    (line,) = [record for record in caplog.records if record.levelname == "ERROR"]
    message = line.getMessage()
    assert message.startswith("told-once: 400 INVALID_ARGUMENT API_KEY_INVALID")
    assert "docs/operate.md" in message
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("reply", "delay"),
    [
        (gemini_replies.error(429, "RESOURCE_EXHAUSTED", gemini_replies.retry_info(90.5)), 90.5),
        (Reply(status=429, headers={"Retry-After": "90"}), 90.0),
        (Reply(status=503, headers={"Retry-After": "soon"}), None),
        (Reply(status=503, headers={"Retry-After": "nan"}), None),
        (Reply(status=503), None),
    ],
)
def test_the_servers_delay_is_handed_on(
    reply: Reply, delay: float | None, gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.answer = lambda _: reply
    with pytest.raises(ModelUnavailable) as caught:
        GeminiWriter(api_key="k", base_url=gemini.url, clock=clock).write(PROMPT)
    assert caught.value.retry_after == delay


def test_retry_after_as_a_date_is_seconds_from_now() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    seconds = sdk_errors.retry_after({"retry-after": date})
    assert seconds is not None
    assert 35 < seconds <= 40


def test_retry_after_in_the_past_is_now() -> None:
    assert sdk_errors.retry_after({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}) == 0.0
