"""deploy/up.sh before it does anything: what it asks, what it refuses."""

from __future__ import annotations

import base64
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from desktop.product.emulator import Emulator
from tests.deploy import cloud_build, function_deploy, neighbour
from tests.deploy.conftest import ROOT, Deployment, Owned, deploying, found_gcloud
from tests.deploy.test_owner import add_database, deploy
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNER, GoogleCloud, tools, with_ready_token
from tests.servers.served import Served

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import decision
import plan
import source
from cloud import Google
from firestore import Database
from look import Stop


def on_a_terminal(
    command: list[str], environment: dict[str, str], answers: Mapping[str, str]
) -> str:
    """Everything that the command shows somebody who answers each question: by its first words, else with Enter."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        output = ""
        answered = 0
        try:
            while piece := os.read(leader, 4096):
                output += piece.decode()
                if output.endswith(("]: ", "secret): ")) and len(output) > answered:
                    answered = len(output)
                    question = output.rpartition("\n")[2]
                    answer = next(
                        (reply for words, reply in answers.items() if question.startswith(words)),
                        "",
                    )
                    os.write(leader, f"{answer}\n".encode())
        except OSError:
            process.wait(10)  # the command has closed its end
    os.close(leader)
    return output.replace("\r\n", "\n")


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_missing_options_are_asked_for_on_a_terminal(tmp_path: Path) -> None:
    found_gcloud()
    with GoogleCloud("demo-other") as cloud:
        environment = tools(
            cloud,
            home=tmp_path,
            account=OWNER,
            path=os.environ["PATH"],
        )
        cloud.refusals["serviceusage.services.batchEnable"] = [
            error(403, "PERMISSION_DENIED", message="Not yours.")
        ]
        answers = {
            "Location of the notes": "nam5",
            "Models": "key",
            "GEMINI_API_KEY": "a-key",
        }
        output = on_a_terminal(["deploy/up.sh", "demo-other"], environment, answers)
    assert "Region of the functions, near the notes [us-central1]" in output
    assert (
        "Models (vertex: Vertex AI in us, no key; key: the Gemini API, in no region that it names) [vertex]"
        in output
    )
    assert "Mail about a month's costs beyond (0: no budget) [50]" in output
    assert "Backups of the notes (daily, none) [daily]" in output
    assert (
        "1. Setting up demo-other: notes in nam5, database (default), functions in us-central1"
        in output
    )
    assert "a-key" not in output
    assert "Not yours." in output
    assert "Stopped while setting up the project." in output


@pytest.mark.slow
def test_the_token_that_most_tests_get_at_once_is_the_one_that_gcloud_prints(
    tmp_path: Path,
) -> None:
    found_gcloud()
    path = with_ready_token(os.environ["PATH"], tmp_path / "bin")
    with GoogleCloud("demo-other") as cloud:
        printed = [
            subprocess.run(
                ["gcloud", "auth", "print-access-token"],
                env=tools(
                    cloud,
                    home=tmp_path,
                    account=OWNER,
                    path=path_without_gcloud,
                ),
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout.strip()
            for path_without_gcloud in (os.environ["PATH"], path)
        ]
    assert printed == [f"token-of-{OWNER}"] * 2


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_models_run_where_the_notes_are_and_a_price_that_nobody_knows_is_asked_for(
    tmp_path: Path,
) -> None:
    found_gcloud()
    with GoogleCloud("demo-other") as cloud:
        environment = tools(
            cloud,
            home=tmp_path,
            account=OWNER,
            path=os.environ["PATH"],
        )
        command = [
            "python3",
            "deploy/plan.py",
            "demo-other",
            "--location",
            "eur3",
            "--set",
            "CHAT_MODEL=a-model",
        ]
        output = on_a_terminal(command, environment, {"USD per million tokens of a-model": "1.5/6"})
        unpriced = on_a_terminal(command, environment, {})
    assert "GOOGLE_GENAI_USE_VERTEXAI=true|GOOGLE_CLOUD_LOCATION=eu" in output
    assert "key=''" in output
    assert "MODEL_PRICES=a-model=1.5/6" in output
    assert "MODEL_PRICES: expected a price of a-model" in unpriced


@pytest.mark.parametrize(
    ("settings", "location", "first", "chosen"),
    [
        ({"GOOGLE_GENAI_USE_VERTEXAI": "true"}, "eur3", True, "eu"),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "on"}, "us-east1", True, "us"),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "true"}, "europe-west6", True, "europe-west6"),
        (
            {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_LOCATION": "global"},
            "eur3",
            True,
            "global",
        ),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "true"}, "eur3", False, None),
        ({"OPENAI_BASE_URL": "https://models.example"}, "eur3", True, None),
        ({}, "eur3", True, None),
    ],
)
def test_vertex_ai_stays_where_the_notes_are_unless_something_else_is_said_or_deployed(
    settings: dict[str, str], location: str, *, first: bool, chosen: str | None
) -> None:
    assert decision.model_of(settings, location, first=first).get("GOOGLE_CLOUD_LOCATION") == chosen


@pytest.mark.parametrize(
    ("region", "location", "kept", "chosen"),
    [
        ("us-central1", None, "", ("us-central1", "nam5")),
        ("europe-west4", None, "", ("europe-west4", "eur3")),
        ("europe-west6", None, "", ("europe-west6", "europe-west6")),
        ("europe-west1", None, "nam5", ("europe-west1", "nam5")),
        (None, "eur3", "", ("europe-west1", "eur3")),
    ],
)
def test_notes_stay_on_the_continent_of_the_functions_unless_something_else_is_said(
    region: str | None, location: str | None, kept: str, chosen: tuple[str, str]
) -> None:
    arguments = Namespace(
        project="demo-notes",
        region=region,
        location=location,
    )
    assert decision.places(arguments, "", kept) == chosen


def test_without_a_terminal_and_a_place_it_stops_rather_than_choose_one_for_good() -> None:
    with pytest.raises(Stop, match="--location: expected the location of the notes"):
        decision.places(
            Namespace(
                project="demo-notes",
                region=None,
                location=None,
            ),
            "",
            "",
        )


def test_functions_whose_database_is_gone_get_no_empty_one_unasked(direct: GoogleCloud) -> None:
    google = Google(direct.project)
    up = f"deploy/up.sh {direct.project}"
    deploy(direct, prefix="notes-", database="notes")
    for named in ([], ["--database", "notes"], ["--database", "restoerd"]):
        with pytest.raises(Stop) as stopped:
            decision.decided(google, plan.parsed([direct.project, "--location", "eur3", *named]))
        lines = str(stopped.value).splitlines()
        other = ", and there is no database restoerd" if "restoerd" in named else ""
        assert lines[0].startswith(f"The functions use database notes, which is gone{other}: up.sh")
        assert [line.strip() for line in lines if line.startswith(" ")] == [
            f"gcloud firestore backups list --project={direct.project}",
            f"deploy/restore.sh {direct.project} restored --backup BACKUP --function-prefix notes-",
            f"{up} --database restored --backups daily --function-prefix notes-",
        ]
        assert lines[-1].endswith("To begin without notes, add --new-database.")
    anew = plan.parsed([direct.project, "--location", "eur3", "--new-database"])
    decided = decision.decided(google, anew)
    assert decided.new_database is True
    assert decided.deployment.database.id == "notes"
    assert {call.method.verb for call in direct.calls} == {"GET"}


def test_where_the_api_is_switched_off_no_database_is_said_to_be_gone(direct: GoogleCloud) -> None:
    deploy(direct)
    add_database(direct, "(default)")
    direct.enabled.discard("firestore")
    with pytest.raises(Stop, match="The Firestore API is switched off") as stopped:
        decision.decided(Google(direct.project), plan.parsed([direct.project]))
    assert "gcloud services enable firestore.googleapis.com" in str(stopped.value)


def test_functions_whose_database_is_there_may_move_to_a_new_one(direct: GoogleCloud) -> None:
    deploy(direct)
    add_database(direct, "(default)")
    options = plan.parsed([direct.project, "--location", "eur3", "--database", "notes"])
    assert decision.decided(Google(direct.project), options).new_database is True


@pytest.mark.parametrize(("budget", "told"), [("0", "0"), ("50", "50"), (None, "")])
def test_a_budget_of_nothing_is_passed_on_so_that_what_becomes_of_it_is_told(
    direct: GoogleCloud, budget: str | None, told: str
) -> None:
    deploy(direct)
    add_database(direct, "(default)")
    options = plan.parsed([direct.project])
    options.budget = budget
    decided = decision.decided(Google(direct.project), options)
    assert plan.assignments(decided, options)["budget"] == told


def test_a_database_that_is_there_stays_where_it_is() -> None:
    with pytest.raises(Stop, match="the database is in nam5 and cannot move"):
        decision.places(
            Namespace(
                project="demo-notes",
                region="europe-west1",
                location="eur3",
            ),
            "",
            "nam5",
        )


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["Not A Project"],
        ["demo-notes", "--region"],
        ["demo-notes", "--set", "judge"],
        ["demo-notes", "--function-prefix", "Notes"],
        ["demo-notes", "--backups", "hourly"],
        ["demo-notes", "--set", "A=1|B=2"],
        ["demo-notes", "--set", "Judge=model"],
    ],
)
def test_a_command_line_that_is_wrong_gets_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        plan.main(arguments)
    assert ended.value.code == 2
    assert "usage: deploy/up.sh" in capsys.readouterr().err


def test_the_usage_is_said_from_any_folder() -> None:
    completed = subprocess.run(
        ["./up.sh", "demo-notes", "--all"],
        cwd=ROOT / "deploy",
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 2
    assert "usage: deploy/up.sh" in completed.stderr


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("ALLOWED_ORIGIN=https://notes.example.com", "no setting ALLOWED_ORIGIN"),
        ("GEMINI_API_KEY=a", "the build's record would keep it"),
        ("OPENAI_API_KEY=a", "the build's record would keep it"),
    ],
)
def test_a_setting_that_would_do_nothing_or_harm_is_refused_before_anything_is_done(
    setting: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan.main(["demo-notes", "--set", setting]) == 2
    assert told in capsys.readouterr().err


UNSTARTED = {
    "JUDGE=foo": "JUDGE: expected one of offline, model, got 'foo'",
    "AUTH=nobody": "AUTH: expected one of firebase, emulator, none, got 'nobody'",
    "AUTH=none": "AUTH: expected firebase where K_SERVICE is set, got 'none'",
    "CHAT_TIMEOUT_MS=300000": "CHAT_TIMEOUT_MS: expected at most 170000",
    "STORE=embedded": "STORE: expected firestore where K_SERVICE is set",
    "RERANKER=cross_encoder|RERANKER_MODEL=a-model": "RERANKER: expected none or vertex",
    "OTEL_EXPORTER_OTLP_ENDPOINT=https://otel.example": "OTEL_EXPORTER_OTLP_ENDPOINT: expected opentelemetry-sdk",
    "TEMPLATE_FOLDERS=templates,docs": "TEMPLATE_FOLDERS: expected folders in templates/",
    "RETRIEVAL_WEIGHT_VECTOR=0.7": "RETRIEVAL_WEIGHT_*: expected three weights that sum to 1, got 1.1",
}


def test_a_value_with_which_no_function_would_start_is_told_with_its_name() -> None:
    """Values are checked together with those that are deployed and stay."""
    deployed_settings = {"RETRIEVAL_WEIGHT_VECTOR": "0.5", "RETRIEVAL_WEIGHT_KEYWORD": "0.35"}
    for complaint, expected in zip(
        checked(*map(_given, UNSTARTED)), UNSTARTED.values(), strict=True
    ):
        assert complaint.startswith(expected)
    origins = "JUDGE=model|ALLOWED_ORIGINS=https://a.example,https://b.example"
    fine, uneven = checked(
        {**deployed_settings, **_given(origins)},
        {**deployed_settings, **_given("RETRIEVAL_WEIGHT_RECENCY=0.1")},
    )
    assert fine == ""
    assert "sum to 1, got 0.95" in uneven


def _given(settings: str) -> dict[str, str]:
    return dict(
        setting.split("=", 1)
        for setting in f"STORE=firestore|GOOGLE_CLOUD_PROJECT=demo-notes|{settings}".split("|")
    )


CHECK = """
import check_settings, json, sys
for given in json.load(sys.stdin):
    try:
        check_settings.check(given, "GEMINI_API_KEY")
        print()
    except check_settings.SettingsError as error:
        print(error.message)
"""


def checked(*given: Mapping[str, str]) -> list[str]:
    """Check each with deploy/check_settings.py, in a Python that has nothing else; empty: nothing is wrong."""
    completed = subprocess.run(
        [sys.executable, "-S", "-c", CHECK], cwd=ROOT, env={"PYTHONPATH": "deploy"},
        input=json.dumps(given), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return completed.stdout.splitlines()


def test_without_gcloud_it_says_so_and_that_it_stopped(tmp_path: Path) -> None:
    for name in ("bash", "dirname", "sed", "grep"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    completed = subprocess.run(
        ["deploy/up.sh", "demo-notes"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 1
    assert "gcloud is not installed" in completed.stderr
    assert "Stopped while checking what is needed." in completed.stderr


KEY_OF = "projects/demo-other/secrets/gemini-api-key"
PLACE = "projects/demo-other/locations/europe-west1"


def deploy_chat(cloud: GoogleCloud, **variables: str) -> None:
    """Leave `chat` deployed as up.sh leaves it."""
    cloud.enabled.add("cloudfunctions")
    cloud.resources[f"{PLACE}/functions/chat"] = {
        "name": f"{PLACE}/functions/chat",
        "labels": {"product": "aurora-notes"},
        "buildConfig": {"entryPoint": "chat"},
        "serviceConfig": {"environmentVariables": variables},
    }


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_another_key_replaces_the_first_and_no_key_is_never_kept_as_one(owned: Owned) -> None:
    cloud, run = owned
    cloud.enabled.add("secretmanager")
    variables = "project=demo-other prefix= region=europe-west1 key=GEMINI_API_KEY"
    keep = ("bash", "-euc", f"{variables}; source deploy/common.sh; keep_key")
    nothing = run(*keep, GEMINI_API_KEY=" ")
    assert nothing.returncode == 1
    assert cloud.named("secrets") == []
    assert "GEMINI_API_KEY: expected your key" in nothing.stdout
    for variables, stored_key, versions in (
        (" a-$(key) 'of' \\n\n", "a-$(key)'of'\\n", 1),
        ("", "a-$(key)'of'\\n", 1),
        ("the-right-one", "the-right-one", 2),
    ):
        completed = run(*keep, GEMINI_API_KEY=variables)
        assert completed.returncode == 0, completed.stdout
        assert base64.b64decode(cloud.secrets[KEY_OF]).decode() == stored_key
        assert len(cloud.named("versions")) == versions
        assert stored_key not in completed.stdout
    assert cloud.faults == []


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_what_cannot_be_done_is_told_before_anything_is_made(owned: Owned) -> None:
    cloud, run = owned
    cloud.enabled |= {"firestore", "cloudfunctions"}
    up = ("deploy/up.sh", "demo-other", "--region")
    database = "projects/demo-other/databases/(default)"
    cloud.resources[database] = {
        "name": database,
        "type": "DATASTORE_MODE",
        "locationId": "eur3",
    }
    old = run(*up, "europe-west1")
    assert old.returncode == 2, old.stdout
    assert "is in Datastore mode" in old.stdout, old.stdout
    deploy_chat(cloud, RETRIEVAL_WEIGHT_VECTOR="0.5", RETRIEVAL_WEIGHT_KEYWORD="0.35")
    cloud.resources[database]["type"] = "FIRESTORE_NATIVE"
    elsewhere = run(*up, "us-central1")
    assert (
        "The functions are in europe-west1; deploy/down.sh demo-other takes them away"
        in elsewhere.stdout
    )
    bad = run(*up, "europe-west1", "--set", "RETRIEVAL_WEIGHT_RECENCY=0.1")
    assert elsewhere.returncode == 2
    assert bad.returncode == 2
    assert "three weights that sum to 1, got 0.95" in bad.stdout
    assert "Stopped while looking at what is there; nothing was changed." in bad.stdout
    assert {call.method.verb for call in cloud.calls} == {"GET"}


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_minute_comes_back_in_a_database_of_its_own_protected_as_the_first(owned: Owned) -> None:
    cloud, run = owned
    cloud.enabled |= {"firestore", "cloudfunctions"}
    deploy_chat(cloud)
    database = "projects/demo-other/databases/(default)"
    pitr = {"pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_ENABLED"}
    cloud.resources[database] = {
        "name": database,
        "locationId": "eur3",
        **pitr,
    }
    schedule = f"{database}/backupSchedules/s"
    cloud.resources[schedule] = {
        "name": schedule,
        "retention": "604800s",
        "dailyRecurrence": {},
    }
    restore = ("deploy/restore.sh", "demo-other", "restored", "--at")
    for moment, complaint in (
        ((datetime.now(UTC) - timedelta(days=8)).isoformat(), "expected a minute since"),
        ((datetime.now(UTC) + timedelta(hours=1)).isoformat(), "and until now"),
        ("2026-11-22T08:15:00", "expected a zone"),
        ("yesterday", "expected a moment like"),
    ):
        refused = run(*restore, moment)
        assert complaint in refused.stdout
        assert refused.returncode in (1, 2)
    assert cloud.named("databases") == ["(default)"]
    completed = run(*restore, (datetime.now(UTC) - timedelta(days=6)).isoformat())
    assert completed.returncode == 0, completed.stdout
    first, second = completed.stdout.splitlines()[:2]
    assert first.startswith("Apps must follow: the notes come back in a database of another name")
    assert 'getFirestore(app, "restored")' in second
    assert "deploy/up.sh demo-other --database restored" in completed.stdout
    restored_database = cloud.resources["projects/demo-other/databases/restored"]
    assert restored_database["deleteProtectionState"] == "DELETE_PROTECTION_ENABLED"
    assert restored_database["locationId"] == "eur3"
    (copied,) = (
        schedule
        for name, schedule in cloud.resources.items()
        if "/restored/backupSchedules/" in name
    )
    assert copied["retention"] == "604800s"
    assert copied["dailyRecurrence"] == {}
    assert cloud.faults == []


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_functions_with_vertex_ai_need_no_key_and_get_its_role(owned: Owned) -> None:
    _, run = owned
    sure = ("--region", "europe-west1", "--set", "GOOGLE_GENAI_USE_VERTEXAI=true")
    planned = run("python3", "deploy/plan.py", "demo-other", *sure)
    assert planned.returncode == 0, planned.stdout
    script = 'eval "$0"; source deploy/common.sh; echo "$secrets" "${apis[@]:-}" "${bindings[@]}"'
    completed = run("bash", "-euc", script, planned.stdout)
    assert "identitytoolkit aiplatform'\n" in planned.stdout
    assert "\nroles/aiplatform.user aurora-functions'" in planned.stdout
    assert "GOOGLE_CLOUD_LOCATION=eu" in planned.stdout
    assert completed.stdout.startswith("--clear-secrets")
    assert "roles/aiplatform.user serviceAccount:aurora-functions@" in completed.stdout


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.slow
def test_signing_in_and_the_first_question_go_on_wherever_they_stopped(
    owned: Owned, product: Served
) -> None:
    """And nothing is made twice: the call that was refused is made again, and no other. Whoever asked is removed."""
    cloud, run = owned
    cloud.enabled |= {"cloudfunctions", "iam", "iamcredentials", "identitytoolkit"}
    cloud.id_token = product.alice
    for name in ("chat", "api"):
        cloud.resources[f"{PLACE}/functions/{name}"] = {"url": f"{product.address}/{name}"}
    signer = (
        "projects/demo-other/serviceAccounts/aurora-scheduler@demo-other.iam.gserviceaccount.com"
    )
    cloud.resources[signer] = {"name": signer}
    ask = ("python3", "deploy/first_question.py", "demo-other", "europe-west1", "", "(default)")
    methods = (
        "firebase.projects.addFirebase", "firebase.projects.webApps.create",
        "identitytoolkit.projects.identityPlatform.initializeAuth", "identitytoolkit.accounts.signInWithCustomToken",
    )  # fmt: skip
    for method in methods:
        cloud.refusals[method] = [error(403, "PERMISSION_DENIED", message=f"{method} is out.")]
        completed = run(*ask, "off")
        assert completed.returncode == 1, completed.stdout
        assert cloud.refusals[method] == [], completed.stdout
        assert f"{method} is out." in completed.stdout
        assert cloud.named("accounts") == []
    cloud.refusals["iamcredentials.projects.serviceAccounts.signJwt"] = [
        error(403, "PERMISSION_DENIED", message="No")
    ] * 2
    completed = run(*ask, "off")
    assert completed.returncode == 0, completed.stdout
    assert "may not sign yet; wait" in completed.stdout
    assert f"questions        {product.address}/chat" in completed.stdout
    assert {name: len(cloud.called(name)) for name in methods} == dict.fromkeys(methods, 2)
    assert cloud.access.policy(signer)["bindings"] == []
    assert cloud.named("accounts") == []
    attested = run(*ask, "enforce")
    assert attested.returncode == 0, attested.stdout
    assert "Both answer /health. APP_CHECK=enforce" in attested.stdout
    assert len(cloud.called(methods[-1])) == 2
    assert cloud.faults == []


QUICK = ("reconcile", "on-note-write", "on-template-write")


def assert_sent_as_by_gcloud(deployment: Deployment, *names: str) -> None:
    """Assert that function_deploy.py sends for these functions what gcloud sent."""
    cloud = deployment.cloud
    (build,) = [resource for name, resource in cloud.resources.items() if "/builds/" in name]
    substitutions = {
        **build["substitutions"],
        "PROJECT_ID": cloud.project,
        "BUILD_ID": build["id"],
    }
    steps = {step["id"]: cloud_build.substituted(step, substitutions) for step in build["steps"]}
    sent = {
        call.query["functionId"]: call.body
        for call in cloud.called("cloudfunctions.projects.locations.functions.create")
    }
    for name in names:
        source = sent[name]["buildConfig"]["source"]["storageSource"]
        arguments = steps[name]["args"]
        assert sent[name] == function_deploy.request(
            cloud, arguments, substitutions["_REGION"], source
        )


@pytest.mark.timeout(900)
@pytest.mark.slow
@pytest.mark.nightly
def test_one_command_deploys_a_fresh_project_and_asks_the_first_question(
    tmp_path: Path, product: Served
) -> None:
    """With gcloud for two of the functions; the replay of the documentation deploys all of them so."""
    with deploying(tmp_path, product, left_out=("schedule",), quick=QUICK) as deployment:
        completed = deployment.follow(
            "deploy/up.sh PROJECT --location eur3", GEMINI_API_KEY="a-key"
        )
    assert completed.returncode == 0, completed.stdout + "".join(
        step.said for step in deployment.steps if step.code
    )
    assert "N1: We keep our notes in Firestore." in completed.stdout
    assert deployment.cloud.faults == []
    assert deployment.cloud.named("functions") == sorted(("api", "chat", *QUICK))
    assert_sent_as_by_gcloud(deployment, "api", "chat")
    hashed = deployment.follow("python3 deploy/source.py").stdout.strip()
    assert f"; the source has hash {hashed}." in completed.stdout
    for name in ("api", "chat"):
        function = deployment.cloud.resources[
            f"projects/demo-notes/locations/europe-west1/functions/{name}"
        ]
        assert function["labels"]["source"] == hashed


@pytest.mark.timeout(900)
@pytest.mark.slow
@pytest.mark.nightly
def test_what_is_named_is_taken_over_and_callers_come_in_where_all_users_may_not(
    tmp_path: Path, product: Served
) -> None:
    """An app lives there, and its organization forbids `allUsers`: everything that the first run lists is named."""
    with deploying(tmp_path, product, left_out=("schedule",), quick=QUICK) as deployment:
        cloud = deployment.cloud
        neighbour.move_in(cloud)
        project = f"projects/{cloud.project}"
        refused = deployment.follow("deploy/up.sh PROJECT", GEMINI_API_KEY="a-key")
        flags = re.findall(r"--take-over \S+", refused.stdout)
        assert {"--take-over function:api", "--take-over rules"} < set(flags)
        assert cloud.called("cloudbuild.projects.builds.create") == []
        command = f"deploy/up.sh PROJECT {' '.join(flags)} --no-invoker-iam-check"
        completed = deployment.follow(command, GEMINI_API_KEY="a-key")
        assert completed.returncode == 0, completed.stdout + "".join(
            step.said for step in deployment.steps if step.code
        )
        assert "N1: We keep our notes in Firestore." in completed.stdout
        place = f"{project}/locations/us-central1"
        assert cloud.resources[f"{place}/functions/api"]["labels"]["product"] == "aurora-notes"
        services = [cloud.resources[f"{place}/services/{name}"] for name in ("api", "chat")]
        assert all(service["invokerIamDisabled"] for service in services)
        assert "allUsers" not in str(cloud.access.policies)
        release = cloud.resources[f"{project}/releases/cloud.firestore"]["rulesetName"]
        assert "match /tenants/" in cloud.resources[release]["source"]["files"][0]["content"]
        assert base64.b64decode(cloud.secrets[f"{project}/secrets/gemini-api-key"]) == b"a-key"
        assert {f"{project}/databases/(default)/documents/rooms/1"} <= cloud.documents
        assert cloud.called("identitytoolkit.projects.updateConfig") == []
        second_run = deployment.follow("deploy/up.sh PROJECT", GEMINI_API_KEY="a-key")
        assert "--take-over" not in second_run.stdout
        assert second_run.returncode == 0, second_run.stdout
        assert "allUsers" not in str(cloud.access.policies), "what was switched off stays off"
        assert cloud.faults == []


def test_a_source_that_was_changed_on_its_way_is_not_built(tmp_path: Path) -> None:
    """The step as it stands in cloudbuild.yaml, which is not in the bucket that the source is in."""
    build = yaml.safe_load((ROOT / "cloudbuild.yaml").read_text())
    for name in source.uploaded():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    substitutions = dict.fromkeys(build["substitutions"], "") | {
        "_SOURCE": source.source(),
        "PROJECT_ID": "p",
    }
    step = cloud_build.substituted(build["steps"][0], substitutions)
    parts = {"steps": [step], "options": {}}
    assert [ran.code for ran in cloud_build.run(parts, tmp_path, {"PATH": os.environ["PATH"]})] == [
        0
    ]
    (tmp_path / "functions/extra.py").write_text("import os\n")
    (ran,) = cloud_build.run(parts, tmp_path, {"PATH": os.environ["PATH"]})
    assert ran.code == 1
    assert f"and {substitutions['_SOURCE']} was uploaded." in ran.said


@pytest.mark.timeout(120)
def test_documents_of_somebody_else_are_found_beside_ours_in_the_real_firestore(
    emulator: Emulator, firestore_project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUDSDK_API_ENDPOINT_OVERRIDES_FIRESTORE", f"http://{emulator.host}/")
    google = Google(firestore_project)
    monkeypatch.setitem(google.__dict__, "headers", {"Authorization": "Bearer owner"})
    database = Database(google, "(default)")
    for path in (
        "tenants/t/messages/1",
        "tenants/t/notes/1",
        "tenant/t/notes/1",
        "tenants2/t/messages/1",
    ):
        parent, _, id_ = path.rpartition("/")
        google(
            "POST",
            f"firestore/v1/{database.name}/documents/{parent}?documentId={id_}",
            {"fields": {}},
        )
    assert database.document("notes", beside_ours=True) == "tenant/t/notes/1"
    assert database.document("messages", beside_ours=True) == "tenants2/t/messages/1"
    assert database.document("messages", beside_ours=False) == "tenants/t/messages/1"
    assert database.document("chunks", beside_ours=False) == ""
    assert database.roots() == {"tenants", "tenant", "tenants2"}
