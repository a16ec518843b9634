"""One saved note, in a straight line: note -> chunks -> wanted chunks -> changes -> store -> vectors -> store.

    1. read the record and the note as they are now        state
    2. cut the note; say what the index should hold of it  chunking, wanted
    3. compare with what it holds                          wanted
    4. write that, still without the new vectors
    5. embed batch by batch, writing each at once
    6. start again, until there is nothing left to do

Any number of workers may do this for one note at any time, and each may die at any point. Every write is
compare-and-set on the record, so of two workers one goes on and the other starts again from reading. While texts are
embedded the record carries a lease, renewed with each batch; who finds one leaves the note to its holder. Who wants
`words_only` ends after step 4, waits for no model and no holder, and leaves the rest to a later call.

A change of the embedding model with the one `before` still at hand: a note that is embedded again keeps its vectors of
before beside the new ones, and its record names the new index version when all of these are there. Until no record of
the tenant names another one, a text that is new is first indexed as before the change, and then as after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Literal

from shared.errors import Conflict, ModelRefused, ModelUnavailable, NoteBusy, NotFound, PortContractError, StoreRefused
from shared.indexing.chunking import CHUNKER_VERSION, MARKDOWN, Chunker, chunk
from shared.indexing.state import (
    WAITING_FOR_VECTORS,
    IndexProblem,
    IndexState,
    begun,
    finished,
    is_leased,
    leased,
    note_revision,
    read_state,
    set_back,
)
from shared.indexing.wanted import Changes, compare, embedded_texts, wanted_chunks
from shared.language.languages import detect
from shared.model.index import (
    ChunkPut,
    Coverage,
    IndexChange,
    IndexedChunk,
    IndexRecord,
    IndexStatus,
    NoteState,
    Vector,
)
from shared.model.notes import Note, NoteKey
from shared.ports.models import Embedder, embed
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


def index_version(embedder: Embedder | None, chunker: Chunker = MARKDOWN) -> str:
    """`chunker:model:dimension`; without an embedder the model is `none` and the dimension 0."""
    version = CHUNKER_VERSION if chunker is MARKDOWN else f"{CHUNKER_VERSION}-{chunker.name}"
    return f"{version}:{embedder.model}:{embedder.dimension}" if embedder else f"{version}:none:0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Brings the index of notes to what they say. Safe between threads and processes."""

    store: Store
    embedder: Embedder | None
    """None: chunks get no vectors."""
    clock: Callable[[], datetime]
    chunker: Chunker = MARKDOWN
    embedder_of: Callable[[str], Embedder | None] | None = None
    """Tenant -> the embedder at this tenant's expense; None: `embedder` for all."""
    before: Indexer | None = None
    """That of before a change of the model; it answers until a tenant's notes have new vectors. None: no change."""
    keeps: str = ""
    """The index version whose vectors chunks keep beside their own; empty: none."""

    @property
    def version(self) -> str:
        return index_version(self.embedder, self.chunker)

    def state(self, key: NoteKey) -> IndexState:
        return read_state(key, store=self.store, index_version=self.version, keeps=self.keeps)

    def is_changing(self, tenant_id: str) -> bool:
        """Whether the vectors of before a change of the embedding model still answer this tenant's questions."""
        return self.before is not None and self.store.count_outdated(tenant_id, self.version) > 0

    def coverage(self, tenant_id: str) -> Coverage:
        counted, outdated = self.store.coverage(tenant_id), self.store.count_outdated(tenant_id, self.version)
        searched = self.before.version if self.before and outdated else self.version
        return replace(counted, outdated=outdated, index_version=self.version, searched_version=searched)

    def index(self, key: NoteKey, *, words_only: bool = False) -> IndexOutcome:
        """Bring a note's index to what the note says now, or remove it if there is no such note.

        `words_only`: embed nothing; a note that needs it is found by keywords and stays `pending_embeddings`.

        Whatever was done before, once or twice or half, the index ends the same. A note that cannot be indexed (fields
        of wrong types, text too long), that the model refuses or returns bad vectors for, or that the store refuses,
        is `failed`, and its record says why.
        Raises ModelUnavailable when the model is away (the chunks are stored and keyword search finds them), NoteBusy
        when another worker is at it or it changes faster than it can be followed, StoreUnavailable: call again later.
        Raises StoreRefused only where the store does not take the record either.
        """
        outcome = IndexOutcome("unchanged")
        for _ in range(MAX_ROUNDS):
            try:
                state = self.state(key)
                is_new = state.problem in (IndexProblem.MISSING, IndexProblem.STALE) and state.fault is None
                if self.before and is_new and self.is_changing(key.tenant_id):
                    first = self.before.index(key, words_only=words_only)
                    outcome = replace(outcome, embedded=outcome.embedded + first.embedded)
                    state = self.state(key)
                settled = self._settled(key, state, words_only=words_only)
                if isinstance(settled, Note):
                    settled = self._index(key, settled, state, words_only=words_only)
            except Conflict:
                continue
            except StoreRefused as refusal:
                return self._refused(key, refusal)
            if settled.action == "unchanged":
                return replace(outcome, chunks=settled.chunks, waiting=settled.waiting)
            outcome = replace(settled, embedded=outcome.embedded + settled.embedded)
            if outcome.action == "failed":
                return outcome
        raise NoteBusy(f"note {key.note_id!r} changes faster than it can be indexed")

    def give_up(self, key: NoteKey, reason: str) -> bool:
        """Records that indexing has failed for too long, and `reason`, without note text. False: there is no note.

        What the index holds of the note stays and is found: an earlier revision is better than none. Costs two reads
        and a small write, which succeed where a large one was refused. Raises StoreUnavailable; Conflict: somebody
        goes on.
        """
        state, now = self.state(key), self.clock()
        if state.held.record is None and not state.revision:
            return False
        record = state.held.record or begun(None, state.revision, self.version, chunk_count=0, now=now)
        failed = set_back(record, now, error=reason, status=IndexStatus.FAILED)
        self.store.apply(key.tenant_id, IndexChange(key.note_id, state.held.token, failed))
        return True

    def note_state(self, key: NoteKey) -> NoteState:
        """How far the index has followed a note. Raises NotFound if there is no such note."""
        state = self.state(key)
        if not state.revision:
            raise NotFound(f"no note {key.note_id!r}")
        record = state.held.record
        return NoteState(record, current=record is not None and record.note_revision == state.revision)

    def texts_to_embed(self, key: NoteKey, note: Note) -> tuple[str, ...]:
        """The texts that indexing the note would embed now. Reads, and writes nothing."""
        stored = self.store.stored_chunks(key.tenant_id, key.note_id)
        return tuple(embedded_texts(compare(self._wanted(note), stored, embeds=True, keeps=self.keeps).embed))

    def _settled(self, key: NoteKey, state: IndexState, *, words_only: bool) -> IndexOutcome | Note:
        """What came of a note that need not be indexed, else the note that is to be. Raises Conflict, NoteBusy."""
        if state.fault is not None:
            if state.problem is not IndexProblem.REJECTED:
                # Nothing of it stays in the index but the record that says why: failed without an attempt.
                record = begun(None, state.revision, self.version, chunk_count=0, now=self.clock())
                record = replace(record, status=IndexStatus.FAILED, error=state.fault)
                self._clear(key, expected=state.held.token, record=record)
            return IndexOutcome("failed", error=state.fault)
        if state.note is None:
            deleted = self._clear(key, expected=state.held.token, record=None)
            return IndexOutcome("deleted" if deleted else "unchanged")
        waits = words_only and state.problem in WAITING_FOR_VECTORS
        if state.problem is None or waits:
            held = state.held.record
            return IndexOutcome("unchanged", held.chunk_count if held else 0, waiting=waits)
        if not words_only and is_leased(state.held.record, self.clock()):
            raise NoteBusy(f"another worker is embedding note {key.note_id!r}")
        return state.note

    def _index(self, key: NoteKey, note: Note, state: IndexState, *, words_only: bool) -> IndexOutcome:
        embedder = self.embedder if self.embedder_of is None else self.embedder_of(key.tenant_id)
        wanted = self._wanted(note)
        stored = self.store.stored_chunks(key.tenant_id, key.note_id)
        held, now = state.held.record, self.clock()
        changes = compare(wanted, stored, embeds=embedder is not None, keeps=self.keeps, touch_all=held is None)
        is_change = state.problem is IndexProblem.OUTDATED and bool(self.keeps)
        version = held.index_version if held and is_change else self.version
        record = replace(begun(held, state.revision, version, chunk_count=len(wanted), now=now), kept=self.keeps)
        if not changes.embed:
            record = finished(record, now, self.version)
        elif not words_only:
            record = leased(record, now)
        token, embedded = self._write(key, changes, expected=state.held.token, record=record), 0
        if embedder is not None and not words_only:
            waiting = embedded_texts(changes.embed)
            record, embedded = self._embed(key, waiting, record=record, token=token, embedder=embedder)
        action: Literal["failed", "indexed"] = "failed" if record.status is IndexStatus.FAILED else "indexed"
        return IndexOutcome(action, chunks=len(wanted), embedded=embedded, error=record.error)

    def _embed(
        self,
        key: NoteKey,
        waiting: Mapping[str, Sequence[str]],
        *,
        record: IndexRecord,
        token: str | None,
        embedder: Embedder,
    ) -> tuple[IndexRecord, int]:
        """Embed `waiting` (text -> ids of the chunks that share it), writing each batch at once: the record after that,
        and how many were embedded. Each write expects the token of the one before.

        The last batch leaves the record `indexed`, a refusal or a broken promise `failed`. Raises ModelUnavailable,
        having left it `pending_embeddings` without lease, and Conflict as soon as anybody else has written. Whoever is
        killed here loses one batch at most.
        """
        texts, embedded = iter(waiting), 0
        while batch := tuple(islice(texts, embedder.batch_size)):
            try:
                vectors = embed(batch, embedder)
            except ModelUnavailable as away:
                record = set_back(record, self.clock(), error=away.message, status=IndexStatus.PENDING)
                self.store.apply(key.tenant_id, IndexChange(key.note_id, token, record))
                raise
            except (ModelRefused, PortContractError) as refusal:
                record = set_back(record, self.clock(), error=refusal.message, status=IndexStatus.FAILED)
                record = replace(record, index_version=self.version)
                self.store.apply(key.tenant_id, IndexChange(key.note_id, token, record))
                break
            embedded += len(batch)
            is_last, now = embedded == len(waiting), self.clock()
            record = finished(record, now, self.version) if is_last else leased(record, now)
            pairs = zip(batch, vectors, strict=True)
            added = [(chunk_id, vector) for text, vector in pairs for chunk_id in waiting[text]]
            token = self.store.apply(key.tenant_id, IndexChange(key.note_id, token, record, vectors=tuple(added)))
        return record, embedded

    def _wanted(self, note: Note) -> tuple[IndexedChunk, ...]:
        lang = note.lang or detect(note.text)
        chunks = chunk(note.text, chunker=self.chunker, lang=lang)
        return wanted_chunks(note, chunks, lang=lang, revision=note_revision(note), index_version=self.version)

    def _write(self, key: NoteKey, changes: Changes, *, expected: str | None, record: IndexRecord) -> str | None:
        """Bring the stored chunks to the wanted ones and the record to `record`; the record's new token.

        `expected`: token of the record that was read before the chunks. Raises Conflict if the record moved since.
        """
        own = self._stored_vectors(key, changes.reuse, self.version)
        kept = self._stored_vectors(key, changes.keep, self.keeps)
        put = [
            ChunkPut(each, own.get(each.chunk_id), (self.keeps, kept[each.chunk_id]) if each.chunk_id in kept else None)
            for each in changes.put
        ]
        change = IndexChange(key.note_id, expected, record, put=tuple(put), patch=changes.patch, remove=changes.remove)
        return self.store.apply(key.tenant_id, change)

    def _stored_vectors(self, key: NoteKey, donors: Mapping[str, str], version: str) -> Mapping[str, Vector]:
        """Chunk id -> the vector in this version's space of the stored chunk that `donors` names. Raises Conflict."""
        asked = sorted(set(donors.values()))
        found = self.store.read_vectors(key.tenant_id, asked, version) if asked else {}
        if len(found) < len(asked):
            raise Conflict("a stored vector went before it could be reused")
        return {chunk_id: found[donor] for chunk_id, donor in donors.items()}

    def _clear(self, key: NoteKey, *, expected: str | None, record: IndexRecord | None) -> bool:
        """Remove every chunk of the note and leave `record` (None: no record). Whether there was anything to do.

        Raises Conflict as `_write` does.
        """
        chunk_ids = tuple(each.chunk_id for each in self.store.stored_chunks(key.tenant_id, key.note_id))
        if not chunk_ids and expected is None and record is None:
            return False
        self.store.apply(key.tenant_id, IndexChange(key.note_id, expected, record, remove=chunk_ids))
        return True

    def _refused(self, key: NoteKey, refusal: StoreRefused) -> IndexOutcome:
        """Records a refusal. Raises it where the store does not take the record either, or there is no note."""
        try:
            if not self.give_up(key, refusal.message):
                raise refusal
        except Conflict:
            raise NoteBusy(f"note {key.note_id!r} changed while it was being given up") from refusal
        return IndexOutcome("failed", error=refusal.message)
