"""The command that installs a missing package fits the environment."""

from __future__ import annotations

from pathlib import Path

from cli.suggestions import install_command


def test_an_environment_of_pipx_is_reached_by_inject(tmp_path: Path) -> None:
    environment = tmp_path / "aurora-notes"
    environment.mkdir()
    assert install_command("mcp", str(environment)) == "pip install mcp"
    (environment / "pipx_metadata.json").write_text("{}")
    assert install_command("mcp", str(environment)) == "pipx inject aurora-notes mcp"
