"""Replace, create, move and remove the files of notes; never what somebody else wrote meanwhile."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from cli.sync.folder import digest_of_bytes
from shared.errors import Conflict


def replace_file(file: Path, content: bytes, *, was: str) -> None:
    """All of it at once, with the mode it has; behind a link, what the link leads to. `was`: digest of what it holds.

    Raises Conflict if it holds something else by now.
    """
    real = Path(os.path.realpath(file))
    fresh = _beside(real, content)
    try:
        with suppress(OSError):  # a file system may keep less than modes
            shutil.copystat(real, fresh)
        os.utime(fresh)
        if digest_of_bytes(real.read_bytes()) != was:
            raise Conflict("the file was changed meanwhile")
        fresh.replace(real)
    finally:
        fresh.unlink(missing_ok=True)


def create_file(file: Path, content: bytes) -> None:
    """Raises Conflict if there is one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = _beside(file, content)
    try:
        fresh.chmod(0o644)
        try:
            os.link(fresh, file)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            with file.open("xb") as stream:
                stream.write(content)
    except FileExistsError as error:
        raise Conflict("there is a file by now") from error
    finally:
        fresh.unlink(missing_ok=True)


def _beside(file: Path, content: bytes) -> Path:
    """A hidden file in the same folder, which no import reads."""
    handle, name = tempfile.mkstemp(prefix=".aurora-", suffix=".part", dir=file.parent)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    return Path(name)


def move_file(file: Path, place: Path, *, was: str) -> None:
    """Raises Conflict if it holds something else by now, or there is a file at `place`."""
    if digest_of_bytes(file.read_bytes()) != was:
        raise Conflict("the file was changed meanwhile")
    if place.exists():
        raise Conflict("there is a file by now")
    place.parent.mkdir(parents=True, exist_ok=True)
    file.rename(place)


def remove_file(file: Path, *, was: str) -> None:
    """Raises Conflict if it holds something else by now."""
    if digest_of_bytes(file.read_bytes()) != was:
        raise Conflict("the file was changed meanwhile")
    file.unlink()
