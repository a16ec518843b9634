"""Google's APIs by their discovery documents: which method a request calls, and what is wrong with its body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from googleapiclient.discovery_cache import DISCOVERY_DOC_DIR

JSON = dict[str, Any]
VERSIONS = {
    "aiplatform": ("v1", "v1beta1"),
    "billingbudgets": ("v1",),
    "cloudbilling": ("v1",),
    "cloudbuild": ("v1",),
    "cloudfunctions": ("v2", "v1"),
    "cloudresourcemanager": ("v1", "v3"),
    "cloudscheduler": ("v1",),
    "eventarc": ("v1",),
    "firebase": ("v1beta1",),
    "firebaserules": ("v1",),
    "firestore": ("v1",),
    "iam": ("v1",),
    "iamcredentials": ("v1",),
    "identitytoolkit": ("v1", "v2"),
    "logging": ("v2",),
    "monitoring": ("v3", "v1"),
    "pubsub": ("v1",),
    "run": ("v2", "v1"),
    "secretmanager": ("v1",),
    "serviceusage": ("v1", "v1beta1"),
    "storage": ("v1",),
}
"""API -> the versions that the tools speak."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method of one version of an API."""

    id: str
    """Like `cloudfunctions.projects.locations.functions.create`."""
    verb: str
    path: re.Pattern[str]
    request: str | None
    """The schema of its body; None if it takes no body."""
    returns: str
    """The schema of its reply."""
    schemas: Mapping[str, JSON]

    def faults(self, body: JSON) -> list[str]:
        """List the request's faults against its schema: unknown fields, wrong types, unknown enum values."""
        if self.request is None:
            return [] if not body else [f"{self.id}: takes no body"]
        return [
            f"{self.id}: {fault}"
            for fault in _faults(body or {}, {"$ref": self.request}, self.schemas, "")
        ]


def find(api: str, verb: str, path: str) -> Method | None:
    """The method that `verb` on `path` (without a query) calls, or None."""
    for version in VERSIONS.get(api, ()):
        for method in _methods(f"{api}.{version}"):
            if method.verb == verb and method.path.fullmatch(path):
                return method
    return None


@cache
def _methods(document: str) -> tuple[Method, ...]:
    content: JSON = json.loads(Path(DISCOVERY_DOC_DIR, f"{document}.json").read_text())
    return tuple(
        Method(
            id=method["id"],
            verb=method["httpMethod"],
            path=_pattern("/" + content["servicePath"] + _template(method)),
            request=method.get("request", {}).get("$ref"),
            returns=method.get("response", {}).get("$ref", ""),
            schemas=content["schemas"],
        )
        for method in _walk(content)
    )


def _template(method: JSON) -> str:
    """The flat path, but where the root of the documents will do as well as a document."""
    rooted = method["id"].endswith((".runQuery", ".listCollectionIds"))
    return str(method["path"] if rooted or "flatPath" not in method else method["flatPath"])


def _walk(resource: JSON) -> Iterator[JSON]:
    yield from resource.get("methods", {}).values()
    for inner in resource.get("resources", {}).values():
        yield from _walk(inner)


def _pattern(template: str) -> re.Pattern[str]:
    """A name may hold a colon where it cannot be taken for that of a custom verb."""
    parts = re.split(r"(\{[^}]+\}/?)", template)
    return re.compile("".join(_part(part) for part in parts))


def _part(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    if part in ("{object}", "{releasesId}"):  # may hold slashes
        return "[^:]+"
    if part.endswith("/"):
        return "[^/]+/"
    return "[^:]+" if part.startswith("{+") else "[^/:]+"


def _faults(value: object, schema: JSON, schemas: Mapping[str, JSON], at: str) -> Iterator[str]:
    schema = schemas[schema["$ref"]] if "$ref" in schema else schema
    match schema.get("type"):
        case "object":
            yield from _object_faults(value, schema, schemas, at)
        case "array" if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _faults(item, schema["items"], schemas, f"{at}[{index}]")
        case "string" if isinstance(value, str | int) and not isinstance(value, bool):
            if "enum" in schema and value not in schema["enum"]:
                yield f"{at}: {value!r} is none of {', '.join(schema['enum'])}"
        case "integer" | "number" if isinstance(value, int | float) and not isinstance(value, bool):
            return
        case "boolean" if isinstance(value, bool):
            return
        case "any":
            return
        case kind:
            yield f"{at}: {type(value).__name__} instead of {kind}"


def _object_faults(
    value: object, schema: JSON, schemas: Mapping[str, JSON], at: str
) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{at}: {type(value).__name__} instead of an object"
        return
    for name, inner in value.items():
        camel = re.sub(
            r"_(\w)", lambda found: found[1].upper(), name
        )  # both spellings of a field are read
        field = schema.get("properties", {}).get(camel, schema.get("additionalProperties"))
        if field is None:
            yield f"{at}.{name}: no such field"
        else:
            yield from _faults(inner, field, schemas, f"{at}.{name}")
