"""The owner of a database: deploy/up.sh writes it down and refuses another deployment, deploy/down.sh deletes only its own.

Documents lie in the real Firestore emulator; everything else is the Google Cloud on loopback.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.product.emulator import Emulator
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.roots import ROOTS
from tests.deploy.conftest import ROOT, call_directly
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock
from tests.servers.gemini import error
from tests.servers.google_cloud import GoogleCloud
from tests.sweep.samples import put_notes, sweep

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import down
import look
import owner
import plan
from cloud import Google, Refused
from firestore import RULES, RULES_FILE, Database
from look import Stop

pytestmark = pytest.mark.timeout(300)
OTHER_RULES = "service cloud.firestore { match /{all=**} { allow read: if true; } }"
Write = Callable[[str], None]


@pytest.fixture
def cloud(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[GoogleCloud]:
    """A project with a protected default database, seen by its owner."""
    with GoogleCloud(firestore_project) as cloud:
        cloud.firestore = emulator.host
        call_directly(cloud, monkeypatch)
        add_database(cloud, "(default)")
        yield cloud
        assert cloud.faults == []


@pytest.fixture
def write(cloud: GoogleCloud) -> Write:
    """Writes an empty document at a path of the default database, as its owner."""
    google = Google(cloud.project)

    def document(path: str) -> None:
        name = f"projects/{cloud.project}/databases/(default)/documents/{path}"
        body = {"writes": [{"update": {"name": name}}]}
        google(
            "POST",
            f"firestore/v1/projects/{cloud.project}/databases/(default)/documents:commit",
            body,
        )

    return document


def add_database(cloud: GoogleCloud, id: str) -> None:  # noqa: A002 - Firestore's word
    name = f"projects/{cloud.project}/databases/{id}"
    cloud.resources[name] = {
        "name": name,
        "type": "FIRESTORE_NATIVE",
        "locationId": "eur3",
        "deleteProtectionState": "DELETE_PROTECTION_ENABLED",
    }


def deploy(
    cloud: GoogleCloud, prefix: str = "", database: str = "(default)", base: str = "chat"
) -> None:
    """One function of a deployment, as deploy/up.sh leaves it."""
    name = f"projects/{cloud.project}/locations/europe-west1/functions/{prefix}{base}"
    cloud.resources[name] = {
        "name": name,
        "labels": {"product": "aurora-notes"},
        "buildConfig": {"entryPoint": base},
        "serviceConfig": {
            "environmentVariables": {
                "FIRESTORE_DATABASE": database,
                "GEMINI_API_KEY": "in the secret",
            }
        },
    }


def release_rules(cloud: GoogleCloud, content: str, name: str = "firestore.rules") -> None:
    parent = f"projects/{cloud.project}"
    files = {"source": {"files": [{"name": name, "content": content}]}}
    cloud.resources[f"{parent}/rulesets/1"] = {"name": f"{parent}/rulesets/1", **files}
    release = f"{parent}/releases/cloud.firestore"
    cloud.resources[release] = {"name": release, "rulesetName": f"{parent}/rulesets/1"}


def database_of(cloud: GoogleCloud) -> Database:
    return Database(Google(cloud.project), "(default)")


def claimed(cloud: GoogleCloud, prefix: str = "") -> owner.OwnerChange | None:
    """Write the owner's document as deploy/up.sh does for the deployment with this prefix."""
    google = Google(cloud.project)
    deployment = look.Deployment(google, prefix, "europe-west1", Database(google, "(default)"))
    return owner.claim(deployment, look.deployments(google), exists=True)


def run_down(cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{cloud.project} (default)\n"))
    down.main([cloud.project, "--with-notes", *options])


def run_down_only(
    cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch, database: str, typed: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{typed}\n"))
    down.main([cloud.project, "--only-database", database])


def assert_nothing_changed(cloud: GoogleCloud) -> None:
    changing = [
        call.id
        for call in cloud.calls
        if call.method.verb in ("DELETE", "PATCH") or call.id.endswith("setIamPolicy")
    ]
    assert changing == []
    database = cloud.resources[f"projects/{cloud.project}/databases/(default)"]
    assert database["deleteProtectionState"] == "DELETE_PROTECTION_ENABLED"


def run_product(project: str) -> None:
    """Saves notes, indexes them in a sweep and spends a little, so that every root but that of erasures is there."""
    store = FirestoreStore(project, write_seconds=120, read_seconds=120)
    put_notes(store, 2)
    sweep(store, HashingEmbedder(dimension=8), Clock())


def test_down_says_before_it_asks_that_the_alerts_stay(
    cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deploy(cloud, "notes-")
    monkeypatch.setattr(sys, "stdin", io.StringIO("no\n"))
    with pytest.raises(Stop, match=r"Nothing was deleted\."):
        down.main([cloud.project])
    command = f"deploy/monitor.sh {cloud.project} --remove --function-prefix notes-"
    assert command in capsys.readouterr().out


def test_a_strangers_database_with_nothing_but_tenants_is_never_touched(
    cloud: GoogleCloud, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("tenants/acme/invoices/1")
    with pytest.raises(Stop) as stop:
        run_down(cloud, monkeypatch)
    assert "Database (default) stays, because\n- it has no auroraOwner/deployment" in str(
        stop.value
    )
    assert "It holds tenants." in str(stop.value)
    assert "gcloud firestore databases delete --database='(default)'" in str(stop.value)
    assert_nothing_changed(cloud)


def test_a_strangers_tenants_are_not_touched_where_our_functions_run_beside_them(
    cloud: GoogleCloud, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where up.sh was run again, our rules are in force, and everything else of ours could go."""
    deploy(cloud)
    release_rules(cloud, RULES)
    run_product(cloud.project)
    write("tenants/acme/invoices/1")
    claim = claimed(cloud)
    assert claim == owner.OwnerChange(
        shared=True, strangers=("document tenants/acme/invoices/1",), updated=""
    )
    owner.write(database_of(cloud), "", shared=claim.shared)
    with pytest.raises(Stop) as stop:
        run_down(cloud, monkeypatch)
    assert "- it held something else when we were deployed to it." in str(stop.value)
    assert_nothing_changed(cloud)
    owner.write(database_of(cloud), "", shared=False, updated=_updated(cloud))
    with pytest.raises(Stop, match=r"- it holds document tenants/acme/invoices/1, not ours\."):
        run_down(cloud, monkeypatch)
    assert_nothing_changed(cloud)


@pytest.mark.parametrize("path", ["tenants/acme", "bookmarks/ann", "bookmarks/bob/pages/1"])
def test_a_strangers_documents_in_our_commonest_collections_are_seen_at_an_upgrade(
    cloud: GoogleCloud, write: Write, path: str
) -> None:
    """An older up.sh, which wrote no owner, deployed beside them."""
    deploy(cloud)
    run_product(cloud.project)
    write(path)
    assert claimed(cloud) == owner.OwnerChange(
        shared=True, strangers=(f"document {path}",), updated=""
    )


def test_every_document_is_looked_at_beyond_a_page(
    cloud: GoogleCloud, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firestore.PATHS_A_PAGE", 2)
    paths = ["bookmarks/reconcile", "tenants/a/notes/1", "tenants/a/notes/2", "tenants/b"]
    for path in paths:
        write(path)
    assert list(database_of(cloud).paths()) == paths
    assert owner.foreign_documents(database_of(cloud)) == ["document tenants/b"]


def test_our_own_database_goes_after_sweeps(
    cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deploy(cloud)
    release_rules(cloud, "older rules of ours", RULES_FILE)
    owner.write(database_of(cloud), "", shared=False)
    run_product(cloud.project)
    assert database_of(cloud).roots() >= {"tenants", "bookmarks", "auroraOwner"}
    run_down(cloud, monkeypatch)
    assert "- Database (default) is deleted." in capsys.readouterr().out
    assert cloud.named("databases") == []
    assert cloud.named("functions") == []


def test_where_nothing_else_is_left_the_database_tells_whose_it_is(
    cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_product(cloud.project)
    owner.write(database_of(cloud), "notes-", shared=False)
    with pytest.raises(Stop, match="it belongs to the deployment 'notes-', and you named the"):
        run_down(cloud, monkeypatch, "--function-prefix", "")
    assert_nothing_changed(cloud)
    run_down(cloud, monkeypatch)
    assert cloud.named("databases") == []


@pytest.mark.parametrize(
    ("path", "rules", "other", "reason"),
    [
        ("rooms/1", "", "", "it holds collection rooms, not ours"),
        ("tenants/t/invoices/1", "", "", "it holds document tenants/t/invoices/1, not ours"),
        ("tenants/acme", "", "", "it holds document tenants/acme, not ours"),
        ("bookmarks/ann", "", "", "it holds document bookmarks/ann, not ours"),
        (
            "tenants/t/notes/1/files/2",
            "",
            "",
            "it holds document tenants/t/notes/1/files/2, not ours",
        ),
        ("", OTHER_RULES, "", "it holds Firestore rules of somebody else, not ours"),
        ("", "", "staging-", "the deployment 'staging-' uses it: take that away first"),
    ],
)
def test_an_app_that_moved_in_later_keeps_everything(
    cloud: GoogleCloud,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    *,
    path: str,
    rules: str,
    other: str,
    reason: str,
) -> None:
    deploy(cloud)
    owner.write(database_of(cloud), "", shared=False)
    if path:
        write(path)
    if rules:
        release_rules(cloud, rules)
    if other:
        deploy(cloud, other)
    with pytest.raises(Stop) as stop:
        run_down(cloud, monkeypatch, "--function-prefix", "")
    assert f"- {reason}." in str(stop.value)
    assert "Nothing was deleted." in str(stop.value)
    assert_nothing_changed(cloud)


def test_the_database_that_is_named_and_not_the_deployed_one_is_meant(
    cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restore the functions use another database than the damaged one."""
    add_database(cloud, "restored")
    deploy(cloud, database="restored")
    google = Google(cloud.project)
    owner.write(Database(google, "restored"), "", shared=False)
    owner.write(database_of(cloud), "", shared=False)
    for database in ("--database=(default)", "--database=nothing"):
        with pytest.raises(Stop, match="the functions use restored") as stop:
            run_down(cloud, monkeypatch, database)
        assert f"--only-database '{database.partition('=')[2]}'" in str(stop.value)
    assert_nothing_changed(cloud)
    with pytest.raises(Stop, match="Database restored stays: functions of the deployment without"):
        run_down_only(cloud, monkeypatch, "restored", f"{cloud.project} restored")
    for typed in (cloud.project, f"{cloud.project} restored", "(default)"):
        with pytest.raises(Stop, match=r"Nothing was deleted\."):
            run_down_only(cloud, monkeypatch, "(default)", typed)
    assert_nothing_changed(cloud)
    run_down_only(cloud, monkeypatch, "(default)", f"{cloud.project} (default)")
    assert cloud.named("databases") == ["restored"]
    assert cloud.named("functions") == ["chat"]


def test_a_copy_and_two_databases_of_half_a_deployment_are_not_deleted(
    cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy(cloud, database="production")
    _write_owner_of(cloud, "production")
    with pytest.raises(Stop, match="- it is a copy of database production, and nobody was"):
        run_down_only(cloud, monkeypatch, "(default)", f"{cloud.project} (default)")
    deploy(cloud, base="api")
    with pytest.raises(Stop, match=r"several databases, \(default\) and production"):
        run_down(cloud, monkeypatch)
    assert_nothing_changed(cloud)


def test_a_database_that_is_not_deleted_after_all_is_protected_again(
    cloud: GoogleCloud, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    owner.write(database_of(cloud), "", shared=False)
    method = "firestore.projects.databases.delete"
    cloud.refusals[method] = [error(403, "PERMISSION_DENIED", message="Not now.")]
    with pytest.raises(Refused, match="Not now"):
        run_down(cloud, monkeypatch)
    database = cloud.resources[f"projects/{cloud.project}/databases/(default)"]
    assert database["deleteProtectionState"] == "DELETE_PROTECTION_ENABLED"
    assert "is protected from deletion again" in capsys.readouterr().err
    cloud.refusals[method] = [error(403, "PERMISSION_DENIED", message="Not now.")]
    patch = "firestore.projects.databases.patch"
    cloud.refusals[patch] = [None, error(403, "PERMISSION_DENIED", message="Not this either.")]
    with pytest.raises(Refused, match="Not now"):
        run_down(cloud, monkeypatch)
    assert "gcloud firestore databases update --delete-protection" in capsys.readouterr().err


def test_without_with_notes_nobody_asks_whose_the_database_is(
    cloud: GoogleCloud, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    deploy(cloud)
    write("rooms/1")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{cloud.project}\n"))
    down.main([cloud.project])
    assert cloud.named("functions") == []
    assert cloud.named("databases") == ["(default)"]


def test_a_database_is_ours_where_it_is_empty_or_where_an_older_version_used_it_alone(
    cloud: GoogleCloud, write: Write
) -> None:
    ours = owner.OwnerChange(shared=False, strangers=(), updated="")
    assert claimed(cloud) == ours
    run_product(cloud.project)
    assert claimed(cloud) == owner.OwnerChange(shared=True, strangers=(), updated=""), (
        "nobody uses it"
    )
    deploy(cloud)
    assert claimed(cloud) == ours
    write("rooms/1")
    assert claimed(cloud) == owner.OwnerChange(
        shared=True, strangers=("collection rooms",), updated=""
    )
    owner.write(database_of(cloud), "", shared=False)
    assert claimed(cloud) is None


def test_another_prefix_is_refused_with_the_way_beside(
    cloud: GoogleCloud, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    deploy(cloud)
    staging = (cloud.project, "--function-prefix", "staging-", "--region", "europe-west1")
    for _ in range(2):  # by its functions, then by what the database says
        assert plan.main([*staging, "--set", "EMBEDDING_DIM=256"]) == 2
        log = capsys.readouterr().err
        assert "database (default), which belongs to the deployment without a prefix" in log
        assert "Give this one a database of its own (--database NAME)" in log
        assert "--take-over database" in log
        owner.write(database_of(cloud), "", shared=False, updated=_updated(cloud))
        del cloud.resources[f"projects/{cloud.project}/locations/europe-west1/functions/chat"]
        deploy(cloud, database="another")
    assert plan.main([*staging, "--database", "staging", "--location", "eur3"]) == 0
    assert "claim=own\n" in capsys.readouterr().out
    assert plan.main([*staging, "--take-over", "database"]) == 0
    assigned = capsys.readouterr().out
    assert f"claim='own {_updated(cloud)}'" in assigned
    assert "FUNCTION_PREFIX=staging-" in assigned


def test_a_restored_copy_belongs_to_whoever_is_deployed_to_it_first(
    cloud: GoogleCloud, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document of the copy still names the database that it was copied from."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    deploy(cloud, database="production")
    _write_owner_of(cloud, "production")
    staging = (cloud.project, "--function-prefix", "staging-", "--region", "europe-west1")
    assert plan.main(list(staging)) == 0
    assert f"claim='own {_updated(cloud)}'" in capsys.readouterr().out


def test_documents_below_tenants_are_ours_in_a_copy_and_where_we_came_to_an_empty_database(
    cloud: GoogleCloud,
) -> None:
    database = database_of(cloud)
    assert not owner.holds_ours(database)
    owner.write(database, "", shared=True)
    assert not owner.holds_ours(database), "perhaps nothing but this document was written"
    owner.write(database, "", shared=False, updated=_updated(cloud))
    assert owner.holds_ours(database)
    _write_owner_of(cloud, "production")
    assert owner.holds_ours(database)


def test_one_of_two_concurrent_claims_of_a_database_is_refused(
    cloud: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    assert owner.main(cloud.project, "(default)", "", "own") == 0
    assert owner.main(cloud.project, "(default)", "staging-", "own") == 1
    assert "Somebody else has made database (default) theirs meanwhile" in capsys.readouterr().err
    updated_at = _updated(cloud)
    owner.write(database_of(cloud), "staging-", shared=False, updated=updated_at)
    with pytest.raises(Refused):
        owner.write(database_of(cloud), "", shared=False, updated=updated_at)
    named = owner.read(database_of(cloud))
    assert named is not None
    assert named.prefix == "staging-"


def _write_owner_of(cloud: GoogleCloud, database: str) -> None:
    """Writes what the default database holds if it is a copy of another one."""
    fields = {
        "project": cloud.project,
        "database": database,
        "functionPrefix": "",
    }
    name = f"projects/{cloud.project}/databases/(default)/documents/auroraOwner/deployment"
    body = {"name": name, "fields": {key: {"stringValue": value} for key, value in fields.items()}}
    place = f"firestore/v1/projects/{cloud.project}/databases/(default)/documents:commit"
    Google(cloud.project)("POST", place, {"writes": [{"update": body}]})


def _updated(cloud: GoogleCloud) -> str:
    named = owner.read(database_of(cloud))
    return named.updated if named else ""


def test_the_scripts_need_nothing_but_python(tmp_path: Path) -> None:
    completed = subprocess.run(
        [sys.executable, "-S", "-c", "import down, owner, plan; print(len(owner.ROOTS))"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "deploy")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.stdout == f"{len(ROOTS)}\n", completed.stderr
