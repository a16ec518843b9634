"""The text that people see of a search's JSON, and are told where it found nothing or their models were away."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.main import main
from cli.options import CommandContext, counted
from cli.showing import as_read, hint_for, show_found, show_sources, without_hard_breaks
from functions.client import Json
from shared.bootstrap import build
from shared.model.retrieval import RefusalReason
from shared.notes.service import NoteDraft
from shared.settings import Settings
from tests.cli.conftest import Aurora, Write
from tests.servers.gemini import error, error_info
from tests.servers.scripted import ScriptedServer

WORDED, ALIKE, LITTLE, STRANGER = (0.2, 0.0), (0.0, 0.7), (0.0, 0.55), (0.0, 0.5)
"""Keyword part and similarity."""
WEAKLY = "Nothing matches well. The nearest notes:"
IN_MAY: Json = {"phrase": "in May", "restricts": True, "widened": None}


def row(keyword: float, similarity: float) -> Json:
    scores = {
        "vector": 0.1,
        "keyword": keyword,
        "recency": 0.0,
        "similarity": similarity,
    }
    result = {
        "noteId": "n",
        "vault": "default",
        "path": "n.md",
        "headingPath": "",
        "createdAt": "2026-05-08",
        "snippet": "…",
        "score": 0.1,
    }
    return {
        **result,
        "title": f"{keyword}/{similarity}",
        "scores": scores,
    }


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("> geb. 3. Juli\\\n> Schuhgröße 41 [N1]", "> geb. 3. Juli\n> Schuhgröße 41 [N1]"),
        ("- llave: Inés\\\n  martes\n\nFin. ", "- llave: Inés\n  martes\n\nFin. "),
        ("```sh\nmake \\\n  test\n```\nso\\\nit is", "```sh\nmake \\\n  test\n```\nso\nit is"),
        (">     make \\\n>       test", ">     make \\\n>       test"),
        ("in C:\\\\\nor D:\\", "in C:\\\\\nor D:\\"),
        ("", ""),
    ],
)
def test_a_terminal_shows_hard_breaks_as_lines(markdown: str, shown: str) -> None:
    assert without_hard_breaks(markdown) == shown


def test_a_terminal_shows_links_between_notes_as_they_read() -> None:
    markdown = "> Of [[Oak beams|oak]], ![[sketch.png|300]],\\\n> [[a/Harbour#Opening hours]], `[[x]]`. [N1]"
    assert as_read(markdown) == "> Of oak, sketch.png,\n> Harbour > Opening hours, `[[x]]`. [N1]"


@pytest.mark.parametrize(
    ("rows", "time", "seen", "hidden"),
    [
        ([WORDED, STRANGER], None, ["0.2/0.0"], [WEAKLY, "0.0/0.5 "]),
        ([ALIKE, LITTLE], None, ["0.0/0.7"], [WEAKLY, "0.0/0.55"]),
        ([LITTLE, STRANGER], None, [WEAKLY, "0.0/0.55"], ["0.0/0.5 "]),
        ([STRANGER], None, ["nothing found"], [WEAKLY, "0.0/0.5"]),
        ([STRANGER], IN_MAY, ["0.0/0.5"], [WEAKLY]),
        ([], IN_MAY, ["nothing found"], [WEAKLY]),
        ([LITTLE] * 9 + [WORDED], None, ["0.2/0.0"], [WEAKLY, "0.0/0.55"]),
    ],
)
def test_rows_unrelated_to_a_search_are_left_out(
    rows: list[tuple[float, float]],
    time: Json | None,
    seen: list[str],
    hidden: list[str],
    tmp_path: Path,
) -> None:
    body = {"results": [row(*columns) for columns in rows], "meta": {"query": {"timeRange": time}}}
    with redirect_stdout(StringIO()) as written:
        show_found(
            body,
            CommandContext(tmp_path, "local", as_json=False),
            nothing="nothing found",
        )
    output = written.getvalue()
    assert [text for text in seen if text not in output] == []
    assert [text for text in hidden if text in output] == []


@pytest.mark.parametrize("stale", [True, False])
def test_people_are_told_that_a_cited_note_has_changed(stale: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a parameter
    place = {
        "title": "Boat",
        "headingPath": "",
        "path": "boat.md",
        "noteId": "n",
        "createdAt": "2026-05-08",
    }
    citation = {
        **place,
        "cid": "N1",
        "quote": "It is blue.",
        "stale": stale,
    }
    with redirect_stdout(StringIO()) as written:
        show_sources(
            {"citations": [citation], "meta": {"answerKind": "written", "refusal": None}},
            CommandContext(tmp_path, "local", as_json=False),
        )
    assert ("has changed since" in written.getvalue()) is stale


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (IN_MAY, "restricted to “in May”"),
        ({**IN_MAY, "widened": "any time"}, "restricted to “in May”, searched further: any time"),
        ({**IN_MAY, "restricts": False}, "ordered by nearness to “in May”"),
    ],
)
def test_people_are_told_what_the_time_they_named_did(
    time: Json, said: str, tmp_path: Path
) -> None:
    body = {"results": [row(*WORDED)], "meta": {"query": {"timeRange": time}}}
    with redirect_stdout(StringIO()) as written:
        show_found(body, CommandContext(tmp_path, "local", as_json=False), nothing="")
    assert said in written.getvalue()


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "0 notes"),
        (1, "1 note"),
        (2, "2 notes"),
        (12_345, "12,345 notes"),
    ],
)
def test_one_is_told_as_one(count: int, said: str) -> None:
    assert counted(count, "note") == said


def test_a_folder_of_one_file_is_told_as_one(aurora: Aurora, notes: Callable[..., Path]) -> None:
    output = aurora("index", str(notes({"boat.md": "The boat is blue."}))).stdout
    assert output.startswith("1 note from ")
    assert "1 text embedded" in " ".join(output.split())
    assert "1 note in vault" in " ".join(aurora("doctor").stdout.split())


def test_a_search_prints_the_line_of_the_file_on_which_a_passage_begins(
    aurora: Aurora, notes: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "---\ntitle: Boat\n---\n\n# Colours 🚤\n\nIt is white.\n\n## Hull\n\nThe hull is blue.\n"
    folder = notes({"a/boat.md": text, "whale.md": "Whales sing."})
    aurora("index", str(folder))
    output = aurora("search", "blue hull").stdout
    assert f"{folder}/a/boat.md:11  Boat › Colours 🚤 › Hull" in output
    assert "    The hull is blue." in output
    assert "whale" not in output
    monkeypatch.chdir(folder)
    assert "a/boat.md:11  Boat" in aurora("search", "blue hull").stdout.splitlines()[0]
    (folder / "a/boat.md").write_text("Nothing of it is left.\n")
    assert aurora("search", "blue hull").stdout.startswith("a/boat.md  Boat › Colours 🚤 › Hull")


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
def test_without_notes_it_is_told_where_there_are_none_and_how_they_come(
    aurora: Aurora, command: str
) -> None:
    output = aurora(command, QUESTION, "--tenant", "nobody").stdout
    assert (
        f"There are no notes of tenant nobody in {aurora.home} yet: `aurora index FOLDER`" in output
    )


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wer hat die Weltmeisterschaft gewonnen?", "In deinen Notizen steht nichts darüber."),
        ("Who won the cup?", "I don't have enough information in your notes"),
    ],
)
def test_a_refusal_is_in_the_language_of_the_question(
    aurora: Aurora, notes: Write, question: str, said: str
) -> None:
    aurora("index", str(notes(NOTES)))
    (sentence,) = aurora("ask", question).stdout.splitlines()
    assert sentence.startswith(said)


@pytest.mark.parametrize(
    ("lang", "heading"),
    [
        ("es", "Los pasajes más cercanos de tus notas:"),
        ("en", "Closest passages in your notes:"),
    ],
)
def test_the_nearest_notes_stand_below_a_heading_in_the_language_of_the_refusal(
    lang: str, heading: str, tmp_path: Path
) -> None:
    refusal = {
        "reason": "no_candidates",
        "told": "…",
        "lang": lang,
        "nearest": [row(*LITTLE)],
    }
    answer = {
        "answer": "",
        "citations": [],
        "meta": {"answerKind": "written", "refusal": refusal},
    }
    with redirect_stdout(StringIO()) as written:
        show_sources(answer, CommandContext(tmp_path, "local", as_json=False))
    assert heading in written.getvalue().splitlines()


def test_a_citation_names_title_and_headings_once_and_without_marks(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes({"boat.md": "# Boat\n\n## Hull\n\nThe boat has a blue hull.\n"})))
    output = aurora("ask", "What colour is the hull of the boat?").stdout
    assert "[N1] Boat › Hull · boat.md · " in " ".join(output.split())


def test_an_empty_home_does_not_speak_of_tenants(aurora: Aurora) -> None:
    assert f"There are no notes in {aurora.home} yet" in " ".join(
        aurora("search", "x").stdout.split()
    )


def test_notes_that_wait_for_the_index_are_counted_and_the_command_for_them_named(
    aurora: Aurora,
) -> None:
    _saved_only(aurora)
    output = aurora("search", QUESTION).stdout
    assert (
        "nothing found; 1 of 1 note not indexed yet. `aurora reconcile` indexes them now." in output
    )
    assert "`aurora reconcile` indexes them now." in aurora("ask", QUESTION).stdout
    assert aurora("search", QUESTION).stderr == (
        "aurora: 1 of 1 note not indexed yet: they may be missing here. `aurora reconcile` indexes them now.\n"
    )
    assert "still being indexed" not in aurora("ask", QUESTION, "--json").stderr
    on_a_server = CommandContext(None, "local", as_json=False, server="https://example.com")
    assert hint_for(RefusalReason.INDEX_PENDING, on_a_server) == ""


@pytest.mark.usefixtures("wrong_key")
def test_models_that_are_set_and_do_not_answer_are_named(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(NOTES)))
    completed = aurora("ask", QUESTION)
    assert "blue" in completed.stdout
    assert "says how to choose one" not in completed.stdout, "one is set"
    writer, embedder = completed.stderr.splitlines()
    server = os.environ["GEMINI_BASE_URL"]
    assert writer.startswith(f"aurora: gemini-3.5-flash-lite at {server} did not write")
    assert embedder.startswith(f"aurora: gemini-embedding-2 at {server} did not answer")
    assert aurora("search", "boat").stderr == f"{embedder}\n"
    assert json.loads(aurora("ask", QUESTION, "--json").stdout)["meta"]["model"] == "extractive"
    talked = CliRunner().invoke(main, ["--home", str(aurora.home), "chat"], input=f"{QUESTION}\n")
    assert talked.stderr == completed.stderr


@pytest.mark.usefixtures("wrong_key")
def test_no_line_of_a_log_stands_among_what_a_command_says(aurora: Aurora, notes: Write) -> None:
    indexed = aurora("index", str(notes(NOTES)))
    assert "boat.md: gemini-embedding-2: 400" in indexed.stdout
    repaired = aurora("reconcile")
    assert "1 left for later" in repaired.stdout
    assert "`aurora doctor` says whether a model is unavailable" in repaired.stdout
    assert indexed.stderr == repaired.stderr == ""


def test_without_a_model_setting_no_model_is_missed(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(NOTES)))
    completed = aurora("ask", QUESTION)
    assert completed.stderr == aurora("search", "boat").stderr == ""
    assert "says how to choose one" in completed.stdout


def _saved_only(aurora: Aurora) -> None:
    """A note that no event has told the index of."""
    app = build(
        Settings.from_env({"AURORA_HOME": str(aurora.home), "AUTH": "none"}), tenant="local"
    )
    app.notes.save("local", "boat", NoteDraft(title="Boat", text="The boat is blue."))
    app.pool.shutdown()
    app.store.close()


def test_general_knowledge_without_a_model_is_said_to_need_one(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(NOTES)))
    completed = aurora("ask", "--general", "What is the capital of France?")
    assert completed.stderr.startswith("aurora: --general needs a model that writes")
    talked = CliRunner().invoke(
        main,
        ["--home", str(aurora.home), "chat", "--general"],
        input="What is the capital of France?\n",
    )
    assert talked.stderr == completed.stderr
