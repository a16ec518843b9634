"""`aurora doctor` on a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.settings import Settings
from tests.cli.conftest import BOATS, Aurora, Write


def test_the_doctor_has_a_verdict_on_every_part(aurora: Aurora) -> None:
    verdicts = {check["part"]: check["verdict"] for check in aurora.json("doctor")}
    parts = "settings auth origins budgets store disk embedder writer models languages folders running mcp emulator"
    assert set(verdicts) == set(parts.split())
    assert verdicts["store"] == verdicts["writer"] == "ok"


def test_the_doctor_names_what_failed(
    aurora: Aurora, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    no_home = aurora("doctor", "--home", str(tmp_path / "file/below"))
    assert no_home.exit_code == 1
    assert "file is no folder" in no_home.output
    monkeypatch.setenv("CHAT_TEMPERATURE", "hot")
    result = aurora("doctor")
    assert result.exit_code == 1
    assert "CHAT_TEMPERATURE" in result.output


def test_the_doctor_measures_the_embedder_whatever_is_set_and_prints_its_settings(
    aurora: Aurora, monkeypatch: pytest.MonkeyPatch
) -> None:
    aurora("index", "examples/notes")
    result = aurora("doctor", "--calibrate")
    assert result.exit_code == 0, result.output
    settings = Settings.from_env(dict(line.split("=") for line in result.stdout.splitlines()))
    monkeypatch.setenv("EMBEDDING_UNRELATED", "0.5")
    monkeypatch.setenv("EMBEDDING_ALIKE", "0.6")
    assert aurora.json("doctor", "--calibrate") == {
        "EMBEDDING_UNRELATED": settings.embedding_unrelated,
        "EMBEDDING_ALIKE": settings.embedding_alike,
    }


def test_the_doctor_measures_no_embedder_on_too_few_notes(aurora: Aurora, notes: Write) -> None:
    result = aurora("doctor", "--calibrate")
    assert result.exit_code == 1
    assert aurora.home.exists() is False
    assert "no notes of local yet" in result.stderr
    aurora("index", str(notes(BOATS)))
    result = aurora("doctor", "--calibrate")
    assert result.exit_code == 1
    assert "5 notes indexed with all-MiniLM-L6-v2" in result.stderr
    assert aurora("doctor", "--calibrate", "--project", "p").exit_code == 2


def test_the_doctor_names_a_folder_that_has_gone(aurora: Aurora, notes: Write) -> None:
    folder = notes(BOATS)
    aurora("index", str(folder))
    assert str(folder) in aurora("doctor").output
    folder.rename(folder.with_name("moved"))
    result = aurora("doctor")
    assert result.exit_code == 1
    assert f"{folder} is gone" in result.output


def test_the_doctor_writes_nothing(aurora: Aurora, notes: Write) -> None:
    home = aurora.home / "not/there"
    result = aurora("doctor", "--home", str(home))
    assert result.exit_code == 0
    assert "no notes of local yet" in result.output
    assert not aurora.home.exists()
    aurora("index", str(notes(BOATS)))
    paths_before = sorted(aurora.home.rglob("*"))
    assert "no notes of other yet" in aurora("doctor", "--tenant", "other").output
    assert "2 notes of local, 2 indexed" in aurora("doctor").output
    assert sorted(aurora.home.rglob("*")) == paths_before
