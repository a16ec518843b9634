"""The product as one plain object: the parts that are plugged in, and the services that use them.

`shared.bootstrap.assemble` makes an App from Parts. Questions are asked of an App by `shared.asking`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from shared.account.budgets import Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.export import Erasure
from shared.account.idempotency import PATIENCE, Idempotency
from shared.account.index_writes import IndexPrices
from shared.answering.checking import SupportPolicy
from shared.answering.extractive import ExtractiveWriter
from shared.indexing.chunking import MARKDOWN, Chunker
from shared.indexing.pipeline import Indexer
from shared.model.account import Person
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration, Retrieved
from shared.notes.service import Notes
from shared.ports.access import Attester, Verifier
from shared.ports.models import Embedder, Reranker, Writer
from shared.ports.stores import Store
from shared.retrieval.pipeline import Retriever
from shared.sessions.service import Sessions
from shared.settings import Settings
from shared.templates.service import FolderCache, Templates

CALIBRATION_SECONDS = 3600.0
"""Seconds that a tenant's estimated calibration is kept: estimating it reads up to 60 documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that is plugged in: settings, adapters behind their ports, and caches."""

    settings: Settings
    store: Store
    embedder: Embedder | None
    """Embedder; None if none is available, then keyword and recency search remain."""
    writer: Writer | None
    """Writing model; None if none is configured, then answers quote the notes."""
    extractive: ExtractiveWriter
    """Quotes the nearest passages if `writer` is unavailable, or with a refusal."""
    verifier: Verifier
    pool: Executor
    """Runs the parallel searches of one question."""
    clock: Callable[[], datetime]
    attester: Attester | None = None
    """Verifier of App Check; None if requests may come from any app."""
    reranker: Reranker | None = None
    """Reorders the best passages; None keeps them in the order of their scores."""
    writers: Mapping[str, Writer] = field(default_factory=dict)
    """Further models that a session or a request may choose, by name."""
    ranker: Writer | None = None
    """Model that ranks folders; None if there is none."""
    support: SupportPolicy = field(default_factory=SupportPolicy)
    """The judge of whether passages support claims, and what happens to unsupported claims."""
    previous_embedder: Embedder | None = None
    """Embedder used before a change of the model, if it is still available; None without such a change."""
    chunker: Chunker = MARKDOWN
    """Cuts notes into chunks; evaluation compares others."""
    template_files: FolderCache = field(default_factory=FolderCache)
    """Templates of the configured folders."""
    questions: Cache[Vector] = field(default_factory=Cache)
    """Vectors of recent questions."""
    calibrations: Cache[CosineCalibration] = field(
        default_factory=partial(Cache, seconds=CALIBRATION_SECONDS),
    )
    """Estimated calibrations by (tenant, index version), for an embedder without a measured one."""
    results: Cache[Retrieved] | None = field(default_factory=Cache)
    """Results of recent searches; None keeps none."""
    on_erase: Callable[[str], None] | None = None
    """Forgets what is stored about a tenant outside the store; None if nothing is."""
    embedded_token_usd: float = 0.0
    """Price of embedding one token; 0 for a local model or an unknown price."""
    index_prices: IndexPrices = field(default_factory=IndexPrices)
    """Prices of the documents that the index writes and deletes; 0 if the store bills none."""
    project_budget: ProjectBudget | None = None
    """Daily budget of all tenants together; None if there is no limit."""
    patience: float = PATIENCE
    """Seconds that a request waits for another one with the same `requestId`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class App(Parts):
    """The parts and the services that are bound to them. Safe to share between threads.

    The services keep the parts they were made with. To change a part, assemble the App again:
    `assemble(replace(app, writer=writer))`.
    """

    model: str
    """Model that answers unless a session or a request chooses another; the extractive writer's if none is
    configured.
    """
    budgets: Budgets
    embedder_of: Callable[[str], Embedder | None]
    """Returns the embedder that bills the given tenant and does not embed recent questions again."""
    notes: Notes
    indexer: Indexer
    retriever: Retriever
    templates: Templates
    sessions: Callable[[Person], Sessions]
    """Returns the sessions of a person."""
    idempotency: Idempotency
    erasure: Erasure
