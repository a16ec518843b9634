"""Prompt to draft by an OpenAI-compatible server."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterable, Iterator
from typing import TYPE_CHECKING, TypedDict

from shared.adapters.openai.connection import Connection, family, table
from shared.adapters.retry import Clock, retry_within
from shared.adapters.sdk_errors import translated
from shared.adapters.streaming import attach, stream_with_deadline
from shared.errors import ModelRefused
from shared.model.answers import Delta, Draft, Prompt, Usage
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from openai import Omit
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionStreamOptionsParam

    from shared.adapters.openai.replies import Chunk, Completion, TokenCounts


class _Asked(TypedDict):
    model: str
    messages: list[ChatCompletionMessageParam]
    temperature: float | Omit
    max_tokens: int | Omit
    max_completion_tokens: int | Omit


class OpenAIWriter:
    """`base_url` ends in `/v1`. `api_key` None: the server wants none.

    `temperature`: 0-2, left out for OpenAI's reasoning models, which refuse one. `timeout`: seconds for all
    attempts together.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        temperature: float = 0.3,
        timeout: float = 30.0,
        api_key: str | None = None,
        clock: Clock = time,
    ) -> None:
        self.model = model
        self._temperature = temperature
        self._timeout = timeout
        self._connection = Connection(base_url, api_key)
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

    def _request(self, prompt: Prompt, seconds: float) -> Completion:
        from shared.adapters.openai.replies import Completion  # noqa: PLC0415 - loads pydantic

        completions = self._connection.client().chat.completions.with_raw_response
        return Completion.model_validate_json(completions.create(**self._asked(prompt), timeout=seconds).content)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[Chunk]:
        from shared.adapters.openai.replies import Chunk  # noqa: PLC0415 - loads pydantic

        usage_too: ChatCompletionStreamOptionsParam = {"include_usage": True}
        completions = self._connection.client().chat.completions
        asked = self._asked(prompt)
        with completions.create(**asked, stream=True, stream_options=usage_too, timeout=seconds) as events:
            attach(events.response)
            for event in events:
                yield Chunk.model_validate(event, from_attributes=True)

    def _asked(self, prompt: Prompt) -> _Asked:
        from openai import omit  # noqa: PLC0415 - 500 ms that a cold start need not pay

        reasoning = _reasons(self.model)
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            "temperature": omit if reasoning else self._temperature,
            # Every compatible server knows `max_tokens`; OpenAI's reasoning models refuse it.
            "max_tokens": omit if reasoning else MAX_WRITTEN,
            "max_completion_tokens": MAX_WRITTEN if reasoning else omit,
        }


def _reasons(model: str) -> bool:
    return re.match(r"(o\d|gpt-[5-9])", family(model)) is not None


def _draft(reply: Completion, model: str) -> Draft:
    if not reply.choices:
        raise ModelRefused(f"{model}: an empty reply (no choices)")
    choice = reply.choices[0]
    reason = _checked(choice.finish_reason, choice.message.refusal, model)
    text = (choice.message.content or "").strip()
    if not text:
        raise ModelRefused(f"{model}: an empty reply ({reason})")
    return Draft(text, model, _usage(reply.usage) or Usage(), truncated=reason == "length")


def _deltas(chunks: Iterable[Chunk], model: str) -> Iterator[Delta]:
    reason, has_text, ended = "no choices", False, False
    for chunk in chunks:
        text, cut = "", False
        for choice in chunk.choices[:1]:
            reason = _checked(choice.finish_reason, choice.delta.refusal, model)
            text, cut = choice.delta.content or "", reason == "length"
            ended = ended or choice.finish_reason is not None
        has_text = has_text or bool(text.strip())
        yield Delta(text, _usage(chunk.usage), truncated=cut)
    if not has_text:
        raise ModelRefused(f"{model}: an empty reply ({reason})")
    if not ended:
        yield Delta("", truncated=True)  # the connection went before the model said that it has ended


def _checked(finish_reason: str | None, refusal: str | None, model: str) -> str:
    """Why the reply ends, "stop" while it does not. Raises ModelRefused for one that was blocked."""
    reason = finish_reason or "stop"
    if reason not in {"stop", "length"} or refusal:
        raise ModelRefused(f"{model}: the reply was blocked ({reason if reason != 'stop' else 'refusal'})")
    return reason


def _usage(counted: TokenCounts | None) -> Usage | None:
    return Usage(counted.prompt_tokens, counted.completion_tokens) if counted else None
