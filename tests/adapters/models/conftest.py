from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.models.waiting import FakeClock
from tests.servers.certificates import certificate, private_pem
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply, ScriptedServer


@pytest.fixture(scope="package", autouse=True)
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Each of the many clients reads all certificates that it trusts, and the servers here have none."""
    file = tmp_path_factory.mktemp("trusted") / "one.pem"
    file.write_text(certificate("trusted"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def gemini() -> Iterator[GeminiServer]:
    with GeminiServer() as server:
        yield server


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def token_server() -> Iterator[ScriptedServer]:
    token = {
        "access_token": "token-1",
        "expires_in": 3600,
        "token_type": "Bearer",
    }
    with ScriptedServer(lambda _: Reply(body=token)) as server:
        yield server


@pytest.fixture
def credentials(
    token_server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The machine's own: the file of a service account, whose tokens a local server gives."""
    account = {
        "type": "service_account",
        "project_id": "demo-project",
        "private_key_id": "1",
        "private_key": private_pem("account"),
        "client_email": "notes@demo-project.iam.gserviceaccount.com",
        "token_uri": f"{token_server.url}/token",
    }
    file = tmp_path / "account.json"
    file.write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    return file
