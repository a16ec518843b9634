"""Models whose calls count against budgets: an embedder against its tenant's, all hosted ones against the project's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date

from shared.account.budgets import ESTIMATE_FACTOR, Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.prices import TokenPrice
from shared.language.lengths import estimated_tokens
from shared.model.account import DayUsage, Spending
from shared.model.answers import Delta, Draft, Prompt, Usage
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration
from shared.ports.models import MAX_WRITTEN, Embedder, Reranker, Writer
from shared.ports.pages import Page
from shared.ports.stores import UsageStore


@dataclass(frozen=True, slots=True)
class TenantEmbedder:
    """Embedder whose calls count against its tenant's budget, beyond which they raise EmbeddingQuotaExceeded."""

    inner: Embedder
    tenant_id: str
    budgets: Budgets
    questions: Cache[Vector]
    """Cache of the process. Its keys name the tenant: the budget of one tenant stops no other with the same question."""
    estimate: Callable[[], CosineCalibration | None]
    """Estimates the calibration from the tenant's own vectors, for an embedder without a measured one."""

    @property
    def model(self) -> str:
        return self.inner.model

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def batch_size(self) -> int:
        return self.inner.batch_size

    @property
    def languages(self) -> frozenset[str] | None:
        return self.inner.languages

    @property
    def calibration(self) -> CosineCalibration | None:
        return self.inner.calibration or self.estimate()

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        with self.budgets.embedding(self.tenant_id, sum(map(estimated_tokens, texts))):
            return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        # A digest: what people ask stays in memory no longer than their requests.
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        key = (self.tenant_id, self.model, self.dimension, digest)
        vector = self.questions.get(key)
        if vector is None:
            with self.budgets.embedding(self.tenant_id, estimated_tokens(text)):
                vector = self.inner.embed_query(text)
            self.questions.put(key, vector)
        return vector


@dataclass(frozen=True, slots=True)
class MeteredWriter:
    """Writer whose calls count against the project's budget; one of unknown usage counts as the dearest possible."""

    inner: Writer
    budget: ProjectBudget
    price: TokenPrice

    @property
    def model(self) -> str:
        return self.inner.model

    def write(self, prompt: Prompt) -> Draft:
        with self.budget.reserved_call(self._highest_usd(prompt)) as bill:
            draft = self.inner.write(prompt)
            usd = self._usd(draft.usage)
            if usd:
                bill.usd = usd
        return draft

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        usage = None
        with (
            self.budget.reserved_call(self._highest_usd(prompt)) as bill,
            closing(self.inner.stream(prompt)) as pieces,
        ):
            for piece in pieces:
                bill.has_begun = True
                usage = piece.usage or usage
                yield piece
            # A reader who leaves earlier never learns what the model went on to write: the reserved sum stands.
            usd = self._usd(usage)
            if usd:
                bill.usd = usd

    def _highest_usd(self, prompt: Prompt) -> float:
        """Returns the most that answering the prompt can cost."""
        estimate = estimated_tokens(prompt.system) + estimated_tokens(prompt.user)
        return self.price.usd(Usage(ESTIMATE_FACTOR * estimate, MAX_WRITTEN))

    def _usd(self, usage: Usage | None) -> float | None:
        """Returns the price of the usage; None if it was not reported."""
        if usage is None or not usage.input_tokens + usage.output_tokens:
            return None
        return self.price.usd(usage)


@dataclass(frozen=True, slots=True)
class MeteredReranker:
    """Reranker that is a service and counts against the project's budget."""

    inner: Reranker
    budget: ProjectBudget
    price: TokenPrice

    @property
    def model(self) -> str:
        return self.inner.model

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        tokens = sum(map(estimated_tokens, (question, *passages)))
        with self.budget.reserved_reading(tokens, self.price.read):
            return self.inner.scores(question, passages)


@dataclass(frozen=True, slots=True)
class MeteredUsage:
    """Counts in the store. Each count writes a document, which is charged to the project's budget.

    The budget's own sum is not metered, as it is seldom written.
    """

    inner: UsageStore
    budget: ProjectBudget
    write_usd: float

    def spend(
        self,
        tenant_id: str,
        day: date,
        kind: Spending,
        amount: int,
        *,
        limit: int | None = None,
    ) -> bool:
        self.budget.add(self.write_usd)
        return self.inner.spend(tenant_id, day, kind, amount, limit=limit)

    def spent(self, tenant_id: str, day: date, kind: Spending) -> int:
        return self.inner.spent(tenant_id, day, kind)

    def list_usage(self, tenant_id: str, *, limit: int, token: str | None = None) -> Page[DayUsage]:
        return self.inner.list_usage(tenant_id, limit=limit, token=token)
