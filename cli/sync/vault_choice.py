"""A folder that is to be indexed -> the vault it goes into: the one it went into before, also under another path.

A folder inside an indexed one is indexed with that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.sync.folder import digest_of_file, relative, walk
from cli.sync.manifest import Known, Manifest, Source
from shared.markdown.file import note_id_of
from shared.model.limits import MAX_NAME

DEFAULT = "default"
RECOGNISED = 0.5
"""Share of a folder's files that must be in another, at their places and unchanged, for it to be the same one moved."""

_UNFIT = re.compile(r"[/\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class VaultChoice:
    """The folder to index and its vault, and what a person should hear of the choice; None: nothing."""

    root: Path
    vault: str
    remark: str | None = None


def choose_vault(manifest: Manifest, destination: str, root: Path, vault: str | None) -> VaultChoice:
    """`vault` None: none was named. A folder that has moved is known under its new path from then on."""
    known = manifest.folders(destination)
    real = root.resolve()
    vaults = [each.source.vault for each in known if each.source.root == real and vault in (None, each.source.vault)]
    if vaults:
        return VaultChoice(root, DEFAULT if DEFAULT in vaults else vaults[0])
    for each in known:
        outer = each.source
        if real.is_relative_to(outer.root) and vault in (None, outer.vault) and outer.root.is_dir():
            remark = (
                f"{real} lies in {outer.root}, which is indexed into vault {outer.vault!r}: that is indexed, as one"
            )
            return VaultChoice(outer.root, outer.vault, remark)
    absent = [each for each in known if vault in (None, each.source.vault) and not _holds_anything(each.source.root)]
    moved = _recognised(manifest, absent, root)
    if moved is not None:
        manifest.move(moved, real)
        return VaultChoice(root, moved.vault, f"{moved.root} is {real} now: its notes stay what they are")
    if vault is not None:
        return VaultChoice(root, vault)
    return _first_choice(manifest, known, root)


def _holds_anything(root: Path) -> bool:
    """Whether the folder is there: where a disk is not mounted, there may be an empty one."""
    try:
        return any(root.iterdir())
    except OSError:
        return False


def _recognised(manifest: Manifest, absent: Iterable[Known], root: Path) -> Source | None:
    """The folder of which most files are below `root` now, at their places and as they were read last."""
    best, most = None, RECOGNISED
    for each in absent:
        files = manifest.files(each.source).values()
        share = sum(digest_of_file(root / read.path) == read.file for read in files) / len(files) if files else 0.0
        if share > most or (share == most and best is None):
            best, most = each.source, share
    return best


def _first_choice(manifest: Manifest, known: Iterable[Known], root: Path) -> VaultChoice:
    """The default vault, or one of its own for a folder with a path that another folder has there."""
    elsewhere = [each.source for each in known if each.source.vault == DEFAULT]
    taken = {note_id for source in elsewhere for note_id in manifest.files(source)}
    paths = (relative(root, entry) for entry in walk(root) if isinstance(entry, Path))
    if not any(note_id_of(DEFAULT, path) in taken for path in paths):
        return VaultChoice(root, DEFAULT)
    plain = _UNFIT.sub("-", root.resolve().name)[: MAX_NAME - 4] or "notes"
    names, used = (plain, *(f"{plain} {number}" for number in range(2, 1000))), {each.source.vault for each in known}
    vault = next(each for each in names if each not in used)
    remark = f"another folder has notes at the same paths: this one goes into vault {vault!r} (--vault NAME: another)"
    return VaultChoice(root, vault, remark)
