"""Which time many new files share, as a copy leaves them; and that an import tells it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from desktop.folders.copies import LEAST_FILES, MINUTE, SharedTime, shared_time
from tests.cli.conftest import Aurora, Write

COPIED = datetime(2026, 11, 15, 8, tzinfo=UTC)
TEXTS = {
    "kafka.md": "Kafka retention is 7 days.",
    "redis.md": "Redis listens on port 6379.",
    "mail.md": "Mail goes out by port 587.",
    "setup.md": "---\ndate: 2026-03-14\n---\nKafka retention is 14 days.",
}
UNDATED = ("kafka.md", "redis.md", "mail.md")


def _set_times(folder: Path, apart: timedelta) -> None:
    """Sets the times of the files without a date, so far from each other."""
    for place, name in enumerate(UNDATED):
        seconds = (COPIED + place * apart).timestamp()
        os.utime(folder / name, (seconds, seconds))


def test_files_of_one_minute_share_its_first_time() -> None:
    seconds = (0, 20, 60)
    times = [COPIED + timedelta(seconds=second) for second in seconds]
    earlier = COPIED - timedelta(days=3)
    later = COPIED + timedelta(days=3)
    assert shared_time([later, *times, earlier]) == SharedTime(3, COPIED)


def test_two_files_are_saved_by_a_person() -> None:
    assert shared_time([COPIED] * (LEAST_FILES - 1)) is None


def test_a_few_of_many_files_are_no_copy() -> None:
    others = [COPIED - timedelta(days=day) for day in range(1, 11)]
    assert shared_time([COPIED] * 3 + others) is None
    assert shared_time([COPIED] * 5 + others) == SharedTime(5, COPIED)


@given(st.lists(st.integers(0, 400), max_size=30))
def test_it_is_the_fullest_minute(seconds: list[int]) -> None:
    times = [COPIED + timedelta(seconds=second) for second in seconds]
    counts = [sum(first <= time <= first + MINUTE for time in times) for first in times]
    most = max(counts, default=0)
    shared = shared_time(times)
    if shared is None:
        assert most < LEAST_FILES or 3 * most < len(times)
    else:
        assert shared.files == most
        assert counts[times.index(shared.time)] == most


def test_an_import_tells_when_copied_files_count_as_written(aurora: Aurora, notes: Write) -> None:
    folder = notes(TEXTS)
    _set_times(folder, timedelta(seconds=1))

    report = aurora.json("index", str(folder))
    assert report["sharedTime"] == {"files": 3, "time": "2026-11-15T08:00:00.000Z"}

    again = aurora.json("index", str(folder))
    assert again["sharedTime"] is None


def test_it_is_told_on_the_terminal_and_a_date_in_the_file_mends_it(
    aurora: Aurora,
    notes: Write,
) -> None:
    folder = notes(TEXTS)
    _set_times(folder, timedelta(seconds=1))
    output = aurora("index", str(folder)).stdout
    told = " ".join(output.split())
    assert "dates 3 new files name none and have one time" in told
    assert "they count as written on 15 November 2026" in told

    question = ("ask", "What is the Kafka retention?")
    assert "7 days" in _first_quote(aurora(*question).stdout)

    kafka = folder / "kafka.md"
    kafka.write_text(f"---\ncreated: 2025-01-05\n---\n{TEXTS['kafka.md']}")
    assert "one time" not in aurora("index", str(folder)).stdout
    assert "14 days" in _first_quote(aurora(*question).stdout)


def test_files_that_were_edited_one_by_one_are_no_copy(aurora: Aurora, notes: Write) -> None:
    folder = notes(TEXTS)
    _set_times(folder, timedelta(hours=1))
    assert "one time" not in aurora("index", str(folder)).stdout


def test_an_edit_of_many_files_at_once_dates_no_note_anew(aurora: Aurora, notes: Write) -> None:
    folder = notes(TEXTS)
    _set_times(folder, timedelta(days=-30))
    aurora("index", str(folder))
    before = _days(aurora)

    for name in UNDATED:
        (folder / name).write_text(f"{TEXTS[name]} So it is.")
    report = aurora.json("index", str(folder))
    assert report["indexed"] == len(UNDATED)
    assert report["sharedTime"] is None
    assert _days(aurora) == before


def _days(aurora: Aurora) -> dict[str, str]:
    return {note["path"]: note["createdAt"][:10] for note in aurora.json("notes", "list")["notes"]}


def _first_quote(answer: str) -> str:
    quotes = [line for line in answer.splitlines() if "retention is" in line]
    return quotes[0]
