"""What front doors call: one method an intention, each a line or two over the paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime

from shared.answering.pipeline import answer
from shared.domain import Answer, Coverage, IndexRecord, Note, NoteKey, Question, Retrieved
from shared.errors import NotFound
from shared.indexing.pipeline import DEFAULT_CHUNKER, IndexOutcome, index_note, index_version
from shared.indexing.reconcile import ReconcileReport, reconcile
from shared.indexing.revision import note_revision
from shared.ports import Embedder, Page, Store, Verifier, Writer
from shared.retrieval.explanation import Explanation, explain
from shared.retrieval.folders import Wish, retrieve_from_folders
from shared.retrieval.pipeline import RetrievalOptions, retrieve
from shared.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDraft:
    """What a caller says of a note. None: as it was, or the default for a new one."""

    title: str
    text: str
    vault: str = "default"
    path: str = ""
    tags: tuple[str, ...] = ()
    lang: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class NoteState:
    """How far the index has followed one note. `current`: it holds exactly what the note says now."""

    record: IndexRecord | None
    current: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """What became of some notes in a search. `states`: note id -> how far the index has followed it."""

    explanation: Explanation
    states: Mapping[str, NoteState]


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The product with everything plugged in. Safe to share between threads."""

    settings: Settings
    store: Store
    embedder: Embedder | None
    """None: no embedder can be had; keyword and recency search remain."""
    writer: Writer
    fallback: Writer
    """Answers when `writer` is away."""
    verifier: Verifier
    pool: Executor
    clock: Callable[[], datetime]
    notice: str
    """One line that says which parts are in use."""
    ranker: Writer | None = None
    """Model that ranks folders; None: there is none."""
    chunker: str = DEFAULT_CHUNKER
    """How notes are cut; evaluation compares others."""

    # -- notes

    def save_note(self, tenant_id: str, note_id: str, draft: NoteDraft) -> Note:
        """Create or replace. The same content again writes nothing and keeps `updatedAt`."""
        now = self.clock()
        existing = self.store.get_note(tenant_id, note_id)
        created = draft.created_at or (existing.created_at if existing else now)
        note = Note(note_id, draft.title, draft.text, created, now, draft.vault, draft.path, draft.tags, draft.lang)
        if existing is not None and note_revision(existing) == note_revision(note):
            return existing
        self.store.put_note(tenant_id, note)
        return note

    def note(self, tenant_id: str, note_id: str) -> Note:
        """Raises NotFound."""
        note = self.store.get_note(tenant_id, note_id)
        if note is None:
            raise NotFound(f"no note {note_id!r}")
        return note

    def notes(self, tenant_id: str, *, limit: int, token: str | None, vault: str | None) -> Page[Note]:
        return self.store.list_notes(tenant_id, limit=limit, token=token, vault=vault)

    def delete_note(self, tenant_id: str, note_id: str) -> None:
        """Raises NotFound. Its index follows by the trigger; from now on it is not cited any more."""
        if not self.store.delete_note(tenant_id, note_id):
            raise NotFound(f"no note {note_id!r}")

    # -- the index

    def index_note(self, key: NoteKey) -> IndexOutcome:
        """Bring one note's index to what the note says now."""
        return index_note(key, store=self.store, embedder=self.embedder, clock=self.clock, chunker=self.chunker)

    def index_state(self, tenant_id: str, note_id: str) -> NoteState:
        """Raises NotFound if there is no such note."""
        note = self.note(tenant_id, note_id)
        record = self.store.read_record(tenant_id, note_id).record
        return NoteState(record, current=record is not None and record.note_revision == note_revision(note))

    def coverage(self, tenant_id: str) -> Coverage:
        return self.store.coverage(tenant_id)

    def reconcile(self, *, budget: int, full: bool = False, dry_run: bool = False) -> ReconcileReport:
        """Find and repair what events missed, at most `budget` notes a call."""
        return reconcile(
            self.store,
            embedder=self.embedder,
            clock=self.clock,
            budget=budget,
            full=full,
            dry_run=dry_run,
            chunker=self.chunker,
        )

    # -- asking

    def passages_wanted(self, question: Question) -> int:
        """How many passages the writer is to get for this question."""
        return question.top_k or self.settings.retrieval_rerank_to

    def chat(self, question: Question) -> Answer:
        """Answer from the tenant's notes (or without them, when the question says so)."""
        retrieved = self._retrieve(question, self._options()) if question.use_notes else None
        return answer(question, retrieved, writer=self.writer, fallback=self.fallback)

    def search(self, question: Question, *, k: int) -> Retrieved:
        """The best `k` passages, without a writer's limits on length."""
        return self._retrieve(question, self._search_options(k))

    def ask(self, question: Question, wish: Wish) -> Answer:
        """Answer from the named and the best ranked folders; as many passages as the question wants."""
        options = replace(self._options(), max_chunks=self.passages_wanted(question))
        found = retrieve_from_folders(
            question,
            wish,
            store=self.store,
            embedder=self.embedder,
            options=options,
            pool=self.pool,
            ranker=self.ranker,
        )
        written = answer(question, found.retrieved, writer=self.writer, fallback=self.fallback)
        return replace(written, usage=written.usage + found.usage)

    def explain(self, question: Question, note_ids: Sequence[str], *, k: int) -> Explained:
        """How `search` sees these notes; without any, those it finds. Raises NotFound naming a note."""
        explanation = explain(
            question,
            note_ids,
            store=self.store,
            embedder=self.embedder,
            options=self._search_options(k),
            pool=self.pool,
        )
        ids = [note.note_id for note in explanation.notes]
        return Explained(explanation, {note_id: self.index_state(question.tenant_id, note_id) for note_id in ids})

    def _search_options(self, k: int) -> RetrievalOptions:
        return replace(self._options(), rerank_to=k, max_chunks=k, max_characters=None)

    def _options(self) -> RetrievalOptions:
        return RetrievalOptions.from_settings(self.settings, index_version=index_version(self.embedder, self.chunker))

    def _retrieve(self, question: Question, options: RetrievalOptions) -> Retrieved:
        return retrieve(question, store=self.store, embedder=self.embedder, options=options, pool=self.pool)
