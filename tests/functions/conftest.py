from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from shared import bootstrap
from shared.adapters.embedded import EmbeddedStore
from shared.answering.quoting import Quoter
from shared.app import App
from shared.settings import Settings
from shared.threads import RequestThreads
from tests.fakes import HashingEmbedder
from tests.functions.world import Clock, Tokens, World, hosted

FUNCTIONS = ("chat", "api", "on_note_write", "on_template_write", "reconcile")


@pytest.fixture(scope="session")
def clients() -> dict[str, FlaskClient]:
    return {name: hosted(name) for name in FUNCTIONS}


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def world(
    tmp_path: Path, clients: dict[str, FlaskClient], embedder: HashingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """Nobody but Alice and Bob, on an empty embedded store."""
    store, clock, tokens = EmbeddedStore(tmp_path / "home"), Clock(), Tokens()
    with RequestThreads(4) as pool:
        app = App(
            settings=Settings(home=tmp_path / "home", auth="none", allowed_origins=("https://notes.example",)),
            store=store,
            embedder=embedder,
            writer=None,
            quoter=Quoter(),
            verifier=tokens,
            pool=pool,
            clock=clock,
            notice="test",
        )
        monkeypatch.setattr(bootstrap, "_process", [app])
        yield World(app, clock, tokens, clients)
    store.close()
