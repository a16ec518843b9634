"""Nearest chunks from several parts of what is searched."""

from __future__ import annotations

import pytest

from shared.model.retrieval import Neighbour, Restriction, VectorMatches
from shared.retrieval.candidates import Nearest, merge_parts
from shared.retrieval.folder_weights import Part
from tests.contracts.samples import chunk


def _merged(*parts: tuple[str, str], failed: str = "", limit: int = 10) -> Nearest:
    """Twelve chunks lie in each (vault, folder). The search of folder `failed` fails."""
    searched = []
    results = []
    for vault, folder in parts:
        restriction = Restriction(scopes=(frozenset({folder}),))
        searched.append(Part(restriction, frozenset({vault})))
        results.append(None if folder == failed else _matches(vault, folder, limit))
    return merge_parts(searched, results)


def _matches(vault: str, folder: str, limit: int) -> VectorMatches:
    neighbours = tuple(
        Neighbour(chunk(f"{vault}-{folder}-{number:02d}", vault=vault), 0.9 - number / 100)
        for number in range(12)
    )
    brought = neighbours[:limit]
    ceiling = brought[-1].cosine if limit < len(neighbours) else None
    return VectorMatches(brought, ceiling)


def test_parts_share_the_leg() -> None:
    nearest = _merged(*(("v", f"f{number}") for number in range(4)))
    assert len(nearest.neighbours) == 40
    cosines = [neighbour.cosine for neighbour in nearest.neighbours]
    assert cosines == sorted(cosines, reverse=True)
    assert nearest.ceiling == pytest.approx(0.81)


def test_a_part_that_brings_less_than_it_may_has_brought_all() -> None:
    nearest = _merged(("v", "f"), limit=30)
    assert len(nearest.neighbours) == 12
    assert nearest.ceiling is None


def test_a_part_that_brings_nothing_may_still_have_more() -> None:
    part = Part(Restriction(scopes=(frozenset({"f"}),)), frozenset({"v"}))
    assert merge_parts([part], [VectorMatches((), 0.4)]) == Nearest((), 0.4, frozenset())


def test_a_vault_of_which_a_part_fails_is_left_out_and_named() -> None:
    nearest = _merged(("v", "f0"), ("v", "f1"), ("w", "f2"), failed="f1")
    assert nearest.failed_vaults == frozenset({"v"})
    assert {neighbour.chunk.vault for neighbour in nearest.neighbours} == {"w"}


def test_where_no_vault_is_left_any_vector_that_is_read_may_be_the_nearest() -> None:
    assert _merged(("v", "f0"), ("v", "f1"), failed="f1") == Nearest((), 1.0, frozenset())
