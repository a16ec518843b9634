"""Prompt to draft by Gemini."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING

from shared.adapters.gemini.connection import Connection, table, within
from shared.adapters.retry import Clock, retry_within
from shared.adapters.sdk_errors import misshapen, translated
from shared.adapters.streaming import stream_with_deadline
from shared.errors import ModelRefused
from shared.model.answers import Delta, Draft, Prompt, Usage
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from google.genai import types

DEFAULT_MODEL = "gemini-3.5-flash-lite"

_THINKING = {"gemini-3.5-flash-lite": "MINIMAL"}
"""Model -> least thinking it accepts. Others decide for themselves: gemini-3.8-flash refuses MINIMAL."""
_LAST_WITH_TEMPERATURE = (3, 4)
"""From gemini-3.5-flash-lite on, `temperature` is ignored and announced to become an error."""
_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})


class GeminiWriter:
    """`temperature`: 0-2, left out for models that do not take one. `timeout`: seconds for all attempts together.

    `project` (with `location`) goes through Vertex AI, otherwise `api_key` is needed.
    """

    def __init__(
        self,
        *,
        model: str = DEFAULT_MODEL,
        temperature: float = 0.3,
        timeout: float = 30.0,
        api_key: str | None = None,
        base_url: str | None = None,
        project: str | None = None,
        location: str = "global",
        clock: Clock = time,
    ) -> None:
        self.model = model
        self._temperature = temperature
        self._timeout = timeout
        self._connection = Connection(api_key=api_key, base_url=base_url, project=project, location=location)
        self._clock = clock

    def write(self, prompt: Prompt) -> Draft:
        """Raises ModelUnavailable or ModelRefused, naming why a reply was blocked."""

        def call(left: float) -> Draft:
            with translated(table, self.model):
                reply = self._request(prompt, left)
            return _draft(reply, self.model)

        return retry_within(call, model=self.model, seconds=self._timeout, clock=self._clock)

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        """Raises as `write`."""

        def begin(left: float) -> Generator[Delta]:
            with translated(table, self.model):
                yield from _deltas(self._streamed(prompt, left), self.model)

        return stream_with_deadline(begin, model=self.model, seconds=self._timeout, clock=self._clock)

    def _request(self, prompt: Prompt, seconds: float) -> types.GenerateContentResponse:
        contents, config = self._asked(prompt, seconds)
        return self._connection.client().models.generate_content(model=self.model, contents=contents, config=config)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[types.GenerateContentResponse]:
        contents, config = self._asked(prompt, seconds)
        models = self._connection.client().models
        try:
            yield from models.generate_content_stream(model=self.model, contents=contents, config=config)
        except (AttributeError, TypeError) as error:  # the SDK takes events apart without looking at their form
            raise misshapen(error, self.model) from error

    def _asked(self, prompt: Prompt, seconds: float) -> tuple[types.Content, types.GenerateContentConfig]:
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        level = _THINKING.get(self.model.rpartition("/")[2])
        thinking = types.ThinkingConfig(thinking_level=types.ThinkingLevel(level)) if level else None
        contents = types.Content(role="user", parts=[types.Part(text=prompt.user)])
        config = types.GenerateContentConfig(
            system_instruction=prompt.system,
            max_output_tokens=MAX_WRITTEN,
            temperature=self._temperature if takes_temperature(self.model) else None,
            thinking_config=thinking,
            response_mime_type=None if prompt.schema is None else "application/json",
            response_json_schema=prompt.schema,
            automatic_continuation=False,  # every continuation is another bill
            http_options=within(seconds),
        )
        return contents, config


def takes_temperature(model: str) -> bool:
    """Whether `temperature` may be sent; models whose name tells no version are spared it."""
    version = re.search(r"gemini-(\d+)(?:\.(\d+))?(?=-|$)", model)
    return version is not None and (int(version[1]), int(version[2] or 0)) <= _LAST_WITH_TEMPERATURE


def _draft(reply: types.GenerateContentResponse, model: str) -> Draft:
    reason = _reason(reply, model)
    text = (reply.text or "").strip() if reply.candidates else ""
    if not text:
        raise _empty(model, reason)
    return Draft(text, model, _usage(reply) or Usage(), truncated=reason in _CUT)


def _deltas(replies: Iterable[types.GenerateContentResponse], model: str) -> Iterator[Delta]:
    reason, has_text, ended = "STOP", False, False
    for reply in replies:
        reason = _reason(reply, model)
        text = (reply.text or "") if reply.candidates else ""
        ended = ended or any(candidate.finish_reason for candidate in reply.candidates or ())
        has_text = has_text or bool(text.strip())
        yield Delta(text, _usage(reply), truncated=reason in _CUT)
    if not has_text:
        raise _empty(model, reason)
    if not ended:
        yield Delta("", truncated=True)  # the connection went before the model said that it has ended


def _reason(reply: types.GenerateContentResponse, model: str) -> str:
    """Why the reply ends; STOP while it does not. Raises ModelRefused for one that was blocked."""
    candidate = reply.candidates[0] if reply.candidates else None
    reason = candidate.finish_reason.name if candidate and candidate.finish_reason else "STOP"
    if reply.prompt_feedback and reply.prompt_feedback.block_reason:
        raise ModelRefused(f"{model}: the prompt was blocked ({reply.prompt_feedback.block_reason.name})")
    if reason not in {"STOP", "FINISH_REASON_UNSPECIFIED"} | _CUT:
        raise ModelRefused(f"{model}: the reply was blocked ({reason})")
    return reason


def _empty(model: str, reason: str) -> ModelRefused:
    return ModelRefused(f"{model}: an empty reply ({reason})")


def _usage(reply: types.GenerateContentResponse) -> Usage | None:
    """Thoughts are billed as output."""
    counted = reply.usage_metadata
    if counted is None:
        return None
    output = (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
    return Usage(counted.prompt_token_count or 0, output)
