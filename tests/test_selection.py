"""Tests that a change leaves out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.selection import EVERYWHERE, NIGHTLY, PARTS, TURNS, WATCHES, has_turn, runs

ROOT = Path(__file__).parent.parent
PROTECTED = ("account", "answering", "contracts", "rules", "trust")
"""Rooms of tests for money, citations, stored data and tenants."""


def test_every_path_of_the_table_exists() -> None:
    for path in {*NIGHTLY, *EVERYWHERE, *(path for paths in NIGHTLY.values() for path in paths)}:
        folder, _, beginning = path.rpartition("/")
        assert list((ROOT / folder).glob(f"{beginning}*")), path


def test_tests_of_data_tenants_citations_and_money_always_run() -> None:
    for room in PROTECTED:
        assert not [name for name in WATCHES if name.startswith(f"tests/{room}/")]
        assert runs(f"tests/{room}/test_any.py::test_it", ["README.md"])


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (None, True),
        (["all"], True),
        (["deploy/up.sh"], True),
        (["tests/deploy/test_up.py"], True),
        (["pyproject.toml"], True),
        (["README.md", "shared/times/intent.py"], False),
        ([], False),
    ],
)
def test_a_deployment_is_replayed_where_its_code_has_changed(
    changed: list[str] | None, *, expected: bool
) -> None:
    assert runs("tests/deploy/test_up.py::test_it", changed) is expected
    assert runs("tests/deploy/test_up.py::test_it", changed, journey=True)


def test_nightly_tests_run_where_what_they_replay_has_changed() -> None:
    storm = "tests/storm/test_storm.py::test_it"
    assert runs(storm, ["README.md"])
    assert not runs(storm, ["README.md"], nightly=True)
    assert runs(storm, ["shared/indexing/diff.py"], nightly=True)
    large = "tests/adapters/firestore/test_large_notes.py::test_it"
    assert runs(large, ["shared/indexing/writing.py"], nightly=True), "it indexes notes"
    assert runs("tests/trust/test_any.py::test_it", ["README.md"], nightly=True), "it has no entry"


@pytest.mark.parametrize("parts", [TURNS, PARTS])
def test_every_file_has_its_turn(parts: int) -> None:
    for node_id in ("tests/storm/test_storm.py::test_it", "tests/web/test_pictures.py::test_it[a]"):
        turns = [turn for turn in range(parts) if has_turn(node_id, f"{turn:x}", parts)]
        assert len(turns) == 1
        assert has_turn(node_id, f"{turns[0] + 16 * parts:x}", parts)
        assert has_turn(node_id, "", parts)


@pytest.mark.parametrize(
    ("is_its_turn", "expected"), [(True, ["long", "short"]), (False, ["short"])]
)
def test_a_turn_leaves_out_nightly_tests_alone(*, is_its_turn: bool, expected: list[str]) -> None:
    file = "tests/bench/test_small.py"
    turns = [f"{turn:x}" for turn in range(TURNS)]
    turn = next(turn for turn in turns if has_turn(file, turn, TURNS) is is_its_turn)
    command = [sys.executable, "-m", "pytest", file, "--collect-only", "-q", "-n", "0"]
    done = subprocess.run(
        [*command, "-k", "on_little_data_and", "--turn", turn],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(re.findall(r"\[(\w+)\]", done.stdout)) == expected


@pytest.mark.parametrize(
    ("options", "status"),
    [
        # It deploys, and no deployment has changed. The worker has to tell so.
        (["-k", "one_command", "-n", "1"], pytest.ExitCode.OK),
        (["-k", "no_such_test", "-n", "0"], pytest.ExitCode.NO_TESTS_COLLECTED),
    ],
)
def test_a_run_without_a_test_ends_well_only_where_paths_left_it_out(
    options: list[str], status: int
) -> None:
    command = [sys.executable, "-m", "pytest", "tests/deploy/test_up.py", "-q"]
    completed = subprocess.run(
        [*command, "--changed", "README.md", *options], cwd=ROOT, check=False
    )
    assert completed.returncode == status
