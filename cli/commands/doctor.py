"""`aurora doctor`: is everything there that the product needs, and what is missing."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict

import click

from cli.diagnosis.checks import Verdict, coverage_in_words, examined, is_begun, tried
from cli.diagnosis.deployment import examine, require_checkout
from cli.diagnosis.google_project import GoogleProject
from cli.options import FAILED, Place, anywhere, print_json
from evaluation.calibration import measured
from shared.errors import AuroraError, OperatorError, Unauthenticated
from shared.indexing.pipeline import index_version


@click.command()
@click.option("--project", help="Check what is deployed in this Google Cloud project instead.")
@click.option("--calibrate", is_flag=True, help="Measure the embedder on the notes and print the two settings instead.")
@anywhere
def doctor(place: Place, project: str | None, *, calibrate: bool) -> None:
    """Check all that the product on this machine needs, or with --server a product that runs elsewhere.

    Exit code 1: something has failed.
    """
    if calibrate and (project or place.server):
        raise click.UsageError("--calibrate measures on this machine: without --project or --server")
    if calibrate:
        _calibrate(place)
    elif project is not None:
        require_checkout()
        _tell(place, examine(GoogleProject(project)))
    else:
        _tell(place, _examined_server(place) if place.server else examined(place))


def _tell(place: Place, verdicts: Sequence[Verdict]) -> None:
    if place.as_json:
        print_json([asdict(verdict) for verdict in verdicts])
    else:
        for each in verdicts:
            click.echo(f"{each.verdict:8} {each.part:10} {each.detail}".rstrip())
            if each.mend:
                click.echo(f"{'':20}{each.mend}")
    if any(verdict.verdict == "failed" for verdict in verdicts):
        sys.exit(FAILED)


def _calibrate(place: Place) -> None:
    """Raises OperatorError without embedder or enough notes, EmbeddingQuotaExceeded, and what the embedder raises."""
    with place.app() as app:
        if not is_begun(app, place.tenant_id):
            raise OperatorError(f"no notes of {place.tenant_id} yet to measure the embedder on: run aurora index")
        embedder = app.embedder_of(place.tenant_id)
        if embedder is None:
            raise OperatorError("there is no embedder to measure: pip install -e '.[local]'")
        version = index_version(embedder, app.chunker)
        calibration = measured(place.tenant_id, store=app.store, embedder=embedder, index_version=version)
    found = {"EMBEDDING_UNRELATED": round(calibration.baseline, 3), "EMBEDDING_ALIKE": round(calibration.match, 3)}
    place.tell(found, "\n".join(f"{variable}={cosine:g}" for variable, cosine in found.items()))


def _examined_server(place: Place) -> list[Verdict]:
    """What can be seen from outside."""
    with place.client() as client:

        def answers() -> str:
            started = time.perf_counter()
            client.send("GET", "/health")
            return f"{place.server} answers in {(time.perf_counter() - started) * 1000:.0f} ms"

        server = tried("server", answers)
        if server.verdict == "failed":
            return [server]
        auth = _server_auth(place)
        try:
            coverage = client.send("GET", "/index:coverage")
        except AuroraError as error:
            return [server, auth, Verdict("token", "failed", error.message)]
        token, store = Verdict("token", "ok", "let in"), Verdict("store", "ok", coverage_in_words(coverage))
        return [server, auth, token, store]


def _server_auth(place: Place) -> Verdict:
    """Whether somebody without a token is let in."""
    from cli.remote import reaching  # noqa: PLC0415 - as in cli.options

    assert place.server is not None  # noqa: S101 - for the type checker
    try:
        with reaching(place.server, None) as anonymous:
            anonymous.send("GET", "/index:coverage")
    except Unauthenticated:
        return Verdict("auth", "ok", "callers need a token")
    except AuroraError as error:
        return Verdict("auth", "failed", error.message)
    return Verdict("auth", "ok", "none: whoever reaches the server may call")
