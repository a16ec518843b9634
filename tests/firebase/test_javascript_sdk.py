"""`httpsCallable(…)` and its `.stream()` as apps use them: the real SDK from npm, on Node, Auth included."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.servers.auth_emulator import AuthEmulator
from tests.servers.function import environment, running
from tests.servers.gemini import GeminiServer
from tests.servers.npm import installed

HERE = Path(__file__).parent
PROJECT = "demo-aurora"
ANSWER = "The API runs on Cloud Run [N1]. 😀 It scales\u2028to zero [N9]."
ASKED = {"message": "Where does the API run?"}


@pytest.fixture(scope="session")
def sdk() -> Path:
    """The folder with the SDK in it."""
    folder = installed(HERE / "package.json")
    shutil.copy(HERE / "client.mjs", folder)
    return folder


@pytest.fixture
def called(sdk: Path, tmp_path: Path) -> Iterator[Mapping[str, Any]]:
    """Call a function that knows one note of the caller's, through the SDK."""
    with GeminiServer(ANSWER) as gemini, AuthEmulator(PROJECT) as auth:
        with running("chat", environment(tmp_path / "home", PROJECT, gemini)) as function:
            where = (PROJECT, str(function.port), auth.url.rpartition(":")[2])
            command = ["node", "client.mjs", *where, json.dumps(ASKED)]
            completed = subprocess.run(
                command, cwd=sdk, capture_output=True, text=True, timeout=60, check=False
            )
        assert completed.returncode == 0, completed.stderr
        yield json.loads(completed.stdout)


def test_the_real_sdk_reads_answers_streams_and_errors(called: Mapping[str, Any]) -> None:
    whole_answer = called["whole"]
    streamed = called["streamed"]
    assert (
        whole_answer["answer"]
        == streamed["result"]["answer"]
        == "The API runs on Cloud Run [N1]. 😀 It scales to zero."
    )
    assert [citation["noteId"] for citation in whole_answer["citations"]] == ["api"]
    kinds = [message["type"] for message in streamed["messages"] if message["type"] != "heartbeat"]
    assert kinds[:3] == ["start", "query", "sources"]
    assert kinds[-1] == "usage"
    tokens = [message["text"] for message in streamed["messages"] if message["type"] == "token"]
    assert "".join(tokens) == whole_answer["answer"]
    assert tokens == ["The API runs on Cloud Run [N1].", " 😀 It scales", " to zero."], (
        "a piece each"
    )
    assert [
        message["citation"]["cid"]
        for message in streamed["messages"]
        if message["type"] == "citation"
    ] == ["N1"]

    assert called["stranger"] == "functions/unauthenticated"
    assert called["streamedStranger"] == "functions/unauthenticated"
    assert (
        called["bad"]["code"]
        == called["streamedBad"]["error"]["code"]
        == "functions/invalid-argument"
    )
    assert called["bad"]["details"] == called["streamedBad"]["error"]["details"]
    assert called["bad"]["details"][0]["metadata"]["field"] == "message"
