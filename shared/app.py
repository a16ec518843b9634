"""Everything plugged in: notes, sessions, templates, the index and the account, each a line or two over its room.

Questions are asked of it by `shared.asking`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain

from shared.account.archive import zipped
from shared.account.budgets import Budgets, ProjectBudget, seconds_to_next_day, utc_day
from shared.account.caches import Cache
from shared.account.export import Exported, all_notes, export_person, export_tenant
from shared.account.idempotency import PATIENCE, Idempotency, IdempotencyLock, RequestKey
from shared.account.metering import TenantEmbedder
from shared.answering.checking import SupportPolicy
from shared.answering.extractive import ExtractiveWriter
from shared.errors import NoteUnreadable
from shared.indexing.chunking import MARKDOWN, Chunker
from shared.indexing.state import give_up
from shared.indexing.pipeline import IndexOutcome, index_note, index_version
from shared.indexing.state import note_revision
from shared.model.account import Feedback, Person, Receipt
from shared.model.index import Coverage, NoteState, Vector
from shared.model.notes import NoteKey
from shared.model.retrieval import CosineCalibration, Retrieved
from shared.notes.linked import Linked, linked
from shared.notes.service import Notes
from shared.ports.access import Attester, Verifier
from shared.ports.models import Embedder, Reranker, Writer
from shared.ports.stores import Store
from shared.retrieval.calibration import estimated
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import Retriever
from shared.sessions.service import Sessions
from shared.settings import Settings
from shared.sweep.reconcile import ReconcileReport, reconcile
from shared.sweep.repair import Repairs
from shared.templates.files import SHIPPED
from shared.templates.service import FolderCache, Templates

LEASE_BEYOND_WRITING = timedelta(seconds=30)
"""How long the rest of an answer may take beside the writing model's own timeout."""
CALIBRATION_SECONDS = 3600.0
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
    extractive: ExtractiveWriter
    """Quotes what comes nearest where `writer` is away, or with a refusal."""
    verifier: Verifier
    pool: Executor
    """Runs what one question asks at the same time."""
    clock: Callable[[], datetime]
    attester: Attester | None = None
    """None: requests may come from any app."""
    reranker: Reranker | None = None
    """Orders the best passages again; None: they stay as scored."""
    writers: Mapping[str, Writer] = field(default_factory=dict)
    """Further models that a session or a request may choose, by name."""
    ranker: Writer | None = None
    """Model that ranks folders; None: there is none."""
    support: SupportPolicy = field(default_factory=SupportPolicy)
    """Who judges whether passages back what is said with them, and what happens to claims that nothing backs."""
    chunker: Chunker = MARKDOWN
    """How notes are cut; evaluation compares others."""
    template_files: FolderCache = field(default_factory=FolderCache)
    """The templates of the configured folders."""
    questions: Cache[Vector] = field(default_factory=Cache)
    """Vectors of questions asked lately."""
    calibrations: Cache[CosineCalibration] = field(default_factory=partial(Cache, seconds=CALIBRATION_SECONDS))
    """What cosines mean to each tenant, where nobody has measured the embedder."""
    results: Cache[Retrieved] | None = field(default_factory=Cache)
    """What searches found lately; None: not kept."""
    on_erase: Callable[[str], None] | None = None
    """Forgets what is kept of a tenant outside the store; None: nothing is."""
    project_budget: ProjectBudget | None = None
    """What all tenants together may cost a day; None: there is no limit."""
    patience: float = PATIENCE
    """Seconds that a request waits for another of the same `requestId`."""

    @property
    def model(self) -> str:
        """What writes, or quotes, unless a session or a request chooses another."""
        return self.writer.model if self.writer else self.extractive.model

    # -- notes

    @property
    def notes(self) -> Notes:
        return Notes(store=self.store, clock=self.clock)

    def linked(self, tenant_id: str, note_id: str) -> Linked:
        """The notes that a note points at, and those that point at it. Raises NotFound."""
        return linked(tenant_id, self.notes.get(tenant_id, note_id), store=self.store, pool=self.pool)

    # -- the index

    @property
    def index_version(self) -> str:
        """Of what this App makes of a note: embedder and chunker."""
        return index_version(self.embedder, self.chunker)

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
        give_up(key, reason=reason, store=self.store, index_version=self.index_version, now=self.clock())

    def index_state(self, tenant_id: str, note_id: str) -> NoteState:
        """Raises NotFound if there is no such note. One whose fields are of wrong types has a record that says so."""
        record = self.store.read_record(tenant_id, note_id).record
        try:
            revision = note_revision(self.notes.get(tenant_id, note_id))
        except NoteUnreadable:
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
        repairs = Repairs(
            store=self.store,
            embedder=self.embedder,
            embedder_of=self.embedder_of,
            clock=self.clock,
            chunker=self.chunker,
            full=full,
            dry_run=dry_run,
            hand_over=hand_over,
        )
        if not dry_run:
            self.store.forget_erased(utc_day(self.clock()))
        return reconcile(repairs, budget=budget)

    # -- searching

    @property
    def retriever(self) -> Retriever:
        billed = self.store.bills_reads
        return Retriever(
            store=self.store,
            embedder_of=self.embedder_of,
            options=RetrievalOptions.from_settings(self.settings, index_version=self.index_version, billed=billed),
            executor=self.pool,
            reranker=self.reranker,
        )

    # -- sessions

    def sessions(self, person: Person) -> Sessions:
        return Sessions(
            store=self.store,
            person=person,
            clock=self.clock,
            models=frozenset({self.model, *self.writers}),
            rewriter=self.ranker,
            longest_question=self.settings.chat_max_query_length,
        )

    # -- reasoning templates

    @property
    def templates(self) -> Templates:
        return Templates(
            store=self.store,
            folders=self.settings.template_folders or (SHIPPED,),
            embedder_of=self.embedder_of,
            files=self.template_files,
            threshold=self.settings.template_threshold,
        )

    # -- the account

    @property
    def budgets(self) -> Budgets:
        return Budgets(
            store=self.store,
            clock=self.clock,
            answers=self.settings.daily_chat_limit,
            searches=self.settings.daily_search_limit,
            embedded_tokens=self.settings.daily_embed_tokens,
            project=self.project_budget,
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
            estimate=partial(self._calibration, tenant_id),
        )

    def _calibration(self, tenant_id: str) -> CosineCalibration:
        """What cosines mean in the tenant's index, by its own vectors."""
        estimate = partial(estimated, tenant_id, store=self.store, index_version=self.index_version)
        return self.calibrations.get((tenant_id, self.index_version), estimate)

    def claimed(self, key: RequestKey | None) -> AbstractContextManager[IdempotencyLock | None]:
        """Around answering a request that names a `requestId`: it may have been answered before. None: it names none.

        Raises Conflict for an id that was used for another request, RequestBusy while somebody is answering it.
        """
        if key is None:
            return nullcontext()
        lease = timedelta(milliseconds=self.settings.chat_timeout_ms) + LEASE_BEYOND_WRITING
        idempotency = Idempotency(store=self.store, clock=self.clock, lease=lease, patience=self.patience)
        return idempotency.locked(key)

    def submit_feedback(
        self, person: Person, feedback: Feedback, *, rated: bool = True, commented: bool = True
    ) -> Feedback:
        """Keep it, in place of what was said of the same thing before; not `rated`, the rating of then stays, and not
        `commented`, its comment.
        """
        before = None if rated and commented else self.store.get_feedback(person, feedback.feedback_id)
        if before is not None:
            rating = feedback.rating if rated else before.rating
            feedback = replace(feedback, rating=rating, comment=feedback.comment if commented else before.comment)
        self.store.put_feedback(person, feedback)
        return feedback

    def export(self, person: Person) -> Iterator[Exported]:
        """Everything the person owns, read page by page as it is taken; the tenant's too where it is theirs alone."""
        of_tenant = self.export_tenant(person.tenant_id) if person.is_tenant else ()
        return chain(of_tenant, export_person(self.store, self.sessions(person)))

    def export_tenant(self, tenant_id: str) -> Iterator[Exported]:
        """The tenant's notes, templates and usage; nothing of its people."""
        return export_tenant(tenant_id, self.store)

    def archive(self, tenant_id: str) -> Iterator[bytes]:
        """All notes as a zip of Markdown files, read page by page while it is taken."""
        return zipped(all_notes(tenant_id, self.store))

    def erase(self, person: Person) -> Receipt:
        """Remove everything the person owns, as `erase_tenant` does; the tenant itself where it is theirs alone."""
        return self.erase_tenant(person.tenant_id) if person.is_tenant else Receipt(self.store.erase_person(person))

    def erase_tenant(self, tenant_id: str) -> Receipt:
        """Remove everything of the tenant and its people. Killed half-way, the next call does and counts the rest."""
        now = self.clock()
        erased = self.store.erase(tenant_id, keep_usage_of=utc_day(now))
        if self.on_erase is not None:
            self.on_erase(tenant_id)
        if self.results is not None:
            self.results.clear()
        kept = bool(self.store.list_usage(tenant_id, limit=1).items)
        return Receipt(erased, now + timedelta(seconds=seconds_to_next_day(now)) if kept else None)
