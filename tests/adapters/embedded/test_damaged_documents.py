"""Documents of real files in which bytes were changed: told from what was saved, left out, and named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest

from shared.account.export import export
from shared.adapters.embedded import EmbeddedStore
from shared.adapters.embedded.damage import Condition, check
from shared.api.account import export_lines
from shared.model.account import AnsweredRequest, Feedback, Person
from shared.model.documents import (
    FEEDBACK,
    MESSAGES,
    REQUESTS,
    SESSIONS,
    TEMPLATES,
    TRASH,
    Collection,
    Conversation,
)
from shared.model.notes import TrashedNote, TrashReason
from shared.model.sessions import Message, Role, Session
from shared.model.templates import StoredTemplate, Template
from tests.account.world import household
from tests.adapters.embedded.places import flip, tenant_file
from tests.contracts.samples import unit
from tests.indexing.world import note

T = TypeVar("T")

TENANT = "alice"
DAY = datetime(2026, 5, 8, tzinfo=UTC)
LATER = DAY + timedelta(days=9)
OWNER = Person(TENANT, TENANT)
WORDS = "a heron waits"
_PLACES: Mapping[str, tuple[str | Person | Conversation, Collection[Any]]] = {
    "trash": (TENANT, TRASH),
    "sessions": (OWNER, SESSIONS),
    "messages": (Conversation(OWNER, "s0"), MESSAGES),
    "templates": (TENANT, TEMPLATES),
    "feedback": (OWNER, FEEDBACK),
    "requests": (OWNER, REQUESTS),
}
"""Table -> whose documents it holds, and which."""


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A tenant's file with three documents of each kind, closed."""
    with closing(EmbeddedStore(tmp_path)) as store:
        talk = Conversation(OWNER, "s0")
        for number in range(3):
            time = DAY + timedelta(minutes=number)
            trashed_note = note(WORDS, f"n{number}", title=WORDS)
            trashed = TrashedNote(
                trash_id=f"t{number}",
                note=trashed_note,
                trashed_at=DAY,
                expires_at=LATER,
                reason=TrashReason.EDITED,
            )
            store.put(TENANT, TRASH, trashed)
            session = Session(
                f"s{number}",
                created_at=time,
                updated_at=time,
                title=WORDS,
            )
            store.put(OWNER, SESSIONS, session)
            message = Message(
                message_id=f"m{number}",
                role=Role.USER,
                text=WORDS,
                created_at=time,
            )
            store.add_messages(talk, [message], first=WORDS)
            template = StoredTemplate(
                Template(f"p{number}", WORDS, WORDS), unit(1, number, 0), "key"
            )
            store.put(TENANT, TEMPLATES, template)
            store.put(OWNER, FEEDBACK, Feedback(f"f{number}", "r", DAY, comment=WORDS))
            answered = AnsweredRequest(f"r{number}", "print", LATER, None, WORDS, {"n1": "v1"})
            store.put(OWNER, REQUESTS, answered)
    return tenant_file(tmp_path, TENANT)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], EmbeddedStore]]:
    stores = []

    def again() -> EmbeddedStore:
        stores.append(EmbeddedStore(tmp_path))
        return stores[-1]

    yield again
    for store in stores:
        store.close()


def test_documents_of_every_kind_are_whole_as_they_were_written(documents: Path) -> None:
    assert check(documents) == Condition(pages=(), notes=0, documents={}, derived=0)


@pytest.mark.parametrize("mask", [0x01, 0x80])
@pytest.mark.parametrize("table", _PLACES)
def test_a_document_with_one_flipped_bit_is_unreadable_and_counted(
    documents: Path, opened: Callable[[], EmbeddedStore], table: str, mask: int
) -> None:
    flip(documents, table, WORDS, mask)
    assert check(documents).documents == {table: 1}
    store = opened()
    owner, collection = _PLACES[table]
    listing = store.listing(owner, collection, limit=9)
    sound = 3 if table == "trash" and mask == 0x01 else 2  # a listing of the trash reads no texts
    assert len(listing.items) in (2, sound)
    assert len(listing.items) + len(listing.unreadable) == 3
    assert not any(WORDS[:3] in document.reason for document in listing.unreadable)


@pytest.mark.parametrize("column", ["title", "text"])
def test_an_export_goes_on_past_damaged_documents_and_names_them(
    documents: Path, tmp_path: Path, column: str
) -> None:
    for table in ("sessions", "messages", "templates", "feedback"):
        flip(documents, table, WORDS)
    with closing(sqlite3.connect(documents, isolation_level=None)) as db:
        damaged = f"CAST(x'db' || substr({column}, 2) AS TEXT)"
        db.execute(f"UPDATE trash SET {column} = {damaged} WHERE note_id = 'n1'")  # noqa: S608 - named above
    with closing(EmbeddedStore(tmp_path)) as store, household(store) as house:
        lines = list(export_lines(export(store, house.app.sessions(OWNER))))
    counts: Any = lines[-1]["counts"]
    assert counts["unreadable"] == 4 + 1
    assert counts["trashedNote"] == 2
    assert counts["template"] == 2
    assert counts["feedback"] == 2
    unreadable = [line for line in lines if line["type"] == "unreadable"]
    assert {line["collection"] for line in unreadable} >= {"trash", "sessions", "feedback"}
    assert WORDS[2:7] not in str(unreadable)


@pytest.mark.parametrize("value", ["1 << 61", "'x'", "x'ff'", "-1"])
def test_a_listing_goes_on_behind_a_row_whose_place_is_damaged(
    documents: Path, opened: Callable[[], EmbeddedStore], value: str
) -> None:
    with closing(sqlite3.connect(documents, isolation_level=None)) as db:
        db.execute(f"UPDATE sessions SET updated_at = {value} WHERE session_id = 's1'")  # noqa: S608 - named above
        db.execute(f"UPDATE messages SET created_at = {value} WHERE message_id = 'm1'")  # noqa: S608 - named above
    store = opened()
    assert _walked(store, OWNER, SESSIONS) == ({"s0", "s2"}, {"s1"})
    assert _walked(store, Conversation(OWNER, "s0"), MESSAGES) == ({"m0", "m2"}, {"m1"})


@pytest.mark.parametrize(
    ("owner", "collection"),
    [
        (TENANT, TRASH),
        (TENANT, TEMPLATES),
        (OWNER, FEEDBACK),
        (OWNER, SESSIONS),
    ],
)
def test_a_listing_goes_on_behind_a_row_whose_id_is_damaged(
    documents: Path,
    opened: Callable[[], EmbeddedStore],
    owner: str | Person,
    collection: Collection[object],
) -> None:
    name = collection.id_field
    with closing(sqlite3.connect(documents, isolation_level=None)) as db:
        db.execute(
            f"UPDATE {collection.name} SET {name} = CAST(substr({name}, 1, 1) || x'db' AS TEXT) "  # noqa: S608 - named above
            f"WHERE {name} LIKE '%1'"
        )
    readable, unreadable = _walked(opened(), owner, collection)
    assert len(readable) == 2
    assert {document_id[1:] for document_id in unreadable} == {"\N{REPLACEMENT CHARACTER}"}


def _walked(
    store: EmbeddedStore, owner: str | Person | Conversation, collection: Collection[T]
) -> tuple[set[str], set[str]]:
    """Returns the ids of the documents that pages of one name, and of those that cannot be read."""
    readable: set[str] = set()
    unreadable: set[str] = set()
    position = None
    for _ in range(9):
        listing = store.listing(owner, collection, limit=1, after=position)
        readable.update(map(collection.id_of, listing.items))
        unreadable.update(document.document_id for document in listing.unreadable)
        position = listing.next
        if position is None:
            return readable, unreadable
    raise AssertionError("the listing has no end")


def test_a_session_goes_on_with_its_counts_and_stays_whole(documents: Path, tmp_path: Path) -> None:
    with closing(EmbeddedStore(tmp_path)) as store:
        session = store.get(OWNER, SESSIONS, "s0").value
        assert session is not None
        assert session.message_count == 3
        assert session.first_question == WORDS
    assert check(documents).documents == {}
