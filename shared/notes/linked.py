"""A note -> the notes that it points at, and those that point at it, by terms that the index keeps of names and links.

What notes are called is as the index has followed; who points here is read from the notes themselves.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

from shared.markdown.pointers import Pointer, folded, index_term, names_of, pointers, without_suffix
from shared.model.index import IndexedChunk
from shared.model.notes import Note
from shared.model.retrieval import Restriction
from shared.ports.stores import Store, readable_note

MAX_LINKS = 100
"""Links of a note that are looked up: each name is a search."""
MAX_BACKLINKS = 50
"""Notes read to see whether they point here."""
MAX_NAMESAKES = 20
"""Notes of one name among which a link finds its own; the newest."""

ANYWHERE = Restriction()


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a note. `note` None: no note has that name."""

    pointer: Pointer
    note: Named | None


@dataclass(frozen=True, slots=True)
class Linked:
    """`complete` False: there are more links, or may be more notes that point here, than were looked at."""

    links: tuple[Link, ...]
    backlinks: tuple[Note, ...]
    """The newest first."""
    complete: bool


def linked(tenant_id: str, note: Note, *, store: Store, pool: Executor) -> Linked:
    """Within the tenant's notes of the note's vault. Must not be called by a task of `pool`."""
    found = pointers(note.text)
    looked_up = found[:MAX_LINKS]
    index = _Index(tenant_id=tenant_id, vault=note.vault, store=store, pool=pool)
    own = names_of(note)
    asked = [name for pointer in looked_up for name in pointer.names] + [name.rpartition("/")[2] for name in own]
    # The note itself as it is now, however far the index has followed.
    itself = Named(note_id=note.note_id, title=note.title, path=note.path, names=frozenset(own))
    namesakes = (itself, *(each for each in index.named((*asked, *own)) if each.note_id != note.note_id))
    sources, all_seen = index.pointing(own)
    others = [each for each in sources if each != note.note_id]
    read = pool.map(partial(readable_note, store, tenant_id), others[:MAX_BACKLINKS])
    return Linked(
        links=tuple(Link(each, resolve(each, note.path, namesakes)) for each in looked_up),
        backlinks=tuple(each for each in read if each and _points_at(each, note, namesakes)),
        complete=all_seen and len(looked_up) == len(found) and len(others) <= MAX_BACKLINKS,
    )


def _points_at(source: Note, note: Note, namesakes: Sequence[Named]) -> bool:
    if source.vault != note.vault:
        return False
    meant = (resolve(pointer, source.path, namesakes) for pointer in pointers(source.text))
    return any(each is not None and each.note_id == note.note_id for each in meant)


@dataclass(frozen=True, slots=True)
class _Index:
    tenant_id: str
    vault: str
    store: Store
    pool: Executor

    def named(self, names: Iterable[str]) -> tuple[Named, ...]:
        """Notes of these folded names that still exist, at their indexed revision."""
        asked = [name for name in dict.fromkeys(names) if name]
        terms = [index_term("name", self.vault, name) for name in asked]
        searched = self.pool.map(partial(self._holding, limit=MAX_NAMESAKES), terms)
        called: dict[str, set[str]] = defaultdict(set)
        chunks: dict[str, IndexedChunk] = {}
        for name, found in zip(asked, searched, strict=True):
            for chunk in found:
                chunks[chunk.note_id] = chunk
                called[chunk.note_id].add(name)
        records = self.store.live_records(self.tenant_id, list(chunks)) if chunks else {}
        return tuple(
            Named(
                note_id=note_id,
                title=chunk.title,
                path=chunk.path,
                names=frozenset((*called[note_id], folded(chunk.title))),
            )
            for note_id, chunk in chunks.items()
            if note_id in records and records[note_id].note_revision == chunk.note_revision
        )

    def pointing(self, names: Sequence[str]) -> tuple[list[str], bool]:
        """Ids of notes that point at one of the names, the newest first; whether these are all."""
        limit = MAX_BACKLINKS + 2
        terms = [index_term("link", self.vault, name) for name in names]
        found = list(self.pool.map(partial(self._holding, limit=limit), terms))
        chunks = sorted((chunk for each in found for chunk in each), key=lambda chunk: chunk.created_at, reverse=True)
        return list(dict.fromkeys(chunk.note_id for chunk in chunks)), all(len(each) < limit for each in found)

    def _holding(self, term: str, *, limit: int) -> tuple[IndexedChunk, ...]:
        return self.store.postings(self.tenant_id, term, limit=limit, stems=(), restriction=ANYWHERE)


# -- which note a link means


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
    folder = path.rpartition("/")[0]
    fitting = []
    for each in among:
        kind = _kind(pointer, folder, each)
        if kind is not None:
            elsewhere = each.path.rpartition("/")[0] != folder
            fitting.append(((kind, elsewhere, len(each.path), each.path, each.note_id), each))
    return min(fitting, key=lambda found: found[0])[1] if fitting else None


def _kind(pointer: Pointer, folder: str, candidate: Named) -> int | None:
    """How the pointer names the candidate, less is nearer; None: it is not meant."""
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
