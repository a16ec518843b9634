"""Notes, their trash and links, and the state of their index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NotRequired

from typing_extensions import TypedDict

from shared.api.values import SpanJson, instant, rounded, span
from shared.indexing.state import note_revision
from shared.model.index import NoteState
from shared.model.notes import ListedNote, Note, TrashedNote
from shared.notes.linked import Link, Linked
from shared.notes.related import RelatedNote

if TYPE_CHECKING:
    from shared.sweep.reconcile import ReconcileReport


class IndexStatusJson(TypedDict):
    """State of a note in the index. `missing`: not indexed yet; `current`: the index holds exactly this text.

    `pending_embeddings` and not `current`: this text waits to be indexed, and `error` says for what, such as another
    day's budget; until then searches find the version indexed before.
    """

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
    """Links of a note, each target once, and the notes that link to it, the newest first.

    `complete` false: there are more links, or may be more backlinks, than were looked at.
    """

    noteId: str
    links: list[LinkJson]
    backlinks: list[ListedNoteJson]
    complete: bool


class RelatedNoteJson(TypedDict):
    """A note that is about the same things as another. `span`: its nearest passage; `similarity`: from 0.5 for unrelated
    texts to 1 for equal ones.
    """

    noteId: str
    title: str
    vault: str
    path: str
    createdAt: str
    span: SpanJson
    similarity: float


class RelatedJson(TypedDict):
    """Notes that are about the same things, the nearest first."""

    noteId: str
    related: list[RelatedNoteJson]


class NoteRowJson(ListedNoteJson):
    """A note in the list of all. `error`: why an app's note cannot be read, or why the index could not take it in; what
    cannot be read of it has its default. null: nothing has failed.
    """

    error: str | None


class NotesJson(TypedDict):
    """A page of notes by id. `nextPageToken` null: it was the last. `erasure`: number of the last erasure of
    everything, empty if there was none; a save that names it is refused after the next erasure.
    """

    notes: list[NoteRowJson]
    nextPageToken: str | None
    erasure: str


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


class ReconcileJson(TypedDict):
    """Result of one reconcile; for a dry run, what it would embed. `complete` false: call again."""

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


def listed_note_json(note: Note) -> ListedNoteJson:
    """Returns a note without its text."""
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


def note_json(note: Note) -> NoteJson:
    """Returns a note as `/notes/{id}` gives it."""
    return {**listed_note_json(note), "text": note.text, "revision": note_revision(note)}


def note_row_json(note: ListedNote) -> NoteRowJson:
    """Returns a note in the list of all."""
    return {**listed_note_json(note), "error": note.error}


def trashed_row_json(trashed: TrashedNote) -> TrashedRowJson:
    """Returns a note in the trash, without its text."""
    return {
        **listed_note_json(trashed.note),
        "trashId": trashed.trash_id,
        "reason": trashed.reason.value,
        "trashedAt": instant(trashed.trashed_at),
        "expiresAt": instant(trashed.expires_at),
    }


def trashed_json(trashed: TrashedNote) -> TrashedNoteJson:
    """Returns a note in the trash."""
    return {**trashed_row_json(trashed), "text": trashed.note.text}


def links_json(note_id: str, linked: Linked) -> LinksJson:
    """Returns the links of a note and the notes that link to it."""
    return {
        "noteId": note_id,
        "links": [_link_json(link) for link in linked.links],
        "backlinks": [listed_note_json(note) for note in linked.backlinks],
        "complete": linked.complete,
    }


def related_json(note_id: str, found: Iterable[RelatedNote]) -> RelatedJson:
    """Returns the notes that are about the same things as a note."""
    rows: list[RelatedNoteJson] = []
    for note in found:
        passage = note.passage
        rows.append(
            {
                "noteId": passage.note_id,
                "title": passage.title,
                "vault": passage.vault,
                "path": passage.path,
                "createdAt": instant(passage.created_at),
                "span": span(passage, passage.start, passage.end),
                "similarity": rounded(note.similarity),
            },
        )
    return {"noteId": note_id, "related": rows}


def _link_json(link: Link) -> LinkJson:
    note_id = None
    title = None
    if link.note is not None:
        note_id = link.note.note_id
        title = link.note.title
    return {
        "target": link.pointer.target,
        "noteId": note_id,
        "title": title,
        "heading": link.pointer.heading or None,
        "label": link.pointer.label or None,
    }


def index_status_json(note_id: str, state: NoteState) -> IndexStatusJson:
    """Returns the state of a note in the index."""
    record = state.record
    if record is None:
        return {"noteId": note_id, "status": "missing", "current": False, "chunkCount": 0}
    return {
        "noteId": note_id,
        "status": record.status.value,
        "current": state.current,
        "chunkCount": record.chunk_count,
        "indexVersion": record.index_version,
        "noteRevision": record.note_revision,
        "indexedAt": instant(record.indexed_at),
        "attempts": record.attempts,
        "error": record.error,
    }


def reconcile_json(report: ReconcileReport) -> ReconcileJson:
    """Returns the result of one reconcile."""
    return {
        "examined": report.examined,
        "found": {problem.value: count for problem, count in report.found.items()},
        "indexed": report.indexed,
        "deleted": report.deleted,
        "failed": report.failed,
        "postponed": report.postponed,
        "texts": report.texts,
        "tokens": report.tokens,
        "complete": report.complete,
        "dryRun": report.dry_run,
    }
