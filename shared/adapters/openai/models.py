"""Texts to unit vectors, and prompt to draft, by an OpenAI-compatible server."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict

from shared.adapters.openai.connection import Connection, family, table
from shared.adapters.prefixes import prefixes
from shared.adapters.remote import RemoteEmbedder, RemoteWriter, Reply, attach
from shared.adapters.retry import Clock
from shared.adapters.sdk_errors import Table
from shared.errors import ModelRefused
from shared.model.answers import Prompt, Usage
from shared.model.retrieval import CosineCalibration
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from openai import Omit
    from openai.types.chat import ChatCompletionMessageParam, ChatCompletionStreamOptionsParam

    from shared.adapters.openai.replies import Choice, ChunkChoice, TokenCounts


class OpenAIEmbedder(RemoteEmbedder):
    """`base_url` ends in `/v1`. `api_key` None: the server wants none.

    The server is asked for `dimension`; one that ignores it and returns another is a PortContractError that names
    EMBEDDING_DIM and the value to set.
    """

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        dimension: int = 768,
        batch_size: int = 10,
        api_key: str | None = None,
        calibration: CosineCalibration | None = None,
        clock: Clock = time,
    ) -> None:
        super().__init__(model=model, dimension=dimension, batch_size=batch_size, calibration=calibration, clock=clock)
        self._connection = Connection(base_url, api_key)
        self._prefixes = prefixes(model)

    def _request(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> list[list[float]]:
        from shared.adapters.openai.replies import Embeddings  # noqa: PLC0415 - loads pydantic

        query, document = self._prefixes
        sent = [(query if as_query else document) + text for text in texts]
        raw = self._connection.client().embeddings.with_raw_response
        reply = raw.create(model=self.model, input=sent, dimensions=self.dimension, timeout=seconds)
        found = Embeddings.model_validate_json(reply.content).data
        return [entry.embedding for entry in sorted(found, key=lambda entry: entry.index)]

    def _errors(self) -> Table:
        return table()


class _Asked(TypedDict):
    model: str
    messages: list[ChatCompletionMessageParam]
    temperature: float | Omit
    max_tokens: int | Omit
    max_completion_tokens: int | Omit


class OpenAIWriter(RemoteWriter):
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
        super().__init__(model=model, temperature=temperature, timeout=timeout, clock=clock)
        self._connection = Connection(base_url, api_key)

    def _request(self, prompt: Prompt, seconds: float) -> Reply:
        from shared.adapters.openai.replies import Completion  # noqa: PLC0415 - loads pydantic

        completions = self._connection.client().chat.completions.with_raw_response
        content = completions.create(**self._asked(prompt), timeout=seconds).content
        reply = Completion.model_validate_json(content)
        return _reply(reply.choices[0] if reply.choices else None, reply.usage, self.model)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[Reply]:
        from shared.adapters.openai.replies import Chunk  # noqa: PLC0415 - loads pydantic

        usage_too: ChatCompletionStreamOptionsParam = {"include_usage": True}
        completions = self._connection.client().chat.completions
        asked = self._asked(prompt)
        with completions.create(**asked, stream=True, stream_options=usage_too, timeout=seconds) as events:
            attach(events.response)
            for event in events:
                part = Chunk.model_validate(event, from_attributes=True)
                yield _reply(part.choices[0] if part.choices else None, part.usage, self.model)

    def _errors(self) -> Table:
        return table()

    def _asked(self, prompt: Prompt) -> _Asked:
        from openai import omit  # noqa: PLC0415 - 500 ms that a cold start need not pay

        reasoning = re.match(r"(o\d|gpt-[5-9])", family(self.model)) is not None
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            "temperature": omit if reasoning else self._temperature,
            # Every compatible server knows `max_tokens`; OpenAI's reasoning models refuse it.
            "max_tokens": omit if reasoning else MAX_WRITTEN,
            "max_completion_tokens": MAX_WRITTEN if reasoning else omit,
        }


def _reply(choice: Choice | ChunkChoice | None, counted: TokenCounts | None, model: str) -> Reply:
    """Raises ModelRefused for a reply that was blocked."""
    usage = Usage(counted.prompt_tokens, counted.completion_tokens) if counted else None
    if choice is None:
        return Reply(text="", reason=None, ended=False, truncated=False, usage=usage)
    said, reason = choice.said, choice.finish_reason or "stop"
    if reason not in {"stop", "length"} or said.refusal:
        raise ModelRefused(f"{model}: the reply was blocked ({reason if reason != 'stop' else 'refusal'})")
    ended, truncated = choice.finish_reason is not None, reason == "length"
    return Reply(text=said.content or "", reason=reason, ended=ended, truncated=truncated, usage=usage)
