"""Writes what a note says into its file; replaces, creates, moves and removes files.

No more of a file changes than of the note: the note's text takes the place of the file's; byte order mark and line ends
stay the file's own. A file that somebody else has changed meanwhile is never replaced.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath

from desktop.files.reading import BY_RULE, SUFFIXES, digest_of_bytes, ignore_rules
from shared.errors import Conflict
from shared.markdown.file import changed_fields, fields_of
from shared.markdown.frontmatter import split, with_fields
from shared.model.notes import Note


def replace_file(file: Path, content: bytes, *, was: str) -> None:
    """Replaces a file at once and keeps its mode; of a link, the file that the link leads to.

    was: digest of the bytes that the file must hold.

    Raises Conflict if it holds something else by now.
    """
    real = Path(os.path.realpath(file))
    new_file = _write_beside(real, content)
    try:
        with suppress(OSError):  # a file system may keep less than modes
            shutil.copystat(real, new_file)
        os.utime(new_file)
        _require_unchanged(real, was)
        new_file.replace(real)
    finally:
        new_file.unlink(missing_ok=True)


def _require_unchanged(file: Path, was: str) -> None:
    if digest_of_bytes(file.read_bytes()) != was:
        raise Conflict("the file was changed meanwhile")


def create_file(file: Path, content: bytes) -> None:
    """Creates a file with the folders above it. Raises Conflict if there is one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new_file = _write_beside(file, content)
    try:
        new_file.chmod(0o644)
        try:
            os.link(new_file, file)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            with file.open("xb") as stream:
                stream.write(content)
    except FileExistsError as error:
        raise Conflict("there is a file by now") from error
    finally:
        new_file.unlink(missing_ok=True)


def _write_beside(file: Path, content: bytes) -> Path:
    """Writes a hidden file into the same folder, which no import reads, and returns its path."""
    handle, name = tempfile.mkstemp(
        prefix=".aurora-",
        suffix=".part",
        dir=file.parent,
    )
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())

    return Path(name)


def move_file(file: Path, place: Path, *, was: str) -> None:
    """Moves a file. Raises Conflict if it holds something else by now, or there is a file at `place`."""
    _require_unchanged(file, was)
    if place.exists():
        raise Conflict("there is a file by now")
    place.parent.mkdir(parents=True, exist_ok=True)
    file.rename(place)


def remove_file(file: Path, *, was: str) -> None:
    """Removes a file. Raises Conflict if it holds something else by now."""
    _require_unchanged(file, was)
    file.unlink()


BOM = "\ufeff"


def content_of(raw: bytes, note: Note, path: str) -> bytes:
    """Returns the bytes with which the file at `path` says what the note does.

    raw: bytes that it holds now; empty if there is no file.
    """
    bom = b""
    if raw.startswith(BOM.encode()):
        bom = BOM.encode()
    file_text = raw.decode("utf-8").removeprefix(BOM)
    text = note.text
    ends_lines_with_crlf = "\r\n" in file_text and "\n" not in file_text.replace("\r\n", "")
    if ends_lines_with_crlf:
        file_text = file_text.replace("\r\n", "\n")
        text = text.replace("\r\n", "\n")

    # A person who saved the text alone, or with a block that cannot be read, did not mean to lose
    # the frontmatter of the file.
    note_parts = split(text)
    frontmatter = file_text[: split(file_text).body_start]
    if frontmatter and not note_parts.body_start:
        text = frontmatter + text[note_parts.shown_from :]

    file_fields = None
    if raw:
        file_fields = fields_of(file_text, path)
    fields = changed_fields(fields_of(text, path), note, file_fields)
    text = with_fields(text, fields)
    if ends_lines_with_crlf:
        text = text.replace("\n", "\r\n")
    return bom + text.encode()


def unsaid(
    content: bytes,
    note: Note,
    path: str,
    was: bytes,
) -> tuple[str, ...]:
    """Returns the names of changed fields of the note that its file does not say, since a
    frontmatter that cannot be read takes no fields. Empty fields are left out.

    content: bytes that `content_of` made for the file.
    was: bytes of the file before; empty if there was none.
    """
    fields = fields_of(content.decode("utf-8-sig"), path)
    old_fields = fields_of(was.decode("utf-8-sig"), path) if was else None
    missing = []
    for name, value in changed_fields(fields, note, old_fields).items():
        if name == "tags" and set(note.tags) <= set(fields.tags):
            continue
        if value:
            missing.append(name)

    return tuple(missing)


def why_unwritable(root: Path, path: str) -> str:
    """Says why a note at this path cannot have a file there, below `root`, that the next import
    reads; empty if it can.
    """
    for part in PurePosixPath(path).parts:
        if part.startswith("."):
            return f"hidden: {part} begins with a dot"

    if PurePosixPath(path).suffix.lower() not in SUFFIXES:
        return "none of a .md or .txt file"
    if not (root / path).resolve().is_relative_to(root.resolve()):
        return "one that leads out of its folder"
    if ignore_rules(root).match_file(path):
        return f"left out: {BY_RULE}"
    return ""
