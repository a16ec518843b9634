"""The manifest tells what was last read of which folder, also when several imports write it down at once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from desktop.folders.manifest import FolderSource, Manifest, SyncedState
from shared.errors import InvalidArgument, OperatorError
from tests.servers.dev import ROOT

WRITER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from desktop.folders.manifest import Manifest, FolderSource, SyncedState
home, name = Path(sys.argv[1]), sys.argv[2]
source = FolderSource("destination", "default", home / name)
for number in range(40):
    manifest = Manifest.of(home)
    note_id = f"{name}-{number}"
    manifest.begin(source, {note_id: "a.md"})
    manifest.intend(source, note_id, "reading")
    manifest.record(source, note_id, SyncedState("a.md", "file", "note", "seen", "reading"))
    manifest.end(source, skipped=0)
"""


def _source(root: Path, destination: str = "destination") -> FolderSource:
    return FolderSource(destination, "default", root)


def test_processes_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    """Two of them on the same folder."""
    names = ("a", "b", "b", "c")
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name], cwd=ROOT)
        for name in names
    ]
    assert [process.wait(120) for process in running] == [0, 0, 0, 0]
    manifest = Manifest.of(tmp_path)
    for name in "abc":
        import_ = manifest.begin(_source(tmp_path / name), {})
        assert set(import_.synced) == {f"{name}-{number}" for number in range(40)}
        assert set(import_.synced.values()) == {
            SyncedState("a.md", "file", "note", "seen", "reading")
        }
        assert len(import_.foreign) == 80


def test_an_import_that_is_broken_off_waits_for_a_thread_that_still_writes(tmp_path: Path) -> None:
    """Ctrl-C in the moment in which a pool starts a thread leaves that thread at work."""
    manifest = Manifest.of(tmp_path)
    source = _source(tmp_path)
    has_begun = Event()
    may_end = Event()

    def work() -> None:
        with manifest._writing() as db:
            has_begun.set()
            may_end.wait(0.2)
            db.execute(
                "INSERT INTO folders (destination, vault, root) VALUES ('destination', 'default', ?)",
                (str(tmp_path),),
            )

    with ThreadPoolExecutor(1) as pool:
        with suppress(KeyboardInterrupt), manifest.kept_open():
            written = pool.submit(work)
            has_begun.wait()
            raise KeyboardInterrupt
        may_end.set()
        written.result()
    assert manifest.knows(source)


def test_two_folders_that_begin_at_once_do_not_both_take_the_same_note(tmp_path: Path) -> None:
    manifest = Manifest.of(tmp_path)
    first_source = _source(tmp_path / "one")
    second_source = _source(tmp_path / "other")
    manifest.begin(first_source, {"n": "n.md"})
    assert manifest.begin(second_source, {"n": "n.md"}).foreign == {"n"}
    assert manifest.files(second_source) == {}
    assert set(manifest.begin(first_source, {}).synced) == {"n"}
    assert (
        manifest.begin(_source(tmp_path, "another destination"), {"n": "n.md"}).foreign
        == frozenset()
    )
    assert Manifest.of(tmp_path / "home").folders("destination") == ()
    assert not (tmp_path / "home").exists(), "looking makes no file"


def test_what_was_read_is_known_until_it_is_dropped(tmp_path: Path) -> None:
    manifest = Manifest.of(tmp_path)
    source = _source(tmp_path)
    manifest.begin(source, {"n": "n.md", "m": "m.md"})
    manifest.intend(source, "n", "reading")
    assert manifest.read(source, "n") == SyncedState("n.md", content_digest="reading")
    read = SyncedState("n.md", "file", "note", "seen", "reading")
    manifest.record(source, "n", read)
    manifest.drop(source, "m")
    assert Manifest.of(tmp_path).files(source) == {"n": read}
    assert not manifest.folders("destination")[0].finished
    manifest.end(source, skipped=3)
    (folder,) = manifest.folders("destination")
    assert folder.source == source
    assert folder.notes == 1
    assert folder.finished is True
    assert folder.skipped == 3
    assert manifest.origin("destination", "n") == (folder, read)
    manifest.forget_all("destination")
    assert manifest.folders("destination") == ()
    assert manifest.origin("destination", "n") is None


def test_a_note_leads_to_its_file_while_there_is_one(tmp_path: Path) -> None:
    manifest = Manifest.of(tmp_path)
    (tmp_path / "a.md").write_text("")
    manifest.begin(_source(tmp_path), {"id-a": "a.md", "id-b": "b.md"})
    assert manifest.file_of("id-a", "a.md") == tmp_path / "a.md"
    assert manifest.file_of("id-b", "b.md") is None
    assert manifest.file_of("id-c", "a.md") is None


@pytest.mark.parametrize("text", ["[]", '{"other": 1}', "nonsense"])
def test_a_damaged_file_is_set_aside_once_and_begun_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    (tmp_path / "folders.db").write_bytes(text.encode() * 1000)
    for _ in range(2):
        assert Manifest.of(tmp_path).folders("destination") == ()
    (message,) = caplog.messages
    assert "folders.db was damaged and is folders.db.damaged now" in message
    Manifest.of(tmp_path).forget_all("destination")
    assert not (tmp_path / "folders.db.damaged").exists()


def test_no_damaged_byte_stops_an_erasure_or_lasts_beyond_one_call(tmp_path: Path) -> None:
    manifest = Manifest.of(tmp_path)
    source = _source(tmp_path)
    manifest.begin(source, {f"id-{number}": f"folder/{number}.md" for number in range(50)})
    file_content = manifest.file.read_bytes()
    used = [offset for offset, byte in enumerate(file_content) if byte]
    for offset in used[:: len(used) // 100]:
        content = bytearray(file_content)
        content[offset] ^= 0xFF
        manifest.file.write_bytes(content)
        Manifest.of(tmp_path).forget_all("destination")
        manifest.file.write_bytes(content)
        with suppress(OperatorError):
            Manifest.of(tmp_path).files(source)
            Manifest.of(tmp_path).folders("destination")
        Manifest.of(tmp_path).folders("destination")


def test_a_folder_whose_name_is_no_utf_8_is_refused_with_its_name() -> None:
    with pytest.raises(InvalidArgument, match=r"path: .*/caf\?: rename what it shows as \?"):
        _source(Path("/notes/caf\udce9"))


def test_of_links_to_one_place_only_one_moves_its_folder_there_in_all_its_vaults(
    tmp_path: Path,
) -> None:
    manifest = Manifest.of(tmp_path / "home")
    new_place = tmp_path / "new"
    new_place.mkdir()
    links = [tmp_path / "first", tmp_path / "second"]
    for link in links:
        link.symlink_to(new_place)
        for vault in ("default", "work"):
            manifest.begin(FolderSource("destination", vault, link), {})
    for _ in range(2):
        manifest.follow_links("destination")
        roots = [folder.source.root for folder in manifest.folders("destination")]
        assert len(roots) == 4
        assert roots.count(new_place) == 2


def test_a_link_to_a_folder_that_is_followed_into_another_vault_moves_nothing(
    tmp_path: Path,
) -> None:
    manifest = Manifest.of(tmp_path / "home")
    other = tmp_path / "other"
    other.mkdir()
    link = tmp_path / "link"
    link.symlink_to(other)
    sources = {_source(link), FolderSource("destination", "work", other)}
    for source in sources:
        manifest.begin(source, {})
    manifest.follow_links("destination")
    assert {folder.source for folder in manifest.folders("destination")} == sources


def test_links_in_a_circle_at_the_place_of_a_folder_stop_nothing(tmp_path: Path) -> None:
    """Before Python 3.13 `Path.resolve` raises RuntimeError for them."""
    manifest = Manifest.of(tmp_path / "home")
    folder = tmp_path / "folder"
    manifest.begin(_source(folder), {})
    folder.symlink_to(tmp_path / "back")
    (tmp_path / "back").symlink_to(folder)
    manifest.follow_links("destination")
    assert [followed.source for followed in manifest.folders("destination")] == [_source(folder)]
