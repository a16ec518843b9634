"""Prompt to draft by an OpenAI-compatible server."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from shared.adapters.openai.connection import Connection, family, table
from shared.adapters.retry import Clock, insist
from shared.adapters.sdk_errors import translated
from shared.domain import Draft, Prompt, Usage
from shared.errors import ModelRefused

if TYPE_CHECKING:
    from shared.adapters.openai.replies import Completion


class OpenAIWriter:
    """`base_url` ends in `/v1`. `api_key` None: the server wants none.

    `temperature`: 0-2, left out for OpenAI's reasoning models, which refuse one. `timeout`: seconds for all
    attempts together. `max_output_tokens` bounds the cost.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        temperature: float = 0.3,
        timeout: float = 30.0,
        max_output_tokens: int = 2048,
        api_key: str | None = None,
        clock: Clock = time,
    ) -> None:
        self.model = model
        self._temperature = temperature
        self._timeout = timeout
        self._max_output_tokens = max_output_tokens
        self._connection = Connection(base_url, api_key)
        self._clock = clock

    def write(self, prompt: Prompt) -> Draft:
        """Raises ModelUnavailable or ModelRefused, naming why a reply was blocked."""

        def call(left: float) -> Draft:
            with translated(table, self.model):
                reply = self._request(prompt, left)
            return _draft(reply, self.model)

        return insist(call, model=self.model, seconds=self._timeout, clock=self._clock)

    def _request(self, prompt: Prompt, seconds: float) -> Completion:
        from openai import omit  # noqa: PLC0415 - 500 ms that a cold start need not pay

        from shared.adapters.openai.replies import Completion  # noqa: PLC0415 - loads pydantic

        reasoning = _reasons(self.model)
        reply = self._connection.client().chat.completions.with_raw_response.create(
            model=self.model,
            messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            temperature=omit if reasoning else self._temperature,
            # Every compatible server knows `max_tokens`; OpenAI's reasoning models refuse it.
            max_tokens=omit if reasoning else self._max_output_tokens,
            max_completion_tokens=self._max_output_tokens if reasoning else omit,
            timeout=seconds,
        )
        return Completion.model_validate_json(reply.content)


def _reasons(model: str) -> bool:
    return re.match(r"(o\d|gpt-[5-9])", family(model)) is not None


def _draft(reply: Completion, model: str) -> Draft:
    if not reply.choices:
        raise ModelRefused(f"{model}: an empty reply (no choices)")
    choice = reply.choices[0]
    reason = choice.finish_reason or "stop"
    text = (choice.message.content or "").strip()
    if reason not in {"stop", "length"} or choice.message.refusal:
        raise ModelRefused(f"{model}: the reply was blocked ({reason if reason != 'stop' else 'refusal'})")
    if not text:
        raise ModelRefused(f"{model}: an empty reply ({reason})")
    counted = reply.usage
    usage = Usage(counted.prompt_tokens, counted.completion_tokens) if counted else Usage()
    return Draft(text, model, usage, truncated=reason == "length")
