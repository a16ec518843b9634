"""`/openapi.json` says what is so: every route stands in it, and no invented request finds anything else."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from functions import tables
from functions.routes.openapi import document
from tests.functions.world import ROOT, World
from tests.servers.dev import dev

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EXAMPLES = ROOT / "examples" / "notes"


def test_it_is_served_without_a_caller(world: World) -> None:
    body = world.json("GET", "/openapi.json", token=None)
    assert body == json.loads(json.dumps(document()))


def test_every_route_stands_in_it_with_what_it_takes_and_gives() -> None:
    described: Any = document()
    names = [
        operation["operationId"]
        for methods in described["paths"].values()
        for operation in methods.values()
    ]
    assert len(names) == len(set(names))
    listed = {(method, path) for path, methods in described["paths"].items() for method in methods}
    assert len(listed) == len(tables.API) + len(
        [route for route in tables.CHAT if route.pattern == "/"]
    )
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            has_body = method in {"post", "put", "patch"} or path in {"/me", "/tenant"}
            has_body = has_body and not path.endswith(":restore")
            assert ("requestBody" in operation) == has_body, path
            assert {"200", "204"} & set(operation["responses"]), (method, path)


def test_callers_may_need_two_tokens() -> None:
    described: Any = document()
    ways = {
        (path, method): [sorted(way) for way in operation["security"]]
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    }
    public = {(route.pattern, route.method.lower()) for route in tables.API if route.public}
    assert {address for address, way in ways.items() if not way} == public
    assert all(
        way == [["idToken"], ["appCheck", "idToken"]]
        for address, way in ways.items()
        if address not in public
    )
    assert described["components"]["securitySchemes"]["appCheck"]["name"] == "X-Firebase-AppCheck"


def test_messages_of_mcp_are_described_as_json_rpc() -> None:
    described: Any = document()
    mcp = described["paths"]["/mcp"]["post"]
    assert mcp["requestBody"]["content"]["application/json"]["schema"]["required"] == ["jsonrpc"]
    assert set(mcp["responses"]) == {"200", "202", "default"}


def test_the_example_of_every_body_is_a_request_that_works(world: World) -> None:
    described: Any = document()
    schemas = described["components"]["schemas"]
    session = world.json("POST", "/sessions", {})
    world.save("meeting", text="We run it on Cloud Run.", path="projects/api/meeting.md")
    world.save("boat", text="The boat is blue.")
    ids = {
        "noteId": "meeting",
        "templateId": "decision",
        "sessionId": session["sessionId"],
    }
    erasing: list[tuple[str, object]] = []
    sent = 0
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            if "requestBody" not in operation or path == "/mcp":
                continue
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            schema = schema.get("anyOf", [schema])[0]
            (example,) = schemas[schema["$ref"].rpartition("/")[2]]["examples"]
            if method == "delete":
                erasing.append((path, example))
                continue
            function = "chat" if path == "/chat" else "api"
            address = "/" if path == "/chat" else path.format_map(ids)
            reply = world.call(function, method.upper(), address, example)
            assert reply.status_code in (200, 204), (path, reply.get_data(as_text=True))
            sent += 1
    assert sent >= 14
    assert [path for path, _ in erasing] == ["/me", "/tenant"]
    for path, example in erasing:
        assert world.call("api", "DELETE", path, example).status_code == 200


@pytest.mark.nightly
@pytest.mark.timeout(450)
def test_no_invented_request_finds_an_error_of_ours_or_an_undocumented_reply(
    tmp_path: Path,
) -> None:
    """Replies must hold no field that is not described, though clients are told to allow for more."""
    strict = copy.deepcopy(json.loads(json.dumps(document())))
    for name, schema in strict["components"]["schemas"].items():
        if name.endswith("Json"):
            schema["additionalProperties"] = False
    (tmp_path / "openapi.json").write_text(json.dumps(strict))
    with dev(tmp_path / "home", "--sample", str(EXAMPLES)) as running:
        completed = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", str(tmp_path / "openapi.json")),
                *("--url", running.address, "--checks", CHECKS),
                *("--phases", "examples,coverage,fuzzing"),
                *("--max-examples", "10", "--no-color", "--request-timeout", "60"),
                *(
                    ("--seed", "1") if os.environ.get("CI") else ()
                ),  # as hypothesis does there: the same every time
            ],
            cwd=tmp_path,
            env={
                **os.environ,
                "SCHEMATHESIS_HOOKS": "tests.functions.openapi_values",
                "PYTHONPATH": str(ROOT),
            },
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
    assert completed.returncode == 0, completed.stdout[-6000:] + completed.stderr[-2000:]
