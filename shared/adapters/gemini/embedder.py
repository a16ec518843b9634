"""Texts to unit vectors by Gemini."""

from __future__ import annotations

import time
from collections.abc import Sequence

from shared.adapters.gemini.connection import Connection, table, within
from shared.adapters.remote import RemoteEmbedder
from shared.adapters.retry import QUERY_SECONDS, Clock
from shared.adapters.sdk_errors import Table
from shared.model.retrieval import CosineCalibration

DEFAULT_MODEL = "gemini-embedding-2"


class GeminiEmbedder(RemoteEmbedder):
    """`gemini-embedding-2` takes its task as a part of the text, older models as a field of the request.

    `dimension`: 1-3072 (Firestore stores at most 2048). `batch_size`: at most 100 texts a call. `project` (with
    `location`) goes through Vertex AI, otherwise `api_key` is needed. `query_timeout`: seconds that a query
    may take with all its attempts.
    """

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
        super().__init__(model=model, dimension=dimension, batch_size=batch_size, calibration=calibration, clock=clock)
        self._connection = Connection(api_key=api_key, base_url=base_url, project=project, location=location)
        self._query_seconds = query_timeout
        self._task_in_text = model.rpartition("/")[2].startswith("gemini-embedding-2")

    def _request(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> list[list[float]]:
        from google.genai import types  # noqa: PLC0415 - 400 ms that a cold start need not pay

        config = types.EmbedContentConfig(output_dimensionality=self.dimension, http_options=within(seconds))
        before = ""
        if self._task_in_text:
            before = "task: search result | query: " if as_query else "title: none | text: "
        else:
            config.task_type = "RETRIEVAL_QUERY" if as_query else "RETRIEVAL_DOCUMENT"
        # A list of strings would come back as a single vector of them all.
        contents = [types.Content(role="user", parts=[types.Part(text=before + text)]) for text in texts]
        reply = self._connection.client().models.embed_content(model=self.model, contents=contents, config=config)
        return [embedding.values or [] for embedding in reply.embeddings or []]

    def _errors(self) -> Table:
        return table()
