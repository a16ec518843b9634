"""deploy/restore.sh: a backup comes back though the database is gone; who erased everything meanwhile is named.

Documents lie in the real Firestore emulator; everything else is the Google Cloud on loopback.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from desktop.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from tests.deploy.conftest import ROOT, call_directly
from tests.deploy.test_owner import add_database, deploy
from tests.servers.google_cloud import GoogleCloud

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import owner
import restore
from cloud import Google
from firestore import Database
from look import Stop

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def cloud(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GoogleCloud]:
    """A project with one deployment, and a backup of its database."""
    with GoogleCloud(firestore_project) as cloud:
        cloud.firestore = emulator.host
        call_directly(cloud, monkeypatch)
        deploy(cloud)
        backup = _backup(cloud)
        database = f"projects/{cloud.project}/databases/(default)"
        cloud.resources[backup] = {"name": backup, "database": database, "state": "READY"}
        yield cloud
        assert cloud.faults == []


def _backup(cloud: GoogleCloud) -> str:
    return f"projects/{cloud.project}/locations/eur3/backups/b1"


def _run(
    cloud: GoogleCloud, *, at: datetime | None = None, backup: str = "", source: str | None = None
) -> None:
    options = argparse.Namespace(
        project=cloud.project,
        database="restored",
        at=at,
        backup=backup,
        source=source,
        function_prefix=None,
    )
    restore.main(options)


def _take_functions_away(cloud: GoogleCloud) -> None:
    for name in list(cloud.resources):
        if "/functions/" in name:
            del cloud.resources[name]


def test_a_backup_comes_back_when_the_database_is_gone(
    cloud: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Stop, match="the database is gone"):
        _run(cloud, at=datetime.now(UTC) - timedelta(hours=1))
    _run(cloud, backup=_backup(cloud))
    restored = cloud.resources[f"projects/{cloud.project}/databases/restored"]
    assert restored["deleteProtectionState"] == "DELETE_PROTECTION_ENABLED"
    assert f"deploy/up.sh {cloud.project} --database restored --backups daily" in (
        capsys.readouterr().err
    )


def test_a_backup_comes_back_where_no_function_is_left_and_its_deployment_is_named(
    cloud: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    _take_functions_away(cloud)
    # The emulator holds all databases of a project, so the backup's owner is written to the restored one.
    owner.write(Database(Google(cloud.project), "restored"), "notes-", shared=False)
    with pytest.raises(Stop, match="/b2: there is no such backup, or no more"):
        _run(cloud, backup=_backup(cloud).replace("/b1", "/b2"))
    _run(cloud, backup=_backup(cloud))
    assert f"projects/{cloud.project}/databases/restored" in cloud.resources
    command = f"deploy/up.sh {cloud.project} --database restored --function-prefix notes-"
    assert f"\n  {command} --backups daily\n" in capsys.readouterr().err


def test_a_minute_comes_back_where_no_function_is_left_of_the_database_that_is_named(
    cloud: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    _take_functions_away(cloud)
    add_database(cloud, "(default)")
    add_database(cloud, "notes")
    moment = datetime.now(UTC) - timedelta(minutes=10)
    with pytest.raises(Stop) as stopped:
        _run(cloud, at=moment)
    first, *commands = str(stopped.value).splitlines()
    assert first.startswith(f"No function is deployed in {cloud.project}")
    again = f"deploy/restore.sh {cloud.project} restored --at {moment:%Y-%m-%dT%H:%MZ} --from"
    assert [line.strip() for line in commands] == [f"{again} '(default)'", f"{again} notes"]
    _run(cloud, at=moment, source="notes")
    assert "- Database restored, beside notes" in capsys.readouterr().err
    assert f"projects/{cloud.project}/databases/restored" in cloud.resources


def test_a_database_that_is_named_beside_a_backup_is_refused_and_not_ignored() -> None:
    options = argparse.Namespace(backup="projects/p/locations/eur3/backups/b1", source="notes")
    with pytest.raises(Stop, match="--from goes with --at"):
        restore.damaged_database(Google("demo-notes"), options, {})


def test_who_erased_everything_since_is_named(
    cloud: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    add_database(cloud, "(default)")
    google = Google(cloud.project)
    root = f"projects/{cloud.project}/databases/restored/documents"
    strange = "o'brien; true"
    hostile = "\x1b[2J\nrm"
    for tenant_id in ("alice", "bob", "team:acme", strange, hostile):
        note = {"update": {"name": f"{root}/tenants/{tenant_id}/notes/1"}}
        google("POST", f"firestore/v1/{root}:commit", {"writes": [note]})
    store = FirestoreStore(cloud.project)
    for tenant_id in ("alice", strange, hostile):
        store.erase(tenant_id)
    store.erase("somebody who came later")
    _run(cloud, backup=_backup(cloud))
    said = capsys.readouterr().err
    commands = [
        shlex.split(line) for line in said.splitlines() if line.startswith("  firebase firestore")
    ]
    further = ["--recursive", "--database", "restored", "--project", cloud.project]
    assert sorted(commands) == [
        ["firebase", "firestore:delete", f"tenants/{tenant_id}", *further]
        for tenant_id in ("alice", strange)
    ]
    assert r"  tenants/'\x1b[2J\nrm', by hand" in said
    assert "\x1b" not in said
