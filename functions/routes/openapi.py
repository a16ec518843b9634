"""GET /openapi.json: every route of `chat` and `api`, made from the tables, the bodies and the types of the replies."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from functions.http.admission import APP_CHECK
from functions.http.bodies import Body
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
    408: "The request body came too slowly.",
    409: "The resource was changed meanwhile, or has an incompatible state.",
    413: "The request body is too large.",
    429: "A budget is used up, or too much is under way at once; `Retry-After` says for how many seconds.",
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
ANYWHERE = (400, 408, 413, 429, 500, 502, 503)
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
API_VERSION = "1.0"
"""Version of what clients rely on, see docs/stability.md: the first number changes where they must follow, the second
where something is added."""
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
    """Returns the whole description, OpenAPI 3.1."""
    routes = _routes()
    contracts = [OPERATIONS[route.load()] for _, route in routes]
    schemas, components = _schemas(contracts)
    components.update(_stream_schemas(schemas))
    components.update(_callable_envelopes(routes, schemas))

    paths: dict[str, Schema] = {}
    for path, route in routes:
        shown_path = _in_camel_case(path)
        operations = paths.setdefault(shown_path, {})
        method = route.method.lower()
        operations[method] = _operation(path, route, schemas)

    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Aurora Notes",
            "version": API_VERSION,
            "description": DESCRIPTION,
        },
        "servers": _servers("/api"),
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _routes() -> list[tuple[str, Route]]:
    """Returns the routes of `chat` and `api` with their paths."""
    from functions import tables  # noqa: PLC0415 - the tables name this module

    # The others of the `chat` function are there for every function, and `api` has them too.
    routes = [("/chat", route) for route in tables.CHAT if route.pattern == "/"]
    for route in tables.API:
        routes.append((route.pattern, route))
    return routes


def _in_camel_case(path: str) -> str:
    """Writes the names of a path's parameters as JSON does: `/notes/{note_id}` is `/notes/{noteId}`."""

    def as_in_json(parameter: re.Match[str]) -> str:
        name = to_camel(parameter[1])
        return f"{{{name}}}"

    return re.sub(r"\{(\w+)\}", as_in_json, path)


def _servers(function: str) -> list[Schema]:
    """Returns the base addresses: deployed, below the function's name; locally, one address for all."""
    deployed = {
        "url": HOSTED + function,
        "description": "Deployed.",
        "variables": HOST_VARIABLES,
    }
    local = {
        "url": "http://localhost:8080",
        "description": "`aurora dev`.",
    }
    return [deployed, local]


def _schemas(contracts: Iterable[Operation]) -> tuple[Mapping[Any, Schema], dict[str, Schema]]:
    """Returns a reference to each type of the contracts, and the schemas to which the references lead."""
    types: list[Any] = [ErrorJson, *EVENTS.values(), *EXPORT_LINES]
    for contract in contracts:
        for kind in (contract.body, contract.reply):
            if kind is not None:
                types.append(kind)

    inputs: list[Any] = []
    for kind in dict.fromkeys(types):
        adapter = TypeAdapter(kind)
        inputs.append((kind, "validation", adapter))
    template = SCHEMAS + "{model}"
    references, definitions = TypeAdapter.json_schemas(inputs, ref_template=template)

    reference_of = {}
    for (kind, _), reference in references.items():
        reference_of[kind] = reference

    components = definitions.get("$defs", {})
    for schema in components.values():
        _put_defaults_into_words(schema)
    return reference_of, components


def _put_defaults_into_words(schema: Schema) -> None:
    """Moves each default into its description: generators for TypeScript require a field that has one."""
    fields = schema.get("properties", {})
    for field in fields.values():
        default = field.pop("default", None)
        if default in (None, "", [], ()):
            continue

        description = field.get("description", "")
        default_in_json = json.dumps(default)
        described = f"{description} (default {default_in_json})"
        field["description"] = described.strip()


def _operation(path: str, route: Route, schemas: Mapping[Any, Schema]) -> Schema:
    module, _, name = route.handler.partition(":")
    group = route.group or module
    handler = route.load()
    contract = OPERATIONS[handler]
    docstring = inspect.getdoc(handler) or ""
    summary, _, _ = docstring.partition("\n\n")
    words = summary.split()
    function = "/api"
    if path == "/chat":
        function = ""
    security = TO_BE_LET_IN
    if route.public:
        security = []
    described: Schema = {
        "operationId": f"{group}_{name}",
        "servers": _servers(function),
        "tags": [group],
        "summary": " ".join(words),
        "security": security,
    }
    if contract.described is not None:
        described.update(contract.described)
        return described

    described["parameters"] = _parameters(path, contract)
    described["responses"] = _responses(route, contract, schemas)
    if contract.body is not None:
        described["requestBody"] = _request_body(contract.body, route, schemas)
    return described


def _request_body(body: type[Body], route: Route, schemas: Mapping[Any, Schema]) -> Schema:
    """Returns the body of a request, which may be missing if it has no required field."""
    schema = _plain_or_callable(schemas[body], route)
    fields = body.model_fields.values()
    is_required = any(field.is_required() for field in fields)
    return {
        "required": is_required,
        "content": {JSON: {"schema": schema}},
    }


def _plain_or_callable(schema: Schema, route: Route) -> Schema:
    """Returns the schema of a body or a reply, which a callable also takes and sends in an envelope."""
    if not route.callable:
        return schema
    return {"anyOf": [schema, _callable_of(schema)]}


def _parameters(path: str, contract: Operation) -> list[Schema]:
    """Returns the parameters in the path, then those after `?`."""
    parameters: list[Schema] = []
    names_in_path = re.findall(r"\{(\w+)\}", path)
    for name in names_in_path:
        parameters.append(
            {
                "name": to_camel(name),
                "in": "path",
                "required": True,
                "schema": {"type": "string", "pattern": SEGMENT},
            },
        )
    if contract.query is None:
        return parameters

    fields: dict[str, Schema] = contract.query.model_json_schema()["properties"]
    for name, schema in fields.items():
        parameter = {
            "name": name,
            "in": "query",
            "required": False,
            "schema": schema,
        }
        parameters.append(parameter)
    return parameters


def _responses(route: Route, contract: Operation, schemas: Mapping[Any, Schema]) -> Schema:
    """Returns the successful response of a route, then its errors by their status."""
    responses: Schema = {}
    content: Schema = {}
    if contract.reply is not None:
        reply = _plain_or_callable(schemas[contract.reply], route)
        content[JSON] = {"schema": reply}
    for media in contract.media_types:
        content[media] = {"schema": _media_schema(media)}
    if content:
        responses["200"] = {"description": "Done.", "content": content}
    else:
        responses["204"] = {"description": "Done."}

    error_content = {JSON: {"schema": schemas[ErrorJson]}}
    codes = {*ANYWHERE, *contract.errors}
    if "{" in route.pattern:
        codes.update(TO_IDS)
    if not route.public:
        codes.update(TO_CALLERS)
    for code in sorted(codes):
        responses[str(code)] = {
            "description": PROBLEMS[code],
            "content": error_content,
        }
    return responses


def _media_schema(media: str) -> Schema:
    """Returns the schema of one event, line or file of a reply that is no single JSON value."""
    if media == EVENT_STREAM:
        return {"anyOf": [_reference("StreamEvent"), _reference("CallableStreamLine")]}
    if media == NDJSON:
        return _reference("ExportLine")
    if media == ZIP:
        return {"type": "string", "format": "binary"}
    return {"type": "string"}


def _stream_schemas(schemas: Mapping[Any, Schema]) -> dict[str, Schema]:
    """Returns the schemas of a stream's events: as server-sent events, and as lines of a callable's stream."""
    components: dict[str, Schema] = {}
    events: list[Schema] = []
    lines: list[Schema] = []
    for name, kind in EVENTS.items():
        data = schemas[kind]
        event_name = f"{name.title()}Event"
        components[event_name] = _event_schema(name, data)
        events.append(_reference(event_name))
        if name in MESSAGES:
            line_name = f"Callable{name.title()}Line"
            components[line_name] = _line_schema(name, data)
            lines.append(_reference(line_name))

    components["StreamEvent"] = {"oneOf": events}
    heartbeat_type = {"const": "heartbeat"}
    heartbeat = _object({"type": heartbeat_type})
    components["CallableHeartbeatLine"] = _object({"message": heartbeat})
    lines.append(_reference("CallableHeartbeatLine"))

    # A stream ends with a result in its envelope, or with an error.
    result = schemas[EVENTS["result"]]
    error = schemas[EVENTS["error"]]
    lines += [_callable_of(result), error]
    components["CallableStreamLine"] = {
        "oneOf": lines,
        "description": "The text after `data: `.",
    }

    export_lines = [schemas[kind] for kind in EXPORT_LINES]
    components["ExportLine"] = {
        "oneOf": export_lines,
        "description": "One line.",
    }
    return components


def _event_schema(name: str, data: Schema) -> Schema:
    """Returns the schema of a server-sent event."""
    event_name = {"const": name}
    text = {
        "type": "string",
        "contentMediaType": JSON,
        "contentSchema": data,
    }
    return _object({"event": event_name, "data": text})


def _line_schema(name: str, data: Schema) -> Schema:
    """Returns the schema of a callable's message, which holds the data beside its type or under the event's name."""
    type_ = {"const": name}
    if name in NESTED:
        message = _object({"type": type_, name: data})
    else:
        head = _object({"type": type_})
        message = {"allOf": [head, data]}
    return _object({"message": message})


def _callable_envelopes(
    routes: Iterable[tuple[str, Route]],
    schemas: Mapping[Any, Schema],
) -> dict[str, Schema]:
    """Returns the schemas of the bodies that callables send and get: `{"data": …}` and `{"result": …}`."""
    envelopes: dict[str, Schema] = {}
    for _, route in routes:
        if not route.callable:
            continue
        handler = route.load()
        contract = OPERATIONS[handler]
        body = schemas[contract.body]
        body_name = _callable_name(body)
        envelopes[body_name] = _object({"data": body})
        reply = schemas[contract.reply]
        reply_name = _callable_name(reply)
        envelopes[reply_name] = _object({"result": reply})
    return envelopes


def _callable_of(plain: Schema) -> Schema:
    return _reference(_callable_name(plain))


def _callable_name(plain: Schema) -> str:
    name = str(plain["$ref"]).removeprefix(SCHEMAS)
    return "Callable" + name


def _reference(name: str) -> Schema:
    return {"$ref": SCHEMAS + name}


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }
