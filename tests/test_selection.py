"""Which tests a change leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.selection import EVERYWHERE, NIGHTLY, WATCHES, exit_code, runs

ROOT = Path(__file__).parent.parent
PROTECTED = ("account", "answering", "contracts", "rules", "trust")
"""Rooms of tests for money, citations, stored data and tenants."""


def test_every_path_of_the_table_exists() -> None:
    for path in {*NIGHTLY, *EVERYWHERE, *(path for paths in NIGHTLY.values() for path in paths)}:
        folder, _, beginning = path.rpartition("/")
        assert list((ROOT / folder).glob(f"{beginning}*")), path


def test_what_protects_data_tenants_citations_and_money_always_runs() -> None:
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


def test_where_no_test_is_asked_for_the_run_ends_well() -> None:
    nothing = pytest.ExitCode.NO_TESTS_COLLECTED
    assert exit_code(nothing, "README.md") == 0
    assert exit_code(nothing, "all") == exit_code(nothing, None) == nothing
    failed = pytest.ExitCode.TESTS_FAILED
    assert exit_code(failed, "README.md") == failed
