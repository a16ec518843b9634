"""`aurora doctor`: is everything there that the product needs, and what is missing."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict

import click

from cli.diagnosis.checks import PartVerdict, check_parts, coverage_in_words, is_begun, tried
from cli.diagnosis.google_project import GoogleProject
from cli.options import FAILED, CommandContext, anywhere
from cli.terminal import echo, echo_json
from evaluation.calibration import measured
from shared.adapters.extras import LOCAL_PACKAGES, install_command
from shared.errors import AuroraError, OperatorError, Unauthenticated


@click.command()
@click.option("--project", help="Check what is deployed in this Google Cloud project instead.")
@click.option(
    "--calibrate",
    is_flag=True,
    help="Measure the embedder on the notes and print the two settings instead.",
)
@anywhere
def doctor(context: CommandContext, project: str | None, *, calibrate: bool) -> None:
    """Check all that the product on this machine needs, or with --server a product that runs
    elsewhere.

    Exit code 1: something has failed.
    """
    if calibrate and (project or context.server):
        raise click.UsageError(
            "--calibrate measures on this machine: without --project or --server",
        )

    if calibrate:
        _calibrate(context)
    elif project is not None:
        from cli.diagnosis.deployment import examine  # noqa: PLC0415 - reads the tables of a deployment

        _tell(context, examine(GoogleProject(project)))
    elif context.server:
        _tell(context, _check_server(context))
    else:
        _tell(context, check_parts(context))


def _tell(context: CommandContext, verdicts: Sequence[PartVerdict]) -> None:
    """Prints verdicts, and ends the command if one is `failed`."""
    if context.as_json:
        echo_json([asdict(verdict) for verdict in verdicts])
    else:
        for verdict in verdicts:
            line = f"{verdict.verdict:8} {verdict.part:10} {verdict.detail}"
            echo(line.rstrip())
            if verdict.mend:
                indent = " " * 20
                echo(f"{indent}{verdict.mend}")

    failed = [verdict for verdict in verdicts if verdict.verdict == "failed"]
    if failed:
        sys.exit(FAILED)


def _calibrate(context: CommandContext) -> None:
    """Measures the embedder and prints two settings.

    Raises OperatorError without embedder or enough notes, EmbeddingQuotaExceeded, and what the
    embedder raises.
    """
    with context.app() as app:
        if not is_begun(app, context.tenant_id):
            raise OperatorError(
                f"no notes of {context.tenant_id} yet to measure the embedder on: run aurora index",
            )
        embedder = app.embedder_of(context.tenant_id)
        if embedder is None:
            command = install_command(LOCAL_PACKAGES)
            raise OperatorError(f"there is no embedder to measure: {command}")
        version = app.index_version
        calibration = measured(
            context.tenant_id,
            store=app.store,
            embedder=embedder,
            index_version=version,
        )

    cosines = {
        "EMBEDDING_UNRELATED": round(calibration.baseline, 3),
        "EMBEDDING_ALIKE": round(calibration.match, 3),
    }
    lines = [f"{variable}={cosine:g}" for variable, cosine in cosines.items()]
    context.tell(cosines, "\n".join(lines))


def _check_server(context: CommandContext) -> list[PartVerdict]:
    """Returns verdicts on the parts of a server that can be seen from outside."""
    with context.client() as client:

        def answers() -> str:
            started = time.perf_counter()
            client.send("GET", "/health")
            milliseconds = (time.perf_counter() - started) * 1000
            return f"{context.server} answers in {milliseconds:.0f} ms"

        server = tried("server", answers)
        if server.verdict == "failed":
            return [server]
        auth = _server_auth(context)
        try:
            coverage = client.send("GET", "/index:coverage")
        except AuroraError as error:
            return [server, auth, PartVerdict("token", "failed", error.message)]
        token = PartVerdict("token", "ok", "let in")
        store = PartVerdict("store", "ok", coverage_in_words(coverage))
        return [server, auth, token, store]


def _server_auth(context: CommandContext) -> PartVerdict:
    """Checks whether somebody without a token is let in."""
    from desktop.client.remote import reaching  # noqa: PLC0415 - as in cli.options

    assert context.server is not None  # noqa: S101 - for the type checker
    try:
        with reaching(context.server, None) as anonymous:
            anonymous.send("GET", "/index:coverage")
    except Unauthenticated:
        return PartVerdict("auth", "ok", "callers need a token")
    except AuroraError as error:
        return PartVerdict("auth", "failed", error.message)

    return PartVerdict("auth", "ok", "none: whoever reaches the server may call")
