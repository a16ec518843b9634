"""Notes by the command: listed, shown, deleted; an export brought back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.main import main
from desktop.folders.manifest import Manifest
from tests.cli.conftest import Aurora, Write

NOTES = {
    "toys/boat.md": "---\ntitle: Boat\ntags: [toys]\ncreated: 2026-05-08\n---\nThe boat is blue and floats.\n",
    "garden.md": "---\ncreated: 2026-06-01\n---\n# Garden\n\nWe planted six tomatoes.\n",
}
TEMPLATE = "---\nname: Mine\n---\n1. Think.\n"

Run = Callable[..., Result]


@pytest.fixture(params=["here", "there"])
def run(aurora: Aurora, notes: Write, request: pytest.FixtureRequest) -> Run:
    """A command where the notes are: on this machine, or on a server."""
    where: tuple[str, ...] = ()
    if request.param == "there":
        server = request.getfixturevalue("server")
        where = ("--server", server.address, "--token", server.alice)
        aurora("erase", "--yes", *where)

    def at(*arguments: str) -> Result:
        return aurora(*arguments, *where)

    assert at("index", str(notes(NOTES))).exit_code == 0
    return at


def test_notes_are_listed_newest_first(run: Run) -> None:
    lines = run("notes", "list").stdout.splitlines()
    assert [line.split("  ")[1:] for line in lines] == [
        ["2026-06-01", "default/garden.md"],
        ["2026-05-08", "default/toys/boat.md"],
    ]
    listed = json.loads(run("notes", "list", "--vault", "default", "--json").stdout)["notes"]
    assert [note["path"] for note in listed] == ["garden.md", "toys/boat.md"]
    assert run("notes", "list", "--vault", "other").stdout == "no notes\n"


def test_a_note_is_shown_by_its_id_or_path(run: Run) -> None:
    note_shown = run("notes", "show", "toys/boat.md")
    assert note_shown.stdout.startswith("Boat\ndefault/toys/boat.md  2026-05-08 #toys\n---\n")
    note = json.loads(run("notes", "show", "toys/boat.md", "--json").stdout)
    assert run("notes", "show", note["noteId"]).stdout == note_shown.stdout
    listed = run("notes", "list").stdout.splitlines()[1].split("  ")[2]
    assert run("notes", "show", listed).stdout == note_shown.stdout


def test_a_note_is_shown_with_where_it_links_to_and_what_links_to_it(
    aurora: Aurora, notes: Write
) -> None:
    texts = {"a.md": "# Alpha\n\nSee [[Beta]] and [[Gamma]].\n", "b.md": "# Beta\n\nNothing.\n"}
    aurora("index", str(notes(texts)))
    assert aurora("notes", "show", "a.md").stdout.endswith("links to\n  Beta\n  Gamma (no note)\n")
    assert aurora("notes", "show", "b.md").stdout.endswith(
        "Nothing.\n\nlinked from\n  default/a.md\n"
    )
    note = aurora.json("notes", "show", "b.md")
    assert [backlink["path"] for backlink in note["backlinks"]] == ["a.md"]
    assert note["links"] == []


def test_a_deleted_note_is_in_the_trash_and_not_found_any_more(run: Run, tmp_path: Path) -> None:
    result = run("notes", "delete", "toys/boat.md")
    assert result.stdout == "deleted Boat; it is in the trash\n"
    assert (tmp_path / "notes/toys/boat.md").exists()
    assert "boat.md" not in run("notes", "list").stdout
    second_deletion = run("notes", "delete", "toys/boat.md")
    assert second_deletion.exit_code == 1
    assert "no note 'toys/boat.md'" in second_deletion.stderr
    left_alone = json.loads(run("index", str(tmp_path / "notes"), "--json").stdout)["kept"]
    assert [entry["path"] for entry in left_alone] == ["toys/boat.md"]
    (line,) = run("notes", "trash").stdout.splitlines()
    trash_id, _, reason, name = line.split("  ")
    assert reason == "deleted"
    assert name == "default/toys/boat.md"
    assert run("notes", "restore", trash_id).stdout == "restored Boat\n"
    assert "The boat is blue" in run("notes", "show", "toys/boat.md").stdout
    assert run("notes", "trash").stdout == "the trash is empty\n"
    second_restore = run("notes", "restore", trash_id)
    assert second_restore.exit_code == 1
    assert "holds no" in second_restore.stderr
    assert "`aurora notes trash` lists" in second_restore.stderr
    assert json.loads(run("index", str(tmp_path / "notes"), "--json").stdout)["kept"] == []


def test_the_file_of_a_restored_note_comes_back_where_files_are_written(
    aurora: Aurora, notes: Write
) -> None:
    folder = notes(NOTES)
    file = folder / "toys/boat.md"
    assert aurora("index", str(folder)).exit_code == 0
    manifest = Manifest.of(aurora.home)
    (followed,) = manifest.folders("embedded local")
    manifest.write_back(followed.source, enabled=True)
    assert aurora("notes", "delete", "toys/boat.md").exit_code == 0
    assert aurora("index", str(folder), "--write-back").exit_code == 0
    assert not file.exists()

    (entry,) = aurora.json("notes", "trash")["trash"]
    assert aurora("notes", "restore", entry["trashId"]).exit_code == 0
    assert aurora.json("index", str(folder), "--write-back")["written"] == 1
    assert file.read_text() == NOTES["toys/boat.md"]
    assert aurora.json("notes", "trash")["trash"] == []
    assert aurora("notes", "restore", entry["trashId"]).exit_code == 1
    assert len(manifest.files(followed.source)) == len(NOTES)


def test_a_path_in_two_vaults_asks_for_the_vault(aurora: Aurora, notes: Write) -> None:
    folder = str(notes(NOTES))
    aurora("index", folder)
    aurora("index", folder, "--vault", "other")
    completed = aurora("notes", "show", "garden.md")
    assert completed.exit_code == 2
    assert "vaults default, other have it: choose with --vault" in completed.stderr
    assert "six tomatoes" in aurora("notes", "show", "garden.md", "--vault", "other").stdout
    assert (
        aurora("notes", "show", "other/garden.md")
        .stdout.splitlines()[1]
        .startswith("other/garden.md")
    )


# -- import


def test_an_export_is_brought_back_and_found(
    run: Run, aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    run("templates", "add", str(notes({"mine.md": TEMPLATE}) / "mine.md"))
    CliRunner().invoke(
        main, ["--home", str(aurora.home), "chat"], input="What colour is the boat?\n"
    )
    file = tmp_path / "export.ndjson"
    assert run("export", str(file)).exit_code == 0
    assert run("erase", "--yes").exit_code == 0
    brought = run("import", str(file), "--json")
    assert brought.exit_code == 0, brought.output
    report = json.loads(brought.stdout)
    assert report["counts"]["note"] == 2
    assert report["kept"] == []
    assert report["complete"] is True
    rows_after = {row["noteId"]: row for row in _rows(run, tmp_path) if row["type"] == "note"}
    rows_before = {
        row["noteId"]: row
        for row in map(json.loads, file.read_text().splitlines())
        if row["type"] == "note"
    }
    for row in (*rows_after.values(), *rows_before.values()):
        del row["updatedAt"]
    assert rows_after == rows_before
    assert "mine" in run("templates", "list").stdout


def test_conversations_are_brought_back_with_their_messages_and_go_on(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    aurora("index", str(notes(NOTES)))
    questions = "What colour is the boat?\nHow many tomatoes are there?\n" * 6
    CliRunner().invoke(main, ["--home", str(aurora.home), "chat"], input=questions)
    (session,) = aurora.json("sessions", "list")["sessions"]
    file = tmp_path / "export.ndjson"
    second_file = tmp_path / "again.ndjson"
    aurora("export", str(file))
    elsewhere = Aurora(tmp_path / "elsewhere")
    brought = elsewhere.json("import", str(file))
    assert brought["counts"] == {
        "note": 2,
        "session": 1,
        "message": 24,
    }
    assert brought["kept"] == []
    assert brought["leftOut"] == {}
    assert "blue" in elsewhere.json("ask", "What colour is the boat?")["answer"]
    elsewhere("export", str(second_file))
    assert _talk(second_file) == _talk(file)
    assert elsewhere.json("import", str(file))["counts"] == brought["counts"]
    elsewhere("export", str(second_file))
    assert _talk(second_file) == _talk(file)

    home = ["--home", str(elsewhere.home)]
    CliRunner().invoke(
        main, [*home, "chat", "--session", session["sessionId"]], input="Is the boat blue?\n"
    )
    CliRunner().invoke(main, [*home, "sessions", "rename", session["sessionId"], "About boats"])
    result = elsewhere("import", str(file))
    assert result.exit_code == 1
    assert "a different one exists, and is kept" in result.stdout
    (brought_back,) = elsewhere.json("sessions", "list")["sessions"]
    assert brought_back["title"] == "About boats"
    assert brought_back["messageCount"] == 26


def _talk(file: Path) -> list[dict[str, object]]:
    """The conversations of an export. Their notes are younger elsewhere."""
    rows = map(json.loads, file.read_text().splitlines())
    return [row for row in rows if row["type"] in ("session", "message")]


def test_a_conversation_longer_than_a_request_may_be_is_brought_back_whole(
    aurora: Aurora, tmp_path: Path
) -> None:
    stamp = "2026-11-21T12:00:{:02}.000Z"
    rows = [
        {"type": "session", "sessionId": "s1", "title": "Long", "createdAt": stamp.format(0), "updatedAt": stamp.format(0)},
        *(
            {"type": "message", "sessionId": "s1", "messageId": f"m{number}", "role": "assistant",
             "text": "é" * 100_000, "createdAt": stamp.format(number)}
            for number in range(14)
        ),
        {"type": "end"},
    ]  # fmt: skip
    file = tmp_path / "export.ndjson"
    file.write_text(
        "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8"
    )
    aurora("import", str(file))
    assert aurora.json("sessions", "list")["sessions"][0]["messageCount"] == 14


def test_an_export_of_notes_that_are_still_there_changes_nothing(
    run: Run, notes: Write, tmp_path: Path
) -> None:
    folder = notes({"schlüssel.md": "Der Schlüssel liegt bei Inés.", "llaves/boat.md": "Blue."})
    # A file's time is finer than the times of the export.
    for file in folder.rglob("*.md"):
        os.utime(file, ns=(0, 1_780_000_000_123_456_789))
    run("index", str(folder))
    before = json.loads(run("notes", "list", "--json").stdout)
    file = tmp_path / "export.ndjson"
    run("export", str(file))
    result = run("import", str(file))
    assert result.exit_code == 0, result.stdout
    assert json.loads(run("notes", "list", "--json").stdout) == before
    assert json.loads(run("notes", "trash", "--json").stdout)["trash"] == []


def test_what_is_there_and_differs_stays_and_is_named(
    run: Run, notes: Write, tmp_path: Path
) -> None:
    run("templates", "add", str(notes({"mine.md": TEMPLATE}) / "mine.md"))
    file = tmp_path / "export.ndjson"
    run("export", str(file))
    run("templates", "add", str(notes({"mine.md": TEMPLATE.replace("Think", "Rest")}) / "mine.md"))
    run("index", str(notes({"garden.md": NOTES["garden.md"].replace("six", "nine")})))
    result = run("import", str(file))
    assert result.exit_code == 1
    assert "  not garden.md: a different one exists, and is kept\n" in result.stdout
    assert "  not mine: a different one exists, and is kept\n" in result.stdout
    assert "nine tomatoes" in run("notes", "show", "garden.md").stdout


def test_a_file_that_breaks_off_in_a_line_says_what_is_there_of_it(
    aurora: Aurora, tmp_path: Path
) -> None:
    note = '{"type": "note", "noteId": "boat", "title": "Boat", "text": "Blue."}'
    file = tmp_path / "export.ndjson"
    file.write_text(f"{note}\n{note[:20]}")
    result = aurora("import", str(file))
    assert result.exit_code == 2
    assert f"there now, of {file}: 1 note\n" in result.output
    assert "it is not the whole export" in result.output
    assert "line 2: expected a JSON object" in result.output
    assert aurora("notes", "show", "boat").exit_code == 0


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        (
            b'{"type": "note", "title": "Boat", "text": "Blue."}\n',
            1,
            "not Boat: noteId: expected the id",
        ),
        (b'{"type": "template", "title": "Mine"}\n', 1, "not Mine: templateId: expected the id"),
        (b'{"type": "end"}\n[1]\n', 2, "line 2: expected a JSON object with a `type`"),
        (b"\xff\xfe\n", 2, "line 1: expected a JSON object with a `type`"),
        (
            b'{"type": "note", "text": "caf\xe9"}\n',
            2,
            "line 1: expected a JSON object with a `type`",
        ),
        (
            b'{"type": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
            2,
            "line 1: expected a JSON object with a `type`",
        ),
        (b"", 1, "it is not the whole export"),
    ],
)
def test_a_file_that_is_no_export_is_reported(
    aurora: Aurora, tmp_path: Path, content: bytes, code: int, told: str
) -> None:
    (tmp_path / "export.ndjson").write_bytes(content)
    result = aurora("import", str(tmp_path / "export.ndjson"))
    assert result.exit_code == code
    assert told in result.output


def _rows(run: Run, folder: Path) -> list[dict[str, str]]:
    run("export", str(folder / "again.ndjson"))
    return [json.loads(line) for line in (folder / "again.ndjson").read_text().splitlines()]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({}, None),
        ({"text": ""}, None),
        ({"title": 5}, "title: expected text of at most 1000 characters"),
        ({"tags": ["a", ""]}, "tags[1]: expected"),
        ({"updatedAt": None}, "updatedAt: expected a timestamp"),
        ({"colour": "blue"}, "colour: expected no other fields than title, text"),
        ({"noteId": "boat"}, "noteId: expected no other fields than title, text"),
    ],
)
def test_the_field_for_which_the_rules_refuse_a_note_is_named(
    document: dict[str, object], problem: str | None, tmp_path: Path
) -> None:
    time = "2026-05-08T12:30:00Z"
    note = {
        "title": "Boat",
        "text": "It is blue.",
        "createdAt": time,
        "updatedAt": time,
    }
    file = tmp_path / "note.json"
    file.write_text(json.dumps({**note, **document}))
    checked = CliRunner().invoke(main, ["notes", "check", str(file)])
    if problem is None:
        assert checked.exit_code == 0
        assert checked.stdout == "the rules accept this note\n"
    else:
        assert checked.exit_code == 1
        assert problem in checked.stderr
