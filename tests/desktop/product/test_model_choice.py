"""The model that is chosen on the page of a running product: what is kept, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.exceptions import NotFound
from werkzeug.test import Client, TestResponse

from cli.options import CommandContext, close
from desktop.product.environment import environment
from desktop.product.model_choice import GREETING, ModelChoice, with_model_choice
from shared.bootstrap import assemble, build, use
from shared.model.answers import Statement
from tests.answering.samples import passage
from tests.quick import starts_a_process
from tests.servers.openai import OpenAIServer, completed


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def choice(tmp_path: Path) -> Iterator[ModelChoice]:
    settings = CommandContext(tmp_path, "local", as_json=False).settings(AUTH="none")
    choice = ModelChoice(assemble(replace(build(settings, tenant="local"), embedder=None)), {})
    use(choice.app)
    yield choice
    close(choice.app)


def put(choice: ModelChoice, **body: str) -> TestResponse:
    return Client(with_model_choice(NotFound(), choice)).put("/settings:model", json=body)


def server(model: OpenAIServer, **more: str) -> dict[str, str]:
    return {
        "kind": "openai",
        "address": model.base_url,
        "model": "llama",
        **more,
    }


STATEMENT = Statement("The boat is blue.", (passage("The boat is blue.", note_id="boat").chunk,))


def started(choice: ModelChoice, env: str) -> None:
    """Start the product as with these lines in the home's `.env`."""
    home = choice.app.settings.home
    (home / ".env").write_text(env)
    choice.app = assemble(
        replace(
            choice.app, settings=CommandContext(home, "local", as_json=False).settings(AUTH="none")
        )
    )


@pytest.mark.parametrize(
    ("env", "kind", "named"),
    [
        ("EMBEDDING_MODEL=minilm\n", "openai", "EMBEDDING_MODEL"),
        (
            "EMBEDDING_MODEL=e\nOPENAI_BASE_URL=http://localhost:1/v1\nCHAT_MODEL=llama\n",
            "openai",
            "EMBEDDING_MODEL",
        ),
        (
            "EMBEDDING_MODEL=e\nOPENAI_BASE_URL=http://localhost:1/v1\nCHAT_MODEL=llama\n",
            "none",
            "EMBEDDING_MODEL",
        ),
        ("JUDGE=model\nOPENAI_BASE_URL=http://localhost:1/v1\nCHAT_MODEL=llama\n", "none", "JUDGE"),
        ("DAILY_PROJECT_USD=1\n", "openai", "MODEL_PRICES"),
    ],
)
def test_a_choice_that_does_not_go_with_the_other_settings_changes_nothing(
    choice: ModelChoice, model: OpenAIServer, env: str, kind: str, named: str
) -> None:
    started(choice, env)
    app_before = choice.app
    reply = put(choice, **server(model) if kind == "openai" else {"kind": kind})
    assert reply.status_code == 409
    assert named in reply.text
    assert (app_before.settings.home / ".env").read_text() == env
    assert choice.app is app_before
    assert not model.requests


def test_an_invalid_key_is_reported_as_such(choice: ModelChoice, model: OpenAIServer) -> None:
    reply = put(choice, **server(model, key="schlüssel"))
    assert reply.status_code == 400
    assert reply.get_json()["error"]["details"][0]["metadata"]["field"] == "key"


def test_whoever_asks_the_model_asks_the_chosen_server_with_its_key(
    choice: ModelChoice, model: OpenAIServer
) -> None:
    with OpenAIServer() as old:
        started(
            choice,
            f"OPENAI_BASE_URL={old.base_url}\nCHAT_MODEL=llama\nJUDGE=model\nCHAT_MODELS=other\n",
        )
        assert put(choice, **server(old, key="one")).status_code == 200
        assert put(choice, **server(model, key="two")).status_code == 200
        requests_before = len(old.requests)
        choice.app.writers["other"].write(GREETING)
        choice.app.support.judge.judge([STATEMENT])
        assert len(old.requests) == requests_before
    assert len(model.requests) >= 3
    assert {request.headers["authorization"] for request in model.requests} == {"Bearer two"}


def test_of_choices_at_once_the_last_is_kept_whole_for_its_owner_alone(
    choice: ModelChoice, model: OpenAIServer
) -> None:
    starts_a_process()  # the SDK, at its first request, in a thread of ours
    home = choice.app.settings.home
    started(choice, "# mine\nLOG_LEVEL=ERROR\n")
    model.script(replace(completed("hello"), delay=0.5))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(put, choice, **server(model, key="one") | {"model": "one"})
        while not model.requests:
            time.sleep(0.01)
        second = pool.submit(put, choice, **server(model, key="two") | {"model": "two"})
        assert first.result().status_code == 200
        assert second.result().status_code == 200
    settings = environment(home)
    assert (
        settings["OPENAI_API_KEY"]
        == settings["CHAT_MODEL"]
        == choice.app.settings.chat_model
        == "two"
    )
    assert (home / ".env").read_text().startswith("# mine\nLOG_LEVEL=ERROR\n")
    assert (home / ".env").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in home.glob(".*")] == [".env"]


def test_geminis_address_is_the_one_that_is_set(choice: ModelChoice, model: OpenAIServer) -> None:
    choice.app = assemble(
        replace(choice.app, settings=replace(choice.app.settings, gemini_base_url=model.url))
    )
    assert choice.gemini == f"{model.url}/v1beta/openai"
    site = Client(with_model_choice(NotFound(), choice))
    site.post("/settings:model", json={"kind": "gemini", "key": "secret"})
    assert model.requests[-1].path == "/v1beta/openai/models"
    assert model.requests[-1].headers["authorization"] == "Bearer secret"


def test_a_field_that_is_missing_is_named_in_words(
    choice: ModelChoice, model: OpenAIServer
) -> None:
    for body, sentence in (
        ({"kind": "gemini"}, "The API key is missing."),
        ({"kind": "openai", "model": "llama"}, "The address of the server is missing."),
        ({"kind": "openai", "address": model.base_url}, "The name of the model is missing."),
    ):
        reply = put(choice, **body)
        assert reply.status_code == 400
        assert reply.get_json()["error"]["message"] == sentence


def test_the_models_of_a_server_are_listed(choice: ModelChoice, model: OpenAIServer) -> None:
    site = Client(with_model_choice(NotFound(), choice))
    reply = site.post("/settings:model", json={"kind": "openai", "address": model.base_url})
    assert reply.get_json() == {"address": model.base_url, "models": ["llama", "qwen"]}
    nobody = site.post(
        "/settings:model", json={"kind": "openai", "address": "http://127.0.0.1:9/v1"}
    )
    assert nobody.get_json()["models"] == []
