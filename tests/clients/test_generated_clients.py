"""Clients that others generate from what we describe, used as an app would use them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from functions.routes.openapi import document
from tests.servers.dev import Running, dev
from tests.servers.npm import installed

HERE = Path(__file__).parent
QUESTION = "Which colour is the boat?"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """With a note that answers QUESTION."""
    with dev(tmp_path_factory.mktemp("home")) as running:
        running.call("PUT", "/notes/boat", {"title": "Boat", "text": "The boat is blue."})
        assert running.answered(QUESTION, "blue", within=60)
        yield running


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """openapi.json as a file."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document()))
    return file


def _run(*command: str, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    completed = subprocess.run(
        command,
        cwd=cwd,
        env=env and {**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


@pytest.mark.nightly
def test_openapi_typescript_makes_types_with_which_an_app_asks_streams_and_exports(
    product: Running, described: Path, tmp_path: Path
) -> None:
    packages = installed(HERE / "package.json")
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    shutil.copy(HERE / "client.ts", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    _run("node_modules/.bin/openapi-typescript", str(described), "-o", "api.d.ts", cwd=tmp_path)
    strict = [
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--lib",
        "es2022,dom,dom.asynciterable",
    ]
    (tmp_path / "node.d.ts").write_text("declare const process: { argv: string[] };")
    _run("node_modules/.bin/tsc", *strict, "--skipLibCheck", "client.ts", "node.d.ts", cwd=tmp_path)
    got: Any = json.loads(_run("node", "client.js", product.address, QUESTION, cwd=tmp_path))
    assert "blue" in got["answer"]["answer"]
    assert got["text"] == got["answer"]["answer"] == got["result"]["answer"]
    assert got["kinds"][:3] == ["start", "query", "sources"]
    assert got["lines"] == ["note boat", *got["lines"][1:-1], "end"]
    assert got["refused"]["details"][0]["metadata"]["field"] == "message"


def test_openapi_python_client_makes_a_package_with_which_an_app_asks_searches_and_streams(
    product: Running, described: Path, tmp_path: Path
) -> None:
    command = (
        sys.executable,
        "-m",
        "openapi_python_client",
        "generate",
        "--meta",
        "none",
        "--path",
        str(described),
    )
    completed = subprocess.run(
        [*command, "--output-path", "aurora_notes_client"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    output = completed.stdout + completed.stderr
    # What it cannot read is text of other kinds, which apps read line by line, and a file to be saved.
    refused_kinds = output.split("Unsupported content_type ")[1:]
    unread = {kind for part in refused_kinds for kind in part.partition(")")[0].split(", ")}
    assert unread == {"application/graphql", "application/x-ndjson", "application/zip"}
    assert "Unable to parse" not in output
    env = {"PYTHONPATH": str(tmp_path)}
    got: Any = json.loads(
        _run(sys.executable, str(HERE / "ask.py"), product.address, QUESTION, cwd=tmp_path, env=env)
    )
    assert "blue" in got["answer"]
    assert got["words"] == got["answer"]
    assert got["cited"] == ["boat"]
    assert got["found"][0] == "boat"
    assert got["field"] == "message"


@pytest.mark.nightly
def test_a_stock_graphql_client_reads_answers_and_errors(product: Running, tmp_path: Path) -> None:
    packages = installed(HERE / "package.json")
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    shutil.copy(HERE / "urql.mjs", tmp_path)
    got: Any = json.loads(_run("node", "urql.mjs", product.address, cwd=tmp_path))
    assert "blue" in got["asked"]["data"]["ask"]["answer"]
    assert got["asked"]["data"]["ask"]["session"]["messageCount"] == 2
    assert [error["extensions"]["code"] for error in got["unknown"]["errors"]] == ["NOT_FOUND"]
    assert [error["extensions"]["field"] for error in got["wrong"]["errors"]] == ["query"]
    assert {got[name]["network"] for name in ("asked", "unknown", "wrong")} == {None}
