"""Which notes came from which folder, also when several imports write it down at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.manifest import Manifest
from shared.errors import OperatorError
from tests.servers.dev import ROOT

WRITER = """
import sys
from pathlib import Path
from cli.manifest import Manifest
home, source = Path(sys.argv[1]), "destination " + sys.argv[2]
for number in range(40):
    manifest = Manifest.of(home)
    manifest.begin("destination", source, home, [f"{source}-{number}"])
    manifest.keep(source, [f"{source}-{number}"], [])
"""


def test_processes_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    """Two of them on the same folder."""
    sources = ("a", "b", "b", "c")
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name], cwd=ROOT) for name in sources]
    assert [process.wait(120) for process in running] == [0, 0, 0, 0]
    manifest = Manifest.of(tmp_path)
    for source in "abc":
        begun = manifest.begin("destination", f"destination {source}", tmp_path, [])
        assert begun.before == {f"destination {source}-{number}" for number in range(40)}
        assert len(begun.foreign) == 80


def test_two_folders_that_begin_at_once_do_not_both_take_the_same_note(tmp_path: Path) -> None:
    one, other = Manifest.of(tmp_path), Manifest.of(tmp_path)
    one.begin("destination", "destination one", tmp_path, ["n"])
    assert other.begin("destination", "destination other", tmp_path, ["n"]).foreign == {"n"}
    other.keep("destination other", [], [])
    assert one.begin("destination", "destination one", tmp_path, []).before == {"n"}


def test_another_shelf_may_have_the_same_notes(tmp_path: Path) -> None:
    manifest = Manifest.of(tmp_path)
    manifest.begin("destination", "destination one", tmp_path, ["n"])
    assert manifest.begin("other", "other one", tmp_path, ["n"]).foreign == frozenset()


def test_what_another_import_found_meanwhile_stays(tmp_path: Path) -> None:
    one, other = Manifest.of(tmp_path), Manifest.of(tmp_path)
    one.begin("destination", "destination s", tmp_path, ["old", "gone"])
    other.begin("destination", "destination s", tmp_path, ["old", "new"])
    other.keep("destination s", ["old", "new"], [])
    one.keep("destination s", ["old"], ["gone"])
    assert Manifest.of(tmp_path).begin("destination", "destination s", tmp_path, []).before == {"old", "new"}


def test_a_note_leads_to_its_file_while_there_is_one(tmp_path: Path) -> None:
    manifest = Manifest.of(tmp_path)
    (tmp_path / "a.md").write_text("")
    manifest.begin("destination", "destination s", tmp_path, ["id-a", "id-b"])
    assert manifest.file_of("id-a", "a.md") == tmp_path / "a.md"
    assert manifest.file_of("id-b", "b.md") is None
    assert manifest.file_of("id-c", "a.md") is None


@pytest.mark.parametrize("text", ["", "[]", '{"other": 1}', "nonsense"])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "folders.json").write_text(text)
    with pytest.raises(OperatorError, match=r"folders\.json is damaged"):
        Manifest.of(tmp_path)
