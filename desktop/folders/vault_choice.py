"""Chooses the vault of a folder that is to be indexed: the one it went into before, also under another path.

A folder inside an indexed one is indexed with that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from desktop.files.reading import digest_of_file, relative, walk
from desktop.folders.gone import is_bare
from desktop.folders.manifest import FolderSource, FollowedFolder, Manifest, SyncedState
from shared.markdown.file import note_id_of
from shared.model.limits import MAX_NAME

DEFAULT = "default"
RECOGNISED = 0.5
"""Share of a folder's files that must be in another, at their places and unchanged, for it to be the same one moved."""

_UNFIT = re.compile(r"[/\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class VaultChoice:
    """The folder to index and its vault."""

    root: Path
    vault: str
    remark: str | None = None
    """Explanation of the choice for a person; None if there is nothing to explain."""


def choose_vault(
    manifest: Manifest,
    destination: str,
    root: Path,
    vault: str | None,
) -> VaultChoice:
    """Chooses the vault. A folder that has moved is known under its new path from then on.

    vault: None if none was named.
    """
    manifest.follow_links(destination)
    followed = manifest.folders(destination)
    in_vault = [folder for folder in followed if vault in (None, folder.source.vault)]
    real = root.resolve()
    vaults = [folder.source.vault for folder in in_vault if folder.source.root == real]
    if vaults:
        return VaultChoice(root, DEFAULT if DEFAULT in vaults else vaults[0])
    for folder in in_vault:
        outer = folder.source
        if real.is_relative_to(outer.root) and outer.root.is_dir():
            remark = f"{real} lies in {outer.root}, which is indexed into vault {outer.vault!r}: that is indexed, as one"
            return VaultChoice(outer.root, outer.vault, remark)

    absent = [folder for folder in in_vault if is_bare(folder.source.root)]
    moved = _recognised(manifest, absent, root)
    if moved is not None:
        manifest.move(moved, real)
        remark = f"{moved.root} is {real} now: its notes stay what they are"
        return VaultChoice(root, moved.vault, remark)

    if vault is not None:
        return VaultChoice(root, vault)
    return _first_choice(manifest, followed, root)


def _recognised(
    manifest: Manifest,
    absent: Iterable[FollowedFolder],
    root: Path,
) -> FolderSource | None:
    """Returns the folder with the largest share of its files below `root` now; None if no share is
    large enough.
    """
    best = None
    best_share = RECOGNISED
    for folder in absent:
        share = _share_below(root, manifest.files(folder.source).values())
        is_first = share == best_share and best is None
        if share > best_share or is_first:
            best = folder.source
            best_share = share

    return best


def _share_below(root: Path, files: Iterable[SyncedState]) -> float:
    """Returns the share of the files that are at their places below `root`, as they were last read."""
    matches = [digest_of_file(root / file.path) == file.file_digest for file in files]
    return sum(matches) / len(matches) if matches else 0.0


def _first_choice(
    manifest: Manifest,
    followed: Iterable[FollowedFolder],
    root: Path,
) -> VaultChoice:
    """Chooses the default vault, or a new one if another folder has notes at the same paths there."""
    used_names = {folder.source.vault for folder in followed}
    used_ids: set[str] = set()
    for folder in followed:
        if folder.source.vault == DEFAULT:
            used_ids.update(manifest.files(folder.source))

    paths = (relative(root, entry) for entry in walk(root) if isinstance(entry, Path))
    if not any(note_id_of(DEFAULT, path) in used_ids for path in paths):
        return VaultChoice(root, DEFAULT)
    name = _UNFIT.sub("-", root.resolve().name)[: MAX_NAME - 4] or "notes"
    vault = name
    for number in count(2):
        if vault not in used_names:
            break
        vault = f"{name} {number}"

    remark = f"another folder has notes at the same paths: this one goes into vault {vault!r} (--vault NAME: another)"
    return VaultChoice(root, vault, remark)
