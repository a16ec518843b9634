"""The page beside a suite of Firebase's own tools: `aurora dev` finds its Auth emulator, and people sign in with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.servers.dev import Running, dev
from tests.servers.firebase_suite import AuthSuite, auth_suite
from tests.web.conftest import OpenPage
from tests.web.moves import ask, write_note

PROJECT = "demo-suite"
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AuthSuite]:
    with auth_suite(tmp_path_factory.mktemp("suite"), PROJECT) as running:
        yield running


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, suite: AuthSuite) -> Iterator[Running]:
    """With a Firestore emulator of its own, since the suite has none."""
    where = {"TMPDIR": str(suite.folder)}
    with dev(tmp_path_factory.mktemp("home"), "--store", "emulator", env=where) as running:
        yield running


def test_the_suite_is_found_and_named(product: Running, suite: AuthSuite) -> None:
    assert f"FIREBASE_AUTH_EMULATOR_HOST={suite.address}" in product.greeting
    assert f"GOOGLE_CLOUD_PROJECT={PROJECT}" in product.greeting


def test_people_of_the_auth_emulator_sign_in_on_the_page(
    open_page: OpenPage, product: Running, suite: AuthSuite
) -> None:
    for email in ("ada@example.com", "bob@example.com"):
        suite.sign_up(email, PASSWORD)
    page = open_page(product.address)

    def sign_in(email: str, password: str = PASSWORD) -> None:
        page.get_by_label("E-mail").fill(email)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()

    sign_in("ada@example.com", "wrong one")
    expect(page.get_by_role("alert")).to_have_text("The password is not right.")
    sign_in("ada@example.com")
    write_note(page, "Safe", "The safe opens with 31415.")
    page.get_by_role("link", name="Chat").click()
    expect(ask(page, "What does the safe open with?").locator(".answer")).to_contain_text("31415")
    page.get_by_role("button", name="Settings (s)").click()
    page.get_by_role("button", name="Sign out").click()
    sign_in("bob@example.com")
    expect(ask(page, "What does the safe open with?").locator(".refusal")).to_contain_text("no notes to search yet")


def test_nobody_is_let_in_without_a_token(product: Running) -> None:
    assert product.call("GET", "/notes")[0] == 401
