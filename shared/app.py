"""What front doors call: one method an intention, each a line or two over the paths."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from shared.account.archive import zipped
from shared.account.budgets import Budgets
from shared.account.caches import Cache
from shared.account.embedding import TenantEmbedder
from shared.account.export import Exported, all_notes, export
from shared.account.repeats import PATIENCE, Claim, Repeats, RequestKey
from shared.account.results import SearchResults
from shared.answering.citing.edits import as_notes_are
from shared.answering.grounding import Scrutiny
from shared.answering.pipeline import answer, answer_events, last
from shared.answering.quoting import Quoter
from shared.answering.refusals import refusal_text
from shared.errors import Conflict, InvalidArgument, NotFound
from shared.folders.search import Wish, retrieve_from_folders
from shared.indexing.giving_up import give_up
from shared.indexing.pipeline import DEFAULT_CHUNKER, IndexOutcome, index_note, index_version
from shared.indexing.revision import note_revision
from shared.indexing.standing import revision_now
from shared.model.account import Feedback, Receipt
from shared.model.answers import Answer, AnswerEvent
from shared.model.index import Coverage, IndexRecord, Vector
from shared.model.notes import Note, NoteKey
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason, Retrieved, Scale
from shared.model.templates import AUTO, Template, TemplateKey, TemplateMatch
from shared.ports.access import Attester, Verifier
from shared.ports.models import Embedder, Reranker, Writer
from shared.ports.stores import NoteFiles, Origin, Page, Store
from shared.retrieval.explanation import Explanation, explain
from shared.retrieval.pipeline import RetrievalOptions, retrieve
from shared.retrieval.scoring.scale import estimated
from shared.sessions.service import Sessions
from shared.settings import Settings
from shared.sweep.reconcile import ReconcileReport, reconcile
from shared.templates import pipeline as templates
from shared.templates.folders import SHIPPED, state_of

LEASE_BEYOND_WRITING = timedelta(seconds=30)
"""How long the rest of an answer may take beside the writing model's own timeout."""

_BY_WHAT_IS_INDEXED = (RefusalReason.NO_CANDIDATES, RefusalReason.BELOW_THRESHOLD, RefusalReason.TIME_RANGE_EMPTY)


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
    modified_at: datetime | None = None
    """Of its file: when a new note was created if nobody says; None: now."""


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


SCALES_SECONDS = 3600.0
"""How long the estimate of what cosines mean to a tenant is kept: it reads up to 60 documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The product with everything plugged in. Safe to share between threads."""

    settings: Settings
    store: Store
    embedder: Embedder | None
    """None: no embedder can be had; keyword and recency search remain."""
    writer: Writer | None
    """None: no model is configured, and the notes are quoted."""
    quoter: Quoter
    """Quotes what comes nearest where `writer` is away, or with a refusal."""
    verifier: Verifier
    pool: Executor
    """Runs what one question asks at the same time."""
    clock: Callable[[], datetime]
    notice: str
    """One line that says which parts are in use."""
    attester: Attester | None = None
    """None: requests may come from any app."""
    reranker: Reranker | None = None
    """Orders the best passages again; None: they stay as scored."""
    writers: Mapping[str, Writer] = field(default_factory=dict)
    """Further models that a session or a request may choose, by name."""
    ranker: Writer | None = None
    """Model that ranks folders; None: there is none."""
    scrutiny: Scrutiny = field(default_factory=Scrutiny)
    """Who judges whether passages back what is said with them, and what happens to claims that nothing backs."""
    chunker: str = DEFAULT_CHUNKER
    """How notes are cut; evaluation compares others."""
    delivered: dict[str, str] = field(default_factory=dict)
    """Tenant -> state of the template folders when this process last brought them there."""
    questions: Cache[Vector] = field(default_factory=Cache)
    """Vectors of questions asked lately."""
    scales: Cache[Scale] = field(default_factory=partial(Cache, seconds=SCALES_SECONDS))
    """What cosines mean to each tenant, where nobody has measured the embedder."""
    results: Cache[Retrieved] | None = field(default_factory=Cache)
    """What searches found lately; None: not kept."""
    on_erase: Callable[[str], None] | None = None
    """Forgets what is kept of a tenant outside the store; None: nothing is."""
    files: NoteFiles | None = None
    """Files that notes came from; None: none that can be reached from here."""
    patience: float = PATIENCE
    """Seconds that a request waits for another of the same `requestId`."""

    @property
    def model(self) -> str:
        """What writes, or quotes, unless a session or a request chooses another."""
        return self.writer.model if self.writer else self.quoter.model

    # -- notes

    def save_note(self, tenant_id: str, note_id: str, draft: NoteDraft, *, replacing: str | None = None) -> Note:
        """Create or replace. The same content again writes nothing and keeps `updatedAt`.

        `replacing`: the revision that is meant, empty for no note. Raises Conflict if the note has another by now.
        """
        now = self.clock()
        existing = self._readable_note(tenant_id, note_id)
        created = draft.created_at or (existing.created_at if existing else draft.modified_at or now)
        note = Note(
            note_id=note_id,
            title=draft.title,
            text=draft.text,
            created_at=created,
            updated_at=now,
            vault=draft.vault,
            path=draft.path,
            tags=draft.tags,
            lang=draft.lang,
        )
        if existing is not None and note_revision(existing) == note_revision(note):
            return existing
        if replacing is None:
            self.store.put_note(tenant_id, note)
        else:
            _check_revision(existing, replacing)
            self.store.swap_note(tenant_id, note_id, was=existing, now=note)
        self._follow_with_file(tenant_id, note_id)
        return note

    def _follow_with_file(self, tenant_id: str, note_id: str) -> None:
        if self.files is not None:
            self.files.follow(tenant_id, note_id)

    def origin(self, tenant_id: str, note_id: str) -> Origin | None:
        """The file that a note came from; None: none that can be reached from here."""
        return None if self.files is None else self.files.origin(tenant_id, note_id)

    def write_files(self, tenant_id: str, note_id: str, *, write: bool) -> None:
        """Decide for the folder that a note came from whether saving writes its files; this note's at once.

        Raises NotFound for a note without such a file.
        """
        if self.files is None:
            raise NotFound(f"note {note_id!r} came from no folder that can be reached from here")
        self.files.decide(tenant_id, note_id, write=write)
        self.files.follow(tenant_id, note_id)

    def _readable_note(self, tenant_id: str, note_id: str) -> Note | None:
        """None also for a note that an app wrote with fields of wrong types: saving it again mends it."""
        try:
            return self.store.get_note(tenant_id, note_id)
        except InvalidArgument:
            return None

    def note(self, tenant_id: str, note_id: str) -> Note:
        """Raises NotFound."""
        note = self.store.get_note(tenant_id, note_id)
        if note is None:
            raise NotFound(f"no note {note_id!r}")
        return note

    def notes(self, tenant_id: str, *, limit: int, token: str | None, vault: str | None) -> Page[Note]:
        """By id, without their texts."""
        return self.store.list_notes(tenant_id, limit=limit, token=token, vault=vault, texts=False)

    def delete_note(self, tenant_id: str, note_id: str, *, replacing: str | None = None) -> None:
        """Its index follows by the trigger; from now on it is not cited any more. Raises NotFound, and Conflict if
        `replacing` is given and not the revision it has.
        """
        if replacing is not None:
            note = self.note(tenant_id, note_id)
            _check_revision(note, replacing)
            self.store.swap_note(tenant_id, note_id, was=note, now=None)
        elif not self.store.delete_note(tenant_id, note_id):
            raise NotFound(f"no note {note_id!r}")
        self._follow_with_file(tenant_id, note_id)

    # -- the index

    def index_note(self, key: NoteKey, *, words_only: bool = False) -> IndexOutcome:
        """Bring one note's index to what the note says now; `words_only`: but for what has to be embedded."""
        return index_note(
            key,
            store=self.store,
            embedder=self.embedder_of(key.tenant_id),
            clock=self.clock,
            chunker=self.chunker,
            words_only=words_only,
        )

    def give_up(self, key: NoteKey, reason: str) -> None:
        """Indexing the note has failed for too long: its record says so, and why. Raises Conflict, StoreUnavailable."""
        version = index_version(self.embedder, self.chunker)
        give_up(key, reason=reason, store=self.store, index_version=version, now=self.clock())

    def index_state(self, tenant_id: str, note_id: str) -> NoteState:
        """Raises NotFound if there is no such note. One whose fields are of wrong types has a record that says so."""
        record = self.store.read_record(tenant_id, note_id).record
        try:
            revision = note_revision(self.note(tenant_id, note_id))
        except InvalidArgument:
            return NoteState(record, current=record is not None)
        return NoteState(record, current=record is not None and record.note_revision == revision)

    def coverage(self, tenant_id: str) -> Coverage:
        return self.store.coverage(tenant_id)

    def reconcile(
        self,
        *,
        budget: int,
        full: bool = False,
        dry_run: bool = False,
        hand_over: Callable[[NoteKey], None] | None = None,
    ) -> ReconcileReport:
        """Find and repair what events missed, at most `budget` notes a call. `hand_over`: who indexes them instead."""
        return reconcile(
            self.store,
            embedder=self.embedder,
            clock=self.clock,
            budget=budget,
            full=full,
            dry_run=dry_run,
            chunker=self.chunker,
            embedder_of=self.embedder_of,
            hand_over=hand_over,
        )

    # -- asking

    def passages_wanted(self, question: Question) -> int:
        """How many passages the writer is to get for this question."""
        return question.top_k or self.settings.retrieval_rerank_to

    def chat(self, question: Question) -> Answer:
        """Answer from the tenant's notes (or without them, when the question says so).

        Raises NotFound for a template that there is not, Exhausted when the tenant's day is used up.
        """
        with self.budgets.answering(question.tenant_id):
            return last(self.chat_events(question))

    def chat_events(self, question: Question) -> Generator[AnswerEvent]:
        """The same answer as it comes about; nothing happens before the first event is asked for.

        It is the caller who holds `budgets.answering`, around all that the question costs. Closing the iterator ends
        what is under way.
        """
        choosing = self.pool.submit(self._template_for, question) if question.template else None
        retrieved = self._retrieve(question, self._options()) if question.use_notes else None
        chosen = choosing.result() if choosing else None
        yield from answer_events(
            question,
            retrieved,
            writer=self.writers.get(question.model or "", self.writer),
            quoter=self.quoter,
            template=chosen,
            scrutiny=self.scrutiny,
            amend=partial(self._as_it_is_now, question.tenant_id),
        )

    def _as_it_is_now(self, tenant_id: str, answered: Answer) -> Answer:
        """The last look at the notes, one read for each that is cited."""
        return as_notes_are(self._unless_pending(tenant_id, answered), partial(self._revisions, tenant_id))

    def _revisions(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, str]:
        keys = [NoteKey(tenant_id, note_id) for note_id in note_ids]
        return dict(zip(note_ids, self.pool.map(partial(revision_now, store=self.store), keys), strict=True))

    def _unless_pending(self, tenant_id: str, answered: Answer) -> Answer:
        """A refusal while notes wait to be indexed does not know whether they hold the answer, and says that."""
        if answered.refusal in _BY_WHAT_IS_INDEXED and self.store.coverage(tenant_id).missing:
            pending = RefusalReason.INDEX_PENDING
            return replace(answered, text=refusal_text(pending), refusal=pending)
        return answered

    def search(self, question: Question, *, k: int) -> Retrieved:
        """The best `k` passages, without a writer's limits on length."""
        return self._retrieve(question, self._search_options(k))

    def ask(self, question: Question, wish: Wish) -> Answer:
        """Answer from the named and the best ranked folders; as many passages as the question wants.

        Raises NotFound naming a vault or folder, Exhausted when the tenant's day is used up.
        """
        with self.budgets.answering(question.tenant_id):
            return self._ask(question, wish)

    def _ask(self, question: Question, wish: Wish) -> Answer:
        options = replace(self._options(), max_chunks=self.passages_wanted(question))
        found = retrieve_from_folders(
            question,
            wish,
            store=self.store,
            embedder=self.embedder_of(question.tenant_id),
            options=options,
            pool=self.pool,
            ranker=self.ranker,
            reranker=self.reranker,
        )
        written = answer(question, found.retrieved, writer=self.writer, quoter=self.quoter, scrutiny=self.scrutiny)
        return self._as_it_is_now(question.tenant_id, replace(written, usage=written.usage + found.usage))

    def explain(self, question: Question, note_ids: Sequence[str], *, k: int) -> Explained:
        """How `search` sees these notes; without any, those it finds. Raises NotFound naming a note."""
        explanation = explain(
            question,
            note_ids,
            store=self.store,
            embedder=self.embedder_of(question.tenant_id),
            options=self._search_options(k),
            pool=self.pool,
            reranker=self.reranker,
        )
        ids = [note.note_id for note in explanation.notes]
        return Explained(explanation, {note_id: self.index_state(question.tenant_id, note_id) for note_id in ids})

    def _search_options(self, k: int) -> RetrievalOptions:
        return replace(self._options(), rerank_to=k, max_chunks=k, max_characters=None)

    def _options(self) -> RetrievalOptions:
        return RetrievalOptions.from_settings(self.settings, index_version=index_version(self.embedder, self.chunker))

    def _retrieve(self, question: Question, options: RetrievalOptions) -> Retrieved:
        embedder = self.embedder_of(question.tenant_id)
        search = partial(
            retrieve,
            question,
            store=self.store,
            embedder=embedder,
            options=options,
            pool=self.pool,
            reranker=self.reranker,
        )
        if self.results is None:
            return search()
        return SearchResults(self.store, self.results).of(question, options, search)

    def _template_for(self, question: Question) -> TemplateMatch | None:
        if question.template is None:
            return None
        if question.template == AUTO:
            return self.search_templates(question.tenant_id, question.text, top_k=1)[0]
        return TemplateMatch(self.template(question.tenant_id, question.template), None)

    # -- sessions

    @property
    def sessions(self) -> Sessions:
        return Sessions(
            store=self.store,
            clock=self.clock,
            models=frozenset({self.model, *self.writers}),
            rewriter=self.ranker,
            longest_question=self.settings.chat_max_query_length,
        )

    # -- reasoning templates

    def index_templates(self, tenant_id: str) -> templates.TemplateReport:
        """Bring all templates of the configured folders to the tenant."""
        state = state_of(self._template_folders)
        embedder = self.embedder_of(tenant_id)
        report = templates.index(tenant_id, self._template_folders, store=self.store, embedder=embedder)
        self.delivered[tenant_id] = state
        return report

    def save_template(self, tenant_id: str, template: Template) -> None:
        """Create or replace. Raises InvalidArgument naming the field that is not as it must be."""
        self._deliver_templates(tenant_id)
        templates.add(tenant_id, template, store=self.store, embedder=self.embedder_of(tenant_id))

    def template(self, tenant_id: str, template_id: str) -> Template:
        """Raises NotFound."""
        self._deliver_templates(tenant_id)
        stored = self.store.get_template(tenant_id, template_id)
        if stored is None:
            raise NotFound(f"no template {template_id!r}")
        return stored.template

    def list_templates(self, tenant_id: str) -> tuple[Template, ...]:
        """By id."""
        self._deliver_templates(tenant_id)
        return tuple(stored.template for stored in self.store.templates(tenant_id))

    def delete_template(self, tenant_id: str, template_id: str) -> None:
        """Raises NotFound. One that came from a folder stays away too."""
        self._deliver_templates(tenant_id)
        if not self.store.delete_template(tenant_id, template_id):
            raise NotFound(f"no template {template_id!r}")

    def search_templates(self, tenant_id: str, query: str, *, top_k: int) -> tuple[TemplateMatch, ...]:
        """The most similar, best first; the chain of thought where none is. Never empty."""
        self._deliver_templates(tenant_id)
        embedder = self.embedder_of(tenant_id)
        return templates.search(tenant_id, query, top_k=top_k, store=self.store, embedder=embedder)

    def templates_ready(self, tenant_id: str) -> bool:
        """Whether every template is found by similarity."""
        return templates.ready(tenant_id, store=self.store, embedder=self.embedder)

    def refresh_template(self, key: TemplateKey) -> templates.Refreshed:
        """Bring one template's vector to what the template says now."""
        return templates.refresh(key, store=self.store, embedder=self.embedder_of(key.tenant_id))

    def _deliver_templates(self, tenant_id: str) -> None:
        """Once a process, and again when a file in the folders has changed."""
        if self.delivered.get(tenant_id) != state_of(self._template_folders):
            self.index_templates(tenant_id)

    # -- the account

    @property
    def budgets(self) -> Budgets:
        return Budgets(
            store=self.store,
            clock=self.clock,
            answers=self.settings.daily_chat_limit,
            embedded_tokens=self.settings.daily_embed_tokens,
        )

    def embedder_of(self, tenant_id: str) -> Embedder | None:
        """The embedder at this tenant's expense; questions asked lately are not embedded again."""
        if self.embedder is None:
            return None
        return TenantEmbedder(
            inner=self.embedder,
            tenant_id=tenant_id,
            budgets=self.budgets,
            questions=self.questions,
            estimate=partial(self._scale, tenant_id),
        )

    def _scale(self, tenant_id: str) -> Scale:
        """What cosines mean in the tenant's index, by its own vectors."""
        version = index_version(self.embedder, self.chunker)
        estimate = partial(estimated, tenant_id, store=self.store, index_version=version)
        return self.scales.get((tenant_id, version), estimate)

    def claimed(self, key: RequestKey) -> AbstractContextManager[Claim]:
        """Around answering a request that names a `requestId`: it may have been answered before.

        Raises Conflict for an id that was used for another request, RequestBusy while somebody is answering it.
        """
        lease = timedelta(milliseconds=self.settings.chat_timeout_ms) + LEASE_BEYOND_WRITING
        return Repeats(store=self.store, clock=self.clock, lease=lease, patience=self.patience).claimed(key)

    def give_feedback(self, tenant_id: str, feedback: Feedback, *, rated: bool = True) -> Feedback:
        """Keep it, in place of what was said of the same thing before; not `rated`, the rating of then stays."""
        before = None if rated else self.store.get_feedback(tenant_id, feedback.feedback_id)
        kept = feedback if before is None else replace(feedback, rating=before.rating)
        self.store.put_feedback(tenant_id, kept)
        return kept

    def export(self, tenant_id: str) -> Iterator[Exported]:
        """Everything the tenant owns, read page by page while it is taken."""
        return export(tenant_id, self.store, self.sessions)

    def archive(self, tenant_id: str) -> Iterator[bytes]:
        """All notes as a zip of Markdown files, read page by page while it is taken."""
        return zipped(all_notes(tenant_id, self.store))

    def erase(self, tenant_id: str) -> Receipt:
        """Remove everything the tenant owns. Killed half-way, the next call does the rest and counts the rest."""
        erased = self.store.erase(tenant_id)
        if self.on_erase is not None:
            self.on_erase(tenant_id)
        self.delivered.pop(tenant_id, None)
        if self.results is not None:
            self.results.clear()
        return Receipt(erased)

    @property
    def _template_folders(self) -> tuple[Path, ...]:
        return self.settings.template_folders or (SHIPPED,)


def _check_revision(note: Note | None, revision: str) -> None:
    """Raises Conflict if the note has another; empty stands for no note."""
    if revision != ("" if note is None else note_revision(note)):
        raise Conflict("the note was changed or deleted meanwhile: read it again")
