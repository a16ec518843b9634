"""Types of the index: records, chunks, changes, coverage."""

from __future__ import annotations

import math
import re
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from shared.model.notes import Folder

Item = TypeVar("Item")
Source = TypeVar("Source")
if TYPE_CHECKING:
    Vector: TypeAlias = array[float]
else:
    Vector = array  # Python 3.11 has no array[float] at run time, and codecs look at annotations
"""A unit-length embedding, typecode "f": four bytes a dimension, readable by numpy without a copy."""


def dot_product(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns the dot product of two vectors: the cosine of embeddings, which have length 1.

    Raises ValueError for vectors of different dimensions.

    Python 3.12 reads arrays three times as fast as before, lists almost twenty times.
    """
    if sys.version_info >= (3, 12):
        return math.sumprod(first, second)
    total = 0.0
    for component, other_component in zip(first, second, strict=True):
        total += component * other_component
    return total


_HEADING_MARK = re.compile(r"(?:^| > )#{1,6} ")
"""Stands before each heading of a path."""
COLUMNS = "columns: "
"""Prefix of the chunk property that holds the head of a table."""


def chunk_id_of(note_id: str, position: int) -> str:
    """Returns the id of the chunk of a note at a position."""
    return f"{note_id}_{position:03d}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One slice of a note: `text == note.text[start:end]`. `position` counts from 0."""

    position: int
    heading_path: str
    """`# Meetings > ## Standup`; empty above the first heading."""
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with everything the stores keep of it but its vector."""

    chunk_id: str
    """See `chunk_id_of`."""
    note_id: str
    position: int
    title: str
    heading_path: str
    text: str
    start: int
    end: int
    utf16_start: int
    """`start` in UTF-16 units: with it and `text` any offset can be given to clients without the whole note."""
    created_at: datetime
    updated_at: datetime
    vault: str
    path: str
    tags: tuple[str, ...]
    scopes: tuple[str, ...]
    """One token each for the vault, every ancestor folder and every tag; see `scopes_of`."""
    terms: Mapping[str, int]
    """Stem -> its count in header and text; of a note's first chunk also `shared.markdown.pointers`' terms of
    its names and links. Read back by a search, it holds only the stems asked for."""
    length: int
    """Sum of the counts of all terms that are words, the document length of BM25."""
    text_hash: str
    """Digest of the text that was embedded (header and slice)."""
    index_version: str
    note_revision: str
    properties: tuple[str, ...] = ()
    """The note's frontmatter as `key: value` lines, see `shared.markdown.file.properties_of`; then COLUMNS with the
    first line of the table in whose midst the chunk begins.
    """

    @property
    def columns(self) -> str:
        """First line of the table in whose midst the chunk begins; empty if it does not begin in a table."""
        if not self.properties:
            return ""
        last = self.properties[-1]
        if not last.startswith(f"{COLUMNS}|"):
            return ""
        return last.removeprefix(COLUMNS)

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings above the chunk, outermost first, without their marks."""
        _, *headings = _HEADING_MARK.split(self.heading_path)
        return tuple(headings)

    @property
    def folder(self) -> str:
        """The directory of `path`; empty for the vault's root."""
        folder, _, _ = self.path.rpartition("/")
        return folder

    def stems_among(self, stems: Iterable[str]) -> set[str]:
        """Returns those of some stems that the chunk holds."""
        return {stem for stem in stems if self.terms.get(stem)}


class IndexStatus(StrEnum):
    """State of a note in the index."""

    INDEXED = "indexed"
    PENDING = "pending_embeddings"
    FAILED = "failed"

    @classmethod
    def newer(cls) -> IndexStatus:
        """Returns the status that stands for one which only a newer release knows: the sweep looks at the note again."""
        return cls.PENDING


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """Index record of one note (`index/{noteId}`)."""

    note_revision: str
    status: IndexStatus
    chunk_count: int
    index_version: str
    indexed_at: datetime
    error: str | None = None
    attempts: int = 0
    """Attempts at `attempted` that did not succeed. Each counts as soon as it begins, so that it counts even if its
    worker is killed. An attempt that ended in an outage does not count, as it says nothing about the note.
    """
    lease_until: datetime | None = None
    """Time until which one worker may be at this note; None if no worker is. A time that has passed means that the
    worker died.
    """
    second_version: str = field(default="", metadata={"stored_as": "kept"})
    """Another index version, by which chunks may hold a second vector beside their own; empty if no chunk does."""
    due_at: datetime | None = None
    """When a sweep takes up an unfinished note. None means never, or that the record was written before this field
    existed.
    """
    attempted: str = ""
    """Revision and index version to which `attempts` belongs; empty for those of the record."""


class LazyCollection(Collection[Item]):
    """Items that are made one by one, each time they are read, so that a store that reads them holds few at once.

    A chunk's words take 20 KB, those of the largest note 25 MB, and as protobufs five times as much.
    """

    def __init__(self, sources: Sequence[Source], make: Callable[[Source], Item]) -> None:
        self._sources = sources
        self._make = make

    def __len__(self) -> int:
        return len(self._sources)

    def __iter__(self) -> Iterator[Item]:
        return map(self._make, self._sources)

    def __contains__(self, item: object) -> bool:
        return any(item == made for made in self)


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record and its opaque token for compare-and-set. `record` is None if there is no record."""

    record: IndexRecord | None
    token: str | None


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """Fields of a stored chunk that the indexer compares."""

    chunk_id: str
    text_hash: str
    index_version: str
    note_revision: str
    has_vector: bool
    second_version: str = field(default="", metadata={"stored_as": "kept"})
    """Index version of a second vector of the same text; empty if there is no second vector."""


@dataclass(frozen=True, slots=True)
class ChunkPut:
    """A whole chunk to write. `vector` is None if it is to be embedded later."""

    chunk: IndexedChunk
    vector: Vector | None
    second_vector: tuple[str, Vector] | None = None
    """Index version and vector of the same text by another model. With None, a stored one is removed."""


@dataclass(frozen=True, slots=True)
class IndexChange:
    """One step of a note's index from one state to the next, applied if the record is still `expected`.

    A store that cannot apply it in one commit guards each with the record and writes `record` last,
    so a reader that compares `note_revision` with the record's never sees two revisions at once.
    """

    note_id: str
    expected: str | None
    """Token of the record that this was computed from; None if there must be no record."""
    record: IndexRecord | None
    """The record after the change; None to remove it."""
    put: Collection[ChunkPut] = ()
    """In the order of positions. Those of a long note are made while they are read, see `LazyCollection`."""
    patch: Collection[IndexedChunk] = ()
    """Chunks whose stored vectors stay: everything else is overwritten."""
    vectors: tuple[tuple[str, Vector], ...] = ()
    """Chunk id -> the vector to add to a stored chunk."""
    remove: tuple[str, ...] = ()
    needs_note: bool = False
    """True if it is applied only while the note exists: a change that adds chunks may be late."""

    @property
    def writes(self) -> int:
        """Documents it writes, the record included."""
        chunks = len(self.put) + len(self.patch) + len(self.vectors)
        if self.record is None:
            return chunks
        return chunks + 1

    @property
    def deletes(self) -> int:
        """Documents it deletes, the record included."""
        chunks = len(self.remove)
        if self.record is None and self.expected is not None:
            return chunks + 1
        return chunks


@dataclass(slots=True)
class IndexWrites:
    """Documents that the index of a note writes and deletes, or has written and deleted."""

    writes: int = 0
    deletes: int = 0


@dataclass(frozen=True, slots=True)
class Coverage:
    """Numbers of a tenant's notes by state. `missing` counts notes without a record."""

    notes: int
    indexed: int
    """By a store's count, notes indexed at any revision; by the indexer's, without the `stale` ones."""
    pending_embeddings: int
    failed: int
    missing: int
    stale: int = 0
    """Notes that have changed since they were indexed, among those that changed last."""
    outdated: int = 0
    """Records of another index version than `index_version`, whatever their state: those are embedded again."""
    index_version: str = ""
    searched_version: str = ""
    """The index version by whose vectors questions are answered now."""


@dataclass(frozen=True, slots=True)
class NoteState:
    """State of one note in the index. `current` is True if the index holds exactly the current note."""

    record: IndexRecord | None
    current: bool


def vector_space(index_version: str) -> str:
    """Returns the part of `chunker:model:dimension` that names the vector space: everything after the chunker.

    Vectors of one space can be compared, no matter which chunker cut their texts.
    """
    _, _, space = index_version.partition(":")
    return space or index_version


def vault_token(vault: str) -> str:
    return f"v:{vault}"


def folder_token(vault: str, folder: str) -> str:
    return f"f:{vault}/{folder}"


def scope_token(vault: str, folder: str) -> str:
    """Returns the token of a folder; with an empty one, that of the whole vault."""
    if not folder:
        return vault_token(vault)
    return folder_token(vault, folder)


def tag_token(tag: str) -> str:
    return f"t:{tag}"


def tags_of(tokens: Iterable[str]) -> list[str]:
    """Returns the tags whose tokens are among these, sorted."""
    tags = []
    for token in tokens:
        if token.startswith("t:"):
            tags.append(token.removeprefix("t:"))
    return sorted(tags)


def ancestors(path: str) -> tuple[str, ...]:
    """Returns every folder that the path lies in, outermost first: `a/b/note.md` -> (`a`, `a/b`)."""
    *names, _ = path.split("/")
    folders = accumulate(names, "{}/{}".format)
    return tuple(folders)


def folders_of(places: Iterable[tuple[str, str]]) -> tuple[Folder, ...]:
    """Returns the folders in which notes of these (vault, path) lie, all that contain these, and the vaults' roots, sorted."""
    names = set()
    for vault, path in places:
        root = (vault, "")
        names.add(root)
        for folder in ancestors(path):
            names.add((vault, folder))

    folders = []
    for vault, folder in sorted(names):
        folders.append(Folder(vault, folder))
    return tuple(folders)


def scopes_of(vault: str, path: str, tags: Iterable[str]) -> tuple[str, ...]:
    """Returns all tokens of a note, each once, sorted; a note in no folder has that of the empty one."""
    tokens = {vault_token(vault)}

    folders = ancestors(path) or ("",)
    for folder in folders:
        tokens.add(folder_token(vault, folder))

    for tag in tags:
        tokens.add(tag_token(tag))

    return tuple(sorted(tokens))
