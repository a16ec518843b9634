"""The functions on an App of their own, called as the cloud calls them."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import functions_framework
from flask.testing import FlaskClient
from werkzeug.serving import make_server
from werkzeug.test import TestResponse

from functions.http.log import JsonLines
from shared import bootstrap
from shared.app import App, Parts
from shared.errors import AuroraError, Unauthenticated
from shared.model.account import Person
from shared.ports.access import Identity
from shared.ports.models import Embedder
from shared.ports.stores import Store
from shared.settings import Settings
from shared.tracing import RequestThreads

ALICE = Person("alice", "alice")
ROOT = Path(__file__).resolve().parents[2]
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@dataclass
class Clock:
    """Stands still until it is moved."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **spans: float) -> None:
        self.now += timedelta(**spans)


@dataclass
class Tokens:
    """A verifier that knows a few tokens by heart."""

    outage: AuroraError | None = None
    known: dict[str, Identity] = field(
        default_factory=lambda: {
            "alice-token": Identity("alice", "alice"),
            "bob-token": Identity("bob", "bob"),
            "anna-token": Identity("anna", "acme"),
            "ben-token": Identity("ben", "acme", "member"),
            "owner-token": Identity("olga", "acme", "owner"),
        }
    )

    def verify(self, token: str | None) -> Identity:
        if self.outage:
            raise self.outage
        if token not in self.known:
            raise Unauthenticated("the ID token does not verify")
        return self.known[token]


def hosted(name: str) -> FlaskClient:
    """A client of one function's own host."""
    client: FlaskClient = functions_framework.create_app(name, str(ROOT / "main.py")).test_client()  # type: ignore[no-untyped-call]
    return client


class Lines(logging.Handler):
    """Every log line as it would go out."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(JsonLines())
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))

    def requests(self) -> list[dict[str, Any]]:
        lines = [json.loads(text) for text in self.texts]
        return [line for line in lines if "httpRequest" in line]


@dataclass
class World:
    """All functions on one App; requests are Alice's unless they say otherwise."""

    app: App
    clock: Clock
    tokens: Tokens
    clients: dict[str, FlaskClient]

    def call(
        self,
        function: str,
        method: str,
        path: str,
        body: object = None,
        **options: Any,  # noqa: ANN401 - werkzeug's own
    ) -> TestResponse:
        """`body`: JSON, or bytes as they are. `token`: None for nobody."""
        token = options.pop("token", "alice-token")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        data = (
            body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        )
        return self.clients[function].open(
            path,
            method=method,
            data=data,
            headers={**headers, **options.pop("headers", {})},
            **options,
        )

    def json(self, method: str, path: str, body: object = None, **options: Any) -> Any:  # noqa: ANN401 - JSON
        """Return the JSON of a route of `chat` or `api` that answers with 200."""
        response = self.call("chat" if path == "/chat" else "api", method, path, body, **options)
        assert response.status_code == 200, response.get_data(as_text=True)
        return response.get_json()

    def ask(self, message: str, **more: object) -> dict[str, Any]:
        """The answer of /chat."""
        answer: dict[str, Any] = self.json("POST", "/chat", {"message": message, **more})
        return answer

    def plug(self, **parts: Any) -> None:  # noqa: ANN401 - fields of App
        """Replace parts of the App."""
        self.app = bootstrap.assemble(replace(self.app, **parts))
        bootstrap.use(self.app)

    def put(self, note_id: str, **note: object) -> TestResponse:
        return self.call(
            "api",
            "PUT",
            f"/notes/{note_id}",
            {
                "title": "",
                "text": "",
                **note,
            },
        )

    def written(self, path: str, data: bytes = b"", **headers: str) -> TestResponse:
        """Deliver the event that a document was written."""
        cloud_event = {
            "ce-specversion": "1.0",
            "ce-id": "event-1",
            "ce-source": "//firestore.googleapis.com/projects/p/databases/(default)",
            "ce-type": "google.cloud.firestore.document.v1.written",
            "ce-document": path,
        }
        present = {name: value for name, value in {**cloud_event, **headers}.items() if value}
        function = "on_template_write" if "/templates/" in path else "on_note_write"
        return self.clients[function].post(
            "/", data=data, headers=present, content_type="application/protobuf"
        )

    def save(self, note_id: str, **note: object) -> None:
        """Save a note and let the index follow."""
        assert self.put(note_id, **note).status_code == 200
        assert self.written(f"tenants/alice/notes/{note_id}").status_code == 200


@contextmanager
def world_on(
    store: Store, home: Path, clients: dict[str, FlaskClient], embedder: Embedder
) -> Iterator[World]:
    """Nobody but Alice and Bob."""
    clock = Clock()
    tokens = Tokens()
    with RequestThreads(4) as pool:
        parts = Parts(
            settings=Settings(
                home=home,
                auth="none",
                allowed_origins=("https://notes.example",),
            ),
            store=store,
            embedder=embedder,
            writer=None,
            verifier=tokens,
            pool=pool,
            clock=clock,
        )
        yield World(bootstrap.assemble(parts), clock, tokens, clients)


@contextmanager
def listening(world: World, function: str) -> Iterator[int]:
    """One function as a server gives it to the network: its port."""
    server = make_server("127.0.0.1", 0, world.clients[function].application, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def problem(response: TestResponse) -> tuple[int, str, str]:
    """(HTTP status, reason, field) of a Google JSON error; checks its form."""
    assert response.mimetype == "application/json"
    error = response.get_json()["error"]
    assert set(error) == {"code", "status", "message", "details"}
    assert error["code"] == response.status_code
    detail = error["details"][0]
    return error["code"], detail["reason"], detail.get("metadata", {}).get("field", "")
