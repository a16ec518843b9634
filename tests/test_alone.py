from __future__ import annotations

import json
import os
import subprocess
import sys
from multiprocessing import util
from pathlib import Path

from desktop.product.suite import PROJECT, Suite, running
from tests.servers.dev import ROOT
from tests.servers.scripted import Reply, ScriptedServer


def test_no_emulator_runs_but_those_that_tests_start() -> None:
    assert running(os.environ) == Suite(PROJECT, None, None)
    assert running(os.environ, hubs=Path(os.environ["TMPDIR"])) == Suite(PROJECT, None, None)


def test_files_of_processes_go_with_the_temporary_folder() -> None:
    assert Path(util.get_temp_dir()).parent == Path(os.environ["TMPDIR"])


def test_a_suite_that_runs_beside_the_tests_is_found_by_none_of_them(tmp_path: Path) -> None:
    with ScriptedServer(
        lambda _: Reply(body={"firestore": {"host": "127.0.0.1", "port": 9}})
    ) as hub:
        (tmp_path / "hub-demo-theirs.json").write_text(json.dumps({"origins": [hub.url]}))
        env = {
            **os.environ,
            "TMPDIR": str(tmp_path),
            "GOOGLE_CLOUD_PROJECT": "demo-theirs",
            "STORE": "emulator",
        }
        assert running(env, hubs=tmp_path).firestore == "127.0.0.1:9"
        tests = (
            test_no_emulator_runs_but_those_that_tests_start,
            test_files_of_processes_go_with_the_temporary_folder,
        )
        inner = [f"{__file__}::{test.__name__}" for test in tests]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *inner]
        completed = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False
        )
    assert completed.returncode == 0, completed.stdout
    assert completed.stderr == "", "nothing is missed at exit"
