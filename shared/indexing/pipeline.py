"""One saved note, in a straight line: note -> chunks -> wanted chunks -> changes -> store -> vectors -> store.

    1. read the record and the note as they are now        standing
    2. cut the note; say what the index should hold of it  chunking, wanted
    3. compare with what it holds                          changes
    4. write that, still without the new vectors           writing
    5. embed batch by batch, writing each at once          vectors
    6. start again, until there is nothing left to do

Any number of workers may do this for one note at any time, and each may die at any point. Every write is
compare-and-set on the record, so of two workers one goes on and the other starts again from reading. While texts are
embedded the record carries a lease, renewed with each batch; who finds one leaves the note to its holder. Who wants
`words_only` ends after step 4, waits for no model and no holder, and leaves the rest to a later call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from shared.errors import Conflict, NoteBusy, StoreRefused
from shared.indexing.changes import compare
from shared.indexing.chunking import CHUNKER_VERSION, MARKDOWN, Chunker, chunk
from shared.indexing.giving_up import give_up
from shared.indexing.records import begun, finished, is_leased, leased, rejected
from shared.indexing.revision import note_revision
from shared.indexing.standing import WAITING_FOR_VECTORS, Finding, Standing, read_standing
from shared.indexing.vectors import Ledger, add_vectors
from shared.indexing.wanted import embedded_texts, wanted_chunks
from shared.indexing.writing import clear, write
from shared.language.languages import detect
from shared.model.index import IndexedChunk, IndexStatus
from shared.model.notes import Note, NoteKey
from shared.ports.models import Embedder
from shared.ports.stores import Store

MAX_ROUNDS = 8
"""How often one call starts again because the record or the note moved, before it leaves the note to a later call."""


@dataclass(frozen=True, slots=True)
class IndexOutcome:
    """What one call did."""

    action: Literal["unchanged", "indexed", "deleted", "failed"]
    chunks: int = 0
    """How many chunks the index now holds of the note."""
    embedded: int = 0
    """How many texts were embedded for it, not counting a batch that another worker's change made worthless."""
    error: str | None = None
    """Why it failed; without note text."""
    waiting: bool = False
    """Whether, words being all that was asked for, there is more to do."""


@dataclass(frozen=True, slots=True)
class _Job:
    key: NoteKey
    store: Store
    embedder: Embedder | None
    clock: Callable[[], datetime]
    chunker: Chunker
    words_only: bool

    @property
    def index_version(self) -> str:
        return index_version(self.embedder, self.chunker)


def index_version(embedder: Embedder | None, chunker: Chunker = MARKDOWN) -> str:
    """`chunker:model:dimension`; without an embedder the model is `none` and the dimension 0."""
    version = CHUNKER_VERSION if chunker is MARKDOWN else f"{CHUNKER_VERSION}-{chunker.name}"
    return f"{version}:{embedder.model}:{embedder.dimension}" if embedder else f"{version}:none:0"


def index_note(
    key: NoteKey,
    *,
    store: Store,
    embedder: Embedder | None,
    clock: Callable[[], datetime],
    chunker: Chunker = MARKDOWN,
    words_only: bool = False,
) -> IndexOutcome:
    """Bring a note's index to what the note says now, or remove it if there is no such note.

    `words_only`: embed nothing; a note that needs it is found by keywords
    and stays `pending_embeddings`.

    Whatever was done before, once or twice or half, the index ends the same. A note that cannot be indexed (fields of
    wrong types, text too long), that the model refuses or returns bad vectors for, or that the store refuses, is
    `failed`, and its record says why.
    Raises ModelUnavailable when the model is away (the chunks are stored and keyword search finds them), NoteBusy when
    another worker is at it or it changes faster than it can be followed, StoreUnavailable: call again later. Raises
    StoreRefused only where the store does not take the record either.
    """
    job = _Job(key=key, store=store, embedder=embedder, clock=clock, chunker=chunker, words_only=words_only)
    outcome = IndexOutcome("unchanged")
    for _ in range(MAX_ROUNDS):
        try:
            latest = _round(job)
        except Conflict:
            continue
        except StoreRefused as refusal:
            return _give_up(job, refusal)
        if latest.action == "unchanged":
            return replace(outcome, chunks=latest.chunks, waiting=latest.waiting)
        outcome = replace(latest, embedded=outcome.embedded + latest.embedded)
        if outcome.action == "failed":
            return outcome
    raise NoteBusy(f"note {key.note_id!r} changes faster than it can be indexed")


def texts_to_embed(
    key: NoteKey, note: Note, *, store: Store, embedder: Embedder, chunker: Chunker = MARKDOWN
) -> tuple[str, ...]:
    """The texts that indexing the note would embed now. Reads, and writes nothing."""
    changes = compare(_wanted(note, embedder, chunker), store.stored_chunks(key.tenant_id, key.note_id), embeds=True)
    return tuple(embedded_texts(changes.embed))


def _round(job: _Job) -> IndexOutcome:
    standing = read_standing(job.key, store=job.store, index_version=job.index_version)
    if standing.fault is not None:
        return _reject(job, standing, standing.fault)
    if standing.note is None:
        deleted = clear(job.key, expected=standing.held.token, record=None, store=job.store)
        return IndexOutcome("deleted" if deleted else "unchanged")
    if standing.finding is None:
        return IndexOutcome("unchanged", standing.chunk_count)
    if job.words_only and standing.finding in WAITING_FOR_VECTORS:
        return IndexOutcome("unchanged", standing.chunk_count, waiting=True)
    if not job.words_only and is_leased(standing.held.record, job.clock()):
        raise NoteBusy(f"another worker is embedding note {job.key.note_id!r}")
    return _index(job, standing.note, standing)


def _index(job: _Job, note: Note, standing: Standing) -> IndexOutcome:
    wanted = _wanted(note, job.embedder, job.chunker)
    stored = job.store.stored_chunks(job.key.tenant_id, job.key.note_id)
    is_new = standing.held.record is None
    changes = compare(wanted, stored, embeds=job.embedder is not None, touch_all=is_new)
    now, version = job.clock(), job.index_version
    record = begun(standing.held.record, standing.revision, version, chunk_count=len(wanted), now=now)
    if not changes.embed:
        record = finished(record, now)
    elif not job.words_only:
        record = leased(record, now)
    token = write(job.key, changes, expected=standing.held.token, record=record, store=job.store)
    ledger, embedded = Ledger(job.key, record, token, job.store), 0
    if job.embedder is not None and not job.words_only:
        embedded = add_vectors(ledger, embedded_texts(changes.embed), embedder=job.embedder, clock=job.clock)
    failed = ledger.record.status is IndexStatus.FAILED
    return IndexOutcome(
        action="failed" if failed else "indexed", chunks=len(wanted), embedded=embedded, error=ledger.record.error
    )


def _give_up(job: _Job, refusal: StoreRefused) -> IndexOutcome:
    """The store would refuse the same again. Raises the refusal where it takes not even that, or there is no note."""
    try:
        version, now = job.index_version, job.clock()
        told = give_up(job.key, reason=refusal.message, store=job.store, index_version=version, now=now)
    except Conflict:
        raise NoteBusy(f"note {job.key.note_id!r} changed while it was being given up") from refusal
    if not told:
        raise refusal
    return IndexOutcome("failed", error=refusal.message)


def _wanted(note: Note, embedder: Embedder | None, chunker: Chunker) -> tuple[IndexedChunk, ...]:
    lang = note.lang or detect(note.text)
    chunks, version = chunk(note.text, chunker=chunker, lang=lang), index_version(embedder, chunker)
    return wanted_chunks(note, chunks, lang=lang, revision=note_revision(note), index_version=version)


def _reject(job: _Job, standing: Standing, fault: str) -> IndexOutcome:
    """A note at fault: nothing of it stays in the index but the record that says why."""
    if standing.finding is not Finding.REJECTED:
        record = rejected(standing.revision, job.index_version, job.clock(), error=fault)
        clear(job.key, expected=standing.held.token, record=record, store=job.store)
    return IndexOutcome("failed", error=fault)
