"""Models whose calls count against budgets: an embedder against its tenant's, all hosted ones against the project's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from shared.account.budgets import ESTIMATE_FACTOR, Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.prices import TokenPrice
from shared.language.lengths import estimated_tokens
from shared.model.answers import Delta, Draft, Judgement, Prompt, Statement, Usage
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration
from shared.ports.models import MAX_WRITTEN, Embedder, Judge, Reranker, Writer


@dataclass(frozen=True, slots=True)
class TenantEmbedder:
    """`shared.ports.models.Embedder` around another. Raises EmbeddingQuotaExceeded beyond the tenant's budget."""

    inner: Embedder
    tenant_id: str
    budgets: Budgets
    questions: Cache[Vector]
    """The process's. Each tenant's questions are their own: what stops one tenant stops no other who asks the same."""
    estimate: Callable[[], CosineCalibration | None]
    """Estimates the calibration from the tenant's own vectors, for an embedder without a measured one."""
    model: str = field(init=False)
    dimension: int = field(init=False)
    batch_size: int = field(init=False)
    languages: frozenset[str] | None = field(init=False)

    def __post_init__(self) -> None:
        for name in ("model", "dimension", "batch_size", "languages"):
            object.__setattr__(self, name, getattr(self.inner, name))

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
    """`shared.ports.models.Writer` around another. A call whose usage is unknown counts as the dearest it can be."""

    inner: Writer
    budget: ProjectBudget
    price: TokenPrice

    @property
    def model(self) -> str:
        return self.inner.model

    def write(self, prompt: Prompt) -> Draft:
        with self.budget.reserved(self._most(prompt)) as bill:
            draft = self.inner.write(prompt)
            bill.usd = self._usd(draft.usage) or bill.usd
        return draft

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        usage = None
        with self.budget.reserved(self._most(prompt)) as bill, closing(self.inner.stream(prompt)) as pieces:
            for piece in pieces:
                usage = piece.usage or usage
                yield piece
            bill.usd = self._usd(usage) or bill.usd  # who leaves before never learns what the model went on to write

    def _most(self, prompt: Prompt) -> float:
        read = ESTIMATE_FACTOR * (estimated_tokens(prompt.system) + estimated_tokens(prompt.user))
        return self.price.usd(Usage(read, MAX_WRITTEN))

    def _usd(self, usage: Usage | None) -> float | None:
        """None: not reported."""
        return self.price.usd(usage) if usage and usage.input_tokens + usage.output_tokens else None


@dataclass(frozen=True, slots=True)
class MeteredReranker:
    """`shared.ports.models.Reranker` around a service."""

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
class MeteredJudge:
    """`shared.ports.models.Judge` around a service."""

    inner: Judge
    budget: ProjectBudget
    price: TokenPrice

    @property
    def name(self) -> str:
        return self.inner.name

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        texts = [text for each in statements for text in (each.text, *(chunk.text for chunk in each.passages))]
        with self.budget.reserved_reading(sum(map(estimated_tokens, texts)), self.price.read):
            return self.inner.judge(statements)
