"""Export and erasure of everything a person or a tenant owns. An export holds one page in memory at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import PurePosixPath
from typing import Protocol, TypeAlias, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from shared.account.caches import Cache
from shared.account.daily import seconds_to_next_day, utc_day
from shared.errors import InvalidArgument, NotFound
from shared.markdown.file import whole_content
from shared.model.account import DayUsage, Feedback, Person, Receipt
from shared.model.documents import (
    FEEDBACK,
    TEMPLATES,
    TRASH,
    Collection,
    Owner,
    UnreadableDocument,
)
from shared.model.notes import DEFAULT_VAULT, Note, TrashedNote, UnreadableNote
from shared.model.retrieval import Retrieved
from shared.model.sessions import Message, Session
from shared.model.templates import Template
from shared.ports.documents import read_page
from shared.ports.pages import Page, items_of_pages
from shared.ports.stores import Store

FIRST_PAGE = 2
"""Items of the first page. Each further page has at most twice as many as the one before."""
PAGE_CHARACTERS = 1_000_000
"""Characters of a page: it has as many items as have this length together, if each is as long as the longest item of
the page before.
"""
NOTES_AT_ONCE = 10
"""Most notes of a page; each has up to 900,000 bytes."""
ROWS_AT_ONCE = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message and the session it belongs to."""

    session_id: str
    message: Message


Exported: TypeAlias = (
    Note
    | UnreadableNote
    | TrashedNote
    | Template
    | Session
    | SessionMessage
    | Feedback
    | DayUsage
    | UnreadableDocument
)


class SessionPages(Protocol):
    """Sessions of a person and their messages, as the person may read them now."""

    @property
    def person(self) -> Person: ...

    def page(self, *, limit: int, token: str | None = None) -> Page[Session]: ...

    def messages(
        self,
        session_id: str,
        *,
        limit: int,
        token: str | None = None,
    ) -> Page[Message]: ...


def export(store: Store, sessions: SessionPages) -> Iterator[Exported]:
    """Yields everything the person owns, and everything of the tenant if it is theirs alone.

    Pages are read as their items are taken, so a change meanwhile may be included or not. Quotations of deleted notes
    in sessions are left out, as everywhere.
    """
    if sessions.person.is_tenant:
        yield from export_tenant(sessions.person.tenant_id, store)
    for session in _with_unreadable(lambda token: sessions.page(limit=ROWS_AT_ONCE, token=token)):
        yield session
        if isinstance(session, UnreadableDocument):
            yield from session_messages(session.document_id, sessions)
        else:
            yield from session_messages(session.session_id, sessions)
    yield from _documents(store, sessions.person, FEEDBACK)


def export_tenant(tenant_id: str, store: Store) -> Iterator[Exported]:
    """Yields the notes, trash, templates and usage of a tenant."""
    yield from all_notes(tenant_id, store)
    for listed in _documents(store, tenant_id, TRASH):
        if isinstance(listed, UnreadableDocument):
            yield listed
            continue
        try:
            trashed = store.get(tenant_id, TRASH, listed.trash_id).value
        except InvalidArgument as bad:
            yield UnreadableDocument(TRASH.name, listed.trash_id, bad.message)
            continue
        if trashed is not None:
            yield trashed
    for stored in _documents(store, tenant_id, TEMPLATES):
        if isinstance(stored, UnreadableDocument):
            yield stored
        else:
            yield stored.template
    yield from items_of_pages(
        lambda token: store.list_usage(tenant_id, limit=ROWS_AT_ONCE, token=token),
    )


def _documents(
    store: Store,
    owner: Owner,
    collection: Collection[T],
) -> Iterator[T | UnreadableDocument]:
    """Yields the documents of a collection that is listed by id, as a listing reads them."""
    return _with_unreadable(
        lambda token: read_page(store, owner, collection, limit=ROWS_AT_ONCE, token=token),
    )


def _with_unreadable(read: Callable[[str | None], Page[T]]) -> Iterator[T | UnreadableDocument]:
    """Yields the items of all pages, and once what cannot be read among them."""
    named: set[str] = set()
    token: str | None = None
    while True:
        page = read(token)
        yield from page.items
        for unreadable in page.unreadable:
            if unreadable.document_id not in named:
                named.add(unreadable.document_id)
                yield unreadable
        token = page.next_token
        if token is None:
            return


def all_notes(tenant_id: str, store: Store) -> Iterator[Note | UnreadableNote]:
    """Yields the notes by id, with their texts; unreadable ones as they are stored."""
    read = _bounded(
        lambda limit, token: store.whole_notes(tenant_id, limit=limit, token=token),
        _note_length,
        most=NOTES_AT_ONCE,
    )
    return items_of_pages(read)


def session_messages(
    session_id: str,
    sessions: SessionPages,
) -> Iterator[SessionMessage | UnreadableDocument]:
    """Yields the messages of a session, the newest page first, each page in the order of time.

    Stops if the session is deleted meanwhile.
    """
    with suppress(NotFound):
        read = _bounded(
            lambda limit, token: sessions.messages(session_id, limit=limit, token=token),
            _message_length,
            most=ROWS_AT_ONCE,
        )
        for message in _with_unreadable(read):
            if isinstance(message, UnreadableDocument):
                yield message
            else:
                yield SessionMessage(session_id, message)


def _note_length(note: Note | UnreadableNote) -> int:
    """Returns about how many characters a note holds."""
    if isinstance(note, Note):
        return len(note.text)
    return len(str(note.fields))


def _message_length(message: Message) -> int:
    """Returns about how many characters a message holds."""
    citations = sum(len(str(citation.shown)) for citation in message.citations)
    return len(message.text) + citations


def _bounded(
    read: Callable[[int, str | None], Page[T]],
    length: Callable[[T], int],
    *,
    most: int,
) -> Callable[[str | None], Page[T]]:
    """Returns a function that reads the next page of a listing whose pages are read with (limit, token).

    Pages of long items are shorter, so that an export that is taken slowly holds little.
    """
    limit = FIRST_PAGE

    def read_next(token: str | None) -> Page[T]:
        nonlocal limit
        page = read(limit, token)
        longest = max(map(length, page.items), default=1)
        fitting = PAGE_CHARACTERS // max(1, longest)
        limit = max(1, min(2 * limit, most, fitting))
        return page

    return read_next


@dataclass(frozen=True, slots=True)
class Erasure:
    """Removes what a person or a tenant owns, and what this process remembers of it."""

    store: Store
    clock: Callable[[], datetime]
    results: Cache[Retrieved] | None
    on_erase: Callable[[str], None] | None
    """Forgets what is stored about a tenant outside the store; None if nothing is."""

    def erase(self, person: Person) -> Receipt:
        """Removes everything the person owns, and the tenant itself if it is theirs alone."""
        if person.is_tenant:
            return self.erase_tenant(person.tenant_id)
        return Receipt(self.store.erase(person))

    def erase_tenant(self, tenant_id: str) -> Receipt:
        """Removes everything of the tenant and its people. After a crash the next call removes and counts the rest."""
        now = self.clock()
        if self.on_erase is not None:
            # First: a folder that is forgotten can bring none of its notes back.
            self.on_erase(tenant_id)
        erased = self.store.erase(tenant_id, keep_usage_of=utc_day(now))
        if self.results is not None:
            self.results.clear()
        usage_until = None
        if self.store.list_usage(tenant_id, limit=1).items:
            usage_until = now + timedelta(seconds=seconds_to_next_day(now))
        return Receipt(erased, usage_until)


# -- as a zip of Markdown files


_SUFFIXES = frozenset({".md", ".markdown"})
_UNNAMED = "untitled"
_UNREADABLE = "unreadable"
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')
"""Characters that some operating system forbids in file names."""
_MAX_PART = 60
"""Longest name of a folder or a file in characters: at most 240 bytes, and file systems take 255."""
_FIRST_YEAR = 1980
"""First year that a zip can store."""
_LAST_YEAR = 2107
"""Last year that a zip can store."""


class _Outlet:
    """Write-only file for ZipFile; `drain` returns the bytes written since the last call."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """Does nothing, as nothing is buffered; ZipFile calls it."""

    def drain(self) -> bytes:
        written = b"".join(self._pieces)
        self._pieces = []
        return written


def zipped(notes: Iterable[Note | UnreadableNote]) -> Iterator[bytes]:
    """Yields the bytes of a zip with one Markdown file a note, at its path in a folder named after its vault.

    Title, tags, language and date are in the file's frontmatter; notes of the vault `default` lie outside a vault's
    folder. An unreadable note is a JSON file in `unreadable`, with the reason. An archive that is broken off cannot be
    opened.
    """
    outlet = _Outlet()
    names: set[str] = set()
    archive = ZipFile(outlet, "w", ZIP_DEFLATED)  # type: ignore[call-overload]  # asks for no more
    for note in notes:
        if isinstance(note, UnreadableNote):
            path = PurePosixPath(_UNREADABLE, f"{_safe(note.note_id)}.json")
            info = ZipInfo(_unused(path, names))
            content = _unreadable_content(note)
        else:
            name = _unused(_path(note), names)
            info = ZipInfo(name, date_time=_zip_time(note.updated_at))
            content = whole_content(note, info.filename)
        info.compress_type = ZIP_DEFLATED
        archive.writestr(info, content)
        yield outlet.drain()
    archive.close()
    yield outlet.drain()


def _unreadable_content(note: UnreadableNote) -> bytes:
    """Returns the stored fields of an unreadable note as JSON, with the reason."""
    content = {"noteId": note.note_id, "reason": note.reason, "fields": note.fields}
    return json.dumps(content, ensure_ascii=False, indent=2).encode()


def _zip_time(time: datetime) -> tuple[int, int, int, int, int, int]:
    """Returns a time as a zip stores it, in the nearest year that it can store."""
    year = min(max(time.year, _FIRST_YEAR), _LAST_YEAR)
    return (year, time.month, time.day, time.hour, time.minute, time.second)


def _unused(path: PurePosixPath, names: set[str]) -> str:
    """Returns the path, numbered if it is among `names`, and adds it to them.

    Names are in lower case, so that paths differ also on systems that ignore case.
    """
    name = str(path)
    copies = count(2)
    while name.casefold() in names:
        name = str(path.with_stem(f"{path.stem} ({next(copies)})"))
    names.add(name.casefold())
    return name


def _path(note: Note) -> PurePosixPath:
    """Returns `vault/folder/name.md` in characters that every system takes; a note without a path is named by title."""
    parts = [part for part in note.path.split("/") if part not in {"", ".", ".."}]
    if not parts:
        parts = [note.title or _UNNAMED]
    if note.vault != DEFAULT_VAULT:
        parts = [note.vault, *parts]
    *folders, file_name = [_safe(part) for part in parts]
    if PurePosixPath(file_name).suffix.lower() not in _SUFFIXES:
        file_name = f"{file_name}.md"
    return PurePosixPath(*folders, file_name)


def _safe(part: str) -> str:
    """Returns one part of a path as a name that every system takes."""
    return _ODD.sub("-", part)[:_MAX_PART].strip(" .") or _UNNAMED
