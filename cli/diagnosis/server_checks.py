"""A product behind an address: whether it answers, who may call, whom the token names, how its index stands."""

from __future__ import annotations

import time

from cli.diagnosis.checks import Verdict, coverage_told, tried
from cli.options import Place
from functions.client import ApiClient
from shared.errors import AuroraError, Unauthenticated


def examined_server(place: Place) -> list[Verdict]:
    """What can be seen from outside."""
    with place.client() as client:
        answers = tried("server", lambda: _answers(client, place))
        if answers.verdict == "failed":
            return [answers]
        return [answers, _auth(place), *_caller(client)]


def _answers(client: ApiClient, place: Place) -> str:
    started = time.perf_counter()
    client.send("GET", "/health")
    return f"{place.server} answers in {(time.perf_counter() - started) * 1000:.0f} ms"


def _auth(place: Place) -> Verdict:
    """Whether somebody without a token is let in."""
    from cli.remote import reaching  # noqa: PLC0415 - as in cli.options

    assert place.server is not None  # noqa: S101 - for the type checker
    try:
        with reaching(place.server, None) as nobody:
            nobody.send("GET", "/index:coverage")
    except Unauthenticated:
        return Verdict("auth", "ok", "callers need a token")
    except AuroraError as error:
        return Verdict("auth", "failed", error.message)
    return Verdict("auth", "ok", "none: whoever reaches the server may call")


def _caller(client: ApiClient) -> list[Verdict]:
    """Of whoever the token names."""
    try:
        coverage = client.send("GET", "/index:coverage")
    except AuroraError as error:
        return [Verdict("token", "failed", error.message)]
    return [Verdict("token", "ok", "let in"), Verdict("store", "ok", coverage_told(coverage))]
