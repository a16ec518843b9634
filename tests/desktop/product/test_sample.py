"""Sample notes whose dates follow the day on which they are loaded."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from desktop.product.sample import dated
from tests.servers.dev import ROOT

SAMPLE = ROOT / "examples/notes"


@pytest.mark.parametrize(
    "today", [date(2026, 11, 16) + timedelta(days=days) for days in (0, 6, 7, 13, 100, 800, -30)]
)
def test_there_are_notes_of_last_week_on_any_day(tmp_path: Path, today: date) -> None:
    folder = dated(SAMPLE, tmp_path, today)
    monday = today - timedelta(days=today.weekday())
    written = [date.fromisoformat(file.stem) for file in (folder / "journal").glob("*.md")]
    (last_week,) = [day for day in written if monday - timedelta(days=7) <= day < monday]
    assert f"created: {last_week}" in (folder / f"journal/{last_week}.md").read_text()
    assert len(list(folder.rglob("*.md"))) == len(list(SAMPLE.rglob("*.md")))


def test_a_folder_that_says_no_day_is_loaded_as_it_is_and_what_was_changed_stays(
    tmp_path: Path,
) -> None:
    own_folder = tmp_path / "own"
    own_folder.mkdir()
    (own_folder / "2020-01-01.md").write_text("Mine.")
    assert dated(own_folder, tmp_path, date(2026, 11, 23)) == own_folder
    (own_folder / ".written-on").write_text("2020-01-06")
    copy = dated(own_folder, tmp_path, date(2020, 1, 14)) / "2020-01-08.md"
    assert copy.read_text() == "Mine."
    copy.write_text("Changed.")
    dated(own_folder, tmp_path, date(2020, 1, 14))
    assert copy.read_text() == "Changed."
    (own_folder / "2020-01-01.md").write_text("On 2020-99-01, 0001-01-01 and 2020-01-01.")
    second_copy = dated(own_folder, tmp_path / "other", date(2020, 1, 1)) / "2019-12-25.md"
    assert second_copy.read_text() == "On 2020-99-01, 0001-01-01 and 2019-12-25."
