"""Finds the product that runs in a home already, for commands that then need not start one of their own.

`aurora dev` records its address in a file, and locks another one for as long as it runs: the system releases the lock
of a process that was killed.
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

from desktop.client.local import Models
from shared.adapters.private import make_private_file, make_private_folder
from shared.errors import OperatorError
from shared.settings import EXTRACTIVE, Settings

if TYPE_CHECKING:
    from shared.app import App

ANNOUNCED = "running.json"
"""File in the home with the address."""
LOCK = "running.lock"
"""File in the home that is locked while the product runs."""
_DEFAULTS = Settings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A product and its configuration."""

    address: str
    tenant: str
    settings: str
    """Digest of its settings; a command with other settings needs another product."""
    models: Models


def models_of(app: App) -> Models:
    """Returns the models of a product in this process."""
    settings = app.settings
    server = settings.gemini_base_url if settings.uses_gemini else settings.openai_base_url
    writer = None
    if app.writer:
        writer = _model_name(app.writer.model, server)
    embedder = None
    if app.embedder:
        embedder = _model_name(app.embedder.model, None if settings.embeds_here else server)
    return Models(
        writer=writer,
        quoter=EXTRACTIVE,
        embedder=embedder,
    )


def _model_name(model: str, server: str | None) -> str:
    """Returns the model's name with its server's address.

    server: None if it was not chosen.
    """
    return model if server is None else f"{model} at {without_userinfo(server)}"


def without_userinfo(address: str) -> str:
    """Returns the address without name and password before the host."""
    url = urlsplit(address)
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl()


def digest_of(settings: Settings) -> str:
    """Returns a digest of the settings that answers depend on. The home, the log and the callers'
    identity are not among them.
    """
    relevant = replace(
        settings,
        home=_DEFAULTS.home,
        log_level=_DEFAULTS.log_level,
        auth=_DEFAULTS.auth,
    )
    return hashlib.sha256(repr(relevant).encode()).hexdigest()


@dataclass(slots=True)
class Announcement:
    """Record by which `find_running` finds the product of this process."""

    file: Path
    running: Running

    def change(self, settings: Settings, models: Models) -> None:
        """Records that other models write from now on; commands with these settings ask this product."""
        self.running = replace(
            self.running,
            settings=digest_of(settings),
            models=models,
        )
        self.write()

    def write(self) -> None:
        """Replaces the file at once, since commands read it at any time. Raises OperatorError."""
        new_file = self.file.with_suffix(".part")
        content = json.dumps(asdict(self.running))
        try:
            new_file.touch(mode=0o600)
            new_file.write_text(content, encoding="utf-8")
            new_file.replace(self.file)
        except OSError as problem:
            message = f"{self.file} cannot be written, by which commands find what runs here: {problem.strerror}"
            raise OperatorError(message) from problem


@contextmanager
def announced(home: Path, running: Running) -> Iterator[Announcement | None]:
    """Lets `find_running` find the product while the block runs. Yields None if another product runs
    in this home already.
    """
    make_private_folder(home)
    make_private_file(home / LOCK)
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
    """Returns the product that runs in this home for this tenant, started with the same settings;
    None if there is none.
    """
    running = running_in(settings.home)
    if running is None or running.tenant != tenant or running.settings != digest_of(settings):
        return None
    return running


def running_in(home: Path) -> Running | None:
    """Returns the product that runs in this home, however it was started; None if there is none."""
    try:
        fields = json.loads((home / ANNOUNCED).read_text(encoding="utf-8"))
        models = Models(**fields["models"])
        running = Running(**{**fields, "models": models})
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
    """Locks a file for the block, and yields whether the lock was free."""
    with file.open("a") as lock:
        try:
            _lock_now(lock.fileno())
        except OSError:
            yield False
            return
        yield True
