"""Applying the changes to what is stored gives what a fresh index would hold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from shared.indexing.diff import Changes, WantedChunk, compare
from shared.model.index import Chunk, StoredChunk

TEXTS = st.lists(st.sampled_from("abcdef"), max_size=8)
VERSIONS = st.sampled_from(["c1:m:4", "c2:m:4", "c1:other:4", "c1:m:8"])


@dataclass(frozen=True)
class Row:
    """A chunk as a store keeps it. The vector of a text is a name that says of which text, in which space."""

    chunk: WantedChunk
    vector: str | None

    def stored(self) -> StoredChunk:
        chunk = self.chunk
        return StoredChunk(
            chunk.chunk_id,
            chunk.text_hash,
            chunk.index_version,
            chunk.note_revision,
            self.vector is not None,
        )


def wanted_of(texts: Sequence[str], version: str, tags: str = "red") -> list[WantedChunk]:
    revision = hashlib.sha256(repr((texts, tags)).encode()).hexdigest()
    return [
        WantedChunk(
            chunk_id=f"n_{position:03d}",
            slice=Chunk(position, "", text, 0, len(text)),
            properties=(),
            text_hash=f"hash of {text}",
            index_version=version,
            note_revision=revision,
        )
        for position, text in enumerate(texts)
    ]


def vector_of(chunk: WantedChunk) -> str:
    return f"{chunk.text_hash} in {chunk.index_version.split(':', 1)[1]}"


def rows(chunks: Sequence[WantedChunk], *, embedded: int | None = None) -> dict[str, Row]:
    """Returns rows as stored, the first `embedded` of them with vectors, or all of them with None."""
    return {
        indexed_chunk.chunk_id: Row(
            indexed_chunk,
            vector_of(indexed_chunk) if embedded is None or number < embedded else None,
        )
        for number, indexed_chunk in enumerate(chunks)
    }


def applied(stored: Mapping[str, Row], changes: Changes) -> dict[str, Row]:
    after = {chunk_id: row for chunk_id, row in stored.items() if chunk_id not in changes.remove}
    for new_chunk in changes.put:
        donor = changes.reuse.get(new_chunk.chunk_id)
        after[new_chunk.chunk_id] = Row(new_chunk, stored[donor].vector if donor else None)
    for new_chunk in changes.patch:
        after[new_chunk.chunk_id] = Row(new_chunk, stored[new_chunk.chunk_id].vector)
    return after


def embedded(stored: Mapping[str, Row], changes: Changes) -> dict[str, Row]:
    to_embed = {new_chunk.chunk_id for new_chunk in changes.embed}
    return {
        chunk_id: Row(row.chunk, vector_of(row.chunk)) if chunk_id in to_embed else row
        for chunk_id, row in stored.items()
    }


def between(
    stored: Mapping[str, Row], wanted: Sequence[WantedChunk], *, embeds: bool = True
) -> Changes:
    return compare(
        wanted, [row.stored() for row in stored.values()], embeds=embeds, second_version=""
    )


@given(TEXTS, TEXTS, VERSIONS, VERSIONS, st.sampled_from(["red", "blue"]), st.integers(0, 8))
def test_any_stored_state_becomes_a_fresh_index(  # noqa: PLR0917 - hypothesis gives its values by position
    old: list[str], new: list[str], old_version: str, new_version: str, tags: str, with_vectors: int
) -> None:
    stored = rows(wanted_of(old, old_version), embedded=with_vectors)
    wanted_chunks = wanted_of(new, new_version, tags)
    changes = between(stored, wanted_chunks)
    assert embedded(applied(stored, changes), changes) == rows(wanted_chunks)


@given(TEXTS, TEXTS, TEXTS, st.integers(0, 8))
def test_an_interrupted_change_is_finished_by_the_next(
    old: list[str], new: list[str], newest: list[str], with_vectors: int
) -> None:
    stored = rows(wanted_of(old, "c1:m:4"))
    first = between(stored, wanted_of(new, "c1:m:4"))
    halfway = applied(stored, first)
    some = replace(first, embed=first.embed[:with_vectors])
    interrupted = embedded(halfway, some)
    wanted_chunks = wanted_of(newest, "c1:m:4")
    changes = between(interrupted, wanted_chunks)
    assert embedded(applied(interrupted, changes), changes) == rows(wanted_chunks)


@given(TEXTS, VERSIONS)
def test_chunks_stored_as_wanted_are_not_touched(texts: list[str], version: str) -> None:
    wanted_chunks = wanted_of(texts, version)
    assert between(rows(wanted_chunks), wanted_chunks) == Changes(
        put=(), patch=(), remove=(), reuse={}, reuse_second={}, embed=()
    )


@given(TEXTS, st.integers(0, 8))
def test_a_change_that_creates_the_record_names_every_chunk(
    texts: list[str], with_vectors: int
) -> None:
    wanted_chunks = wanted_of(texts, "c1:m:4")
    stored = [row.stored() for row in rows(wanted_chunks, embedded=with_vectors).values()]
    changes = compare(
        wanted_chunks,
        stored,
        embeds=True,
        second_version="",
        touch_all=True,
    )
    assert sorted(
        wanted_chunk.slice.position for wanted_chunk in (*changes.put, *changes.patch)
    ) == list(range(len(texts)))
    assert embedded(applied(rows(wanted_chunks, embedded=with_vectors), changes), changes) == rows(
        wanted_chunks
    )


@given(TEXTS, TEXTS, st.integers(0, 8))
def test_only_texts_without_any_vector_are_embedded(
    old: list[str], new: list[str], with_vectors: int
) -> None:
    changes = between(
        rows(wanted_of(old, "c1:m:4"), embedded=with_vectors), wanted_of(new, "c1:m:4")
    )
    embedded_texts = set(old[:with_vectors])
    assert [wanted_chunk.slice.text for wanted_chunk in changes.embed] == [
        text for text in new if text not in embedded_texts
    ]


@given(TEXTS, TEXTS)
def test_without_an_embedder_nothing_waits_for_vectors(old: list[str], new: list[str]) -> None:
    stored = rows(wanted_of(old, "c1:none:0"), embedded=0)
    wanted_chunks = wanted_of(new, "c1:none:0")
    changes = between(stored, wanted_chunks, embeds=False)
    assert changes.embed == ()
    assert applied(stored, changes) == rows(wanted_chunks, embedded=0)


def test_another_model_reuses_no_vector_and_another_chunker_does() -> None:
    stored = rows(wanted_of(["a", "b"], "c1:m:4"))
    assert len(between(stored, wanted_of(["a", "b"], "c1:other:4")).embed) == 2
    rechunked = between(stored, wanted_of(["a", "b"], "c2:m:4"))
    assert len(rechunked.put) == 2
    assert rechunked.embed == ()


def test_a_model_name_with_colons_names_its_own_space() -> None:
    stored = rows(wanted_of(["a"], "c1:nomic:v1:4"))
    assert len(between(stored, wanted_of(["a"], "c1:nomic:v2:4")).embed) == 1
