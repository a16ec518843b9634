"""The emulator is found, started and stopped, and tells a local server of every write."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import Queue
from typing import ClassVar

import pytest

from desktop.product.emulator import Emulator, EmulatorMissing, find_jar, start
from desktop.product.store import polling
from shared.adapters.firestore import FirestoreStore
from shared.model.documents import SESSIONS
from shared.model.sessions import Session
from tests.contracts.samples import DAY, FREE, PERSON, TENANT, chunk, note, save, unit
from tests.emulated import patient_store


class _Receiver(BaseHTTPRequestHandler):
    """Keeps path, document and type of every event that is posted."""

    events: ClassVar[Queue[tuple[str, str | None, str | None]]] = Queue()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.events.put((self.path, self.headers["ce-document"], self.headers["ce-type"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Keep the test's output clean."""


@pytest.fixture
def receiver_port() -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), _Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "database", [pytest.param("(default)", marks=pytest.mark.nightly), "notes-db"]
)
def test_a_trigger_is_fired_by_the_notes_of_its_database_and_by_nothing_else(
    receiver_port: int, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, database: str
) -> None:
    assert emulator.host, "only where an emulator can be had"
    with start(functions_port=receiver_port) as own_emulator:
        monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", own_emulator.host)
        own_emulator.register_trigger("demo-events", "on_note_write", database=database)
        store = patient_store("demo-events", database)
        patient_store("demo-events", "elsewhere").put_note(TENANT, note("n2"))
        save(store, chunk("n1"))
        store.put_note(TENANT, note("n1"))
        store.delete_note(TENANT, "n1")
        for _ in range(2):
            assert _Receiver.events.get(timeout=20) == (
                "/functions/projects/demo-events/triggers/on_note_write",
                f"tenants/{TENANT}/notes/n1",
                "google.cloud.firestore.document.v1.written",
            )
    assert _Receiver.events.empty()


@pytest.mark.nightly
def test_the_stopped_emulator_leaves_neither_process_nor_log(emulator: Emulator) -> None:
    assert emulator.host
    with start() as own_emulator:
        assert own_emulator.process.poll() is None
        assert own_emulator.log.exists()
    assert own_emulator.process.poll() is not None
    assert not own_emulator.log.exists()
    own_emulator.stop()


def test_reset_empties_one_project_only(
    firestore_store: FirestoreStore, emulator: Emulator
) -> None:
    other_store = patient_store(f"{firestore_store.project}-2")
    for store in (firestore_store, other_store):
        store.put_note(TENANT, note("n1"))
    emulator.reset(firestore_store.project)
    assert firestore_store.get_note(TENANT, "n1") is None
    assert other_store.get_note(TENANT, "n1") == note("n1")
    emulator.reset(other_store.project)


def test_a_database_of_its_own_holds_everything_and_the_default_one_nothing(
    firestore_store: FirestoreStore, emulator: Emulator
) -> None:
    named = patient_store(firestore_store.project, "notes-db")
    written: Queue[str] = Queue()
    with polling(firestore_store.project, {"notes": written.put}, database="notes-db"):
        named.put_note(TENANT, note("n1"))
        assert written.get(timeout=20) == f"tenants/{TENANT}/notes/n1"
    save(named, chunk("n1"), vector=unit(1, 2, 3, 4))
    named.put(
        PERSON,
        SESSIONS,
        Session(
            session_id="s1",
            created_at=DAY,
            updated_at=DAY,
        ),
    )
    neighbours = named.nearest(
        TENANT,
        unit(1, 2, 3, 4),
        limit=5,
        stems=[],
        restriction=FREE,
        index_version=chunk("n1").index_version,
    ).neighbours
    assert [neighbour.chunk.note_id for neighbour in neighbours] == ["n1"]
    assert [key.note_id for key in named.note_keys(limit=5).items] == ["n1"]
    assert [session.session_id for session in named.listing(PERSON, SESSIONS, limit=5).items] == [
        "s1"
    ]
    assert firestore_store.list_notes(TENANT, limit=5).items == ()
    assert firestore_store.erase(TENANT) == {}
    erased = named.erase(TENANT)
    assert erased["notes"] == 1
    assert erased["chunks"] == 1
    assert erased["sessions"] == 1
    emulator.reset(firestore_store.project, "notes-db")


def test_a_named_jar_comes_first(tmp_path: Path) -> None:
    jar = tmp_path / "emulator.jar"
    jar.touch()
    assert find_jar({"FIRESTORE_EMULATOR_JAR": str(jar)}) == jar
    with pytest.raises(EmulatorMissing, match="FIRESTORE_EMULATOR_JAR"):
        find_jar({"FIRESTORE_EMULATOR_JAR": str(tmp_path / "none.jar")})


def test_the_newest_jar_of_firebase_tools_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # neither dpkg nor gcloud
    cache = tmp_path / ".cache/firebase/emulators"
    cache.mkdir(parents=True)
    for version in ("1.9.0", "1.19.8", "1.2.10"):
        (cache / f"cloud-firestore-emulator-v{version}.jar").touch()
    assert find_jar({"HOME": str(tmp_path)}).name == "cloud-firestore-emulator-v1.19.8.jar"


def test_a_missing_emulator_or_java_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EmulatorMissing, match="apt-get install"):
        find_jar({"HOME": str(tmp_path)})
    with pytest.raises(EmulatorMissing, match="Java"):
        start(env={"HOME": str(tmp_path)})


def test_an_emulator_that_cannot_start_says_why(tmp_path: Path, emulator: Emulator) -> None:
    assert emulator.host
    broken = tmp_path / "broken.jar"
    broken.write_bytes(b"no jar")
    with pytest.raises(EmulatorMissing, match="ended at once"):
        start(env={**os.environ, "FIRESTORE_EMULATOR_JAR": str(broken)})
