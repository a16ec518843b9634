"""What is read of the server's replies. The SDK hands on whatever came; these say what must have come."""

from __future__ import annotations

import base64
from array import array
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field


def _floats(value: object) -> object:
    return array("f", base64.b64decode(value, validate=True)).tolist() if isinstance(value, str) else value


class Embedding(BaseModel):
    """`embedding` comes as numbers or as base64 of little-endian float32. Servers that omit `index` keep the order."""

    embedding: Annotated[list[float], BeforeValidator(_floats)]
    index: int = 0


class Embeddings(BaseModel):
    """Reply of `/embeddings`."""

    data: list[Embedding]


class Said(BaseModel):
    """A message, or what a part adds to it. `refusal`: OpenAI's models say there why they would not answer."""

    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    """`finish_reason`: stop, length, content_filter, tool_calls, …; some servers omit it."""

    said: Said = Field(alias="message")
    finish_reason: str | None = None


class TokenCounts(BaseModel):
    """What was billed."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


class Completion(BaseModel):
    """Reply of `/chat/completions`."""

    choices: list[Choice]
    usage: TokenCounts | None = None


class ChunkChoice(BaseModel):
    """`finish_reason` comes with the last."""

    said: Said = Field(default=Said(), alias="delta")
    finish_reason: str | None = None


class Chunk(BaseModel):
    """One event of a streamed completion; the one that carries `usage` has no choices."""

    choices: list[ChunkChoice] = []
    usage: TokenCounts | None = None
