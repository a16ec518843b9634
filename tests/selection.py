"""`pytest --changed PATHS`: of the tests that start processes, those whose code has changed.

`make test` runs every test that is not nightly, but for those of `WATCHES`: they start browsers, command lines or whole
deployments, and run where one of the paths beside them has changed, or where `journey` marks them. Of those that
`nightly` marks, `NIGHTLY` tells the same.
`.ci/changed` prints the changed paths. What protects data, tenants, rules, citations or money has no name
in `WATCHES`, and is never nightly as a whole.

`--turn HASH` leaves out all but one of `TURNS` parts of the nightly tests' files: a gate replays the long tests bit by
bit. `--part HASH` leaves out all but one of `PARTS` parts of all files: a gate runs the quick tests on a second Python so.

Import the hooks in the outermost conftest.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from zlib import crc32

import pytest

ALL = "all"
"""In the place of paths: every test runs."""

TURNS = 40
"""Parts of the nightly tests; a gate runs one of them."""

PARTS = 3
"""Parts of the quick tests; a gate runs one of them on another Python than the deployed one."""

LEFT_OUT = pytest.StashKey[bool]()
"""True if this module left out tests that the command asks for."""

WORKER_LEFT_OUT = "tests_left_out"
"""Key of the same flag in what a worker of pytest-xdist sends back."""

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
    "tests/web/test_note_page.py": _PAGE,
    "tests/web/test_notes.py": _PAGE,
    "tests/web/test_notes_in_and_out.py": _PAGE,
    "tests/web/test_sessions.py": (*_PAGE, "shared/sessions/"),
    "tests/web/test_settings.py": (*_PAGE, "shared/settings/"),
    "tests/web/test_streaming.py": _PAGE,
    "tests/web/test_unreadable.py": _PAGE,
}
"""By the beginning of tests' ids, the beginnings of the paths that they protect beside their own."""

NIGHTLY: Mapping[str, tuple[str, ...]] = {
    **WATCHES,
    "tests/adapters/firestore/": (*_INDEXING, "desktop/product/", "tests/servers/"),
    "tests/adapters/models/": ("shared/adapters/",),
    "tests/cli/commands/test_live.py": (*_COMMANDS, "shared/answering/", "shared/judging/"),
    "tests/cli/commands/test_model.py": _COMMANDS,
    "tests/cli/commands/test_golden_examples.py": ("examples/", "evaluation/", "shared/"),
    "tests/clients/": ("functions/", "shared/api/", "shared/model/"),
    "tests/deploy/": _DEPLOYMENT,
    "tests/desktop/product/test_auth_emulator.py": (*_COMMANDS, "tests/servers/"),
    "tests/desktop/product/test_environment.py": _COMMANDS,
    "tests/desktop/product/test_container.py": (
        *_COMMANDS,
        "Dockerfile",
        "compose.yaml",
        "firebase.",
        "release/",
        "requirements.txt",
    ),
    "tests/indexing/": ("shared/indexing/",),
    "tests/functions/test_openapi.py": ("functions/", "shared/api/"),
    "tests/release/test_wheel.py": ("release/", "aurora_notes/", "main.py", "requirements.txt"),
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
    "tests/web/test_chat.py": _PAGE,
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
    """Tells whether a test runs where these paths have changed, or, with None, where nobody named any."""
    watches = NIGHTLY if nightly else WATCHES
    watched = next((name for name in watches if node_id.startswith(name)), None)
    if watched is None or journey or changed is None or ALL in changed:
        return True
    protected = (*EVERYWHERE, watched, *watches[watched])
    return any(path.startswith(protected) for path in changed)


def has_turn(node_id: str, turn: str, parts: int) -> bool:
    """Tells whether a test's file belongs to the part that a hash in hexadecimal digits chooses; empty: to any."""
    if not turn:
        return True
    file = node_id.partition("::")[0]
    return crc32(file.encode()) % parts == int(turn, 16) % parts


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--changed",
        metavar="PATHS",
        help="changed paths, a blank between them: leave out tests of other code that start processes; all: none",
    )
    parser.addoption(
        "--turn",
        metavar="HASH",
        default="",
        help=f"of nightly tests one of {TURNS} parts of the files, chosen by a hash such as a commit's",
    )
    parser.addoption(
        "--part",
        metavar="HASH",
        default="",
        help=f"of all tests one of {PARTS} parts of the files, chosen in the same way",
    )


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the tests that `runs` says no to, and those of other turns and parts."""
    named = config.getoption("--changed")
    changed = None if named is None else named.split()
    turn = config.getoption("--turn")
    part = config.getoption("--part")
    chosen: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        journey = item.get_closest_marker("journey") is not None
        nightly = item.get_closest_marker("nightly") is not None
        is_chosen = runs(item.nodeid, changed, journey=journey, nightly=nightly)
        is_chosen = is_chosen and has_turn(item.nodeid, part, PARTS)
        if nightly:
            is_chosen = is_chosen and has_turn(item.nodeid, turn, TURNS)
        if is_chosen:
            chosen.append(item)
        else:
            left_out.append(item)
    items[:] = chosen
    config.stash[LEFT_OUT] = bool(left_out)
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def exit_code(status: int, *, left_out: bool) -> int:
    """Returns the exit code of a run: success where all the tests that were asked for were left out here.

    Without one that was left out, the command named none: its `-k` may be mistyped.
    """
    if status == pytest.ExitCode.NO_TESTS_COLLECTED and left_out:
        return pytest.ExitCode.OK
    return status


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    left_out = session.config.stash.get(LEFT_OUT, False)
    worker_output = getattr(session.config, "workeroutput", None)
    if worker_output is not None:
        worker_output[WORKER_LEFT_OUT] = left_out
    session.exitstatus = exit_code(exitstatus, left_out=left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:  # noqa: ANN401, ARG001 - a worker of xdist
    """Learns in the main process, which collects nothing, what a worker has left out."""
    if getattr(node, "workeroutput", {}).get(WORKER_LEFT_OUT):
        node.config.stash[LEFT_OUT] = True
