"""`aurora export` and `aurora erase`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.commands.account import CONFIRMATION
from cli.main import main
from tests.cli.conftest import Aurora, Write
from tests.servers.dev import dev
from tests.servers.scripted import Reply, ScriptedServer

NOTES = {"toys/boat.md": "The boat is blue.", "garden.md": "We planted six tomatoes."}


def test_everything_is_written_to_a_file_or_to_standard_output(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    aurora("index", str(notes(NOTES)))
    file = tmp_path / "mine.ndjson"
    assert "2 notes" in aurora("export", str(file)).output
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {row["path"]: row["text"] for row in rows if row["type"] == "note"} == NOTES
    assert rows[-1]["type"] == "end"
    assert aurora("export").stdout == file.read_text()
    assert aurora.json("export", str(file))["counts"]["note"] == 2


@pytest.mark.parametrize(
    "text",
    [
        b'{"type": "note"}\n',
        b'{"type": "note"}\n{"type": "error", "error": {"message": "away"}}\n',
        b"",
    ],
)
def test_an_export_that_breaks_off_leaves_the_file_as_it_was(
    aurora: Aurora, tmp_path: Path, text: bytes
) -> None:
    file = tmp_path / "mine.ndjson"
    file.write_text("before")
    with ScriptedServer(
        lambda _: Reply(body=text, headers={"Content-Type": "application/x-ndjson"})
    ) as server:
        result = aurora("export", str(file), "--server", server.url)
    assert result.exit_code == 1
    assert "broke off" in result.stderr
    assert [path.name for path in tmp_path.glob("mine*")] == ["mine.ndjson"]
    assert file.read_text() == "before"


def test_an_export_to_a_folder_that_is_missing_names_the_file_that_was_given(
    aurora: Aurora, tmp_path: Path
) -> None:
    file = tmp_path / "missing" / "mine.ndjson"
    result = aurora("export", str(file))
    assert result.exit_code == 1
    assert str(file) in result.stderr
    assert ".part" not in result.stderr


def test_erasing_says_what_went_and_leaves_nothing(aurora: Aurora, notes: Write) -> None:
    folder = notes(NOTES)
    aurora("index", str(folder))
    assert aurora.json("erase", "--yes")["erased"]["notes"] == 2
    assert aurora("search", "boat").exit_code == 3
    assert aurora.json("folders", "list") == {"folders": []}
    assert (folder / "garden.md").exists()
    assert aurora.json("index", str(folder))["indexed"] == 2


def test_erasing_over_http_forgets_the_folders_too_of_that_tenant_alone(
    aurora: Aurora, notes: Write
) -> None:
    folder = notes(NOTES)
    for tenant in ("one", "two"):
        assert aurora("index", str(folder), "--tenant", tenant).exit_code == 0
    with dev(aurora.home, "--tenant", "one") as running:
        status, receipt = running.call("DELETE", "/me", {"confirm": CONFIRMATION})
    assert status == 200
    assert receipt["erased"]["notes"] == 2
    assert aurora.json("folders", "list", "--tenant", "one") == {"folders": []}
    assert len(aurora.json("folders", "list", "--tenant", "two")["folders"]) == 1
    assert aurora.json("index", str(folder), "--tenant", "two")["unchanged"] == 2
    assert aurora.json("index", str(folder), "--tenant", "one")["indexed"] == 2


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("yes", True),
        ("", True),
        (CONFIRMATION, False),
    ],
)
def test_somebody_who_is_asked_has_to_type_the_words(
    aurora: Aurora, notes: Write, typed: str, *, left: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    aurora("index", str(notes(NOTES)))
    nobody = aurora("erase")
    assert nobody.exit_code == 2
    assert "--yes" in nobody.stderr
    monkeypatch.setattr("cli.commands.account.can_be_asked", lambda: True)
    result = CliRunner().invoke(main, ["--home", str(aurora.home), "erase"], input=f"{typed}\n")
    assert (result.exit_code == 0) != left
    assert (aurora("search", "boat").exit_code == 0) == left
