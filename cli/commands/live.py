"""`aurora live`: what the real models that are set keep of what the product asks of them."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from cli.commands.evaluate import read_markdown
from cli.options import FAILED, USAGE, CommandContext, close, common, fail
from cli.terminal import echo, echo_json
from evaluation.live import QUESTIONS, TENANT, as_markdown, check_models
from shared.bootstrap import build
from shared.settings import shipped

NO_MODEL = (
    "no model is set, so nothing was called: set GEMINI_API_KEY, the settings of Vertex AI, or OPENAI_BASE_URL with "
    "CHAT_MODEL"
)


@click.command()
@common
def live(context: CommandContext) -> None:
    """Put ten questions about the sample notes to the models that are set, and print a table of what
    they keep. With the models of the defaults that costs less than a cent. Exit code 1: a model
    breaks something.
    """
    settings = context.settings()
    if not settings.billed_models:
        fail(NO_MODEL, USAGE)
    with tempfile.TemporaryDirectory(prefix="aurora-live-") as home:
        temporary = replace(settings, home=Path(home), store="embedded")
        app = build(temporary, tenant=TENANT)
        try:
            notes = read_markdown(shipped.SAMPLE_NOTES, in_vaults=False)
            checks = check_models(app, notes, datetime.now(UTC))
        finally:
            close(app)

    if context.as_json:
        echo_json([asdict(check) for check in checks])
    else:
        questions = len(QUESTIONS)
        day = datetime.now(UTC).date()
        release = version("aurora-notes")
        models = ", ".join(settings.billed_models)
        echo(f"{questions} questions, {day}, aurora {release}, {models}\n")
        echo(as_markdown(checks))

    broken = [check for check in checks if not check.passed]
    if broken:
        sys.exit(FAILED)
