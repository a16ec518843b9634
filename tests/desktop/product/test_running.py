"""Commands in a home in which `aurora dev` runs already: that one answers them, and they need not start their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from desktop.client.local import Models
from desktop.client.remote import BrokenOff, HttpClient, Request, on_this_machine, over_the_network
from desktop.product.ports import free_ports
from desktop.product.running import ANNOUNCED, announced
from desktop.product.running import Running as Announced
from shared.errors import AuroraError, OperatorError, Unavailable
from tests.cli.conftest import Aurora, Write
from tests.servers.dev import ROOT, Running, dev
from tests.servers.gemini import error, error_info
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply, ScriptedServer

NOTES = {"boat.md": "---\ntitle: Boat\ncreated: 2026-05-08\n---\nThe boat is blue and floats.\n"}
QUESTION = "What colour is the boat?"
HEAVY = (
    "flask",
    "pydantic",
    "requests",
    "rich.table",
    "shared.app",
    "shared.bootstrap",
    "shared.model.retrieval",
)
LOADED = (
    "import atexit, sys\n"
    f"atexit.register(lambda: print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr))\n"
    "from cli.main import main\n"
    "main()"
)


@pytest.fixture
def indexed(aurora: Aurora, notes: Write) -> Aurora:
    aurora("index", str(notes(NOTES)))
    return aurora


@pytest.fixture
def running(indexed: Aurora) -> Iterator[Running]:
    with dev(indexed.home) as product:
        yield product


def _asked(product: Running, times: int) -> bool:
    """Tell whether so many questions have arrived. A request is logged when it has ended, a moment after its reply."""
    deadline = time.monotonic() + 10.0 * (times > 0)
    while True:
        log = os.pread(
            product.said.fileno(), 1_000_000, 0
        )  # at a place of its own: the product goes on writing
        if (count := log.count(b"POST /chat")) >= times or time.monotonic() > deadline:
            return count == times
        time.sleep(0.02)


def test_questions_are_answered_by_the_product_that_runs_unless_they_ask_for_other_settings_or_another_tenant(
    indexed: Aurora, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "blue" in indexed.json("ask", QUESTION)["answer"]
    assert "[N1] Boat · boat.md · 8 May 2026" in indexed("ask", QUESTION).stdout
    assert _asked(running, 2)
    # What takes long to load is not loaded for that.
    command = [sys.executable, "-c", LOADED, "--home", str(indexed.home), "ask", QUESTION]
    completed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert "blue" in completed.stdout
    assert completed.stderr.split() == []
    assert _asked(running, 3)
    assert indexed("ask", QUESTION, "--tenant", "other").exit_code == 3
    monkeypatch.setenv("RETRIEVAL_RERANK_TO", "1")
    assert indexed.json("ask", QUESTION)["meta"]["retrieval"]["k"] == 1
    assert _asked(running, 3)


def test_a_product_whose_model_was_chosen_on_its_page_goes_on_answering(
    indexed: Aurora, running: Running
) -> None:
    with OpenAIServer() as model:
        choice = {
            "kind": "openai",
            "address": model.base_url,
            "model": "llama",
        }
        assert running.call("PUT", "/settings:model", choice)[0] == 200
        model.script(Reply(status=400, body={"error": {"message": "no"}}))
        assert f"llama at {model.base_url} did not write" in indexed("ask", QUESTION).stderr
    assert _asked(running, 1)


def test_a_product_that_was_killed_is_missed_by_nobody(indexed: Aurora, running: Running) -> None:
    running.process.kill()
    running.process.wait(timeout=30)
    assert "blue" in indexed("ask", QUESTION).stdout


def test_of_two_in_one_home_the_first_is_asked_as_long_as_it_runs(indexed: Aurora) -> None:
    with dev(indexed.home) as first:
        with dev(indexed.home) as second:
            indexed("ask", QUESTION)
            assert _asked(first, 1)
            assert _asked(second, 0)
        indexed("ask", QUESTION)
        assert _asked(first, 2)


def test_where_people_sign_in_nobody_is_asked_without_a_token(indexed: Aurora) -> None:
    with dev(
        indexed.home, env={"AUTH": "emulator", "GOOGLE_CLOUD_PROJECT": "demo-aurora"}
    ) as product:
        assert "blue" in indexed("ask", QUESTION).stdout
        assert _asked(product, 0)


def test_its_models_that_do_not_answer_are_named(
    indexed: Aurora, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = error(400, "INVALID_ARGUMENT", error_info("API_KEY_INVALID"))
    with ScriptedServer(lambda _: refused) as server:
        monkeypatch.setenv("GEMINI_API_KEY", "wrong")
        monkeypatch.setenv("GEMINI_BASE_URL", server.url)
        with dev(indexed.home) as product:
            log = indexed("ask", QUESTION).stderr
            assert _asked(product, 1)
    assert f"gemini-3.5-flash-lite at {server.url} did not write" in log
    assert f"gemini-embedding-2 at {server.url} did not answer" in log


EXCHANGES = pytest.mark.parametrize("far", [False, True], ids=["here", "over the network"])


@EXCHANGES
def test_both_ways_to_a_server_carry_the_same(*, far: bool) -> None:
    replies = iter(
        (
            Reply(body={"a": 1}),
            Reply(body=b"one\ntwo\n", headers={"Content-Type": "application/x-ndjson"}),
            Reply(status=204),
            Reply(status=302, headers={"Location": "https://elsewhere.example"}),
        )
    )
    with ScriptedServer(lambda _: next(replies)) as server:
        with over_the_network() if far else nullcontext(on_this_machine) as exchange:
            client = HttpClient(server.url, "secret", exchange, None)
            assert client.send("POST", "/notes:import", {"text": "ü"}, query={"q": "a b&c"}) == {
                "a": 1
            }
            assert [line for line in client.lines("/me:export") if line] == ["one", "two"]
            assert client.send("DELETE", "/notes/x") == {}
            with pytest.raises(AuroraError, match="sends on to https://elsewhere"):
                client.send("GET", "/notes")
        first = server.requests[0]
        assert first.path == "/api/notes:import?q=a+b%26c"
        assert first.json() == {"text": "ü"}
        assert first.headers["authorization"] == "Bearer secret"


@EXCHANGES
def test_nobody_there_is_told_by_both(*, far: bool) -> None:
    (port,) = free_ports(1)
    address = f"http://127.0.0.1:{port}"
    with over_the_network() if far else nullcontext(on_this_machine) as exchange:
        with pytest.raises(BrokenOff, match="refused"), exchange(Request("GET", address)):
            pass
        with pytest.raises(Unavailable, match=f"{address} does not answer"):
            HttpClient(address, None, exchange, None).send("GET", "/notes")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_product_that_cannot_be_announced_says_which_file_cannot_be_written(
    tmp_path: Path,
) -> None:
    (tmp_path / ANNOUNCED).with_suffix(".part").symlink_to("/dev/full")
    models = Models(writer=None, quoter="extractive", embedder=None)
    running = Announced(address="http://localhost:1", tenant="local", settings="", models=models)
    file = re.escape(str(tmp_path / ANNOUNCED))
    with (
        pytest.raises(OperatorError, match=f"^{file} cannot be written, .*: No space left"),
        announced(tmp_path, running),
    ):
        pass
