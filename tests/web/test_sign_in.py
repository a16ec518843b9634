"""The page on a static host of its own, with people who sign in, against a product on another origin."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from desktop.product.page import TYPES
from tests.servers.certificates import claims, unsigned
from tests.servers.dev import ROOT, dev
from tests.servers.scripted import Reply, Request, ScriptedServer
from tests.web.conftest import OpenPage
from tests.web.moves import ask, write_note

PROJECT = "demo-page"
PASSWORD = "correct horse"


def token(uid: str) -> str:
    """Make an unsigned token, as the Auth emulator does."""
    return unsigned(
        claims(
            aud=PROJECT,
            iss=f"https://securetoken.google.com/{PROJECT}",
            sub=uid,
            user_id=None,
        )
    )


def accounts(request: Request) -> Reply:
    """The part of Firebase Auth that the page uses."""
    headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
    if request.method == "OPTIONS":
        return Reply(headers=headers)
    body = request.json()
    if "/v1/token" in request.path:
        uid = body["refresh_token"].removeprefix("refresh-")
        fresh = {
            "id_token": token(uid),
            "refresh_token": body["refresh_token"],
            "expires_in": "3600",
        }
        return Reply(body=fresh, headers=headers)
    if "signInWithPassword" in request.path and body["password"] != PASSWORD:
        return Reply(400, {"error": {"code": 400, "message": "INVALID_LOGIN_CREDENTIALS"}}, headers)
    uid = body["email"].partition("@")[0]
    entered = {
        "idToken": token(uid),
        "refreshToken": f"refresh-{uid}",
        "expiresIn": "3600",
        "localId": uid,
    }
    return Reply(body={**entered, "email": body["email"]}, headers=headers)


@dataclass
class StaticHost:
    """Any static host: files as they are."""

    folder: Path

    def __call__(self, request: Request) -> Reply:
        name = request.path.partition("?")[0].lstrip("/") or "index.html"
        file = self.folder / name
        if not file.is_file():
            return Reply(404)
        return Reply(body=file.read_bytes(), headers={"Content-Type": TYPES[file.suffix]})


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("host") / "web"
    shutil.copytree(ROOT / "web", folder)
    with ScriptedServer(accounts) as identity, ScriptedServer(StaticHost(folder)) as host:
        env = {
            "AUTH": "emulator",
            "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099",
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "ALLOWED_ORIGINS": host.url,
        }
        with dev(tmp_path_factory.mktemp("home"), env=env) as running:
            config = {
                "apiBase": running.address,
                "firebase": {"apiKey": "key", "emulator": identity.url},
            }
            (folder / "config.json").write_text(json.dumps(config))
            yield host.url


def sign_in(page: Page, email: str, password: str = PASSWORD) -> None:
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def test_people_sign_in_and_each_sees_their_own(open_page: OpenPage, address: str) -> None:
    page = open_page(address)
    sign_in(page, "ada@example.com", "wrong")
    expect(page.get_by_role("alert")).to_have_text("Address and password do not match.")
    sign_in(page, "ada@example.com")
    write_note(page, "Safe", "The safe opens with 31415.")
    page.reload()
    page.get_by_role("link", name="Chat").click()
    expect(ask(page, "What does the safe open with?").locator(".answer")).to_contain_text("31415")

    page.get_by_role("button", name="Settings (s)").click()
    expect(page.get_by_role("dialog")).to_contain_text("ada@example.com")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("E-mail")).to_be_visible()
    assert "31415" not in page.evaluate("JSON.stringify(localStorage)")
    sign_in(page, "bob@example.com")
    expect(page.locator(".welcome")).to_be_visible()
    refused = ask(page, "What does the safe open with?").locator(".refusal")
    expect(refused).to_contain_text("There are no notes to search yet.")
    refused.get_by_role("button", name="Add your notes").click()
    expect(page.locator(".landing")).to_be_visible()
