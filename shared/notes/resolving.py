"""A link of one note -> the note that it means, among those that have its name."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

from shared.markdown.pointers import Pointer, folded, without_suffix


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A note that a link may mean."""

    note_id: str
    title: str
    path: str
    names: frozenset[str]
    """Folded names that it is known to have, aliases among them."""


def resolve(pointer: Pointer, path: str, among: Iterable[Named]) -> Named | None:
    """The note that a link in the note at `path` means; None: none of them.

    As Obsidian does: a path before a title before an alias; of several, one in the same folder, then the shortest path.
    """
    ranks = ((_rank(pointer, path, each), each) for each in among)
    fitting = [(rank, each) for rank, each in ranks if rank is not None]
    return min(fitting, key=lambda found: found[0])[1] if fitting else None


def _rank(pointer: Pointer, path: str, candidate: Named) -> tuple[int, bool, int, str, str] | None:
    """Less is nearer; None: it is not meant."""
    kind = _kind(pointer, _folder(path), candidate)
    if kind is None:
        return None
    elsewhere = _folder(candidate.path) != _folder(path)
    return kind, elsewhere, len(candidate.path), candidate.path, candidate.note_id


def _kind(pointer: Pointer, folder: str, candidate: Named) -> int | None:
    name, path = folded(pointer.name), folded(without_suffix(candidate.path))
    if pointer.beside and path and path == folded(posixpath.normpath(posixpath.join(folder, pointer.name))):
        return 0
    if name.startswith(("./", "../")):
        return None
    whole = name.lstrip("/")
    fits = (
        "/" in name and path == whole,
        path == whole or path.endswith(f"/{whole}"),
        folded(candidate.title) == name,
        name in candidate.names,
    )
    return 1 + fits.index(True) if True in fits else None


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
