"""Nearest chunks from several parts of what is searched."""

from __future__ import annotations

import pytest

from shared.model.retrieval import Neighbour, Restriction
from shared.retrieval.candidates import Near, merged
from shared.retrieval.places import Part
from tests.contracts.samples import chunk


def _near(*parts: tuple[str, str], failed: str = "", wanted: int = 10) -> Near:
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
    near = _near(*(("v", f"f{number}") for number in range(4)))
    assert len(near.neighbours) == 40
    assert [each.cosine for each in near.neighbours] == sorted((each.cosine for each in near.neighbours), reverse=True)
    assert near.ceiling == pytest.approx(0.81)


def test_a_part_that_brings_less_than_it_may_has_brought_all() -> None:
    near = _near(("v", "f"), wanted=30)
    assert len(near.neighbours) == 12
    assert near.ceiling is None


def test_a_vault_of_which_a_part_fails_is_left_out_and_named() -> None:
    near = _near(("v", "f0"), ("v", "f1"), ("w", "f2"), failed="f1")
    assert near.failed_vaults == {"v"}
    assert {each.chunk.vault for each in near.neighbours} == {"w"}
    assert near.of_answering_vaults([chunk("a", vault="v"), chunk("b", vault="w")]) == (chunk("b", vault="w"),)


def test_where_no_vault_is_left_any_vector_that_is_read_may_be_the_nearest() -> None:
    near = _near(("v", "f0"), ("v", "f1"), failed="f1")
    assert (near.neighbours, near.ceiling, near.failed_vaults) == ((), 1.0, frozenset())
