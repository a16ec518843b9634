from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.firebase.authentication import (
    Accounts,
    EmulatorVerifier,
    FirebaseVerifier,
    NoVerifier,
)
from shared.adapters.firebase.signed_tokens import FAILURE_PAUSE, MAX_STALE, REFETCH_PAUSE
from shared.errors import Unauthenticated, Unavailable
from shared.ports.access import Identity, Verifier
from tests.adapters.models.waiting import FakeClock
from tests.servers.certificates import (
    PROJECT,
    CertificateServer,
    certificate,
    claims,
    signed,
    signed_with_secret,
    unsigned,
)
from tests.servers.scripted import Reply, ScriptedServer


@pytest.fixture
def server() -> Iterator[CertificateServer]:
    with CertificateServer("first", "second") as serving:
        yield serving


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def verifier(server: CertificateServer, clock: FakeClock) -> FirebaseVerifier:
    return FirebaseVerifier(PROJECT, server.url, clock=clock)


NOW = int(time.time())
WRONG: dict[str, tuple[object, ...]] = {
    "exp": (NOW - 60, None, "never", True),
    "iat": (NOW + 3600, None, "now"),
    "auth_time": (NOW + 3600,),
    "aud": ("another-project", [PROJECT], None),
    "iss": ("https://securetoken.google.com/another-project", "https://accounts.google.com", None),
    "sub": ("", None, 7, "u" * 1001, "a\nb", "__all__", "\ud800", "a/b"),
    "tenantId": ("", "a/b", "..", "__all__", "a\nb", "a\n", ["acme"]),
}
"""Claim -> values with which a token is refused."""


class TestTokens:
    def test_a_good_token_is_its_user_in_a_tenant_of_their_own(self, verifier: Verifier) -> None:
        assert verifier.verify(signed("first", claims())) == Identity("uid-1", "uid-1")
        assert verifier.verify(signed("second", claims(sub="uid-2"))) == Identity("uid-2", "uid-2")

    @pytest.mark.parametrize(
        "claim",
        [
            {},
            {"tenantId": "team:acme"},
            {"tenantId": "acme"},
        ],
    )
    def test_nobody_is_a_team_by_their_user_id(
        self, verifier: Verifier, claim: dict[str, str]
    ) -> None:
        member = signed("first", claims(sub="ann", tenantId="team:acme"))
        assert verifier.verify(member) == Identity("ann", "team:acme")
        namesake = claims(sub="team:acme", **claim)
        with pytest.raises(Unauthenticated, match="as only ids of teams do"):
            verifier.verify(signed("first", namesake))
        with pytest.raises(Unauthenticated, match="as only ids of teams do"):
            EmulatorVerifier(PROJECT).verify(unsigned(namesake))

    def test_the_claim_tenant_id_says_whose_space_is_used(self, verifier: Verifier) -> None:
        assert verifier.verify(signed("first", claims(tenantId="acme"))) == Identity(
            "uid-1", "acme"
        )

    @pytest.mark.parametrize("name", ["auth0|5f7c", "_x", "ünï 日本", "a:b", "💡" * 250])
    def test_a_user_may_have_any_name_that_firestore_can_keep(
        self, verifier: Verifier, name: str
    ) -> None:
        assert verifier.verify(signed("first", claims(sub=name))) == Identity(name, name)
        assert verifier.verify(signed("first", claims(tenantId=name))) == Identity("uid-1", name)

    @pytest.mark.parametrize(
        ("claim", "role"),
        [
            ("owner", "owner"),
            ("editor", "editor"),
            (None, ""),
            (["owner"], ""),
        ],
    )
    def test_the_claim_role_is_a_text(self, verifier: Verifier, claim: object, role: str) -> None:
        identity = verifier.verify(signed("first", claims(tenantId="acme", role=claim)))
        assert identity.role == role
        assert identity.owns_tenant == (role == "owner")

    @pytest.mark.parametrize("token", [None, ""])
    def test_no_token_is_told_how_to_bring_one(self, token: str | None, verifier: Verifier) -> None:
        with pytest.raises(Unauthenticated, match="Authorization: Bearer"):
            verifier.verify(token)

    # The names hold no value: a time in them would differ between the workers that collect them.
    @pytest.mark.parametrize(
        ("claim", "value"),
        [
            pytest.param(claim, value, id=f"{claim}{number}")
            for claim, wrong in WRONG.items()
            for number, value in enumerate(wrong)
        ],
    )
    def test_a_wrong_claim_is_refused_signed_or_not(
        self, claim: str, value: object, verifier: Verifier
    ) -> None:
        with pytest.raises(Unauthenticated):
            verifier.verify(signed("first", claims(**{claim: value})))
        with pytest.raises(Unauthenticated):
            EmulatorVerifier(PROJECT).verify(unsigned(claims(**{claim: value})))

    def test_clocks_may_differ_by_some_seconds(self, verifier: Verifier) -> None:
        now = int(time.time())
        early = claims(iat=now + 5, auth_time=now + 5)
        late = claims(exp=now - 5)
        assert verifier.verify(signed("first", early)).tenant_id == "uid-1"
        assert verifier.verify(signed("first", late)).tenant_id == "uid-1"

    @pytest.mark.parametrize(
        "token",
        [
            signed("stranger", claims(), kid="first"),
            signed("first", claims(), kid="second"),
            signed("first", claims(), kid=""),
            signed("first", claims(), alg="RS512"),
            signed("first", claims(), alg="ES256"),
            signed_with_secret(certificate("first"), claims(), kid="first"),
            unsigned(claims(), kid="first"),
            unsigned(claims(), alg="RS256", kid="first"),
            unsigned(claims(), alg="None", kid="first"),
            signed("first", claims()) + "x",
            signed("first", claims()).replace(".", ".e30", 1),
            signed("first", claims(padding="x" * 9000)),
            "a.b",
            "a.b.c.d",
            "W10.W10.",
            "é.é.é",
        ],
        ids=range(16),
    )
    def test_a_wrong_signature_or_form_is_refused(self, token: str, verifier: Verifier) -> None:
        with pytest.raises(Unauthenticated, match="does not verify") as caught:
            verifier.verify(token)
        assert token not in caught.value.message

    def test_a_malformed_token_fetches_no_certificates(
        self, verifier: Verifier, server: CertificateServer
    ) -> None:
        for token in ("a.b.c", unsigned(claims()), signed("first", claims(), kid="")):
            with pytest.raises(Unauthenticated):
                verifier.verify(token)
        assert server.requests == []

    @given(st.text() | st.from_regex(r"[A-Za-z0-9_-]*(\.[A-Za-z0-9_-]*){2}", fullmatch=True))
    def test_no_text_whatever_does_more_than_be_refused(self, token: str) -> None:
        for verifier in (
            EmulatorVerifier(PROJECT),
            FirebaseVerifier(PROJECT, "http://127.0.0.1:1"),
        ):
            with pytest.raises(Unauthenticated):
                verifier.verify(token)

    def test_deeply_nested_json_is_refused(self) -> None:
        token = "W1tb" * 1500 + ".e30."
        with pytest.raises(Unauthenticated):
            EmulatorVerifier(PROJECT).verify(token)


class TestCertificates:
    def test_they_are_fetched_once_while_fresh(
        self, verifier: Verifier, server: CertificateServer, clock: FakeClock
    ) -> None:
        for _ in range(3):
            verifier.verify(signed("first", claims()))
            clock.now += 1000
        assert len(server.requests) == 1
        clock.now += 1000
        verifier.verify(signed("first", claims()))
        assert len(server.requests) == 2

    def test_many_first_requests_fetch_them_once(
        self, verifier: Verifier, server: CertificateServer
    ) -> None:
        server.script(
            Reply(
                body={"first": certificate("first")},
                delay=0.1,
                headers={"Cache-Control": "max-age=60"},
            )
        )
        with ThreadPoolExecutor(8) as pool:
            identities = set(pool.map(verifier.verify, [signed("first", claims())] * 8))
        assert identities == {Identity("uid-1", "uid-1")}
        assert len(server.requests) == 1

    def test_a_key_that_is_new_since_the_fetch_is_found_by_another(
        self, verifier: Verifier, server: CertificateServer, clock: FakeClock
    ) -> None:
        verifier.verify(signed("first", claims()))
        server.names = ("second", "third")
        clock.now += REFETCH_PAUSE
        assert verifier.verify(signed("third", claims())).tenant_id == "uid-1"
        assert len(server.requests) == 2
        with pytest.raises(Unauthenticated):
            verifier.verify(signed("first", claims()))

    def test_made_up_keys_do_not_hammer_the_server(
        self, verifier: Verifier, server: CertificateServer, clock: FakeClock
    ) -> None:
        for attempt in range(20):
            with pytest.raises(Unauthenticated):
                verifier.verify(signed("first", claims(), kid=f"made-up-{attempt}"))
            clock.now += REFETCH_PAUSE / 10
        assert len(server.requests) == 2

    @pytest.mark.parametrize(
        "reply",
        [
            Reply(status=503),
            Reply(body=b"<html>"),
            Reply(body={}),
            Reply(body=[]),
            Reply(body={"a": 1}, cut_after=2),
        ],
    )
    def test_without_any_a_token_cannot_be_judged(
        self, reply: Reply, verifier: Verifier, server: CertificateServer, clock: FakeClock
    ) -> None:
        server.script(reply)
        token = signed("first", claims())
        for _ in range(3):
            with pytest.raises(Unavailable):
                verifier.verify(token)
        assert len(server.requests) == 1
        clock.now += FAILURE_PAUSE
        assert verifier.verify(token).tenant_id == "uid-1"

    def test_stale_ones_serve_for_a_day_of_outage_and_it_is_logged(
        self,
        verifier: Verifier,
        server: CertificateServer,
        clock: FakeClock,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        token = signed("first", claims())
        verifier.verify(token)
        server.answer = lambda _: Reply(status=503)
        clock.now += 3600 + MAX_STALE - 1
        with caplog.at_level(logging.WARNING, "shared.adapters.firebase.signed_tokens"):
            assert verifier.verify(token).tenant_id == "uid-1"
        assert "cannot be fetched" in caplog.text
        clock.now += 1
        with pytest.raises(Unavailable):
            verifier.verify(token)

    def test_a_key_unknown_in_an_outage_may_be_a_new_one(
        self, verifier: Verifier, server: CertificateServer, clock: FakeClock
    ) -> None:
        verifier.verify(signed("first", claims()))
        server.answer = lambda _: Reply(status=503)
        clock.now += REFETCH_PAUSE
        with pytest.raises(Unavailable):
            verifier.verify(signed("third", claims()))
        assert verifier.verify(signed("first", claims())).tenant_id == "uid-1"

    def test_nobody_listening_is_an_outage(self) -> None:
        with pytest.raises(Unavailable):
            FirebaseVerifier(PROJECT, "http://127.0.0.1:1/").verify(signed("first", claims()))


class TestEmulator:
    def test_unsigned_tokens_of_the_emulator_are_accepted(self) -> None:
        verifier = EmulatorVerifier(PROJECT)
        assert verifier.verify(unsigned(claims())) == Identity("uid-1", "uid-1")
        assert verifier.verify(unsigned(claims(tenantId="acme"))) == Identity("uid-1", "acme")

    def test_signed_tokens_are_not_the_emulators(self) -> None:
        with pytest.raises(Unauthenticated, match="unsigned"):
            EmulatorVerifier(PROJECT).verify(signed("first", claims()))


@pytest.mark.parametrize("token", [None, "", "anything"])
def test_without_verification_everybody_is_the_one_user(token: str | None) -> None:
    assert NoVerifier().verify(token) == Identity("local", "local")
    assert NoVerifier("acme").verify(token) == Identity("acme", "acme")


class TestAccounts:
    """CHECK_REVOKED: what Firebase says of the account now, in the words of accounts:lookup."""

    @pytest.mark.parametrize(
        ("known", "refused"),
        [
            ({}, None),
            ({"validSince": str(int(time.time()) - 3600)}, None),
            ({"disabled": True}, "disabled"),
            ({"validSince": str(int(time.time()) + 86_400)}, "revoked"),
            (None, "not exist"),
        ],
    )
    def test_an_account_is_asked_for_each_time(
        self, server: CertificateServer, known: dict[str, object] | None, refused: str | None
    ) -> None:
        users = {} if known is None else {"users": [{"localId": "uid-1", **known}]}
        with ScriptedServer(lambda _: Reply(body=users)) as firebase:
            accounts = Accounts.emulated(PROJECT, firebase.url.removeprefix("http://"))
            verifiers: list[tuple[Verifier, str]] = [
                (
                    FirebaseVerifier(PROJECT, server.url, accounts=accounts),
                    signed("first", claims()),
                ),
                (
                    EmulatorVerifier(PROJECT, accounts=accounts),
                    unsigned(claims()),
                ),
            ]
            for verifier, token in verifiers:
                if refused is None:
                    assert verifier.verify(token).uid == "uid-1"
                else:
                    with pytest.raises(Unauthenticated, match=refused):
                        verifier.verify(token)
        for request in firebase.requests:
            assert (
                request.path
                == f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}/accounts:lookup"
            )
            assert request.json() == {"localId": ["uid-1"]}
            assert {name.lower(): value for name, value in request.headers.items()}[
                "authorization"
            ] == "Bearer owner"
        assert len(firebase.requests) == 2

    @pytest.mark.parametrize("status", [403, 503])
    def test_nobody_is_let_in_while_keys_cannot_be_looked_up(self, status: int) -> None:
        with ScriptedServer(lambda _: Reply(status=status, body={})) as firebase:
            accounts = Accounts.emulated(PROJECT, firebase.url.removeprefix("http://"))
            with pytest.raises(Unavailable, match="cannot be looked up"):
                EmulatorVerifier(PROJECT, accounts=accounts).verify(unsigned(claims()))
