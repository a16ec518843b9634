"""The wheel in a fresh environment, used from a folder that is no checkout."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from release.namespace import packages_of
from tests.release.conftest import fresh_environment, install

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
IMPORTS = """
import importlib, pkgutil, sys
import aurora_notes
for module in pkgutil.walk_packages(aurora_notes.__path__, "aurora_notes."):
    if module.name not in ("aurora_notes.main", "aurora_notes.shared.adapters.otel"):
        importlib.import_module(module.name)
print(len([name for name in sys.modules if name.startswith("aurora_notes.shared.")]))
print([name for name in sys.argv[1:] if name in sys.modules])
"""
"""Imports every module, then says which of the names given as arguments are loaded.

main.py is for the functions' host to load, and the adapter's packages are an extra.
"""


@pytest.fixture(scope="module")
def wheel(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as a release builds it: of the files that git knows, by way of the source archive."""
    folder = tmp_path_factory.mktemp("build")
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in tracked.split("\0"):
        source = ROOT / name
        if name and source.is_file():
            target = folder / "checkout" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    build = [str(tools), "-m", "build", "--no-isolation", "--outdir", str(folder / "dist")]
    subprocess.run([*build, str(folder / "checkout")], check=True, capture_output=True)
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def aurora(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh environment that holds the wheel and what it asks for."""
    python = fresh_environment(tmp_path_factory.mktemp("home") / "venv")
    install(python, str(wheel))
    return python.with_name("aurora")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


def environment(home: Path) -> Mapping[str, str]:
    """Variables of the tests without the checkout on Python's path."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**variables, "AURORA_HOME": str(home)}


def test_the_wheel_holds_one_package_and_no_test(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    roots = {name.partition("/")[0] for name in names}
    assert roots == {"aurora_notes", f"aurora_notes-{PROJECT['version']}.dist-info"}
    assert not [name for name in names if re.search(r"test_|__pycache__|/bench/|\.sh$", name)]


def test_everything_works_from_another_folder(aurora: Path, elsewhere: Path) -> None:
    variables = environment(elsewhere / "home")

    def run(*arguments: str) -> str:
        completed = subprocess.run(
            [aurora, *arguments],
            cwd=elsewhere,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert completed.returncode == 0, f"{arguments}: {completed.stdout}{completed.stderr}"
        return completed.stdout

    assert run("--version").split()[-1] == PROJECT["version"]
    assert "24 notes indexed" in run("demo")
    assert "Chain of thought" in run("templates", "list")
    assert json.loads(run("--json", "doctor"))
    notes = elsewhere / "notes"
    notes.mkdir()
    (notes / "safe.md").write_text("# Safe\n\nThe safe opens with 31415.\n", encoding="utf-8")
    (notes / "page.html").write_text("<h1>Cellar</h1><p>The key hangs in the cellar.</p>")
    run("index", str(notes))
    assert "31415" in run("ask", "What does the safe open with?")
    assert "cellar" in run("ask", "Where does the key hang?")


def test_every_module_is_found_by_its_new_name_alone(aurora: Path, elsewhere: Path) -> None:
    python = aurora.with_name("python")
    completed = subprocess.run(
        [python, "-c", IMPORTS, *packages_of(ROOT)],
        cwd=elsewhere,
        env=environment(elsewhere / "home"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    count, generic = completed.stdout.splitlines()
    assert int(count) > 100
    assert generic == "[]"


@contextmanager
def serving(aurora: Path, folder: Path) -> Iterator[str]:
    """`aurora dev` with the sample notes. -> its address."""
    command = [str(aurora), "dev", "--no-browser", "--port", "0", "--sample"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment(folder / "home"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        greeting = ""
        while "try: " not in greeting:
            line = process.stdout.readline()
            assert line, greeting
            greeting += line
        address = re.search(r"http://localhost:\d+", greeting)
        assert address
        yield address[0]
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_the_product_answers_over_http(aurora: Path, elsewhere: Path) -> None:
    with serving(aurora, elsewhere) as address:
        page = urllib.request.Request(f"{address}/", headers={"Accept": "text/html"})
        with urllib.request.urlopen(page, timeout=60) as reply:
            assert b"<title>" in reply.read()
        request = urllib.request.Request(
            f"{address}/chat",
            json.dumps({"message": "What did we decide at the API meeting?"}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            answer = json.loads(reply.read())
        assert "Cloud Run" in answer["answer"]
        assert answer["citations"]
