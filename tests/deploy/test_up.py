"""deploy/up.sh before it does anything: what it asks, what it refuses."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.deploy.conftest import ROOT, found_gcloud
from tests.servers.gemini import error
from tests.servers.google_cloud import OWNER, GoogleCloud, tools


def on_a_terminal(command: list[str], environment: dict[str, str], typed: str) -> str:
    """Everything that the command shows somebody who types that."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        os.write(leader, typed.encode())
        shown = b""
        try:
            while piece := os.read(leader, 4096):
                shown += piece
        except OSError:
            process.wait(10)  # the command has closed its end
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_what_is_not_given_is_asked_for_on_a_terminal(tmp_path: Path) -> None:
    found_gcloud()
    with GoogleCloud("demo-other") as cloud:
        environment = tools(cloud, home=tmp_path, account=OWNER, path=os.environ["PATH"])
        cloud.refusals["serviceusage.services.batchEnable"] = [error(403, "PERMISSION_DENIED", message="Not yours.")]
        shown = on_a_terminal(["deploy/up.sh", "demo-other"], environment, "nam5\n\na-key\n")
    assert "Where the notes are kept" in shown
    assert "Region of the functions, near the notes [us-central1]" in shown
    assert "Gemini API key" in shown
    assert "1. Setting up demo-other, notes in nam5" in shown
    assert "Not yours." in shown
    assert "Stopped while setting up the project." in shown


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["Not A Project"],
        ["demo-notes", "--region"],
        ["demo-notes", "--set", "judge"],
        ["demo-notes", "--set", "A=1|B=2"],
    ],
)
def test_a_command_line_that_is_wrong_gets_the_usage(arguments: list[str]) -> None:
    said = subprocess.run(
        [ROOT / "deploy/up.sh", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert said.returncode == 2
    assert "Usage: deploy/up.sh PROJECT" in said.stderr
