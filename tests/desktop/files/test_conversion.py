"""Folders that hold more than Markdown: plain text, Org, HTML, PDF and Word documents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from cli.options import CommandContext
from cli.showing import show_answer
from desktop.files import conversion
from shared.adapters.extras import install_command
from tests.absent import absent
from tests.cli.conftest import Aurora, Write
from tests.desktop.files.samples import docx, pdf
from tests.servers.dev import ROOT, dev

ORG = """\
#+TITLE: Garden plan
#+FILETAGS: :garden:home:
#+DATE: <2026-03-04 Wed>

* TODO Beds :veg:
  :PROPERTIES:
  :ID: secret-id
  :END:
  Six tomatoes, see [[https://beds.example][the guide]].
*** Water
      Every evening at seven.
#+BEGIN_SRC python
print("drip")
#+END_SRC
"""
HTML = (
    "<html><head><title>Boat licence</title><meta name='date' content='2021-04-03'>"
    "<style>p{}</style><script>track('visitor')</script></head><body>"
    "<h1>Licence</h1><p>The examination is on <b>12 June</b>.</p><img src='x.png'></body></html>"
)
PDF = pdf(
    ["The boiler is an Ofen 3000.", "The filter is changed every May."],
    title="Boiler",
    created="20260105120000",
)
FILES: dict[str, str | bytes] = {
    "list.txt": "Packing list\n\nTake the red lantern.\n",
    "garden.org": ORG,
    "licence.html": HTML,
    "boiler.pdf": PDF,
    "lease.docx": docx(
        ("Heading1", "Lease"), ("", "The deposit is 900 euros."), title="Flat & cellar"
    ),
}


@pytest.mark.parametrize(
    ("question", "path", "told"),
    [
        ("Which lantern do I take?", "list.txt", "red lantern"),
        ("When do the plants get water?", "garden.org", "Every evening at seven"),
        ("When is the examination?", "licence.html", "12 June"),
        ("When is the filter changed?", "boiler.pdf", "every May"),
        ("How much is the deposit?", "lease.docx", "900 euros"),
    ],
)
def test_text_of_files_is_found_and_cited(
    aurora: Aurora, notes: Write, question: str, path: str, told: str
) -> None:
    report = aurora.json("index", str(notes(FILES)))
    assert report["indexed"] == len(FILES)
    assert report["skipped"] == []
    assert report["ignored"] == {}
    answer = aurora.json("ask", question)
    assert told in answer["answer"]
    assert path in {citation["path"] for citation in answer["citations"]}


def test_what_they_say_of_themselves_is_the_notes(aurora: Aurora, notes: Write) -> None:
    aurora("index", str(notes(FILES)))
    listed = {note["path"]: note for note in aurora.json("notes", "list")["notes"]}
    assert listed["garden.org"]["title"] == "Garden plan"
    assert listed["garden.org"]["tags"] == ["garden", "home"]
    assert listed["garden.org"]["createdAt"].startswith("2026-03-04")
    assert listed["boiler.pdf"]["title"] == "Boiler"
    assert listed["boiler.pdf"]["createdAt"][:10] == "2026-01-05"
    assert listed["lease.docx"]["title"] == "Flat & cellar"
    assert listed["licence.html"]["title"] == "Boat licence"
    assert listed["licence.html"]["createdAt"].startswith("2021-04-03")
    output = aurora("notes", "show", "garden.org").stdout
    assert "# Beds" in output
    assert "[the guide](https://beds.example)" in output
    assert '```python\nprint("drip")\n```' in output
    assert "secret-id" not in output
    assert "visitor" not in aurora("notes", "show", "licence.html").stdout


def test_a_citation_opens_the_page_of_a_pdf(
    aurora: Aurora,
    notes: Write,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = notes({"boiler.pdf": PDF})
    aurora("index", str(folder))
    assert "Boiler › Page 2 · boiler.pdf" in aurora("ask", "When is the filter changed?").stdout
    answer = aurora.json("ask", "When is the filter changed?")
    monkeypatch.setenv("FORCE_COLOR", "1")
    show_answer(answer, CommandContext(aurora.home, "local", as_json=False))
    assert f"{(folder / 'boiler.pdf').as_uri()}#page=2" in capsys.readouterr().out


def test_files_that_no_text_can_be_had_of_are_named(aurora: Aurora, notes: Write) -> None:
    bad = {
        "scan.pdf": pdf(["", ""]),
        "broken.pdf": PDF[:200],
        "no.docx": b"PK\x03\x04",
        "empty.html": "<p></p>",
        "old.org": b"caf\xe9",
    }
    result = aurora("index", str(notes({**FILES, **bad})))
    assert result.exit_code == 1
    for line in (
        "scan.pdf: there is no text in it; is it a scan?",
        "broken.pdf: no PDF that can be read",
        "no.docx: no Word document that can be read",
        "empty.html: there is no text in it",
        "old.org: not UTF-8 at byte 3: save it as UTF-8",
    ):
        assert f"  skipped {line}" in result.stdout
    assert result.stdout.startswith(f"{len(FILES)} notes")


def _asks_for_memory(_: bytes) -> str:
    return str(len(bytearray(3 * conversion.MAX_MEMORY)))


def _dies(_: bytes) -> str:
    os.abort()


def _never_ends(_: bytes) -> str:
    while True:
        pass


def _holds_too_much(_: bytes) -> str:
    return "x" * (conversion.MAX_TEXT + 1)


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (_asks_for_memory, "no PDF that can be read in 1024 MB of memory"),
        (_dies, "no PDF that can be read in 1024 MB of memory"),
        (_never_ends, "reading it takes longer than 3 s"),
        (_holds_too_much, "it holds more than 10,000,000 characters of text"),
    ],
)
def test_a_file_that_asks_for_too_much_is_named_and_the_rest_goes_on(
    notes: Write,
    aurora: Aurora,
    read: Callable[[bytes], str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conversion, "MAX_SECONDS", 3.0 if read is _never_ends else 60.0)
    monkeypatch.setitem(
        conversion.CONVERTERS, ".pdf", conversion.Converter("PDF", "pypdfium2", read)
    )
    result = aurora("index", str(notes({"bomb.pdf": b"%PDF", "note.md": "The boat is blue."})))
    assert f"  skipped bomb.pdf: {told}" in result.stdout
    assert result.stdout.startswith("1 note")


def test_ignored_files_are_counted_with_their_reason(aurora: Aurora, notes: Write) -> None:
    folder = notes(
        {
            "a.md": "A.",
            "b.png": b"x",
            "c.PNG": b"x",
            "Makefile": "all:",
            ".DS_Store": b"x",
        }
    )
    report = aurora.json("index", str(folder))
    assert report["ignored"] == {
        ".png: not a kind of file that is read": 2,
        "without ending: not a kind of file that is read": 1,
    }
    assert (
        "  2 ignored: .png: not a kind of file that is read" in aurora("index", str(folder)).stdout
    )


@pytest.mark.nightly
def test_without_the_extra_it_is_said_what_reads_them_and_their_notes_stay(
    aurora: Aurora, notes: Write
) -> None:
    folder = str(notes(FILES))
    for is_known in (False, True):
        report = json.loads(_index(aurora, folder, absent("pypdfium2")).stdout)
        assert report["ignored"] == {f".pdf: {install_command('pypdfium2')} reads it": 1}
        assert report["removed"] == 0
        assert ("boiler.pdf" in aurora("notes", "list").stdout) is is_known
        aurora("index", folder)


@pytest.mark.nightly
def test_a_file_that_has_not_changed_is_not_made_a_text_of_again(
    aurora: Aurora, notes: Write
) -> None:
    folder = str(notes(FILES))
    statement = "print('multiprocessing.popen_forkserver' in sys.modules, file=sys.stderr)"
    program = f"import atexit, sys; atexit.register(lambda: {statement})\n"
    first = _index(aurora, folder, program)
    second = _index(aurora, folder, program)
    assert first.stderr == "True\n"
    assert second.stderr == "False\n"
    assert json.loads(second.stdout)["unchanged"] == len(FILES)


def _index(aurora: Aurora, folder: str, before: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, in which something else is done first."""
    command = [
        sys.executable,
        "-c",
        f"{before}\nfrom cli.main import main; main()",
        "--home",
        str(aurora.home),
    ]
    return subprocess.run(
        [*command, "index", folder, "--json"], cwd=ROOT, capture_output=True, text=True, check=True
    )


def test_a_note_of_such_a_file_that_was_changed_stays_and_its_file_too(
    aurora: Aurora, notes: Write
) -> None:
    folder = notes({"boiler.pdf": PDF})
    aurora("index", str(folder))
    with dev(aurora.home) as product:
        (note,) = product.call("GET", "/notes")[1]["notes"]
        note = product.call("GET", f"/notes/{note['noteId']}")[1]
        product.call("PUT", f"/notes/{note['noteId']}", {**note, "text": "## Page 1\n\nMine."})
    for options in ((), ("--write-back",)):
        (left_alone,) = aurora.json("index", str(folder), *options)["kept"]
        reason = "changed elsewhere, and stays so; no text can be written into such a file"
        assert left_alone["path"] == "boiler.pdf"
        assert left_alone["reason"] == reason
    assert (folder / "boiler.pdf").read_bytes() == PDF
    (folder / "boiler.pdf").write_bytes(pdf(["Another boiler."]))
    completed = aurora("index", str(folder), "--take", "note")
    assert completed.exit_code == 1
    assert "--take file decides" in completed.stdout
    assert "--take note" not in completed.stdout
    assert aurora("index", str(folder), "--take", "file").exit_code == 0
    assert "Another boiler." in aurora("notes", "show", "boiler.pdf").stdout
    (trashed, *_) = aurora.json("notes", "trash")["trash"]
    assert trashed["path"] == "boiler.pdf"
    aurora("notes", "restore", trashed["trashId"])
    assert "Mine." in aurora("notes", "show", "boiler.pdf").stdout
