"""What the published protocols say of a request to Gemini: an unknown field or value is refused by the real servers.

For the Developer API the protocol buffers of google-ai-generativelanguage, of the version in the path; for Vertex AI
the discovery document of that version, which google-api-python-client brings along.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from google.protobuf.json_format import ParseDict, ParseError  # type: ignore[import-untyped]

_DEVELOPER = re.compile(r"/(?P<version>v\w+)/(?P<model>models/[^/:]+):(?P<method>\w+)(?:\?alt=sse)?")
_VERTEX = re.compile(
    r"/(?P<version>v\w+)/projects/[^/]+/locations/[^/]+/publishers/[^/]+/models/[^/:]+:(?P<method>\w+)(?:\?alt=sse)?"
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
    """What of a request its protocol does not know; none: nothing."""
    if found := _DEVELOPER.fullmatch(path):
        return _developer(found["version"], found["method"], body)
    if found := _VERTEX.fullmatch(path):
        return _vertex(found["version"], found["method"], body)
    return [f"no API has the path {path}"]


# -- Developer API


def _developer(version: str, method: str, body: Mapping[str, Any]) -> list[str]:
    try:
        message = getattr(import_module(f"google.ai.generativelanguage_{version}"), _MESSAGES[method])
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


# -- Vertex AI


def _vertex(version: str, method: str, body: Mapping[str, Any]) -> list[str]:
    schemas, requests = _discovery(version)
    if method not in requests:
        return [f"Vertex AI {version} has no method {method}"]
    return list(_unknown(body, {"$ref": requests[method]}, schemas, method))


@lru_cache
def _discovery(version: str) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Schemas by name, and the schema of each method's request for a publisher's models."""
    spec = find_spec("googleapiclient")
    assert spec is not None
    assert spec.origin is not None
    file = Path(spec.origin).parent / "discovery_cache" / "documents" / f"aiplatform.{version}.json"
    if not file.exists():
        return {}, {}
    document = json.loads(file.read_text())
    models: Any = document
    for part in ("projects", "locations", "publishers", "models"):
        models = models["resources"][part]
    methods = models["methods"].items()
    return document["schemas"], {name: method["request"]["$ref"] for name, method in methods if "request" in method}


def _unknown(value: object, schema: Mapping[str, Any], schemas: Mapping[str, Any], place: str) -> Iterator[str]:
    schema = schemas[schema["$ref"]] if "$ref" in schema else schema
    match value:
        case dict() if schema.get("type") == "object":
            for name, inner in value.items():
                known = schema.get("properties", {}).get(_camel(name), schema.get("additionalProperties"))
                if known is None:
                    yield f"{place} has no field {name}"
                else:
                    yield from _unknown(inner, known, schemas, f"{place}.{name}")
        case list() if schema.get("type") == "array":
            for inner in value:
                yield from _unknown(inner, schema["items"], schemas, place)
        case str() if "enum" in schema and value not in schema["enum"]:
            yield f"{place} has no value {value}"
        case _ if not _fits(value, schema.get("type")):
            yield f"{place} is of another type than {type(value).__name__}"


def _fits(value: object, kind: str | None) -> bool:
    """As JSON is read by Google's servers: 64-bit numbers may come as text."""
    if kind in (None, "any"):
        return True
    kinds = {"string": (str,), "boolean": (bool,), "integer": (int, str), "number": (int, float), "object": (dict,)}
    return isinstance(value, kinds.get(str(kind), (list,)))


def _camel(name: str) -> str:
    """Both spellings of a field are read."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)
