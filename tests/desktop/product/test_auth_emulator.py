"""With AUTH=emulator and firebase-tools, `aurora dev --store emulator` starts an Auth emulator too."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.servers.dev import dev
from tests.servers.firebase_suite import firebase_tools, sign_up

pytestmark = [
    pytest.mark.slow,
    pytest.mark.nightly,
    pytest.mark.timeout(600),  # Node takes its time on a busy machine
]
OPTIONS = ("--store", "emulator", "--emulator-data")


def test_people_sign_up_ask_and_are_still_known_after_a_restart(tmp_path: Path) -> None:
    path = f"{firebase_tools().parent}:{os.environ['PATH']}"
    env = {"AUTH": "emulator", "PATH": path, "HOME": str(tmp_path)}
    data = str(tmp_path / "data")
    with dev(tmp_path / "home", *OPTIONS, data, env=env) as running:
        auth = re.search(r"FIREBASE_AUTH_EMULATOR_HOST=(\S+)", running.greeting)
        assert auth
        token = sign_up(auth[1], "mara@example.com", "correct horse")
        bearer = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        note = {"title": "Boat", "text": "The boat is blue."}
        assert running.call("PUT", "/notes/boat", note, **bearer)[0] == 200
        assert running.call("GET", "/notes")[0] == 401
    accounts = Path(data, "accounts/auth_export/accounts.json").read_text()
    assert "mara@example.com" in accounts


def test_without_firebase_tools_it_says_how_people_can_sign_in(tmp_path: Path) -> None:
    folders = os.environ["PATH"].split(os.pathsep)
    path = os.pathsep.join(name for name in folders if not Path(name, "firebase").exists())
    env = {"AUTH": "emulator", "PATH": path}
    with dev(tmp_path / "home", "--store", "emulator", env=env) as running:
        assert "npm install --global firebase-tools brings Auth" in running.greeting
