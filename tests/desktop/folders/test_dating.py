"""When notes were written, in a folder that was copied: what they say, what git says, what the system says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Aurora, Write

FILES = {
    "front.md": "---\ncreated: 2021-01-01\n---\nCreated: 2022-02-02\n",
    "2021-03-03 daily.md": "Created: 2022-02-02\n",
    "line.md": "# A day\n\n- **Created:** 2022-02-02T10:00\n\nText.\n",
    "code.md": "```\nCreated: 2022-02-02\n```\nText.\n",
    "sub/ünlike.md": "Text.\n",
}


def _git(folder: Path, *arguments: str, when: str = "2020-05-05T10:00:00Z") -> None:
    who = {
        "GIT_AUTHOR_DATE": when,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b.example",
    }
    them = {
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b.example",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, **who, **them},
    )


def _days(aurora: Aurora) -> dict[str, str]:
    return {note["path"]: note["createdAt"][:10] for note in aurora.json("notes", "list")["notes"]}


@pytest.fixture
def folder(notes: Write) -> Path:
    """A year after they were last changed."""
    root = notes(FILES)
    for name in FILES:
        os.utime(root / name, (1_650_000_000, 1_650_000_000))
    return root


def test_what_a_note_says_itself_comes_first_and_the_sources_are_told(
    aurora: Aurora, folder: Path
) -> None:
    result = aurora("index", str(folder))
    assert "  dates from: 2 file, 1 file name, 1 frontmatter, 1 created line" in result.stdout
    assert _days(aurora) == {
        "front.md": "2021-01-01",
        "2021-03-03 daily.md": "2021-03-03",
        "line.md": "2022-02-02",
        "code.md": "2022-04-15",
        "sub/ünlike.md": "2022-04-15",
    }


def test_a_day_anywhere_in_a_file_name_is_the_notes_date(aurora: Aurora, notes: Write) -> None:
    says = "Created: 2022-02-02\n"
    names = (
        "2021-03-03.md",
        "meeting 2021-03-03.md",
        "No 2021-13-45, 2021-03-03_Ana.md",
        "2021-03-03T1200.md",
    )
    undated_names = (
        "12021-03-03.md",
        "2021-03-031.md",
        "2021-02-30.md",
        "0001-01-01.md",
        "day 2021-03-03/plain.md",
    )
    aurora("index", str(notes(dict.fromkeys([*names, *undated_names], says))))
    assert _days(aurora) == {
        **dict.fromkeys(names, "2021-03-03"),
        **dict.fromkeys(undated_names, "2022-02-02"),
    }


def test_git_knows_when_a_file_was_first_there_under_whatever_name(
    aurora: Aurora, folder: Path
) -> None:
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "first")
    _git(folder, "mv", "code.md", "moved.md")
    _git(folder, "commit", "-qam", "moved", when="2023-01-01T10:00:00Z")
    report = aurora.json("index", str(folder))
    assert report["dates"] == {
        "git": 2,
        "frontmatter": 1,
        "file name": 1,
        "created line": 1,
    }
    days = _days(aurora)
    assert days["moved.md"] == "2020-05-05"
    assert days["sub/ünlike.md"] == "2020-05-05"
    assert days["line.md"] == "2022-02-02"


def test_a_folder_inside_a_repository_has_the_dates_of_its_files(
    aurora: Aurora, folder: Path
) -> None:
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "first")
    assert aurora.json("index", str(folder / "sub"))["dates"] == {"git": 1}
    assert _days(aurora) == {"ünlike.md": "2020-05-05"}


def test_a_clone_without_its_history_is_told_as_a_copy(
    aurora: Aurora, notes: Write, tmp_path: Path
) -> None:
    origin = notes({"a.md": "One.", "b.md": "Two.", "c.md": "Three."})
    _git(origin, "init", "-q")
    for month, name in enumerate(("a.md", "b.md", "c.md"), start=1):
        _git(origin, "add", name)
        _git(origin, "commit", "-qm", name, when=f"2020-0{month}-05T10:00:00Z")

    whole = tmp_path / "whole"
    _git(tmp_path, "clone", "-q", origin.as_uri(), str(whole))
    assert aurora.json("index", str(whole), "--vault", "whole")["sharedTime"] is None

    shallow = tmp_path / "shallow"
    _git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), str(shallow))
    report = aurora.json("index", str(shallow), "--vault", "shallow")
    assert report["dates"] == {"git": 3}
    assert report["sharedTime"] == {"files": 3, "time": "2020-03-05T10:00:00.000Z"}
