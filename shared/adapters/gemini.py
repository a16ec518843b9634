"""Gemini as embedder and writer, with an API key or through Vertex AI: texts -> unit vectors, prompt -> draft."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shared.adapters import sdk_errors
from shared.adapters.remote import Remote, RemoteEmbedder, RemoteWriter, Reply, attach
from shared.errors import AuroraError, ModelRefused, ModelUnavailable
from shared.model.answers import Prompt, Usage
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from google.auth.exceptions import GoogleAuthError
    from google.genai import Client, types
    from google.genai.errors import APIError

DEFAULT_EMBEDDING_MODEL = "gemini-embedding-2"
DEFAULT_CHAT_MODEL = "gemini-3.5-flash-lite"
PUBLIC_ADDRESS = "https://generativelanguage.googleapis.com/"
DEVELOPER_VERSION = "v1beta"
"""The Developer API's v1, the SDK's own choice, has neither system instructions nor schemas nor thinking levels."""
MIN_SERVER_TIMEOUT = 10
"""Seconds. The SDK tells the server its timeout, and the server answers 400 to anything shorter than this."""

_THINKING = {"gemini-3.5-flash-lite": "MINIMAL"}
"""Model -> least thinking it accepts. Others decide for themselves: gemini-3.8-flash refuses MINIMAL."""
_LAST_WITH_TEMPERATURE = (3, 4)
"""From gemini-3.5-flash-lite on, `temperature` is ignored and announced to become an error."""
_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})
_HOOKS = {"event_hooks": {"response": [attach]}}
"""The SDK keeps its responses to itself; this is how a stream can be ended from outside."""


@dataclass(kw_only=True, eq=False, repr=False)
class GeminiRemote(Remote["Client"]):
    """`project` (and `location`): Vertex AI with the machine's own credentials; without one `api_key` is needed."""

    api_key: str | None = None
    base_url: str | None = None
    project: str | None = None
    location: str = "global"

    def _connected(self) -> Client:
        from google.genai import Client, types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        if self.project is not None:
            options = types.HttpOptions(base_url=self.base_url, client_args=_HOOKS)
            return Client(enterprise=True, project=self.project, location=self.location, http_options=options)
        address = self.base_url or PUBLIC_ADDRESS
        options = types.HttpOptions(base_url=address, api_version=DEVELOPER_VERSION, client_args=_HOOKS)
        return Client(enterprise=False, api_key=self.api_key, http_options=options)

    @staticmethod
    def _errors() -> sdk_errors.Table:
        import pydantic  # noqa: PLC0415 - already loaded when anything of this was raised
        import requests  # noqa: PLC0415
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415
        from google.genai import errors  # noqa: PLC0415

        return {
            **sdk_errors.transport_errors(),
            errors.APIError: _by_status,
            errors.ClientError: _by_status,
            errors.ServerError: _by_status,
            errors.UnknownApiResponseError: sdk_errors.unreadable,
            json.JSONDecodeError: sdk_errors.unreadable,
            UnicodeDecodeError: sdk_errors.unreadable,
            pydantic.ValidationError: sdk_errors.misshapen,
            GoogleAuthError: _by_retryable,  # Vertex AI's access token
            TransportError: sdk_errors.unanswered,
            requests.RequestException: sdk_errors.unanswered,  # carries Vertex AI where client certificates are in use
        }


@dataclass(kw_only=True, eq=False, repr=False)
class GeminiEmbedder(GeminiRemote, RemoteEmbedder["Client"]):
    """`gemini-embedding-2` takes its task as a part of the text, older models as a field of the request.

    `dimension`: 1-3072 (Firestore stores at most 2048). `batch_size`: at most 100 texts a call.
    """

    model: str = DEFAULT_EMBEDDING_MODEL

    def _request(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> list[list[float]]:
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        config = types.EmbedContentConfig(output_dimensionality=self.dimension, http_options=_within(seconds))
        before = ""
        if self.model.rpartition("/")[2].startswith("gemini-embedding-2"):
            before = "task: search result | query: " if as_query else "title: none | text: "
        else:
            config.task_type = "RETRIEVAL_QUERY" if as_query else "RETRIEVAL_DOCUMENT"
        # A list of strings would come back as a single vector of them all.
        contents = [types.Content(role="user", parts=[types.Part(text=before + text)]) for text in texts]
        reply = self.client().models.embed_content(model=self.model, contents=contents, config=config)
        return [embedding.values or [] for embedding in reply.embeddings or []]


@dataclass(kw_only=True, eq=False, repr=False)
class GeminiWriter(GeminiRemote, RemoteWriter["Client"]):
    """`temperature`: 0-2, left out for models that do not take one."""

    model: str = DEFAULT_CHAT_MODEL

    def _request(self, prompt: Prompt, seconds: float) -> Reply:
        contents, config = self._asked(prompt, seconds)
        models = self.client().models
        return _reply(models.generate_content(model=self.model, contents=contents, config=config), self.model)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[Reply]:
        contents, config = self._asked(prompt, seconds)
        models = self.client().models
        parts = models.generate_content_stream(model=self.model, contents=contents, config=config)
        while True:
            try:
                part = next(parts, None)
            except (AttributeError, TypeError) as error:  # the SDK takes events apart without looking at their form
                raise sdk_errors.misshapen(error, self.model) from error
            if part is None:
                return
            yield _reply(part, self.model)

    def _asked(self, prompt: Prompt, seconds: float) -> tuple[types.Content, types.GenerateContentConfig]:
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        level = _THINKING.get(self.model.rpartition("/")[2])
        thinking = types.ThinkingConfig(thinking_level=types.ThinkingLevel(level)) if level else None
        contents = types.Content(role="user", parts=[types.Part(text=prompt.user)])
        config = types.GenerateContentConfig(
            system_instruction=prompt.system,
            max_output_tokens=MAX_WRITTEN,
            temperature=self.temperature if takes_temperature(self.model) else None,
            thinking_config=thinking,
            response_mime_type=None if prompt.schema is None else "application/json",
            response_json_schema=prompt.schema,
            automatic_continuation=False,  # every continuation is another bill
            http_options=_within(seconds),
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


def _within(seconds: float) -> types.HttpOptions:
    """Options of a request that may take so long. The SDK itself does not retry by default."""
    from google.genai import types  # noqa: PLC0415

    told = max(math.ceil(seconds), MIN_SERVER_TIMEOUT)
    return types.HttpOptions(timeout=max(1, math.ceil(seconds * 1000)), headers={"X-Server-Timeout": str(told)})


def _by_status(error: APIError, model: str) -> AuroraError:
    """With the reasons of `error.details[]`, and the delay of its RetryInfo, else the header's."""
    body = error.details.get("error") if isinstance(error.details, Mapping) else None
    listed = body.get("details") if isinstance(body, Mapping) else None
    details = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    reasons = [str(each["reason"]) for each in details if _is(each, "ErrorInfo") and "reason" in each]
    delays = [
        re.fullmatch(r"(\d+(?:\.\d+)?)s", str(each.get("retryDelay"))) for each in details if _is(each, "RetryInfo")
    ]
    delay = next((float(found[1]) for found in delays if found), None)
    headers = getattr(error.response, "headers", None)
    if delay is None and headers is not None:
        delay = sdk_errors.retry_after(headers)
    why = " ".join(filter(None, (error.status, *reasons)))
    return sdk_errors.from_status(error.code, model, why=why, retry_after=delay)


def _is(detail: Mapping[str, Any], kind: str) -> bool:
    return str(detail.get("@type")).endswith(f"google.rpc.{kind}")


def _by_retryable(error: GoogleAuthError, model: str) -> AuroraError:
    kind = ModelUnavailable if error.retryable else ModelRefused
    return kind(f"{model}: no access token for Vertex AI ({type(error).__name__})")
