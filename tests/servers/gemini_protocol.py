"""Checks requests to Gemini against the published protocols: an unknown field or value is refused by the real servers.

For the Developer API the protocol buffers of google-ai-generativelanguage, of the version in the path; for Vertex AI
the discovery document of that version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from google.protobuf.json_format import ParseDict, ParseError  # type: ignore[import-untyped]

from tests.servers.discovery import find

_DEVELOPER = re.compile(
    r"/(?P<version>v\w+)/(?P<model>models/[^/:]+):(?P<method>\w+)(?:\?alt=sse)?"
)
_MESSAGES = {
    "generateContent": "GenerateContentRequest",
    "streamGenerateContent": "GenerateContentRequest",
    "embedContent": "EmbedContentRequest",
    "batchEmbedContents": "BatchEmbedContentsRequest",
}
_LEVELS = ("MINIMAL", "LOW", "MEDIUM", "HIGH")
"""`thinkingConfig.thinkingLevel` of v1beta, documented with Gemini 3 (ai.google.dev/gemini-api/docs/thinking), not yet
in google-ai-generativelanguage 0.12.1; the levels are also those of Vertex AI's document."""


def violations(path: str, body: Mapping[str, Any]) -> list[str]:
    """List what the protocol does not know of a request; empty: nothing."""
    if match := _DEVELOPER.fullmatch(path):
        return _developer(match["version"], match["method"], body)
    method = find("aiplatform", "POST", path.removesuffix("?alt=sse"))
    return method.faults(dict(body)) if method else [f"no API has the path {path}"]


def _developer(version: str, method: str, body: Mapping[str, Any]) -> list[str]:
    try:
        message = getattr(
            import_module(f"google.ai.generativelanguage_{version}"), _MESSAGES[method]
        )
    except (ModuleNotFoundError, KeyError):
        return [f"{version} has no method {method}"]
    rest, wrong = _without_level(body) if version == "v1beta" else (body, [])
    try:
        ParseDict(dict(rest), message.pb()())
    except ParseError as error:
        return [*wrong, f"{version} {method}: {error}"]
    return wrong


def _without_level(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    config = body.get("generationConfig", {})
    thinking = dict(config.get("thinkingConfig", {}))
    level = thinking.pop("thinking_level", None) or thinking.pop("thinkingLevel", None)
    if level is None:
        return body, []
    rest = {**body, "generationConfig": {**config, "thinkingConfig": thinking}}
    return rest, [] if level in _LEVELS else [f"thinkingLevel has no value {level}"]
