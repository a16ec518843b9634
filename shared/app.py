"""Everything plugged in, and what is bound from it once: notes, the index, searching, sessions, templates, the account.

Questions are asked of it by `shared.asking`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from shared.account.budgets import Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.export import Erasure
from shared.account.idempotency import PATIENCE, Idempotency
from shared.account.metering import TenantEmbedder
from shared.answering.checking import SupportPolicy
from shared.answering.extractive import ExtractiveWriter
from shared.indexing.chunking import MARKDOWN, Chunker
from shared.indexing.pipeline import Indexer, index_version
from shared.model.account import Person
from shared.model.index import Vector, vector_space
from shared.model.retrieval import CosineCalibration, Retrieved
from shared.notes.service import Notes
from shared.ports.access import Attester, Verifier
from shared.ports.models import Embedder, Reranker, Writer
from shared.ports.stores import Store
from shared.retrieval.calibration import estimated
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import Retriever
from shared.sessions.limits import checked_defaults
from shared.sessions.service import Sessions
from shared.settings import Settings
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
    before: Embedder | None = None
    """The embedder of before a change of the model, as long as both are at hand; None: there is no such change."""
    chunker: Chunker = MARKDOWN
    """How notes are cut; evaluation compares others."""
    template_files: FolderCache = field(default_factory=FolderCache)
    """The templates of the configured folders."""
    questions: Cache[Vector] = field(default_factory=Cache)
    """Vectors of questions asked lately."""
    calibrations: Cache[CosineCalibration] = field(default_factory=partial(Cache, seconds=CALIBRATION_SECONDS))
    """What cosines mean to each tenant, where the embedder's calibration is not set."""
    results: Cache[Retrieved] | None = field(default_factory=Cache)
    """What searches found lately; None: not kept."""
    on_erase: Callable[[str], None] | None = None
    """Forgets what is kept of a tenant outside the store; None: nothing is."""
    embedded_token_usd: float = 0.0
    """Price of a token that is embedded; 0: a local model, or one whose price is unknown."""
    project_budget: ProjectBudget | None = None
    """What all tenants together may cost a day; None: there is no limit."""
    patience: float = PATIENCE
    """Seconds that a request waits for another of the same `requestId`."""

    # Bound from the parts above: `replace` binds them anew.
    model: str = field(init=False)
    """What writes, or quotes, unless a session or a request chooses another."""
    budgets: Budgets = field(init=False)
    embedder_of: Callable[[str], Embedder | None] = field(init=False)
    """Tenant -> the embedder at this tenant's expense; questions asked lately are not embedded again."""
    notes: Notes = field(init=False)
    indexer: Indexer = field(init=False)
    retriever: Retriever = field(init=False)
    templates: Templates = field(init=False)
    sessions: Callable[[Person], Sessions] = field(init=False)
    idempotency: Idempotency = field(init=False)
    erasure: Erasure = field(init=False)

    def __post_init__(self) -> None:
        for name, bound in _bound(self).items():
            object.__setattr__(self, name, bound)


def _bound(app: App) -> Mapping[str, object]:
    """Field -> what the App's parts make of it."""
    settings, store, clock = app.settings, app.store, app.clock
    version = index_version(app.embedder, app.chunker)
    model = app.writer.model if app.writer else app.extractive.model
    models = frozenset({model, *app.writers})
    budgets = Budgets(
        store=store,
        clock=clock,
        answers=settings.daily_chat_limit,
        searches=settings.daily_search_limit,
        embedded_tokens=settings.daily_embed_tokens,
        embedded_token_usd=app.embedded_token_usd,
        project=app.project_budget,
    )
    embedder_of = partial(_tenant_embedder, app, app.embedder, version)
    options = RetrievalOptions.from_settings(settings, index_version=version, billed=store.bills_reads)
    indexer = Indexer(store=store, embedder=app.embedder, clock=clock, chunker=app.chunker, embedder_of=embedder_of)
    retriever = Retriever(
        store=store, embedder_of=embedder_of, options=options, executor=app.pool, reranker=app.reranker
    )
    old = index_version(app.before, app.chunker)
    if app.before and vector_space(old) != vector_space(version):
        old_embedder = partial(_tenant_embedder, app, app.before, old)
        earlier = replace(indexer, embedder=app.before, embedder_of=old_embedder, keeps=version)
        indexer = replace(indexer, before=earlier, keeps=old)
        searcher = replace(retriever, embedder_of=old_embedder, options=replace(options, index_version=old, kept=True))
        retriever = replace(retriever, before=(searcher, indexer.is_changing))
    lease = timedelta(milliseconds=settings.chat_timeout_ms) + LEASE_BEYOND_WRITING
    return {
        "model": model,
        "budgets": budgets,
        "embedder_of": embedder_of,
        "sessions": partial(
            Sessions,
            store=store,
            clock=clock,
            models=models,
            rewriter=app.ranker,
            longest_question=settings.chat_max_query_length,
            defaults=checked_defaults(dict(settings.session_defaults), models=models),
        ),
        "notes": Notes(store=store, clock=clock),
        "indexer": indexer,
        "retriever": retriever,
        "templates": Templates(
            store=store,
            folders=settings.template_folders or (SHIPPED,),
            embedder_of=embedder_of,
            files=app.template_files,
            threshold=settings.template_threshold,
        ),
        "idempotency": Idempotency(store=store, clock=clock, lease=lease, patience=app.patience),
        "erasure": Erasure(store=store, clock=clock, results=app.results, on_erase=app.on_erase),
    }


def _tenant_embedder(app: App, inner: Embedder | None, version: str, tenant_id: str) -> Embedder | None:
    """None: there is no embedder."""

    def calibration() -> CosineCalibration | None:
        """None before there are two notes to estimate it by; kept only where there are notes enough."""
        kept = app.calibrations.get((tenant_id, version))
        found = None if kept else estimated(tenant_id, store=app.store, index_version=version)
        if found is None:
            return kept
        calibration, may_be_kept = found
        if may_be_kept:
            app.calibrations.put((tenant_id, version), calibration)
        return calibration

    return inner and TenantEmbedder(
        inner=inner, tenant_id=tenant_id, budgets=app.budgets, questions=app.questions, estimate=calibration
    )
