"""Texts to unit vectors, and prompt to draft, by Gemini."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from shared.adapters.gemini.connection import Connection, table, within
from shared.adapters.remote import RemoteEmbedder, RemoteWriter, Reply
from shared.adapters.retry import QUERY_SECONDS, Clock
from shared.adapters.sdk_errors import Table, misshapen
from shared.errors import ModelRefused
from shared.model.answers import Prompt, Usage
from shared.model.retrieval import CosineCalibration
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from google.genai import types

DEFAULT_EMBEDDING_MODEL = "gemini-embedding-2"
DEFAULT_CHAT_MODEL = "gemini-3.5-flash-lite"

_THINKING = {"gemini-3.5-flash-lite": "MINIMAL"}
"""Model -> least thinking it accepts. Others decide for themselves: gemini-3.8-flash refuses MINIMAL."""
_LAST_WITH_TEMPERATURE = (3, 4)
"""From gemini-3.5-flash-lite on, `temperature` is ignored and announced to become an error."""
_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})


class GeminiEmbedder(RemoteEmbedder):
    """`gemini-embedding-2` takes its task as a part of the text, older models as a field of the request.

    `dimension`: 1-3072 (Firestore stores at most 2048). `batch_size`: at most 100 texts a call. `project` (with
    `location`) goes through Vertex AI, otherwise `api_key` is needed. `query_timeout`: seconds that a query
    may take with all its attempts.
    """

    def __init__(
        self,
        *,
        model: str = DEFAULT_EMBEDDING_MODEL,
        dimension: int = 768,
        batch_size: int = 10,
        api_key: str | None = None,
        base_url: str | None = None,
        project: str | None = None,
        location: str = "global",
        query_timeout: float = QUERY_SECONDS,
        calibration: CosineCalibration | None = None,
        clock: Clock = time,
    ) -> None:
        super().__init__(model=model, dimension=dimension, batch_size=batch_size, calibration=calibration, clock=clock)
        self._connection = Connection(api_key=api_key, base_url=base_url, project=project, location=location)
        self._query_seconds = query_timeout
        self._task_in_text = model.rpartition("/")[2].startswith("gemini-embedding-2")

    def _request(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> list[list[float]]:
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        config = types.EmbedContentConfig(output_dimensionality=self.dimension, http_options=within(seconds))
        before = ""
        if self._task_in_text:
            before = "task: search result | query: " if as_query else "title: none | text: "
        else:
            config.task_type = "RETRIEVAL_QUERY" if as_query else "RETRIEVAL_DOCUMENT"
        # A list of strings would come back as a single vector of them all.
        contents = [types.Content(role="user", parts=[types.Part(text=before + text)]) for text in texts]
        reply = self._connection.client().models.embed_content(model=self.model, contents=contents, config=config)
        return [embedding.values or [] for embedding in reply.embeddings or []]

    def _errors(self) -> Table:
        return table()


class GeminiWriter(RemoteWriter):
    """`temperature`: 0-2, left out for models that do not take one. `timeout`: seconds for all attempts together.

    `project` (with `location`) goes through Vertex AI, otherwise `api_key` is needed.
    """

    def __init__(
        self,
        *,
        model: str = DEFAULT_CHAT_MODEL,
        temperature: float = 0.3,
        timeout: float = 30.0,
        api_key: str | None = None,
        base_url: str | None = None,
        project: str | None = None,
        location: str = "global",
        clock: Clock = time,
    ) -> None:
        super().__init__(model=model, temperature=temperature, timeout=timeout, clock=clock)
        self._connection = Connection(api_key=api_key, base_url=base_url, project=project, location=location)

    def _request(self, prompt: Prompt, seconds: float) -> Reply:
        contents, config = self._asked(prompt, seconds)
        models = self._connection.client().models
        return _reply(models.generate_content(model=self.model, contents=contents, config=config), self.model)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[Reply]:
        contents, config = self._asked(prompt, seconds)
        models = self._connection.client().models
        parts = models.generate_content_stream(model=self.model, contents=contents, config=config)
        while True:
            try:
                part = next(parts, None)
            except (AttributeError, TypeError) as error:  # the SDK takes events apart without looking at their form
                raise misshapen(error, self.model) from error
            if part is None:
                return
            yield _reply(part, self.model)

    def _errors(self) -> Table:
        return table()

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


def _reply(reply: types.GenerateContentResponse, model: str) -> Reply:
    """Raises ModelRefused for one that was blocked. Thoughts are billed as output."""
    candidate = reply.candidates[0] if reply.candidates else None
    reason = candidate.finish_reason.name if candidate and candidate.finish_reason else "STOP"
    if reply.prompt_feedback and reply.prompt_feedback.block_reason:
        raise ModelRefused(f"{model}: the prompt was blocked ({reply.prompt_feedback.block_reason.name})")
    if reason not in {"STOP", "FINISH_REASON_UNSPECIFIED"} | _CUT:
        raise ModelRefused(f"{model}: the reply was blocked ({reason})")
    usage, counted = None, reply.usage_metadata
    if counted is not None:
        output = (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
        usage = Usage(counted.prompt_token_count or 0, output)
    return Reply(
        text=(reply.text or "") if candidate else "",
        reason=reason,
        ended=any(each.finish_reason for each in reply.candidates or ()),
        truncated=reason in _CUT,
        usage=usage,
    )
