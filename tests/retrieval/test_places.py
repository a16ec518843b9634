"""What a passage's score counts where folders are searched."""

from __future__ import annotations

from shared.domain import ChosenBy, Place, Restriction
from shared.retrieval.places import LEAST_WEIGHT, inside, weigher
from tests.contracts.samples import chunk

PLACES = (
    Place("v", "a", 1.0, ChosenBy.MODEL),
    Place("v", "a/b", 0.9, ChosenBy.MODEL),
    Place("v", "c/d", 0.8, ChosenBy.MODEL),
    Place("v", "c", 0.7, ChosenBy.MODEL),
    Place("v", "", 0.6, ChosenBy.ORDER),
)


def _weight(path: str, vault: str = "v", places: tuple[Place, ...] = PLACES) -> float:
    return weigher(places)(chunk("n", vault=vault, path=path))


def test_a_chunk_weighs_what_the_best_of_its_places_does() -> None:
    assert [_weight(path) for path in ("a/n.md", "a/b/n.md", "c/d/e/n.md", "c/n.md")] == [1.0, 1.0, 0.8, 0.7]


def test_the_root_beside_folders_is_what_lies_in_none() -> None:
    assert [_weight(path) for path in ("n.md", "elsewhere/n.md")] == [0.6, LEAST_WEIGHT]
    assert _weight("n.md", vault="other") == LEAST_WEIGHT


def test_a_whole_vault_weighs_alike() -> None:
    whole = (Place("v", "", 1.0, ChosenBy.WHOLE_VAULT),)
    assert [_weight(path, places=whole) for path in ("n.md", "a/n.md")] == [1.0, 1.0]
    assert _weight("a/n.md", places=()) == 1.0


def test_places_restrict_beside_what_restricts_already() -> None:
    tagged = Restriction(scopes=(frozenset({"t:red"}),))
    places = (Place("v", "a", 1.0, ChosenBy.MODEL), Place("w", "", 1.0, ChosenBy.WHOLE_VAULT))
    assert inside(tagged, places).scopes == (frozenset({"t:red"}), frozenset({"f:v/a", "v:w"}))
    assert inside(tagged, ()) is tagged


def test_a_restriction_that_a_narrower_one_implies_is_dropped() -> None:
    wide = Restriction(scopes=(frozenset({"f:v/a", "v:w"}),))
    assert inside(wide, (Place("w", "", 1.0, ChosenBy.WHOLE_VAULT),)).scopes == (frozenset({"v:w"}),)
