"""deploy/rollback.sh and what up.sh checks: one release answers everywhere, whatever was deployed half before."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.deploy.conftest import PROJECT, ROOT, Deployment, Owned, deploying
from tests.deploy.test_owner import add_database
from tests.servers.gemini import error
from tests.servers.google_cloud import GoogleCloud
from tests.servers.google_cloud.cloud_run import LATEST, add_revision, serving
from tests.servers.served import Served

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import look
import plan
import releases
import restart
import rollback
from cloud import Google, Refused
from look import Stop

PLACE = "projects/demo-other/locations/europe-west1"
FUNCTIONS = ("chat", "api", "on-note-write", "on-template-write", "reconcile")
CALLED = ("chat", "api", "reconcile")
"""Functions that a build deploys before the ones that follow notes."""
ROLLBACK = ("deploy/rollback.sh", "demo-other")
PATCH = "run.projects.locations.services.patch"
FLAG = "      - --serve-all-traffic-latest-revision\n"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def deploy(
    cloud: GoogleCloud,
    release: str,
    *,
    replaces: str = "",
    names: tuple[str, ...] = FUNCTIONS,
    functions: tuple[str, ...] = FUNCTIONS,
    all_traffic: bool = True,
    settings: Mapping[str, str] | None = None,
) -> None:
    """Leave a build of a release with `functions` that ended after `names`; an empty release is of an older up.sh."""
    cloud.enabled |= {"cloudfunctions", "firestore", "run"}
    add_database(cloud, "(default)")
    variables = {
        "RELEASE": release,
        "SOURCE": f"source-of-{release}",
        "REPLACES": replaces,
        "FUNCTIONS": ",".join(functions),
        **(settings or {}),
    }
    for name in names:
        function = cloud.resources.setdefault(
            f"{PLACE}/functions/{name}",
            {
                "name": f"{PLACE}/functions/{name}",
                "labels": {"product": "aurora-notes"},
                "buildConfig": {"entryPoint": name.replace("-", "_")},
                "serviceConfig": {"service": f"{PLACE}/services/{name}"},
            },
        )
        function["serviceConfig"]["environmentVariables"] = variables if release else {}
        function["serviceConfig"]["secretEnvironmentVariables"] = [
            {
                "key": "GEMINI_API_KEY",
                "secret": "gemini-api-key",
                "version": "latest",
            }
        ]
        function["buildConfig"]["source"] = {"storageSource": {"object": release}}
        add_revision(cloud, function, all_traffic=all_traffic)


def answering(cloud: GoogleCloud, place: str = PLACE, prefix: str = "") -> dict[str, str]:
    """Function -> the release that answers."""
    answers = {}
    for name in FUNCTIONS:
        revision = serving(cloud, f"{place}/services/{prefix}{name}")
        variables = {
            variable["name"]: variable.get("value") for variable in revision["containers"][0]["env"]
        }
        answers[name] = variables.get("RELEASE") or ""
    return answers


@pytest.mark.journey
def test_a_half_deployed_release_rolled_back_leaves_one_version_everywhere(owned: Owned) -> None:
    cloud, run = owned
    deploy(cloud, "r1")
    deploy(cloud, "r2", replaces="r1")
    deploy(cloud, "r3", replaces="r2", names=CALLED)
    completed = run(*ROLLBACK)
    assert completed.returncode == 0, completed.stdout
    assert answering(cloud) == dict.fromkeys(FUNCTIONS, "r2")
    assert "Every function to release r2, source source-of-r2" in completed.stdout
    assert "- on-note-write serves on-note-write-00002 already." in completed.stdout
    assert "- chat serves chat-00002 now." in completed.stdout
    assert [call.resource.rpartition("/")[2] for call in cloud.called(PATCH)] == [
        "reconcile",
        "api",
        "chat",
    ]
    second_run = run(*ROLLBACK)
    assert second_run.returncode == 0, second_run.stdout
    assert len(cloud.called(PATCH)) == len(CALLED), "a second run changes nothing"
    assert answering(cloud) == dict.fromkeys(FUNCTIONS, "r2")
    assert cloud.faults == []


def test_a_rollback_that_was_cut_short_goes_on(owned: Owned) -> None:
    cloud, run = owned
    deploy(cloud, "r1")
    deploy(cloud, "r2", replaces="r1")
    cloud.refusals[PATCH] = [None, None, error(403, "PERMISSION_DENIED", message="Not now.")]
    assert run(*ROLLBACK).returncode == 1
    assert set(answering(cloud).values()) == {"r1", "r2"}
    completed = run(*ROLLBACK)
    assert completed.returncode == 0, completed.stdout
    assert answering(cloud) == dict.fromkeys(FUNCTIONS, "r1")


def test_a_release_that_was_rolled_back_once_is_not_gone_back_to(owned: Owned) -> None:
    """r2 was bad and r1 came back; r3 is bad too."""
    cloud, run = owned
    deploy(cloud, "r1")
    deploy(cloud, "r2", replaces="r1")
    run(*ROLLBACK)
    planned = run("python3", "deploy/plan.py", "demo-other", "--location", "eur3")
    assert "replaces=r1\n" in planned.stdout
    deploy(cloud, "r3", replaces="r1")
    completed = run(*ROLLBACK)
    assert completed.returncode == 0, completed.stdout
    assert answering(cloud) == dict.fromkeys(FUNCTIONS, "r1")


def test_any_release_that_every_function_has_can_be_named(owned: Owned) -> None:
    cloud, run = owned
    deploy(cloud, "")
    deploy(cloud, "r1", replaces="unnamed")
    deploy(cloud, "r2", replaces="r1", names=CALLED)
    deploy(cloud, "r3", replaces="r1")
    listed = run(*ROLLBACK, "--list")
    assert listed.returncode == 0, listed.stdout
    newest, half, first, unnamed = listed.stdout.splitlines()
    assert newest.startswith("r3 ")
    assert "serves: api, chat, on-note-write, on-template-write, reconcile" in newest
    assert "cannot be gone back to, without: on-note-write, on-template-write" in half
    assert "source source-of-r1" in first
    assert unnamed.endswith("source unknown")
    for target, reason in (
        ("r2", "Release r2 cannot be gone back to"),
        ("r9", "got 'r9'"),
    ):
        refused = run(*ROLLBACK, "--to", target)
        assert refused.returncode == 1
        assert reason in refused.stdout
        assert "\nr1 " in refused.stdout, "what can be named is listed"
    assert cloud.called(PATCH) == []
    for target, release in (
        ("unnamed", ""),
        ("r3", "r3"),
        ("r1", "r1"),
    ):
        completed = run(*ROLLBACK, "--to", target)
        assert completed.returncode == 0, completed.stdout
        assert answering(cloud) == dict.fromkeys(FUNCTIONS, release)


def test_a_function_that_was_made_anew_or_deleted_since_is_named(owned: Owned) -> None:
    cloud, run = owned
    deploy(cloud, "r1")
    deploy(cloud, "r2", replaces="r1")
    for name in [name for name in cloud.resources if f"{PLACE}/services/api" in name]:
        del cloud.resources[name]
    del cloud.resources[f"{PLACE}/functions/api"]
    completed = run(*ROLLBACK)
    assert completed.returncode == 1
    assert "Release r1 cannot be gone back to: api has no revision of it." in completed.stdout
    assert cloud.called(PATCH) == []


@pytest.mark.journey
def test_a_pinned_revision_that_answers_instead_of_the_new_one_fails_with_its_cure(
    owned: Owned,
) -> None:
    cloud, run = owned
    deploy(cloud, "r1")
    deploy(cloud, "r2", replaces="r1")
    run(*ROLLBACK)
    deploy(cloud, "r3", replaces="r1", all_traffic=False)
    check = ("python3", "deploy/releases.py", "demo-other", "", "r3")
    completed = run(*check)
    assert completed.returncode == 1
    assert "- chat serves chat-00001 (release r1) and not chat-00003." in completed.stdout
    assert "\n    deploy/rollback.sh demo-other --to r3\n" in completed.stdout
    cured = run(*ROLLBACK, "--to", "r3")
    assert cured.returncode == 0, cured.stdout
    assert answering(cloud) == dict.fromkeys(FUNCTIONS, "r3")
    assert run(*check).returncode == 0
    deploy(cloud, "r4", replaces="r1")
    overtaken = run(*check)
    assert overtaken.returncode == 1
    assert "- chat serves chat-00004 (release r4) and not chat-00003." in overtaken.stdout
    assert "or deployed at the same time" in overtaken.stdout


def test_without_a_release_it_says_so(owned: Owned) -> None:
    cloud, run = owned
    nothing = run(*ROLLBACK)
    assert nothing.returncode == 1
    assert "Nothing of ours is deployed" in nothing.stdout
    deploy(cloud, "r1")
    first = run(*ROLLBACK)
    assert first.returncode == 1
    assert "There is no release before r1 that every function has." in first.stdout
    assert "\nr1 " in first.stdout


def go_back(to: str | None = None) -> None:
    rollback.main(
        Namespace(
            project="demo-other",
            function_prefix=None,
            to=to,
            list=False,
        )
    )


def test_after_a_rollback_another_key_is_read_by_the_release_that_serves(
    direct: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not by the newest one, from which Cloud Run would make a revision that nobody asks."""
    deploy(direct, "r1")
    deploy(direct, "r2", replaces="r1")
    go_back()
    options = Namespace(project="demo-other", function_prefix=None)
    restart.main(options)
    assert answering(direct) == dict.fromkeys(FUNCTIONS, "r1")
    for name in FUNCTIONS:
        revision = serving(direct, f"{PLACE}/services/{name}")
        assert revision["name"].endswith(f"{name}-00003"), "its instances start after the key came"
        (container,) = revision["containers"]
        assert container["image"] == "image-of-r1"
        reference = {"secret": "gemini-api-key", "version": "latest"}
        secret = {"name": "GEMINI_API_KEY", "valueSource": {"secretKeyRef": reference}}
        assert secret in container["env"]
    assert "- chat serves chat-00003 now, release r1." in capsys.readouterr().out
    go_back()
    assert answering(direct) == dict.fromkeys(FUNCTIONS, "r1"), "going back twice is the same"
    deployed = releases.history(Google("demo-other"), look.deployed(Google("demo-other"), None))
    assert [release.id for release in deployed.releases] == ["r2", "r1"]
    assert deployed.current is not None
    assert deployed.current.id == "r1"

    deploy(direct, "r3", replaces="r1")
    restart.main(options)
    assert answering(direct) == dict.fromkeys(FUNCTIONS, "r3")
    service = direct.resources[f"{PLACE}/services/chat"]
    assert service["traffic"] == [LATEST], "what follows the newest goes on following it"


def test_where_requests_are_shared_or_a_revision_is_not_ready_no_other_one_answers(
    direct: GoogleCloud,
) -> None:
    deploy(direct, "r1")
    deploy(direct, "r2", replaces="r1")
    go_back()
    options = Namespace(project="demo-other", function_prefix=None)
    direct.refusals[PATCH] = [error(400, "FAILED_PRECONDITION", message="It does not start.")]
    with pytest.raises(Refused, match="It does not start"):
        restart.main(options)
    assert answering(direct) == dict.fromkeys(FUNCTIONS, "r1")
    half = {"revision": "chat-00001", "percent": 50}
    service = direct.resources[f"{PLACE}/services/chat"]
    service["trafficStatuses"] = [half, {**half, "revision": "chat-00002"}]
    patches_before = len(direct.called(PATCH))
    with pytest.raises(Stop, match="Requests of chat are shared between revisions"):
        restart.main(options)
    assert len(direct.called(PATCH)) == patches_before


def test_a_function_that_a_release_adds_is_named_with_the_command_that_takes_it_away(
    direct: GoogleCloud,
) -> None:
    """It would go on as the newer release, beside the older ones."""
    deploy(direct, "r1", names=FUNCTIONS[:4], functions=FUNCTIONS[:4])
    deploy(direct, "r2", replaces="r1")
    with pytest.raises(SystemExit) as exit_info:
        go_back()
    assert answering(direct) == {**dict.fromkeys(FUNCTIONS, "r1"), "reconcile": "r2"}
    assert "gcloud functions delete reconcile --gen2 --region=europe-west1" in str(exit_info.value)
    with pytest.raises(SystemExit):
        go_back()


def test_a_function_that_a_release_removes_stays_until_the_next_one(
    direct: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    with_old = (*FUNCTIONS, "summarize")

    def surplus() -> tuple[str, str]:
        assert plan.main(["demo-other", "--location", "eur3"]) == 0
        output_lines = capsys.readouterr().out.splitlines()
        lines = dict(
            line.split("=", 1) for line in output_lines if line.startswith(("leav", "retir"))
        )
        return lines["leaving"], lines["retired"]

    deploy(direct, "r1", names=with_old, functions=with_old)
    assert surplus() == ("summarize", "''")
    deploy(direct, "r2", replaces="r1", names=CALLED)
    assert surplus() == ("summarize", "''"), "half a release has replaced nothing"
    deploy(direct, "r3", replaces="r1")
    assert surplus() == ("''", "summarize")
    go_back()
    assert answering(direct) == dict.fromkeys(FUNCTIONS, "r1")
    restart.main(Namespace(project="demo-other", function_prefix=None))
    go_back("r3")
    assert answering(direct) == dict.fromkeys(FUNCTIONS, "r3"), "the older one is not in the way"


def test_a_function_that_is_missing_altogether_fails_the_comparison(direct: GoogleCloud) -> None:
    deploy(direct, "r1", names=CALLED)
    with pytest.raises(Stop) as stop:
        releases.check("demo-other", "", "r1")
    assert "- on-note-write is not there.\n- on-template-write is not there." in str(stop.value)
    assert "chat" not in str(stop.value).partition("Somebody")[0]


REPLAYED = f"projects/{PROJECT}/locations/europe-west1"
UP = "deploy/up.sh PROJECT --location eur3"


def up(deployment: Deployment) -> str:
    """Deploys; returns the release."""
    completed = deployment.follow(UP, GEMINI_API_KEY="a-key")
    failed = [step.said for step in deployment.steps if step.code]
    assert completed.returncode == 0, completed.stdout + "".join(failed)
    release = completed.stdout.partition("Release ")[2].partition(";")[0]
    assert f"Every function serves release {release}." in completed.stdout
    return release


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_up_rollback_up_answers_with_the_last_and_a_half_up_goes_back_whole(
    tmp_path: Path, product: Served
) -> None:
    left_out = ("roles-known", "indexes", "rules", "schedule")
    with deploying(tmp_path, product, left_out=left_out) as deployment:
        cloud = deployment.cloud
        first = up(deployment)
        second = up(deployment)
        rolled_back = deployment.follow("deploy/rollback.sh PROJECT")
        assert rolled_back.returncode == 0, rolled_back.stdout
        assert first != second
        assert answering(cloud, REPLAYED) == dict.fromkeys(FUNCTIONS, first)
        third = up(deployment)
        assert answering(cloud, REPLAYED) == dict.fromkeys(FUNCTIONS, third)

        no_room = error(400, "INVALID_ARGUMENT", message="No room.")
        method = "cloudfunctions.projects.locations.functions.patch"
        cloud.refusals[method] = [None, None, None, no_room, no_room]
        assert deployment.follow(UP).returncode == 1
        assert len(set(answering(cloud, REPLAYED).values())) == 2
        deployment.follow("deploy/rollback.sh PROJECT")
        assert answering(cloud, REPLAYED) == dict.fromkeys(FUNCTIONS, third)

        retired = f"{REPLAYED}/functions/summarize"
        shutil.copy(deployment.clone / "cloudbuild.yaml", tmp_path)
        build = (tmp_path / "cloudbuild.yaml").read_text()
        (deployment.clone / "cloudbuild.yaml").write_text(build.replace(FLAG, ""))
        cloud.resources[retired] = {
            "name": retired,
            "labels": {"product": "aurora-notes"},
            "buildConfig": {"entryPoint": "summarize"},
        }
        unserved = deployment.follow(UP)
        assert unserved.returncode == 1
        assert "Stopped while comparing what answers with what was deployed" in unserved.stdout
        assert f"(release {third}) and not chat-0000" in unserved.stdout
        assert retired in cloud.resources, "a function goes last"
        shutil.copy(tmp_path / "cloudbuild.yaml", deployment.clone)
        last = up(deployment)
        assert answering(cloud, REPLAYED) == dict.fromkeys(FUNCTIONS, last)
        assert retired not in cloud.resources, "the release that answered did not have it either"
        order = [call.id for call in cloud.calls]
        deleted = order.index("cloudfunctions.projects.locations.functions.delete")
        assert method not in order[deleted:]
        assert cloud.faults == []
