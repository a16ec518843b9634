"""`.ci/changed`: the paths that tests are chosen by."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / ".ci" / "changed"


def test_names_of_files_never_end_the_list_of_changed_paths(tmp_path: Path) -> None:
    folder = tmp_path / ".ci"
    folder.mkdir()
    shutil.copy(SCRIPT, folder)
    for name in ("plain.py", "two words.md", "équipe.md", 'a "quoted" $(name).md'):
        (tmp_path / name).write_text("text")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    author = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *author, "commit", "--quiet", "-m", "notes"], cwd=tmp_path, check=True)
    (tmp_path / "not added yet.md").write_text("text")

    printed = subprocess.run(
        [folder / "changed"], capture_output=True, check=True, text=True
    ).stdout
    assert {"plain.py", "two_words.md", "not_added_yet.md"} <= set(printed.split())
    assert not set("\"'$()\\") & set(printed)
