"""Files of notes: replaced, created or put into the trash whole; never what somebody else wrote meanwhile."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from cli.folder import digest_of_bytes
from cli.locking import locked
from shared.errors import Conflict, OperatorError


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


def trash_file(home: Path, file: Path, *, was: str) -> None:
    """Into the system's trash. Raises Conflict if it holds something else by now, OperatorError without a trash."""
    if digest_of_bytes(file.read_bytes()) != was:
        raise Conflict("the file was changed meanwhile")
    _trash(home, file)


def trash_text(home: Path, name: str, content: bytes) -> None:
    """What is nowhere else any more: a file of this name in the system's trash. Raises OperatorError without one."""
    folder = home / "discarded"
    folder.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(dir=folder)) / Path(name).name
    place.write_bytes(content)
    _trash(home, place)
    place.parent.rmdir()


def _trash(home: Path, file: Path) -> None:
    """One at a time: the library looks for a free name, and then takes it."""
    from send2trash import send2trash  # noqa: PLC0415 - for those who throw something away

    home.mkdir(parents=True, exist_ok=True)
    with locked(home / "trash.lock"):
        try:
            send2trash(str(file))
        except OSError as error:
            raise OperatorError(f"{file} cannot be put into the trash: {error.strerror or error}") from error
