"""Nearest chunks from several parts of what is searched."""

from __future__ import annotations

import pytest

from shared.model.retrieval import Neighbour, Restriction
from shared.retrieval.candidates import merged
from shared.retrieval.places import Part
from tests.contracts.samples import chunk


def _merged(
    *parts: tuple[str, str], failed: str = "", wanted: int = 10
) -> tuple[tuple[Neighbour, ...], float | None, frozenset[str]]:
    """Twelve chunks lie in each (vault, folder). The search of folder `failed` fails."""
    found = [
        None
        if folder == failed
        else tuple(Neighbour(chunk(f"{vault}-{folder}-{n:02d}", vault=vault), 0.9 - n / 100) for n in range(12))[
            :wanted
        ]
        for vault, folder in parts
    ]
    searched = [Part(Restriction(scopes=(frozenset({folder}),)), frozenset({vault})) for vault, folder in parts]
    return merged(searched, found, wanted)


def test_parts_share_the_leg() -> None:
    neighbours, ceiling, _ = _merged(*(("v", f"f{number}") for number in range(4)))
    assert len(neighbours) == 40
    assert [each.cosine for each in neighbours] == sorted((each.cosine for each in neighbours), reverse=True)
    assert ceiling == pytest.approx(0.81)


def test_a_part_that_brings_less_than_it_may_has_brought_all() -> None:
    neighbours, ceiling, _ = _merged(("v", "f"), wanted=30)
    assert (len(neighbours), ceiling) == (12, None)


def test_a_vault_of_which_a_part_fails_is_left_out_and_named() -> None:
    neighbours, _, failed = _merged(("v", "f0"), ("v", "f1"), ("w", "f2"), failed="f1")
    assert (failed, {each.chunk.vault for each in neighbours}) == (frozenset({"v"}), {"w"})


def test_where_no_vault_is_left_any_vector_that_is_read_may_be_the_nearest() -> None:
    assert _merged(("v", "f0"), ("v", "f1"), failed="f1") == ((), 1.0, frozenset())
