"""One saved note, in a straight line: note -> chunks -> wanted chunks -> changes -> store -> vectors -> store.

    1. read the record and the note as they are now         state
    2. claim the note: a lease, and an attempt counted      claims
    3. cut the note; compute what the index should hold     chunking, diff
    4. compare with what it holds                           diff
    5. write that, still without the new vectors            writing
    6. embed batch by batch, writing each at once           embedding
    7. start again, until there is nothing left to do

Beside the line: `gate` bounds the bytes of text in the process, `records` holds the steps of a record, `postponing`
records that a note waits or is given up, `model_change` describes a change of the embedding model, and `coverage`
reports how far the index has followed.

Any number of workers may do this for one note at any time, and each may die at any point. Every write is
compare-and-set on the record, so of two workers one goes on and the other starts again from reading. What adds to the
index is written only while the note exists: a worker that read the note before it was deleted or erased adds nothing
afterwards, and starts again from reading that there is none. The lease is renewed with each batch; a worker that finds
one leaves the note to its holder. One that has run out tells that a worker died at this note: a note may be what kills
it, so it is suspect. With `words_only` the work ends after step 5, waits for no model and no holder, and leaves the
rest to a later call.

Every document that is written costs money. The most that a note may write is reserved before step 5, and a note whose
tenant has no writes left today is not even cut: its record says so, and what the index held of it stays and is found.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal

from shared.errors import (
    Conflict,
    IndexQuotaExceeded,
    NoteBusy,
    NoteSuspect,
    StoreRefused,
)
from shared.indexing.chunking import MARKDOWN, Chunker, chunk
from shared.indexing.claims import NoteClaim
from shared.indexing.diff import Changes, WantedNote, compare, wanted_note
from shared.indexing.embedding import Embedded, embed_texts
from shared.indexing.gate import Pass, TextGate
from shared.indexing.model_change import has_new_text, is_changing, version_until_embedded
from shared.indexing.postponing import Postponing
from shared.indexing.records import at_fault, awaiting_vectors, finished, leased
from shared.indexing.state import (
    WAITING_FOR_VECTORS,
    IndexProblem,
    IndexState,
    note_revision,
    read_state,
)
from shared.indexing.versions import index_version
from shared.indexing.writing import UNLIMITED, NoteWriter, SmallWrites, most_writes
from shared.language.languages import detect
from shared.model.index import IndexRecord, IndexStatus
from shared.model.notes import Note, NoteKey
from shared.ports.budgets import WriteBudget
from shared.ports.models import Embedder
from shared.ports.stores import Store

LARGE = 200_000
"""Bytes of text from which a note is named in the log before it is worked on: should it take all memory, the process
ends without another line.
"""

_logger = logging.getLogger(__name__)

MAX_ROUNDS = 8
"""Rounds of one call: it starts again when the record or the note has moved, then leaves the note to a later call."""

GATE = TextGate()
"""The gate of the whole process, since memory is the process's: every indexer passes it."""


@dataclass(frozen=True, slots=True)
class IndexOutcome:
    """Outcome of one call."""

    action: Literal["unchanged", "indexed", "deleted", "failed"]
    chunks: int = 0
    """Chunks that the index now holds of the note."""
    embedded: int = 0
    """Texts that were embedded for it, not counting a batch that another worker's change made worthless."""
    error: str | None = None
    """Why it failed; without note text."""
    waiting: bool = False
    """True if only words were asked for and there is more to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Brings the index of notes to what they say. Safe between threads and processes."""

    store: Store
    embedder: Embedder | None
    """Makes the vectors; if None, chunks get no vectors."""
    clock: Callable[[], datetime]
    writes: WriteBudget = UNLIMITED
    """Pays for the documents that are written."""
    chunker: Chunker = MARKDOWN
    embedder_of: Callable[[str], Embedder | None] | None = None
    """Tenant -> the embedder whose cost counts for this tenant; None to use `embedder` for all."""
    embedding_resumes: Callable[[str | None], datetime | None] | None = None
    """Tenant, or None for anybody -> when there is budget to embed again, or None for now.

    The attribute is None where no budget limits embedding.
    """
    previous_indexer: Indexer | None = None
    """Indexer of the previous embedding model, see `model_change`; None while the model does not change."""
    second_version: str = ""
    """Index version of the second vector that chunks hold beside their own; empty if they hold none."""
    gate: TextGate = GATE
    """Bounds the bytes of text that are worked on at the same time."""

    @property
    def version(self) -> str:
        """Index version that notes are brought to."""
        return index_version(self.embedder, self.chunker.name)

    @property
    def postponing(self) -> Postponing:
        """Changes of records alone."""
        return Postponing(writes=self._small_writes, read_state=self.state, clock=self.clock)

    @property
    def _small_writes(self) -> SmallWrites:
        return SmallWrites(self.store, self.writes)

    def state(self, key: NoteKey) -> IndexState:
        """Returns the state of a note and its index now. Raises NoteBusy if too many notes are worked on, StoreUnavailable."""
        with self.gate.passing():
            return self._read_state(key)

    def _read_state(self, key: NoteKey) -> IndexState:
        return read_state(
            key,
            store=self.store,
            index_version=self.version,
            second_version=self.second_version,
        )

    def index(
        self,
        key: NoteKey,
        *,
        words_only: bool = False,
        spare_suspects: bool = False,
    ) -> IndexOutcome:
        """Brings a note's index to what the note says now, or removes it if there is no such note.

        `words_only`: embed nothing; a note that needs it is found by keywords and stays `pending_embeddings`.
        `spare_suspects`: leave a note at which a worker died to a sweep, which takes it alone; raises NoteSuspect.

        Whatever was done before, once or twice or half, the index ends the same. A note that cannot be indexed (fields
        of wrong types, text too long), that the model refuses or returns bad vectors for, or that the store refuses,
        is `failed`, and its record says why.
        Raises ModelUnavailable when the model is unavailable (the chunks are stored and keyword search finds them),
        IndexQuotaExceeded when the tenant's or the project's day has no writes left for it, NoteBusy
        when another worker is at it or it changes faster than it can be followed, StoreUnavailable: call again later.
        Raises StoreRefused only where the store does not take the record either.
        """
        outcome = IndexOutcome("unchanged")
        claim = NoteClaim(self._small_writes, key)
        previously_indexed = ""
        """Revision that the previous indexer has indexed in this call."""
        for _ in range(MAX_ROUNDS):
            try:
                with self.gate.admitted(partial(self._read_state, key)) as (state, admission):
                    if spare_suspects and state.is_suspect(self.clock()):
                        raise NoteSuspect(
                            f"a worker died at note {key.note_id!r}: the sweep takes it",
                        )
                    previous_indexer = self._previous_indexer_of(key, state, previously_indexed)
                    if previous_indexer is None:
                        step = self._follow(key, state, claim, admission, words_only=words_only)
                if previous_indexer is not None:
                    # Outside the gate, which it passes itself.
                    first = previous_indexer.index(key, words_only=words_only)
                    outcome = replace(outcome, embedded=outcome.embedded + first.embedded)
                    previously_indexed = state.revision
                    continue
            except Conflict:
                continue
            except IndexQuotaExceeded as spent:
                self.postponing.wait_for_budget(key, claim, spent)
                raise
            except StoreRefused as refusal:
                return self._give_up(key, refusal)
            if step.action == "unchanged":
                return replace(outcome, chunks=step.chunks, waiting=step.waiting)
            outcome = replace(step, embedded=outcome.embedded + step.embedded)
            if outcome.action == "failed":
                return outcome
        raise NoteBusy(f"note {key.note_id!r} changes faster than it can be indexed")

    def texts_to_embed(self, key: NoteKey, note: Note) -> tuple[str, ...]:
        """Returns the texts that indexing the note would embed now. Reads, and writes nothing."""
        stored_chunks = self.store.stored_chunks(key.tenant_id, key.note_id)
        target = self._cut(note)
        changes = compare(
            target.chunks,
            stored_chunks,
            embeds=True,
            second_version=self.second_version,
        )
        return tuple(target.embedded_texts(changes.embed))

    def _previous_indexer_of(
        self,
        key: NoteKey,
        state: IndexState,
        previously_indexed: str,
    ) -> Indexer | None:
        """Returns the indexer that indexes a text first that is new while the model changes; None for other notes.

        `previously_indexed`: revision that it has indexed in this call.
        """
        if self.previous_indexer is None or state.revision == previously_indexed:
            return None
        if not has_new_text(state):
            return None
        if not is_changing(key.tenant_id, store=self.store, index_version=self.version):
            return None
        return self.previous_indexer

    def _follow(
        self,
        key: NoteKey,
        state: IndexState,
        claim: NoteClaim,
        admission: Pass,
        *,
        words_only: bool,
    ) -> IndexOutcome:
        """Does what is left to do for a note in this state. Raises as `index` does, and Conflict."""
        if state.fault is not None:
            self._reject(key, state, state.fault)
            return IndexOutcome("failed", error=state.fault)
        if state.note is None:
            if self._small_writes.clear(key, expected=state.stored.token, record=None):
                return IndexOutcome("deleted")
            return IndexOutcome("unchanged")
        is_waiting = words_only and state.problem in WAITING_FOR_VECTORS
        if state.problem is None or is_waiting:
            chunks = 0
            if state.record is not None:
                chunks = state.record.chunk_count
            return IndexOutcome("unchanged", chunks, waiting=is_waiting)
        return self._index(key, state.note, state, claim, admission, words_only=words_only)

    def _index(
        self,
        key: NoteKey,
        note: Note,
        state: IndexState,
        claim: NoteClaim,
        admission: Pass,
        *,
        words_only: bool,
    ) -> IndexOutcome:
        # 2. Claim the note, if there are writes left for it: cutting a long one takes seconds.
        if not words_only:
            claim.check_free(state, self.clock())
        self.writes.check(key.tenant_id)
        self._name(key, state)
        claimed_record = claim.take(state, self.clock())

        # 3. Cut it.
        embedder = self._embedder_for(key.tenant_id)
        target = self._cut(note)
        chunk_count = len(target.chunks)

        # 4. Compare.
        changes = compare(
            target.chunks,
            self.store.stored_chunks(key.tenant_id, key.note_id),
            embeds=embedder is not None,
            second_version=self.second_version,
            touch_all=not claimed_record.note_revision,
        )
        record = self._record_of_words(
            claimed_record,
            state,
            changes,
            chunk_count=chunk_count,
            words_only=words_only,
        )
        waiting_texts: Mapping[str, Sequence[str]] = {}
        batch_size = 1
        if embedder is not None and not words_only:
            waiting_texts = target.embedded_texts(changes.embed)
            batch_size = embedder.batch_size

        most = most_writes(changes, waiting_texts, batch_size)
        with self.writes.reserved(key.tenant_id, most) as counted:
            writer = NoteWriter(self.store, key, token=claim.token, counted=counted)

            # 5. Write the words.
            writer.write_chunks(
                record,
                target,
                changes,
                index_version=self.version,
                second_version=self.second_version,
            )
            # From here on the note takes hardly any memory, and lets others pass.
            del target, changes
            admission.lighten()

            # 6. Embed.
            embedded = Embedded(record, 0)
            if embedder is not None and waiting_texts:
                embedded = embed_texts(
                    waiting_texts,
                    record,
                    embedder=embedder,
                    writer=writer,
                    index_version=self.version,
                    clock=self.clock,
                )
        return _outcome(embedded, chunk_count)

    def _embedder_for(self, tenant_id: str) -> Embedder | None:
        """Returns the embedder of a tenant's notes; None if the notes are found by words alone."""
        if self.embedder_of is not None:
            return self.embedder_of(tenant_id)
        return self.embedder

    def _name(self, key: NoteKey, state: IndexState) -> None:
        """Logs a note that may end the process, before the work on it: a suspect, or a large one."""
        size = state.bytes_to_index
        if size <= LARGE and not state.is_suspect(self.clock()):
            return
        fields = {"tenantId": key.tenant_id, "noteId": key.note_id, "bytes": size}
        _logger.info("indexing note %r (%d bytes)", key.note_id, size, extra={"fields": fields})

    def _cut(self, note: Note) -> WantedNote:
        """Returns what the index should hold of a note."""
        lang = note.lang or detect(note.text)
        chunks = chunk(note.text, chunker=self.chunker, lang=lang)
        return wanted_note(
            note,
            chunks,
            lang=lang,
            revision=note_revision(note),
            index_version=self.version,
        )

    def _record_of_words(
        self,
        claimed_record: IndexRecord,
        state: IndexState,
        changes: Changes,
        *,
        chunk_count: int,
        words_only: bool,
    ) -> IndexRecord:
        """Returns the record once the words are written."""
        now = self.clock()
        record = awaiting_vectors(
            claimed_record,
            state.revision,
            version_until_embedded(state, claimed_record, self.second_version),
            chunk_count=chunk_count,
            now=now,
        )
        record = replace(record, second_version=self.second_version)
        if not changes.embed:
            return finished(record, now, self.version)
        if words_only:
            return record
        # The attempt goes on.
        return leased(replace(record, attempts=claimed_record.attempts), now)

    def _reject(self, key: NoteKey, state: IndexState, fault: str) -> None:
        """Removes everything of the note from the index but a record with its fault, which has failed without an attempt."""
        if state.problem is IndexProblem.REJECTED:
            return
        record = at_fault(state.revision, self.version, self.clock(), error=fault)
        self._small_writes.clear(key, expected=state.stored.token, record=record)

    def _give_up(self, key: NoteKey, refusal: StoreRefused) -> IndexOutcome:
        """Records a refusal. Raises it where the store does not take the record either, or there is no note."""
        try:
            if not self.postponing.give_up(key, refusal.message):
                raise refusal
        except Conflict:
            raise NoteBusy(f"note {key.note_id!r} changed while it was being given up") from refusal
        return IndexOutcome("failed", error=refusal.message)


def _outcome(embedded: Embedded, chunk_count: int) -> IndexOutcome:
    """Returns what came of a note whose words are written and whose texts were sent to the embedder."""
    action: Literal["failed", "indexed"] = "indexed"
    if embedded.record.status is IndexStatus.FAILED:
        action = "failed"
    return IndexOutcome(
        action,
        chunks=chunk_count,
        embedded=embedded.texts,
        error=embedded.record.error,
    )
