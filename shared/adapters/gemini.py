"""Gemini as embedder and writer, with an API key or through Vertex AI: texts -> unit vectors, prompt -> draft."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from shared.adapters import sdk_errors
from shared.adapters.remote import ModelReply, Remote, RemoteEmbedder, RemoteWriter, attach
from shared.errors import AuroraError, ModelMisconfigured, ModelRefused, ModelUnavailable
from shared.model.answers import Prompt, Usage
from shared.ports.models import MAX_WRITTEN

if TYPE_CHECKING:
    from ssl import SSLContext

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


class _Task(NamedTuple):
    """Task of an embedding."""

    prefix: str
    """Task as a part of the text."""
    type: str
    """Task as a field of the request."""


_QUERY_TASK = _Task("task: search result | query: ", "RETRIEVAL_QUERY")
_DOCUMENT_TASK = _Task("title: none | text: ", "RETRIEVAL_DOCUMENT")
_THINKING = {"gemini-3.5-flash-lite": "MINIMAL"}
"""Model -> least thinking it accepts. Other models choose: gemini-3.8-flash refuses MINIMAL."""
_LAST_WITH_TEMPERATURE = (3, 4)
"""From gemini-3.5-flash-lite on, `temperature` is ignored and announced to become an error."""
_CUT = frozenset({"MAX_TOKENS", "CONTINUATION"})
"""Reasons of an end at the model's limit."""
_UNBLOCKED = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED"}) | _CUT
_HOOKS = {"event_hooks": {"response": [attach]}}
"""The SDK keeps its responses to itself; this is how a stream can be ended from outside."""


@cache
def _trusted_certificates() -> SSLContext:
    """Returns the certificates that this machine trusts, read once; of SSL_CERT_FILE and SSL_CERT_DIR the file counts.

    The SDK would read them twice a client, for requests and for sockets that are never opened: 30 ms each time.
    """
    from httpx2 import create_ssl_context  # noqa: PLC0415 - loaded with the SDK

    return create_ssl_context()


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
            options = types.HttpOptions(
                base_url=self.base_url,
                client_args=_HOOKS,  # the certificate of this machine, if it has one, is the SDK's choice
                async_client_args={"ssl": _trusted_certificates()},
            )
            return Client(
                enterprise=True,
                project=self.project,
                location=self.location,
                http_options=options,
            )
        options = types.HttpOptions(
            base_url=self.base_url or PUBLIC_ADDRESS,
            api_version=DEVELOPER_VERSION,
            client_args={**_HOOKS, "verify": _trusted_certificates()},
            async_client_args={"ssl": _trusted_certificates()},
        )
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

    def _request(
        self,
        texts: Sequence[str],
        seconds: float,
        *,
        as_query: bool,
    ) -> list[list[float]]:
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        config = types.EmbedContentConfig(
            output_dimensionality=self.dimension,
            http_options=_within(seconds),
        )
        task = _DOCUMENT_TASK
        if as_query:
            task = _QUERY_TASK
        prefix = ""
        if _name(self.model).startswith("gemini-embedding-2"):
            prefix = task.prefix
        else:
            config.task_type = task.type
        # A list of strings would come back as a single vector of them all.
        contents = []
        for text in texts:
            part = types.Part(text=prefix + text)
            contents.append(types.Content(role="user", parts=[part]))
        models = self.client().models
        reply = models.embed_content(model=self.model, contents=contents, config=config)
        return [embedding.values or [] for embedding in reply.embeddings or []]


@dataclass(kw_only=True, eq=False, repr=False)
class GeminiWriter(GeminiRemote, RemoteWriter["Client"]):
    """`temperature`: 0-2, left out for models that do not take one."""

    model: str = DEFAULT_CHAT_MODEL

    def _request(self, prompt: Prompt, seconds: float) -> ModelReply:
        contents, config = self._arguments(prompt, seconds)
        models = self.client().models
        reply = models.generate_content(model=self.model, contents=contents, config=config)
        return _reply(reply, self.model)

    def _streamed(self, prompt: Prompt, seconds: float) -> Iterator[ModelReply]:
        contents, config = self._arguments(prompt, seconds)
        models = self.client().models
        parts = models.generate_content_stream(model=self.model, contents=contents, config=config)
        while True:
            try:
                part = next(parts, None)
            except (AttributeError, TypeError) as error:
                # The SDK parses events without checking their form.
                raise sdk_errors.misshapen(error, self.model) from error
            if part is None:
                return
            yield _reply(part, self.model)

    def _arguments(
        self,
        prompt: Prompt,
        seconds: float,
    ) -> tuple[types.Content, types.GenerateContentConfig]:
        """Returns the contents and the configuration of a request."""
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        contents = types.Content(role="user", parts=[types.Part(text=prompt.user)])
        config = types.GenerateContentConfig(
            system_instruction=prompt.system,
            max_output_tokens=MAX_WRITTEN,
            response_json_schema=prompt.schema,
            automatic_continuation=False,  # every continuation is another bill
            http_options=_within(seconds),
        )
        if prompt.schema is not None:
            config.response_mime_type = "application/json"
        if takes_temperature(self.model):
            config.temperature = self.temperature
        level = _THINKING.get(_name(self.model))
        if level is not None:
            thinking_level = types.ThinkingLevel(level)
            config.thinking_config = types.ThinkingConfig(thinking_level=thinking_level)
        return contents, config


def _name(model: str) -> str:
    """Returns the last part of a model's name, as in `publishers/google/models/NAME`."""
    return model.rpartition("/")[2]


def takes_temperature(model: str) -> bool:
    """Reports whether `temperature` may be sent; models whose name holds no version are spared it."""
    version = re.search(r"gemini-(\d+)(?:\.(\d+))?(?=-|$)", model)
    if version is None:
        return False
    major = int(version[1])
    minor = int(version[2] or 0)
    return (major, minor) <= _LAST_WITH_TEMPERATURE


def _reply(reply: types.GenerateContentResponse, model: str) -> ModelReply:
    """Reads a reply, or a part of one. Raises ModelRefused for one that was blocked."""
    candidates = reply.candidates or []
    reason = "STOP"
    if candidates and candidates[0].finish_reason:
        reason = candidates[0].finish_reason.name
    if reply.prompt_feedback and reply.prompt_feedback.block_reason:
        block_reason = reply.prompt_feedback.block_reason.name
        raise ModelRefused(f"{model}: the prompt was blocked ({block_reason})")
    if reason not in _UNBLOCKED:
        raise ModelRefused(f"{model}: the reply was blocked ({reason})")
    text = ""
    if candidates:
        text = reply.text or ""
    return ModelReply(
        text=text,
        reason=reason,
        ended=any(candidate.finish_reason for candidate in candidates),
        truncated=reason in _CUT,
        usage=_usage(reply.usage_metadata),
    )


def _usage(counts: types.GenerateContentResponseUsageMetadata | None) -> Usage | None:
    """Reads the counts of tokens. Thoughts are billed as output."""
    if counts is None:
        return None
    read = counts.prompt_token_count or 0
    written = counts.candidates_token_count or 0
    thoughts = counts.thoughts_token_count or 0
    return Usage(read, written + thoughts)


def _within(seconds: float) -> types.HttpOptions:
    """Returns options of a request that may take so long. The SDK itself does not retry by default."""
    from google.genai import types  # noqa: PLC0415

    milliseconds = max(1, math.ceil(seconds * 1000))
    server_seconds = max(math.ceil(seconds), MIN_SERVER_TIMEOUT)
    headers = {"X-Server-Timeout": str(server_seconds)}
    return types.HttpOptions(timeout=milliseconds, headers=headers)


def _by_status(error: APIError, model: str) -> AuroraError:
    """Translates a status, with the reasons of `error.details[]` and the delay of its RetryInfo, else the header's."""
    details = _details(error)
    codes = [error.status]
    for detail in details["ErrorInfo"]:
        if "reason" in detail:
            codes.append(str(detail["reason"]))
    delay = None
    for detail in details["RetryInfo"]:
        retry_delay = str(detail.get("retryDelay"))
        seconds = re.fullmatch(r"(\d+(?:\.\d+)?)s", retry_delay)
        if seconds is not None:
            delay = float(seconds[1])
            break
    headers = getattr(error.response, "headers", None)
    if delay is None and headers is not None:
        delay = sdk_errors.retry_after(headers)
    why = " ".join(filter(None, codes))
    return sdk_errors.from_status(error.code, model, why=why, retry_after=delay)


def _details(error: APIError) -> Mapping[str, list[Mapping[str, Any]]]:
    """Returns the details of an error by their type, a name in google.rpc. An error may have any form."""
    by_type: dict[str, list[Mapping[str, Any]]] = {"ErrorInfo": [], "RetryInfo": []}
    if not isinstance(error.details, Mapping):
        return by_type
    body = error.details.get("error")
    if not isinstance(body, Mapping):
        return by_type
    details = body.get("details")
    if not isinstance(details, list):
        return by_type
    for detail in details:
        if not isinstance(detail, Mapping):
            continue
        for name, details_of_type in by_type.items():
            if str(detail.get("@type")).endswith(f"google.rpc.{name}"):
                details_of_type.append(detail)
    return by_type


def _by_retryable(error: GoogleAuthError, model: str) -> AuroraError:
    """Translates a failure to get an access token for Vertex AI."""
    message = f"{model}: no access token for Vertex AI ({type(error).__name__})"
    if error.retryable:
        return ModelUnavailable(message, is_billed=False)
    return ModelMisconfigured(
        message,
        advice="Give the account of the functions the role roles/aiplatform.user.",
    )
