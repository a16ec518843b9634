"""Who is plugged in where, by the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.options import close
from shared.adapters.firebase.app_check import FirebaseAppCheck
from shared.adapters.gemini import GeminiWriter
from shared.bootstrap import RANKING_SECONDS, build, judge_of
from shared.settings import Settings


def test_without_a_model_nobody_ranks_folders(tmp_path: Path) -> None:
    app = build(Settings(home=tmp_path, auth="none"))
    assert app.ranker is None
    close(app)


def test_the_writing_model_ranks_folders_too_with_less_patience(tmp_path: Path) -> None:
    app = build(Settings(home=tmp_path, auth="none", gemini_api_key="k", chat_timeout_ms=30_000))
    assert isinstance(app.ranker, GeminiWriter)
    assert isinstance(app.writer, GeminiWriter)
    assert (app.ranker.model, app.ranker._timeout) == (app.writer.model, RANKING_SECONDS)
    close(app)


def test_the_judge_is_offline_unless_another_is_named(tmp_path: Path) -> None:
    app = build(Settings(home=tmp_path, auth="none"))
    assert (app.scrutiny.judge.name, app.scrutiny.strict) == ("offline", False)
    close(app)


def test_the_writing_model_or_a_service_can_judge(tmp_path: Path) -> None:
    by_model = Settings(home=tmp_path, auth="none", gemini_api_key="k", judge="model", support_policy="strict")
    app = build(by_model)
    assert (app.scrutiny.judge.name, app.scrutiny.strict) == (f"model {app.model}", True)
    close(app)
    assert judge_of(Settings(project="demo", judge="check_grounding")).name == "check_grounding"


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_app_check_is_for_deployments_that_ask_who_calls(tmp_path: Path, mode: str) -> None:
    app = build(Settings(home=tmp_path, auth="firebase", project="demo", app_check=mode))
    assert isinstance(app.attester, FirebaseAppCheck)
    close(app)


@pytest.mark.parametrize(("auth", "mode"), [("firebase", "off"), ("emulator", "enforce"), ("none", "enforce")])
def test_elsewhere_no_app_needs_to_say_what_it_is(tmp_path: Path, auth: str, mode: str) -> None:
    app = build(Settings(home=tmp_path, auth=auth, project="demo", app_check=mode))
    assert app.attester is None
    close(app)
