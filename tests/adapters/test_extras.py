"""A package that settings ask for and that is not installed stops the start; nothing of it is imported. The command that
installs it fits the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shared.adapters.extras import install_command
from tests.absent import absent

CHECK = """
import sys
from shared.adapters import extras
from shared.settings import Settings
before = set(sys.modules)
try:
    extras.check(Settings.from_env({env!r}))
except Exception as error:
    print(type(error).__name__, error)
print(sorted(set(sys.modules) - before))
"""
COLLECTOR = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}
RERANKER = {"RERANKER": "cross_encoder", "RERANKER_MODEL": "."}
SERVER = {"OPENAI_BASE_URL": "http://localhost:11434/v1", "CHAT_MODEL": "m"}


def _checked(env: dict[str, str], *missing: str) -> list[str]:
    """Run the check in a separate process without these packages; returns its message, then its imports."""
    script = absent(*missing) + CHECK.format(env=env)
    completed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return completed.stdout.splitlines()


@pytest.mark.parametrize(
    ("env", "missing", "told"),
    [
        (
            COLLECTOR,
            "opentelemetry",
            "OTEL_EXPORTER_OTLP_ENDPOINT: expected opentelemetry.sdk to be installed",
        ),
        (SERVER, "openai", "OPENAI_BASE_URL: expected openai to be installed"),
        (RERANKER, "onnxruntime", "RERANKER: expected onnxruntime to be installed"),
    ],
)
def test_a_package_that_is_missing_is_named_with_the_setting_that_needs_it(
    env: dict[str, str], missing: str, told: str
) -> None:
    output, _ = _checked(env, missing)
    assert output.startswith(f"SettingsError {told} ({install_command('')}")


def test_an_installed_package_is_found_without_importing_it() -> None:
    (imported,) = _checked({**COLLECTOR, **SERVER})
    assert "opentelemetry.exporter" in imported
    assert "openai" not in imported
    assert "opentelemetry.sdk" not in imported


def test_a_package_that_no_setting_needs_may_be_missing() -> None:
    assert _checked({"GEMINI_API_KEY": "k", **SERVER}, "openai", "opentelemetry") == ["[]"]


def test_the_product_is_not_built_without_it() -> None:
    build = "from shared.bootstrap import build\nfrom shared.settings import Settings\n"
    script = f"{absent('openai')}{build}build(Settings.from_env({SERVER!r}))"
    completed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "SettingsError: OPENAI_BASE_URL: expected openai to be installed" in completed.stderr


def test_an_environment_of_pipx_is_reached_by_inject(tmp_path: Path) -> None:
    environment = tmp_path / "aurora-notes"
    environment.mkdir()
    assert install_command("mcp", str(environment)) == "pip install mcp"
    (environment / "pipx_metadata.json").write_text("{}")
    assert install_command("mcp", str(environment)) == "pipx inject aurora-notes mcp"


def test_an_environment_of_uv_has_no_pip_and_is_named_in_the_command(tmp_path: Path) -> None:
    environment = tmp_path / "my tools"
    environment.mkdir()
    configuration = environment / "pyvenv.cfg"
    configuration.write_text("home = /opt/uv = 1\nversion_info = 3.13.0\n")
    assert install_command("mcp", str(environment)) == "pip install mcp"
    configuration.write_text("home = /usr/bin\nimplementation = CPython\nuv = 0.9.1\n")
    command = install_command("numpy onnxruntime", str(environment))
    assert command == f"uv pip install --python '{environment}' numpy onnxruntime"


IN_AN_ENVIRONMENT = """
import sys
from pathlib import Path
sys.prefix = {prefix!r}
from desktop.files.reading import Skipped, walk
from shared.adapters.embedded.vectors import load_numpy
from shared.errors import OperatorError
print([skipped.reason for skipped in walk(Path({folder!r}))])
try:
    load_numpy()
except OperatorError as error:
    print(error)
"""


def test_a_file_and_a_search_that_need_a_package_name_the_command_of_the_environment(
    tmp_path: Path,
) -> None:
    environment = tmp_path / "aurora-notes"
    folder = tmp_path / "folder"
    for made in (environment, folder):
        made.mkdir()
    (environment / "pipx_metadata.json").write_text("{}")
    (folder / "boiler.pdf").write_bytes(b"%PDF-")
    script = absent("pypdfium2", "numpy") + IN_AN_ENVIRONMENT.format(
        prefix=str(environment), folder=str(folder)
    )
    completed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    inject = "pipx inject aurora-notes"
    assert completed.stdout.splitlines() == [
        f"['.pdf: {inject} pypdfium2 reads it']",
        f"searching vectors needs numpy: {inject} numpy",
    ]
