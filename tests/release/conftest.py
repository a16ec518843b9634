"""Environments that hold nothing but what is installed into them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def fresh_environment(folder: Path) -> Path:
    """Makes a virtual environment and returns its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin" / "python"


def install(python: Path, *packages: str) -> None:
    """Installs without compiling: of most packages only a part is loaded, and that is compiled then."""
    command = [
        sys.executable,
        "-m",
        "pip",
        f"--python={python}",
        "install",
        "--quiet",
        "--no-compile",
    ]
    pins = ["--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*command, *pins, *packages], check=True)


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that can build and holds nothing else."""
    python = fresh_environment(tmp_path_factory.mktemp("tools") / "venv")
    install(python, "build", "setuptools")
    return python
