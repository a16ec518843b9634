"""Nearest chunks from several parts of what is searched."""

from __future__ import annotations

import pytest

from shared.model.retrieval import Neighbour, Restriction
from shared.retrieval.candidates import Nearest, merge_parts
from shared.retrieval.folder_weights import Part
from tests.contracts.samples import chunk


def _merged(*parts: tuple[str, str], failed: str = "", limit: int = 10) -> Nearest:
    """Twelve chunks lie in each (vault, folder). The search of folder `failed` fails."""
    folder_results = [
        None
        if folder == failed
        else tuple(
            Neighbour(chunk(f"{vault}-{folder}-{n:02d}", vault=vault), 0.9 - n / 100)
            for n in range(12)
        )[:limit]
        for vault, folder in parts
    ]
    searched = [
        Part(Restriction(scopes=(frozenset({folder}),)), frozenset({vault}))
        for vault, folder in parts
    ]
    return merge_parts(searched, folder_results, limit=limit)


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


def test_a_vault_of_which_a_part_fails_is_left_out_and_named() -> None:
    nearest = _merged(("v", "f0"), ("v", "f1"), ("w", "f2"), failed="f1")
    assert nearest.failed_vaults == frozenset({"v"})
    assert {neighbour.chunk.vault for neighbour in nearest.neighbours} == {"w"}


def test_where_no_vault_is_left_any_vector_that_is_read_may_be_the_nearest() -> None:
    assert _merged(("v", "f0"), ("v", "f1"), failed="f1") == Nearest((), 1.0, frozenset())
