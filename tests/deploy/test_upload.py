"""The upload of `gcloud functions deploy --source=.`, installed as the buildpack does: every target works."""

from __future__ import annotations

import ast
import compileall
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pathspec
import pytest

from functions import reconcile, tables
from shared.language import vocabulary
from tests.servers.certificates import unsigned
from tests.servers.function import running
from tests.servers.gemini import GeminiServer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ROUTES = (*tables.CHAT, *tables.API, *reconcile.ROUTES)
VOCABULARIES = [f"{vocabulary.__name__}.{lang}" for lang in vocabulary.languages()]
TARGETS = ("chat", "api", "on_note_write", "on_template_write", "reconcile")
NOTE = {
    "title": "API meeting",
    "text": "We use Cloud Run for the API. Firestore stays our database.",
}


HERE_ONLY = {
    "shared.adapters.embedded": ("STORE", {"STORE": "embedded"}),
    "shared.adapters.local": (
        "RERANKER",
        {"RERANKER": "cross_encoder", "RERANKER_MODEL": "BAAI/bge-reranker-base"},
    ),
    "shared.adapters.local.embedder": (
        "EMBEDDING_MODEL",
        {"EMBEDDING_MODEL": "intfloat/multilingual-e5-small"},
    ),
    "shared.adapters.openai": (
        "OPENAI_BASE_URL",
        {"OPENAI_BASE_URL": "https://models.example/v1", "CHAT_MODEL": "m"},
    ),
    "shared.adapters.otel": (
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"},
    ),
}
"""Modules that the composition root would import where a setting asks for it -> that setting, which no function starts with."""


def module(path: Path) -> str:
    """`shared/api/__init__.py` -> `shared.api`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(name: str) -> set[str]:
    """The project's modules that importing and running one of them imports, the packages around it included."""
    file = source(name)
    tree = ast.parse(file.read_text(encoding="utf-8")) if file else ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    imported_names = {name}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported_names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported_names |= {f"{node.module}.{alias.name}" for alias in node.names}
    parts = [dotted.split(".") for dotted in imported_names]
    around = {".".join(part[:count]) for part in parts for count in range(1, len(part) + 1)}
    return {package for package in around if source(package)}


def source(name: str) -> Path | None:
    """Returns the project's file of a module, or None for a module of others."""
    path = ROOT.joinpath(*name.split("."))
    return next(
        (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None
    )


@pytest.fixture(scope="session")
def uploaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder that got exactly the files of the upload."""
    folder = tmp_path_factory.mktemp("workspace")
    ignored = pathspec.GitIgnoreSpec.from_lines((ROOT / ".gcloudignore").read_text().splitlines())
    for path in ROOT.rglob("*.*"):
        relative = path.relative_to(ROOT)
        if (
            path.is_file()
            and relative.parts[0] not in (".git", ".venv")
            and not ignored.match_file(relative)
        ):
            (folder / relative.parent).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / relative)
    return folder


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory, uploaded: Path) -> Path:
    """The interpreter of a fresh environment that holds requirements.txt and nothing else."""
    environment = tmp_path_factory.mktemp("layer") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    executable = environment / "bin" / "python"
    pip = [
        sys.executable,
        "-m",
        "pip",
        f"--python={executable}",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run(
        [*pip, "install", "--no-compile", "-r", "requirements.txt"], cwd=uploaded, check=True
    )
    compileall.compile_dir(str(uploaded), quiet=1)
    return executable


@pytest.fixture
def deployed(
    uploaded: Path, python: Path, firestore_host: str, firestore_project: str
) -> Iterator[tuple[Mapping[str, str], str]]:
    """All targets running on one emulator and one local Gemini: (target -> address, a caller's token)."""
    project = firestore_project
    now = int(time.time())
    claims = {
        "sub": "mara",
        "aud": project,
        "iss": f"https://securetoken.google.com/{project}",
    }
    token = unsigned({**claims, "iat": now, "exp": now + 3600})
    with ExitStack() as stack:
        gemini = stack.enter_context(GeminiServer("The API runs on Cloud Run [N1]."))
        env = {
            "PATH": os.environ["PATH"],
            "GOOGLE_CLOUD_PROJECT": project,
            "FIRESTORE_EMULATOR_HOST": firestore_host,
            "AUTH": "emulator",
            "GEMINI_API_KEY": "test",
            "GEMINI_BASE_URL": gemini.url,
            "THREADS": "8",
        }
        with ThreadPoolExecutor(len(TARGETS)) as pool:
            functions = pool.map(
                lambda each: stack.enter_context(
                    running(each, env, python=python, folder=uploaded)
                ),
                TARGETS,
            )
            addresses = dict(zip(TARGETS, (function.url for function in functions), strict=True))
        yield addresses, token


def call(
    method: str,
    url: str,
    body: object = None,
    *,
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Any]:
    """(status, JSON or text)."""
    request = urllib.request.Request(
        url,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **(headers or {})},
    )
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            status = reply.status
            content = reply.read()
    except urllib.error.HTTPError as refused:
        with refused:
            status = refused.code
            content = refused.read()
    return status, json.loads(content) if content[:1] in (b"{", b"[") else content.decode()


def test_the_upload_holds_the_product_and_no_secrets_or_tests(uploaded: Path) -> None:
    cache = "__pycache__"  # there once a function has started in the folder
    assert {path.name for path in uploaded.iterdir()} - {cache} == {
        "main.py", "requirements.txt", "functions", "shared", "templates"
    }  # fmt: skip
    assert (uploaded / "shared" / "bootstrap.py").exists()
    assert not list(uploaded.rglob(".env*"))


@pytest.mark.parametrize(("variable", "env"), HERE_ONLY.values(), ids=HERE_ONLY)
def test_a_setting_that_asks_for_what_is_not_uploaded_stops_the_start_by_its_name(
    variable: str, env: Mapping[str, str], uploaded: Path
) -> None:
    """Also where its packages happen to be installed, as here."""
    deployed = {
        **os.environ,
        "K_SERVICE": "chat",
        "GOOGLE_CLOUD_PROJECT": "p",
        **env,
    }
    start = [sys.executable, "-c", "import main"]
    completed = subprocess.run(
        start, cwd=uploaded, env=deployed, capture_output=True, text=True, check=False
    )
    assert completed.returncode != 0
    assert f"SettingsError: {variable}: expected " in completed.stderr


def test_uploaded_modules_are_the_ones_that_a_function_can_reach(uploaded: Path) -> None:
    """Whatever a module imports counts, also inside its functions, but for what `HERE_ONLY` names."""
    reached: set[str] = set()
    to_visit = {
        "main",
        *(f"functions.routes.{route.handler.partition(':')[0]}" for route in ROUTES),
        *VOCABULARIES,
    }
    while to_visit:
        reached |= to_visit
        to_visit = {
            reachable
            for name in to_visit
            for reachable in imported(name)
            if not reachable.startswith(tuple(HERE_ONLY))
        } - reached
    assert {module(path.relative_to(uploaded)) for path in uploaded.rglob("*.py")} == reached


@pytest.mark.nightly
@pytest.mark.timeout(400)
def test_every_target_starts_and_a_saved_note_is_answered_with_a_citation(
    deployed: tuple[Mapping[str, str], str],
) -> None:
    addresses, token = deployed
    status, tools = call(
        "POST",
        f"{addresses['api']}/mcp",
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/list",
        },
        token=token,
    )
    assert status == 200
    assert len(tools["result"]["tools"]) == 4
    assert call("GET", f"{addresses['chat']}/health")[0] == 200
    assert call("GET", f"{addresses['api']}/health")[0] == 200

    assert call("PUT", f"{addresses['api']}/notes/meeting", NOTE)[0] == 401
    assert call("PUT", f"{addresses['api']}/notes/meeting", NOTE, token=token)[0] == 200
    event = {
        "ce-specversion": "1.0",
        "ce-id": "1",
        "ce-source": "//firestore.googleapis.com/projects/p/databases/(default)",
        "ce-type": "google.cloud.firestore.document.v1.written",
        "ce-subject": "documents/tenants/mara/notes/meeting",
        "ce-document": "tenants/mara/notes/meeting",
    }
    assert call("POST", addresses["on_note_write"], {}, headers=event)[0] in (200, 204)
    assert (
        call("GET", f"{addresses['api']}/notes/meeting:indexStatus", token=token)[1]["status"]
        == "indexed"
    )

    status, answer = call(
        "POST", addresses["chat"], {"message": "Where does the API run?"}, token=token
    )
    assert status == 200
    assert answer["answer"] == "The API runs on Cloud Run [N1]."
    assert answer["citations"][0]["noteId"] == "meeting"
    assert answer["citations"][0]["quote"] == "We use Cloud Run for the API."

    listed = call("GET", f"{addresses['api']}/templates", token=token)[1]
    uploaded = {template["templateId"] for template in listed["templates"]}
    assert uploaded == {file.stem for file in (ROOT / "templates").glob("*.md")}
    assert listed["ready"] is True
    event |= {
        "ce-subject": "documents/tenants/mara/templates/plan",
        "ce-document": "tenants/mara/templates/plan",
    }
    assert call("POST", addresses["on_template_write"], {}, headers=event)[0] in (200, 204)
    status, answer = call(
        "POST", addresses["chat"], {"message": "Where?", "template": "plan"}, token=token
    )
    assert status == 200
    assert answer["meta"]["template"]["name"] == "Plan"

    status, report = call("POST", addresses["reconcile"], {"full": True})
    assert status == 200
    assert report["complete"] is True
