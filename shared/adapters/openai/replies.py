"""Forms of the server's replies, for the fields that are read. The SDK passes on any reply; these types check it."""

from __future__ import annotations

import base64
from array import array
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field


def _floats(value: object) -> object:
    """Decodes base64 of little-endian float32; returns any other value as it is."""
    if not isinstance(value, str):
        return value
    return array("f", base64.b64decode(value, validate=True)).tolist()


class Embedding(BaseModel):
    """`embedding` comes as numbers or as base64 of little-endian float32. Servers that omit `index` keep the order."""

    embedding: Annotated[list[float], BeforeValidator(_floats)]
    index: int = 0


class Embeddings(BaseModel):
    """Reply of `/embeddings`."""

    data: list[Embedding]


class ReplyMessage(BaseModel):
    """A message, or an addition to it. `refusal`: reason for which OpenAI's models would not answer."""

    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    """`finish_reason`: stop, length, content_filter, tool_calls, …; some servers omit it."""

    message: ReplyMessage
    finish_reason: str | None = None


class TokenCounts(BaseModel):
    """Tokens that are billed."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(BaseModel):
    """Reply of `/chat/completions`."""

    choices: list[Choice]
    usage: TokenCounts | None = None


class ChunkChoice(BaseModel):
    """`finish_reason` comes with the last."""

    message: ReplyMessage = Field(default=ReplyMessage(), alias="delta")
    finish_reason: str | None = None


class Chunk(BaseModel):
    """One event of a streamed completion; the one that carries `usage` has no choices."""

    choices: list[ChunkChoice] = []
    usage: TokenCounts | None = None
