"""`POST /search`, from the request to the reply, through the host of the deployed functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import functions_framework

from shared import bootstrap
from shared.model.index import Vector
from shared.ports.stores import Store
from shared.settings import Settings

MAIN = Path(__file__).resolve().parent.parent / "main.py"


@dataclass(frozen=True, slots=True)
class GivenVectors:
    """An embedder that takes no time: `draw` gives a unit vector for any text."""

    draw: Callable[[], Vector]
    dimension: int
    model: str = "random"
    batch_size: int = 100
    calibration: None = None
    languages: None = None

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        return tuple(self.draw() for _ in texts)

    def embed_query(self, text: str) -> Vector:
        del text
        return self.draw()


class SearchRoute:
    """One warm instance of the function `api` on a tenant's store."""

    def __init__(
        self,
        store: Store,
        tenant_id: str,
        embedder: GivenVectors,
        project: str,
    ) -> None:
        settings = Settings.from_env(
            {
                "STORE": "firestore",
                "AUTH": "none",
                "GOOGLE_CLOUD_PROJECT": project,
                "LOG_LEVEL": "ERROR",
            },
        )
        built = bootstrap.build(settings, tenant=tenant_id)
        self._app = bootstrap.assemble(replace(built, store=store, embedder=embedder))
        bootstrap.use(self._app)
        self._client = functions_framework.create_app("api", str(MAIN)).test_client()  # type: ignore[no-untyped-call]

    def search(self, query: str, *, k: int) -> int:
        """Asks once and returns the number of results."""
        reply = self._client.post("/search", json={"query": query, "k": k})
        assert reply.status_code == 200, reply.get_data(as_text=True)
        return len(reply.get_json()["results"])

    def close(self) -> None:
        self._app.pool.shutdown()
