"""Reads a folder of Markdown and other texts as notes, and says what was left out and why.

Ids are a hash of vault and path, so the same file is the same note on every run and every machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.files.conversion import (
    MAX_BYTES,
    Converter,
    Unreadable,
    converter_for,
    decoded,
    text_of,
)
from shared.adapters.extras import install_command
from shared.errors import OperatorError
from shared.markdown.file import fields_of, note_id_of
from shared.model.limits import MAX_PATH, MAX_TEXT_BYTES
from shared.notes.service import NoteDraft

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = frozenset({".md", ".markdown", ".txt"})
"""Endings of files that are read as they are; `desktop.files.conversion` names the others."""
RULES_FILE = ".auroraignore"
"""File at the top of a folder with gitignore's rules."""
DEFAULT_RULES = ("[Tt]emplates/", "_[Tt]emplates/")
"""Rules that hold before the first line of that file."""
BY_RULE = f"templates, or named in {RULES_FILE}"
"""Reason why a path is ignored."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path under the folder that is not a note, and why."""

    path: str
    reason: str
    unread: bool = False
    """True if it may hold notes, but could not be looked at."""
    missed: bool = False
    """True if its author means a note: an import that leaves it out is not complete."""
    ignored: bool = False
    """True if it was never looked at, because of its name; such paths are only counted."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file that was read before and is not converted again, which takes long: its note says the same."""

    digest: str


@dataclass(frozen=True, slots=True)
class FileNote:
    """A file as a note. `draft.created_at` is None if the file names no date."""

    note_id: str
    draft: NoteDraft
    modified: datetime
    """Oldest time that is known of the file beside its text."""
    digest: str
    """Digest of the file's bytes."""
    problem: str | None
    """What is odd about the file, although it is a note; None if nothing is."""
    dated: str = "file"
    """Origin of its date: its text, its name, git, or the file's times in the system."""

    @property
    def dated_draft(self) -> NoteDraft:
        """Returns the draft with the file's time, at which a note without a date counts as created."""
        return replace(self.draft, modified_at=self.modified)


def relative(root: Path, entry: Path) -> str:
    """Returns the POSIX path below the root, with `?` for each byte that is no UTF-8."""
    return entry.relative_to(root).as_posix().encode("utf-8", "replace").decode()


def walk(root: Path) -> Iterator[Path | Skipped]:
    """Yields every file below `root` that is read, in order of path, and what is left out.

    Each real folder is entered once, whatever links to it. Links out of the root are not followed:
    sharing a folder does not mean sharing files that lie elsewhere.
    """
    yield from _walk(root, root, {_real(root)}, ignore_rules(root))


def ignore_rules(root: Path) -> GitIgnoreSpec:
    """Returns the rules for paths below `root` that are no notes. As in git, a line that is no rule
    has no effect.

    Raises OperatorError for rules that cannot be read.
    """
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - for those who read folders

    rules = GitIgnoreSpec.from_lines(DEFAULT_RULES)
    file = root / RULES_FILE
    text = ""
    try:
        if file.is_file():
            text = file.read_text("utf-8-sig", errors="replace")
    except OSError as error:
        raise OperatorError(f"{file}: {error.strerror}") from error

    for line in text.splitlines():
        with suppress(ValueError):
            rules += GitIgnoreSpec.from_lines([line])

    return rules


def _walk(
    root: Path,
    folder: Path,
    entered: set[Path],
    rules: GitIgnoreSpec,
) -> Iterator[Path | Skipped]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        reason = f"unreadable: {error.strerror}"
        yield Skipped(
            relative(root, folder),
            reason,
            unread=True,
            missed=True,
        )
        return

    for entry in entries:
        path = relative(root, entry)
        is_folder = entry.is_dir()
        is_hidden = entry.name.startswith(".")
        # A rule that ends with a slash is for folders alone.
        path_for_rules = f"{path}/" if is_folder else path
        if not is_hidden and rules.match_file(path_for_rules):
            yield Skipped(path, BY_RULE, ignored=True)
            continue
        unread_reason = None
        if not is_folder:
            unread_reason = _why_unread(entry)
        if unread_reason:
            if not is_hidden:  # hidden files are the system's
                yield Skipped(path, unread_reason, ignored=True)
            continue
        closed_reason = _why_closed(root, entry, entered, is_folder=is_folder)
        if closed_reason:
            yield Skipped(path, closed_reason)
        elif is_folder:
            entered.add(_real(entry))
            yield from _walk(root, entry, entered, rules)
        else:
            yield entry


def _why_unread(file: Path) -> str | None:
    """Says why a file of this name is not read; None if it is."""
    ending = file.suffix.lower()
    if ending in SUFFIXES:
        return None
    converter = converter_for(file)
    if converter is None:
        return f"{ending or 'without ending'}: not a kind of file that is read"
    if converter.is_there:
        return None
    return f"{ending}: {install_command(converter.module)} reads it"


def _why_closed(
    root: Path,
    entry: Path,
    entered: set[Path],
    *,
    is_folder: bool,
) -> str | None:
    """Says why an entry is left out without a look into it; None if it is not."""
    if entry.name.startswith("."):
        return "hidden folder" if is_folder else "hidden file"
    if entry.is_symlink() and not _real(entry).is_relative_to(_real(root)):
        return "a link that leads out of the folder"
    if is_folder and _real(entry) in entered:
        return "a link to a folder that was entered already"
    return None


def _real(entry: Path) -> Path:
    """Returns the path without links. `Path.resolve` raises at a link to itself, in Python before 3.13."""
    return Path(os.path.realpath(entry))


def read(
    root: Path,
    file: Path,
    vault: str,
    known_digest: str | None = None,
) -> FileNote | Skipped | Unchanged:
    """Reads a file as a note of the vault.

    known_digest: digest of bytes that need not be converted again.
    """
    path = relative(root, file)
    converter = converter_for(file)
    raw = b""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait for a writer
            return Skipped(path, "not a regular file")
        if status.st_size <= _max_bytes(converter):
            raw = file.read_bytes()
    except OSError as error:
        return Skipped(
            path,
            f"unreadable: {error.strerror}",
            unread=True,
            missed=True,
        )

    digest = digest_of_bytes(raw)
    if converter and digest == known_digest:
        return Unchanged(digest)
    try:
        text = _text(path, status.st_size, raw, converter)
    except Unreadable as error:
        return Skipped(path, str(error), missed=True)

    fields = fields_of(text, path)
    draft = NoteDraft(
        title=fields.title,
        text=text,
        vault=vault,
        path=path,
        tags=fields.tags,
        lang=fields.lang,
        created_at=fields.created_at,
    )
    oldest = min(status.st_mtime, getattr(status, "st_birthtime", status.st_mtime))
    return FileNote(
        note_id=note_id_of(vault, path),
        draft=draft,
        modified=datetime.fromtimestamp(oldest, UTC),
        digest=digest,
        problem=fields.problem,
        dated=fields.dated or "file",
    )


def digest_of_bytes(raw: bytes) -> str:
    """Returns a digest of 32 hexadecimal digits."""
    return hashlib.sha256(raw).hexdigest()[:32]


def digest_of_file(file: Path) -> str:
    """Returns `digest_of_bytes` of the file's content; empty if it is no regular file or cannot be
    read.
    """
    try:
        if file.is_file():  # reading a pipe would wait for a writer
            return digest_of_bytes(file.read_bytes())
    except OSError:
        pass

    return ""


def _max_bytes(converter: Converter | None) -> int:
    return MAX_BYTES if converter else MAX_TEXT_BYTES


def _text(
    path: str,
    size: int,
    raw: bytes,
    converter: Converter | None,
) -> str:
    """Returns the note's text. Raises Unreadable.

    size: bytes of the file, which were not read if they are too many.
    """
    limit = _max_bytes(converter)
    if size > limit:
        raise Unreadable(f"too large: {size} bytes, the limit is {limit}: split it")
    if len(path) > MAX_PATH or _CONTROL.search(path) or "\\" in path:
        raise Unreadable(
            f"its path is over {MAX_PATH} characters or has control characters or backslashes: rename it",
        )

    if converter is None:
        if b"\0" in raw:
            raise Unreadable("binary: a note is text")
        return decoded(raw)

    text = text_of(converter, raw)
    text_size = len(text.encode())
    if text_size > MAX_TEXT_BYTES:
        raise Unreadable(
            f"too much text: {text_size} bytes, the limit is {MAX_TEXT_BYTES}: split it",
        )

    return text
