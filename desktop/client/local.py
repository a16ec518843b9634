"""What clients know of the product on this machine: where it listens, and which models it uses."""

from __future__ import annotations

from dataclasses import dataclass

HOST = "127.0.0.1"
"""Address at which `aurora dev` listens by default."""
PORT = 8080
"""Port at which `aurora dev` listens by default."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names and addresses that lead to this machine alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Names of the models that a product uses, for people; None if no model is set."""

    writer: str | None
    quoter: str
    """Model that quotes passages where no writer is set, or where it cannot be reached."""
    embedder: str | None
