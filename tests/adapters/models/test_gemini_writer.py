from __future__ import annotations

import time
from dataclasses import replace

import pytest

from shared.adapters.gemini import GeminiWriter, takes_temperature
from shared.errors import ModelRefused, ModelUnavailable
from shared.model.answers import Draft, Usage
from tests.adapters.models.waiting import PROMPT, FakeClock
from tests.servers import gemini as replies
from tests.servers.gemini import GeminiServer
from tests.servers.scripted import Reply

LITE = "gemini-3.5-flash-lite"


def writer(server: GeminiServer, clock: FakeClock, *, model: str = LITE) -> GeminiWriter:
    return GeminiWriter(
        model=model,
        api_key="k",
        base_url=server.url,
        clock=clock,
    )


def test_the_request_of_the_default_model(gemini: GeminiServer, clock: FakeClock) -> None:
    writer(gemini, clock).write(PROMPT)
    (request,) = gemini.requests
    assert request.path == f"/v1beta/models/{LITE}:generateContent"
    assert request.json() == {
        "systemInstruction": {"role": "user", "parts": [{"text": PROMPT.system}]},
        "contents": [{"role": "user", "parts": [{"text": PROMPT.user}]}],
        "generationConfig": {
            "maxOutputTokens": 2048,
            "thinkingConfig": {"thinking_level": "MINIMAL"},
        },
    }


@pytest.mark.parametrize(
    ("model", "config"),
    [
        ("gemini-3.8-flash", {"maxOutputTokens": 2048}),
        ("gemini-3-flash", {"maxOutputTokens": 2048, "temperature": 0.3}),
    ],
)
def test_other_models_get_only_what_they_take(
    model: str, config: dict[str, object], gemini: GeminiServer, clock: FakeClock
) -> None:
    writer(gemini, clock, model=model).write(PROMPT)
    assert gemini.bodies[0]["generationConfig"] == config


def test_temperature_is_for_models_before_3_5() -> None:
    older = ("gemini-2.5-pro", "gemini-3-flash-preview", "publishers/google/models/gemini-3.1-pro")
    newer = (
        "gemini-3.5-flash-lite",
        "gemini-3.8-flash",
        "gemini-4-pro",
        "gemini-10.0-pro",
        "gemini-flash-latest",
    )
    assert all(map(takes_temperature, older))
    assert not any(map(takes_temperature, newer))


def test_a_reply_is_a_draft_with_the_tokens_billed(gemini: GeminiServer, clock: FakeClock) -> None:
    gemini.script(replies.generated(" Cloud Run [N1]. ", thoughts=30))
    assert writer(gemini, clock).write(PROMPT) == Draft("Cloud Run [N1].", LITE, Usage(120, 33))


def test_a_reply_without_usage_has_no_tokens(gemini: GeminiServer, clock: FakeClock) -> None:
    gemini.script(Reply(body={"candidates": [{"content": {"parts": [{"text": "Yes."}]}}]}))
    assert writer(gemini, clock).write(PROMPT) == Draft("Yes.", LITE, Usage(0, 0))


def test_thoughts_are_not_part_of_the_answer(gemini: GeminiServer, clock: FakeClock) -> None:
    parts = [
        {"text": "Let me think.", "thought": True},
        {"text": "Cloud "},
        {"text": "Run."},
    ]
    gemini.script(
        Reply(body={"candidates": [{"finishReason": "STOP", "content": {"parts": parts}}]})
    )
    assert writer(gemini, clock).write(PROMPT).text == "Cloud Run."


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "CONTINUATION"])
def test_a_cut_reply_is_a_truncated_draft_and_not_continued(
    reason: str, gemini: GeminiServer, clock: FakeClock
) -> None:
    reply = replies.generated("You decided on", finish_reason=reason)
    assert isinstance(reply.body, dict)
    reply.body["candidates"][0]["continuationToken"] = "dG9rZW4="
    gemini.script(reply)
    draft = writer(gemini, clock).write(PROMPT)
    assert draft.text == "You decided on"
    assert draft.truncated is True
    assert len(gemini.requests) == 1


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (replies.blocked("PROHIBITED_CONTENT"), r"the prompt was blocked \(PROHIBITED_CONTENT\)"),
        (replies.generated(None, finish_reason="SAFETY"), r"the reply was blocked \(SAFETY\)"),
        (
            replies.generated("You", finish_reason="RECITATION"),
            r"the reply was blocked \(RECITATION\)",
        ),
        (replies.generated(None, finish_reason="MAX_TOKENS"), r"an empty reply \(MAX_TOKENS\)"),
        (replies.generated("  "), r"an empty reply \(STOP\)"),
        (Reply(body={}), r"an empty reply \(STOP\)"),
        (Reply(body=b""), r"an empty reply \(STOP\)"),
    ],
)
def test_a_blocked_or_empty_reply_is_refused_by_name_and_not_asked_again(
    reply: Reply, why: str, gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.script(reply)
    with pytest.raises(ModelRefused, match=why):
        writer(gemini, clock).write(PROMPT)
    assert len(gemini.requests) == 1


def test_a_reason_the_sdk_does_not_know_yet_is_a_refusal_too(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    gemini.script(replies.generated("You", finish_reason="NEW_POLICY"))
    with (
        pytest.warns(UserWarning, match="NEW_POLICY"),
        pytest.raises(ModelRefused, match="NEW_POLICY"),
    ):
        writer(gemini, clock).write(PROMPT)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body={}, delay=30),
        Reply(body={"text": "x" * 100}, hang_after=0),
        Reply(body={"text": "x" * 100}, hang_after=50),
        Reply(body={"text": "x" * 1000}, drip=0.05),
    ],
    ids=["silent", "no body", "half a body", "byte by byte"],
)
def test_the_timeout_is_the_whole_wait_however_the_server_stalls(
    reply: Reply, gemini: GeminiServer
) -> None:
    gemini.script(reply)
    slow = GeminiWriter(api_key="k", base_url=gemini.url, timeout=0.4)
    slow.client()  # the SDK's import is not part of the wait
    begin = time.monotonic()
    with pytest.raises(ModelUnavailable):
        slow.write(PROMPT)
    assert time.monotonic() - begin < 10
    assert len(gemini.requests) <= 1, "it is not asked again"


def test_a_prompt_with_a_schema_asks_for_json_of_that_shape(
    gemini: GeminiServer, clock: FakeClock
) -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    writer(gemini, clock).write(replace(PROMPT, schema=schema))
    config = gemini.bodies[0]["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == schema
