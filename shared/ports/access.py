"""Access: the identity of a caller, and the app that calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from shared.model.account import Person

OWNER = "owner"
"""The role that may export and erase a tenant."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A verified caller."""

    uid: str
    tenant_id: str
    """Tenant whose notes the caller uses: the claim `tenantId`, else the uid."""
    role: str = ""
    """The claim `role`; empty if there is none."""

    @property
    def person(self) -> Person:
        return Person(self.tenant_id, self.uid)

    @property
    def owns_tenant(self) -> bool:
        """Reports whether the caller may export and erase the tenant."""
        return self.role == OWNER or self.person.is_tenant


class Verifier(Protocol):
    """A bearer token to an identity."""

    def verify(self, token: str | None) -> Identity:
        """Raises Unauthenticated; Unavailable when certificates cannot be had."""


class Attester(Protocol):
    """Says whether a request comes from one of the project's own apps, by the token that such an app sends along."""

    def verify(self, token: str | None) -> None:
        """Raises AppCheckMissing, AppCheckInvalid; Unavailable when keys cannot be had."""
