"""Texts to unit vectors by Gemini."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from shared.adapters.gemini.connection import Connection, table, within
from shared.adapters.retry import BATCH_SECONDS, DOCUMENTS_SECONDS, QUERY_SECONDS, Clock, retry_within
from shared.adapters.sdk_errors import translated
from shared.adapters.unit_vectors import unit_vectors
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration

if TYPE_CHECKING:
    from google.genai import types

DEFAULT_MODEL = "gemini-embedding-2"


class GeminiEmbedder:
    """`gemini-embedding-2` takes its task as a part of the text, older models as a field of the request.

    `dimension`: 1-3072 (Firestore stores at most 2048). `batch_size`: at most 100 texts a call. `project` (with
    `location`) goes through Vertex AI, otherwise `api_key` is needed. `query_timeout`: seconds that a query
    may take with all its attempts.
    """

    languages = None

    def __init__(
        self,
        *,
        model: str = DEFAULT_MODEL,
        dimension: int = 768,
        batch_size: int = 10,
        api_key: str | None = None,
        base_url: str | None = None,
        project: str | None = None,
        location: str = "global",
        query_timeout: float = QUERY_SECONDS,
        calibration: CosineCalibration | None = None,
        clock: Clock = time,
    ) -> None:
        self.model = model
        self.dimension = dimension
        self.batch_size = batch_size
        self.calibration = calibration
        self._connection = Connection(api_key=api_key, base_url=base_url, project=project, location=location)
        self._query_timeout = query_timeout
        self._clock = clock

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order. Raises ModelUnavailable, ModelRefused, PortContractError."""
        if not texts:
            return ()
        if self._task_in_text:
            texts = [f"title: none | text: {text}" for text in texts]
        return self._embed(texts, "RETRIEVAL_DOCUMENT", DOCUMENTS_SECONDS)

    def embed_query(self, text: str) -> Vector:
        """Raises as `embed_documents`."""
        asked = f"task: search result | query: {text}" if self._task_in_text else text
        return self._embed([asked], "RETRIEVAL_QUERY", self._query_timeout)[0]

    @property
    def _task_in_text(self) -> bool:
        return self.model.rpartition("/")[2].startswith("gemini-embedding-2")

    def _embed(self, texts: Sequence[str], task: str, seconds: float) -> tuple[Vector, ...]:
        def call(left: float) -> tuple[Vector, ...]:
            with translated(table, self.model):
                reply = self._request(texts, task, left)
            rows = [embedding.values or [] for embedding in reply.embeddings or []]
            return unit_vectors(rows, count=len(texts), dimension=self.dimension, model=self.model)

        return retry_within(call, model=self.model, seconds=seconds, attempt_seconds=BATCH_SECONDS, clock=self._clock)

    def _request(self, texts: Sequence[str], task: str, seconds: float) -> types.EmbedContentResponse:
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        config = types.EmbedContentConfig(output_dimensionality=self.dimension, http_options=within(seconds))
        if not self._task_in_text:
            config.task_type = task
        # A list of strings would come back as a single vector of them all.
        contents = [types.Content(role="user", parts=[types.Part(text=text)]) for text in texts]
        return self._connection.client().models.embed_content(model=self.model, contents=contents, config=config)
