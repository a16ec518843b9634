"""Gemini's REST interface as far as the product uses it, on loopback; API key and Vertex AI paths alike.

Texts get deterministic vectors in which shared words mean nearness; prompts get `answer`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tests.fakes import HashingEmbedder
from tests.servers.gemini_protocol import violations
from tests.servers.scripted import Reply, Request, ScriptedServer

NATIVE_DIMENSION = 3072
"""Dimensions that the models return when none is asked for."""


def error(
    code: int, status: str, *details: dict[str, object], message: str = "Something is wrong."
) -> Reply:
    """A Google API error: `error(429, "RESOURCE_EXHAUSTED", retry_info(7))`."""
    body = {
        "code": code,
        "message": message,
        "status": status,
        "details": list(details),
    }
    return Reply(status=code, body={"error": body})


def retry_info(seconds: float) -> dict[str, object]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds:g}s"}


def error_info(reason: str) -> dict[str, object]:
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
    }


def generated(text: str | None, *, finish_reason: str = "STOP", thoughts: int = 0) -> Reply:
    """A generateContent reply; `text` None: a candidate without content."""
    candidate: dict[str, object] = {"finishReason": finish_reason, "index": 0}
    if text is not None:
        candidate["content"] = {"role": "model", "parts": [{"text": text}]}
    usage = {
        "promptTokenCount": 120,
        "candidatesTokenCount": len((text or "").split()),
        "thoughtsTokenCount": thoughts,
    }
    return Reply(
        body={
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "fake",
        }
    )


def streamed(
    *texts: str,
    finish_reason: str | None = "STOP",
    pause: float | None = None,
    **how: Any,  # noqa: ANN401 - Reply's own
) -> Reply:
    """A streamGenerateContent reply, an event a text; usage counts up, the reason comes with the last."""
    events = [generated("".join(texts[: place + 1])).body for place in range(len(texts))]
    for event, text in zip(events, texts, strict=True):
        assert isinstance(event, dict)
        event["candidates"][0] = {
            "content": {"role": "model", "parts": [{"text": text}]},
            "index": 0,
        }
    if events:
        assert isinstance(events[-1], dict)
        events[-1]["candidates"][0]["finishReason"] = finish_reason
    return sse(*events, pause=pause, **how)


def sse(*events: object, **how: Any) -> Reply:  # noqa: ANN401 - Reply's own
    """Any server-sent events."""
    body = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events)
    return Reply(
        body=body.encode(),
        headers={"Content-Type": "text/event-stream"},
        **how,
    )


def blocked(reason: str) -> Reply:
    """A reply to a prompt that was not let through to the model."""
    return Reply(
        body={"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 120}}
    )


def embedded(*vectors: Sequence[float]) -> Reply:
    return Reply(body={"embeddings": [{"values": list(vector)} for vector in vectors]})


class GeminiServer(ScriptedServer):
    """`answer_text` is what every prompt gets. Vectors are not of unit length, as with real models.

    A request that the published protocol does not know is refused, and told when the server closes: whatever stood in
    for the model must not hide it.
    """

    def __init__(
        self, answer_text: str = "You decided on Cloud Run [N1].", *, pause: float | None = None
    ) -> None:
        """`pause`: seconds before each word of a streamed answer."""
        self.answer_text = answer_text
        self.pause = pause
        self.stream: Reply | None = None
        """Reply to streamed requests. With None, they get `answer_text`, too."""
        self.violations: list[str] = []
        super().__init__(self._route)

    @property
    def embedded_texts(self) -> list[str]:
        """Every text that was sent for embedding, in order, with the prefixes it came with."""
        requests = [request for request in self.requests if "mbedContent" in request.path]
        return [
            _text_of(part["content"]) for request in requests for part in _embed_requests(request)
        ]

    def reply_to(self, request: Request) -> Reply:
        wrong = violations(request.path, request.json())
        self.violations += wrong
        reply = super().reply_to(request)
        return error(400, "INVALID_ARGUMENT", message=wrong[0]) if wrong else reply

    def close(self) -> None:
        super().close()
        assert self.violations == []

    def _route(self, request: Request) -> Reply:
        method = re.search(r":(\w+)", request.path.rpartition("/")[2])
        match method.group(1) if method else None:
            case "batchEmbedContents":
                return embedded(*map(_vector, _embed_requests(request)))
            case "embedContent":
                return Reply(body={"embedding": {"values": _vector(request.json())}})
            case "generateContent":
                return generated(self.answer_text)
            case "streamGenerateContent":
                return self.stream or streamed(
                    *re.findall(r"\S+\s*", self.answer_text), pause=self.pause
                )
        return error(404, "NOT_FOUND", message=f"No such method: {request.path}")


def _embed_requests(request: Request) -> list[dict[str, Any]]:
    body = request.json()
    parts: list[dict[str, Any]] = body.get("requests", [body])
    return parts


def _vector(part: dict[str, Any]) -> list[float]:
    dimension = part.get("outputDimensionality") or part.get("embedContentConfig", {}).get(
        "outputDimensionality"
    )
    vector = HashingEmbedder(dimension or NATIVE_DIMENSION).embed_query(_text_of(part["content"]))
    return [3 * value for value in vector]


def _text_of(content: dict[str, Any]) -> str:
    return "".join(part["text"] for part in content["parts"])
