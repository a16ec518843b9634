"""A note that came from a folder and is changed elsewhere too: nothing that somebody wrote is lost."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.client.remote import reaching
from tests.cli.conftest import Aurora, Write
from tests.desktop.folders.both_sides import Sides, named
from tests.servers.dev import Running, dev
from tests.servers.served import Served, served

FILES = {
    "boat.md": "# Boat\n\nThe boat is blue.\n",
    "deep/garden.md": "# Garden\n\nSix tomatoes.\n",
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Running]]:
    """The product on this machine, and its home, whose store the command opens too."""
    home = tmp_path_factory.mktemp("here")
    with dev(home, "--no-watch") as running:
        yield home, running


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("there")) as running:
        yield running


@dataclass(frozen=True)
class Place:
    """The command on its home, and where the notes are changed."""

    aurora: Aurora
    address: str
    token: str | None


IN_BOTH_PLACES = pytest.mark.parametrize("place", ["here", "there"], indirect=True)
"""The command opens the store that a product has open, or calls a server; what it decides is the same code."""


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Returns a server, unless the test names its places."""
    if getattr(request, "param", "there") == "here":
        home, running = request.getfixturevalue("here")
        return Place(Aurora(home), running.address, None)
    there = request.getfixturevalue("there")
    return Place(Aurora(tmp_path / "home"), there.address, there.alice)


@pytest.fixture
def sides(place: Place, notes: Write) -> Iterator[Sides]:
    """Indexed once, and without the notes of an earlier test."""
    where = ("--server", place.address, "--token", place.token) if place.token else ()
    with reaching(place.address, place.token) as client:
        client.send("DELETE", "/me", {"confirm": "erase everything"})
        sides = Sides(place.aurora, notes(FILES), where, client)
        sides.index()
        yield sides


@IN_BOTH_PLACES
def test_a_note_that_was_changed_or_deleted_elsewhere_stays_so_and_is_named(sides: Sides) -> None:
    sides.edit("boat.md", text="# Boat\n\nThe boat is red now.\n")
    sides.delete("deep/garden.md")
    for _ in range(2):
        left_alone = sides.index()["kept"]
        assert sorted(named(left_alone)) == sorted(FILES)
        assert all("--write-back" in entry["reason"] for entry in left_alone)
        assert "red now" in sides.note("boat.md")["text"]
        assert sides.has_note("deep/garden.md") is False
        assert {path: sides.file(path) for path in FILES} == FILES


@IN_BOTH_PLACES
def test_with_write_back_the_file_becomes_what_the_note_says(sides: Sides) -> None:
    sides.edit("boat.md", text="# Boat\n\nThe boat is red now.\n")
    sides.delete("deep/garden.md")
    report = sides.index("--write-back")
    assert report["written"] == 2
    assert report["kept"] == []
    assert sides.file("boat.md") == "# Boat\n\nThe boat is red now.\n"
    assert not (sides.folder / "deep/garden.md").exists()
    assert sides.thrown_away("Six tomatoes.")
    second_report = sides.index("--write-back")
    assert second_report["written"] == 0
    assert second_report["indexed"] == 0
    assert second_report["removed"] == 0


def test_notes_whose_files_are_ignored_from_now_on_go_and_those_that_somebody_changed_are_named_once(
    sides: Sides,
) -> None:
    sides.edit("boat.md", text="# Boat\n\nThe boat is red now.\n")
    sides.write("boat.md", "# Boat\n\nThe boat is green now.\n")
    sides.write(".auroraignore", "boat.md\ndeep/\n")
    assert sides.aurora("conflicts", *sides.where).stdout == "no conflicts\n"
    report = sides.index()
    assert report["removed"] == 1
    assert report["removedByRule"] == 1
    assert report["conflicts"] == []
    assert "removed_by_rule" not in report
    assert named(report["kept"]) == ["boat.md"]
    assert "red now" in sides.note("boat.md")["text"]
    assert sides.has_note("deep/garden.md") is False
    assert sides.thrown_away("Six tomatoes.")
    assert sides.index()["kept"] == []
    sides.write("a.md", "An apple.")
    sides.index()
    sides.write(".auroraignore", "*.md\n")
    output = sides.aurora("index", str(sides.folder), *sides.where).stdout
    assert "1 removed (1 of them ignored from now on)" in output


def test_a_file_that_was_changed_alone_is_taken(sides: Sides) -> None:
    sides.write("boat.md", "# Boat\n\nThe boat is green.\n")
    (sides.folder / "deep/garden.md").unlink()
    report = sides.index("--write-back")
    assert report["indexed"] == 1
    assert report["removed"] == 1
    assert report["written"] == 0
    assert "green" in sides.note("boat.md")["text"]
    assert not sides.has_note("deep/garden.md")


@IN_BOTH_PLACES
@pytest.mark.parametrize("options", [(), ("--write-back",)])
def test_a_note_changed_on_both_sides_stays_until_somebody_decides(
    sides: Sides, options: tuple[str, ...]
) -> None:
    sides.edit("boat.md", text="The boat is red.")
    sides.write("boat.md", "The boat is green.")
    for _ in range(2):
        report = sides.index(*options, code=1)
        assert named(report["conflicts"]) == ["boat.md"]
        assert "--take file" in report["conflicts"][0]["reason"]
        assert sides.note("boat.md")["text"] == "The boat is red."
        assert sides.file("boat.md") == "The boat is green."


@IN_BOTH_PLACES
@pytest.mark.parametrize("take", ["file", "note"])
def test_somebody_decides_and_the_other_goes_into_the_trash(sides: Sides, take: str) -> None:
    sides.edit("boat.md", text=f"# Boat\n\nThe boat is red before {take}.")
    sides.write("boat.md", f"# Boat\n\nThe boat is green before {take}.")
    sides.index("--take", take)
    stays, goes = ("green", "red") if take == "file" else ("red", "green")
    assert (
        sides.note("boat.md")["text"]
        == sides.file("boat.md")
        == f"# Boat\n\nThe boat is {stays} before {take}."
    )
    assert sides.thrown_away(f"The boat is {goes} before {take}.")
    assert sides.index()["conflicts"] == []


def test_a_note_that_goes_into_the_trash_takes_along_what_no_file_of_its_text_could_say(
    sides: Sides,
) -> None:
    broken = "---\nbroken: [\n---\nThe boat is red."
    sides.edit("boat.md", title="A name of its own", text=broken)
    sides.write("boat.md", "# Boat\n\nThe boat is green.")
    sides.index("--take", "file")
    assert sides.thrown_away("A name of its own")
    assert sides.thrown_away(broken)


@pytest.mark.parametrize("take", ["file", "note"])
def test_a_deletion_on_one_side_and_a_change_on_the_other_is_decided_too(
    sides: Sides, take: str
) -> None:
    sides.edit("boat.md", text=f"# Boat\n\nThe boat is red, gone {take}.")
    (sides.folder / "boat.md").unlink()
    sides.delete("deep/garden.md")
    sides.write("deep/garden.md", f"Seven tomatoes, gone {take}.")
    assert set(named(sides.index(code=1)["conflicts"])) == {"boat.md", "deep/garden.md"}
    sides.index("--take", take)
    if take == "file":
        assert not sides.has_note("boat.md")
        assert sides.thrown_away("The boat is red, gone file.")
        assert sides.note("deep/garden.md")["text"] == "Seven tomatoes, gone file."
    else:
        assert sides.file("boat.md") == "# Boat\n\nThe boat is red, gone note."
        assert not (sides.folder / "deep/garden.md").exists()
        assert sides.thrown_away("Seven tomatoes, gone note.")
    assert sides.index()["conflicts"] == []


def test_without_a_manifest_what_differs_waits_and_what_agrees_is_known_again(sides: Sides) -> None:
    sides.edit("boat.md", text="The boat is red.")
    (sides.aurora.home / "folders.db").unlink()
    report = sides.index("--write-back", code=1)
    assert named(report["conflicts"]) == ["boat.md"]
    assert sides.note("boat.md")["text"] == "The boat is red."
    assert sides.file("boat.md") == FILES["boat.md"]
    sides.write("deep/garden.md", "Eight tomatoes.")
    assert named(sides.index(code=1)["conflicts"]) == ["boat.md"]
    assert sides.note("deep/garden.md")["text"] == "Eight tomatoes."


def test_a_title_that_was_changed_elsewhere_goes_into_the_frontmatter_and_nothing_else_changes(
    sides: Sides,
) -> None:
    front = b"---\r\n# mine\r\naliases: [a,   b]\r\ntags:\r\n- x # why\r\ncreated: 2026-05-08\r\n---\r\n"
    sides.write("old.md", b"\xef\xbb\xbf" + front + b"The lines end\r\nwith two signs.\r\n")
    (sides.folder / "old.md").chmod(0o640)
    sides.index()
    sides.edit(
        "old.md",
        title="Quite: new",
        text=sides.note("old.md")["text"].replace("\r\n", "\n") + "More.\n",
    )
    sides.index("--write-back")
    new_front = front.removesuffix(b"---\r\n") + b"title: 'Quite: new'\r\n---\r\n"
    expected_content = (
        b"\xef\xbb\xbf" + new_front + b"The lines end\r\nwith two signs.\r\nMore.\r\n"
    )
    assert (sides.folder / "old.md").read_bytes() == expected_content
    assert stat.S_IMODE((sides.folder / "old.md").stat().st_mode) == 0o640
    assert sides.index()["unchanged"] == 3


BROKEN = "---\ntitle: 42\ntags: 7\ndate: 2026-13-45\naliases: {x: 1}\n---\nFirst.\n"


@pytest.mark.parametrize("take", ["file", "note"])
def test_changes_that_do_not_fit_a_broken_frontmatter_stay_in_the_note(
    sides: Sides, take: str
) -> None:
    sides.write("broken/types.md", BROKEN)
    sides.index()
    sides.edit(
        "broken/types.md", title="Renamed types", tags=["newtag"], text=f"{BROKEN}Second {take}.\n"
    )
    for written in (1, 0):
        report = sides.index("--write-back", code=1)
        assert report["written"] == written
        assert named(report["conflicts"]) == ["broken/types.md"]
        assert "title and tags cannot be written" in report["conflicts"][0]["reason"]
        assert sides.file("broken/types.md") == f"{BROKEN}Second {take}.\n"
    assert named(sides.index()["kept"]) == ["broken/types.md"]
    sides.write(
        "broken/types.md", f"{BROKEN.replace('2026-13-45', '2026-11-15')}Second {take}.\nx\n"
    )
    assert named(sides.index("--write-back", code=1)["conflicts"]) == ["broken/types.md"]
    note = sides.note("broken/types.md")
    assert note["title"] == "Renamed types"
    assert note["tags"] == ["newtag"]
    sides.index("--take", take)
    if take == "note":
        mended = sides.file("broken/types.md")
        assert "title: Renamed types\ntags: [newtag]\n" in mended
        assert "date: 2026-11-15" in mended
        assert mended.endswith("\n---\nFirst.\nSecond note.\n")
        assert mended.count("---\n") == 2
    else:
        assert sides.thrown_away("Renamed types")
    assert sides.index()["unchanged"] == 3


def test_a_note_saved_without_its_frontmatter_does_not_take_the_files(sides: Sides) -> None:
    sides.write("old.md", "---\naliases: [a,   b]\n---\nBefore.\n")
    sides.index()
    sides.edit("old.md", text="After.\n")
    sides.index("--write-back")
    assert sides.file("old.md") == "---\naliases: [a,   b]\n---\nAfter.\n"


def test_a_note_that_was_moved_elsewhere_stays_there_when_its_file_changes(sides: Sides) -> None:
    sides.edit("boat.md", path="toys/old boat.md")
    sides.write("boat.md", "The boat is green.")
    sides.index()
    moved = sides.note("boat.md")
    assert moved["path"] == "toys/old boat.md"
    assert moved["text"] == "The boat is green."


@IN_BOTH_PLACES
def test_a_file_that_was_moved_takes_along_what_was_changed_in_its_note_and_brings_no_deleted_one_back(
    sides: Sides,
) -> None:
    sides.edit("boat.md", title="Ship", text="# Boat\n\nThe boat is red now.\n")
    sides.delete("deep/garden.md")
    (sides.folder / "boat.md").rename(sides.folder / "ship.md")
    (sides.folder / "deep/garden.md").rename(sides.folder / "bed.md")
    for _ in range(2):
        report = sides.index()
        assert sorted(named(report["kept"])) == ["bed.md", "ship.md"]
        assert report["conflicts"] == []
        assert sides.note("ship.md")["title"] == "Ship"
        assert "red now" in sides.note("ship.md")["text"]
        assert sides.has_note("boat.md") is False
        assert sides.has_note("bed.md") is False
    sides.index("--write-back")
    assert "The boat is red now." in sides.file("ship.md")


def test_none_of_several_equal_files_is_taken_for_a_moved_one(sides: Sides) -> None:
    sides.edit("boat.md", text="# Boat\n\nThe boat is red now.\n")
    (sides.folder / "boat.md").unlink()
    for name in ("one.md", "two.md"):
        sides.write(name, FILES["boat.md"])
    assert named(sides.index(code=1)["conflicts"]) == ["boat.md"]
    assert "red now" in sides.note("boat.md")["text"]


def test_a_note_that_another_file_has_replaced_is_not_written_into_its_own_file_unasked(
    sides: Sides,
) -> None:
    sides.client.send(
        "POST", "/notes:import", {"path": "boat.md", "text": "Another folder's boat."}
    )
    for _ in range(2):
        assert named(sides.index("--write-back", code=1)["conflicts"]) == ["boat.md"]
        assert sides.file("boat.md") == FILES["boat.md"]
    assert sides.thrown_away("The boat is blue.")
    sides.index("--write-back", "--take", "note")
    assert sides.file("boat.md") == "Another folder's boat."
    sides.edit("boat.md", text="Mine again.")
    assert sides.index("--write-back")["written"] == 1


def test_with_write_back_a_note_that_was_moved_takes_its_file_along(sides: Sides) -> None:
    sides.edit("boat.md", path="toys/old boat.md", text="The boat is old.")
    sides.edit("deep/garden.md", path="boat.md")
    for _ in range(
        2
    ):  # whichever comes first: a file does not take the place of another that has still to move
        assert sides.index("--write-back")["conflicts"] == []
    assert sides.file("toys/old boat.md") == "The boat is old."
    assert sides.file("boat.md") == FILES["deep/garden.md"]
    assert not (sides.folder / "deep/garden.md").exists()
    listed = sides.client.send("GET", "/notes", query={"pageSize": "200"})["notes"]
    assert sorted(note["path"] for note in listed) == ["boat.md", "toys/old boat.md"]


def test_a_file_at_the_path_of_a_note_that_was_written_elsewhere_is_that_note(sides: Sides) -> None:
    sides.client.send(
        "PUT",
        "/notes/mine",
        {
            "title": "Log",
            "text": "Written on the page.",
            "path": "log.md",
        },
    )
    sides.write("log.md", "Written in the file.")
    assert named(sides.index(code=1)["conflicts"]) == ["log.md"]
    sides.index("--take", "file")
    assert sides.client.send("GET", "/notes/mine")["text"] == "Written in the file."
    assert sides.thrown_away("Written on the page.")


def test_a_file_that_cannot_be_read_is_not_said_to_be_gone_and_nothing_is_decided(
    sides: Sides,
) -> None:
    sides.edit("boat.md", text="# Boat\n\nThe boat is red.")
    sides.write("boat.md", b"caf\xe9")
    for take in ("file", "note"):
        settled = sides.aurora("conflicts", "boat.md", "--take", take, *sides.where)
        assert settled.exit_code == 1
        assert "cannot be read" in settled.stdout
        assert "gone" not in settled.stdout
        assert "went into the trash" not in settled.stdout
    assert (sides.folder / "boat.md").read_bytes() == b"caf\xe9"
    assert "red" in sides.note("boat.md")["text"]


@IN_BOTH_PLACES
def test_conflicts_are_listed_shown_and_settled_one_by_one(sides: Sides) -> None:
    assert sides.aurora("conflicts", *sides.where).stdout == "no conflicts\n"
    sides.edit("boat.md", text="# Boat\n\nThe boat is red.")
    sides.write("boat.md", "# Boat\n\nThe boat is green.")
    sides.delete("deep/garden.md")
    sides.write("deep/garden.md", "Seven tomatoes.")
    listed = sides.aurora("conflicts", "--json", *sides.where)
    assert listed.exit_code == 1
    assert set(named(json.loads(listed.stdout)["conflicts"])) == {"boat.md", "deep/garden.md"}
    output = sides.aurora("conflicts", "boat.md", *sides.where).stdout
    assert "-The boat is green.\n+The boat is red." in output
    assert "garden" not in output
    settled = sides.aurora("conflicts", "default/boat.md", "--take", "note", *sides.where)
    assert settled.exit_code == 0
    assert "the note stays, the file went into the trash" in settled.stdout
    assert sides.file("boat.md") == sides.note("boat.md")["text"] == "# Boat\n\nThe boat is red."
    assert sides.thrown_away("The boat is green.")
    assert sides.file("deep/garden.md") == "Seven tomatoes."
    assert (
        sides.aurora("conflicts", "deep/garden.md", "--take", "file", *sides.where).exit_code == 0
    )
    assert sides.note("deep/garden.md")["text"] == "Seven tomatoes."
    assert sides.index()["conflicts"] == []
    assert "boat.md is in no conflict" in sides.aurora("conflicts", "boat.md", *sides.where).stderr
    assert sides.aurora("conflicts", "--take", "file", *sides.where).exit_code == 2
