"""From what a caller names and a ranking to places and weights."""

from __future__ import annotations

import pytest

from shared.errors import NotFound
from shared.folders.choice import Offer, Wish, by_match, lay_out, offers
from shared.folders.ranking import FolderRanking
from shared.model.notes import Folder
from shared.model.retrieval import ChosenBy, Place

FOLDERS = tuple(
    Folder(vault, folder)
    for vault, folder in [
        ("home", ""),
        ("home", "plans"),
        ("home", "plans/garden"),
        ("home", "projects"),
        ("work", ""),
        ("work", "plans"),
        ("work", "projects"),
        ("work", "projects/api"),
        ("work", "projects/app"),
    ]
)


def test_without_a_wish_every_vault_offers_all_its_folders() -> None:
    assert offers(Wish(), FOLDERS) == (
        Offer("home", (), ("plans", "plans/garden", "projects")),
        Offer("work", (), ("plans", "projects", "projects/api", "projects/app")),
    )


def test_a_tenant_without_notes_has_the_default_vault() -> None:
    assert offers(Wish(), ()) == (Offer("default", (), ()),)


def test_only_the_vaults_named_are_searched_each_once() -> None:
    assert [offer.vault for offer in offers(Wish(vaults=("work", "work")), FOLDERS)] == ["work"]


@pytest.mark.parametrize(
    ("name", "home", "work"),
    [
        ("plans", ("plans",), ("plans",)),
        ("/plans/", ("plans",), ("plans",)),
        ("work/plans", (), ("plans",)),
        ("projects/ap", (), ("projects/api", "projects/app")),
        ("pro", ("projects",), ("projects",)),
        ("work/pro", (), ("projects",)),
        ("projects/api", (), ("projects/api",)),
    ],
)
def test_a_folder_is_named_exactly_or_by_how_it_begins(name: str, home: tuple[str, ...], work: tuple[str, ...]) -> None:
    found = offers(Wish(folders=(name,)), FOLDERS)
    assert [offer.named for offer in found] == [home, work]


def test_what_lies_below_a_named_folder_is_not_ranked_again() -> None:
    (offer,) = offers(Wish(vaults=("work",), folders=("projects",)), FOLDERS)
    assert offer == Offer("work", ("projects",), ("plans",))


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        (Wish(vaults=("attic",)), "no vault 'attic'; there are: default, work, home$"),
        (Wish(folders=("plans", "cellar")), "no folder 'cellar'; there are: "),
        (Wish(vaults=("home",), folders=("work/plans",)), "no folder 'work/plans'"),
        (Wish(folders=("/",)), "no folder '/'"),
        (Wish(folders=("plan/gardens",)), "no folder 'plan/gardens'; there are: plans/garden, "),
    ],
)
def test_what_does_not_exist_is_named_with_the_likeliest_that_does(wish: Wish, named: str) -> None:
    with pytest.raises(NotFound, match=named):
        offers(wish, FOLDERS)


def test_of_many_names_a_few_are_told() -> None:
    many = [Folder("home", f"f{number}") for number in range(9)]
    with pytest.raises(NotFound, match=r"there are: (f\d, ){5}…$"):
        offers(Wish(folders=("x",)), many)
    with pytest.raises(NotFound, match=r"no folder 'x'; there are none$"):
        offers(Wish(folders=("x",)), ())


def test_weights_fall_by_a_tenth_and_stay_at_the_least() -> None:
    places = lay_out(Offer("v", ("mine",), ()), FolderRanking(tuple(f"f{n:02d}" for n in range(12)), ChosenBy.ORDER))
    assert [place.weight for place in places] == [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1]
    assert places[0] == Place("v", "mine", 1.0, ChosenBy.CALLER)
    assert {place.chosen_by for place in places[1:]} == {ChosenBy.ORDER}


def test_without_any_folder_the_whole_vault_is_searched() -> None:
    assert lay_out(Offer("v", (), ("a",)), FolderRanking((), ChosenBy.MODEL)) == (
        Place("v", "", 1.0, ChosenBy.WHOLE_VAULT),
    )


def test_a_folder_that_is_named_and_ranked_stands_once() -> None:
    places = lay_out(Offer("v", ("a",), ("b",)), FolderRanking(("a", "b"), ChosenBy.MODEL))
    assert [(place.folder, place.weight) for place in places] == [("a", 1.0), ("b", 0.9)]


def test_without_a_model_folders_come_in_the_order_of_their_best_passage() -> None:
    found = [Folder("work", "b"), Folder("home", "a"), Folder("work", ""), Folder("work", "b"), Folder("work", "named")]
    ranking = by_match(Offer("work", ("named",), ("a", "b")), found)
    assert ranking == FolderRanking(("b", ""), ChosenBy.MATCH)
