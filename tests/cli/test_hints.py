"""What people are told whose question found nothing, or whose models were away."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.hints import hint_for
from cli.main import main
from cli.options import Place
from shared.bootstrap import build
from shared.model.retrieval import RefusalReason
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.cli.conftest import Aurora
from tests.servers.gemini import error, error_info
from tests.servers.scripted import ScriptedServer

Write = Callable[..., Path]

NOTES = {"boat.md": "---\ncreated: 2026-05-08\n---\nThe boat is blue and floats.\n"}
QUESTION = "What colour is the boat?"


@pytest.fixture
def wrong_key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything asked of Gemini is refused."""

    refused = error(400, "INVALID_ARGUMENT", error_info("API_KEY_INVALID"))
    with ScriptedServer(lambda _: refused) as server:
        monkeypatch.setenv("GEMINI_API_KEY", "wrong")
        monkeypatch.setenv("GEMINI_BASE_URL", server.url)
        yield


@pytest.mark.parametrize("command", ["ask", "search", "explain"])
def test_without_notes_it_is_told_where_there_are_none_and_how_they_come(aurora: Aurora, command: str) -> None:
    told = aurora(command, QUESTION, "--tenant", "nobody").stdout
    assert f"There are no notes of tenant nobody in {aurora.home} yet: `aurora index FOLDER`" in told


def test_notes_that_wait_for_the_index_are_counted_and_the_command_for_them_named(aurora: Aurora) -> None:
    _saved_only(aurora)
    told = aurora("search", QUESTION).stdout
    assert "nothing found; of 1 note 1 not indexed yet. `aurora reconcile` indexes them now." in told
    assert "`aurora reconcile` indexes them now." in aurora("ask", QUESTION).stdout
    on_a_server = Place(None, "local", as_json=False, server="https://example.com")
    assert hint_for(RefusalReason.INDEX_PENDING, on_a_server) == ""


@pytest.mark.usefixtures("wrong_key")
def test_models_that_are_set_and_do_not_answer_are_named(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(NOTES)))
    asked = aurora("ask", QUESTION)
    assert "blue" in asked.stdout
    writer, embedder = asked.stderr.splitlines()
    server = os.environ["GEMINI_BASE_URL"]
    assert writer.startswith(f"aurora: gemini-3.5-flash-lite at {server} did not write")
    assert embedder.startswith(f"aurora: gemini-embedding-2 at {server} did not answer")
    assert aurora("search", "boat").stderr == f"{embedder}\n"
    assert json.loads(aurora("ask", QUESTION, "--json").stdout)["meta"]["model"] == "extractive"
    talked = CliRunner().invoke(main, ["--home", str(aurora.home), "chat"], input=f"{QUESTION}\n")
    assert talked.stderr == asked.stderr


def test_where_no_model_is_set_none_is_missed(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(NOTES)))
    assert aurora("ask", QUESTION).stderr == aurora("search", "boat").stderr == ""


def _saved_only(aurora: Aurora) -> None:
    """A note that no event has told the index of."""
    app = build(Settings.from_env({"AURORA_HOME": str(aurora.home), "AUTH": "none"}), tenant="local")
    app.notes.save("local", "boat", NoteDraft(title="Boat", text="The boat is blue."))
    app.pool.shutdown()
    app.store.close()
