"""GET /openapi.json: every route of `chat` and `api`, made from the tables, the bodies and the types of the replies."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from functions.http.admission import APP_CHECK
from functions.http.calls import OPERATIONS, Call, Operation, Reply, Route, operation
from functions.http.streams import EVENT_STREAM, NESTED
from functions.routes.account import NDJSON, ZIP
from shared.api.account import EXPORT_LINES
from shared.api.stream import EVENTS
from shared.api.values import ErrorJson

Schema: TypeAlias = dict[str, Any]

JSON = "application/json"
SCHEMAS = "#/components/schemas/"
SEGMENT = r"^[^/\x00-\x1f\x7f]{1,250}$"
"""An id in an address: so many characters have at most the 1,000 bytes that it may have."""
PROBLEMS = {
    400: "A field or parameter is invalid; `metadata` names it and says what was expected.",
    401: "The ID token, or the App Check token where that is enforced, is missing or invalid.",
    403: "This caller may not use that tenant.",
    404: "Not found, or not this caller's.",
    409: "The resource was changed meanwhile, or has an incompatible state.",
    413: "The request body is too large.",
    429: "A budget is used up; `Retry-After` says for how many seconds.",
    500: "Internal error; quote the request id when you report it.",
    502: "The model refused the request; a retry does not help.",
    503: "A model or a store is unavailable; retry after `Retry-After` seconds.",
}
MESSAGES = tuple(name for name in EVENTS if name not in ("result", "error"))
"""Events that a callable's stream has as messages; the others end it."""
HOSTED = "https://{region}-{project}.cloudfunctions.net"
HOST_VARIABLES: Schema = {
    "region": {"default": "europe-west1", "description": "Where the functions are deployed."},
    "project": {"default": "demo-aurora", "description": "The Google Cloud project."},
}
ANYWHERE = (400, 413, 429, 500, 502, 503)
TO_CALLERS = (401, 403)
TO_IDS = (404,)
"""Also where no id is unknown: an address whose id holds a newline is no route's."""
SECURITY_SCHEMES: Mapping[str, Schema] = {
    "idToken": {"type": "http", "scheme": "bearer", "bearerFormat": "Firebase ID token"},
    "appCheck": {
        "type": "apiKey",
        "in": "header",
        "name": APP_CHECK,
        "description": "A Firebase App Check token, where the deployment enforces App Check.",
    },
}
TO_BE_LET_IN: list[Schema] = [{"idToken": []}, {"idToken": [], "appCheck": []}]
"""Either of them: which, a deployment decides."""
DESCRIPTION = (
    "Notes, questions about them, and answers in which every claim points at the exact passage it came from. "
    "Offsets count UTF-16 units; instants are RFC 3339 in UTC; objects may gain fields."
)


@operation(reply=dict[str, object])
def show(_: Call) -> Reply:
    """The OpenAPI description of all routes."""
    return Reply(document())


@cache
def document() -> Mapping[str, object]:
    """The whole description, OpenAPI 3.1."""
    from functions import api, chat  # noqa: PLC0415 - the tables name this module

    asked = [("/chat", route) for route in chat.ROUTES if route.pattern == "/"]
    routes = [*asked, *((route.pattern, route) for route in api.ROUTES)]
    schemas, components = _schemas(OPERATIONS[route.load()] for _, route in routes)
    callables: dict[str, Schema] = {}
    for contract in (OPERATIONS[route.load()] for _, route in routes if route.callable):
        for field, plain in (("data", schemas[contract.body]), ("result", schemas[contract.reply])):  # the envelopes
            callables[_callable_of(plain)["$ref"].removeprefix(SCHEMAS)] = _object({field: plain})
    paths: dict[str, Schema] = {}
    for path, route in routes:
        in_camel_case = re.sub(r"\{(\w+)\}", lambda found: f"{{{to_camel(found[1])}}}", path)
        paths.setdefault(in_camel_case, {})[route.method.lower()] = _operation(path, route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Aurora Notes", "version": "1", "description": DESCRIPTION},
        "servers": _servers("/api"),
        "paths": paths,
        "components": {
            "schemas": {**components, **dict(_stream_schemas(schemas)), **callables},
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _servers(function: str) -> list[Schema]:
    """Base addresses: deployed, below the function's name; locally, one address for all."""
    deployed = {"url": HOSTED + function, "description": "Deployed.", "variables": HOST_VARIABLES}
    return [deployed, {"url": "http://localhost:8080", "description": "`aurora dev`."}]


def _schemas(contracts: Iterable[Operation]) -> tuple[Mapping[Any, Schema], Mapping[str, Schema]]:
    """Each type's reference, and what the references lead to."""
    of_routes = (each for contract in contracts for each in (contract.body, contract.reply) if each is not None)
    types = dict.fromkeys([ErrorJson, *EVENTS.values(), *EXPORT_LINES, *of_routes])
    inputs = [(each, "validation", TypeAdapter(each)) for each in types]
    references, definitions = TypeAdapter.json_schemas(inputs, ref_template=SCHEMAS + "{model}")  # type: ignore[arg-type]
    by_type = {each: schema for (each, _), schema in references.items()}
    return by_type, {name: _with_default_texts(schema) for name, schema in definitions.get("$defs", {}).items()}


def _with_default_texts(schema: Schema) -> Schema:
    """The schema, each default in words: generators for TypeScript take a field that has one for a required one."""
    for field in schema.get("properties", {}).values():
        default = field.pop("default", None)
        if default not in (None, "", [], ()):
            field["description"] = f"{field.get('description', '')} (default {json.dumps(default)})".strip()
    return schema


def _operation(path: str, route: Route, schemas: Mapping[Any, Schema]) -> Schema:
    module, _, name = route.handler.partition(":")
    described: Schema = {
        "operationId": f"{module}_{name}",
        "servers": _servers("" if path == "/chat" else "/api"),
        "tags": [module],
        "summary": " ".join((inspect.getdoc(route.load()) or "").partition("\n\n")[0].split()),
        "security": [] if route.public else TO_BE_LET_IN,
    }
    contract = OPERATIONS[route.load()]
    if contract.described is not None:
        return {**described, **contract.described}
    query = contract.query.model_json_schema()["properties"] if contract.query else {}
    segment = {"in": "path", "required": True, "schema": {"type": "string", "pattern": SEGMENT}}
    described["parameters"] = [
        *({"name": to_camel(name), **segment} for name in re.findall(r"\{(\w+)\}", path)),
        *({"name": name, "in": "query", "required": False, "schema": schema} for name, schema in query.items()),
    ]
    described["responses"] = _responses(route, contract, schemas)
    if contract.body is not None:
        body = schemas[contract.body]
        if route.callable:
            body = {"anyOf": [body, _callable_of(body)]}
        required = any(field.is_required() for field in contract.body.model_fields.values())
        described["requestBody"] = {"required": required, "content": {JSON: {"schema": body}}}
    return described


def _responses(route: Route, contract: Operation, schemas: Mapping[Any, Schema]) -> Schema:
    by_id = TO_IDS if "{" in route.pattern else ()
    codes = sorted({*ANYWHERE, *contract.errors, *by_id, *(() if route.public else TO_CALLERS)})
    problems = {
        str(code): {"description": PROBLEMS[code], "content": {JSON: {"schema": schemas[ErrorJson]}}} for code in codes
    }
    text = {media: {"schema": _text(media)} for media in contract.media_types}
    if contract.reply is None and text:
        return {"200": {"description": "Done.", "content": text}, **problems}
    if contract.reply is None:
        return {"204": {"description": "Done."}, **problems}
    reply = schemas[contract.reply]
    if route.callable:
        reply = {"anyOf": [reply, _callable_of(reply)]}
    return {"200": {"description": "Done.", "content": {JSON: {"schema": reply}, **text}}, **problems}


def _text(media: str) -> Schema:
    """Schema of one event, line or file of a reply that is no single JSON value."""
    if media == EVENT_STREAM:
        return {"anyOf": [_reference("StreamEvent"), _reference("CallableStreamLine")]}
    if media == NDJSON:
        return _reference("ExportLine")
    return {"type": "string", **({"format": "binary"} if media == ZIP else {})}


def _stream_schemas(schemas: Mapping[Any, Schema]) -> Iterator[tuple[str, Schema]]:
    """Each event of a stream as a schema: as server-sent events have it, and as a line of a callable's stream."""
    for name, kind in EVENTS.items():
        data = {"type": "string", "contentMediaType": JSON, "contentSchema": schemas[kind]}
        yield f"{name.title()}Event", _object({"event": {"const": name}, "data": data})
        if name in MESSAGES:
            type_ = {"type": {"const": name}}
            nested = _object({**type_, name: schemas[kind]})
            message = nested if name in NESTED else {"allOf": [_object(type_), schemas[kind]]}
            yield f"Callable{name.title()}Line", _object({"message": message})
    yield "StreamEvent", {"oneOf": [_reference(f"{name.title()}Event") for name in EVENTS]}
    yield "CallableHeartbeatLine", _object({"message": _object({"type": {"const": "heartbeat"}})})
    messages = [_reference(f"Callable{name.title()}Line") for name in (*MESSAGES, "heartbeat")]
    ends = [_callable_of(schemas[EVENTS["result"]]), schemas[EVENTS["error"]]]
    yield "CallableStreamLine", {"oneOf": [*messages, *ends], "description": "The text after `data: `."}
    yield "ExportLine", {"oneOf": [schemas[kind] for kind in EXPORT_LINES], "description": "One line."}


def _callable_of(plain: Schema) -> Schema:
    return _reference("Callable" + str(plain["$ref"]).removeprefix(SCHEMAS))


def _reference(name: str) -> Schema:
    return {"$ref": SCHEMAS + name}


def _object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}
