"""Packages of npm that tests run: installed once for each list of them, outside of the project, without a lock file
of npm's; of the processes that run tests at once, one installs and the others wait.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.missing import missing


def installed(package: Path) -> Path:
    """The folder with what that package.json names, kept between runs. Without npm: skipped, in CI failed."""
    if shutil.which("npm") is None:
        missing("npm is not installed")
    content = package.read_text()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "aurora-tests"
    folder = cache / f"npm-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            (folder / "package.json").write_text(content)
            options = [
                "--no-save",
                "--no-package-lock",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
            ]
            subprocess.run(
                ["npm", "install", *options],
                cwd=folder,
                check=True,
                capture_output=True,
                timeout=300,
            )
            (folder / "complete").touch()
    return folder
