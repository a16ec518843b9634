"""Notes -> a zip of Markdown files, piece by piece, as any program for notes reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, count
from pathlib import PurePosixPath
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from shared.markdown.note_file import whole_content
from shared.model.notes import DEFAULT_VAULT, Note, UnreadableNote

_SUFFIXES = frozenset({".md", ".markdown"})
_UNNAMED = "untitled"
_UNREADABLE = "unreadable"
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')
"""What some system does not take in a file's name."""
_LONGEST_PART = 60
"""Characters of a folder's or a file's name: at most 240 bytes, and systems take 255."""
_FIRST_YEAR = 1980
"""Before it a zip knows no date."""


class _Outlet:
    """What a zip was written into since it was last looked at: it goes out, and nobody seeks in it."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Nothing waits here."""

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def zipped(notes: Iterable[Note | UnreadableNote]) -> Iterator[bytes]:
    """A file a note, with its title, tags, language and date in its frontmatter, at its path in a folder named after
    its vault; those of the vault `default` lie outside. What cannot be read is a file of JSON in `unreadable`, with
    the reason. Broken off, what went out is no zip that can be opened.
    """
    outlet, names = _Outlet(), _Names()
    archive = ZipFile(outlet, "w", ZIP_DEFLATED)  # type: ignore[call-overload]  # asks for no more
    for note in notes:
        if isinstance(note, UnreadableNote):
            name = names.name(PurePosixPath(_UNREADABLE, f"{_safe(note.note_id)}.json"))
            info, content = ZipInfo(name), _unreadable_content(note)
        else:
            name = names.name(_place(note))
            info, content = ZipInfo(name, date_time=_moment(note)), whole_content(note, name)
        info.compress_type = ZIP_DEFLATED
        archive.writestr(info, content)
        yield outlet.taken()
    archive.close()
    yield outlet.taken()


def _unreadable_content(note: UnreadableNote) -> bytes:
    whole = {"noteId": note.note_id, "reason": note.reason, "fields": note.fields}
    return json.dumps(whole, ensure_ascii=False, indent=2).encode()


def _moment(note: Note) -> tuple[int, int, int, int, int, int]:
    at = note.updated_at
    year = min(max(at.year, _FIRST_YEAR), 2107)
    return year, at.month, at.day, at.hour, at.minute, at.second


class _Names:
    """Where files may lie: each at one place, also where capitals make no difference."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def name(self, wanted: PurePosixPath) -> str:
        places = (wanted.with_stem(f"{wanted.stem} ({copy})") for copy in count(2))
        name = next(str(place) for place in chain([wanted], places) if str(place).casefold() not in self._given)
        self._given.add(name.casefold())
        return name


def _place(note: Note) -> PurePosixPath:
    """`vault/folder/name.md`, of signs that every system takes; the title, where the note has no path."""
    parts = [part for part in note.path.split("/") if part not in {"", ".", ".."}] or [note.title or _UNNAMED]
    vault = [] if note.vault == DEFAULT_VAULT else [note.vault]
    *folders, file = (_safe(part) for part in (*vault, *parts))
    named = file if PurePosixPath(file).suffix.lower() in _SUFFIXES else f"{file}.md"
    return PurePosixPath(*folders, named)


def _safe(part: str) -> str:
    return _ODD.sub("-", part)[:_LONGEST_PART].strip(" .") or _UNNAMED
