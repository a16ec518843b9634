"""A change of the embedding model with the one of before at hand: at no moment of it a question is answered worse."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.app import App
from shared.bootstrap import assemble
from shared.errors import ModelRefused, ModelUnavailable
from shared.indexing.coverage import measure_coverage
from shared.indexing.state import IndexProblem
from shared.model.index import Coverage, IndexStatus, Vector
from shared.model.questions import Question
from shared.model.retrieval import Restriction
from shared.ports.stores import Store
from shared.sweep.reconcile import reconcile
from tests.fakes import HashingEmbedder
from tests.indexing.world import (
    START,
    TENANT,
    Clock,
    Killed,
    Life,
    assert_follows,
    key,
    mortal_store,
    note,
    on_both_stores,
    sections,
)
from tests.sweep.samples import ids
from tests.test_app import app_on

NOTES = 6
SUBJECTS = ("harbour", "tomato", "railway", "violin", "glacier", "lantern")


class Model(HashingEmbedder):
    """A vector space of its own: each model has other directions for the same words."""

    def __init__(self, model: str) -> None:
        super().__init__(dimension=8, batch_size=3)
        self.model = model

    def _vector(self, text: str) -> Vector:
        return super()._vector(" ".join(f"{word}{self.model}" for word in text.split()))


class World:
    """Notes that one model has embedded, and an App that changes to another."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.clock = Clock()
        self.old = Model("old")
        self.new = Model("new")
        self.was = assemble(replace(app_on(store, self.clock), embedder=self.old))
        self.changing = assemble(replace(self.was, embedder=self.new, previous_embedder=self.old))
        self.after = assemble(replace(self.was, embedder=self.new))
        for note_id, subject in zip(ids(NOTES), SUBJECTS, strict=True):
            store.put_note(TENANT, note(sections(subject, f"{subject} more"), note_id))
        self.sweep(self.was)
        self.old.embedded.clear()

    def sweep(self, app: App, budget: int = 1000, *, full: bool = False) -> dict[IndexProblem, int]:
        self.clock.advance(hours=1)
        return dict(reconcile(app.indexer, budget=budget, full=full).found)

    def found(self, app: App) -> list[tuple[str, float | None, float]]:
        """Ask one question of all legs, always at one time: chunk ids with cosines and scores."""
        trace = app.retriever.retrieve(
            Question(
                tenant_id=TENANT,
                text="The glacier is plain.",
                now=START,
            )
        )
        cosines = {
            candidate.chunk.chunk_id: candidate.cosine for candidate in trace.pool.candidates
        }
        return [
            (passage.chunk.chunk_id, cosines[passage.chunk.chunk_id], passage.score)
            for passage in trace.retrieved.selected
        ]

    def left(self) -> int:
        return self.coverage().outdated

    def coverage(self) -> Coverage:
        return measure_coverage(
            self.changing.store,
            TENANT,
            index_version=self.changing.index_version,
            previous_version=self.changing.previous_index_version,
        )


@pytest.fixture
def world(store: Store) -> World:
    return World(store)


@on_both_stores
def test_until_the_last_note_is_embedded_again_questions_find_what_they_found_before(
    world: World,
) -> None:
    answers_before = world.found(world.was)
    assert None not in {cosine for _, cosine, _ in answers_before}
    notes_left = []
    while world.left():
        assert world.found(world.changing) == answers_before
        notes_left.append(world.left())
        coverage = world.coverage()
        assert coverage.searched_version == world.was.indexer.version
        assert coverage.indexed == NOTES
        world.sweep(world.changing, budget=2)
    assert len(set(notes_left)) > 2
    after = world.found(world.changing)
    assert after == world.found(world.after) != answers_before
    assert world.coverage().searched_version == world.changing.indexer.version
    assert world.old.embedded.total() == 0


@on_both_stores
def test_a_new_chunker_leaves_questions_their_vectors_also_while_the_model_changes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(store)
    answers_before = world.found(world.was)
    monkeypatch.setattr("shared.indexing.versions.CHUNKER_VERSION", "next")
    for embedder, earlier in (
        (world.old, None),
        (world.new, world.old),
    ):
        upgraded = assemble(replace(world.was, embedder=embedder, previous_embedder=earlier))
        assert world.found(upgraded) == answers_before
    world.sweep(upgraded, budget=2)
    assert world.found(upgraded) == answers_before


@on_both_stores
def test_a_model_that_is_named_as_its_own_predecessor_is_no_change(world: World) -> None:
    answers_before = world.found(world.was)
    world.sweep(world.changing, budget=3)
    back = assemble(replace(world.was, previous_embedder=Model("old")))
    world.sweep(back)
    world.sweep(back, full=True)
    assert world.found(back) == answers_before
    query_vector = world.old.embed_query("The glacier is plain.")
    near = world.store.nearest(
        TENANT,
        query_vector,
        limit=50,
        stems=(),
        restriction=Restriction(),
        index_version=back.indexer.version,
        second_vectors=True,
    ).neighbours
    chunk_ids = [neighbour.chunk.chunk_id for neighbour in near]
    assert len(chunk_ids) == len(set(chunk_ids))
    assert world.old.embedded.total() == 0


@on_both_stores
def test_what_is_written_meanwhile_is_found_by_the_model_that_answers_and_embedded_once_by_each(
    world: World,
) -> None:
    world.changing.indexer.index(key("n00"))
    world.new.embedded.clear()
    world.store.put_note(
        TENANT, note(f"{sections('harbour')}\n\n## A glacier\n\nThe glacier is new.", "n00")
    )
    world.store.put_note(TENANT, note("The glacier is newest.", "fresh"))
    for note_id in ("n00", "fresh"):
        world.changing.indexer.index(key(note_id))
        assert world.changing.indexer.index(key(note_id)).action == "unchanged"
    assert world.old.embedded == world.new.embedded
    assert world.old.embedded.total() == 2
    cosines = {chunk_id: cosine for chunk_id, cosine, _ in world.found(world.changing)}
    assert cosines["fresh_000"] is not None
    while world.sweep(world.changing, full=True):
        pass
    assert world.left() == 0
    world.store.put_note(TENANT, note("Nothing waits for the model of before.", "later"))
    world.old.outage = ModelUnavailable("away")
    assert world.changing.indexer.index(key("later")).action == "indexed"


@on_both_stores
def test_without_the_model_of_before_the_sweep_takes_its_vectors_away_and_embeds_nothing(
    world: World,
) -> None:
    world.sweep(world.changing)
    world.new.embedded.clear()
    assert world.sweep(world.after, full=True) == {IndexProblem.SUPERSEDED: NOTES}
    assert {
        stored_chunk.second_version
        for note_id in ids(NOTES)
        for stored_chunk in world.store.stored_chunks(TENANT, note_id)
    } == {""}
    assert world.sweep(world.after, full=True) == {}
    assert world.new.embedded.total() == 0
    assert_follows(world.store, world.new, *ids(NOTES), like=lambda: Model("new"))


@on_both_stores
def test_an_erasure_during_a_model_change_counts_as_ever(world: World) -> None:
    world.sweep(world.changing, budget=3)
    notes = NOTES
    chunks = sum(len(world.store.stored_chunks(TENANT, note_id)) for note_id in ids(NOTES))
    erased = dict(world.store.erase(TENANT))
    assert erased.pop("notes") == notes
    assert erased.pop("chunks") == chunks
    assert set(erased) <= {"index", "folders", "changes"}


@on_both_stores
def test_the_way_back_costs_no_vector(world: World) -> None:
    answers_before = world.found(world.was)
    for _ in range(2):
        world.sweep(world.changing, budget=3)
        back = assemble(replace(world.was, previous_embedder=world.new))
        world.sweep(back)
        assert world.found(back) == answers_before
        assert world.old.embedded.total() == 0


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("work", ["embedded again", "edited"])
def test_wherever_a_worker_dies_no_passage_is_without_a_vector_that_answers(
    tmp_path: Path, work: str, *, after: bool
) -> None:
    dies_at = 0
    survived = False
    worked = "n02" if work == "edited" else "n04"
    while not survived:
        dies_at += 1
        with closing(EmbeddedStore(tmp_path / str(dies_at))) as store:
            world = World(store)
            life = Life(dies_at, after=after)
            world.changing.indexer.index(key("n02"))
            if work == "edited":
                store.put_note(
                    TENANT, note(f"{sections('glacier')}\n\n## More\n\nThe glacier is new.", "n02")
                )
            try:
                assemble(replace(world.changing, store=mortal_store(store, life))).indexer.index(
                    key(worked)
                )
                survived = True
            except Killed:
                world.clock.advance(seconds=61)
            if work == "embedded again":
                assert None not in {cosine for _, cosine, _ in world.found(world.changing)}
            world.sweep(world.changing, full=True)
            assert world.left() == 0
            assert world.found(world.changing) == world.found(world.after)
            world.sweep(world.after, full=True)
            assert_follows(store, world.new, *ids(NOTES), like=lambda: Model("new"))
    assert dies_at > 3


def test_a_model_that_goes_away_half_way_leaves_the_note_to_the_other_and_goes_on_where_it_was(
    world: World,
) -> None:
    answers_before = world.found(world.was)
    calls = count(1)
    embed = world.new.embed_documents

    def once(texts: list[str]) -> tuple[Vector, ...]:
        if next(calls) == 2:
            raise ModelUnavailable("away")
        return embed(texts)

    world.store.put_note(TENANT, note(sections(*"abcde"), "long"))
    world.was.indexer.index(key("long"))
    answers_before = world.found(world.was)
    world.new.embed_documents = once  # type: ignore[assignment, method-assign]
    with pytest.raises(ModelUnavailable):
        world.changing.indexer.index(key("long"))
    assert world.left() == NOTES + 1
    assert world.found(world.changing) == answers_before
    world.sweep(world.changing)
    assert world.left() == 0
    assert set(world.new.embedded.values()) == {1}


@pytest.mark.parametrize("spoil", ["refused", "unreadable"])
def test_a_note_that_cannot_be_embedded_holds_up_nobody(world: World, spoil: str) -> None:
    embed: Callable[..., tuple[Vector, ...]] = world.new.embed_documents

    def refusing(texts: list[str]) -> tuple[Vector, ...]:
        if any("violin" in text for text in texts):
            raise ModelRefused("blocked")
        return embed(texts)

    if spoil == "refused":
        world.new.embed_documents = refusing  # type: ignore[assignment, method-assign]
    else:
        world.store.put_note(TENANT, note("x" * 900_001, "n03"))
        world.was.indexer.index(key("n03"))
    world.sweep(world.changing, full=True)
    assert world.left() == 0
    record = world.store.read_record(TENANT, "n03").record
    assert record is not None
    assert record.status is IndexStatus.FAILED
