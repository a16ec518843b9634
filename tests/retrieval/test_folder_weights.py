"""The weights of folders in a passage's score."""

from __future__ import annotations

from shared.model.retrieval import ChosenBy, Restriction, WeightedFolder
from shared.retrieval.folder_weights import (
    MAX_PARTS,
    MAX_TOKENS,
    MIN_WEIGHT,
    inside,
    parts_of,
    weigher,
)
from tests.contracts.samples import chunk

PLACES = (
    WeightedFolder("v", "a", 1.0, ChosenBy.MODEL),
    WeightedFolder("v", "a/b", 0.9, ChosenBy.MODEL),
    WeightedFolder("v", "c/d", 0.8, ChosenBy.MODEL),
    WeightedFolder("v", "c", 0.7, ChosenBy.MODEL),
    WeightedFolder("v", "", 0.6, ChosenBy.ORDER),
)


def _weight(
    path: str, vault: str = "v", weighted_folders: tuple[WeightedFolder, ...] = PLACES
) -> float:
    return weigher(weighted_folders)(chunk("n", vault=vault, path=path))


def test_a_chunk_weighs_what_the_best_of_its_places_does() -> None:
    assert [_weight(path) for path in ("a/n.md", "a/b/n.md", "c/d/e/n.md", "c/n.md")] == [
        1.0,
        1.0,
        0.8,
        0.7,
    ]


def test_the_root_beside_folders_is_what_lies_in_none() -> None:
    assert [_weight(path) for path in ("n.md", "elsewhere/n.md")] == [0.6, MIN_WEIGHT]
    assert _weight("n.md", vault="other") == MIN_WEIGHT


def test_a_whole_vault_weighs_alike() -> None:
    whole_vault = (WeightedFolder("v", "", 1.0, ChosenBy.WHOLE_VAULT),)
    assert [_weight(path, weighted_folders=whole_vault) for path in ("n.md", "a/n.md")] == [
        1.0,
        1.0,
    ]
    assert _weight("a/n.md", weighted_folders=()) == 1.0


def test_places_restrict_beside_what_restricts_already() -> None:
    tagged = Restriction(scopes=(frozenset({"t:red"}),))
    weighted_folders = (
        WeightedFolder("v", "a", 1.0, ChosenBy.MODEL),
        WeightedFolder("w", "", 1.0, ChosenBy.WHOLE_VAULT),
    )
    assert inside(tagged, weighted_folders).scopes == (
        frozenset({"t:red"}),
        frozenset({"f:v/a", "v:w"}),
    )
    assert inside(tagged, ()) is tagged


def test_a_restriction_that_a_narrower_one_implies_is_dropped() -> None:
    wide = Restriction(scopes=(frozenset({"f:v/a", "v:w"}),))
    assert inside(wide, (WeightedFolder("w", "", 1.0, ChosenBy.WHOLE_VAULT),)).scopes == (
        frozenset({"v:w"}),
    )


def _folders(vault: str, count: int) -> tuple[WeightedFolder, ...]:
    return tuple(
        WeightedFolder(
            vault, f"f{number:02d}", max(MIN_WEIGHT, round(1 - 0.1 * number, 1)), ChosenBy.MODEL
        )
        for number in range(count)
    )


def test_places_of_one_vault_are_searched_in_four_parts_by_weight() -> None:
    parts = parts_of(_folders("v", 60), Restriction())
    tokens = [part.restriction.scopes[-1] for part in parts]
    assert [len(group) for group in tokens] == [1, 2, 4, 53]
    assert [min(group) for group in tokens] == ["f:v/f00", "f:v/f01", "f:v/f03", "f:v/f07"]


def test_many_vaults_share_the_parts_and_every_place_is_in_one() -> None:
    for vaults in range(1, 20):
        weighted_folders = tuple(
            folder for number in range(vaults) for folder in _folders(f"v{number}", 9)
        )
        parts = parts_of(weighted_folders, Restriction())
        assert len(parts) <= MAX_PARTS
        tokens = [token for part in parts for token in part.restriction.scopes[-1]]
        assert sorted(tokens) == sorted(
            f"f:{folder.vault}/{folder.folder}" for folder in weighted_folders
        )


def test_beside_a_vaults_root_its_folders_need_not_be_named() -> None:
    weighted_folders = (
        *_folders("v", 3),
        WeightedFolder("v", "", 0.7, ChosenBy.ORDER),
        *_folders("w", 1),
    )
    assert inside(Restriction(), weighted_folders).scopes == (frozenset({"v:v", "f:w/f00"}),)


def test_more_folders_than_a_filter_holds_are_named_with_their_vault() -> None:
    few = inside(Restriction(), _folders("v", MAX_TOKENS))
    more_than_fit = inside(Restriction(), _folders("v", MAX_TOKENS + 1))
    assert len(few.scopes) == 1
    assert more_than_fit.scopes[0] == frozenset({"v:v"})
    assert len(more_than_fit.scopes[1]) == MAX_TOKENS + 1


def test_a_part_of_what_is_restricted_to_already_says_it_once() -> None:
    weighted_folders = _folders("v", 40)
    places = inside(Restriction(), weighted_folders)
    assert inside(places, weighted_folders[:1]).scopes == (frozenset({"f:v/f00"}),)
    assert inside(places, weighted_folders) == places
