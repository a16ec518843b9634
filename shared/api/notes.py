"""Notes, their trash and links, and the state of their index."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from shared.api.values import shown
from shared.indexing.state import note_revision
from shared.model.index import NoteState
from shared.model.notes import Note, TrashedNote
from shared.notes.linked import Linked


class IndexStatusJson(TypedDict):
    """How far the index has followed a note. `missing`: it has not seen it; `current`: it holds this very text."""

    noteId: str
    status: Literal["missing", "indexed", "pending_embeddings", "failed"]
    current: bool
    chunkCount: int
    indexVersion: NotRequired[str]
    noteRevision: NotRequired[str]
    indexedAt: NotRequired[str]
    attempts: NotRequired[int]
    error: NotRequired[str | None]


class ListedNoteJson(TypedDict):
    """A note without its text."""

    noteId: str
    title: str
    createdAt: str
    updatedAt: str
    vault: str
    path: str
    tags: list[str]
    lang: str | None


class NoteJson(ListedNoteJson):
    """A note. `revision` changes with whatever a person can change of it, and with nothing else."""

    text: str
    revision: str


class LinkJson(TypedDict):
    """A link in a note. `target`: as it is written there, heading included. `noteId` and `title` null: it leads to no
    note. `heading` null: it names none; `label` null: it shows its target.
    """

    target: str
    noteId: str | None
    title: str | None
    heading: str | None
    label: str | None


class LinksJson(TypedDict):
    """Where a note points, each target once, and the notes that point at it, the newest first. `complete` false: there
    are more links, or may be more notes that point here, than were looked at.
    """

    noteId: str
    links: list[LinkJson]
    backlinks: list[ListedNoteJson]
    complete: bool


class NoteRowJson(ListedNoteJson):
    """A note in the list of all. `error`: why an app's note cannot be read, or why the index could not take it in; what
    cannot be read of it has its default. null: nothing has failed.
    """

    error: str | None


class NotesJson(TypedDict):
    """A page of notes by id. `nextPageToken` null: it was the last."""

    notes: list[NoteRowJson]
    nextPageToken: str | None


class ImportedJson(TypedDict):
    """A Markdown file as the note it became. `problem` null: nothing is odd about the file."""

    note: ListedNoteJson
    problem: str | None


class TrashedRowJson(ListedNoteJson):
    """A note in the trash, without its text. `reason`: what took its place; after `expiresAt` it is gone for good."""

    trashId: str
    reason: Literal["edited", "replaced", "deleted"]
    trashedAt: str
    expiresAt: str


class TrashedNoteJson(TrashedRowJson):
    """A note in the trash."""

    text: str


class TrashJson(TypedDict):
    """A page of the trash, the newest first. `nextPageToken` null: it was the last."""

    trash: list[TrashedRowJson]
    nextPageToken: str | None


class CoverageJson(TypedDict):
    """How many of a tenant's notes are in which state. `outdated`: still to be embedded again, being of another version
    than `indexVersion`; questions are answered by the vectors of `searchedVersion`.
    """

    notes: int
    indexed: int
    pendingEmbeddings: int
    failed: int
    missing: int
    outdated: int
    indexVersion: str
    searchedVersion: str


class ReconcileJson(TypedDict):
    """What one reconcile found and did; of a dry run, what it would embed. `complete` false: call again."""

    examined: int
    found: dict[str, int]
    indexed: int
    deleted: int
    failed: int
    postponed: int
    texts: int
    tokens: int
    complete: bool
    dryRun: bool


def note_json(note: Note) -> NoteJson:
    """A note as `/notes/{id}` gives it."""
    return shown(NoteJson, note, revision=note_revision(note))


def trashed_row_json(trashed: TrashedNote) -> TrashedRowJson:
    return shown(TrashedRowJson, trashed, trashed.note)


def trashed_json(trashed: TrashedNote) -> TrashedNoteJson:
    return shown(TrashedNoteJson, trashed, trashed.note)


def links_json(note_id: str, found: Linked) -> LinksJson:
    links = [
        LinkJson(
            target=each.pointer.target,
            noteId=each.note.note_id if each.note else None,
            title=each.note.title if each.note else None,
            heading=each.pointer.heading or None,
            label=each.pointer.label or None,
        )
        for each in found.links
    ]
    return shown(LinksJson, found, noteId=note_id, links=links)


def index_status_json(note_id: str, state: NoteState) -> IndexStatusJson:
    if state.record is None:
        return {"noteId": note_id, "status": "missing", "current": False, "chunkCount": 0}
    return shown(IndexStatusJson, state.record, state, noteId=note_id)
