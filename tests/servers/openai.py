"""The OpenAI interface as far as the product uses it (`/v1/embeddings`, `/v1/chat/completions`), on loopback."""

from __future__ import annotations

import base64
import json
import re
from array import array
from collections.abc import Sequence
from typing import Any, Literal

from tests.fakes import HashingEmbedder
from tests.servers.scripted import Reply, Request, ScriptedServer


def error(status: int, code: str, *, headers: dict[str, str] | None = None) -> Reply:
    body = {
        "message": "Something is wrong.",
        "type": "error",
        "code": code,
        "param": None,
    }
    return Reply(
        status=status,
        body={"error": body},
        headers=headers or {},
    )


def completed(
    text: str | None, *, finish_reason: str = "stop", refusal: str | None = None
) -> Reply:
    """A chat completion; `text` None: a message without content."""
    message = {
        "role": "assistant",
        "content": text,
        "refusal": refusal,
    }
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": finish_reason,
    }
    usage = {
        "prompt_tokens": 120,
        "completion_tokens": 7,
        "total_tokens": 127,
    }
    return Reply(
        body={
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "choices": [choice],
            "usage": usage,
        }
    )


def chunked(*texts: str, finish_reason: str | None = "stop", **how: Any) -> Reply:  # noqa: ANN401 - Reply's own
    """A streamed completion: a chunk a text, one with the reason, one with the usage, `[DONE]`."""
    choices: list[dict[str, object]] = [
        {"index": 0, "delta": {"content": text}, "finish_reason": None} for text in texts
    ]
    choices.append(
        {
            "index": 0,
            "delta": {},
            "finish_reason": finish_reason,
        }
    )
    events: list[dict[str, object]] = [
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "m",
            "choices": [choice],
        }
        for choice in choices
    ]
    events.append(
        {
            "id": "c",
            "choices": [],
            "usage": {"prompt_tokens": 120, "completion_tokens": 7},
        }
    )
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return Reply(
        body=body.encode(),
        headers={"Content-Type": "text/event-stream"},
        **how,
    )


def by_ollama(*texts: str, **how: Any) -> Reply:  # noqa: ANN401 - Reply's own
    """A completion as Ollama streams it: the role with every chunk, no usage, and a last chunk without text."""
    choices = [_by_ollama(text, None) for text in texts] + [_by_ollama("", "stop")]
    head = {
        "id": "chatcmpl-7",
        "object": "chat.completion.chunk",
        "model": "llama3.2",
        "system_fingerprint": "fp_ollama",
    }
    events = [{**head, "created": 1732233600, "choices": [choice]} for choice in choices]
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return Reply(
        body=body.encode(),
        headers={"Content-Type": "text/event-stream"},
        **how,
    )


def _by_ollama(text: str, finish_reason: str | None) -> dict[str, object]:
    return {
        "index": 0,
        "delta": {"role": "assistant", "content": text},
        "finish_reason": finish_reason,
    }


class OpenAIServer(ScriptedServer):
    """A server with its own ideas, as there are many.

    `dimension`: length of its vectors, whatever is asked for; None for the length that is asked for.
    `encoding`: "asked" follows the request, "float" and "base64" do not care.
    """

    def __init__(
        self,
        *,
        dimension: int | None = None,
        encoding: Literal["asked", "float", "base64"] = "asked",
    ) -> None:
        self.answer_text = "You decided on Cloud Run [N1]."
        self.failure: Reply | None = None
        """Whatever is to be written gets this; unlike what `script` takes, no list of models does."""
        self._dimension = dimension
        self._encoding = encoding
        super().__init__(self._route)

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def _route(self, request: Request) -> Reply:
        match request.path:
            case "/v1/embeddings":
                return self._embeddings(request)
            case "/v1/chat/completions":
                if self.failure is not None:
                    return self.failure
                if request.json().get("stream"):
                    return chunked(*re.findall(r"\S+\s*", self.answer_text))
                return completed(self.answer_text)
            case "/v1/models":
                return Reply(
                    body={
                        "data": [
                            {"id": "llama"},
                            {"id": "qwen"},
                        ]
                    }
                )
        return error(404, "not_found")

    def _embeddings(self, request: Request) -> Reply:
        body = request.json()
        texts: list[str] = [body["input"]] if isinstance(body["input"], str) else body["input"]
        dimension = self._dimension or body.get("dimensions") or 1536
        vectors = [HashingEmbedder(dimension).embed_query(text) for text in texts]
        encoding = body.get("encoding_format", "float")
        encode = (
            _base64
            if (encoding if self._encoding == "asked" else self._encoding) == "base64"
            else list
        )
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": encode(vector),
            }
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return Reply(
            body={
                "object": "list",
                "data": data,
                "model": body["model"],
                "usage": usage,
            }
        )


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(array("f", vector).tobytes()).decode()
