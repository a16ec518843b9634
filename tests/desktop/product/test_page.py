"""The web page's files as `aurora dev` serves them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Response

from desktop.product.page import policy, with_page

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "web"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def client() -> Client:
    return Client(with_page(Response("the functions"), PAGE))


def test_the_root_is_the_page_for_browsers_and_the_overview_for_programs(client: Client) -> None:
    assert "<title>Aurora Notes</title>" in client.get("/", headers=BROWSER).text
    assert client.get("/", headers={"Accept": "*/*"}).text == "the functions"
    assert client.get("/", headers={"Accept": "application/json"}).text == "the functions"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/app/main.js", "text/javascript; charset=utf-8"),
        ("/icon.svg", "image/svg+xml"),
        ("/config.json", "application/json"),
    ],
)
def test_each_file_comes_as_what_it_is_under_the_policy(
    client: Client, path: str, kind: str
) -> None:
    reply = client.get(path, headers=BROWSER)
    assert reply.headers["Content-Type"] == kind
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Content-Security-Policy"].startswith(
        "default-src 'self'; img-src 'self' data:;"
    )


def test_an_unchanged_file_is_not_sent_again(client: Client) -> None:
    tag = client.get("/style.css").headers["ETag"]
    response = client.get("/style.css", headers={"If-None-Match": tag})
    assert response.status_code == 304
    assert response.data == b""
    assert client.head("/style.css").data == b""


@pytest.mark.parametrize(
    "path",
    [
        "/notes",
        "/app",
        "/app/../../pyproject.toml",
        "/../README.md",
        "/app/nothing.js",
        "//etc/passwd",
    ],
)
def test_everything_else_goes_to_the_functions(client: Client, path: str) -> None:
    assert client.get(path).text == client.post("/").text == "the functions"


@pytest.mark.parametrize(
    ("config", "servers"),
    [
        ("", "'self'"),
        ("{", "'self'"),
        (
            json.dumps({"apiBase": "https://host.example/x", "firebase": None}),
            "'self' https://host.example",
        ),
        (
            json.dumps({"firebase": {"apiKey": "k"}}),
            "'self' https://identitytoolkit.googleapis.com https://securetoken.googleapis.com",
        ),
        (
            json.dumps({"firebase": {"apiKey": "k", "emulator": "http://localhost:9099"}}),
            "'self' http://localhost:9099",
        ),
    ],
)
def test_the_policy_lets_the_page_talk_to_the_servers_of_its_config_alone(
    tmp_path: Path, config: str, servers: str
) -> None:
    (tmp_path / "index.html").write_text("page")
    if config:
        (tmp_path / "config.json").write_text(config)
    page = Client(with_page(Response("function"), tmp_path))
    assert f"connect-src {servers};" in page.get("/index.html").headers["Content-Security-Policy"]


def test_what_the_start_knows_stands_in_the_configuration_and_in_the_policy(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"apiBase": "", "firebase": null}')
    firebase = {"apiKey": "k", "emulator": "http://127.0.0.1:9099"}
    reply = Client(with_page(Response("function"), tmp_path, {"firebase": firebase})).get(
        "/config.json"
    )
    assert reply.json == {"apiBase": "", "firebase": firebase}
    assert "connect-src 'self' http://127.0.0.1:9099;" in reply.headers["Content-Security-Policy"]


def test_every_module_is_loaded_ahead() -> None:
    ahead = set(
        re.findall(r'rel="modulepreload" href="\./([^"]+)"', (PAGE / "index.html").read_text())
    )
    modules = {file.relative_to(PAGE).as_posix() for file in (PAGE / "app").rglob("*.js")}
    assert ahead == modules - {"app/main.js"}


def test_any_other_host_is_told_the_same_policy() -> None:
    """firebase.json knows no config.json: it names all servers that one could."""
    hosting = json.loads((ROOT / "firebase.json").read_text())["hosting"]
    headers = {header["key"]: header["value"] for header in hosting["headers"][0]["headers"]}
    local_policy, hosted = (
        [part for part in text.split("; ") if not part.startswith("connect-src")]
        for text in (policy({}), headers["Content-Security-Policy"])
    )
    assert local_policy == hosted
