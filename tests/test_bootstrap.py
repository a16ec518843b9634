"""Settings choose the adapters that bootstrap plugs in."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.options import close
from shared.account.metering import MeteredReranker, MeteredWriter
from shared.adapters.firebase.authentication import FirebaseAppCheck
from shared.adapters.gemini import DEFAULT_CHAT_MODEL, DEFAULT_EMBEDDING_MODEL, GeminiWriter
from shared.bootstrap import RANKING_SECONDS, build
from shared.errors import SettingsError
from shared.model.account import Person
from shared.settings import CHAT_MODEL, EMBEDDING_MODEL, Settings


def test_without_a_model_nobody_ranks_folders(tmp_path: Path) -> None:
    app = build(Settings(home=tmp_path, auth="none"))
    assert app.ranker is None
    close(app)


def test_the_writing_model_ranks_folders_too_with_less_patience(tmp_path: Path) -> None:
    app = build(
        Settings(
            home=tmp_path,
            auth="none",
            gemini_api_key="k",
            chat_timeout_ms=30_000,
        )
    )
    assert isinstance(app.ranker, GeminiWriter)
    assert isinstance(app.writer, GeminiWriter)
    assert app.ranker.model == app.writer.model
    assert app.ranker.timeout == RANKING_SECONDS
    close(app)


def test_the_judge_is_offline_unless_another_is_named(tmp_path: Path) -> None:
    app = build(Settings(home=tmp_path, auth="none"))
    assert app.support.judge.name == "offline"
    assert app.support.strict is False
    close(app)


def test_the_writing_model_can_judge(tmp_path: Path) -> None:
    by_model = Settings(
        home=tmp_path, auth="none", gemini_api_key="k", judge="model", support_policy="strict"
    )
    app = build(by_model)
    assert app.support.judge.name == f"model {app.model}"
    assert app.support.strict is True
    close(app)


GEMINI = {"gemini_api_key": "k"}
OPENAI = {"openai_base_url": "http://127.0.0.1:9/v1", "chat_model": "house-model"}


@pytest.mark.parametrize(
    ("models", "unpriced"),
    [
        ({**GEMINI, "chat_model": "gemini-3.8-flash"}, "gemini-3.8-flash"),
        ({**GEMINI, "chat_models": ("gemini-9",)}, "gemini-9"),
        ({**GEMINI, "embedding_model": "gemini-embedding-001"}, "gemini-embedding-001"),
        ({**GEMINI, "embedding_model_before": "gemini-embedding-001"}, "gemini-embedding-001"),
        (OPENAI, "house-model"),
        (
            {
                **OPENAI,
                "model_prices": (("house-model", 0.1, 0.2),),
                "embedding_model": "house-embedder",
            },
            "house-embedder",
        ),
        ({"reranker": "vertex", "project": "demo"}, "ranking"),
    ],
)
def test_a_model_without_a_price_stops_the_start_where_the_project_has_a_budget(
    tmp_path: Path, models: dict[str, Any], unpriced: str
) -> None:
    settings = Settings(
        home=tmp_path,
        auth="none",
        daily_project_usd=5.0,
        **models,
    )
    with pytest.raises(
        SettingsError, match=f"MODEL_PRICES: expected a price of {unpriced}, "
    ) as raised:
        build(settings)
    assert raised.value.variable == "MODEL_PRICES"
    close(build(replace(settings, model_prices=(*settings.model_prices, (unpriced, 0.3, 2.5)))))
    close(build(replace(settings, daily_project_usd=None)))


def test_the_embedding_model_of_before_a_change_is_of_the_same_service(tmp_path: Path) -> None:
    models = {"embedding_model": "new", "embedding_model_before": "old"}
    for service in (GEMINI, OPENAI):
        app = build(Settings(home=tmp_path, auth="none", **service, **models))  # type: ignore[arg-type]
        assert [
            embedder and embedder.model for embedder in (app.embedder, app.previous_embedder)
        ] == [
            "new",
            "old",
        ]
        assert type(app.embedder) is type(app.previous_embedder)
        close(app)


def test_a_project_with_a_budget_meters_every_hosted_model(tmp_path: Path) -> None:
    priced = {
        "daily_project_usd": 5.0,
        "model_prices": (("ranking", 1.0, 0.0),),
    }
    services = {"reranker": "vertex", "project": "demo"}
    settings = Settings(home=tmp_path, auth="none", **GEMINI, **priced, **services)  # type: ignore[arg-type]
    app = build(settings)
    metered = (app.writer, app.ranker, app.reranker)
    assert [type(model) for model in metered] == [
        MeteredWriter,
        MeteredWriter,
        MeteredReranker,
    ]
    assert {CHAT_MODEL, EMBEDDING_MODEL} < set(settings.billed_models)
    assert DEFAULT_CHAT_MODEL == CHAT_MODEL
    assert DEFAULT_EMBEDDING_MODEL == EMBEDDING_MODEL
    close(app)


@pytest.mark.parametrize(
    ("default", "expected"),
    [
        ("model=gpt-9", "one of extractive for model"),
        ("template=../plan", "auto, none, or the id of a template for template"),
        ("lookIn=work\0", "text of at most "),
        (
            f"systemPrompt={'x' * 2001}",
            "text of at most 2000 characters, without NUL for systemPrompt",
        ),
    ],
)
def test_a_default_that_no_session_may_have_stops_the_start(
    tmp_path: Path, default: str, expected: str
) -> None:
    session_defaults = Settings.from_env({"SESSION_DEFAULTS": default}).session_defaults
    with pytest.raises(
        SettingsError, match=f"SESSION_DEFAULTS: expected {re.escape(expected)}"
    ) as raised:
        build(
            Settings(
                home=tmp_path,
                auth="none",
                session_defaults=session_defaults,
            )
        )
    assert raised.value.variable == "SESSION_DEFAULTS"


@pytest.mark.parametrize(
    ("environment", "tokens"),
    [
        ({"GEMINI_API_KEY": "k"}, 8192),
        ({"GEMINI_API_KEY": "k", "SESSION_DEFAULTS": "maxContextTokens=6000"}, 6000),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1", "CHAT_MODEL": "local"}, 4000),
        ({}, 4000),
    ],
)
def test_the_prompt_of_a_session_takes_a_share_of_the_models_context_window(
    tmp_path: Path, environment: dict[str, str], tokens: int
) -> None:
    settings = replace(Settings.from_env(environment), home=tmp_path, auth="none")
    sessions = build(settings).sessions(Person("t", "u"))
    assert sessions.defaults.max_context_tokens == tokens


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_app_check_is_for_deployments_that_ask_who_calls(tmp_path: Path, mode: str) -> None:
    app = build(
        Settings(
            home=tmp_path,
            auth="firebase",
            project="demo",
            app_check=mode,
        )
    )
    assert isinstance(app.attester, FirebaseAppCheck)
    close(app)


@pytest.mark.parametrize(
    ("auth", "mode"),
    [
        ("firebase", "off"),
        ("emulator", "enforce"),
        ("none", "enforce"),
    ],
)
def test_elsewhere_no_app_needs_to_say_what_it_is(tmp_path: Path, auth: str, mode: str) -> None:
    app = build(
        Settings(
            home=tmp_path,
            auth=auth,
            project="demo",
            app_check=mode,
        )
    )
    assert app.attester is None
    close(app)
