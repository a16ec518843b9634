"""Two deployments with different embedders on one database: the one that the database names writes its index, alone."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.adapters.firestore.protocol import put
from shared.adapters.firestore.roots import DATABASE_FIELD, OWNER_PATH, PREFIX_FIELD, PROJECT_FIELD
from shared.model.documents import TEMPLATES
from shared.model.templates import StoredTemplate, Template
from tests.emulated import patient_store
from tests.fakes import HashingEmbedder
from tests.functions.world import Lines, World, problem

NOTES = 20
TEMPLATE = "tenants/alice/templates/boat"
As = Callable[[str], HashingEmbedder]


@pytest.fixture
def running_as(cloud: World, firestore_project: str) -> As:
    """Makes the functions those of another deployment, with an embedder of another dimension: its prefix -> that."""
    embedders = {"": HashingEmbedder(dimension=64), "staging-": HashingEmbedder(dimension=32)}

    def switch(prefix: str) -> HashingEmbedder:
        store = patient_store(firestore_project, deployment=prefix)
        cloud.plug(store=store, embedder=embedders[prefix])
        embedders[prefix].embedded.clear()
        return embedders[prefix]

    return switch


def name_owner(world: World, prefix: str, database: str = "(default)") -> None:
    """Name the owner as deploy/up.sh does."""
    connection = world.app.store._db  # type: ignore[attr-defined]
    project = world.app.store.project  # type: ignore[attr-defined]  # Firestore's
    fields = {
        PROJECT_FIELD: project,
        DATABASE_FIELD: database,
        PREFIX_FIELD: prefix,
    }
    connection.commit([put(f"{connection.root}/{OWNER_PATH}", fields)])


def save_notes(world: World) -> None:
    for number in range(NOTES):
        world.put(f"n{number}", title="Boat", text=f"Boat {number} is blue.")


def sweep(world: World) -> int:
    """The status of the scheduler's call."""
    return world.call("reconcile", "POST", "/", {}, token=None).status_code


def test_two_sweeps_do_not_take_turns(cloud: World, running_as: As, lines: Lines) -> None:
    name_owner(cloud, "")
    save_notes(cloud)
    embedded = []
    statuses = []
    for prefix in ("", "staging-", "", "staging-", ""):
        embedder = running_as(prefix)
        statuses.append(sweep(cloud))
        embedded.append(embedder.embedded.total())
    assert statuses == [200, 500, 200, 500, 200]
    assert embedded == [NOTES, 0, 0, 0, 0]
    messages = {json.loads(line)["message"] for line in lines.texts}
    (error,) = [message for message in messages if "belongs to" in message]
    assert (
        "belongs to the deployment without a prefix, and this is the deployment 'staging-'" in error
    )
    assert "deploy/up.sh --database NAME" in error


def test_events_are_acknowledged_and_nothing_is_embedded(
    cloud: World, running_as: As, lines: Lines
) -> None:
    name_owner(cloud, "")
    embedder = running_as("staging-")
    cloud.put("boat", title="Boat", text="The boat is blue.")
    cloud.app.store.put("alice", TEMPLATES, StoredTemplate(Template("boat", "Boat", "1. Look.")))
    assert cloud.written("tenants/alice/notes/boat").status_code == 200
    assert cloud.written(TEMPLATE).status_code == 200
    assert embedder.embedded.total() == 0
    assert cloud.app.store.read_record("alice", "boat").record is None
    assert sum("acknowledged: it would end the same again" in line for line in lines.texts) == 2


def test_a_deployment_that_takes_the_database_over_goes_on_where_the_other_stops(
    cloud: World, running_as: As
) -> None:
    name_owner(cloud, "")
    save_notes(cloud)
    running_as("")
    assert sweep(cloud) == 200
    name_owner(cloud, "staging-")
    embedder = running_as("staging-")
    assert sweep(cloud) == 200
    assert embedder.embedded.total() == NOTES
    running_as("")
    reply = cloud.call("reconcile", "POST", "/", {}, token=None)
    assert problem(reply)[:2] == (500, "INTERNAL")


@pytest.mark.parametrize("database", ["production", None])
def test_a_copy_and_a_database_without_an_owner_are_anybodys(
    cloud: World, running_as: As, database: str | None
) -> None:
    if database:
        name_owner(cloud, "", database)
    save_notes(cloud)
    embedder = running_as("staging-")
    assert sweep(cloud) == 200
    assert embedder.embedded.total() == NOTES


def test_a_dry_run_counts_in_anybodys_database(cloud: World, running_as: As) -> None:
    name_owner(cloud, "")
    save_notes(cloud)
    running_as("staging-")
    report = cloud.call("reconcile", "POST", "/", {"dryRun": True, "full": True}).get_json()
    assert report["texts"] == NOTES


def test_the_owner_is_read_once_a_minute_and_never_for_a_question(
    cloud: World, running_as: As
) -> None:
    name_owner(cloud, "")
    running_as("")
    store = cloud.app.store
    reads_before = store.reads  # type: ignore[attr-defined]  # a counted store
    for _ in range(5):
        store.check_owner()
    assert (store.reads - reads_before).total == 1  # type: ignore[attr-defined]  # as above
    cloud.save("boat", title="Boat", text="The boat is blue.")
    unread = patient_store(store.project, deployment="staging-")  # type: ignore[attr-defined]  # as above
    cloud.plug(store=unread)
    assert cloud.ask("Which colour is the boat?")["citations"], "whoever is no owner still answers"
