"""An embedder at one tenant's expense: what it embeds counts against the budget, and a question is embedded once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shared.account.budgets import Budgets
from shared.account.caches import Cache
from shared.language.estimates import estimated_tokens
from shared.model.index import Vector
from shared.model.retrieval import Scale
from shared.ports.models import Embedder


@dataclass(frozen=True, slots=True)
class TenantEmbedder:
    """`shared.ports.models.Embedder` around another. Raises EmbeddingsSpent where the tenant's budget is used up."""

    inner: Embedder
    tenant_id: str
    budgets: Budgets
    questions: Cache[Vector]
    """The process's. Each tenant's questions are their own: what stops one tenant stops no other who asks the same."""
    estimate: Callable[[], Scale]
    """What cosines mean, by the tenant's own vectors: where nobody has measured it."""

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
    def scale(self) -> Scale:
        return self.inner.scale or self.estimate()

    @property
    def languages(self) -> frozenset[str] | None:
        return self.inner.languages

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        with self.budgets.embedding(self.tenant_id, sum(map(estimated_tokens, texts))):
            return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        # A digest: what people ask stays in memory no longer than their requests.
        key = (
            self.tenant_id,
            self.model,
            self.dimension,
            hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(),
        )
        return self.questions.get(key, lambda: self._embed_query(text))

    def _embed_query(self, text: str) -> Vector:
        with self.budgets.embedding(self.tenant_id, estimated_tokens(text)):
            return self.inner.embed_query(text)
