"""Every collection of the product in its database stands in one list, computed here from what the product writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.product.emulator import Emulator
from shared.account.budgets import ProjectBudget
from shared.adapters.firestore.protocol import put
from shared.adapters.firestore.roots import (
    COLLECTIONS,
    OWNER,
    OWNER_PATH,
    ROOTS,
    is_path_of_product,
)
from shared.model.account import Spending
from tests.emulated import patient_store
from tests.functions.world import World
from tests.servers.firestore_proxy import Call, FirestoreProxy

CONFIRM = {"confirm": "erase everything"}


class WrittenNames:
    """A rule of the proxy that refuses nothing and keeps the path of every document that is written."""

    def __init__(self) -> None:
        self.paths: set[str] = set()

    def __call__(self, call: Call) -> None:
        if call.method not in ("Commit", "BatchWrite"):
            return
        for write in call.request.writes:
            path = write.update.name.partition("/documents/")[2]
            if path:
                self.paths.add(path)

    @property
    def collections(self) -> set[str]:
        """The collections that were written to, with `*` for each id."""
        collections = set()
        for path in self.paths:
            names = path.split("/")
            names[1::2] = "*" * len(names[1::2])
            collections.add("/".join(names[:-1]))
        return collections


@pytest.fixture
def written(
    cloud: World, emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WrittenNames]:
    """The collections that the functions write to from now on."""
    names = WrittenNames()
    with FirestoreProxy(emulator.host, names) as proxy:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", proxy.host)
        store = patient_store(firestore_project)
        budget = ProjectBudget(store, cloud.clock, usd=20.0)
        settings = replace(cloud.app.settings, daily_chat_limit=100, daily_embed_tokens=100_000)
        cloud.plug(
            store=store,
            project_budget=budget,
            settings=settings,
            embedded_token_usd=1e-6,
        )
        yield names


def use_everything(world: World) -> None:
    """Do everything that people, events and the scheduler do in a day, until somebody leaves."""
    for token in ("alice-token", "anna-token"):
        world.json(
            "PUT",
            "/notes/boat",
            {
                "title": "Boat",
                "text": "The boat is blue.",
                "path": "sea/boat.md",
            },
            token=token,
        )
    world.written("tenants/alice/notes/boat")
    world.written("tenants/acme/notes/boat")
    world.json("PUT", "/notes/boat", {"title": "Boat", "text": "The boat is red."})
    world.call("reconcile", "POST", "/", {"full": True}, token=None)
    for token in ("alice-token", "anna-token"):
        question = {
            "message": "Which colour is the boat?",
            "sessionId": "new",
            "requestId": "r-1",
        }
        answer = world.json("POST", "/chat", question, token=token)
        world.json("POST", "/feedback", {"requestId": "r-1", "rating": "up"}, token=token)
        session = f"/sessions/{answer['meta']['sessionId']}"
        assert world.call("api", "DELETE", session, token=token).status_code in (200, 204)
    template = {"name": "Boat repair", "content": "1. Find the leak."}
    world.json("PUT", "/templates/boat", template)
    for kind in (Spending.EMBEDDED_TOKENS, Spending.INDEX_WRITES):
        world.app.store.spend("alice", world.clock().date(), kind, 1)
    assert world.app.project_budget is not None
    with world.app.project_budget.reserved(1.0):  # as around a call of a hosted model
        pass
    world.json("DELETE", "/me", CONFIRM)


def test_the_list_of_collections_is_what_the_product_writes(
    cloud: World, written: WrittenNames
) -> None:
    use_everything(cloud)
    connection = cloud.app.store._db  # type: ignore[attr-defined]
    assert OWNER not in written.collections
    connection.commit([put(f"{connection.root}/{OWNER_PATH}", {})])
    assert written.collections == COLLECTIONS
    assert {path.partition("/")[0] for path in written.paths} == ROOTS
    assert not {path for path in written.paths if not is_path_of_product(path)}


@pytest.mark.parametrize(
    "path",
    [
        "tenants/acme",
        "tenants/acme/invoices/1",
        "tenants/acme/notes/1/attachments/2",
        "bookmarks/ann",
        "bookmarks/reconcile/pages/1",
        "auroraOwner/somebody",
        "rooms/1",
    ],
)
def test_a_document_that_the_product_never_writes_is_no_part_of_it(path: str) -> None:
    assert not is_path_of_product(path)


def test_every_name_at_the_root_comes_from_the_list() -> None:
    """A collection that no test uses would be missed by the test above."""
    folder = Path(__file__).parents[2] / "shared/adapters/firestore"
    for module in folder.glob("*.py"):
        for line in module.read_text().splitlines():
            after = line.partition("root}/")[2]
            assert not after or after[0] in '{"', f"{module.name}: {line.strip()}"
