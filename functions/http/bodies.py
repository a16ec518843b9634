"""A request's JSON -> a checked body, or InvalidArgument naming the field and what it should have been.

Each field of a body says in its `description` what is expected; that text is what the caller reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
)
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from functions.http.calls import REQUEST_ID_PATTERN
from shared.errors import InvalidArgument, PermissionDenied
from shared.model.limits import MAX_FOLDER, MAX_NAME

if TYPE_CHECKING:
    from functions.http.calls import Call


class Body(BaseModel):
    """Camel-case JSON, no unknown fields, no guessing at types."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,  # most bodies of a module are only what others inherit from
    )


def with_example(**fields: JsonValue) -> ConfigDict:
    """Returns the configuration of a body with a request that works, as JSON writes it, for openapi.json."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


# Formats describe these strings in openapi.json, from which tests generate requests.
TenantId = Annotated[str, Field(json_schema_extra={"format": "tenant-id"})]
Zone = Annotated[str, Field(json_schema_extra={"format": "iana-time-zone"})]
Instant = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
DayOrInstant = Annotated[str, Field(json_schema_extra={"format": "day-or-date-time"})]
NotBlank = Annotated[str, Field(json_schema_extra={"pattern": r"\S"})]


class TenantBody(Body):
    """A body that may name its tenant."""

    tenant_id: TenantId | None = Field(default=None, description="a tenant this caller may use")


ERASURE = "the erasure that GET /notes gave when this work began; refused if there was another since; null: not checked"
MAX_DEPTH = 100
"""Objects and lists inside each other."""
EXPECTED_JSON = (
    f"JSON, with plain numbers and at most {MAX_DEPTH} objects and lists inside each other"
)

B = TypeVar("B", bound=Body)
OfTenant = TypeVar("OfTenant", bound=TenantBody)
T = TypeVar("T")


class SavingBody(TenantBody):
    """A body whose request may be one of many that belong together."""

    erasure: str | None = Field(default=None, max_length=MAX_NAME, description=ERASURE)


def _tuple(value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    return value


_SURROGATE = re.compile("[\ud800-\udfff]")
_ONE_LINE = r"^[^\x00-\x1f\x7f]*$"

Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME, pattern=_ONE_LINE)]
"""A vault or tag."""

Folder = Annotated[str, StringConstraints(min_length=1, max_length=MAX_FOLDER, pattern=_ONE_LINE)]
"""`folder`, or `vault/folder`."""

Names = Annotated[tuple[Name, ...], BeforeValidator(_tuple)]
RequestId = Annotated[str, Field(pattern=f"^{REQUEST_ID_PATTERN}$")]
Folders = Annotated[tuple[Folder, ...], BeforeValidator(_tuple)]


def checked_body(call: Call, model: type[OfTenant], *, optional: bool = False) -> OfTenant:
    """Returns the body; with `optional` an absent one is `{}`. Raises as `parse`, PermissionDenied for a foreign tenant."""
    raw = call.body
    if optional and not raw:
        raw = b"{}"
    body = parse(raw, model)
    if body.tenant_id not in (None, call.tenant_id):
        raise PermissionDenied("tenantId: this caller may not use that tenant")
    return body


def parse(raw: bytes, model: type[B]) -> B:
    """Returns the body. Raises InvalidArgument for the first field that is wrong."""
    return parse_fields(parse_object(raw), model)


def parse_object(raw: bytes) -> dict[str, Any]:
    """Returns the body as a JSON object. Raises InvalidArgument."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument("body", f"UTF-8; byte {error.start} is not") from None
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise InvalidArgument("body", f"JSON; {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError):
        raise InvalidArgument("body", EXPECTED_JSON) from None
    if not isinstance(value, dict):
        raise InvalidArgument("body", "a JSON object")
    return value


def parse_fields(fields: Mapping[str, Any], model: type[B]) -> B:
    """Checks a body that is a JSON object already. Raises as `parse`."""
    for path, text in _strings(fields, ""):
        if "\0" in text:
            raise InvalidArgument(path, "text without NUL characters")
        if _SURROGATE.search(text):
            raise InvalidArgument(path, "text without lone surrogates")
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        _refuse(model, error)


PAGE = 50
MAX_PER_PAGE = 200


class PageQuery(Body):
    """The parameters of every list."""

    page_size: int = Field(
        default=PAGE,
        ge=1,
        le=MAX_PER_PAGE,
        description=f"a whole number from 1 to {MAX_PER_PAGE}",
    )
    page_token: Annotated[str | None, AfterValidator(lambda token: token or None)] = Field(
        default=None,
        description="the nextPageToken of the page before",
    )


def parse_query(query: Mapping[str, str], model: type[B]) -> B:
    """Returns the parameters after `?`. Raises InvalidArgument for the first that is unknown or wrong."""
    try:
        return model.model_validate(dict(query), strict=False)
    except ValidationError as error:
        _refuse(model, error)


def checked(field: str, convert: Callable[..., T], *values: object) -> T:
    """Returns `convert(*values)`. Raises InvalidArgument of `field` for its ValueError."""
    try:
        return convert(*values)
    except ValueError as error:
        raise InvalidArgument(field, str(error)) from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _strings(value: object, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yields every string in the value, keys included, with its path (`filters.vaults[0]`).

    Raises InvalidArgument beyond MAX_DEPTH: parsers differ in their limits, and the later ones have lower ones.
    """
    if depth > MAX_DEPTH:
        raise InvalidArgument("body", EXPECTED_JSON)
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        path_of_keys = path or "body"
        for key, member in value.items():
            yield path_of_keys, key
            member_path = key
            if path:
                member_path = f"{path}.{key}"
            yield from _strings(member, member_path, depth + 1)
    elif isinstance(value, list):
        for position, member in enumerate(value):
            member_path = f"{path}[{position}]"
            yield from _strings(member, member_path, depth + 1)


def _refuse(model: type[BaseModel], error: ValidationError) -> NoReturn:
    """Raises InvalidArgument for the first of pydantic's errors."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    problem = problems[0]

    # Follow the error's location through the nested models, to the innermost field that it names.
    path = ""
    expected = None
    for part in problem["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}"
        field = _fields_by_name(model).get(str(part))
        if field is not None:
            expected = field.description
            model = _nested_model(field) or model
    path = path.lstrip(".")

    if problem["type"] == "extra_forbidden":
        names = ", ".join(_fields_by_name(model))
        raise InvalidArgument(path, f"no such field; there are {names}")

    message = expected or problem["msg"]
    if problem["type"] == "missing":
        message += " (the field is missing)"
    raise InvalidArgument(path or "body", message)


def _fields_by_name(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Returns the fields of a model by their names in JSON."""
    fields = {}
    for name, field in model.model_fields.items():
        json_name = field.alias or name
        fields[json_name] = field
    return fields


def _nested_model(field: FieldInfo) -> type[BaseModel] | None:
    """Returns the model of a field's value, also behind `| None` or in a list; None for a field without one."""
    for kind in (field.annotation, *get_args(field.annotation)):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None
