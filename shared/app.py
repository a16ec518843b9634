"""The product as one plain object: the parts that are plugged in, and the services that use them.

`shared.bootstrap.assemble` makes an App from Parts. Questions are asked of an App by `shared.asking`. What a search does
not need is imported and made when it is first used: the command's search waits for nothing that writes answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING

from shared.account.budgets import Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.idempotency import PATIENCE, Idempotency
from shared.account.index_writes import IndexBudget, IndexPrices
from shared.account.metering import MeteredUsage, TenantEmbedder
from shared.indexing.versions import index_version
from shared.model.index import Vector, vector_space
from shared.model.retrieval import CosineCalibration, Retrieved
from shared.retrieval.calibration import estimate_calibration
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import Retriever
from shared.settings import EXTRACTIVE, Settings, shipped
from shared.templates.cache import FolderCache

if TYPE_CHECKING:  # made when they are first used
    from shared.account.export import Erasure
    from shared.answering.checking import SupportPolicy
    from shared.answering.extractive import ExtractiveWriter
    from shared.indexing.chunking import Chunker
    from shared.indexing.pipeline import Indexer
    from shared.model.account import Person
    from shared.notes.service import Notes
    from shared.ports.access import Attester, Verifier
    from shared.ports.models import Embedder, Judge, Reranker, Writer
    from shared.ports.stores import Store, UsageStore
    from shared.sessions.service import Sessions
    from shared.templates.service import Templates

CALIBRATION_SECONDS = 3600.0
"""Seconds that a tenant's estimated calibration is kept: estimating it reads up to 60 documents."""

LEASE_BEYOND_WRITING = timedelta(seconds=30)
"""Time for the rest of an answer, beyond the timeout of the writing model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that is plugged in: settings, adapters behind their ports, and caches."""

    settings: Settings
    store: Store
    embedder: Embedder | None
    """Embedder; None if none is available, then keyword and recency search remain."""
    writer: Writer | None
    """Writing model; None if none is configured, then answers quote the notes."""
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
    judge: Writer | None = None
    """Model that judges whether passages support claims. With None, the offline judge does."""
    quoting_embedder: Embedder | None = None
    """Embedder on this machine that chooses quotes. With None, words choose them."""
    previous_embedder: Embedder | None = None
    """Embedder used before a change of the model, if it is still available; None without such a change."""
    chunker: Chunker | None = None
    """Cuts notes into chunks, for evaluations that compare chunkers. With None, Markdown's structure decides."""
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


@dataclass(frozen=True, kw_only=True)
class App(Parts):
    """The parts and the services that are bound to them. Safe to share between threads.

    The services keep the parts they were made with. To change a part, assemble the App again:
    `assemble(replace(app, writer=writer))`.
    """

    budgets: Budgets

    # -- saving and searching, which follow the same index version

    def embedder_of(self, tenant_id: str) -> Embedder | None:
        """Returns the embedder that bills the tenant and keeps recent questions, or None without an embedder."""
        return self._tenant_embedder(self.embedder, self.index_version, tenant_id)

    @cached_property
    def retriever(self) -> Retriever:
        """The searches; while the model changes, those by the previous one too."""
        options = RetrievalOptions.from_settings(
            self.settings,
            index_version=self.index_version,
            billed=self.store.bills_reads,
        )
        retriever = Retriever(
            store=self.store,
            embedder_of=self.embedder_of,
            options=options,
            executor=self.pool,
            reranker=self.reranker,
        )
        previous_version = self.previous_index_version
        if previous_version is None:
            return retriever

        from shared.indexing.model_change import is_changing  # noqa: PLC0415 - only while it changes

        previous_retriever = replace(
            retriever,
            embedder_of=self._previous_embedder_of,
            options=replace(options, index_version=previous_version, second_vectors=True),
        )
        return replace(
            retriever,
            previous_retriever=previous_retriever,
            is_changing=partial(
                is_changing,
                store=self.store,
                index_version=self.index_version,
            ),
        )

    @cached_property
    def indexer(self) -> Indexer:
        """Brings the index to what the notes say; while the model changes, by both models."""
        from shared.indexing.chunking import MARKDOWN  # noqa: PLC0415 - only where notes are saved
        from shared.indexing.pipeline import Indexer  # noqa: PLC0415

        writes = IndexBudget(
            usage_store(self),
            self.clock,
            limit=self.settings.daily_index_writes,
            prices=self.index_prices,
            project=self.project_budget,
        )
        indexer = Indexer(
            store=self.store,
            embedder=self.embedder,
            clock=self.clock,
            writes=writes,
            chunker=self.chunker or MARKDOWN,
            embedder_of=self.embedder_of,
            embedding_resumes=self.budgets.embedding_resumes,
        )
        previous_version = self.previous_index_version
        if previous_version is None:
            return indexer

        previous_indexer = replace(
            indexer,
            embedder=self.previous_embedder,
            embedder_of=self._previous_embedder_of,
            second_version=self.index_version,
        )
        return replace(
            indexer,
            previous_indexer=previous_indexer,
            second_version=previous_version,
        )

    @property
    def index_version(self) -> str:
        """Index version that notes are brought to, and that searches look for."""
        return self._version_of(self.embedder)

    @property
    def previous_index_version(self) -> str | None:
        """Index version of the previous model while the model changes; None if it does not."""
        if self.previous_embedder is None:
            return None
        version = self._version_of(self.previous_embedder)
        if vector_space(version) == vector_space(self.index_version):
            return None
        return version

    def _version_of(self, embedder: Embedder | None) -> str:
        if self.chunker is None:
            return index_version(embedder)
        return index_version(embedder, self.chunker.name)

    def _previous_embedder_of(self, tenant_id: str) -> Embedder | None:
        return self._tenant_embedder(
            self.previous_embedder,
            self._version_of(self.previous_embedder),
            tenant_id,
        )

    def _tenant_embedder(
        self,
        embedder: Embedder | None,
        version: str,
        tenant_id: str,
    ) -> Embedder | None:
        """Returns the embedder at the tenant's expense; None if there is no embedder."""
        if embedder is None:
            return None
        return TenantEmbedder(
            inner=embedder,
            tenant_id=tenant_id,
            budgets=self.budgets,
            questions=self.questions,
            estimate=partial(self._tenant_calibration, version, tenant_id),
        )

    def _tenant_calibration(self, version: str, tenant_id: str) -> CosineCalibration | None:
        """Returns the calibration estimated from the tenant's own vectors; None if it has fewer than two notes.

        The estimate is cached once there are enough notes for a stable one.
        """
        key = (tenant_id, version)
        cached = self.calibrations.get(key)
        if cached is not None:
            return cached
        estimate = estimate_calibration(tenant_id, store=self.store, index_version=version)
        if estimate is None:
            return None
        if estimate.is_stable:
            self.calibrations.put(key, estimate.calibration)
        return estimate.calibration

    # -- answering

    @property
    def model(self) -> str:
        """Model that answers unless a session or a request chooses another; the extractive writer's if none is
        configured.
        """
        if self.writer is not None:
            return self.writer.model
        return EXTRACTIVE

    @cached_property
    def extractive(self) -> ExtractiveWriter:
        """Quotes the nearest passages if `writer` is unavailable, or with a refusal."""
        from shared.answering.extractive import ExtractiveWriter  # noqa: PLC0415 - where answers are made

        return ExtractiveWriter(self.quoting_embedder, self.store)

    @cached_property
    def support(self) -> SupportPolicy:
        """The judge of whether passages support claims, and what happens to unsupported claims."""
        from shared.answering.checking import SupportPolicy  # noqa: PLC0415 - where answers are made

        is_strict = self.settings.support_policy == "strict"
        return SupportPolicy(judge_by(self.judge), strict=is_strict)

    @cached_property
    def templates(self) -> Templates:
        from shared.templates.service import Templates  # noqa: PLC0415 - where answers are made

        return Templates(
            store=self.store,
            folders=self.settings.template_folders or (shipped.TEMPLATES,),
            embedder_of=self.embedder_of,
            files=self.template_files,
            threshold=self.settings.template_threshold,
        )

    @cached_property
    def sessions(self) -> Callable[[Person], Sessions]:
        """Returns the sessions of a person. Raises SettingsError for SESSION_DEFAULTS that no session can have."""
        from shared.sessions.limits import checked_defaults  # noqa: PLC0415 - where answers are made
        from shared.sessions.service import Sessions  # noqa: PLC0415

        models = frozenset({self.model, *self.writers})
        defaults = checked_defaults(
            dict(self.settings.session_defaults),
            models=models,
            model=self.writer.model if self.writer else "",
        )
        return partial(
            Sessions,
            store=self.store,
            clock=self.clock,
            models=models,
            rewriter=self.ranker,
            longest_question=self.settings.chat_max_query_length,
            defaults=defaults,
        )

    @cached_property
    def idempotency(self) -> Idempotency:
        writing = timedelta(milliseconds=self.settings.chat_timeout_ms)
        return Idempotency(
            store=self.store,
            clock=self.clock,
            lease=writing + LEASE_BEYOND_WRITING,
            patience=self.patience,
        )

    # -- notes and accounts

    @cached_property
    def notes(self) -> Notes:
        from shared.notes.service import Notes  # noqa: PLC0415 - where notes are read and saved

        return Notes(store=self.store, clock=self.clock)

    @cached_property
    def erasure(self) -> Erasure:
        from shared.account.export import Erasure  # noqa: PLC0415 - where somebody leaves

        return Erasure(
            store=self.store,
            clock=self.clock,
            results=self.results,
            on_erase=self.on_erase,
        )


def usage_store(parts: Parts) -> UsageStore:
    """Returns where tenants' usage is counted, which itself is billed where documents are."""
    write_usd = parts.index_prices.write
    if parts.project_budget is None or not write_usd:
        return parts.store
    return MeteredUsage(parts.store, parts.project_budget, write_usd)


def judge_by(writer: Writer | None) -> Judge:
    """Returns the judge of support that asks a model, or the offline judge if `writer` is None."""
    from shared.judging.support import OfflineJudge  # noqa: PLC0415 - where answers are made

    offline = OfflineJudge()
    if writer is None:
        return offline
    from shared.judging.model_judge import ModelJudge  # noqa: PLC0415 - only where one is configured

    return ModelJudge(writer, fallback=offline)
