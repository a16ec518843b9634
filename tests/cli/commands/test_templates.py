"""`aurora templates` and `aurora ask --template`."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Aurora, Write

BOAT = "---\nname: Boat repair\nkeywords: [boat, leak]\n---\n1. Find the leak.\n"


def test_the_shipped_templates_are_listed(aurora: Aurora) -> None:
    listed = aurora.json("templates", "list")
    assert len(listed["templates"]) == 11
    assert listed["ready"] is True
    assert "Decision record" in aurora("templates", "list").output


def test_a_file_is_added_and_replaced_and_found(aurora: Aurora, notes: Write) -> None:
    file = str(notes({"boat.md": BOAT}) / "boat.md")
    assert aurora.json("templates", "add", file)["templateId"] == "boat"
    assert "added boat (Boat repair)" in aurora("templates", "add", file).output
    best = aurora.json("templates", "search", "boat repair, find the leak", "--k", "1")["templates"]
    assert [template["templateId"] for template in best] == ["boat"]
    assert best[0]["score"] > 0.65
    assert "boat" in aurora("templates", "search", "boat repair, find the leak").output
    unlike = aurora("templates", "search", "Which nuts is Elena allergic to?").output
    assert "fallback  chain-of-thought" in unlike
    assert (
        aurora(
            "templates", "add", str(notes({"boat.md": BOAT.replace("leak", "crack")}) / "boat.md")
        ).exit_code
        == 0
    )
    (trashed,) = aurora.json("notes", "trash")["trash"]
    aurora("notes", "restore", trashed["trashId"])
    assert "Find the leak." in aurora("notes", "show", "template-boat").stdout


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("t.md", "---\ndomain: x\n---\n1.", "name: expected"),
        ("auto.md", BOAT, "templateId: expected"),
        ("t.md", b"\xff", "UTF-8"),
    ],
)
def test_a_file_that_is_no_template_is_2_in_one_line(
    aurora: Aurora, notes: Write, name: str, text: str | bytes, told: str
) -> None:
    result = aurora("templates", "add", str(notes({name: text}) / name))
    assert result.exit_code == 2
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_the_folders_are_indexed_and_what_is_wrong_in_them_is_told(
    aurora: Aurora, notes: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = notes({"boat.md": BOAT})
    monkeypatch.setenv("TEMPLATE_FOLDERS", str(folder))
    assert aurora.json("templates", "index") == {"count": 1, "problems": []}
    assert [
        template["templateId"] for template in aurora.json("templates", "list")["templates"]
    ] == ["boat"]
    notes({"sub/boat.md": BOAT})
    result = aurora("templates", "index")
    assert result.exit_code == 1
    assert "1 template\n" in result.output
    assert "duplicate id" in result.stdout
    assert result.stderr == ""
    assert len(json.loads(aurora("templates", "index", "--json").stdout)["problems"]) == 1


def test_a_question_can_name_a_template(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes({"boat.md": "The boat is blue."})))
    ask = ("ask", "What colour is the boat?")
    assert aurora.json(*ask, "--template", "plan")["meta"]["template"]["name"] == "Plan"
    assert aurora.json(*ask, "--template", "auto")["meta"]["template"]["id"]
    assert aurora.json(*ask, "--template", "none")["meta"]["template"] is None
    unknown = aurora(*ask, "--template", "nope")
    assert unknown.exit_code == 1
    assert "nope" in unknown.stderr
