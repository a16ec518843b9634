from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli.main import main
from tests.servers.served import Served, served

Write = Callable[..., Path]

BOATS = {
    "toys/boat.md": "---\ntitle: Boat\ncreated: 2026-05-08\n---\nThe boat is blue and floats.\n",
    "garden.md": "# Garden\n\nWe planted six tomatoes.\n",
}


@dataclass(frozen=True)
class Aurora:
    """The command on a home of its own."""

    home: Path

    def __call__(self, *arguments: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(main, ["--home", str(self.home), *arguments], input=stdin)

    def json(self, *arguments: str) -> Any:  # noqa: ANN401 - JSON
        result = self(*arguments, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)


def processor_seconds(pid: int) -> float:
    """Seconds of processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def aurora(tmp_path: Path) -> Aurora:
    return Aurora(tmp_path / "home")


@pytest.fixture
def notes(tmp_path: Path) -> Write:
    """Writes files below a folder and gives the folder: `notes({"a/b.md": "text"})`; bytes as they are."""
    folder = tmp_path / "notes"

    def write(files: dict[str, str | bytes]) -> Path:
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return write


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("server")) as running:
        yield running
