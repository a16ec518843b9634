"""`aurora dev` as a server that asks for tokens, for what talks to a product elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.certificates import PROJECT, CertificateServer, claims, signed
from tests.servers.dev import Running, dev


@dataclass(frozen=True)
class Served:
    """A running product and its two users' tokens."""

    running: Running
    alice: str
    bob: str

    @property
    def address(self) -> str:
        return self.running.address


@contextmanager
def served(home: Path, *options: str) -> Iterator[Served]:
    """Two people sign in there; pages of https://notes.example may call. `options`: those of `aurora dev`."""
    alice, bob = (signed("key", claims(sub=name, user_id=name)) for name in ("alice", "bob"))
    with CertificateServer("key") as certificates:
        env = {
            "AUTH": "firebase",
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "AUTH_CERTIFICATES_URL": certificates.url,
            "ALLOWED_ORIGINS": "https://notes.example",
        }
        with dev(home, *options, env=env) as running:
            yield Served(running, alice, bob)
