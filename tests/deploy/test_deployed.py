"""The settings that deploy/up.sh deploys are those with which the functions serve, the same for all five."""

from __future__ import annotations

import sys
from argparse import Namespace

import pytest

from tests.deploy.conftest import ROOT
from tests.deploy.test_releases import CALLED, deploy
from tests.servers.google_cloud import GoogleCloud

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import plan
import rollback

PLACE = ("--location", "eur3")


def planned(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> dict[str, str]:
    """The settings that every function would get; `""`: what was said instead."""
    assert plan.main(["demo-other", *PLACE, *options]) == code
    captured = capsys.readouterr()
    if code:
        return {"": captured.err}
    (line,) = [line for line in captured.out.splitlines() if line.startswith("settings=")]
    pairs = line.removeprefix("settings=").strip("'").split("|")
    return dict(pair.split("=", 1) for pair in pairs)


@pytest.mark.parametrize(
    ("options", "warm"),
    [
        ((), "2"),
        (("--warm", "0"), "0"),
        (("--warm", "3"), "3"),
    ],
)
def test_instances_that_wait_stay_as_many_as_they_are_until_another_number_is_named(
    direct: GoogleCloud, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], warm: str
) -> None:
    deploy(direct, "r1")
    chat = next(name for name in direct.resources if name.endswith("/functions/chat"))
    direct.resources[chat]["serviceConfig"]["minInstanceCount"] = 2
    assert plan.main(["demo-other", *PLACE, *options]) == 0
    assert f"warm={warm}\n" in capsys.readouterr().out


def test_functions_that_are_made_anew_get_every_setting(
    direct: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    """Functions that follow notes in another database, and functions that an earlier run did not reach."""
    vertex = {
        "GOOGLE_GENAI_USE_VERTEXAI": "true",
        "EMBEDDING_DIM": "256",
        "DAILY_CHAT_LIMIT": "7",
    }
    deploy(direct, "r1", names=CALLED, settings=vertex)
    for options in ((), ("--database", "restored")):
        assert planned(capsys, *options).items() >= vertex.items()


def test_after_a_rollback_the_settings_are_those_that_are_served(
    direct: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    deploy(direct, "r1", settings={"EMBEDDING_DIM": "256"})
    deploy(
        direct,
        "r2",
        replaces="r1",
        names=CALLED,
        settings={"EMBEDDING_DIM": "512", "JUDGE": "model"},
    )
    assert (
        "EMBEDDING_DIM: '512' in api, chat, reconcile; '256' in on-note-write"
        in (planned(capsys, code=2)[""])
    )
    named = planned(capsys, "--set", "EMBEDDING_DIM=512", "--set", "JUDGE=offline")
    assert named["EMBEDDING_DIM"] == "512"
    assert named["JUDGE"] == "offline"
    rollback.main(
        Namespace(
            project="demo-other",
            function_prefix=None,
            to=None,
            list=False,
        )
    )
    served = planned(capsys)
    assert served["EMBEDDING_DIM"] == "256"
    assert "JUDGE" not in served


def test_a_limit_that_the_newer_half_brought_by_itself_stops_nobody(
    direct: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that the same command goes on after a build that failed."""
    deploy(direct, "r1")
    deploy(
        direct,
        "r2",
        replaces="r1",
        names=CALLED,
        settings={"DAILY_CHAT_LIMIT": "9"},
    )
    assert planned(capsys)["DAILY_CHAT_LIMIT"] == "9"


def test_variables_that_are_no_settings_are_not_carried_on(
    direct: GoogleCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand = {
        "GEMINI_API_KEY": "a-key",
        "PROXY": "http://proxy",
        "LOG_EXECUTION_ID": "true",
    }
    deploy(direct, "r1", settings=by_hand)
    settings = planned(capsys)
    assert not settings.keys() & {*by_hand, "RELEASE", "THREADS", "GOOGLE_CLOUD_PROJECT"}
    deploy(direct, "r2", settings={"ALLOWED_ORIGINS": "https://a.example;https://b.example"})
    assert "ALLOWED_ORIGINS: expected a value without ;" in planned(capsys, code=2)[""]
