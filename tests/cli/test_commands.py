"""The commands, each in this process on a home of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cli.main import COMMANDS
from tests.cli.conftest import BOATS, Aurora, Write
from tests.servers.openai import OpenAIServer, chunked


def test_a_folder_is_indexed_and_answers_with_citations(aurora: Aurora, notes: Write) -> None:
    report = aurora.json("index", str(notes(BOATS)))
    assert report["notes"] == 2
    assert report["indexed"] == 2
    assert report["skipped"] == []
    answer = aurora.json("ask", "What colour is the boat?")
    assert "blue" in answer["answer"]
    assert answer["citations"][0]["title"] == "Boat"
    assert set(answer) == {"answer", "citations", "claims", "meta"}
    assert (
        "[N1] Boat · toys/boat.md · 8 May 2026" in aurora("ask", "What colour is the boat?").output
    )


def test_what_the_notes_do_not_hold_is_answered_from_general_knowledge_if_asked_for(
    aurora: Aurora, notes: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    aurora("index", str(notes(BOATS)))
    with OpenAIServer() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
        monkeypatch.setenv("CHAT_MODEL", "m")
        model.script(*map(chunked, ("ANSWER: no\n", "ANSWER: no\n", "Water is blue.")))
        assert aurora("ask", "What colour is water?").exit_code == 3
        result = aurora("ask", "What colour is water?", "--general")
    assert result.exit_code == 0
    assert "From general knowledge:\n\nWater is blue." in result.output


def test_a_search_finds_words_and_times_and_says_where_nothing_matches(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(BOATS)))
    body = aurora.json("search", "tomatoes", "--k", "1")
    assert [result["path"] for result in body["results"]] == ["garden.md"]
    assert "Boat" in aurora("search", "what did I do in May 2026?").output
    nothing = aurora("search", "blorptastic quuxify")
    assert nothing.exit_code == aurora("search", "blorptastic quuxify", "--json").exit_code == 3
    assert "matches well" in nothing.output or "nothing found" in nothing.output


def test_options_may_stand_before_or_after_the_command(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    aurora("index", str(notes(BOATS)))
    elsewhere = aurora("search", "boat", "--home", str(tmp_path / "empty"))
    assert elsewhere.exit_code == 3
    other_tenant = aurora("--tenant", "other", "search", "boat")
    assert other_tenant.exit_code == 3
    assert aurora("search", "boat", "--tenant", "local").exit_code == 0


@pytest.mark.parametrize("tenant", ["team/a", "..", "../x"])
def test_a_tenant_that_no_path_can_hold_is_refused(aurora: Aurora, tenant: str) -> None:
    refused = aurora("search", "boat", "--tenant", tenant)
    assert refused.exit_code == 2
    assert "--tenant: expected 1-1000 bytes" in " ".join(refused.output.split())


def test_a_note_is_found_under_its_aliases_as_they_are_now(aurora: Aurora, notes: Write) -> None:
    for alias in ("Skiff", "Nutshell"):
        text = f"---\naliases: [{alias}]\n---\nIt is blue and floats.\n"
        aurora("index", str(notes({"boat.md": text, "garden.md": BOATS["garden.md"]})))
        results = aurora.json("search", alias.lower())["results"]
        assert results[0]["path"] == "boat.md"
        assert results[0]["scores"]["keyword"] > 0
    assert aurora("search", "skiff").exit_code == 3


def test_what_a_search_shows_reads_as_the_note_does(aurora: Aurora, notes: Write) -> None:
    text = "The [[boats/Skiff|skiff]] is blue, see ![[plan.png]]**here**. ^blue-1\n\n> [!tip]\n> Paint <% now %>it.\n"
    aurora("index", str(notes({"boat.md": text})))
    (row,) = aurora.json("search", "skiff")["results"]
    assert row["snippet"] == "The skiff is blue, see here. Paint it."
    answer = aurora.json("ask", "What colour is the skiff?")["answer"]
    assert (
        "> The [[boats/Skiff|skiff]] is blue, see ![[plan.png]]**here**.\n>\n> > [!tip]\n" in answer
    )


def test_a_tag_over_several_lines_is_no_part_of_what_a_search_shows(
    aurora: Aurora, notes: Write
) -> None:
    text = '<div\n  class="box"\n  role="region"\n>\nThe skiff is blue.\n</div>\n'
    aurora("index", str(notes({"boat.md": text})))
    (row,) = aurora.json("search", "skiff")["results"]
    assert row["snippet"] == "The skiff is blue."


def test_headings_are_listed_without_their_marks(aurora: Aurora, notes: Write) -> None:
    text = "# The *Skiff*\n\n## _Is it_ `blue`?\n\nIt is painted in May.\n"
    aurora("index", str(notes({"boat.md": text})))
    for command in ("search", "ask"):
        printed = aurora(command, "When is the skiff painted?").output
        assert "The Skiff › Is it blue?" in printed
        assert "_Is it_" not in printed


# -- index


def test_a_changed_file_is_indexed_again_and_keeps_its_date(aurora: Aurora, notes: Write) -> None:
    folder = notes(BOATS)
    os.utime(folder / "garden.md", (1_700_000_000, 1_700_000_000))
    aurora("index", str(folder))
    os.utime(folder / "toys/boat.md")
    second_report = aurora.json("index", str(folder))
    assert second_report["indexed"] == 0
    assert second_report["unchanged"] == 2
    assert second_report["embedded"] == 0
    notes({"garden.md": "# Garden\n\nWe planted nine tomatoes.\n"})
    report = aurora.json("index", str(folder))
    assert report["indexed"] == 1
    assert report["unchanged"] == 1
    result = aurora.json("search", "nine tomatoes", "--k", "1")["results"][0]
    assert result["createdAt"] == "2023-11-14T22:13:20.000Z"


def test_missing_files_are_removed_but_only_those_of_this_folder(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    folder = notes(BOATS)
    another_folder = tmp_path / "other"
    another_folder.mkdir()
    (another_folder / "whale.md").write_text("The whale sings.")
    for path, vault in (
        (folder, "default"),
        (another_folder, "default"),
        (folder, "copy"),
    ):
        aurora("index", str(path), "--vault", vault)
    (folder / "toys/boat.md").unlink()
    assert aurora.json("index", str(folder))["removed"] == 1
    assert [
        hit["vault"] for hit in aurora.json("search", "blue boat", "--vault", "copy")["results"]
    ][:1] == ["copy"]
    paths = {
        hit["path"]
        for hit in aurora.json("search", "boat whale tomatoes", "--vault", "default")["results"]
    }
    assert paths == {"garden.md", "whale.md"}


def test_a_path_that_another_folder_has_taken_is_not_overwritten(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    aurora("index", str(notes(BOATS)))
    another_folder = tmp_path / "other"
    another_folder.mkdir()
    (another_folder / "garden.md").write_text("The garden of somebody else.")
    result = aurora("index", str(another_folder), "--vault", "default", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["notes"] == 0
    assert "another folder" in report["skipped"][0]["reason"]
    assert "--vault NAME" in report["skipped"][0]["reason"]


def test_while_a_part_cannot_be_read_nothing_is_removed(aurora: Aurora, notes: Write) -> None:
    folder = notes(BOATS)
    aurora("index", str(folder))
    (folder / "toys/boat.md").unlink()
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    assert json.loads(aurora("index", str(folder), "--json").stdout)["removed"] == 0
    (folder / "gone.md").unlink()
    assert aurora.json("index", str(folder))["removed"] == 1


VAULTS = [["index", ".", "--vault", name] for name in ("a/b", "", "a\tb", "v" * 201)]


@pytest.mark.parametrize("arguments", [["index"], ["index", "no/such/folder"], *VAULTS])
def test_a_wrong_command_line_is_2(aurora: Aurora, arguments: list[str]) -> None:
    assert aurora(*arguments).exit_code == 2


# -- ask and search


def test_filters_and_now_are_used(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    inside = aurora.json("search", "boat", "--folder", "toys", "--vault", "default")
    assert {hit["path"] for hit in inside["results"]} == {"toys/boat.md"}
    answer = aurora.json(
        "ask",
        "What about the boat yesterday?",
        "--now",
        "2026-05-09T10:00:00Z",
        "--time-zone",
        "Europe/Berlin",
    )
    assert answer["meta"]["query"]["timeRange"]["start"] == "2026-05-07T22:00:00.000Z"
    assert answer["citations"][0]["title"] == "Boat"


def test_folders_are_ranked_where_that_is_asked_for_and_named_ones_come_first(
    aurora: Aurora, notes: Write
) -> None:
    aurora(
        "index",
        str(
            notes(
                {
                    **BOATS,
                    "work/plan.md": "The plan is to paint the boat.",
                    "home/tea.md": "Green tea.",
                }
            )
        ),
    )
    answer = aurora.json(
        "ask", "What colour is the boat?", "--rank-folders", "--folder", "home", "--k", "2"
    )
    assert answer["meta"]["folders"][0]["folder"] == "home"
    assert "toys" in {folder["folder"] for folder in answer["meta"]["folders"]}
    assert answer["references"]
    assert (
        "looked in, the best first: default/home, "
        in aurora("ask", "What colour is the boat?", "--rank-folders", "--folder", "home").stdout
    )
    assert aurora("ask", "Why?", "--rank-folders", "--template", "auto").exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask", ""],
        ["ask", "x" * 2001],
        ["ask", "hi", "--now", "yesterday"],
        ["ask", "hi", "--time-zone", "Mars"],
        ["ask", "hi", "--k", "21"],
        ["ask", "hi", "--k", "0"],
        ["search", "hi", "--k", "0"],
        ["search", "hi", "--k", "101"],
        ["explain", "hi", "--k", "-1"],
        ["templates", "search", "hi", "--k", "21"],
        ["ask", "hi", "--template", "a/b"],
    ],
)
def test_a_wrong_value_is_2_and_told_in_one_line(aurora: Aurora, arguments: list[str]) -> None:
    result = aurora(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert result.stderr.strip()


@pytest.mark.parametrize("command", ["ask", "search", "explain"])
@pytest.mark.parametrize(
    ("kind", "known"),
    [
        ("vault", "default"),
        ("folder", "toys"),
    ],
)
def test_an_unknown_vault_or_folder_is_1_and_named(
    aurora: Aurora, notes: Write, command: str, kind: str, known: str
) -> None:
    aurora("index", str(notes(BOATS)))
    result = aurora(command, "boat", f"--{kind}", "attic")
    assert result.exit_code == 1
    assert result.stderr == f"aurora: no {kind} 'attic'; there are: {known}\n"


def test_a_home_that_cannot_be_is_1_in_one_line(aurora: Aurora, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = aurora("ask", "Why?", "--home", str(tmp_path / "file" / "below"))
    assert result.exit_code == 1
    assert len(result.stderr.strip().splitlines()) == 1


# -- reconcile, demo


def test_reconcile_says_that_there_is_nothing_to_do(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(BOATS)))
    report = aurora.json("reconcile", "--full")
    assert report["examined"] == 2
    assert report["indexed"] == 0
    assert report["complete"] is True
    assert "nothing to repair" in aurora("reconcile").output
    assert "would embed 0 texts" in aurora("reconcile", "--dry-run").output


def test_the_demo_answers_three_questions_with_citations(aurora: Aurora) -> None:
    demo = aurora.json("demo", "examples/notes")
    assert len(demo["answers"]) == 3
    assert all(answer["citations"] for answer in demo["answers"])
    assert not aurora.home.exists()
    text = aurora("demo", "examples/notes").output
    assert text.count("\n› ") == 3
    assert "[N1]" in text


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_help_of_a_command_shows_no_mark_of_its_source(aurora: Aurora, name: str) -> None:
    help_text = aurora(name, "--help").output
    assert help_text.startswith("Usage: ")
    assert "\\b" not in help_text
