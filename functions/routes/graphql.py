"""POST /graphql: sessions by GraphQL; GET /graphql/schema. The library loads with this file, on first call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

from functions.graphql_schema import SDL, RequestRoot, schema
from functions.http import bodies as _bodies
from functions.http.bodies import Body, with_example
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

QUESTIONS = ("ask", "askFolders")
"""Fields of the schema that ask a model."""
SDL_TYPE = "application/graphql"


class GraphQLBody(Body):
    """The request of /graphql."""

    model_config = with_example(
        query="{ sessions { sessions { sessionId title } } }",
    )

    query: str = Field(description="a GraphQL document, as text")
    variables: dict[str, Any] | None = Field(
        default=None,
        description="an object of the document's variables",
    )
    operation_name: str | None = Field(
        default=None,
        description="the name of one of the document's operations",
    )
    extensions: dict[str, Any] | None = Field(
        default=None,
        description="an object; nothing in it is used",
    )


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
        refusal = GraphQLError(error.message, original_error=error)
        return Reply({"errors": [_error_json(refusal)]})

    result = execute_sync(
        schema(),
        document,
        root_value=RequestRoot(call),
        variable_values=body.variables,
        operation_name=body.operation_name,
    )

    reply: GraphQLJson = {"data": result.data}
    if result.errors:
        reply["errors"] = [_error_json(error) for error in result.errors]
    return Reply(reply)


@operation(media_types=(SDL_TYPE,))
def show(_: Call) -> Reply:
    """The schema in GraphQL's own language, for generators of clients."""
    text = SDL.lstrip().encode()
    return Reply(None, stream=iter([text]), media_type=SDL_TYPE)


def _document(query: str) -> DocumentNode:
    """Parses the query. Raises InvalidArgument for one that is no GraphQL, too large, or does not fit the schema."""
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


@dataclass(frozen=True, slots=True)
class _Size:
    """Size of a part of a document."""

    depth: int = 0
    """Fields inside fields."""
    fields: int = 0
    questions: int = 0
    """Fields that ask a model."""


def _check_size(document: DocumentNode) -> None:
    """Raises InvalidArgument for a document that is too deep, too long, or asks more than one question."""
    fragments: dict[str, FragmentDefinitionNode] = {}
    for definition in document.definitions:
        if isinstance(definition, FragmentDefinitionNode):
            fragments[definition.name.value] = definition

    fragment_sizes: dict[str, _Size] = {}
    for definition in document.definitions:
        size = _size(definition, fragments, fragment_sizes)
        if size.depth > MAX_DEPTH or size.fields > MAX_FIELDS:
            expected = f"at most {MAX_FIELDS} fields, at most {MAX_DEPTH} inside each other"
            raise InvalidArgument("query", expected)

        # Each is a model's bill, and together they would outlast the request.
        if size.questions > 1:
            expected = "at most one question (`ask`, `askFolders`) in a request"
            raise InvalidArgument("query", expected)


def _size(
    node: Node,
    fragments: Mapping[str, FragmentDefinitionNode],
    fragment_sizes: dict[str, _Size],
) -> _Size:
    """Measures a node with everything in it.

    fragment_sizes: sizes of the fragments met so far; a fragment inside itself adds nothing.
    """
    if isinstance(node, FragmentSpreadNode):
        name = node.name.value
        if name not in fragments:
            return _Size()
        if name not in fragment_sizes:
            fragment_sizes[name] = _Size()
            fragment_sizes[name] = _size(fragments[name], fragments, fragment_sizes)
        return fragment_sizes[name]

    depth = 0
    fields = 0
    questions = 0
    selection_set = getattr(node, "selection_set", None)
    if selection_set:
        for selection in selection_set.selections:
            size = _size(selection, fragments, fragment_sizes)
            depth = max(depth, size.depth)
            fields += size.fields
            questions += size.questions

    if isinstance(node, FieldNode):
        depth += 1
        fields += 1
        if node.name.value in QUESTIONS:
            questions += 1
    return _Size(depth=depth, fields=fields, questions=questions)


def _error_json(error: GraphQLError) -> GraphQLErrorJson:
    """Returns the error in the words of the REST routes."""
    cause = error.original_error
    if cause is None or isinstance(cause, GraphQLError):
        message = error.message
        extensions = {"code": "INVALID_ARGUMENT", "reason": "INVALID_FIELD"}
    else:
        public = reported(cause)["error"]
        detail = public["details"][0]
        message = public["message"]
        extensions = {"code": public["status"], "reason": detail["reason"]}
        extensions.update(detail.get("metadata", {}))
    reply: GraphQLErrorJson = {"message": message, "extensions": extensions}
    if error.path:
        reply["path"] = list(error.path)
    return reply
