"""POST /graphql: sessions by GraphQL; GET /graphql/schema. The library loads with this file, on first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    Node,
    execute_sync,
    parse,
    validate,
)
from pydantic import Field

from functions.graphql_schema import SDL, Visit, schema
from functions.http import bodies as _bodies
from functions.http.bodies import Body
from functions.http.calls import Call, Reply, operation
from functions.http.errors import reported
from shared.api.values import GraphQLErrorJson, GraphQLJson
from shared.errors import InvalidArgument

MAX_TOKENS = 2000
"""Words and signs of a document."""
MAX_DEPTH = 16
"""Fields inside fields; the tools' own question about the schema has 15."""
MAX_FIELDS = 400
"""Fields of a document, each as often as fragments bring it; the tools' own question has 220."""

SDL_TYPE = "application/graphql"


class GraphQLBody(Body):
    """The request of /graphql."""

    query: str = Field(description="a GraphQL document, as text")
    variables: dict[str, Any] | None = Field(default=None, description="an object of the document's variables")
    operation_name: str | None = Field(default=None, description="the name of one of the document's operations")
    extensions: dict[str, Any] | None = Field(default=None, description="an object; nothing in it is used")


@operation(body=GraphQLBody, reply=GraphQLJson)
def answer(call: Call) -> Reply:
    """Sessions, their settings and messages, and questions in them; introspection returns the schema.

    An error of the document, or of a field of it, is in `errors` with a code in `extensions`, and the
    status is 200 (GraphQL over HTTP, 6.4.1). A body that is no GraphQL request is 400, as on every route.
    """
    body = _bodies.parse(call.body, GraphQLBody)
    try:
        document = _document(body.query)
    except InvalidArgument as error:
        return Reply({"errors": [_error_json(GraphQLError(error.message, original_error=error))]})
    done = execute_sync(
        schema(), document, root_value=Visit(call), variable_values=body.variables, operation_name=body.operation_name
    )
    reply: GraphQLJson = {"data": done.data}
    if done.errors:
        reply["errors"] = [_error_json(error) for error in done.errors]
    return Reply(reply)


@operation(media_types=(SDL_TYPE,))
def show(_: Call) -> Reply:
    """The schema in GraphQL's own language, for generators of clients."""
    return Reply(None, stream=iter([SDL.lstrip().encode()]), media_type=SDL_TYPE)


def _document(query: str) -> DocumentNode:
    """Raises InvalidArgument("query") for one that is no GraphQL, too large, or does not fit the schema."""
    try:
        document = parse(query, max_tokens=MAX_TOKENS)
    except GraphQLError as error:
        raise InvalidArgument("query", f"a GraphQL document; {error.message}") from None
    except RecursionError:
        raise InvalidArgument("query", "a GraphQL document; it is nested too deeply") from None
    _check_size(document)
    for unfit in validate(schema(), document, max_errors=1):
        raise InvalidArgument("query", f"a document for this schema; {unfit.message}")
    return document


def _check_size(document: DocumentNode) -> None:
    fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
    sizes: dict[str, tuple[int, int, int]] = {}
    measured = (_size(each, fragments, sizes) for each in document.definitions)
    depth, fields, questions = map(max, zip(*measured, strict=True))
    if depth > MAX_DEPTH or fields > MAX_FIELDS:
        raise InvalidArgument("query", f"at most {MAX_FIELDS} fields, at most {MAX_DEPTH} inside each other")
    if questions > 1:  # each is a model's bill, and together they would outlast the request
        raise InvalidArgument("query", "at most one question (`ask`, `askFolders`) in a request")


def _size(
    node: Node, fragments: Mapping[str, FragmentDefinitionNode], sizes: dict[str, tuple[int, int, int]]
) -> tuple[int, int, int]:
    """Depth of the fields in `node`, their number, and how many of them are questions.

    `sizes`: those of the fragments seen so far; a fragment inside itself adds nothing.
    """
    if isinstance(node, FragmentSpreadNode):
        name = node.name.value
        if name not in sizes and name in fragments:
            sizes[name] = (0, 0, 0)
            sizes[name] = _size(fragments[name], fragments, sizes)
        return sizes.get(name, (0, 0, 0))
    selected = getattr(node, "selection_set", None)
    inside: Sequence[Node] = selected.selections if selected else ()
    measured = [_size(each, fragments, sizes) for each in inside]
    own = int(isinstance(node, FieldNode))
    asks = int(isinstance(node, FieldNode) and node.name.value in ("ask", "askFolders"))
    depth = max((depth for depth, *_ in measured), default=0)
    return own + depth, own + sum(each[1] for each in measured), asks + sum(each[2] for each in measured)


def _error_json(error: GraphQLError) -> GraphQLErrorJson:
    """The error in the words of the REST routes."""
    message, extensions = error.message, {"code": "INVALID_ARGUMENT", "reason": "INVALID_FIELD"}
    if error.original_error is not None and not isinstance(error.original_error, GraphQLError):
        public = reported(error.original_error)["error"]
        detail, message = public["details"][0], public["message"]
        extensions = {"code": public["status"], "reason": detail["reason"], **detail.get("metadata", {})}
    reply: GraphQLErrorJson = {"message": message, "extensions": extensions}
    return {**reply, "path": list(error.path)} if error.path else reply
