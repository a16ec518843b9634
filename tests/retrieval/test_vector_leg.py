"""Nearest chunks from several parts of what is searched."""

from __future__ import annotations

from array import array
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.model.index import Vector
from shared.model.retrieval import Neighbour, Restriction
from shared.retrieval.candidates.vector_leg import Near, Part, VectorLeg
from tests.contracts.samples import chunk

QUERY = array("f", [1.0])


def _part(vault: str, folder: str) -> Part:
    return Part(Restriction(scopes=(frozenset({folder}),)), frozenset({vault}))


def _near(parts: list[Part], *, silent: str = "", size: int = 30) -> tuple[Near, int]:
    """And how often the question was embedded. The search of folder `silent` fails."""
    embedded = []

    def embed() -> Vector:
        embedded.append(1)
        return QUERY

    def look(query: Vector, restriction: Restriction, limit: int) -> tuple[Neighbour, ...] | None:
        assert query is QUERY
        ((folder,),) = restriction.scopes
        if folder == silent:
            return None
        vault = next(iter(next(part.vaults for part in parts if part.restriction == restriction)))
        found = [Neighbour(chunk(f"{vault}-{folder}-{n:02d}", vault=vault), 0.9 - n / 100) for n in range(12)]
        return tuple(found[:limit])

    leg = VectorLeg(parts, size)
    with ThreadPoolExecutor(8) as executor:
        near = leg.end(leg.start(embed, look, executor))
    return near, len(embedded)


def test_parts_share_the_leg_and_the_question_is_embedded_once() -> None:
    near, embedded = _near([_part("v", f"f{number}") for number in range(4)])
    assert embedded == 1
    assert len(near.neighbours) == 40
    assert [each.cosine for each in near.neighbours] == sorted((each.cosine for each in near.neighbours), reverse=True)
    assert near.ceiling == pytest.approx(0.81)


def test_a_single_part_gets_the_whole_leg_and_knows_when_it_has_brought_all() -> None:
    near, _ = _near([_part("v", "f")])
    assert len(near.neighbours) == 12
    assert near.ceiling is None


def test_a_vault_of_which_a_part_fails_is_left_out_and_named() -> None:
    near, _ = _near([_part("v", "f0"), _part("v", "f1"), _part("w", "f2")], silent="f1")
    assert near.silent_vaults == {"v"}
    assert {each.chunk.vault for each in near.neighbours} == {"w"}
    assert near.of_answering_vaults([chunk("a", vault="v"), chunk("b", vault="w")]) == (chunk("b", vault="w"),)


def test_where_no_vault_is_left_any_vector_that_is_read_may_be_the_nearest() -> None:
    near, _ = _near([_part("v", "f0"), _part("v", "f1")], silent="f1")
    assert (near.query, near.neighbours, near.ceiling, near.silent_vaults) == (QUERY, (), 1.0, frozenset())
