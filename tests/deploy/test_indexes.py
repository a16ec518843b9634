"""deploy/firestore.py … indexes: it waits for all indexes, those of single fields too, and goes on when run again."""

from __future__ import annotations

import json
import re

import pytest

from tests.deploy.conftest import ROOT, Owned
from tests.servers.gemini import error

WANTED = json.loads((ROOT / "firestore.indexes.json").read_text())
COMMAND = ("python3", "deploy/firestore.py", "demo-other", "notes", "indexes")
DATABASE = "projects/demo-other/databases/notes"
PATCH = "firestore.projects.databases.collectionGroups.fields.patch"
CREATE = "firestore.projects.databases.collectionGroups.indexes.create"
LIST = "firestore.projects.databases.collectionGroups.fields.list"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def field_name(override: dict[str, str]) -> str:
    return (
        f"{DATABASE}/collectionGroups/{override['collectionGroup']}/fields/{override['fieldPath']}"
    )


def test_single_fields_are_waited_for_however_long_they_take_and_nothing_is_made_twice(
    owned: Owned,
) -> None:
    cloud, run = owned
    cloud.enabled.add("firestore")
    cloud.refusals[LIST] = [None] * 6 + [error(403, "PERMISSION_DENIED", message="Stopped.")]
    cloud.index_looks = 10
    stopped = run(*COMMAND)
    assert stopped.returncode == 1
    assert "Firestore goes on building them whether or not anybody waits." in stopped.stdout
    assert "run the same deploy/up.sh again: it goes on from there" in stopped.stdout
    documents = len(WANTED["fieldOverrides"])
    assert f"{documents * 1000:,} of about {documents * 5000:,} documents read" in stopped.stdout
    total = len(WANTED["indexes"]) + documents
    assert f"0 of {total} indexes are ready after 0 min" in stopped.stdout
    second_run = run(*COMMAND)
    assert second_run.returncode == 0, second_run.stdout
    assert cloud.building == {}, "it returned when all was ready"
    assert len(cloud.called(PATCH)) == len(WANTED["fieldOverrides"])
    assert len(cloud.called(CREATE)) == len(WANTED["indexes"])
    looks = len(cloud.called(LIST))
    assert run(*COMMAND).returncode == 0
    assert len(cloud.called(LIST)) == looks + 2
    assert cloud.faults == []


def test_overrides_that_an_earlier_run_began_are_waited_for(owned: Owned) -> None:
    """Composite indexes are ready; every field is set as wanted, and its build is under way."""
    cloud, run = owned
    cloud.enabled.add("firestore")
    assert run(*COMMAND).returncode == 0
    for override in WANTED["fieldOverrides"]:
        operation = f"{DATABASE}/operations/{override['fieldPath']}-{override['collectionGroup']}"
        metadata = {"field": field_name(override), "startTime": "2026-02-01T00:00:00Z"}
        cloud.operations[operation] = {"name": operation, "metadata": metadata}
        cloud.building[operation] = 4
    completed = run(*COMMAND)
    assert completed.returncode == 0
    assert cloud.building == {}
    indexes = len(WANTED["indexes"])
    total = indexes + len(WANTED["fieldOverrides"])
    assert f"{indexes} of {total} indexes are ready after 0 min" in completed.stdout


def test_a_build_that_failed_is_named_with_its_cure(owned: Owned) -> None:
    cloud, run = owned
    cloud.enabled.add("firestore")
    assert run(*COMMAND).returncode == 0
    index = next(name for name in cloud.resources if "/indexes/" in name)
    cloud.resources[index]["state"] = "NEEDS_REPAIR"
    override = WANTED["fieldOverrides"][0]
    del cloud.resources[field_name(override)]
    cloud.refusals[PATCH] = [error(409, "ALREADY_EXISTS", message="Under way.")]
    operation = f"{DATABASE}/operations/late"
    cloud.operations[operation] = {
        "name": operation,
        "done": True,
        "metadata": {"field": field_name(override), "startTime": "2026-02-01T00:00:00Z"},
        "error": {"code": 8, "message": "Too many indexes."},
    }
    completed = run(*COMMAND)
    assert completed.returncode == 1
    assert re.search(r"^- chunks\(.*\)$", completed.stdout, re.MULTILINE)
    assert "- chunks.noteId: Too many indexes.\n" in completed.stdout
    assert "Delete each (gcloud firestore indexes composite delete" in completed.stdout


def test_words_of_a_newer_api_stop_nothing(owned: Owned) -> None:
    """Somebody's index of a kind that is unknown here, and a state that is unknown here."""
    cloud, run = owned
    cloud.enabled.add("firestore")
    assert run(*COMMAND).returncode == 0
    for name in [name for name in cloud.resources if "/indexes/" in name]:
        cloud.resources[name]["state"] = "READY_AND_COMPACTED"
    for override in WANTED["fieldOverrides"]:
        for part in cloud.resources[field_name(override)]["indexConfig"]["indexes"]:
            part["state"] = "READY_AND_COMPACTED"
    theirs = f"{DATABASE}/collectionGroups/rooms/indexes/theirs"
    cloud.resources[theirs] = {
        "name": theirs,
        "queryScope": "COLLECTION_NEARBY",
        "fields": [
            {"fieldPath": "text", "searchConfig": {"textSpec": {}}},
            {"fieldPath": "place", "vectorConfig": {"tree": {}}},
            {"fieldPath": "name", "order": "BY_LOCALE"},
        ],
        "state": "HIBERNATING",
    }
    completed = run(*COMMAND)
    assert completed.returncode == 0, completed.stdout
    assert len(cloud.called(CREATE)) == len(WANTED["indexes"])


def test_a_token_that_ended_while_it_waited_is_renewed(owned: Owned) -> None:
    cloud, run = owned
    cloud.enabled.add("firestore")
    ended = error(401, "UNAUTHENTICATED", message="The token has ended.")
    cloud.refusals[LIST] = [None, ended]
    completed = run(*COMMAND)
    assert completed.returncode == 0, completed.stdout
    cloud.refusals[LIST] = [ended, ended]
    refused = run(*COMMAND)
    assert refused.returncode == 1
    assert "The token has ended." in refused.stdout
