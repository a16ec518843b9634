from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from shared import bootstrap
from shared.adapters.embedded import EmbeddedStore
from shared.adapters.firestore import FirestoreStore
from tests.fakes import HashingEmbedder
from tests.functions.world import Lines, World, hosted, world_on

FUNCTIONS = ("chat", "api", "on_note_write", "on_template_write", "reconcile")


@pytest.fixture(scope="session")
def clients() -> dict[str, FlaskClient]:
    return {name: hosted(name) for name in FUNCTIONS}


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


@pytest.fixture
def world(
    tmp_path: Path,
    clients: dict[str, FlaskClient],
    embedder: HashingEmbedder,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    """Nobody but Alice and Bob, on an empty embedded store."""
    store = EmbeddedStore(tmp_path / "home")
    with world_on(store, tmp_path / "home", clients, embedder) as world:
        monkeypatch.setattr(bootstrap, "_process", [world.app])
        yield world
    store.close()


@pytest.fixture
def cloud(world: World, firestore_store: FirestoreStore) -> World:
    """`world` on Firestore's emulator."""
    world.plug(store=firestore_store)
    return world


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler = Lines()
    loggers = [logging.getLogger(name) for name in ("functions", "shared")]
    for logger in loggers:
        logger.addHandler(handler)
    yield handler
    for logger in loggers:
        logger.removeHandler(handler)


@pytest.fixture
def boat(world: World) -> World:
    world.save("boat", title="Boat", text="The boat leaks in the bow. Tar mends the leak.")
    return world
