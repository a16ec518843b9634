"""A note whose file stays -> what the file is to hold; replace, create, move and remove files.

Of a file no more changes than the note has: the note's text takes the place of the file's; byte order mark and line
ends stay the file's own. What somebody else wrote meanwhile is never replaced.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath

from cli.sync.folder import BY_RULE, SUFFIXES, digest_of_bytes, ignore_rules
from shared.errors import Conflict
from shared.markdown.file import fields_of, wanted_fields
from shared.markdown.frontmatter import split, with_fields
from shared.model.notes import Note


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
        _require_unchanged(real, was)
        fresh.replace(real)
    finally:
        fresh.unlink(missing_ok=True)


def _require_unchanged(file: Path, was: str) -> None:
    if digest_of_bytes(file.read_bytes()) != was:
        raise Conflict("the file was changed meanwhile")


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
    _require_unchanged(file, was)
    if place.exists():
        raise Conflict("there is a file by now")
    place.parent.mkdir(parents=True, exist_ok=True)
    file.rename(place)


def remove_file(file: Path, *, was: str) -> None:
    """Raises Conflict if it holds something else by now."""
    _require_unchanged(file, was)
    file.unlink()


BOM = "\ufeff"


def content_of(raw: bytes, note: Note, path: str) -> bytes:
    """What the file at `path` holds so that it says what the note does. `raw`: what it holds now."""
    before = raw.decode("utf-8").removeprefix(BOM)
    two_signs = "\r\n" in before and "\n" not in before.replace("\r\n", "")
    if two_signs:
        before = before.replace("\r\n", "\n")
    text = note.text.replace("\r\n", "\n") if two_signs else note.text
    said, own = split(text), split(before).body_start
    if own and not said.body_start:  # who saved the text alone, or an unreadable block, did not mean to lose the file's
        text = before[:own] + text[said.shown_from :]
    says = fields_of(text, path)
    text = with_fields(text, wanted_fields(says, note, fields_of(before, path) if raw else None))
    return (BOM.encode() * raw.startswith(BOM.encode())) + (text.replace("\n", "\r\n") if two_signs else text).encode()


def unsaid(content: bytes, note: Note, path: str, was: bytes) -> tuple[str, ...]:
    """Names of what somebody has changed in the note and the file at `path` does not say with what `content_of` made
    of `was`: a frontmatter that cannot be read takes no fields. An empty field is not missed.
    """
    says, before = (fields_of(raw.decode("utf-8-sig"), path) for raw in (content, was))
    wanted = wanted_fields(says, note, before if was else None)
    return tuple(
        name for name, value in wanted.items() if value and (name != "tags" or set(note.tags) - set(says.tags))
    )


def why_unwritable(root: Path, path: str) -> str:
    """What keeps a note at this path from having a file there, below `root`, that the next import reads; empty:
    nothing.
    """
    hidden = next((part for part in PurePosixPath(path).parts if part.startswith(".")), None)
    if hidden:
        return f"hidden: {hidden} begins with a dot"
    if PurePosixPath(path).suffix.lower() not in SUFFIXES:
        return "none of a .md or .txt file"
    if not (root / path).resolve().is_relative_to(root.resolve()):
        return "one that leads out of its folder"
    return f"left out: {BY_RULE}" if ignore_rules(root).match_file(path) else ""
