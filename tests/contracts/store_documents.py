"""Promises of `shared.ports.documents.DocumentStore`."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeVar

import pytest

from shared.errors import Conflict, InvalidArgument
from shared.model.account import AnsweredRequest, Feedback, Person, Rating
from shared.model.documents import (
    FEEDBACK,
    REQUESTS,
    SESSIONS,
    TEMPLATES,
    TRASH,
    Collection,
    Cursor,
    Owner,
    Stored,
)
from shared.model.notes import Note
from shared.model.sessions import Session, SessionSettings
from shared.model.templates import StoredTemplate, Template
from shared.ports.documents import DocumentStore, read_page
from tests.contracts.samples import COLLEAGUE, DAY, OTHER, PERSON, TENANT, all_pages, trashed, unit

T = TypeVar("T")

LATER = DAY + timedelta(hours=24)
V = unit(1, 2, 3, 4)
W = unit(4, 3, 2, 1)


@dataclass(frozen=True)
class Sample:
    """Documents of a collection: ids `d1` and `d2`, which differ in every field that one may leave out."""

    collection: Collection[Any]
    owner: Owner
    stranger: Owner
    plain: Any
    full: Any
    changes: Mapping[str, object]
    """Changes that make another document of `full`."""


SAMPLES = (
    Sample(
        SESSIONS,
        PERSON,
        COLLEAGUE,
        plain=Session(session_id="d1", created_at=DAY, updated_at=DAY),
        full=Session(
            session_id="d2",
            created_at=DAY,
            updated_at=DAY,
            title="Trip 😀",
            first_question="Where?",
            message_count=3,
            settings=SessionSettings(
                top_k=20,
                threshold=1.0,
                system_prompt="Be brief.",
            ),
        ),
        changes={
            "updated_at": LATER,
            "title": "Ünïcode",
            "settings": {"top_k": 3},
        },
    ),
    Sample(
        FEEDBACK,
        PERSON,
        Person(TENANT, TENANT),
        plain=Feedback("d1", "r-1", DAY, citation="N1"),
        full=Feedback(
            "d2", "r-1", DAY, message_id="m1", rating=Rating.DOWN, comment="Ünïcode “no” 😀\nline"
        ),
        changes={"comment": "Better."},
    ),
    Sample(
        REQUESTS,
        PERSON,
        COLLEAGUE,
        plain=AnsweredRequest("d1", "print", LATER, DAY + timedelta(minutes=1)),
        full=AnsweredRequest(
            "d2", "print", LATER, None, '{"answer": "Ja — 😀"}', {"n1": "r1", "__ä/b__": "r2"}
        ),
        changes={"fingerprint": "another"},
    ),
    Sample(
        TEMPLATES,
        TENANT,
        OTHER,
        plain=StoredTemplate(Template("d1", name="Bare", content="1. Think.")),
        full=StoredTemplate(
            Template(
                "d2",
                name="Compare “two” things",
                content="1. First.\r\n\n2. Second\u2028line.",
                domain="decisions",
                complexity="complex",
                methodology="comparative",
                keywords=("versus", "b", "a"),
                description="Which is better?",
            ),
            V,
            "m:4:abc",
        ),
        changes={"vector": W, "vector_key": "m:4:def"},
    ),
    Sample(
        TRASH,
        TENANT,
        OTHER,
        plain=trashed("d1", Note("n1", "", "Alpha.", DAY, DAY)),
        full=trashed(
            "d2", Note("Nöte", "T", "Béta 😀", DAY, LATER, "work", "a/b.md", ("red", "x"), "de")
        ),
        changes={"expires_at": LATER},
    ),
)

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.collection.name)


class DocumentsContract:
    """All of `DocumentStore`."""

    @each_sample
    def test_a_document_comes_back_as_it_was_put_last(
        self, store: DocumentStore, sample: Sample
    ) -> None:
        collection = sample.collection
        owner = sample.owner
        assert store.get(owner, collection, "d1") == Stored(None, None)
        for document in (sample.plain, sample.full):
            store.put(owner, collection, document)
            assert store.get(owner, collection, collection.id_of(document)).value == document
        for document in (
            _named(sample.plain, "d2"),
            _named(sample.full, "d1"),
        ):
            store.put(owner, collection, document)
            assert store.get(owner, collection, collection.id_of(document)).value == document

    @each_sample
    def test_documents_belong_to_their_owner(self, store: DocumentStore, sample: Sample) -> None:
        collection = sample.collection
        stranger = sample.stranger
        store.put(sample.owner, collection, sample.full)
        assert store.get(stranger, collection, "d2").value is None
        assert store.listing(stranger, collection, limit=9).items == ()
        assert not store.change(stranger, collection, "d2", sample.changes)
        assert not store.delete(stranger, collection, "d2")
        assert store.swap(stranger, collection, "d2", _named(sample.plain, "d2"), expected=None)
        assert store.get(sample.owner, collection, "d2").value == sample.full

    @each_sample
    def test_a_change_sets_what_it_names_and_makes_no_document(
        self, store: DocumentStore, sample: Sample
    ) -> None:
        collection = sample.collection
        owner = sample.owner
        assert not store.change(owner, collection, "d2", sample.changes)
        assert store.get(owner, collection, "d2").value is None
        store.put(owner, collection, sample.full)
        document_before = store.get(owner, collection, "d2")
        assert store.change(owner, collection, "d2", sample.changes)
        after = store.get(owner, collection, "d2")
        assert after.value == _changed(sample.full, sample.changes)
        assert after.token != document_before.token

    @each_sample
    def test_a_swap_needs_the_token_of_what_there_is(
        self, store: DocumentStore, sample: Sample
    ) -> None:
        collection = sample.collection
        owner = sample.owner
        first = store.swap(owner, collection, "d2", sample.full, expected=None)
        assert store.get(owner, collection, "d2") == Stored(sample.full, first)
        with pytest.raises(Conflict):
            store.swap(owner, collection, "d2", sample.full, expected=None)
        changed = _changed(sample.full, sample.changes)
        second = store.swap(owner, collection, "d2", changed, expected=first)
        for value in (sample.full, None):
            with pytest.raises(Conflict):
                store.swap(owner, collection, "d2", value, expected=first)
        assert store.get(owner, collection, "d2") == Stored(changed, second)
        assert store.swap(owner, collection, "d2", None, expected=second) is None
        assert store.get(owner, collection, "d2") == Stored(None, None)
        with pytest.raises(Conflict):
            store.swap(owner, collection, "d2", changed, expected=second)

    @each_sample
    def test_delete_says_whether_there_was_a_document(
        self, store: DocumentStore, sample: Sample
    ) -> None:
        collection = sample.collection
        owner = sample.owner
        assert store.delete(owner, collection, "d1") is False
        store.put(owner, collection, sample.plain)
        store.put(owner, collection, sample.full)
        assert store.delete(owner, collection, "d1") is True
        assert store.delete(owner, collection, "d1") is False
        assert store.get(owner, collection, "d1").value is None
        assert store.get(owner, collection, "d2").value == sample.full

    @each_sample
    def test_a_listing_goes_on_behind_its_cursor(
        self, store: DocumentStore, sample: Sample
    ) -> None:
        collection = sample.collection
        owner = sample.owner
        names = [f"t{number}" for number in range(7)]
        for name in names[::-1]:
            store.put(owner, collection, _named(sample.full, name))
        if collection.newest_by:
            names.reverse()
        ids = []
        cursor = None
        while True:
            listing = store.listing(owner, collection, limit=3, after=cursor)
            ids += [collection.id_of(document) for document in listing.items]
            cursor = listing.next
            if cursor is None:
                break
            assert cursor == collection.cursor(listing.items[-1])
        assert ids == names
        assert store.listing(owner, collection, limit=8).next is None

    def test_sessions_are_listed_by_their_last_change(self, store: DocumentStore) -> None:
        moments = {"b": 1, "a": 3, "c": 2, "d": 2}
        for session_id, hours in moments.items():
            updated_at = DAY + timedelta(hours=hours)
            store.put(
                PERSON,
                SESSIONS,
                Session(
                    session_id=session_id,
                    created_at=DAY,
                    updated_at=updated_at,
                ),
            )
        listed = store.listing(PERSON, SESSIONS, limit=9).items
        assert [session.session_id for session in listed] == ["a", "d", "c", "b"]
        store.change(PERSON, SESSIONS, "b", {"updated_at": LATER})
        listed = store.listing(PERSON, SESSIONS, limit=2).items
        assert [session.session_id for session in listed] == ["b", "a"]
        assert store.listing(PERSON, SESSIONS, limit=5, after=Cursor("0", DAY)).items == ()

    def test_the_trash_is_listed_without_texts(self, store: DocumentStore) -> None:
        (sample,) = [sample for sample in SAMPLES if sample.collection is TRASH]
        store.put(TENANT, TRASH, sample.full)
        (listed,) = store.listing(TENANT, TRASH, limit=5).items
        assert listed == replace(sample.full, note=replace(sample.full.note, text=""))

    def test_pages_hold_every_document_once(self, store: DocumentStore) -> None:
        feedbacks = [Feedback(f"f{number:02d}", "r", DAY) for number in range(7)]
        for feedback in feedbacks:
            store.put(PERSON, FEEDBACK, feedback)
        for limit in (1, 3, 7):
            pages = all_pages(
                lambda token, limit=limit: read_page(  # type: ignore[misc]
                    store, PERSON, FEEDBACK, limit=limit, token=token
                )
            )
            assert pages == feedbacks
        assert read_page(store, PERSON, FEEDBACK, limit=7).next_token is None
        with pytest.raises(InvalidArgument, match="pageToken"):
            read_page(store, PERSON, FEEDBACK, limit=3, token="forged")

    def test_two_who_change_different_fields_at_once_both_succeed(
        self, store: DocumentStore
    ) -> None:
        store.put(
            PERSON,
            SESSIONS,
            Session(
                session_id="s1",
                created_at=DAY,
                updated_at=DAY,
            ),
        )
        settings = [{"top_k": 9}, {"threshold": 0.5}, {"model": "m"}] * 4
        with ThreadPoolExecutor(4) as threads:
            for is_changed in threads.map(
                lambda some: store.change(PERSON, SESSIONS, "s1", {"settings": some}), settings
            ):
                assert is_changed
        session = store.get(PERSON, SESSIONS, "s1").value
        assert session is not None
        assert session.settings == SessionSettings(top_k=9, threshold=0.5, model="m")

    def test_one_of_many_concurrent_creators_makes_the_document(self, store: DocumentStore) -> None:
        def create(number: int) -> bool:
            request = AnsweredRequest("r-1", str(number), LATER, DAY)
            try:
                store.swap(PERSON, REQUESTS, "r-1", request, expected=None)
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(10) as threads:
            assert sum(threads.map(create, range(10))) == 1


def _named(value: Any, document_id: str) -> Any:  # noqa: ANN401 - a document
    """Returns the document under another id."""
    if isinstance(value, StoredTemplate):
        return replace(value, template=replace(value.template, template_id=document_id))
    id_fields = {sample.collection.kind: sample.collection.id_field for sample in SAMPLES}
    return replace(value, **{id_fields[type(value)]: document_id})


def _changed(value: Any, changes: Mapping[str, object]) -> Any:  # noqa: ANN401 - a document
    """Returns the document as it is after a change."""
    changes = dict(changes)
    if "settings" in changes:
        changes["settings"] = replace(value.settings, top_k=3)
    return replace(value, **changes)
