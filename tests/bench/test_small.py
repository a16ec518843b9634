"""Every bench still runs, and one that misses its target or fails is told by the exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import __main__ as bench

ROOT = Path(__file__).parents[2]
SHORT = {"retrieval", "embedded", "cold_start"}
"""The others start an emulator, a command or a process of limited memory: by night."""


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "names",
    [SHORT, pytest.param(set(bench.BENCHES) - SHORT, marks=pytest.mark.nightly)],
    ids=["short", "long"],
)
def test_every_bench_runs_on_little_data_and_its_counts_hold(names: set[str]) -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "bench", "--small", *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert {line.split()[0] for line in completed.stdout.splitlines()} == names


@pytest.mark.parametrize(
    ("figure", "code"),
    [
        ({"value": 2.0, "unit": "ms", "target": 3.0, "ok": True}, 0),
        ({"value": 2, "unit": ""}, 0),
        ({"value": 4.0, "unit": "ms", "target": 3.0, "ok": False}, 1),
        (None, 1),
    ],
)
def test_a_missed_target_and_a_failure_end_with_one(
    figure: dict[str, object] | None, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(*, small: bool) -> dict[str, object]:
        assert not small
        if figure is None:
            raise RuntimeError("no stream came")
        return {"a figure": dict(figure)}

    monkeypatch.setattr("bench.retrieval.run", run)
    monkeypatch.setattr(bench, "OUT", tmp_path / "out" / "bench.json")
    assert bench.main(["retrieval"]) == code
    benches = json.loads((tmp_path / "out" / "bench.json").read_text())["benches"]
    assert benches == ({} if figure is None else {"retrieval": {"a figure": figure}})


def test_on_little_data_counts_alone_are_held_to_their_targets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow: dict[str, object] = {
        "value": 9.0,
        "unit": "ms",
        "target": 1.0,
        "ok": False,
    }
    wrong: dict[str, object] = {
        "value": 4,
        "unit": "",
        "target": 0,
        "ok": False,
    }
    for figure, code in ((slow, 0), (wrong, 1)):
        monkeypatch.setattr(
            "bench.retrieval.run",
            lambda *, small, figure=figure: {"errors": dict(figure)},  # noqa: ARG005
        )
        assert bench.main(["retrieval", "--small"]) == code
