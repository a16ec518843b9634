"""From what a caller names and a ranking to folders and weights."""

from __future__ import annotations

import pytest

from shared.errors import NotFound
from shared.folders.scope import (
    FolderRanking,
    FolderScope,
    VaultFolders,
    offered_folders,
    weigh_folders,
)
from shared.model.notes import Folder
from shared.model.retrieval import ChosenBy, WeightedFolder

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
RANKED = tuple(Folder("v", f"f{n:02d}") for n in range(12))


def _names(folders: tuple[Folder, ...]) -> list[str]:
    return [f"{folder.vault}/{folder.folder}" for folder in folders]


def test_without_a_scope_every_vault_offers_all_its_folders() -> None:
    offered = offered_folders(FolderScope(), FOLDERS)
    assert offered == VaultFolders(
        ("home", "work"), (), tuple(place for place in FOLDERS if place.folder)
    )


def test_a_tenant_without_notes_has_the_default_vault() -> None:
    assert offered_folders(FolderScope(), ()) == VaultFolders(("default",), (), ())


def test_only_the_vaults_named_are_searched_each_once() -> None:
    offered = offered_folders(FolderScope(vaults=("work", "work")), FOLDERS)
    assert offered.vaults == ("work",)
    assert {folder.vault for folder in offered.rest} == {"work"}


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("plans", ["home/plans", "work/plans"]),
        ("/plans/", ["home/plans", "work/plans"]),
        ("work/plans", ["work/plans"]),
        ("projects/ap", ["work/projects/api", "work/projects/app"]),
        ("pro", ["home/projects", "work/projects"]),
        ("work/pro", ["work/projects"]),
        ("projects/api", ["work/projects/api"]),
        ("/", ["home/", "work/"]),
        ("work/", ["work/"]),
    ],
)
def test_a_folder_is_named_exactly_or_by_how_it_begins(name: str, named: list[str]) -> None:
    assert _names(offered_folders(FolderScope(folders=(name,)), FOLDERS).named) == named


def test_folders_below_a_named_one_are_not_ranked_again() -> None:
    offered = offered_folders(FolderScope(vaults=("work",), folders=("projects",)), FOLDERS)
    assert _names(offered.named) == ["work/projects"]
    assert _names(offered.rest) == ["work/plans"]


@pytest.mark.parametrize(
    ("scope", "named"),
    [
        (FolderScope(vaults=("attic",)), "no vault 'attic'; there are: default, work, home$"),
        (FolderScope(folders=("plans", "cellar")), "no folder 'cellar'; there are: "),
        (FolderScope(vaults=("home",), folders=("work/plans",)), "no folder 'work/plans'"),
        (FolderScope(folders=("attic/",)), "no folder 'attic/'"),
        (
            FolderScope(folders=("plan/gardens",)),
            "no folder 'plan/gardens'; there are: plans/garden, ",
        ),
    ],
)
def test_an_unknown_name_is_reported_with_the_likeliest_known_one(
    scope: FolderScope, named: str
) -> None:
    with pytest.raises(NotFound, match=named):
        offered_folders(scope, FOLDERS)


def test_a_long_list_of_names_is_cut() -> None:
    nine_folders = [Folder("home", f"f{number}") for number in range(9)]
    with pytest.raises(NotFound, match=r"there are: (f\d, ){5}…$"):
        offered_folders(FolderScope(folders=("x",)), nine_folders)
    with pytest.raises(NotFound, match=r"no folder 'x'; there are none$"):
        offered_folders(FolderScope(folders=("x",)), ())


def test_weights_fall_by_a_tenth_over_all_vaults_and_stay_at_the_least() -> None:
    mine = Folder("w", "mine")
    weighted_folders = weigh_folders(
        VaultFolders(("v", "w"), (mine,), RANKED), FolderRanking(RANKED, ChosenBy.ORDER)
    )
    assert [folder.weight for folder in weighted_folders] == [
        1.0,
        0.9,
        0.8,
        0.7,
        0.6,
        0.5,
        0.4,
        0.3,
        0.2,
        0.1,
        0.1,
        0.1,
        0.1,
    ]
    assert weighted_folders[0] == WeightedFolder("w", "mine", 1.0, ChosenBy.CALLER)
    assert {folder.chosen_by for folder in weighted_folders[1:]} == {ChosenBy.ORDER}


def test_without_any_folder_in_any_vault_all_are_searched_whole() -> None:
    none = FolderRanking((), ChosenBy.MODEL)
    assert weigh_folders(VaultFolders(("v", "w"), (), RANKED), none) == (
        WeightedFolder("v", "", 1.0, ChosenBy.WHOLE_VAULT),
        WeightedFolder("w", "", 1.0, ChosenBy.WHOLE_VAULT),
    )
    (folder,) = weigh_folders(VaultFolders(("v", "w"), RANKED[:1], ()), none)
    assert folder == WeightedFolder("v", "f00", 1.0, ChosenBy.CALLER)


def test_a_folder_that_is_named_stays_first_wherever_it_is_ranked() -> None:
    first, two = RANKED[:2]
    weighted_folders = weigh_folders(
        VaultFolders(("v",), (two,), (first,)), FolderRanking((first, two), ChosenBy.MODEL)
    )
    assert [(folder.folder, folder.weight) for folder in weighted_folders] == [
        ("f01", 1.0),
        ("f00", 0.9),
    ]
    assert weighted_folders[0].chosen_by is ChosenBy.CALLER


def test_a_folder_named_apart_from_its_vault_is_no_other_folder() -> None:
    folders = (Folder("home", "plans"), Folder("home", "home/plans"))
    scope = FolderScope(vaults=("home",), folders=("home/plans",))
    assert offered_folders(scope, folders).named == (Folder("home", "home/plans"),)
    assert set(offered_folders(FolderScope(folders=("home/plans",)), folders).named) == set(folders)
