"""A note -> the notes that it links to, and the notes that link to it, by index terms made of names and links.

Names of notes are as current as the index; backlinks are read from the notes themselves.
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
from shared.ports.freshness import current_chunks
from shared.ports.stores import Store, readable_note

MAX_LINKS = 100
"""Most links of a note that are looked up: each name is a search."""
MAX_BACKLINKS = 50
"""Most notes that are read to see whether they link to a note."""
MAX_NAMESAKES = 20
"""Most notes of one name among which a link finds its own, the newest."""

ANYWHERE = Restriction()


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a note. `note` is None if no note has that name."""

    pointer: Pointer
    note: Named | None


@dataclass(frozen=True, slots=True)
class Linked:
    """Links of a note and the notes that link to it."""

    links: tuple[Link, ...]
    backlinks: tuple[Note, ...]
    """The newest first."""
    complete: bool
    """False if there are more links, or may be more backlinks, than were looked at."""


def linked(tenant_id: str, note: Note, *, store: Store, pool: Executor) -> Linked:
    """Returns the links and backlinks of a note within its vault. Must not be called by a task of `pool`."""
    index = _Index(
        tenant_id=tenant_id,
        vault=note.vault,
        store=store,
        pool=pool,
    )
    all_links = pointers(note.text)
    looked_up = all_links[:MAX_LINKS]
    own_names = names_of(note)

    # 1. Notes that the note links to.
    candidates = _candidates(note, own_names, looked_up, index)
    links = []
    for pointer in looked_up:
        target = resolve(pointer, note.path, candidates)
        links.append(Link(pointer, target))

    # 2. Notes that link to it.
    sources = index.linking_to(own_names)
    source_ids = [source_id for source_id in sources.note_ids if source_id != note.note_id]
    read = partial(readable_note, store, tenant_id)
    backlinks = []
    for source in pool.map(read, source_ids[:MAX_BACKLINKS]):
        if source is not None and _links_to(source, note, candidates):
            backlinks.append(source)

    has_all_links = len(looked_up) == len(all_links)
    has_all_sources = sources.complete and len(source_ids) <= MAX_BACKLINKS
    return Linked(
        links=tuple(links),
        backlinks=tuple(backlinks),
        complete=has_all_links and has_all_sources,
    )


def _candidates(
    note: Note,
    own_names: Sequence[str],
    links: Iterable[Pointer],
    index: _Index,
) -> list[Named]:
    """Returns the notes that a link of the note, or a link to it, may mean."""
    names: list[str] = []
    for pointer in links:
        names.extend(pointer.names)
    for name in own_names:
        _, _, last_part = name.rpartition("/")
        names.append(last_part)
    names.extend(own_names)

    # The note itself as it is now: the index may not have followed yet.
    note_now = Named(
        note_id=note.note_id,
        title=note.title,
        path=note.path,
        names=frozenset(own_names),
    )
    candidates = [note_now]
    for candidate in index.named(names):
        if candidate.note_id != note.note_id:
            candidates.append(candidate)
    return candidates


def _links_to(source: Note, note: Note, candidates: Sequence[Named]) -> bool:
    """Reports whether a link of `source` means the note."""
    if source.vault != note.vault:
        return False
    for pointer in pointers(source.text):
        target = resolve(pointer, source.path, candidates)
        if target is not None and target.note_id == note.note_id:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Sources:
    """Ids of notes that link to a name, the newest first; `complete` is False if there may be more."""

    note_ids: list[str]
    complete: bool


@dataclass(frozen=True, slots=True)
class _Index:
    """Terms of names and links in the index of one vault."""

    tenant_id: str
    vault: str
    store: Store
    pool: Executor

    def named(self, names: Iterable[str]) -> tuple[Named, ...]:
        """Returns the notes of these folded names that still exist at their indexed revision."""
        distinct_names = [name for name in dict.fromkeys(names) if name]
        terms = [index_term("name", self.vault, name) for name in distinct_names]
        search = partial(self._chunks_with, limit=MAX_NAMESAKES)
        results = self.pool.map(search, terms)

        names_by_note: dict[str, set[str]] = defaultdict(set)
        chunks: dict[str, IndexedChunk] = {}
        for name, named_chunks in zip(distinct_names, results, strict=True):
            for chunk in named_chunks:
                chunks[chunk.note_id] = chunk
                names_by_note[chunk.note_id].add(name)

        notes = []
        for chunk in current_chunks(self.store, self.tenant_id, chunks.values()):
            note_names = names_by_note[chunk.note_id]
            note_names.add(folded(chunk.title))
            note = Named(
                note_id=chunk.note_id,
                title=chunk.title,
                path=chunk.path,
                names=frozenset(note_names),
            )
            notes.append(note)
        return tuple(notes)

    def linking_to(self, names: Sequence[str]) -> _Sources:
        """Returns the notes that link to one of the names."""
        limit = MAX_BACKLINKS + 2
        terms = [index_term("link", self.vault, name) for name in names]
        search = partial(self._chunks_with, limit=limit)
        results = self.pool.map(search, terms)

        chunks: list[IndexedChunk] = []
        is_complete = True
        for linking_chunks in results:
            chunks.extend(linking_chunks)
            if len(linking_chunks) >= limit:
                is_complete = False

        chunks.sort(key=lambda chunk: chunk.created_at, reverse=True)
        note_ids = [chunk.note_id for chunk in chunks]
        distinct_ids = list(dict.fromkeys(note_ids))
        return _Sources(distinct_ids, is_complete)

    def _chunks_with(self, term: str, *, limit: int) -> tuple[IndexedChunk, ...]:
        return self.store.postings(
            self.tenant_id,
            term,
            limit=limit,
            stems=(),
            restriction=ANYWHERE,
        )


# -- which note a link means


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A note that a link may mean."""

    note_id: str
    title: str
    path: str
    names: frozenset[str]
    """Known names of the note, folded, with its aliases."""


def resolve(pointer: Pointer, path: str, among: Iterable[Named]) -> Named | None:
    """Returns the note that a link means; None if it means none of the candidates.

    Follows Obsidian: a path is preferred to a title, and a title to an alias; among several notes one in the same
    folder, then the one with the shortest path.

    path: path of the note that holds the link.
    among: the candidates.
    """
    folder, _, _ = path.rpartition("/")
    best = None
    best_order = None
    for candidate in among:
        rank = _match_rank(pointer, folder, candidate)
        if rank is None:
            continue
        folder_of_candidate, _, _ = candidate.path.rpartition("/")
        is_elsewhere = folder_of_candidate != folder
        order = (rank, is_elsewhere, len(candidate.path), candidate.path, candidate.note_id)
        if best_order is None or order < best_order:
            best = candidate
            best_order = order
    return best


def _match_rank(pointer: Pointer, folder: str, candidate: Named) -> int | None:
    """Returns how closely the pointer names the candidate, 0 being the closest; None if it does not name it."""
    name = folded(pointer.name)
    path = folded(without_suffix(candidate.path))
    if pointer.beside and path:
        target = posixpath.normpath(posixpath.join(folder, pointer.name))
        if path == folded(target):
            return 0
    if name.startswith(("./", "../")):
        return None
    path_from_root = name.lstrip("/")
    if "/" in name and path == path_from_root:
        return 1
    if path == path_from_root or path.endswith(f"/{path_from_root}"):
        return 2
    if folded(candidate.title) == name:
        return 3
    if name in candidate.names:
        return 4
    return None
