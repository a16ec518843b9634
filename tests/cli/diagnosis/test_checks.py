"""Verdicts of `aurora doctor` on this machine, and on a server."""

from __future__ import annotations

import json
import socket

import pytest

from desktop.client.local import PORT
from shared.markdown.file import note_id_of
from tests.adapters.embedded.places import flip, tenant_file
from tests.cli.conftest import Aurora, Write
from tests.servers.dev import dev
from tests.servers.scripted import Reply, ScriptedServer
from tests.servers.served import Served

NOTES = {"boat.md": "The boat is blue and floats.\n", "garden.md": "We planted six tomatoes.\n"}


def _told(aurora: Aurora, *arguments: str) -> dict[str, tuple[str, str]]:
    """Part -> (verdict, detail)."""
    verdicts = json.loads(aurora("doctor", *arguments, "--json").stdout)
    return {verdict["part"]: (verdict["verdict"], verdict["detail"]) for verdict in verdicts}


def test_callers_and_budgets_are_reported_as_set(
    aurora: Aurora, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = _told(aurora)
    assert plain["auth"] == (
        "ok",
        "none: aurora dev treats every program on this machine as its user",
    )
    assert plain["origins"][1].startswith("none")
    assert plain["budgets"] == ("ok", "no daily limits")
    monkeypatch.setenv("AUTH", "emulator")
    monkeypatch.setenv("ALLOWED_ORIGINS", "https://notes.example")
    monkeypatch.setenv("DAILY_CHAT_LIMIT", "7")
    verdicts = _told(aurora)
    assert verdicts["auth"][1] == "emulator"
    assert verdicts["origins"][1] == "https://notes.example"
    assert verdicts["budgets"][1] == "0 of 7 answers today"


def test_todays_spending_is_reported(
    aurora: Aurora, notes: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAILY_CHAT_LIMIT", "7")
    monkeypatch.setenv("DAILY_EMBED_TOKENS", "100000")
    aurora("index", str(notes(NOTES)))
    aurora("ask", "What colour is the boat?")
    answers, tokens = _told(aurora)["budgets"][1].split(", ")
    assert answers == "1 of 7 answers today"
    assert 0 < int(tokens.split()[0]) < 1000


def test_a_note_and_a_chunk_that_the_disk_has_changed_are_told_without_their_text(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(NOTES)))
    assert _told(aurora)["disk"] == ("ok", "every page and row is as it was written")
    file = tenant_file(aurora.home, "local")
    flip(file, "notes", "blue and floats")
    flip(file, "chunks", "planted six")
    result = aurora("doctor", "--json")
    assert not any(word in result.output for word in ("blue", "floats", "planted", "Traceback"))
    verdicts = _told(aurora)
    assert verdicts["disk"][0] == "failed"
    assert verdicts["disk"][1].startswith("1 note damaged")
    assert verdicts["languages"][0] == "ok"
    assert aurora("doctor").exit_code == 1


def test_damaged_pages_are_told(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes({f"n{number}.md": "word " * 4000 for number in range(9)})))
    file = tenant_file(aurora.home, "local")
    content = bytearray(file.read_bytes())
    content[-40_000:-20_000] = bytes(20_000)
    file.write_bytes(content)
    verdict, detail = _told(aurora)["disk"]
    assert verdict == "failed"
    assert "is damaged" in detail


def test_the_product_starts_on_a_file_that_the_disk_has_changed(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(NOTES)))
    file = tenant_file(aurora.home, "local")
    flip(file, "notes", "blue and floats")
    flip(file, "chunks", "planted six")
    boat = note_id_of("default", "boat.md")
    with dev(aurora.home, "--no-watch") as running:
        status, reply = running.call("GET", f"/notes/{boat}")
        assert status == 409
        assert "NOTE_UNREADABLE" in reply
        assert "unreadableNote" in aurora("export").stdout
        draft = {
            "title": "Boat",
            "text": NOTES["boat.md"],
            "path": "boat.md",
        }
        assert running.call("PUT", f"/notes/{boat}", draft)[0] == 200
        assert running.call("GET", f"/notes/{boat}")[1]["text"] == NOTES["boat.md"]
        assert running.answered("What did we plant?", "six tomatoes", within=60)
        assert not any("Traceback" in line for line in running.errors())


def test_the_calibration_of_cosines_is_reported(aurora: Aurora) -> None:
    assert _told(aurora)["embedder"][1].endswith(
        "dimensions; cosines 0.14 (unrelated) to 0.90 (alike)"
    )


def test_files_that_are_no_notes_are_told_as_they_are_now(aurora: Aurora, notes: Write) -> None:
    folder = notes({**NOTES, ".hidden.md": "secret"})
    aurora("index", str(folder))
    assert _told(aurora)["files"] == ("ok", f"{folder}: 1 hidden file")
    notes({f"{number}.md": b"\0" for number in range(7)})
    verdict, detail = _told(aurora)["files"]
    assert verdict == "missing"
    assert detail.startswith(f"{folder}: 0.md: binary: a note is text; 1.md: ")
    assert "; 2 more; 1 hidden file" in detail
    assert f"{folder} (2 notes in vault default)" in _told(aurora)["folders"][1]


def test_a_model_server_in_reach_is_told(aurora: Aurora, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _told(aurora)["models"] == (
        "missing",
        "no model server at http://127.0.0.1:1/v1 or http://127.0.0.1:1234/v1",
    )
    with ScriptedServer(lambda _: Reply(body={"data": [{"id": "llama3.2"}]})) as models:
        monkeypatch.setenv("OLLAMA_HOST", models.url)
        assert _told(aurora)["models"] == (
            "ok",
            f"{models.url}/v1 (llama3.2): aurora dev --model NAME writes with it",
        )


@pytest.mark.nightly
def test_a_product_that_runs_is_told_and_whether_commands_ask_it(
    aurora: Aurora, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dev(aurora.home) as product:
        assert _told(aurora)["running"] == ("ok", f"aurora dev at {product.address}")
        monkeypatch.setenv("RETRIEVAL_TOP_K", "3")
        assert "with other settings: commands do not use it" in _told(aurora)["running"][1]


def test_whether_the_usual_port_can_be_had_is_told(aurora: Aurora) -> None:
    with socket.socket() as listener:
        try:
            listener.bind(("127.0.0.1", PORT))
        except OSError:  # somebody else's on this machine: as good
            pass
        else:
            listener.listen()
        assert f"port {PORT} is taken" in _told(aurora)["running"][1]


# -- a server


@pytest.mark.nightly
def test_a_server_is_examined_from_outside(aurora: Aurora, server: Served) -> None:
    verdicts = _told(aurora, "--server", server.address, "--token", server.alice)
    assert {part: verdict for part, (verdict, _) in verdicts.items()} == dict.fromkeys(
        ("server", "auth", "token", "store"), "ok"
    )
    assert verdicts["auth"][1] == "callers need a token"
    assert verdicts["store"][1] == "0 notes, 0 indexed"


def test_a_token_that_is_not_let_in_has_failed(aurora: Aurora, server: Served) -> None:
    result = aurora("doctor", "--server", server.address, "--token", "nonsense")
    assert result.exit_code == 1
    assert "failed   token" in result.stdout


@pytest.mark.nightly
def test_missing_sign_in_is_reported(aurora: Aurora) -> None:
    with dev(aurora.home) as product:
        assert (
            _told(aurora, "--server", product.address)["auth"][1]
            == "none: whoever reaches the server may call"
        )


def test_a_server_that_does_not_answer_has_failed(aurora: Aurora) -> None:
    result = aurora("doctor", "--server", "http://127.0.0.1:1")
    assert result.exit_code == 1
    assert "failed   server     http://127.0.0.1:1 does not answer" in result.stdout
    assert aurora("doctor", "--server", "http://127.0.0.1:1", "--calibrate").exit_code == 2


def test_languages_that_work_with_words_alone_are_reported(aurora: Aurora) -> None:
    all_notes, alone = _told(aurora)["languages"][1].split("; ")
    assert {"de", "en", "es", "fr"} <= set(all_notes.split(", "))
    assert alone.startswith("words alone")
    assert alone.endswith("and any other")


@pytest.mark.nightly
def test_notes_in_a_language_that_the_embedder_does_not_speak_are_told_with_what_helps(
    aurora: Aurora, notes: Write
) -> None:
    aurora("index", str(notes(NOTES)))
    assert _told(aurora)["languages"][0] == "ok"
    german = "Die Wärmepumpe wurde am Dienstag gewartet, und der Vorlauf ist jetzt auf 38 Grad eingestellt."
    aurora("index", str(notes({f"{number}.md": german for number in range(4)})))
    verdict = next(check for check in aurora.json("doctor") if check["part"] == "languages")
    assert verdict["verdict"] == "missing"
    message = "most notes are in de, which all-MiniLM-L6-v2-int8 does not speak"
    assert verdict["detail"].startswith(message)
    assert verdict["mend"].startswith("echo EMBEDDING_MODEL=intfloat/multilingual-e5-small >> ")
    with dev(aurora.home) as product:
        assert product.greeting.count(message) == 1
