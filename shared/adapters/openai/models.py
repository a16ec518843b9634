"""Texts -> unit vectors, and prompt -> draft, by an OpenAI-compatible server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from shared.adapters import sdk_errors
from shared.adapters.prefixes import prefixes
from shared.adapters.remote import ModelReply, Remote, RemoteEmbedder, RemoteWriter, attach
from shared.errors import AuroraError, ModelRefused
from shared.model.answers import Prompt, Usage
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from openai import APIConnectionError, APIStatusError, OpenAI
    from pydantic import ValidationError

    from shared.adapters.openai.replies import Choice, ChunkChoice, TokenCounts


@dataclass(kw_only=True, eq=False, repr=False)
class OpenAIRemote(Remote["OpenAI"]):
    """`base_url` ends in `/v1`. `api_key` is None if the server needs none."""

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
    """Asks for `dimension`. Raises ModelMisconfigured naming EMBEDDING_DIM where the server returns another one."""

    def _request(
        self,
        texts: Sequence[str],
        seconds: float,
        *,
        as_query: bool,
    ) -> list[list[float]]:
        from shared.adapters.openai.replies import Embeddings  # noqa: PLC0415 - loads pydantic

        query_prefix, prefix = prefixes(self.model)
        if as_query:
            prefix = query_prefix
        embeddings = self.client().embeddings.with_raw_response
        reply = embeddings.create(
            model=self.model,
            input=[prefix + text for text in texts],
            dimensions=self.dimension,
            timeout=seconds,
        )
        entries = Embeddings.model_validate_json(reply.content).data
        entries.sort(key=attrgetter("index"))
        return [entry.embedding for entry in entries]


@dataclass(kw_only=True, eq=False, repr=False)
class OpenAIWriter(OpenAIRemote, RemoteWriter["OpenAI"]):
    """`temperature`: 0-2, left out for OpenAI's reasoning models, which refuse one."""

    def _request(self, prompt: Prompt, seconds: float) -> ModelReply:
        from shared.adapters.openai.replies import Completion  # noqa: PLC0415 - loads pydantic

        completions = self.client().chat.completions.with_raw_response
        content = completions.create(**self._arguments(prompt), timeout=seconds).content
        reply = Completion.model_validate_json(content)
        return _reply(reply.choices, reply.usage, self.model)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[ModelReply]:
        from shared.adapters.openai.replies import Chunk  # noqa: PLC0415 - loads pydantic

        completions = self.client().chat.completions
        events = completions.create(
            **self._arguments(prompt),
            timeout=seconds,
            stream=True,
            stream_options={"include_usage": True},
        )
        with events:
            attach(events.response)
            for event in events:
                part = Chunk.model_validate(event, from_attributes=True)
                yield _reply(part.choices, part.usage, self.model)

    def _arguments(self, prompt: Prompt) -> dict[str, Any]:
        """Returns the arguments of a request."""
        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
        }
        if _is_reasoning(self.model):
            arguments["max_completion_tokens"] = MAX_WRITTEN
        else:
            arguments["temperature"] = self.temperature
            # Every compatible server knows `max_tokens`; OpenAI's reasoning models refuse it.
            arguments["max_tokens"] = MAX_WRITTEN
        return arguments


def _is_reasoning(model: str) -> bool:
    """Reports whether it is one of OpenAI's reasoning models."""
    family = model.rpartition("/")[2].partition(":")[0]  # `library/gpt-oss:20b` -> `gpt-oss`
    return re.match(r"(o\d|gpt-[5-9])", family) is not None


def _reply(
    choices: Sequence[Choice | ChunkChoice],
    counts: TokenCounts | None,
    model: str,
) -> ModelReply:
    """Reads a reply, or a part of one. Raises ModelRefused for one that was blocked."""
    usage = None
    if counts is not None:
        usage = Usage(counts.prompt_tokens, counts.completion_tokens)
    if not choices:
        return ModelReply(
            text="",
            reason=None,
            ended=False,
            truncated=False,
            usage=usage,
        )
    choice = choices[0]
    reason = choice.finish_reason or "stop"
    if reason not in {"stop", "length"}:
        raise ModelRefused(f"{model}: the reply was blocked ({reason})")
    if choice.message.refusal:
        blocked_by = "refusal"
        if reason != "stop":
            blocked_by = reason
        raise ModelRefused(f"{model}: the reply was blocked ({blocked_by})")
    return ModelReply(
        text=choice.message.content or "",
        reason=reason,
        ended=choice.finish_reason is not None,
        truncated=reason == "length",
        usage=usage,
    )


def _by_status(error: APIStatusError, model: str) -> AuroraError:
    """Translates a status, with the delay that its header asks for."""
    delay = sdk_errors.retry_after(error.response.headers)
    return sdk_errors.from_status(error.status_code, model, retry_after=delay)


def _by_cause(error: APIConnectionError, model: str) -> AuroraError:
    """Translates the transport's error, which the SDK wraps: a wrong address differs from one that does not answer."""
    from httpx2 import RequestError  # noqa: PLC0415 - already loaded when anything of this was raised

    cause = error.__cause__
    if isinstance(cause, RequestError):
        return sdk_errors.model_error(sdk_errors.transport_errors(), cause, model)
    return sdk_errors.unanswered(error, model)


def _by_kind(error: ValidationError, model: str) -> AuroraError:
    """Translates a reply that is no JSON, or has another form."""
    for problem in error.errors(include_input=False):
        if problem["type"] == "json_invalid":
            return sdk_errors.unreadable(error, model)
    return sdk_errors.misshapen(error, model)
