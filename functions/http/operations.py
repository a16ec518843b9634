"""What a handler takes and gives, declared beside it: the only source of `/openapi.json`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from functions.http.calls import Reply

if TYPE_CHECKING:  # /health loads this too, and need not load pydantic
    from functions.http.bodies import Body

H = TypeVar("H", bound=Callable[..., Reply])


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One handler's contract. What every route may answer besides (400, 401, 429, 503, …) is not repeated here."""

    body: type[Body] | None = None
    """None: a body is ignored."""
    body_required: bool = True
    query: type[Body] | None = None
    """The parameters after `?`; None: they are ignored."""
    reply: Any = None
    """The type of its JSON, like those of `shared.api`; None: 204, or one of `media_types`."""
    media_types: tuple[str, ...] = ()
    """What a reply may come as besides JSON, as text."""
    errors: tuple[int, ...] = ()
    """404 and 409, where they can happen."""
    callable: bool = False
    """Whether Firebase's callable form, `{"data": …}`, is taken too."""


OPERATIONS: dict[Callable[..., Reply], Operation] = {}


def operation(**contract: Any) -> Callable[[H], H]:  # noqa: ANN401 - Operation's own fields
    """Register a handler's contract."""

    def register(handler: H) -> H:
        OPERATIONS[handler] = Operation(**contract)
        return handler

    return register
