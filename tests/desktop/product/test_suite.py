"""Emulators that run already are found as Firebase's own tools name them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from desktop.product.suite import PROJECT, Suite, running
from shared.errors import OperatorError
from tests.servers.scripted import Reply, Request, ScriptedServer

NOTHING = "127.0.0.1:9"
"""An address where nobody answers."""


@pytest.fixture
def hubs(tmp_path: Path) -> Iterator[Path]:
    """A folder in which hubs of suites that run leave their files; see `hub`."""
    with ExitStack() as stack:

        def answer(request: Request) -> Reply:
            assert request.path == "/emulators"
            return Reply(
                body={
                    "auth": {"host": "127.0.0.1", "port": 9099},
                    "hub": {"host": "127.0.0.1", "port": 4400},
                }
            )

        server = stack.enter_context(ScriptedServer(answer))
        (tmp_path / "address").write_text(server.url)
        yield tmp_path


def hub(folder: Path, project: str, origin: str | None = None) -> None:
    """Write the hub's file as firebase-tools does."""
    content = {
        "version": "15.0.0",
        "origins": [origin or (folder / "address").read_text()],
        "pid": 1,
    }
    (folder / f"hub-{project}.json").write_text(json.dumps(content))


def test_without_any_there_is_a_project_that_is_nobodys(tmp_path: Path) -> None:
    assert running({}, hubs=tmp_path) == Suite(PROJECT, None, None)


def test_a_hub_says_what_runs_and_whose_it_is(hubs: Path) -> None:
    hub(hubs, "demo-app")
    assert running({}, hubs=hubs) == Suite("demo-app", None, "127.0.0.1:9099")


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"origins": []}', '{"origins": ["http://127.0.0.1:9"]}']
)
def test_a_file_that_a_hub_left_behind_is_passed_over(tmp_path: Path, content: str) -> None:
    (tmp_path / "hub-demo-app.json").write_text(content)
    assert running({}, hubs=tmp_path) == Suite(PROJECT, None, None)


def test_the_environment_chooses_among_several_suites(hubs: Path) -> None:
    hub(hubs, "demo-one")
    hub(hubs, "demo-two")
    with pytest.raises(OperatorError, match=r"GOOGLE_CLOUD_PROJECT: .* demo-one, demo-two"):
        running({}, hubs=hubs)
    assert running({"GCLOUD_PROJECT": "demo-two"}, hubs=hubs).auth == "127.0.0.1:9099"


def test_an_emulator_named_by_the_environment_has_to_answer(tmp_path: Path) -> None:
    with pytest.raises(
        OperatorError, match=f"FIRESTORE_EMULATOR_HOST: no emulator answers at {NOTHING}"
    ):
        running({"FIRESTORE_EMULATOR_HOST": NOTHING}, hubs=tmp_path, seconds=0)


def test_an_emulator_that_is_starting_is_awaited(tmp_path: Path) -> None:
    replies = iter([503, 503])

    def answer(_: Request) -> Reply:
        return Reply(status=next(replies, 200), body={})

    with ScriptedServer(answer) as starting:
        host = starting.url.removeprefix("http://")
        suite = running({"FIRESTORE_EMULATOR_HOST": host}, hubs=tmp_path)
    assert suite.firestore == host
    assert next(replies, None) is None


def test_an_emulator_named_by_the_environment_goes_before_a_hub(hubs: Path) -> None:
    hub(hubs, "demo-app")
    with ScriptedServer(lambda _: Reply(body={})) as server:
        host = server.url.removeprefix("http://")
        assert running({"FIREBASE_AUTH_EMULATOR_HOST": host}, hubs=hubs) == Suite(
            "demo-app", None, host
        )
