"""`aurora dev` as people start it: a process on a free port."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
from werkzeug.test import Client
from werkzeug.wrappers import Response

from cli.commands.dev import QUESTION, reconcile_waits
from desktop.product import emulator as emulators
from desktop.product.emulator import Emulator
from desktop.product.routing import by_first_segment, by_last_segment
from desktop.product.store import TEMPLATE_TRIGGER
from shared.adapters.embedded import EmbeddedStore
from shared.adapters.firestore import FirestoreStore
from shared.indexing.records import LEASE
from shared.markdown.file import note_id_of
from shared.model.index import IndexChange
from shared.model.notes import Note
from tests.cli.conftest import Aurora, Write, processor_seconds
from tests.servers.dev import COMMAND, ROOT, Running, dev

ANIMALS = ("penguin", "walrus", "otter")
"""Two of three have to be in time: an emulator's first save is slow, and the look at the start finds what it meets."""


def _follows(running: Running, animal: str, within: float) -> bool:
    """Tell whether a note answers within so many seconds of being saved."""
    note = {"title": animal, "text": f"The {animal} is called Ludwig{animal}."}
    assert running.call("PUT", f"/notes/{animal}", note)[0] == 200
    return running.answered(f"What is the {animal} called?", f"Ludwig{animal}", within=within)


@pytest.mark.journey
def test_a_saved_note_answers_within_a_second_and_ctrl_c_ends_it_well(tmp_path: Path) -> None:
    with dev(tmp_path) as running:
        assert running.call("GET", "/health") == (200, {"status": "ok"})
        assert "embedded store" in running.greeting
        in_time = [_follows(running, animal, running.allowed(1)) for animal in ANIMALS]
        assert in_time.count(True) >= 2
        assert running.call("DELETE", "/notes/penguin")[0] == 204
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(60) == 0
        assert running.errors() == []


@pytest.mark.nightly
def test_the_sample_is_loaded_once_only(tmp_path: Path) -> None:
    sample = ("--sample", str(ROOT / "examples/notes"))
    with dev(tmp_path, *sample) as running:
        notes = running.call("GET", "/notes?pageSize=200")[1]["notes"]
        assert len(notes) > 10
        running.await_vectors()
        assert f"ask *{QUESTION}*" in (ROOT / "README.md").read_text()
        status, answer = running.call("POST", "/chat", {"message": QUESTION})
        assert status == 200
        cited = {citation["title"] for citation in answer["citations"]}
        assert cited == {"API architecture meeting"}
        ranked = running.call("POST", "/search", {"query": QUESTION})[1]["results"]
        another_row = next(
            candidate for candidate in ranked if candidate["noteId"] != ranked[0]["noteId"]
        )
        assert ranked[0]["score"] > 1.5 * another_row["score"]
        for note in notes:
            assert running.call("DELETE", f"/notes/{note['noteId']}")[0] == 204
    with dev(tmp_path, *sample) as running:
        assert running.call("GET", "/notes")[1]["notes"] == []


def test_the_sample_does_not_come_back_after_an_erasure(tmp_path: Path, notes: Write) -> None:
    sample = ("--sample", str(notes({"a.md": "A heron."})))
    with dev(tmp_path / "home", *sample) as running:
        assert len(running.call("GET", "/notes")[1]["notes"]) == 1
        assert running.call("DELETE", "/me", {"confirm": "erase everything"})[0] == 200
    with dev(tmp_path / "home", *sample) as running:
        assert running.call("GET", "/notes")[1]["notes"] == []
        assert "everything was erased here" in running.greeting


def test_a_note_saved_by_a_process_that_died_is_indexed_at_the_next_start(tmp_path: Path) -> None:
    with dev(tmp_path) as running:
        assert (
            running.call("PUT", "/notes/n1", {"title": "Penguin", "text": "It is called Ludwig."})[
                0
            ]
            == 200
        )
        running.process.kill()
        running.process.wait(60)
    _end_lease(tmp_path, "n1")
    with dev(tmp_path) as running:
        assert running.answered("What is the penguin called?", "Ludwig", within=30)


def _end_lease(home: Path, note_id: str) -> None:
    """Write the record that a process which died with the note's lease leaves, as of when that has run out."""
    store = EmbeddedStore(home)
    stored = store.read_record("local", note_id)
    if stored.record is not None and stored.record.lease_until is not None:
        ended = datetime.now(UTC) - timedelta(seconds=1)
        record = replace(stored.record, lease_until=ended, due_at=ended)
        store.apply("local", IndexChange(note_id, stored.token, record))
    store.close()


def test_what_a_killed_process_had_leased_is_looked_at_again_as_soon_as_the_lease_has_run_out() -> (
    None
):
    at_once, second, third, fourth = islice(reconcile_waits(), 4)
    assert at_once == 0
    assert LEASE.total_seconds() < second < LEASE.total_seconds() + 10
    assert third == fourth == 300


def test_functions_stand_under_the_paths_of_the_cloud(tmp_path: Path) -> None:
    with dev(tmp_path) as running:
        assert running.call("GET", "/api/notes")[1] == running.call("GET", "/notes")[1]
        assert running.call("POST", "/reconcile", {})[1]["complete"]
        assert running.call("GET", "/chat")[0] == 405
        assert running.call("POST", "/functions/projects/p/triggers/t")[0] == 404
        assert running.call("GET", "/notes", Origin="https://evil.example")[0] == 403
        status, text = running.call("POST", "/chat", {"message": "x" * 2_000_000})
        assert status == 413
        assert "TOO_LARGE" in text
        running.process.terminate()
        assert running.process.wait(60) == 0


@pytest.mark.nightly
def test_folders_that_its_home_knows_are_followed_both_ways_unless_they_are_not_to_be(
    tmp_path: Path, notes: Callable[..., Path]
) -> None:
    aurora = Aurora(tmp_path / "home")
    folder = notes({"a.md": "The apple is red."})
    aurora.json("index", str(folder))
    with dev(aurora.home) as running:
        notes({"b.md": "The boat is called Olga."})
        assert running.answered("What is the boat called?", "Olga", within=20)
        note_id = note_id_of("default", "b.md")
        running.call("PUT", f"/notes/{note_id}:file", {"writeBack": True})
        assert (
            running.call(
                "PUT",
                "/notes/n1",
                {
                    "title": "C",
                    "text": "The cat sleeps.",
                    "path": "c.md",
                },
            )[0]
            == 200
        )
        assert "The cat sleeps." in (folder / "c.md").read_text()
        another_folder = tmp_path / "other"
        another_folder.mkdir()
        (another_folder / "d.md").write_text("The dog barks.")
        aurora.json("index", str(another_folder))
        (another_folder / "d.md").write_text("The dog is called Ludwig.")
        assert running.answered("What is the dog called?", "Ludwig", within=20)
        assert running.errors() == []
    with dev(aurora.home, "--no-watch") as running:
        notes({"e.md": "The eel is called Erna."})
        assert not running.answered("What is the eel called?", "Erna", within=3)


def test_its_list_of_routes_is_one_line_of_the_log_as_any_request(tmp_path: Path) -> None:
    with dev(tmp_path) as running:
        assert running.call("GET", "/")[1]["name"] == "Aurora Notes"
        assert running.errors() == []


def test_a_taken_port_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = str(listener.getsockname()[1])
        completed = subprocess.run(
            [*COMMAND, "--home", str(tmp_path), "--port", port],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    assert completed.returncode == 1
    assert completed.stderr.startswith(f"aurora: port {port} cannot be used")
    assert len(completed.stderr.splitlines()) == 1


@pytest.mark.journey
@pytest.mark.parametrize(
    ("options", "env", "told"),
    [
        (["--listen", "0.0.0.0"], {}, "--listen 0.0.0.0: with AUTH=none every machine"),
        ([], {"ALLOWED_ORIGINS": "*"}, "ALLOWED_ORIGINS=*: with AUTH=none every web page"),
        (
            [],
            {
                "ALLOWED_ORIGINS": "*",
                "AUTH": "emulator",
                "GOOGLE_CLOUD_PROJECT": "p",
            },
            "ALLOWED_ORIGINS=*: with AUTH=emulator every web page",
        ),
    ],
)
def test_notes_that_would_be_everybodys_are_not_served(
    tmp_path: Path, options: list[str], env: dict[str, str], told: str
) -> None:
    command = [*COMMAND, "--home", str(tmp_path), "--port", "0", *options]
    completed = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert completed.returncode == 1
    assert completed.stderr.startswith(f"aurora: {told}")


@pytest.mark.nightly
@pytest.mark.parametrize(
    "database", [pytest.param("(default)", marks=pytest.mark.nightly), "notes-db"]
)
def test_with_the_emulator_writes_past_us_are_followed_too(
    tmp_path: Path, emulator: Emulator, database: str
) -> None:
    assert emulator.host  # there is one on this machine
    with dev(tmp_path, "--store", "emulator", env={"FIRESTORE_DATABASE": database}) as running:
        assert ("FIRESTORE_DATABASE=notes-db\n" in running.greeting) == (database == "notes-db")
        assert "Firestore (demo-aurora)" in running.greeting
        assert _follows(running, "penguin", within=60)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(60) == 0


@pytest.mark.nightly
@pytest.mark.parametrize("saved", [1, 2])
def test_the_emulators_notes_are_there_again_at_the_next_start(
    tmp_path: Path, emulator: Emulator, saved: int
) -> None:
    assert emulator.host  # there is one on this machine
    options = ("--store", "emulator", "--emulator-data", str(tmp_path / "data"))
    for _ in range(saved):  # the second run replaces what the first has saved
        with dev(tmp_path, *options) as running:
            running.call(
                "PUT",
                "/notes/penguin",
                {"title": "Penguin", "text": "The penguin is called Ludwig."},
            )
            assert running.answered("What is the penguin called?", "Ludwig", within=60)
    with dev(tmp_path, *options) as running:
        assert running.answered("What is the penguin called?", "Ludwig", within=60)


def test_an_emulator_that_runs_already_is_shared_with_the_apps_that_use_it(
    tmp_path: Path, firestore_store: FirestoreStore, firestore_project: str, emulator: Emulator
) -> None:
    """A note that an app writes there is indexed, and whoever asks is who the token says."""
    env = {
        "FIRESTORE_EMULATOR_HOST": emulator.host,
        "GOOGLE_CLOUD_PROJECT": firestore_project,
        "AUTH": "emulator",
    }
    earlier_note = note("walrus", "The walrus is called Olga.")
    firestore_store.put_note("alice", earlier_note)
    with dev(tmp_path, "--store", "emulator", "--tenant", "alice", env=env) as running:
        assert f"FIRESTORE_EMULATOR_HOST={emulator.host}\n" in running.greeting
        assert f"GOOGLE_CLOUD_PROJECT={firestore_project}\n" in running.greeting
        token = re.search(r"Bearer (\S+)'", running.greeting)
        assert token
        firestore_store.put_note("alice", note("penguin", "The penguin is called Ludwig."))
        for question, name in (
            ("What is the penguin called?", "Ludwig"),
            ("What is the walrus called?", "Olga"),
        ):
            assert running.answered(question, name, within=60, Authorization=f"Bearer {token[1]}")
        assert running.call("POST", "/chat", {"message": "Who?"})[0] == 401


@pytest.mark.nightly
def test_an_emulator_that_goes_away_costs_nothing_and_is_followed_again_when_it_is_back(
    tmp_path: Path,
) -> None:
    first = emulators.start()
    port = int(first.host.rpartition(":")[2])
    env = {"FIRESTORE_EMULATOR_HOST": first.host, "GOOGLE_CLOUD_PROJECT": "demo-away"}
    try:
        with dev(tmp_path, "--store", "emulator", env=env) as running:
            running.call(
                "PUT", "/notes/walrus", {"title": "Walrus", "text": "The walrus is called Olga."}
            )
            assert running.answered("What is the walrus called?", "Olga", within=60)
            first.process.kill()
            assert _said(running, ": writes are followed again when it answers")
            seconds_before = processor_seconds(running.process.pid)
            time.sleep(3)
            assert processor_seconds(running.process.pid) - seconds_before < 0.6
            with emulators.start(port=port):
                _written_past(
                    first.host, "demo-away", note("penguin", "The penguin is called Ludwig.")
                )
                assert running.answered("What is the penguin called?", "Ludwig", within=60)
    finally:
        first.stop()


@pytest.mark.nightly
def test_the_product_ends_with_a_line_when_its_emulator_ends(tmp_path: Path) -> None:
    with dev(tmp_path, "--store", "emulator", "--emulator-data", str(tmp_path / "data")) as running:
        child = subprocess.run(
            ["pgrep", "-P", str(running.process.pid), "java"],
            capture_output=True,
            text=True,
            check=True,
        )
        os.kill(int(child.stdout), signal.SIGKILL)
        assert (
            running.process.wait(60) == 1
        )  # a request to it at that moment is tried for half a minute
        assert "aurora: the Firestore emulator has ended" in running.errors()[-1]


def _said(running: Running, line: str) -> bool:
    """Within some seconds."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if line in "".join(running.errors()):
            return True
        time.sleep(0.1)
    return False


def _written_past(host: str, project: str, written: Note) -> None:
    """Write as another app does to an emulator."""
    fields = {
        name: {"stringValue": value} for name, value in (("title", written.title), ("text", written.text))
    } | {
        name: {"timestampValue": value.isoformat()}
        for name, value in (("createdAt", written.created_at), ("updatedAt", written.updated_at))
    }  # fmt: skip
    place = f"http://{host}/v1/projects/{project}/databases/(default)/documents/tenants/local/notes/{written.note_id}"
    body = json.dumps({"fields": fields}).encode()
    request = urllib.request.Request(place, body, {"Authorization": "Bearer owner"}, method="PATCH")
    with urllib.request.urlopen(request, timeout=20):
        pass


@pytest.mark.nightly
def test_an_emulator_that_runs_already_takes_no_options(tmp_path: Path, emulator: Emulator) -> None:
    completed = subprocess.run(
        [
            *COMMAND,
            "--home",
            str(tmp_path),
            "--port",
            "0",
            "--store",
            "emulator",
            "--emulator-port",
            "9999",
        ],
        cwd=ROOT,
        env={**os.environ, "FIRESTORE_EMULATOR_HOST": emulator.host},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 1
    assert re.fullmatch(
        r"aurora: --emulator-port: the emulator at \S+ runs already\n", completed.stderr
    )


def note(note_id: str, text: str) -> Note:
    now = datetime.now(UTC)
    return Note(
        note_id=note_id,
        title=note_id,
        text=text,
        created_at=now,
        updated_at=now,
    )


def test_each_event_of_the_emulator_goes_to_its_own_function() -> None:
    notes, templates = (Response(text) for text in ("notes", "templates"))
    client = Client(by_last_segment({TEMPLATE_TRIGGER: templates}, notes))
    below = "/functions/projects/demo-aurora/triggers"
    assert client.post(f"{below}/{TEMPLATE_TRIGGER}").text == "templates"
    assert client.post(f"{below}/on-note-write").text == "notes"


def test_a_function_is_found_by_its_name_as_in_the_cloud_and_as_behind_an_emulator() -> None:
    chat, rest = (Response(text) for text in ("chat", "rest"))
    client = Client(by_first_segment({"chat": chat}, rest))
    for path in ("/chat", "/chat/health", "/demo-aurora/us-central1/chat"):
        assert client.post(path).text == "chat"
    for path in ("/", "/notes/chat", "/notes"):
        assert client.post(path).text == "rest"
