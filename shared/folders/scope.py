"""Vaults and folders that a caller names -> the folders offered; named and ranked folders ->
weighted folders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.model.answers import Usage
from shared.model.notes import DEFAULT_VAULT, Folder
from shared.model.retrieval import ChosenBy, WeightedFolder
from shared.retrieval.analysis import check_vaults, folders_of_path, unknown
from shared.retrieval.folder_weights import MIN_WEIGHT

STEP = 0.1
"""Weight that each folder loses against the one before it."""


@dataclass(frozen=True, slots=True)
class FolderScope:
    """Vaults and folders in which a caller wants to look."""

    vaults: tuple[str, ...] = ()
    """Names of vaults; empty for all vaults."""
    folders: tuple[str, ...] = ()
    """Each `folder` or `vault/folder`, searched before the others; `/` or `vault/` for the notes in no folder."""


@dataclass(frozen=True, slots=True)
class VaultFolders:
    """Folders of the vaults that are searched."""

    vaults: tuple[str, ...]
    named: tuple[Folder, ...]
    """Folders that the caller named, in the caller's order."""
    rest: tuple[Folder, ...]
    """Folders that may be ranked, vault by vault."""


@dataclass(frozen=True, slots=True)
class FolderRanking:
    """Folders, best first."""

    folders: tuple[Folder, ...]
    chosen_by: ChosenBy
    """ORDER: the model gave no ranking, and these are all folders."""
    usage: Usage = field(default_factory=Usage)


def offered_folders(scope: FolderScope, folders: Sequence[Folder]) -> VaultFolders:
    """Splits the folders of the vaults searched into named ones and the rest. Raises NotFound
    naming a vault or folder.

    A named folder brings along the folders below it, so they are not in the rest.

    folders: all that the tenant has.
    """
    check_vaults(scope.vaults, folders)
    vault_names = scope.vaults or [folder.vault for folder in folders]
    vaults = tuple(dict.fromkeys(vault_names)) or (DEFAULT_VAULT,)
    # The root of a vault is no folder of it.
    searched = [folder for folder in folders if folder.vault in vaults and folder.folder]

    folders_called: dict[Folder, None] = {}
    for name in scope.folders:
        called = _roots_called(name, vaults, searched)
        if not called:
            called = _folders_called(name, searched, is_in_vault=bool(scope.vaults))
        folders_called.update(dict.fromkeys(called))
    named = tuple(folders_called)

    # The rest stands in the order of the vaults.
    rest = [folder for folder in searched if not _is_covered(folder, named)]
    rest.sort(key=lambda folder: vaults.index(folder.vault))
    return VaultFolders(vaults, named, tuple(rest))


def weigh_folders(offered: VaultFolders, ranking: FolderRanking) -> tuple[WeightedFolder, ...]:
    """Returns the named folders, then the ranked ones, as weighted folders; without any, the vaults
    as a whole.

    The first folder weighs 1.0 and each next one 0.1 less, at least 0.1; vaults all weigh 1.0.
    """
    chosen = dict.fromkeys(offered.named, ChosenBy.CALLER)
    for folder in ranking.folders:
        chosen.setdefault(folder, ranking.chosen_by)

    step = STEP
    if not chosen:
        chosen = {Folder(vault, ""): ChosenBy.WHOLE_VAULT for vault in offered.vaults}
        step = 0.0

    weighted_folders = []
    for position, (folder, chosen_by) in enumerate(chosen.items()):
        weight = max(MIN_WEIGHT, round(1 - step * position, 1))
        weighted_folders.append(
            WeightedFolder(
                vault=folder.vault,
                folder=folder.folder,
                weight=weight,
                chosen_by=chosen_by,
            ),
        )
    return tuple(weighted_folders)


def _roots_called(name: str, vaults: Sequence[str], folders: Sequence[Folder]) -> list[Folder]:
    """Returns the roots of all vaults for `/`, and the root of one vault for `vault/`; none for the name of a folder."""
    if name == "/":
        return [Folder(vault, "") for vault in vaults]

    vault = name.removesuffix("/")
    ends_in_slash = vault != name
    if not ends_in_slash or vault not in vaults:
        return []

    # A folder of that name comes before a vault.
    for folder in folders:
        if vault in _names_of(folder):
            return []
    return [Folder(vault, "")]


def _folders_called(
    name: str,
    folders: Sequence[Folder],
    *,
    is_in_vault: bool,
) -> list[Folder]:
    """Returns the folders of that name, else the outermost whose names begin with it.

    is_in_vault: as for `folders_of_path`. Raises NotFound.
    """
    stripped = name.strip("/")
    exact = folders_of_path(stripped, folders, is_in_vault=is_in_vault)
    if exact:
        return exact

    matching: list[Folder] = []
    if stripped:
        matching = [folder for folder in folders if _begins_with(folder, stripped)]
    if not matching:
        names = {folder.folder for folder in folders if folder.folder}
        raise unknown("folder", name, names)

    return [folder for folder in matching if not _lies_below_any(folder, matching)]


def _names_of(folder: Folder) -> tuple[str, str]:
    """Returns the names under which a caller may name the folder: without and with its vault."""
    full_name = f"{folder.vault}/{folder.folder}"
    return folder.folder, full_name


def _begins_with(folder: Folder, beginning: str) -> bool:
    """Reports whether one of the folder's names begins with a text."""
    return any(name.startswith(beginning) for name in _names_of(folder))


def _is_covered(folder: Folder, named: Sequence[Folder]) -> bool:
    """Reports whether the folder is a named one or lies below one."""
    return folder in named or _lies_below_any(folder, named)


def _lies_below_any(folder: Folder, tops: Sequence[Folder]) -> bool:
    """Reports whether the folder lies inside one of the others."""
    for top in tops:
        is_inside = folder.folder.startswith(f"{top.folder}/")
        if is_inside and folder.vault == top.vault:
            return True
    return False
