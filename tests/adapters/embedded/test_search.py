"""Every leg against a model of plain lists, through random histories; and what numpy has to do with it."""

from __future__ import annotations

import subprocess
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from shared.adapters.embedded import EmbeddedStore, vectors
from shared.adapters.embedded.vector_rows import KEPT_REMOVALS
from shared.errors import InvalidArgument, OperatorError
from shared.model.index import ChunkPut, IndexChange, IndexedChunk, Vector, tag_token, vault_token
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction
from tests.contracts.samples import DAY, FREE, TENANT, VERSION, chunk, ids, record, save, unit

TAGS = ("red", "blue", "green")
STEMS = ("alpha", "beta", "gamma")


@dataclass
class _Model:
    """The expected content of the store."""

    dice: Random
    chunks: dict[str, IndexedChunk] = field(default_factory=dict)
    vectors: dict[str, Vector] = field(default_factory=dict)

    def change(self, store: EmbeddedStore) -> None:
        """Apply one random change of one note to both."""
        note_id = f"n{self.dice.randrange(8)}"
        stored = [chunk_id for chunk_id in self.chunks if self.chunks[chunk_id].note_id == note_id]
        removed = tuple(chunk_id for chunk_id in stored if self.dice.random() < 0.3)
        patched = tuple(
            self._chunk(note_id, self.chunks[chunk_id].position)
            for chunk_id in stored
            if chunk_id not in removed
        )[:2]
        new = {self._chunk(note_id, self.dice.randrange(6)).chunk_id: None for _ in range(3)}
        fresh = [
            self._chunk(note_id, int(chunk_id[-3:])) for chunk_id in new if chunk_id not in stored
        ]
        put = tuple(
            ChunkPut(new_chunk, self._vector() if self.dice.random() < 0.8 else None)
            for new_chunk in fresh
        )
        added = tuple(
            (chunk.chunk_id, self._vector()) for chunk in patched if self.dice.random() < 0.4
        )
        expected = store.read_record(TENANT, note_id).token
        store.apply(TENANT, IndexChange(note_id, expected, record(), put, patched, added, removed))
        for chunk_id in removed:
            del self.chunks[chunk_id]
            self.vectors.pop(chunk_id, None)
        self.chunks |= {chunk.chunk_id: chunk for chunk in (*fresh, *patched)}
        self.vectors |= {
            chunk_put.chunk.chunk_id: chunk_put.vector
            for chunk_put in put
            if chunk_put.vector is not None
        } | dict(added)

    def restriction(self) -> Restriction:
        """Random; bounds fall on, before and after the chunks' own times."""
        bounds = sorted(self._moment() for _ in range(2))
        created = self.dice.choice(
            [None, TimeRange(*bounds), TimeRange(bounds[0], None), TimeRange(None, bounds[1])]
        )
        groups = [
            {tag_token("red")},
            {
                tag_token("red"),
                tag_token("blue"),
            },
            {vault_token("work")},
        ]
        return Restriction(
            created, tuple(map(frozenset, self.dice.sample(groups, self.dice.randrange(3))))
        )

    def newest(self, stem: str | None, restriction: Restriction) -> list[str]:
        allowed = [candidate for candidate in self.chunks.values() if restriction.allows(candidate)]
        matching = [candidate for candidate in allowed if stem is None or stem in candidate.terms]
        matching.sort(key=lambda each: each.chunk_id)
        return ids(sorted(matching, key=lambda each: each.created_at, reverse=True))

    def nearest(self, query: Vector, restriction: Restriction) -> list[str]:
        cosines = {
            chunk_id: sum(x * y for x, y in zip(query, vector, strict=True))
            for chunk_id, vector in self.vectors.items()
            if restriction.allows(self.chunks[chunk_id])
            and self.chunks[chunk_id].index_version == VERSION
        }
        return sorted(cosines, key=lambda each: (-round(cosines[each], 9), each))

    def _chunk(self, note_id: str, position: int) -> IndexedChunk:
        terms = {
            stem: self.dice.randrange(1, 4)
            for stem in self.dice.sample(STEMS, self.dice.randrange(1, 4))
        }
        sample_chunk = chunk(note_id, position, terms=terms, created_at=self._moment())
        version = VERSION if self.dice.random() < 0.8 else "older"
        vault = self.dice.choice(["work", "home"])
        tag = self.dice.choice(TAGS)
        return replace(
            sample_chunk,
            index_version=version,
            vault=vault,
            scopes=(
                tag_token(tag),
                vault_token(vault),
            ),
        )

    def _moment(self) -> datetime:
        """Few seconds and parts of seconds, so that many are equal."""
        return DAY + timedelta(seconds=self.dice.randrange(3), microseconds=self.dice.randrange(3))

    def _vector(self) -> Vector:
        """Few directions, so that many cosines are equal."""
        return unit(*(self.dice.randrange(3) for _ in range(3)), 1)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A second store on the same folder, as another process would have."""
    store = EmbeddedStore(tmp_path / "home")
    yield store
    store.close()


@pytest.mark.parametrize("seed", range(6))
def test_every_leg_gives_what_plain_lists_give_through_any_history(
    embedded_store: EmbeddedStore, reader: EmbeddedStore, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(vectors, "_SPARE", 6)  # so that growing beyond the spare rows happens too
    model = _Model(Random(seed))  # noqa: S311 - repeatable, not secret
    for turn in range(40):
        model.change(embedded_store)
        store = reader if turn % 3 else embedded_store
        for _ in range(4):
            _compare(store, model, model.restriction(), limit=model.dice.randrange(1, 12))
    total = sum(stored.length for stored in model.chunks.values())
    stats = reader.stats(TENANT)
    assert stats.chunk_count == len(model.chunks)
    assert round(stats.average_length * stats.chunk_count) == total


def _compare(store: EmbeddedStore, model: _Model, restriction: Restriction, *, limit: int) -> None:
    query = unit(*(model.dice.randrange(4) for _ in range(3)), 1)
    near = store.nearest(
        TENANT, query, limit=limit, stems=[], restriction=restriction, index_version=VERSION
    ).neighbours
    assert [neighbour.chunk.chunk_id for neighbour in near] == model.nearest(query, restriction)[
        :limit
    ]
    for stem in STEMS:
        postings = store.postings(
            TENANT,
            stem,
            limit=limit,
            stems=STEMS,
            restriction=restriction,
        )
        assert ids(postings) == model.newest(stem, restriction)[:limit]
        assert list(postings) == [model.chunks[posting.chunk_id] for posting in postings]
    newest = store.recent(
        TENANT,
        limit=limit,
        stems=[],
        restriction=restriction,
    )
    assert ids(newest) == model.newest(None, restriction)[:limit]
    counts = {stem: len(model.newest(stem, FREE)) for stem in STEMS}
    assert store.document_frequencies(TENANT, STEMS) == counts


def test_a_reader_that_fell_far_behind_reads_all_anew(
    embedded_store: EmbeddedStore, reader: EmbeddedStore
) -> None:
    near = unit(1, 0, 0, 0)
    far = unit(0, 1, 0, 0)
    save(embedded_store, chunk("gone"), chunk("stays"), vector=near)
    assert len(_near(reader, near)) == 2
    token = embedded_store.read_record(TENANT, "gone").token
    embedded_store.apply(TENANT, IndexChange("gone", token, None, remove=("gone_000",)))
    token = embedded_store.read_record(TENANT, "stays").token
    for _ in range(KEPT_REMOVALS + 5):
        change = IndexChange("stays", token, record(), vectors=(("stays_000", far),))
        token = embedded_store.apply(TENANT, change)
    assert _near(reader, far) == [("stays_000", 1.0)]


def _near(store: EmbeddedStore, query: Vector) -> list[tuple[str, float]]:
    neighbours = store.nearest(
        TENANT,
        query,
        limit=9,
        stems=[],
        restriction=FREE,
        index_version=VERSION,
    ).neighbours
    return [(neighbour.chunk.chunk_id, neighbour.cosine) for neighbour in neighbours]


def test_a_change_that_fails_half_way_leaves_nothing(embedded_store: EmbeddedStore) -> None:
    save(embedded_store, chunk("n1"), vector=unit(1, 0, 0, 0))
    state_before = embedded_store.stats(TENANT), embedded_store.read_record(TENANT, "n1")
    broken = replace(chunk("n1", 2), text="\ud800")
    puts = (
        ChunkPut(chunk("n1", 1), unit(1, 0, 0, 0)),
        ChunkPut(broken, None),
    )
    with pytest.raises(InvalidArgument):
        embedded_store.apply(
            TENANT, IndexChange("n1", state_before[1].token, record(), put=puts, remove=("n1_000",))
        )
    assert (
        embedded_store.stats(TENANT),
        embedded_store.read_record(TENANT, "n1"),
    ) == state_before
    assert _near(embedded_store, unit(1, 0, 0, 0)) == [("n1_000", 1.0)]


def test_a_limit_of_nothing_brings_nothing(embedded_store: EmbeddedStore) -> None:
    save(embedded_store, chunk("n1"), vector=unit(1, 0, 0, 0))
    query = unit(1, 0, 0, 0)
    assert embedded_store.recent(TENANT, limit=0, stems=[], restriction=FREE) == ()
    assert not embedded_store.nearest(
        TENANT, query, limit=0, stems=[], restriction=FREE, index_version=VERSION
    ).neighbours


def test_without_numpy_only_vectors_cannot_be_searched(
    embedded_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(embedded_store, chunk("n1"), vector=unit(1, 0))
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(OperatorError, match="numpy"):
        _near(embedded_store, array("f", [1, 0]))
    assert embedded_store.read_vectors(TENANT, ["n1_000"]) == {"n1_000": unit(1, 0)}
    assert ids(
        embedded_store.recent(
            TENANT,
            limit=1,
            stems=[],
            restriction=FREE,
        )
    ) == ["n1_000"]


def test_importing_the_store_does_not_import_numpy() -> None:
    script = "import sys, shared.adapters.embedded; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
