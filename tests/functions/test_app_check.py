"""APP_CHECK: which requests come from the project's own apps, with real tokens and a real key server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from functions import tables
from shared.adapters.firebase.authentication import FirebaseAppCheck
from shared.errors import StoreUnavailable
from tests.fakes import ScriptedWriter
from tests.functions.world import World, problem
from tests.servers.certificates import PROJECT, KeyServer, app_claims, signed
from tests.servers.scripted import Reply
from tests.servers.sdk_parsers import android, ios, javascript

VALID = {"X-Firebase-AppCheck": signed("key", app_claims())}
EXPIRED = {"X-Firebase-AppCheck": signed("key", app_claims(exp=1))}
ASKED = {"message": "Which colour is the boat?"}
STREAM = {"Accept": "text/event-stream"}
OPEN = [
    ("chat", "/health"),
    ("api", "/health"),
    ("api", "/healthz"),
    ("api", "/graphql/schema"),
    ("api", "/openapi.json"),
    ("api", "/"),
]

Mode = Callable[[str], ScriptedWriter]


@pytest.fixture
def keys() -> Iterator[KeyServer]:
    with KeyServer("key") as serving:
        yield serving


@pytest.fixture
def mode(world: World, keys: KeyServer) -> Mode:
    """Sets APP_CHECK; the writing model that answers, and remembers what it was asked."""
    world.save("boat", title="Boat", text="The boat is blue.")

    def choose(name: str) -> ScriptedWriter:
        writer = ScriptedWriter("It is blue [N1].")
        settings = replace(world.app.settings, app_check=name)
        attester = FirebaseAppCheck(PROJECT, keys.url)
        world.plug(settings=settings, attester=attester, writer=writer)
        return writer

    return choose


def _log(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def _addresses() -> Iterator[tuple[str, str, str]]:
    """Function, method and an address of every route that is not open to everybody."""
    for name, routes in (("chat", tables.CHAT), ("api", tables.API)):
        for route in routes:
            if not route.public:
                path = route.pattern.replace("{note_id}", "boat")
                yield (
                    name,
                    route.method,
                    path.replace("{template_id}", "t").replace("{session_id}", "s"),
                )


# -- enforce


@pytest.mark.parametrize(("function", "method", "path"), list(_addresses()), ids=str)
def test_enforced_every_other_route_is_closed_without_a_token(
    world: World, mode: Mode, function: str, method: str, path: str
) -> None:
    mode("enforce")
    world.tokens.outage = StoreUnavailable("who calls is looked at afterwards")
    assert problem(world.call(function, method, path, {})) == (401, "APP_CHECK_MISSING", "")
    assert problem(world.call(function, method, path, {}, headers=EXPIRED)) == (
        401,
        "APP_CHECK_INVALID",
        "",
    )


@pytest.mark.parametrize(("function", "path"), OPEN)
def test_enforced_what_is_open_stays_open(
    world: World, mode: Mode, function: str, path: str
) -> None:
    mode("enforce")
    assert world.call(function, "GET", path, token=None).status_code == 200


def test_enforced_a_valid_token_passes_and_does_not_stand_for_the_caller(
    world: World, mode: Mode
) -> None:
    mode("enforce")
    assert world.json("GET", "/notes/boat", headers=VALID)["title"] == "Boat"
    assert problem(world.call("api", "GET", "/notes/boat", headers=VALID, token=None))[:2] == (
        401,
        "UNAUTHENTICATED",
    )


@pytest.mark.parametrize("form", [{}, STREAM], ids=["whole", "streamed"])
def test_refused_nothing_is_asked_of_a_model(
    world: World, mode: Mode, form: dict[str, str]
) -> None:
    writer = mode("enforce")
    assert problem(world.call("chat", "POST", "/chat", ASKED, headers=form))[:2] == (
        401,
        "APP_CHECK_MISSING",
    )
    assert writer.prompts == []
    streamed = world.call("chat", "POST", "/chat", ASKED, headers={**form, **VALID})
    assert streamed.status_code == 200
    assert b"blue" in streamed.data
    assert len(writer.prompts) == 1


def test_refused_a_callable_reads_why(world: World, mode: Mode) -> None:
    mode("enforce")
    response = world.call("chat", "POST", "/chat", {"data": ASKED})
    error = response.get_json()["error"]
    assert response.status_code == 401
    assert error["status"] == "UNAUTHENTICATED"
    assert error["details"][0]["reason"] == "APP_CHECK_MISSING"
    for parser in (javascript, android, ios):
        received: Any = parser(
            world.call("chat", "POST", "/chat", {"data": ASKED}, headers=STREAM).data
        )
        assert received.error["status"] == "UNAUTHENTICATED"
        assert received.error["details"] == error["details"]
    passed = world.call("chat", "POST", "/chat", {"data": ASKED}, headers=VALID)
    assert "blue" in passed.get_json()["result"]["answer"]


def test_enforced_an_outage_of_the_key_server_is_503(
    world: World, mode: Mode, keys: KeyServer
) -> None:
    mode("enforce")
    keys.answer = lambda _: Reply(status=500)
    response = world.call("chat", "POST", "/chat", ASKED, headers=VALID)
    assert problem(response)[:2] == (503, "UNAVAILABLE")
    assert int(response.headers["Retry-After"]) > 0


# -- warn, off


@pytest.mark.parametrize(
    ("headers", "measured"),
    [
        ({}, "APP_CHECK_MISSING"),
        (EXPIRED, "APP_CHECK_INVALID"),
        (VALID, "VALID"),
    ],
    ids=["missing", "invalid", "valid"],
)
@pytest.mark.parametrize("form", [{}, STREAM], ids=["whole", "streamed"])
def test_warned_of_a_request_goes_on_and_its_log_says_what_is_wrong(
    world: World,
    mode: Mode,
    capsys: pytest.CaptureFixture[str],
    *,
    headers: dict[str, str],
    measured: str,
    form: dict[str, str],
) -> None:
    mode("warn")
    capsys.readouterr()
    assert b"blue" in world.call("chat", "POST", "/chat", ASKED, headers={**headers, **form}).data
    *warnings, line = _log(capsys)
    assert line["appCheck"] == measured
    assert line["httpRequest"]["status"] == 200
    assert [warning["severity"] for warning in warnings] == (
        [] if measured == "VALID" else ["WARNING"]
    )
    assert all(
        "App Check" in warning["message"] and warning["requestId"] == line["requestId"]
        for warning in warnings
    )
    assert not any(token in json.dumps([*warnings, line]) for token in headers.values())


def test_warned_of_an_outage_of_the_key_server_lets_requests_pass(
    world: World, mode: Mode, keys: KeyServer, capsys: pytest.CaptureFixture[str]
) -> None:
    mode("warn")
    keys.answer = lambda _: Reply(status=500)
    assert world.call("api", "GET", "/notes", headers=VALID).status_code == 200
    assert _log(capsys)[-1]["appCheck"] == "UNAVAILABLE"


def test_refusals_are_measured_too(
    world: World, mode: Mode, capsys: pytest.CaptureFixture[str]
) -> None:
    mode("enforce")
    capsys.readouterr()
    world.call("chat", "POST", "/chat", ASKED)
    (line,) = _log(capsys)
    assert line["appCheck"] == "APP_CHECK_MISSING"
    assert line["httpRequest"]["status"] == 401


def test_off_no_token_is_looked_at(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert world.call("api", "GET", "/notes", headers=EXPIRED).status_code == 200
    (line,) = _log(capsys)
    assert "appCheck" not in line
