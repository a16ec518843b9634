"""firestore.indexes.json holds the index of every query and nothing else.

That each query of every other test has its index, the proxy sees to that all of them pass: `ProductionLimits`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.protocol import Query, Where
from shared.model.account import AnsweredRequest, Feedback, Spending
from shared.model.documents import (
    FEEDBACK,
    MESSAGES,
    REQUESTS,
    SESSIONS,
    TEMPLATES,
    Conversation,
    Cursor,
)
from shared.model.index import IndexChange, IndexRecord, IndexStatus
from shared.model.notes import NoteKey
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction
from shared.model.sessions import Message, Role, Session
from shared.settings import Settings
from tests.contracts.samples import (
    DAY,
    FREE,
    PERSON,
    TENANT,
    VERSION,
    chunk,
    note,
    record,
    save,
    unit,
)
from tests.servers.firestore_indexes import FILE, GROUP, ONE, IndexFile, asked_by
from tests.servers.firestore_limits import ProductionLimits

V = unit(1, 2, 3, 4)
YEAR = TimeRange(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))
RED = frozenset({"t:red"})
ELSEWHERE = frozenset({"f:default/elsewhere"})
RESTRICTIONS = (
    FREE,
    Restriction(created=YEAR),
    Restriction(created=TimeRange(DAY, DAY + timedelta(days=7))),
    Restriction(scopes=(RED,)),
    Restriction(scopes=(ELSEWHERE,)),
    Restriction(created=YEAR, scopes=(ELSEWHERE,)),
    Restriction(created=YEAR, scopes=(frozenset({"t:red", "t:blue"}), RED)),
    Restriction(created=TimeRange(DAY, None), scopes=(RED,)),
)
OURS = {"chunks", "auroraRequests", "auroraTrash"}
"""Collections of these names are taken to be ours alone, whatever else lives in the database."""
ADDED = {("notes", "updatedAt")}
"""Fields that have an index over all tenants beside Firestore's own."""
UNSEARCHABLE = {("templates", "embedding")}
"""A vector: no query uses an index of this field alone, and an entry of it may be too long for Firestore."""


def test_every_index_has_a_query_and_every_field_of_ours_without_one_is_exempt(
    firestore_store: FirestoreStore, limits: ProductionLimits
) -> None:
    limits.queries.clear()
    limits.written.clear()
    _every_query(firestore_store)
    unneeded = limits.indexes.unneeded(limits.queries)
    assert [
        index
        for index in unneeded
        if index.collection in OURS or not index.single or index.scope == GROUP
    ] == []
    needed = {
        (index.collection, index.fields[0][0].partition(".")[0])
        for query in limits.queries
        for index in limits.indexes.serving(query) or []
        if index.single
    }
    idle = {
        (collection, field)
        for collection, field in limits.written - needed
        if collection in OURS and limits.indexes.of_field(collection, field)
    }
    assert idle == set()


def test_collections_of_other_apps_lose_no_index_and_no_document() -> None:
    """An override and a time to live hold for every collection of a name in the database."""
    defaults = [
        ("ASCENDING", ONE),
        ("DESCENDING", ONE),
        ("CONTAINS", ONE),
    ]
    for override in json.loads(FILE.read_text())["fieldOverrides"]:
        field = override["collectionGroup"], override["fieldPath"]
        if field[0] in OURS or field in UNSEARCHABLE:
            continue
        indexes = [
            (index.get("order") or index["arrayConfig"], index["queryScope"])
            for index in override["indexes"]
        ]
        assert indexes == [*defaults, ("ASCENDING", GROUP)], field
        assert field in ADDED
        assert "ttl" not in override


def test_vector_indexes_have_the_default_dimension() -> None:
    dimensions = {
        field["vectorConfig"]["dimension"]
        for index in json.loads(FILE.read_text())["indexes"]
        for field in index["fields"]
        if "vectorConfig" in field
    }
    assert dimensions == {Settings().embedding_dim}


def test_kept_answers_and_trashed_notes_are_dropped_by_firestore_when_they_have_expired() -> None:
    overrides = json.loads(FILE.read_text())["fieldOverrides"]
    expiring = [
        (override["collectionGroup"], override["fieldPath"])
        for override in overrides
        if override.get("ttl")
    ]
    assert sorted(expiring) == [
        ("auroraRequests", "expiresAt"),
        ("auroraTrash", "expiresAt"),
    ]


def test_records_that_wait_are_spread_over_shards_and_finished_ones_leave_the_index(
    firestore_store: FirestoreStore,
) -> None:
    tokens = {
        f"n{number:02}": firestore_store.apply(
            TENANT, IndexChange(f"n{number:02}", None, _waiting(number))
        )
        for number in range(40)
    }
    keys = tuple(NoteKey(TENANT, note_id) for note_id in tokens)
    assert firestore_store.due_keys(DAY + timedelta(days=1), limit=100) == keys
    assert len(_shards(firestore_store)) > 8
    for note_id, token in tokens.items():
        firestore_store.apply(TENANT, IndexChange(note_id, token, record()))
    assert _shards(firestore_store) == set()


def _waiting(minutes: int) -> IndexRecord:
    return record(status=IndexStatus.PENDING, due_at=DAY + timedelta(minutes=minutes))


def _shards(store: FirestoreStore) -> set[str]:
    connection = store._db
    waiting = connection.query(
        connection.parent(TENANT), Query(collection="index", order=("waiting",))
    )
    return {document.fields["waiting"].string_value for document in waiting}


def _where(*where: Where, order: tuple[str, ...] = ()) -> Query:
    return Query(collection="chunks", where=where, order=order)


NEWEST = "-createdAt"


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        (_where(), True),
        (_where(Where("noteId", "==", "n")), True),
        (_where(Where("noteId", "==", "n"), order=("length",)), False),
        (_where(Where("noteId", "==", "n"), Where("length", "==", 1)), True),
        (_where(Where("title", "==", "n")), False),
        (_where(order=("-postings.alpha",)), True),
        (_where(order=("postings.alpha",)), False),
        (_where(order=(NEWEST,)), False),
        (_where(order=(NEWEST, "__name__")), True),
        (_where(Where("scopes", "array_contains", "v:default"), order=(NEWEST, "__name__")), True),
        (_where(Where("tags", "array_contains", "red"), order=(NEWEST, "__name__")), False),
    ],
)
def test_a_query_runs_only_with_the_indexes_it_needs(query: Query, *, runs: bool) -> None:
    assert (IndexFile().serving(asked_by(query.message())) is not None) is runs


def _every_query(store: FirestoreStore) -> None:
    save(store, *(chunk("n1", position) for position in range(5)), vector=V)
    save(store, chunk("n2", path="elsewhere/x.md"), vector=V)
    for restriction in RESTRICTIONS:
        store.nearest(
            TENANT, V, limit=2, stems=["alpha"], restriction=restriction, index_version=VERSION
        )
        store.nearest(
            TENANT,
            V,
            limit=2,
            stems=[],
            restriction=restriction,
            index_version="another",
            second_vectors=True,
        )
        store.postings(
            TENANT,
            "alpha",
            limit=2,
            stems=["alpha"],
            restriction=restriction,
        )
        store.recent(
            TENANT,
            limit=2,
            stems=["alpha"],
            restriction=restriction,
        )
    store.document_frequencies(TENANT, ["alpha", "a b"])
    store.stats(TENANT)
    store.stored_chunks(TENANT, "n1")
    store.note_chunks(TENANT, "n1", stems=["alpha"])
    store.coverage(TENANT)
    store.count_outdated(TENANT, VERSION)
    store.folders(TENANT)
    store.listing(TENANT, TEMPLATES, limit=9)
    store.put(
        PERSON,
        SESSIONS,
        Session(
            session_id="s1",
            created_at=DAY,
            updated_at=DAY,
        ),
    )
    message = Message(
        message_id="m1",
        role=Role.USER,
        text="?",
        created_at=DAY,
        request_id="r1",
    )
    store.add_messages(Conversation(PERSON, "s1"), [message], first="?")
    store.listing(PERSON, SESSIONS, limit=1, after=Cursor("s2", DAY))
    store.listing(Conversation(PERSON, "s1"), MESSAGES, limit=1, after=Cursor("m2", DAY))
    store.delete(PERSON, SESSIONS, "s1")
    store.list_notes(TENANT, limit=1, vault="work")
    store.note_keys(limit=1)
    store.note_keys(limit=1, changed_since=DAY - timedelta(days=1))
    store.record_keys(limit=1)
    store.due_keys(DAY, limit=10)
    store.orphan_keys(limit=1)
    store.listing(PERSON, FEEDBACK, limit=1)
    store.list_usage(TENANT, limit=1)
    store.put_note(TENANT, note("n1"))
    store.put(
        PERSON,
        FEEDBACK,
        Feedback(
            feedback_id="f1",
            request_id="r1",
            created_at=DAY,
        ),
    )
    store.spend(TENANT, DAY.date(), Spending.ANSWERS, 1)
    store.spend(TENANT, DAY.date(), Spending.EMBEDDED_TOKENS, 1, limit=5)
    store.list_usage(TENANT, limit=1)
    store.write_bookmark("place", "x")
    answered = AnsweredRequest(
        request_id="r1",
        fingerprint="f",
        expires_at=DAY,
        lease_until=None,
        answer="{}",
        notes={"n1": "r1"},
    )
    store.swap(PERSON, REQUESTS, "r1", answered, expected=None)
    save(store, chunk("n1", path="elsewhere/x.md"), vector=V)
    store.erase(TENANT)
