"""Texts to unit vectors by an OpenAI-compatible server."""

from __future__ import annotations

import time
from collections.abc import Sequence

from shared.adapters.openai.connection import Connection, table
from shared.adapters.prefixes import prefixes
from shared.adapters.remote import RemoteEmbedder
from shared.adapters.retry import Clock
from shared.adapters.sdk_errors import Table
from shared.model.retrieval import CosineCalibration


class OpenAIEmbedder(RemoteEmbedder):
    """`base_url` ends in `/v1`. `api_key` None: the server wants none.

    The server is asked for `dimension`; one that ignores it and returns another is a PortContractError that names
    EMBEDDING_DIM and the value to set.
    """

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
        super().__init__(model=model, dimension=dimension, batch_size=batch_size, calibration=calibration, clock=clock)
        self._connection = Connection(base_url, api_key)
        self._prefixes = prefixes(model)

    def _request(self, texts: Sequence[str], seconds: float, *, as_query: bool) -> list[list[float]]:
        from shared.adapters.openai.replies import Embeddings  # noqa: PLC0415 - loads pydantic

        query, document = self._prefixes
        sent = [(query if as_query else document) + text for text in texts]
        raw = self._connection.client().embeddings.with_raw_response
        reply = raw.create(model=self.model, input=sent, dimensions=self.dimension, timeout=seconds)
        found = Embeddings.model_validate_json(reply.content).data
        return [entry.embedding for entry in sorted(found, key=lambda entry: entry.index)]

    def _errors(self) -> Table:
        return table()
