"""What a caller of /ask names -> the places to search: named folders first, then the ranked ones, each with its weight.

Vaults are laid out side by side: each has its own first folder, whose weight is 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.folders.ranking import FolderRanking
from shared.model.notes import DEFAULT_VAULT, Folder
from shared.model.retrieval import ChosenBy, Place
from shared.retrieval.candidates.places import LEAST_WEIGHT
from shared.retrieval.restriction import check_vaults, unknown

STEP = 0.1
"""By how much each next folder weighs less."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Where a caller wants to look. `vaults` empty: all. `folders`: `folder` or `vault/folder`, searched first."""

    vaults: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """One vault: the folders that were named, in the caller's order, and the rest, which may be ranked."""

    vault: str
    named: tuple[str, ...]
    rest: tuple[str, ...]


def offers(wish: Wish, folders: Sequence[Folder]) -> tuple[Offer, ...]:
    """`folders`: all the tenant has; each brings along what is below it. Raises NotFound naming a vault or folder."""
    check_vaults(wish.vaults, folders)
    vaults = wish.vaults or tuple(dict.fromkeys(folder.vault for folder in folders)) or (DEFAULT_VAULT,)
    searched = [folder for folder in folders if folder.vault in vaults and folder.folder]
    named = [folder for name in wish.folders for folder in _meant(name, searched)]
    return tuple(_offer(vault, named, searched) for vault in dict.fromkeys(vaults))


def lay_out(offer: Offer, ranking: FolderRanking) -> tuple[Place, ...]:
    """1.0 for the first folder, 0.1 less for each next, never under 0.1; without any, the whole vault."""
    chosen = [(folder, ChosenBy.CALLER) for folder in offer.named]
    chosen += [(folder, ranking.chosen_by) for folder in ranking.folders if folder not in offer.named]
    if not chosen:
        return (Place(vault=offer.vault, folder="", weight=1.0, chosen_by=ChosenBy.WHOLE_VAULT),)
    return tuple(
        Place(
            vault=offer.vault,
            folder=folder,
            weight=max(LEAST_WEIGHT, round(1 - STEP * position, 1)),
            chosen_by=chosen_by,
        )
        for position, (folder, chosen_by) in enumerate(chosen)
    )


def by_match(offer: Offer, found: Sequence[Folder]) -> FolderRanking:
    """The vault's folders in the order in which their passages were `found`; without a model, that is what is known."""
    of_vault = dict.fromkeys(each.folder for each in found if each.vault == offer.vault)
    known = {*offer.rest, ""}
    return FolderRanking(tuple(folder for folder in of_vault if folder in known), ChosenBy.MATCH)


def _offer(vault: str, named: Sequence[Folder], searched: Sequence[Folder]) -> Offer:
    first = tuple(dict.fromkeys(folder.folder for folder in named if folder.vault == vault))
    rest = [each.folder for each in searched if each.vault == vault]
    return Offer(vault, first, tuple(folder for folder in rest if not _inside_any(folder, first)))


def _meant(name: str, folders: Sequence[Folder]) -> list[Folder]:
    """Folders of that name, else the outermost whose names begin with it. Raises NotFound."""
    plain = name.strip("/")
    called: Mapping[Folder, tuple[str, str]] = {each: (each.folder, f"{each.vault}/{each.folder}") for each in folders}
    exact = [each for each, names in called.items() if plain in names]
    if exact:
        return exact
    begun = [each for each, names in called.items() if plain and any(full.startswith(plain) for full in names)]
    outermost = [each for each in begun if not any(_lies_below(each, other) for other in begun)]
    if not outermost:
        raise unknown("folder", name, {each.folder for each in folders if each.folder})
    return outermost


def _lies_below(folder: Folder, other: Folder) -> bool:
    return folder.vault == other.vault and folder.folder.startswith(f"{other.folder}/")


def _inside_any(folder: str, others: Sequence[str]) -> bool:
    return any(folder == other or folder.startswith(f"{other}/") for other in others)
