"""What `GET /folders` tells of a folder that was added."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.options import CommandContext
from desktop.folders.destinations import LocalDestination
from desktop.folders.followed import TOLD_SECONDS, FollowedFolders


@pytest.mark.slow
def test_what_came_of_a_first_reading_is_told_for_some_minutes_and_a_problem_for_longer(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "boat.md").write_text("The boat is blue.")
    with CommandContext(tmp_path / "home", "local", as_json=False).app() as app:
        folders = FollowedFolders(LocalDestination(app, "local"))
        folders.add(str(folder))
        (reading,) = folders._readings.values()
        assert reading.thread is not None
        reading.thread.join()
        assert _told(folders)["report"]["notes"] == 1
        assert reading.ended is not None
        reading.ended -= TOLD_SECONDS
        assert _told(folders) is None
        reading.problem = "a problem"
        assert _told(folders)["problem"] == "a problem"


def _told(folders: FollowedFolders) -> Any:  # noqa: ANN401 - JSON
    listed: Any = folders.listed(with_questions=False)
    (row,) = listed["folders"]
    return row["reading"]
