"""A folder of Markdown and other texts -> notes, and what was left out and why.

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

from cli.converting import EXTRA, MAX_BYTES, Kind, Unreadable, decoded, kind_of, text_of
from shared.errors import OperatorError
from shared.markdown.file import fields_of, note_id_of
from shared.model.limits import MAX_PATH, MAX_TEXT_BYTES
from shared.notes.service import NoteDraft

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = frozenset({".md", ".markdown", ".txt"})
"""Endings of files that are read as they are; `cli.converting` names the others."""
RULES_FILE, DEFAULT_RULES = ".auroraignore", ("[Tt]emplates/", "_[Tt]emplates/")
"""File at the top of a folder with gitignore's rules, and the rules that hold before its first line."""
BY_RULE = f"templates, or named in {RULES_FILE}"
"""Why a path is ignored."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path under the folder that is not a note, and why."""

    path: str
    reason: str
    unread: bool = False
    """It may hold notes, but could not be looked at."""
    missed: bool = False
    """It is a note to whoever wrote it: an import that leaves it out has not brought all there is."""
    ignored: bool = False
    """It was never looked at, because of its name; only counted."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A file that was read before, and not again: its note says what it does. Making its text takes long."""

    digest: str


@dataclass(frozen=True, slots=True)
class FileNote:
    """A file as a note. `draft.created_at` None: the file does not say."""

    note_id: str
    draft: NoteDraft
    modified: datetime
    """The oldest time that is known of it beside its text."""
    digest: str
    """Digest of the file's bytes."""
    problem: str | None
    """What is odd about it although it is a note; None: nothing."""
    dated: str = "file"
    """Where its date is from: its text, its name, git, or what the system says of the file."""

    @property
    def dated_draft(self) -> NoteDraft:
        """Without a date of its own, the file was created when it was first seen to be modified."""
        return replace(self.draft, modified_at=self.modified)


def relative(root: Path, entry: Path) -> str:
    """POSIX path below the root; bytes that are no UTF-8 are shown as `?`."""
    return entry.relative_to(root).as_posix().encode("utf-8", "replace").decode()


def walk(root: Path) -> Iterator[Path | Skipped]:
    """Every file below `root` that is read, in order of path. Each real folder is entered once, whatever links to it;
    links out of the root are not followed: who shares a folder does not mean to share what lies elsewhere.
    """
    yield from _walk(root, root, {_real(root)}, ignore_rules(root))


def ignore_rules(root: Path) -> GitIgnoreSpec:
    """Paths below `root` that are no notes. As git does, a line that is no rule counts for nothing.

    Raises OperatorError for rules that cannot be read.
    """
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - for those who read folders

    rules = GitIgnoreSpec.from_lines(DEFAULT_RULES)
    file = root / RULES_FILE
    try:
        lines = file.read_text("utf-8-sig", errors="replace").splitlines() if file.is_file() else []
    except OSError as error:
        raise OperatorError(f"{file}: {error.strerror}") from error
    for line in lines:
        with suppress(ValueError):
            rules += GitIgnoreSpec.from_lines([line])
    return rules


def _walk(root: Path, folder: Path, entered: set[Path], rules: GitIgnoreSpec) -> Iterator[Path | Skipped]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield Skipped(relative(root, folder), f"unreadable: {error.strerror}", unread=True, missed=True)
        return
    for entry in entries:
        is_folder = entry.is_dir()
        hidden = entry.name.startswith(".")
        if not hidden and rules.match_file(f"{relative(root, entry)}{'/' * is_folder}"):
            yield Skipped(relative(root, entry), BY_RULE, ignored=True)
            continue
        if not is_folder and (unread := _unread(entry)):
            if not hidden:  # those are the system's
                yield Skipped(relative(root, entry), unread, ignored=True)
            continue
        reason = _closed(root, entry, entered, is_folder=is_folder)
        if reason:
            yield Skipped(relative(root, entry), reason)
        elif is_folder:
            entered.add(_real(entry))
            yield from _walk(root, entry, entered, rules)
        else:
            yield entry


def _unread(file: Path) -> str | None:
    """Why a file of this name is not read; None: it is."""
    ending = file.suffix.lower()
    if ending in SUFFIXES:
        return None
    kind = kind_of(file)
    if kind is None:
        return f"{ending or 'without ending'}: not a kind of file that is read"
    return None if kind.is_there else f"{ending}: {EXTRA}"


def _closed(root: Path, entry: Path, entered: set[Path], *, is_folder: bool) -> str | None:
    """Why an entry is left out unseen; None: it is not."""
    if entry.name.startswith("."):
        return "hidden folder" if is_folder else "hidden file"
    if entry.is_symlink() and not _real(entry).is_relative_to(_real(root)):
        return "a link that leads out of the folder"
    if is_folder and _real(entry) in entered:
        return "a link to a folder that was entered already"
    return None


def _real(entry: Path) -> Path:
    """Without links. `Path.resolve` raises at a link to itself, in Python before 3.13."""
    return Path(os.path.realpath(entry))


def read(root: Path, file: Path, vault: str, known: str | None = None) -> FileNote | Skipped | Unchanged:
    """One file as a note of the vault. `known`: digest of one that need not be made a text of again."""
    path, kind = relative(root, file), kind_of(file)
    try:
        about = file.stat()
        if not stat.S_ISREG(about.st_mode):  # reading a pipe would wait for a writer
            return Skipped(path, "not a regular file")
        raw = file.read_bytes() if about.st_size <= (MAX_BYTES if kind else MAX_TEXT_BYTES) else b""
    except OSError as error:
        return Skipped(path, f"unreadable: {error.strerror}", unread=True, missed=True)
    digest = digest_of_bytes(raw)
    if kind and digest == known:
        return Unchanged(digest)
    try:
        text = _text(path, about.st_size, raw, kind)
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
    modified = datetime.fromtimestamp(min(about.st_mtime, getattr(about, "st_birthtime", about.st_mtime)), UTC)
    return FileNote(
        note_id=note_id_of(vault, path),
        draft=draft,
        modified=modified,
        digest=digest,
        problem=fields.problem,
        dated=fields.dated or "file",
    )


def digest_of_bytes(raw: bytes) -> str:
    """32 hexadecimal digits."""
    return hashlib.sha256(raw).hexdigest()[:32]


def digest_of_file(file: Path) -> str:
    """`digest_of_bytes` of what it holds; empty where it cannot be read."""
    try:
        return digest_of_bytes(file.read_bytes())
    except OSError:
        return ""


def _text(path: str, size: int, raw: bytes, kind: Kind | None) -> str:
    """Raises Unreadable."""
    limit = MAX_BYTES if kind else MAX_TEXT_BYTES
    if size > limit:
        raise Unreadable(f"too large: {size} bytes, the limit is {limit}: split it")
    if len(path) > MAX_PATH or _CONTROL.search(path) or "\\" in path:
        raise Unreadable(f"its path is over {MAX_PATH} characters or has control characters or backslashes: rename it")
    if kind is None:
        if b"\0" in raw:
            raise Unreadable("binary: a note is text")
        return decoded(raw)
    text = text_of(kind, raw)
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise Unreadable(f"too much text: {len(text.encode())} bytes, the limit is {MAX_TEXT_BYTES}: split it")
    return text
