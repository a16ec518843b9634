from __future__ import annotations

from dataclasses import replace

import pytest

from shared import bootstrap
from tests.functions.conftest import clients, embedder, world
from tests.functions.world import World
from tests.trust.obedient import ObedientWriter

__all__ = ["clients", "embedder", "world"]

SECRETS = {"bob": "BOB-SECRET-oak", "private": "ALICE-SECRET-attic"}
"""Secrets of another tenant, and of a folder in which no question here looks."""
OFFERED = "OFFERED-SECRET-cellar"


@pytest.fixture
def writer(world: World, monkeypatch: pytest.MonkeyPatch) -> ObedientWriter:
    """Obeys every word; beside it a note of Bob's, one of Alice's that is not offered, and one that is."""
    obedient = ObedientWriter()
    monkeypatch.setattr(
        bootstrap, "_process", [bootstrap.assemble(replace(world.app, writer=obedient))]
    )
    bobs = {
        "title": "Boat",
        "text": f"The boat plan and its paint: {SECRETS['bob']}.",
        "path": "inbox/boat.md",
    }
    assert world.call("api", "PUT", "/notes/bob-boat", bobs, token="bob-token").status_code == 200
    world.written("tenants/bob/notes/bob-boat")
    world.save(
        "attic", text=f"The boat plan and its paint: {SECRETS['private']}.", path="private/attic.md"
    )
    world.save(
        "cellar",
        text=f"The boat plan's paint stands in the {OFFERED}. 😀 It is blue.",
        path="inbox/cellar.md",
    )
    return obedient
