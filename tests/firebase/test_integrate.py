"""docs/integrate.md is what an app developer copies: its table is what is so, its snippets run, or at least parse."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tree_sitter import Language, Parser

from functions.routes.notes import NoteBody
from shared.model.limits import MAX_NAME, MAX_PATH, MAX_TAGS, MAX_TEXT_BYTES, MAX_TITLE
from tests.servers.auth_emulator import AuthEmulator
from tests.servers.dev import ROOT, Running, dev
from tests.servers.npm import installed

HERE = Path(__file__).parent
PAGE = (ROOT / "docs/integrate.md").read_text()
PROJECT = "demo-aurora"
QUESTION = "Which colour is the boat?"
REGION = "europe-west1"
SIGN_IN = 'await createUserWithEmailAndPassword(app.auth, "mara@example.com", "correct horse");'
DRIVER = (
    f"""
import {{ createUserWithEmailAndPassword }} from "firebase/auth";
import {{ ask, chip, connect, saveNote }} from "./snippet.mjs";

const [auth, firestore, functions, message] = process.argv.slice(2);
const config = {{ projectId: "demo-aurora", apiKey: "key", appId: "app" }};
const app = connect(config, {{ auth, firestore: Number(firestore), functions: Number(functions) }});
{SIGN_IN}
"""
    """
await saveNote(app, "boat", "Boat", "The boat is blue.");
const shown = [];
let answer;
for (let times = 0; times < 100 && !answer?.citations.length; times++) {
  shown.length = 0;
  answer = await ask(app, message, (text) => shown.push(text));
  await new Promise((resolve) => setTimeout(resolve, 200));
}
const failure = await ask(app, " ", () => {}).catch((error) => error.code); // node ends at an unhandled one
console.log(JSON.stringify({ shown, answer, failure, chips: answer.citations.map(chip) }));
process.exit(0);
"""
)
HOSTS = f"""
const [auth, product] = process.argv.slice(2);
const hosts = {{
  "identitytoolkit.googleapis.com": `${{auth}}/identitytoolkit.googleapis.com`,
  "{REGION}-{PROJECT}.cloudfunctions.net": product,
}};
const {{ fetch }} = globalThis;
globalThis.fetch = (address, options) => {{
  const {{ hostname, pathname, search }} = new URL(address);
  if (!hosts[hostname]) throw new TypeError(`nobody listens at ${{hostname}}`);
  return fetch(hosts[hostname] + pathname + search, options);
}};
"""
DEPLOYED = f"""
import "./hosts.mjs";
import {{ createUserWithEmailAndPassword }} from "firebase/auth";
import {{ ask, connect }} from "./snippet.mjs";

const app = connect({{ projectId: "{PROJECT}", apiKey: "key", appId: "app" }});
{SIGN_IN}
console.log(JSON.stringify(await ask(app, process.argv[4], () => null)));
process.exit(0);
"""


LEAVING = f"""
import {{ createUserWithEmailAndPassword }} from "firebase/auth";
import {{ connect, saveNote }} from "./snippet.mjs";
import {{ converse, followIndex, leave, messages, opened, rate }} from "./notes.mjs";

const [auth, firestore, functions, message] = process.argv.slice(2);
const api = `http://127.0.0.1:${{functions}}`;
const config = {{ projectId: "demo-aurora", apiKey: "key", appId: "app" }};
const app = connect(config, {{ auth, firestore: Number(firestore), functions: Number(functions) }});
{SIGN_IN}
const states = [];
const indexed = new Promise((done) => {{
  const began = new Date();
  const stop = followIndex(app, "boat", (state, error, indexedAt) => {{
    states.push(state);
    if (state === "indexed" && indexedAt > began) {{ stop(); done(); }}
  }});
}});
await saveNote(app, "boat", "Boat", "The boat is blue.");
await indexed;
const first = await converse(app, "new", message);
const second = await converse(app, first.meta.sessionId, "And which colour was it before?");
const told = await messages(app, api, first.meta.sessionId);
await rate(app, api, first.meta.requestId, "up");
await opened(app, api, first.meta.requestId, "N1");
const refused = await rate(app, api, first.meta.requestId, "sideways").catch((error) => error.details[0].reason);
const receipt = await leave(app, api);
console.log(JSON.stringify({{ states, first, second, told, refused, receipt }}));
process.exit(0);
"""


def snippet(language: str, number: int = 0) -> str:
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return blocks[number]


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, AuthEmulator]]:
    """On an emulator under our rules; whoever signs in is `mara`."""
    with AuthEmulator(PROJECT) as auth:
        env = {
            "FIREBASE_AUTH_EMULATOR_HOST": auth.url.removeprefix("http://"),
            "GOOGLE_CLOUD_PROJECT": PROJECT,
        }
        with dev(tmp_path_factory.mktemp("home"), "--store", "emulator", env=env) as running:
            yield running, auth


def test_the_web_snippet_saves_a_note_and_streams_an_answer_that_cites_it(
    product: tuple[Running, AuthEmulator], tmp_path: Path
) -> None:
    running, auth = product
    (tmp_path / "node_modules").symlink_to(installed(HERE / "package.json") / "node_modules")
    (tmp_path / "snippet.mjs").write_text(snippet("js"))
    (tmp_path / "driver.mjs").write_text(DRIVER)
    firestore = re.search(r"FIRESTORE_EMULATOR_HOST=\S+:(\d+)", running.greeting)
    assert firestore
    command = [
        "node",
        "driver.mjs",
        auth.url,
        firestore[1],
        running.address.rpartition(":")[2],
        QUESTION,
    ]
    completed = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert completed.returncode == 0, completed.stderr
    got: Any = json.loads(completed.stdout)
    assert got["shown"][-1] == got["answer"]["answer"]
    assert "blue" in got["chips"][0]["quote"]
    assert got["failure"] == "functions/invalid-argument"
    assert got["chips"][0]["title"] == "Boat"


def test_the_second_web_snippet_follows_the_index_converses_rates_and_leaves(
    product: tuple[Running, AuthEmulator], tmp_path: Path
) -> None:
    running, auth = product
    (tmp_path / "node_modules").symlink_to(installed(HERE / "package.json") / "node_modules")
    (tmp_path / "snippet.mjs").write_text(snippet("js"))
    (tmp_path / "notes.mjs").write_text(snippet("js", 1))
    (tmp_path / "driver.mjs").write_text(LEAVING)
    firestore = re.search(r"FIRESTORE_EMULATOR_HOST=\S+:(\d+)", running.greeting)
    assert firestore
    port = running.address.rpartition(":")[2]
    completed = subprocess.run(
        ["node", "driver.mjs", auth.url, firestore[1], port, QUESTION],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    got: Any = json.loads(completed.stdout)
    assert got["states"][-1] == "indexed"
    assert got["first"]["citations"][0]["noteId"] == "boat"
    assert got["second"]["meta"]["sessionId"] == got["first"]["meta"]["sessionId"]
    assert len(got["told"]["messages"]) == 4
    assert got["refused"] == "INVALID_FIELD"
    assert got["receipt"]["erased"]["notes"] == 1
    assert auth.deleted == 1


def test_the_python_snippet_saves_asks_converses_rates_and_erases(
    product: tuple[Running, AuthEmulator],
) -> None:
    running, auth = product
    code: dict[str, Any] = {}
    exec(snippet("python"), code)  # noqa: S102 - what the page gives to be copied
    notes = code["Notes"](running.address, auth.token)
    notes.save("boat", "Boat", "The boat is blue.")
    notes.wait_until_indexed("boat")
    events = list(notes.ask(QUESTION))
    result = events[-1]
    assert result["event"] == "result"
    assert "".join(event["text"] for event in events if event["event"] == "token")
    session_id = result["meta"]["sessionId"]
    assert list(notes.ask("And before?", session_id))[-1]["meta"]["sessionId"] == session_id
    assert len(notes.messages(session_id)) == 4
    notes.rate(result["meta"]["requestId"], "up")
    with pytest.raises(RuntimeError, match="INVALID_FIELD: rating: expected"):
        notes.rate(result["meta"]["requestId"], "sideways")
    assert notes.erase()["erased"]["notes"] == 1


def test_deployed_the_web_snippet_calls_the_functions_in_their_region(
    product: tuple[Running, AuthEmulator], tmp_path: Path
) -> None:
    running, auth = product
    (tmp_path / "node_modules").symlink_to(installed(HERE / "package.json") / "node_modules")
    (tmp_path / "snippet.mjs").write_text(snippet("js"))
    (tmp_path / "hosts.mjs").write_text(HOSTS)
    (tmp_path / "driver.mjs").write_text(DEPLOYED)
    command = ["node", "driver.mjs", auth.url, running.address, QUESTION]
    completed = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert completed.returncode == 0, completed.stderr
    assert json.loads(completed.stdout)["answer"]


@pytest.mark.parametrize(
    ("language", "calls"),
    [
        (
            "js",
            {
                "getFunctions(": "getFunctions(app, REGION)",
                "getFirestore(": "getFirestore(app, DATABASE)",
            },
        ),
        (
            "kotlin",
            {
                "Firebase.func": "Firebase.functions(REGION)",
                "Firebase.fire": "Firebase.firestore(DATABASE)",
            },
        ),
        (
            "swift",
            {
                "Functions.func": "Functions.functions(region: region)",
                "Firestore.fire": "firestore(database: database)",
            },
        ),
        (
            "dart",
            {
                "Functions.inst": "Functions.instanceFor(region: region)",
                "Firestore.inst": "databaseId: database",
            },
        ),
    ],
)
def test_each_snippet_names_region_and_database_in_one_place(
    language: str, calls: dict[str, str]
) -> None:
    code = snippet(language)
    assert code.count(REGION) == 1
    assert code.count("(default)") == 1
    assert code.count("nonymous") == 0
    for opened, rightly in calls.items():
        assert code.count(opened) == code.count(rightly) == 1, opened


def test_the_lines_for_a_shell_save_ask_and_stream(product: tuple[Running, AuthEmulator]) -> None:
    running, auth = product
    if shutil.which("curl") is None:
        pytest.fail("curl is needed")
    env = {
        **os.environ,
        "AURORA": running.address,
        "TOKEN": auth.token,
    }
    lines = [
        code for code in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if code.startswith("curl")
    ]
    script = "set -e\n" + lines[0].replace("curl ", "curl -sS --fail-with-body ")
    completed = subprocess.run(
        ["bash", "-c", script], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert '"noteId": "boat"' in completed.stdout.replace('":"', '": "')
    assert "event: result" in completed.stdout


@pytest.mark.parametrize("language", ["kotlin", "swift", "dart"])
def test_the_other_snippets_are_of_their_languages(language: str) -> None:
    grammar = importlib.import_module(f"tree_sitter_{language}")
    tree = Parser(Language(grammar.language())).parse(snippet(language).encode())
    assert not tree.root_node.has_error


def test_the_table_is_what_a_note_may_hold() -> None:
    table = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE))
    accepted_fields = {field.alias or name for name, field in NoteBody.model_fields.items()} - {
        "tenantId",
        "noteId",
        "revision",
        "erasure",
    }
    assert set(table) == accepted_fields
    limits = {
        field: [int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", row)]
        for field, row in table.items()
    }
    assert limits["title"] == [MAX_TITLE]
    assert MAX_TEXT_BYTES in limits["text"]
    assert limits["vault"] == [1, MAX_NAME]
    assert limits["path"] == [MAX_PATH]
    assert limits["tags"] == [MAX_TAGS, 1, MAX_NAME]
    in_rules = re.search(
        r"keys\(\)\.hasOnly\(\['title'(.*?)\]\)", (ROOT / "firestore.rules").read_text()
    )
    assert in_rules
    assert {"title", *re.findall(r"'(\w+)'", in_rules[1])} == set(table)
