"""GET /openapi.json: every route of `chat` and `api`, made from the tables, the bodies and the types of the replies."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from functions._app_check import APP_CHECK
from functions._calls import Call, Reply, Route
from functions._operations import OPERATIONS, Operation, operation
from shared.wire_types import ErrorJson

Schema: TypeAlias = dict[str, Any]

JSON = "application/json"
JSON_RPC: Schema = {"type": "object", "properties": {"jsonrpc": {"const": "2.0"}}, "required": ["jsonrpc"]}
"""A message of a protocol that describes itself further."""
JSON_RPC_PATHS = frozenset({"/mcp"})
SCHEMAS = "#/components/schemas/"
SEGMENT = r"^[^/\x00-\x1f\x7f]{1,128}$"
"""An id in an address."""
PROBLEMS = {
    400: "A field or parameter is bad; `metadata` names it and says what was expected.",
    401: "There is no ID token, or none of App Check where that is enforced, or it does not verify.",
    403: "A tenant that this caller may not use.",
    404: "There is no such thing for this caller.",
    409: "Somebody else changed it first.",
    413: "The body is too large.",
    429: "A budget is used up; `Retry-After` says for how many seconds.",
    500: "Our fault; quote the request id.",
    502: "The model refused, and would again.",
    503: "A model or a store is away; try again after `Retry-After` seconds.",
}
TEXTS: Mapping[str, Schema] = {
    "text/event-stream": {
        "type": "object",
        "description": "One event of the stream; a callable's have no name. `data` is JSON.",
        "properties": {
            "event": {
                "type": "string",
                "enum": ["start", "query", "sources", "token", "citation", "retract", "usage", "result", "error"],
            },
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
}
"""What is no plain text."""
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
    """What all routes take and give, as you read it."""
    return Reply(document())


@cache
def document() -> Mapping[str, object]:
    """The whole description, OpenAPI 3.1."""
    routes = list(_routes())
    schemas, components = _schemas(routes)
    paths: dict[str, Schema] = {}
    for path, route in routes:
        paths.setdefault(_camel(path), {})[route.method.lower()] = _operation(path, route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Aurora Notes", "version": "1", "description": DESCRIPTION},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _routes() -> Iterator[tuple[str, Route]]:
    """Path -> route, as they lie under one address."""
    from functions import api, chat  # noqa: PLC0415 - the tables name this module

    for route in chat.ROUTES:
        if route.pattern == "/":
            yield "/chat", route
    for route in api.ROUTES:
        yield route.pattern, route


def contract_of(route: Route) -> Operation:
    """What stands beside the route's handler. Raises KeyError where nothing does."""
    return OPERATIONS[route.load()]


def _types(path: str, route: Route) -> Iterator[Any]:
    if path in JSON_RPC_PATHS:
        return
    contract = contract_of(route)
    yield from (each for each in (contract.body, contract.reply) if each is not None)


def _schemas(routes: list[tuple[str, Route]]) -> tuple[Mapping[Any, Schema], Mapping[str, Schema]]:
    """Each type's reference, and what the references lead to."""
    types = list(dict.fromkeys([ErrorJson, *(each for path, route in routes for each in _types(path, route))]))
    inputs = [(each, "validation", TypeAdapter(each)) for each in types]
    references, definitions = TypeAdapter.json_schemas(inputs, ref_template=SCHEMAS + "{model}")  # type: ignore[arg-type]
    by_type = {each: schema for (each, _), schema in references.items()}
    return by_type, definitions.get("$defs", {})


def _operation(path: str, route: Route, schemas: Mapping[Any, Schema]) -> Schema:
    module, _, name = route.handler.partition(":")
    described: Schema = {
        "operationId": f"{module}_{name}",
        "tags": [module],
        "summary": _summary(route.load()),
        "security": [] if route.public else TO_BE_LET_IN,
    }
    return described | (_json_rpc() if path in JSON_RPC_PATHS else _contract(path, route, schemas))


def _json_rpc() -> Schema:
    """How messages travel; what they say is the protocol's own matter."""
    return {
        "requestBody": {"required": True, "content": _content(JSON_RPC)},
        "responses": {
            "200": {"description": "The answer, or the protocol's own error.", "content": _content(JSON_RPC)},
            "202": {"description": "Taken; it asked for no answer."},
            "default": {
                "description": "An error, in the protocol's words or as on every other route.",
                "content": _content({"type": "object"}),
            },
        },
    }


def _contract(path: str, route: Route, schemas: Mapping[Any, Schema]) -> Schema:
    """What a route of our own takes and gives."""
    contract = contract_of(route)
    described: Schema = {
        "parameters": [*_segments(path), *_parameters(contract)],
        "responses": _responses(route, contract, schemas),
    }
    if contract.body is not None:
        body = schemas[contract.body]
        if contract.callable:
            body = {"anyOf": [body, _wrapped("data", body)]}
        described["requestBody"] = {"required": contract.body_required, "content": {JSON: {"schema": body}}}
    return described


def _summary(handler: object) -> str:
    """The first paragraph of its docstring, else of its module's."""
    text = inspect.getdoc(handler) or inspect.getdoc(inspect.getmodule(handler)) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _segments(path: str) -> Iterator[Schema]:
    for name in re.findall(r"\{(\w+)\}", path):
        yield {"name": to_camel(name), "in": "path", "required": True, "schema": {"type": "string", "pattern": SEGMENT}}


def _parameters(contract: Operation) -> Iterator[Schema]:
    if contract.query is None:
        return
    for name, schema in contract.query.model_json_schema()["properties"].items():
        yield {"name": name, "in": "query", "required": False, "schema": schema}


def _responses(route: Route, contract: Operation, schemas: Mapping[Any, Schema]) -> Schema:
    by_id = TO_IDS if "{" in route.pattern else ()
    codes = sorted({*ANYWHERE, *contract.errors, *by_id, *(() if route.public else TO_CALLERS)})
    problems = {str(code): {"description": PROBLEMS[code], "content": _content(schemas[ErrorJson])} for code in codes}
    text = {media: {"schema": TEXTS.get(media, {"type": "string"})} for media in contract.media_types}
    if contract.reply is None and text:
        return {"200": {"description": "Done.", "content": text}, **problems}
    if contract.reply is None:
        return {"204": {"description": "Done."}, **problems}
    reply = schemas[contract.reply]
    if contract.callable:
        reply = {"anyOf": [reply, _wrapped("result", reply)]}
    return {"200": {"description": "Done.", "content": {**text, **_content(reply)}}, **problems}


def _content(schema: Schema) -> Schema:
    return {JSON: {"schema": schema}}


def _wrapped(name: str, schema: Schema) -> Schema:
    return {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}


def _camel(path: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: f"{{{to_camel(found[1])}}}", path)
