"""Notes, where they come from, and the state of their index."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from shared.api.values import instant
from shared.indexing.revision import note_revision
from shared.markdown.file import note_id_of
from shared.model.index import Coverage, IndexRecord
from shared.model.notes import ListedNote, Note, TrashedNote
from shared.notes.linked import Link, Linked
from shared.ports.notes import Origin
from shared.sweep.reconcile import ReconcileReport


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


class OriginJson(TypedDict):
    """The file that a note came from. `folder` null: it cannot be reached from here, and stays as it is.

    `writeBack`: whether saving the note writes it; null: nobody was asked yet. `state`: who has changed since both were
    the same; null: that cannot be seen from here.
    """

    folder: str | None
    path: str
    writeBack: bool | None
    state: Literal["same", "note", "file", "both"] | None


class OpenNoteJson(NoteJson):
    """A note and where it came from. `origin` null: from no file."""

    origin: OriginJson | None


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
    """How many of a tenant's notes are in which state."""

    notes: int
    indexed: int
    pendingEmbeddings: int
    failed: int
    missing: int


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
    return {**listed_note_json(note), "text": note.text, "revision": note_revision(note)}


def open_note_json(note: Note, origin: Origin | None) -> OpenNoteJson:
    """The same with its file: one that is known, or one that its id speaks of."""
    shown: OriginJson | None
    if origin is not None:
        shown = OriginJson(folder=origin.folder, path=origin.path, writeBack=origin.write_back, state=origin.state)
    elif note.note_id == note_id_of(note.vault, note.path):
        shown = OriginJson(folder=None, path=note.path, writeBack=None, state=None)
    else:
        shown = None
    return {**note_json(note), "origin": shown}


def note_row_json(note: ListedNote) -> NoteRowJson:
    """A note as the list of all gives it."""
    return {**listed_note_json(note), "error": note.error}


def listed_note_json(note: Note | ListedNote) -> ListedNoteJson:
    """A note without its text."""
    return {
        "noteId": note.note_id,
        "title": note.title,
        "createdAt": instant(note.created_at),
        "updatedAt": instant(note.updated_at),
        "vault": note.vault,
        "path": note.path,
        "tags": list(note.tags),
        "lang": note.lang,
    }


def trashed_row_json(trashed: TrashedNote) -> TrashedRowJson:
    return {
        **listed_note_json(trashed.note),
        "trashId": trashed.trash_id,
        "reason": trashed.reason.value,
        "trashedAt": instant(trashed.trashed_at),
        "expiresAt": instant(trashed.expires_at),
    }


def trashed_json(trashed: TrashedNote) -> TrashedNoteJson:
    return {**trashed_row_json(trashed), "text": trashed.note.text}


def links_json(note_id: str, found: Linked) -> LinksJson:
    return {
        "noteId": note_id,
        "links": [_link_json(link) for link in found.links],
        "backlinks": [listed_note_json(note) for note in found.backlinks],
        "complete": found.complete,
    }


def _link_json(link: Link) -> LinkJson:
    return {
        "target": link.pointer.target,
        "noteId": link.note.note_id if link.note else None,
        "title": link.note.title if link.note else None,
        "heading": link.pointer.heading or None,
        "label": link.pointer.label or None,
    }


def index_status_json(note_id: str, record: IndexRecord | None, *, current: bool) -> IndexStatusJson:
    if record is None:
        return {"noteId": note_id, "status": "missing", "current": False, "chunkCount": 0}
    return {
        "noteId": note_id,
        "status": record.status.value,
        "current": current,
        "chunkCount": record.chunk_count,
        "indexVersion": record.index_version,
        "noteRevision": record.note_revision,
        "indexedAt": instant(record.indexed_at),
        "attempts": record.attempts,
        "error": record.error,
    }


def coverage_json(coverage: Coverage) -> CoverageJson:
    return {
        "notes": coverage.notes,
        "indexed": coverage.indexed,
        "pendingEmbeddings": coverage.pending,
        "failed": coverage.failed,
        "missing": coverage.missing,
    }


def reconcile_json(report: ReconcileReport) -> ReconcileJson:
    return {
        "examined": report.examined,
        "found": {finding.value: count for finding, count in report.found.items()},
        "indexed": report.indexed,
        "deleted": report.deleted,
        "failed": report.failed,
        "postponed": report.postponed,
        "texts": report.texts,
        "tokens": report.tokens,
        "complete": report.complete,
        "dryRun": report.dry_run,
    }
