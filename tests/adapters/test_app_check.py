from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from shared.adapters.firebase.authentication import FirebaseAppCheck
from shared.adapters.firebase.signed_tokens import FAILURE_PAUSE
from shared.errors import AppCheckInvalid, AppCheckMissing, Unavailable
from tests.adapters.models.waiting import FakeClock
from tests.servers.certificates import (
    NUMBER,
    PROJECT,
    KeyServer,
    app_claims,
    claims,
    public_pem,
    signed,
    signed_with_secret,
    unsigned,
    web_key,
)
from tests.servers.scripted import Reply

OTHER = "999999999999"


@pytest.fixture
def server() -> Iterator[KeyServer]:
    with KeyServer("first", "second") as serving:
        yield serving


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def app_check(server: KeyServer, clock: FakeClock) -> FirebaseAppCheck:
    return FirebaseAppCheck(PROJECT, server.url, clock=clock)


def test_a_good_token_passes_whichever_key_signed_it_and_keys_are_fetched_once(
    app_check: FirebaseAppCheck, server: KeyServer, clock: FakeClock
) -> None:
    for key in ("first", "second", "first"):
        app_check.verify(signed(key, app_claims()))
        clock.now += 7000
    assert len(server.requests) == 1
    clock.now += 7000
    app_check.verify(signed("first", app_claims()))
    assert len(server.requests) == 2


@pytest.mark.parametrize("token", [None, ""])
def test_no_token_is_told_how_to_bring_one(token: str | None, app_check: FirebaseAppCheck) -> None:
    with pytest.raises(AppCheckMissing, match="X-Firebase-AppCheck"):
        app_check.verify(token)


NOW = int(time.time())
ISSUER = "https://firebaseappcheck.googleapis.com/"
WRONG: dict[tuple[str, str], tuple[object, ...]] = {
    ("exp", "times"): (NOW - 60, None, "never", True),
    ("iat", "times"): (NOW + 3600, None),
    ("iss", "another project"): (f"{ISSUER}{OTHER}",),
    ("iss", "not issued by App Check"): (
        *(
            f"{ISSUER}{NUMBER}/x",
            f"https://evil.example/{NUMBER}",
            f"https://securetoken.google.com/{PROJECT}",
        ),
        *(None, 7),
    ),
    ("aud", "another project"): (
        [f"projects/{OTHER}", "projects/another"],
        [f"projects/{NUMBER}", "projects/another"],
        [f"projects/{OTHER}", f"projects/{PROJECT}"],
        f"projects/{NUMBER} projects/{PROJECT}",
        [],
        None,
    ),
    ("sub", "no app"): ("", None, 7),
}
"""Claim and why -> values with which a token is refused."""


# The names hold no value: a time in them would differ between the workers that collect them.
@pytest.mark.parametrize(
    ("claim", "why", "value"),
    [
        pytest.param(*what, value, id=f"{what[0]}, {what[1]} {number}")
        for what, wrong in WRONG.items()
        for number, value in enumerate(wrong)
    ],
)
def test_a_wrong_claim_is_refused(
    claim: str, why: str, value: object, app_check: FirebaseAppCheck
) -> None:
    with pytest.raises(AppCheckInvalid, match=why):
        app_check.verify(signed("first", app_claims(**{claim: value})))


@pytest.mark.parametrize(
    "token",
    [
        signed("stranger", app_claims(), kid="first"),
        signed("first", app_claims(), kid="second"),
        signed("first", app_claims(), kid="third"),
        signed("first", app_claims(), kid=""),
        signed("first", app_claims(), alg="RS512"),
        signed("first", app_claims(), typ="at+jwt"),
        signed_with_secret(public_pem("first"), app_claims(), kid="first"),
        unsigned(app_claims()),
        unsigned(app_claims(), kid="first"),
        unsigned(app_claims(), alg="RS256", kid="first"),
        signed("first", app_claims()) + "x",
        signed("first", app_claims()).replace(".", ".e30", 1),
        signed("first", app_claims(padding="x" * 9000)),
        signed("first", claims()),
        "a.b",
        "W10.W10.",
        "é.é.é",
    ],
    ids=range(17),
)
def test_a_wrong_signature_or_form_is_refused(token: str, app_check: FirebaseAppCheck) -> None:
    with pytest.raises(AppCheckInvalid, match="does not verify") as caught:
        app_check.verify(token)
    assert token not in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        {},
        [],
        {"keys": []},
        {"keys": "first"},
        {"keys": [{"kty": "RSA", "kid": "first"}]},
        {"keys": [{**web_key("first"), "n": "AQAB"}]},
        {"keys": [{**web_key("first"), "n": 7}]},
        {"keys": [{**web_key("first"), "kty": "EC"}]},
    ],
    ids=range(9),
)
def test_while_no_keys_can_be_had_nothing_can_be_judged(
    body: object, app_check: FirebaseAppCheck, server: KeyServer, clock: FakeClock
) -> None:
    server.script(Reply(body=body))
    token = signed("first", app_claims())
    for _ in range(2):
        with pytest.raises(Unavailable):
            app_check.verify(token)
    assert len(server.requests) == 1
    clock.now += FAILURE_PAUSE
    app_check.verify(token)


def test_a_key_of_another_kind_beside_them_is_passed_over(
    app_check: FirebaseAppCheck, server: KeyServer
) -> None:
    curve = {
        "kty": "EC",
        "kid": "curve",
        "crv": "P-256",
        "x": "",
        "y": "",
    }
    server.script(Reply(body={"keys": [curve, web_key("first")]}))
    app_check.verify(signed("first", app_claims()))
