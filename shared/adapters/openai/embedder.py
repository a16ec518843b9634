"""Texts to unit vectors by an OpenAI-compatible server."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shared.adapters.openai.connection import Connection, table
from shared.adapters.prefixes import prefixes
from shared.adapters.retry import BATCH_SECONDS, DOCUMENTS_SECONDS, QUERY_SECONDS, Clock, retry_within
from shared.adapters.sdk_errors import translated
from shared.adapters.unit_vectors import unit_vectors
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration

if TYPE_CHECKING:
    from shared.adapters.openai.replies import Embeddings


class OpenAIEmbedder:
    """`base_url` ends in `/v1`. `api_key` None: the server wants none.

    The server is asked for `dimension`; one that ignores it and returns another is a PortContractError that names
    EMBEDDING_DIM and the value to set.
    """

    languages = None

    def __init__(
        self,
        *,
        model: str,
        base_url: str,
        dimension: int = 768,
        batch_size: int = 10,
        api_key: str | None = None,
        calibration: CosineCalibration | None = None,
        clock: Clock = time,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self.batch_size = batch_size
        self.calibration = calibration
        self._connection = Connection(base_url, api_key)
        self._clock = clock
        self._query_prefix, self._document_prefix = prefixes(model)

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order. Raises ModelUnavailable, ModelRefused, PortContractError."""
        if not texts:
            return ()
        return self._embed([self._document_prefix + text for text in texts], DOCUMENTS_SECONDS)

    def embed_query(self, text: str) -> Vector:
        """Raises as `embed_documents`."""
        return self._embed([self._query_prefix + text], QUERY_SECONDS)[0]

    def _embed(self, texts: list[str], seconds: float) -> tuple[Vector, ...]:
        def call(left: float) -> tuple[Vector, ...]:
            with translated(table, self.model):
                reply = self._request(texts, left)
            rows = [entry.embedding for entry in sorted(reply.data, key=lambda entry: entry.index)]
            return unit_vectors(rows, count=len(texts), dimension=self.dimension, model=self.model)

        return retry_within(call, model=self.model, seconds=seconds, attempt_seconds=BATCH_SECONDS, clock=self._clock)

    def _request(self, texts: list[str], seconds: float) -> Embeddings:
        from shared.adapters.openai.replies import Embeddings  # noqa: PLC0415 - loads pydantic

        raw = self._connection.client().embeddings.with_raw_response
        reply = raw.create(model=self.model, input=texts, dimensions=self.dimension, timeout=seconds)
        return Embeddings.model_validate_json(reply.content)
