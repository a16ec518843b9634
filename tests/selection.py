"""`pytest --changed PATHS`: of the tests that start processes, those whose code has changed.

`make test` runs every test that is not nightly, but for those of `WATCHES`: they start browsers, command lines or whole
deployments, and run where one of the paths beside them has changed, or where `journey` marks them. Of those that
`nightly` marks, `NIGHTLY` tells the same.
`.ci/changed` prints the changed paths. What protects data, tenants, rules, citations or money always runs.

Import the hooks in the outermost conftest.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

ALL = "all"
"""In the place of paths: every test runs."""

EVERYWHERE = ("pyproject.toml", "constraints.txt", "Makefile", ".ci/", "tests/conftest.py")
"""A change of these runs every test."""

_DEPLOYMENT = (
    "deploy/",
    "functions/",
    "main.py",
    "cloudbuild.yaml",
    "firestore.",
    "firebase.",
    "requirements.txt",
    ".gcloudignore",
    "shared/settings/",
    "shared/bootstrap.py",
    "tests/servers/",
)
_PAGE = ("web/", "functions/", "shared/api/", "desktop/product/", "tests/servers/")
_COMMANDS = ("cli/", "desktop/", "functions/", "shared/bootstrap.py", "shared/adapters/embedded/")
_FOLDERS = ("desktop/", "cli/", "shared/notes/", "shared/adapters/embedded/")
_INDEXING = ("shared/indexing/", "shared/sweep/", "shared/adapters/", "shared/model/", "functions/")
_SANITIZER = ("shared/markdown/", "shared/answering/", "web/")

WATCHES: Mapping[str, tuple[str, ...]] = {
    "tests/bench/": ("bench/", "shared/", "functions/"),
    "tests/cli/commands/test_dev.py": _COMMANDS,
    "tests/cli/diagnosis/": ("cli/", "deploy/", "desktop/", "shared/adapters/"),
    "tests/cli/test_hostile_text.py": ("cli/", "desktop/", "shared/markdown/printable.py"),
    "tests/cli/test_terminals.py": ("cli/", "desktop/"),
    "tests/deploy/test_audit.py": (".ci/", "requirements.txt"),
    "tests/deploy/test_indexes.py": _DEPLOYMENT,
    "tests/deploy/test_monitor.py": _DEPLOYMENT,
    "tests/deploy/test_pipeline.py": _DEPLOYMENT,
    "tests/deploy/test_releases.py": _DEPLOYMENT,
    "tests/deploy/test_terraform.py": _DEPLOYMENT,
    "tests/deploy/test_up.py": _DEPLOYMENT,
    "tests/deploy/test_upload.py": _DEPLOYMENT,
    "tests/deploy/test_way_back.py": _DEPLOYMENT,
    "tests/desktop/folders/test_both_sides.py": _FOLDERS,
    "tests/desktop/files/test_conversion.py": _FOLDERS,
    "tests/desktop/folders/test_vault.py": _FOLDERS,
    "tests/desktop/folders/test_watching.py": _FOLDERS,
    "tests/desktop/folders/test_words_first.py": _FOLDERS,
    "tests/desktop/product/test_running.py": _COMMANDS,
    "tests/firebase/test_integrate.py": ("docs/integrate.md", "firestore.rules", "functions/"),
    "tests/functions/test_failed_legs.py": ("functions/", "desktop/product/", "shared/retrieval/"),
    "tests/indexing/test_chunk_stability.py": _INDEXING,
    "tests/indexing/test_hot_documents.py": _INDEXING,
    "tests/renderers/": _SANITIZER,
    "tests/sweep/test_killers.py": _INDEXING,
    "tests/sweep/test_long_notes.py": _INDEXING,
    "tests/sweep/test_operator.py": _INDEXING,
    "tests/sweep/test_pace.py": _INDEXING,
    "tests/web/test_accessibility.py": _PAGE,
    "tests/web/test_failures.py": _PAGE,
    "tests/web/test_files.py": (*_PAGE, "desktop/"),
    "tests/web/test_notes.py": _PAGE,
    "tests/web/test_sessions.py": (*_PAGE, "shared/sessions/"),
    "tests/web/test_settings.py": (*_PAGE, "shared/settings/"),
    "tests/web/test_streaming.py": _PAGE,
    "tests/web/test_unreadable.py": _PAGE,
}
"""By the beginning of tests' ids, the beginnings of the paths that they protect beside their own."""

NIGHTLY: Mapping[str, tuple[str, ...]] = {
    **WATCHES,
    "tests/adapters/firestore/": (*_INDEXING, "desktop/product/", "tests/servers/"),
    "tests/cli/commands/test_golden_examples.py": ("examples/", "evaluation/", "shared/"),
    "tests/clients/": ("functions/", "shared/api/", "shared/model/"),
    "tests/deploy/": _DEPLOYMENT,
    "tests/desktop/product/test_container.py": (
        *_COMMANDS,
        "Dockerfile",
        "compose.yaml",
        "firebase.",
        "release/",
        "requirements.txt",
    ),
    "tests/functions/test_openapi.py": ("functions/", "shared/api/"),
    "tests/retrieval/test_firestore_bill.py": ("bench/", "shared/"),
    "tests/storm/": _INDEXING,
    "tests/sweep/": _INDEXING,
    "tests/web/test_first_hour.py": (*_PAGE, "desktop/"),
    "tests/web/test_firebase_suite.py": (
        *_PAGE,
        "firestore.",
        "firebase.",
        "shared/adapters/firebase/",
    ),
    "tests/web/test_pictures.py": (*_PAGE, "examples/"),
}
"""`WATCHES` of the nightly tests. One that no name stands for always runs."""


def runs(
    node_id: str,
    changed: Collection[str] | None,
    *,
    journey: bool = False,
    nightly: bool = False,
) -> bool:
    """Tells whether a test runs where these paths have changed; None: where nobody named any."""
    watches = NIGHTLY if nightly else WATCHES
    watched = next((name for name in watches if node_id.startswith(name)), None)
    if watched is None or journey or changed is None or ALL in changed:
        return True
    protected = (*EVERYWHERE, watched, *watches[watched])
    return any(path.startswith(protected) for path in changed)


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--changed",
        metavar="PATHS",
        help="changed paths, a blank between them: leave out tests of other code that start processes; all: none",
    )


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests that `runs` says no to."""
    named = config.getoption("--changed")
    changed = None if named is None else named.split()
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        journey = item.get_closest_marker("journey") is not None
        nightly = item.get_closest_marker("nightly") is not None
        if runs(item.nodeid, changed, journey=journey, nightly=nightly):
            chosen.append(item)
        else:
            left_out.append(item)
    items[:] = chosen
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def exit_code(status: int, named: str | None) -> int:
    """Returns the exit code of a run: success where the named paths ask for no test at all."""
    if status == pytest.ExitCode.NO_TESTS_COLLECTED and named not in (None, ALL):
        return pytest.ExitCode.OK
    return status


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.exitstatus = exit_code(exitstatus, session.config.getoption("--changed"))
