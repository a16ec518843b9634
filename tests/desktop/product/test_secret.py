"""`aurora dev` with AUTH=emulator beyond this machine, called by an address of the machine that is not loopback."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from cli.commands.token import minted
from tests.missing import missing
from tests.quick import starts_a_process
from tests.servers.dev import COMMAND, ROOT, Running, dev
from tests.servers.served import served
from tests.web.browser import launched

NOTE = {"title": "Boat", "text": "The boat is blue."}
PROJECT = "demo-aurora"
CHOSEN = "correct-horse-battery"


# A process of its own: in that of the tests nothing may reach beyond loopback.
FIND = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    probe.connect(("198.51.100.1", 9))
    print(probe.getsockname()[0])
"""
CALL = """
import json, sys, urllib.error, urllib.request
method, address, body, headers = json.load(sys.stdin)
data = None if body is None else json.dumps(body).encode()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    reply = opener.open(urllib.request.Request(address, data, headers, method=method), timeout=60)
except urllib.error.HTTPError as refused:
    reply = refused
with reply:
    json.dump([reply.status, reply.read().decode()], sys.stdout)
"""


def address_of_this_machine() -> str:
    """One that other machines could use; nothing is sent to find it."""
    completed = subprocess.run(
        [sys.executable, "-c", FIND], capture_output=True, text=True, timeout=60, check=False
    )
    if completed.returncode:
        missing("this machine has no address but loopback")
    return completed.stdout.strip()


@dataclass(frozen=True)
class Outside:
    """The product as another machine sees it."""

    address: str

    def call(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str]:
        request = json.dumps([method, self.address + path, body, headers])
        completed = subprocess.run(
            [sys.executable, "-c", CALL],
            input=request,
            capture_output=True,
            text=True,
            timeout=90,
            check=True,
        )
        status, text = json.loads(completed.stdout)
        return status, text


def outside_of(product: Running) -> Outside:
    return Outside(f"http://{address_of_this_machine()}:{urlsplit(product.address).port}")


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    env = {"AUTH": "emulator", "GOOGLE_CLOUD_PROJECT": PROJECT}
    with dev(tmp_path_factory.mktemp("home"), "--listen", "0.0.0.0", env=env) as running:
        yield running


@pytest.fixture(scope="module")
def outside(product: Running) -> Outside:
    return outside_of(product)


def secret_of(product: Running) -> str:
    match = re.search(r"#secret=(\S+)", product.greeting)
    assert match, product.greeting
    return match[1]


def bearer(**more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {minted('alice', PROJECT, **more)}"}


def test_a_token_that_anybody_can_make_opens_nothing_from_another_machine(outside: Outside) -> None:
    for headers in (
        {},
        bearer(),
        {**bearer(), "Host": "localhost"},
        {**bearer(), "X-Aurora-Secret": "x"},
    ):
        for method, path in (
            ("GET", "/notes"),
            ("GET", "/api/me:export"),
            ("POST", "/functions/x"),
        ):
            status, body = outside.call(method, path, **headers)
            assert status == 401, (headers, path)
            assert "the link that `aurora dev` printed" in json.loads(body)["error"]["message"]


def test_an_invalid_secret_of_any_type_is_refused(outside: Outside) -> None:
    for wrong_secret in ("\ud800", "", None, 7, ["x"]):
        assert outside.call("POST", "/secret", {"secret": wrong_secret})[0] == 403
    for claims in ('{"auroraSecret": "\\ud800"}', "[" * 40_000, "7", "\xff"):
        payload = base64.urlsafe_b64encode(claims.encode("latin-1")).decode().rstrip("=")
        status, _ = outside.call("GET", "/notes", Authorization=f"Bearer e30.{payload}.")
        assert status == 401
    assert outside.call("GET", "/notes", **{"X-Aurora-Secret": "\xe9" * 20})[0] == 401


def test_the_secret_opens_by_a_header_by_a_token_and_not_without_a_caller(
    product: Running, outside: Outside
) -> None:
    secret = secret_of(product)
    status, _ = outside.call("PUT", "/notes/boat", NOTE, **bearer(), **{"X-Aurora-Secret": secret})
    assert status == 200
    assert outside.call("GET", "/notes/boat", **bearer(secret=secret))[0] == 200
    status, refused = outside.call("GET", "/notes/boat", **{"X-Aurora-Secret": secret})
    assert status == 401
    assert "aurora dev" not in refused


def test_this_machine_needs_no_secret(product: Running) -> None:
    assert product.call("GET", "/notes", **bearer())[0] == 200
    assert product.call("GET", "/notes", **bearer(), Host="evil.example")[0] == 403


def test_the_page_and_the_health_are_open_and_hold_nothing(outside: Outside) -> None:
    assert outside.call("GET", "/health")[0] == 200
    assert "Aurora" in outside.call("GET", "/", Accept="text/html")[1]


def test_the_printed_link_gives_the_page_a_cookie_and_takes_the_secret_out_of_the_address(
    product: Running, outside: Outside
) -> None:
    starts_a_process()
    with sync_playwright() as playwright, launched(playwright) as browser:
        for secret, status in (
            ("wrong", 401),
            (secret_of(product), 200),
        ):
            page = browser.new_context().new_page()
            with page.expect_response("**/secret"):
                page.goto(f"{outside.address}/#secret={secret}")
            fetched = page.evaluate(
                "authorization => fetch('/notes', {headers: {authorization}}).then((r) => r.status)",
                bearer()["Authorization"],
            )
            assert fetched == status
            assert page.evaluate("document.cookie + location.hash") == "#/"
            page.context.close()


def test_another_origin_gets_nothing_even_with_the_secret(
    product: Running, outside: Outside
) -> None:
    headers = {**bearer(secret=secret_of(product)), "Origin": "https://evil.example"}
    assert outside.call("GET", "/notes", **headers)[0] == 403


def test_a_secret_can_be_chosen_and_where_others_are_kept_out_waived(tmp_path: Path) -> None:
    env = {"AUTH": "emulator", "GOOGLE_CLOUD_PROJECT": PROJECT}
    with dev(tmp_path, "--listen", "0.0.0.0", env={**env, "AURORA_DEV_SECRET": CHOSEN}) as running:
        assert secret_of(running) == CHOSEN
    with dev(tmp_path, "--listen", "0.0.0.0", "--secret", "none", env=env) as running:
        assert "#secret" not in running.greeting
        assert (
            outside_of(running).call("GET", "/notes", **bearer(), Host="localhost:8080")[0] == 200
        )
    command = [*COMMAND, "--home", str(tmp_path), "--listen", "0.0.0.0", "--secret", "short"]
    completed = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert completed.returncode == 2
    assert completed.stderr == "aurora: --secret: expected 16 or more ASCII characters, or none\n"


def test_where_people_sign_in_other_machines_need_their_token_and_cannot_call_for_a_sweep(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "home", "--listen", "0.0.0.0") as server:
        beyond = outside_of(server.running)
        alice = {"Authorization": f"Bearer {server.alice}"}
        assert beyond.call("PUT", "/notes/boat", NOTE, **alice)[0] == 200
        assert beyond.call("GET", "/notes/boat")[0] == 401
        for headers in (alice, {**alice, "Host": "localhost"}):
            for path in ("/reconcile", "/demo-aurora/europe-west1/reconcile"):
                assert beyond.call("POST", path, {}, **headers)[0] == 403
        assert server.running.call("POST", "/reconcile", {})[0] == 200
