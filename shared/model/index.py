"""What the index holds of a note, and how it moves."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from shared.model.notes import Folder

Vector: TypeAlias = "array[float]"
"""A unit-length embedding, typecode "f": four bytes a dimension, readable by numpy without a copy."""


COLUMNS = "columns: "
"""How the property of a chunk begins that holds the head of a table."""


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
    """noteId + `_` + position in at least three digits."""
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
        """The first line of the table in whose midst it begins; empty: it begins in none."""
        last = self.properties[-1] if self.properties else ""
        return last.removeprefix(COLUMNS) if last.startswith(f"{COLUMNS}|") else ""

    @property
    def folder(self) -> str:
        """The directory of `path`; empty for the vault's root."""
        return self.path.rpartition("/")[0]


class IndexStatus(StrEnum):
    """How far the index has followed a note."""

    INDEXED = "indexed"
    PENDING = "pending_embeddings"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """What the index holds of one note (`index/{noteId}`)."""

    note_revision: str
    status: IndexStatus
    chunk_count: int
    index_version: str
    indexed_at: datetime
    error: str | None = None
    attempts: int = 0
    """Failed attempts at this revision."""
    lease_until: datetime | None = None
    """Until when one worker may be embedding this revision; None: none is."""
    kept: str = ""
    """Another index version, whose vectors its chunks may keep beside their own; empty: they keep none."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record and the store's opaque token of it, for compare-and-set. `record` None: there is none."""

    record: IndexRecord | None
    token: str | None


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """What the indexer needs to know of a chunk that is already stored."""

    chunk_id: str
    text_hash: str
    index_version: str
    note_revision: str
    has_vector: bool
    kept: str = ""
    """Index version of a second vector of the same text; empty: there is none."""


@dataclass(frozen=True, slots=True)
class ChunkPut:
    """A whole chunk to write. `vector` None: it is to be embedded later."""

    chunk: IndexedChunk
    vector: Vector | None
    kept: tuple[str, Vector] | None = None
    """A second vector of the same text, and its index version. None: there shall be none."""


@dataclass(frozen=True, slots=True)
class IndexChange:
    """One step of a note's index from one state to the next, applied if the record is still `expected`.

    A store that cannot apply it in one commit guards each with the record and writes `record` last,
    so a reader that compares `note_revision` with the record's never sees two revisions at once.
    """

    note_id: str
    expected: str | None
    """Token of the record this was computed from; None: there must be none."""
    record: IndexRecord | None
    """The record afterwards; None: removed."""
    put: tuple[ChunkPut, ...] = ()
    patch: tuple[IndexedChunk, ...] = ()
    """Chunks whose stored vectors stay: everything else is overwritten."""
    vectors: tuple[tuple[str, Vector], ...] = ()
    """Chunk id -> the vector to add to a stored chunk."""
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a tenant's notes are in which state. `missing`: notes without a record."""

    notes: int
    indexed: int
    pending_embeddings: int
    failed: int
    missing: int
    outdated: int = 0
    """Records of another index version than `index_version`, whatever their state: those are embedded again."""
    index_version: str = ""
    searched_version: str = ""
    """The index version by whose vectors questions are answered now."""


@dataclass(frozen=True, slots=True)
class NoteState:
    """How far the index has followed one note. `current`: it holds exactly what the note says now."""

    record: IndexRecord | None
    current: bool


def vector_space(index_version: str) -> str:
    """What names the space of its vectors in `chunker:model:dimension`: all that follows the chunker. Vectors of one
    space can be compared, whatever chunker cut their texts.
    """
    return index_version.partition(":")[2] or index_version


def vault_token(vault: str) -> str:
    return f"v:{vault}"


def folder_token(vault: str, folder: str) -> str:
    return f"f:{vault}/{folder}"


def place_token(vault: str, folder: str) -> str:
    """The token of a folder; with an empty one, of the whole vault."""
    return folder_token(vault, folder) if folder else vault_token(vault)


def tag_token(tag: str) -> str:
    return f"t:{tag}"


def tags_of(tokens: Iterable[str]) -> list[str]:
    """The tags whose tokens are among these, sorted."""
    return sorted(token.removeprefix("t:") for token in tokens if token.startswith("t:"))


def ancestors(path: str) -> tuple[str, ...]:
    """`a/b/note.md` -> (`a`, `a/b`): every folder the path lies in, outermost first."""
    parts = path.split("/")[:-1]
    return tuple(["/".join(parts[: depth + 1]) for depth in range(len(parts))])


def folders_of(places: Iterable[tuple[str, str]]) -> tuple[Folder, ...]:
    """(vault, path) of notes -> the folders that they lie in, all that contain these, and the vaults' roots, sorted."""
    found = {(vault, folder) for vault, path in places for folder in ("", *ancestors(path))}
    return tuple([Folder(*each) for each in sorted(found)])


def scopes_of(vault: str, path: str, tags: Iterable[str]) -> tuple[str, ...]:
    """All tokens of a note, each once, sorted."""
    folders = [folder_token(vault, folder) for folder in ancestors(path)]
    return tuple(sorted({vault_token(vault), *folders, *map(tag_token, tags)}))
