"""The page beside a suite of Firebase's own tools: `aurora dev` finds its emulators, and people sign in with them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from shared.adapters.firebase.authentication import Accounts, EmulatorVerifier
from shared.errors import Unauthenticated
from tests.servers.dev import Running, dev
from tests.servers.firebase_suite import FirebaseSuite, firebase_suite
from tests.web.conftest import OpenPage
from tests.web.moves import ask, write_note

PROJECT = "demo-suite"
PASSWORD = "correct horse"

pytestmark = [
    pytest.mark.nightly,  # tests/adapters/test_firebase_auth.py and test_sign_in.py ask the same of what stands in
    pytest.mark.timeout(600),  # the suite takes its time on a busy machine
]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirebaseSuite]:
    with firebase_suite(tmp_path_factory.mktemp("suite"), PROJECT) as running:
        yield running


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, suite: FirebaseSuite) -> Iterator[Running]:
    where = {"TMPDIR": str(suite.folder)}
    with dev(tmp_path_factory.mktemp("home"), "--store", "emulator", env=where) as running:
        yield running


def test_the_suite_is_found_and_named(product: Running, suite: FirebaseSuite) -> None:
    assert f"FIREBASE_AUTH_EMULATOR_HOST={suite.auth}" in product.greeting
    assert f"FIRESTORE_EMULATOR_HOST={suite.firestore}" in product.greeting
    assert f"GOOGLE_CLOUD_PROJECT={PROJECT}" in product.greeting


def test_an_account_that_is_disabled_stops_at_once_where_that_is_asked_for(
    suite: FirebaseSuite,
) -> None:
    token = suite.sign_up("eve@example.com", PASSWORD)
    asking = EmulatorVerifier(PROJECT, accounts=Accounts.emulated(PROJECT, suite.auth))
    uid = asking.verify(token).uid

    def change(what: str, body: dict[str, object]) -> None:
        address = f"http://{suite.auth}/identitytoolkit.googleapis.com/v1/projects/{PROJECT}/accounts:{what}"
        headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
        with urlopen(
            Request(address, json.dumps({"localId": uid, **body}).encode(), headers), timeout=60
        ):
            pass

    change("update", {"disableUser": True})
    with pytest.raises(Unauthenticated, match="disabled"):
        asking.verify(token)
    assert (
        EmulatorVerifier(PROJECT).verify(token).uid == uid
    )  # where nobody asks, for the hour it was issued for
    change("update", {"disableUser": False, "validSince": str(int(time.time()) + 60)})
    with pytest.raises(Unauthenticated, match="revoked"):
        asking.verify(token)
    change("delete", {})
    with pytest.raises(Unauthenticated, match="not exist"):
        asking.verify(token)


def test_people_of_the_auth_emulator_sign_in_on_the_page(
    open_page: OpenPage, product: Running, suite: FirebaseSuite
) -> None:
    for email in ("ada@example.com", "bob@example.com"):
        suite.sign_up(email, PASSWORD)
    page = open_page(product.address)

    def sign_in(email: str, password: str = PASSWORD) -> None:
        page.get_by_label("E-mail").fill(email)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()

    sign_in("ada@example.com", "wrong one")
    expect(page.get_by_role("alert")).to_have_text("The password is wrong.")
    sign_in("ada@example.com")
    write_note(page, "Safe", "The safe opens with 31415.")
    page.get_by_role("link", name="Chat").click()
    expect(ask(page, "What does the safe open with?").locator(".answer")).to_contain_text("31415")
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_role("button", name="Sign out").click()
    sign_in("bob@example.com")
    expect(ask(page, "What does the safe open with?").locator(".refusal")).to_contain_text(
        "no notes to search yet"
    )


def test_nobody_is_let_in_without_a_token(product: Running) -> None:
    assert product.call("GET", "/notes")[0] == 401
