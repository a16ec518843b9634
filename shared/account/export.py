"""Everything a person or a tenant owns, item by item, with one page in memory at a time; and its erasure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain, count
from pathlib import PurePosixPath
from typing import Protocol, TypeAlias, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from shared.account.budgets import seconds_to_next_day, utc_day
from shared.account.caches import Cache
from shared.errors import NotFound
from shared.markdown.file import whole_content
from shared.model.account import DayUsage, Feedback, Person, Receipt
from shared.model.notes import DEFAULT_VAULT, Note, TrashedNote, UnreadableNote
from shared.model.retrieval import Retrieved
from shared.model.sessions import Message, Session
from shared.model.templates import Template
from shared.ports.pages import Page, every
from shared.ports.stores import Store

FIRST_PAGE = 2
"""Items of a first page. Each further page is at most twice as long as the one before, ..."""
PAGE_CHARACTERS = 1_000_000
"""... and of as many items as come to this, if they are as long as the longest of the page before; ..."""
NOTES_AT_ONCE = 10
"""... and at most this many notes, of up to 900,000 bytes each."""
ROWS_AT_ONCE = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message and the session it belongs to."""

    session_id: str
    message: Message


Exported: TypeAlias = Note | UnreadableNote | TrashedNote | Template | Session | SessionMessage | Feedback | DayUsage


class SessionPages(Protocol):
    """A person's sessions and their messages, as they may read them now."""

    @property
    def person(self) -> Person: ...

    def page(self, *, limit: int, token: str | None = None) -> Page[Session]: ...

    def messages(self, session_id: str, *, limit: int, token: str | None = None) -> Page[Message]: ...


def export(store: Store, sessions: SessionPages) -> Iterator[Exported]:
    """Everything the person owns, read page by page as it is taken; the tenant's too where it is theirs alone.

    What changes meanwhile may be given as it was or as it is; what is quoted of deleted notes in sessions stays out, as
    wherever sessions are read.
    """
    if sessions.person.is_tenant:
        yield from export_tenant(sessions.person.tenant_id, store)
    for session in every(lambda token: sessions.page(limit=ROWS_AT_ONCE, token=token)):
        yield session
        yield from session_messages(session.session_id, sessions)
    yield from every(lambda token: store.list_feedback(sessions.person, limit=ROWS_AT_ONCE, token=token))


def export_tenant(tenant_id: str, store: Store) -> Iterator[Exported]:
    """A tenant's notes, trash, templates and usage."""
    yield from all_notes(tenant_id, store)
    for listed in every(lambda token: store.list_trashed(tenant_id, limit=ROWS_AT_ONCE, token=token)):
        trashed = store.get_trashed(tenant_id, listed.trash_id)
        if trashed is not None:
            yield trashed
    yield from (stored.template for stored in store.templates(tenant_id))
    yield from every(lambda token: store.list_usage(tenant_id, limit=ROWS_AT_ONCE, token=token))


def all_notes(tenant_id: str, store: Store) -> Iterator[Note | UnreadableNote]:
    """By id, with their texts; what cannot be read as it is kept."""
    return _bounded(
        lambda limit, token: store.whole_notes(tenant_id, limit=limit, token=token),
        lambda note: len(note.text) if isinstance(note, Note) else len(str(note.fields)),
        most=NOTES_AT_ONCE,
    )


def session_messages(session_id: str, sessions: SessionPages) -> Iterator[SessionMessage]:
    """Page by page from the newest, each page in the order of time. None more of a session deleted meanwhile."""
    with suppress(NotFound):
        messages = _bounded(
            lambda limit, token: sessions.messages(session_id, limit=limit, token=token),
            lambda message: len(message.text) + sum(len(str(each.shown)) for each in message.citations),
            most=ROWS_AT_ONCE,
        )
        yield from (SessionMessage(session_id, message) for message in messages)


def _bounded(read: Callable[[int, str | None], Page[T]], length: Callable[[T], int], *, most: int) -> Iterator[T]:
    """Every item of a listing whose pages are read with (limit, token): they get shorter where items are long, so that
    an export that is taken slowly holds little.
    """
    limit, token = FIRST_PAGE, None
    while True:
        page = read(limit, token)
        yield from page.items
        token = page.next_token
        if token is None:
            return
        longest = max(map(length, page.items), default=1)
        limit = max(1, min(2 * limit, most, PAGE_CHARACTERS // max(1, longest)))


@dataclass(frozen=True, slots=True)
class Erasure:
    """Removes what a person or a tenant owns, and what this process remembers of it."""

    store: Store
    clock: Callable[[], datetime]
    results: Cache[Retrieved] | None
    on_erase: Callable[[str], None] | None
    """Forgets what is kept of a tenant outside the store; None: nothing is."""

    def erase(self, person: Person) -> Receipt:
        """Remove everything the person owns; the tenant itself where it is theirs alone."""
        return self.erase_tenant(person.tenant_id) if person.is_tenant else Receipt(self.store.erase_person(person))

    def erase_tenant(self, tenant_id: str) -> Receipt:
        """Remove everything of the tenant and its people. Killed half-way, the next call does and counts the rest."""
        now = self.clock()
        if self.on_erase is not None:  # first: who follows a folder that is not known any more brings nothing back
            self.on_erase(tenant_id)
        erased = self.store.erase(tenant_id, keep_usage_of=utc_day(now))
        if self.results is not None:
            self.results.clear()
        kept = bool(self.store.list_usage(tenant_id, limit=1).items)
        return Receipt(erased, now + timedelta(seconds=seconds_to_next_day(now)) if kept else None)


# -- as a zip of Markdown files


_SUFFIXES = frozenset({".md", ".markdown"})
_UNNAMED = "untitled"
_UNREADABLE = "unreadable"
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')
"""Characters that some system forbids in a file's name."""
_MAX_PART = 60
"""Characters of a folder's or a file's name: at most 240 bytes, and systems take 255."""
_FIRST_YEAR = 1980
"""Before it a zip knows no date."""


class _Outlet:
    """Write-only file for ZipFile; `taken` returns the bytes written since the last call."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """ZipFile calls it; nothing is buffered."""

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def zipped(notes: Iterable[Note | UnreadableNote]) -> Iterator[bytes]:
    """A file a note, with its title, tags, language and date in its frontmatter, at its path in a folder named after
    its vault; those of the vault `default` lie outside. What cannot be read is a file of JSON in `unreadable`, with
    the reason. Broken off, what went out is no zip that can be opened.
    """
    outlet, given = _Outlet(), set[str]()
    archive = ZipFile(outlet, "w", ZIP_DEFLATED)  # type: ignore[call-overload]  # asks for no more
    for note in notes:
        if isinstance(note, UnreadableNote):
            info = ZipInfo(_unused(PurePosixPath(_UNREADABLE, f"{_safe(note.note_id)}.json"), given))
            whole = {"noteId": note.note_id, "reason": note.reason, "fields": note.fields}
            content = json.dumps(whole, ensure_ascii=False, indent=2).encode()
        else:
            at = note.updated_at
            year = min(max(at.year, _FIRST_YEAR), 2107)
            moment = (year, at.month, at.day, at.hour, at.minute, at.second)
            info = ZipInfo(_unused(_place(note), given), date_time=moment)
            content = whole_content(note, info.filename)
        info.compress_type = ZIP_DEFLATED
        archive.writestr(info, content)
        yield outlet.taken()
    archive.close()
    yield outlet.taken()


def _unused(wanted: PurePosixPath, given: set[str]) -> str:
    """A path of the file's own, also on systems that ignore case; it is added to those `given` before."""
    places = (wanted.with_stem(f"{wanted.stem} ({copy})") for copy in count(2))
    name = next(str(place) for place in chain([wanted], places) if str(place).casefold() not in given)
    given.add(name.casefold())
    return name


def _place(note: Note) -> PurePosixPath:
    """`vault/folder/name.md`, of signs that every system takes; the title, where the note has no path."""
    parts = [part for part in note.path.split("/") if part not in {"", ".", ".."}] or [note.title or _UNNAMED]
    vault = [] if note.vault == DEFAULT_VAULT else [note.vault]
    *folders, file = (_safe(part) for part in (*vault, *parts))
    named = file if PurePosixPath(file).suffix.lower() in _SUFFIXES else f"{file}.md"
    return PurePosixPath(*folders, named)


def _safe(part: str) -> str:
    return _ODD.sub("-", part)[:_MAX_PART].strip(" .") or _UNNAMED
