"""The options of `aurora ask`, `search` and `chat`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Aurora, Write

NOTES = {
    "boat.md": "# Boat\n\nThe boat is green and lies in the harbour.\n",
    "garden/beans.md": "# Beans\n\nBeans grow up the green poles.\n",
}
QUESTION = "What colour is the boat?"


@pytest.fixture
def indexed(aurora: Aurora, notes: Write) -> str:
    """The folder of the notes, after it was indexed."""
    folder = str(notes(NOTES))
    assert aurora("index", folder).exit_code == 0
    return folder


@pytest.mark.parametrize("strategy", ["weighted", "rrf"])
def test_the_strategy_of_a_search_can_be_chosen(
    aurora: Aurora, indexed: str, strategy: str
) -> None:
    del indexed
    expected = {"weighted": "hybrid_reranked", "rrf": "hybrid_rrf"}[strategy]
    for command in ("ask", "search"):
        reply = aurora.json(command, QUESTION, "--strategy", strategy)
        assert reply["meta"]["retrieval"]["strategy"] == expected
    conversation = aurora("chat", "--json", "--strategy", strategy, stdin=f"{QUESTION}\n")
    assert f'"strategy": "{expected}"' in conversation.output


def test_a_question_is_read_from_standard_input(aurora: Aurora, indexed: str) -> None:
    del indexed
    for command in ("ask", "search"):
        reply = aurora(command, "-", "--json", stdin=f"{QUESTION}\n")
        assert reply.exit_code == 0, (reply.output, reply.stderr, reply.exception)
        cited = "citations" if command == "ask" else "results"
        assert json.loads(reply.stdout)[cited] == aurora.json(command, QUESTION)[cited]
        empty = aurora(command, "-", stdin=" \n")
        assert empty.exit_code == 2
        assert "standard input holds no question" in empty.stderr


def test_a_pipe_gets_the_files_that_were_found_best_first(aurora: Aurora, indexed: str) -> None:
    search_output = aurora("search", QUESTION, "--files")
    assert search_output.output.splitlines()[0] == f"{indexed}/boat.md"
    refused = aurora("search", QUESTION, "--files", "--json")
    assert refused.exit_code == 2
    assert "do not go together" in refused.stderr


def test_a_note_whose_file_is_gone_is_named_by_vault_and_path(aurora: Aurora, indexed: str) -> None:
    (Path(indexed) / "boat.md").unlink()
    search_output = aurora("search", QUESTION, "--files")
    assert search_output.output.splitlines()[0] == "default/boat.md"


def test_general_knowledge_without_a_model_changes_no_answer(aurora: Aurora, indexed: str) -> None:
    del indexed
    plain = aurora("chat", stdin=f"{QUESTION}\n")
    general = aurora("chat", "--general", stdin=f"{QUESTION}\n")
    assert general.stdout == plain.stdout
    assert general.stderr.startswith("aurora: --general needs a model that writes")
    assert plain.stderr == ""
