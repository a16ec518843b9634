"""The product that runs in a home already, for commands that then need not start one of their own.

`aurora dev` writes down where it answers, and holds a lock for as long: one that was killed cannot leave that behind.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from shared.settings import Settings

if TYPE_CHECKING:
    from shared.app import App

ANNOUNCED, LOCK = "running.json", "running.lock"
"""Files in the home."""
_PLAIN = Settings()
"""Settings that differ in nothing else answer the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Names of the models that a product uses, for people. None: none is set."""

    writer: str | None
    quoter: str
    """The writer that quotes in its place."""
    embedder: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A product and how it was started."""

    address: str
    tenant: str
    settings: str
    """Digest of what the environment said; another one asks for another product."""
    models: Models


def models_of(app: App) -> Models:
    """Models of a product in this process."""
    settings = app.settings
    server = settings.gemini_base_url if settings.uses_gemini else settings.openai_base_url
    return Models(
        writer=_at(server, app.writer.model) if app.writer else None,
        quoter=app.extractive.model,
        embedder=_at(None if settings.embeds_here else server, app.embedder.model) if app.embedder else None,
    )


def _at(server: str | None, model: str) -> str:
    """With its server's address, if that was chosen."""
    return model if server is None else f"{model} at {without_userinfo(server)}"


def without_userinfo(address: str) -> str:
    """Without name and password before the host."""
    url = urlsplit(address)
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()


def digest_of(settings: Settings) -> str:
    """Digest of what answers depend on. Where the home is, what is logged and who may call is not among it."""
    bare = replace(settings, home=_PLAIN.home, log_level=_PLAIN.log_level, auth=_PLAIN.auth)
    return hashlib.sha256(repr(bare).encode()).hexdigest()


@dataclass(slots=True)
class Announcement:
    """What `find_running` finds of the product of this process."""

    file: Path
    running: Running

    def change(self, settings: Settings, models: Models) -> None:
        """Other models write from now on, and commands whose settings are these ask this product."""
        self.running = replace(self.running, settings=digest_of(settings), models=models)
        self.write()

    def write(self) -> None:
        """Replaced at once: commands read it at any time."""
        fresh = self.file.with_suffix(".part")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(asdict(self.running)), encoding="utf-8")
        fresh.replace(self.file)


@contextmanager
def announced(home: Path, running: Running) -> Iterator[Announcement | None]:
    """While the block runs, `find_running` finds it. None: another product runs in this home already."""
    home.mkdir(parents=True, exist_ok=True)
    with locked_if_free(home / LOCK) as is_ours:
        if not is_ours:
            yield None
            return
        announcement = Announcement(home / ANNOUNCED, running)
        announcement.write()
        try:
            yield announcement
        finally:
            announcement.file.unlink(missing_ok=True)


def find_running(settings: Settings, tenant: str) -> Running | None:
    """The one that runs in this home for this tenant, started with the same settings; None: there is none."""
    running = found(settings.home)
    return running if running and (running.tenant, running.settings) == (tenant, digest_of(settings)) else None


def found(home: Path) -> Running | None:
    """The one that runs in this home, however it was started."""
    try:
        said = json.loads((home / ANNOUNCED).read_text(encoding="utf-8"))
        running = Running(**{**said, "models": Models(**said["models"])})
        with locked_if_free(home / LOCK) as is_free:
            return None if is_free else running
    except (OSError, ValueError, TypeError, KeyError):
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock_now(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock_now(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked_if_free(file: Path) -> Iterator[bool]:
    """Whether the lock was free, so that the block holds it."""
    with file.open("a") as held:
        try:
            _lock_now(held.fileno())
        except OSError:
            yield False
            return
        yield True
