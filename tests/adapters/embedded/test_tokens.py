"""Stems as FTS5 tokens and in the terms column."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import example, given
from hypothesis import strategies as st

from shared.adapters.embedded import documents as tokens
from shared.model.index import IndexedChunk
from tests.contracts.samples import chunk

stems = st.text(st.characters(), max_size=12)


@given(st.sets(stems, max_size=8))
@example({"a", "A", "¤0041", "", "¤", "a b", "a=1", "\x00", "\ud800", "-", "."})
def test_no_two_stems_share_a_token(asked: set[str]) -> None:
    assert len({tokens.term_token(stem) for stem in asked}) == len(asked)


@given(stems)
def test_no_scope_is_found_as_a_stem(scope: str) -> None:
    assert tokens.scope_token(scope) not in {
        tokens.term_token(scope),
        tokens.term_token(f"s{scope}"),
    }


def test_tokens_too_long_for_fts5_stay_different() -> None:
    first, second = (tokens.term_token("x" * 40_000 + end) for end in "ab")
    assert first != second
    assert len(first) < 100


@given(st.dictionaries(stems, st.integers(1, 10_000), max_size=8), st.lists(stems, max_size=4))
def test_counts_are_read_back_for_exactly_the_stems_asked_for(
    terms: Mapping[str, int], others: list[str]
) -> None:
    requested_stems = [*list(terms)[::2], *others]
    row = tokens.CHUNKS.row(chunk("n1"), terms=tokens.terms_column(terms))
    (read_chunk,) = tokens.chunks_of(
        [tuple(row[key] for key in tokens.CODEC.keys(IndexedChunk))], requested_stems
    )
    assert isinstance(read_chunk, IndexedChunk)
    assert read_chunk.terms == {stem: terms[stem] for stem in requested_stems if stem in terms}
