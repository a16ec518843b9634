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
    """What the SDK got from a function that knows one note of the caller's."""
    with GeminiServer(ANSWER) as gemini, AuthEmulator(PROJECT) as auth:
        with running("chat", environment(tmp_path / "home", PROJECT, gemini)) as function:
            where = (PROJECT, str(function.port), auth.url.rpartition(":")[2])
            command = ["node", "client.mjs", *where, json.dumps(ASKED)]
            done = subprocess.run(
                command, cwd=sdk, capture_output=True, text=True, timeout=60, check=False
            )
        assert done.returncode == 0, done.stderr
        yield json.loads(done.stdout)


def test_the_real_sdk_reads_answers_streams_and_errors(called: Mapping[str, Any]) -> None:
    whole, streamed = called["whole"], called["streamed"]
    assert (
        whole["answer"]
        == streamed["result"]["answer"]
        == "The API runs on Cloud Run [N1]. 😀 It scales to zero."
    )
    assert [each["noteId"] for each in whole["citations"]] == ["api"]
    kinds = [message["type"] for message in streamed["messages"] if message["type"] != "heartbeat"]
    assert kinds[:3] == ["start", "query", "sources"]
    assert kinds[-1] == "usage"
    tokens = [message["text"] for message in streamed["messages"] if message["type"] == "token"]
    assert "".join(tokens) == whole["answer"]
    assert tokens == ["The API runs on Cloud Run [N1].", " 😀 It scales", " to zero."], (
        "a piece each"
    )
    assert [
        each["citation"]["cid"] for each in streamed["messages"] if each["type"] == "citation"
    ] == ["N1"]

    assert (called["stranger"], called["streamedStranger"]) == (
        "functions/unauthenticated",
        "functions/unauthenticated",
    )
    assert (
        called["bad"]["code"]
        == called["streamedBad"]["error"]["code"]
        == "functions/invalid-argument"
    )
    assert called["bad"]["details"] == called["streamedBad"]["error"]["details"]
    assert called["bad"]["details"][0]["metadata"]["field"] == "message"
