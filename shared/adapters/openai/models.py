"""Texts -> unit vectors, and prompt -> draft, by an OpenAI-compatible server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.adapters import sdk_errors
from shared.adapters.prefixes import prefixes
from shared.adapters.remote import Remote, RemoteEmbedder, RemoteWriter, Reply, attach
from shared.errors import AuroraError, ModelRefused
from shared.model.answers import Prompt, Usage
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError, OpenAI
    from pydantic import ValidationError

    from shared.adapters.openai.replies import Choice, ChunkChoice, TokenCounts


@dataclass(kw_only=True, eq=False, repr=False)
class OpenAIRemote(Remote["OpenAI"]):
    """`base_url` ends in `/v1`. `api_key` None: the server wants none."""

    base_url: str
    api_key: str | None = None

    def _connected(self) -> OpenAI:
        from openai import OpenAI  # noqa: PLC0415 - 500 ms that a cold start need not pay

        # The SDK insists on a key, servers without keys ignore it.
        return OpenAI(base_url=self.base_url, api_key=self.api_key or "none", max_retries=0)

    @staticmethod
    def _errors() -> sdk_errors.Table:
        import openai  # noqa: PLC0415 - already loaded when anything of this was raised
        import pydantic  # noqa: PLC0415

        return {
            **sdk_errors.transport_errors(),
            openai.APIStatusError: _by_status,
            openai.APIConnectionError: _by_cause,
            openai.APIError: sdk_errors.unanswered,  # comes inside a stream
            json.JSONDecodeError: sdk_errors.unreadable,
            UnicodeDecodeError: sdk_errors.unreadable,
            pydantic.ValidationError: _by_kind,
        }


@dataclass(kw_only=True, eq=False, repr=False)
class OpenAIEmbedder(OpenAIRemote, RemoteEmbedder["OpenAI"]):
    """Asks for `dimension`. Raises PortContractError naming EMBEDDING_DIM where the server returns another one."""

    def _request(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> list[list[float]]:
        from shared.adapters.openai.replies import Embeddings  # noqa: PLC0415 - loads pydantic

        query, document = prefixes(self.model)
        sent = [(query if as_query else document) + text for text in texts]
        raw = self.client().embeddings.with_raw_response
        reply = raw.create(model=self.model, input=sent, dimensions=self.dimension, timeout=seconds)
        found = Embeddings.model_validate_json(reply.content).data
        return [entry.embedding for entry in sorted(found, key=lambda entry: entry.index)]


@dataclass(kw_only=True, eq=False, repr=False)
class OpenAIWriter(OpenAIRemote, RemoteWriter["OpenAI"]):
    """`temperature`: 0-2, left out for OpenAI's reasoning models, which refuse one."""

    def _request(self, prompt: Prompt, seconds: float) -> Reply:
        from shared.adapters.openai.replies import Completion  # noqa: PLC0415 - loads pydantic

        completions = self.client().chat.completions.with_raw_response
        content = completions.create(**self._asked(prompt), timeout=seconds).content
        reply = Completion.model_validate_json(content)
        return _reply(reply.choices[0] if reply.choices else None, reply.usage, self.model)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[Reply]:
        from shared.adapters.openai.replies import Chunk  # noqa: PLC0415 - loads pydantic

        completions, asked = self.client().chat.completions, {**self._asked(prompt), "timeout": seconds}
        with completions.create(**asked, stream=True, stream_options={"include_usage": True}) as events:
            attach(events.response)
            for event in events:
                part = Chunk.model_validate(event, from_attributes=True)
                yield _reply(part.choices[0] if part.choices else None, part.usage, self.model)

    def _asked(self, prompt: Prompt) -> dict[str, Any]:
        from openai import omit  # noqa: PLC0415 - 500 ms that a cold start need not pay

        family = self.model.rpartition("/")[2].partition(":")[0]  # `library/gpt-oss:20b` -> `gpt-oss`
        reasoning = re.match(r"(o\d|gpt-[5-9])", family) is not None
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
            "temperature": omit if reasoning else self.temperature,
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


def _by_status(error: APIStatusError, model: str) -> AuroraError:
    delay = sdk_errors.retry_after(error.response.headers)
    return sdk_errors.from_status(error.status_code, model, retry_after=delay)


def _by_cause(error: APIConnectionError, model: str) -> AuroraError:
    """The SDK wraps what its transport raised: that tells a wrong address from one that does not answer."""
    from httpx2 import RequestError  # noqa: PLC0415 - already loaded when anything of this was raised

    cause = error.__cause__
    if isinstance(cause, RequestError):
        return sdk_errors.ours(sdk_errors.transport_errors(), cause, model)
    return sdk_errors.unanswered(error, model)


def _by_kind(error: ValidationError, model: str) -> AuroraError:
    broken = any(problem["type"] == "json_invalid" for problem in error.errors(include_input=False))
    return (sdk_errors.unreadable if broken else sdk_errors.misshapen)(error, model)
