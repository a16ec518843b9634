"""Settings of the environment and of the home's `.env`, and lines there that nearly are settings."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from desktop.product.model_servers import places
from tests.cli.conftest import Aurora, Write
from tests.servers.dev import dev
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply, Request

NOTES = {"boat.md": "The boat is blue and floats.\n", "garden.md": "The blue tomatoes.\n"}
QUESTION = "What colour is the boat?"


def _says(aurora: Aurora, text: str) -> None:
    aurora.home.mkdir(parents=True, exist_ok=True)
    (aurora.home / ".env").write_bytes(text.encode())


def test_the_homes_file_holds_settings_and_the_environment_wins(
    aurora: Aurora, notes: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    aurora("index", str(notes(NOTES)))
    _says(aurora, "# of this home\nexport RETRIEVAL_RERANK_TO='1'\nCHAT_MAX_QUERY_LENGTH=10\n")
    refused = aurora("ask", QUESTION)
    assert refused.exit_code == 2
    assert "at most 10" in refused.stderr
    monkeypatch.setenv("CHAT_MAX_QUERY_LENGTH", "100")
    answer = aurora.json("ask", QUESTION)
    assert answer["meta"]["retrieval"]["k"] == 1


def test_a_bad_value_in_the_file_stops_the_start(aurora: Aurora) -> None:
    _says(aurora, "RETRIEVAL_TOP_K=many\n")
    result = aurora("search", "x")
    assert result.exit_code == 1
    assert "RETRIEVAL_TOP_K: expected a whole number" in result.stderr


def test_names_that_are_no_settings_are_pointed_out_with_the_nearest(
    aurora: Aurora, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_APIKEY", "secret")
    monkeypatch.setenv("GOOGLE_API_KEY", "for another program")
    _says(aurora, "CHATMODEL=x\nBANANA=1\nAURORA_HOME=elsewhere\n")
    file = aurora.home / ".env"
    result = aurora("folders", "list", "--json")
    assert json.loads(result.stdout) == {"folders": []}
    assert result.stderr.splitlines() == [
        f"aurora: {file}: CHATMODEL is no setting; CHAT_MODEL is",
        f"aurora: {file}: BANANA is no setting",
        f"aurora: {file}: AURORA_HOME has no effect there: that is the home",
        "aurora: GEMINI_APIKEY is no setting; GEMINI_API_KEY is",
    ]


def test_a_line_that_says_nothing_is_named_by_its_number_and_never_shown(aurora: Aurora) -> None:
    _says(
        aurora,
        "\ufeffCHAT_MAX_QUERY_LENGTH=7\n\n\nGEMINI_API_KEY='AIzaBroken\nAIzaAlone\n# fine\nAIzaEnds=\n",
    )
    file = aurora.home / ".env"
    result = aurora("ask", QUESTION)
    assert result.stderr.splitlines() == [
        f"aurora: {file}, line 4: expected NAME=value; the line has no effect",
        f"aurora: {file}, line 5: expected NAME=value; the line has no effect",
        f"aurora: {file}, line 7: its name is no setting",
        "aurora: message: expected text of at most 7 characters, not blank",
    ]
    assert "AIza" not in result.output


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("AUTH=nobody", "AUTH: expected one of firebase, emulator, none, got 'nobody'"),
        (
            "TEMPLATE_FOLDERS=/no/such",
            "TEMPLATE_FOLDERS: expected folders that can be read, got '/no/such'",
        ),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("ask", "x"),
        ("notes", "list"),
        ("templates", "list"),
    ],
)
def test_a_bad_value_of_a_setting_that_a_command_does_not_need_stops_it_too(
    aurora: Aurora,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    setting: str,
    told: str,
) -> None:
    monkeypatch.setenv(*setting.split("=", 1))
    result = aurora(*command)
    assert result.exit_code == 1
    assert result.stderr == f"aurora: {told}\n"


def test_a_file_that_is_no_text_is_told_in_one_line(aurora: Aurora) -> None:
    aurora.home.mkdir()
    (aurora.home / ".env").write_bytes(b"OPENAI_API_KEY=\xff\xfe\n")
    result = aurora("search", "x")
    assert result.exit_code == 1
    assert result.stderr == f"aurora: {aurora.home / '.env'} is not UTF-8: save it as UTF-8\n"


# -- model servers on this machine


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        answer = server.answer

        def route(request: Request) -> Reply:
            listed = [
                {"id": "llama3.2:latest"},
                {"id": "nomic-embed-text:latest"},
            ]
            return Reply(body={"data": listed}) if request.path == "/v1/models" else answer(request)

        server.answer = route
        monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
        yield server


@pytest.mark.nightly
def test_a_model_server_on_this_machine_is_told_of_and_writes_when_asked(
    aurora: Aurora, ollama: OpenAIServer
) -> None:
    with dev(aurora.home) as product:
        message = (
            f"a model server answers at {ollama.url}/v1 (llama3.2:latest, nomic-embed-text:latest)"
        )
        assert message in product.greeting
    with dev(aurora.home, "--model", "llama3.2") as product:
        assert "writer llama3.2" in product.greeting
        assert message not in product.greeting


def test_a_model_that_no_server_has_is_refused_with_what_there_is(
    aurora: Aurora, ollama: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = aurora("dev", "--no-browser", "--port", "0", "--model", "llama9")
    assert result.exit_code == 2
    assert f"--model: expected a model of {ollama.url}/v1 (llama3.2:latest" in result.stderr
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    result = aurora("dev", "--no-browser", "--port", "0", "--model", "llama3.2")
    assert result.exit_code == 1
    assert (
        "no model server answers at http://127.0.0.1:1/v1 or http://127.0.0.1:1234/v1"
        in result.stderr
    )


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        (":1", "http://127.0.0.1:1/v1"),
        ("http://127.0.0.1:7", "http://127.0.0.1:7/v1"),
        ("a:b:c", "http://127.0.0.1:11434/v1"),
    ],
)
def test_where_ollama_is_looked_for(host: str, place: str) -> None:
    assert places({"OLLAMA_HOST": host})[0] == place
