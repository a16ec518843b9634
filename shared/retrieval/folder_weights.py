"""Folders and whole vaults -> the searches that look in them, and what a chunk's score counts in it.

However many folders there are, the keyword and the recent leg look in all of them at once and the vector leg in at most
MAX_PARTS parts. Folders that weigh much less than others are searched apart from them: otherwise a large folder that
hardly counts would leave no room for what lies in the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shared.model.index import IndexedChunk, scope_token, vault_token
from shared.model.retrieval import ChosenBy, Restriction, WeightedFolder

MIN_WEIGHT = 0.1
MAX_PARTS = 6
MAX_BANDS = 4
"""Parts of one vault: its first folder, the next two, the next four, all others. Except in the last, the folders of a
part weigh at most twice as much as each other."""
MAX_TOKENS = 10
"""Above this number of folders the vaults are named too. Firestore's filter of scopes holds 30 and takes longer with
each, so it then holds the vaults, and the rest is checked on what comes back: of folders that hardly count it may bring
fewer."""


def inside(restriction: Restriction, weighted_folders: Sequence[WeightedFolder]) -> Restriction:
    """Cuts a restriction to the folders; without folders it stays as it is."""
    if not weighted_folders:
        return restriction
    whole_vaults = {folder.vault for folder in weighted_folders if not folder.folder}
    vaults = set()
    tokens = set()
    for folder in weighted_folders:
        vault = vault_token(folder.vault)
        vaults.add(vault)
        if folder.vault in whole_vaults:
            tokens.add(vault)
        else:
            tokens.add(scope_token(folder.vault, folder.folder))

    # Groups in which all folders lie say nothing any more, and searches of one group are the cheapest.
    scopes = [group for group in restriction.scopes if not _contains_all(group, weighted_folders)]
    if len(tokens) > MAX_TOKENS and tokens != vaults:
        scopes.append(frozenset(vaults))
    scopes.append(frozenset(tokens))
    return Restriction(restriction.created, tuple(scopes))


def _contains_all(group: frozenset[str], weighted_folders: Sequence[WeightedFolder]) -> bool:
    """Reports whether every folder, or its vault, is one of a group of scopes."""
    for folder in weighted_folders:
        vault = vault_token(folder.vault)
        scope = scope_token(folder.vault, folder.folder)
        if vault not in group and scope not in group:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the folders in which the vector leg looks on its own."""

    restriction: Restriction
    vaults: frozenset[str] = frozenset()
    """Vaults of these folders."""


def parts_of(
    weighted_folders: Sequence[WeightedFolder],
    restriction: Restriction,
) -> Sequence[Part]:
    """Divides the folders into at most MAX_PARTS parts; without folders there is one.

    A vault is divided by weight as far as parts suffice; with more vaults than parts, several share one.
    """
    if not weighted_folders:
        return [Part(restriction)]

    folders_by_vault: dict[str, list[WeightedFolder]] = {}
    for folder in weighted_folders:
        folders_by_vault.setdefault(folder.vault, []).append(folder)
    parts_a_vault = MAX_PARTS // len(folders_by_vault)
    max_bands = max(1, min(MAX_BANDS, parts_a_vault))

    folders_by_part: dict[tuple[int, int], list[WeightedFolder]] = {}
    for index, folders_of_vault in enumerate(folders_by_vault.values()):
        for position, folder in enumerate(folders_of_vault, start=1):
            # Positions 1, 2-3, 4-7 and so on are one band each.
            band = min(max_bands, position.bit_length())
            # With more vaults than parts, several vaults share one.
            vault_part = index % MAX_PARTS
            part = (vault_part, band)
            folders_by_part.setdefault(part, []).append(folder)

    parts = []
    for folders in folders_by_part.values():
        part_restriction = inside(restriction, folders)
        vaults = frozenset(folder.vault for folder in folders)
        parts.append(Part(part_restriction, vaults))
    return parts


def weigher(weighted_folders: Sequence[WeightedFolder]) -> Callable[[IndexedChunk], float]:
    """Returns a function chunk -> weight: the greatest weight of the chunk's folders, otherwise MIN_WEIGHT.

    Without weighted folders each chunk weighs 1. A vault's root that was chosen beside folders stands for the notes in
    no folder.
    """
    if not weighted_folders:
        return lambda _: 1.0

    root_weights: dict[str, float] = {}
    weights: dict[str, float] = {}
    for folder in weighted_folders:
        is_root = not folder.folder
        if is_root:
            root_weights[folder.vault] = folder.weight
        if is_root and folder.chosen_by is not ChosenBy.WHOLE_VAULT:
            continue
        token = scope_token(folder.vault, folder.folder)
        weights[token] = max(folder.weight, weights.get(token, 0.0))

    def weigh(chunk: IndexedChunk) -> float:
        """Returns the greatest weight of a chunk's folders."""
        chunk_weights = [weights[token] for token in chunk.scopes if token in weights]
        if not chunk.folder and chunk.vault in root_weights:
            chunk_weights.append(root_weights[chunk.vault])
        return max(chunk_weights, default=MIN_WEIGHT)

    return weigh
