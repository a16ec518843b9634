"""Who calls, and from which app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Identity:
    """A verified caller."""

    tenant_id: str
    """Whose space they use."""


class Verifier(Protocol):
    """A bearer token to an identity."""

    def verify(self, token: str | None) -> Identity:
        """Raises Unauthenticated; Unavailable when certificates cannot be had."""
        ...


class Attester(Protocol):
    """Says whether a request comes from one of the project's own apps, by the token that such an app sends along."""

    def verify(self, token: str | None) -> None:
        """Raises AppCheckMissing, AppCheckInvalid; Unavailable when keys cannot be had."""
        ...
