"""Files that are not what they should be, tenants with any name, locks that others hold."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date
from pathlib import Path
from threading import Timer

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.embedded.files import file_name
from shared.adapters.embedded.sqlite import DOCUMENTS
from shared.errors import InvalidArgument, OperatorError, StoreUnavailable
from shared.model.account import DayUsage, Spending
from shared.model.notes import NoteKey
from tests.adapters.embedded.places import tenant_file
from tests.contracts.samples import TENANT, all_pages, chunk, note, save

ODD_TENANTS = (
    "..\\..\\up",
    "a\\b",
    "A",
    "a",
    "",
    ".",
    "con",
    "nul.txt",
    "日本 😀",
    "x" * 3000,
    "-rf",
    "~",
    "%00",
)


def _filled(home: Path) -> Path:
    """A tenant's file with some content, closed."""
    store = EmbeddedStore(home)
    store.put_note(TENANT, note("n1", text="word " * 20_000))
    save(store, *(chunk("n1", position, text="word " * 400) for position in range(40)))
    store.close()
    return tenant_file(home, TENANT)


def _refused(home: Path) -> OperatorError:
    store = EmbeddedStore(home)
    with pytest.raises(OperatorError) as caught:
        store.get_note(TENANT, "n1")
    store.close()
    return caught.value


def test_every_tenant_has_a_file_of_its_own_inside_the_home(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "home")
    for tenant in ODD_TENANTS:
        store.put_note(tenant, note("n1", text=f"Of {tenant}."))
    store.close()
    second_store = EmbeddedStore(tmp_path / "home")
    for tenant in ODD_TENANTS:
        stored_note = second_store.get_note(tenant, "n1")
        assert stored_note is not None
        assert stored_note.text == f"Of {tenant}."
    found_keys = all_pages(lambda cursor: second_store.note_keys(limit=4, cursor=cursor))
    second_store.close()
    assert found_keys == [
        NoteKey(tenant, "n1") for tenant in sorted(ODD_TENANTS) if "/" not in tenant
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    names = [path.name for path in (tmp_path / "home" / "tenants").glob("*")]
    assert len({name.lower() for name in names}) == len(names) == len(ODD_TENANTS)


def test_a_file_name_tells_whose_it_is_where_the_id_is_plain() -> None:
    assert file_name("local").startswith("local.")
    assert len(file_name("x" * 3000)) < 100


def test_only_the_owner_may_look_into_the_home(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "home")
    store.put_note(TENANT, note("n1"))
    store.close()
    paths = [tmp_path / "home", *(tmp_path / "home").rglob("*")]
    assert len(paths) > 2
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


def test_files_of_an_earlier_version_are_closed_to_others_and_a_folder_that_was_there_stays(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with closing(EmbeddedStore(home)) as store:
        store.put_note(TENANT, note("n1"))
    (file,) = home.rglob("*.sqlite3")
    file.chmod(0o644)
    home.chmod(0o755)
    with closing(EmbeddedStore(home)) as store:
        assert store.get_note(TENANT, "n1")
        assert [path for path in home.rglob("*.sqlite3*") if path.stat().st_mode & 0o077] == []
    assert home.stat().st_mode & 0o777 == 0o755


def test_a_file_of_an_earlier_version_is_brought_up_to_date_with_what_it_holds(
    tmp_path: Path,
) -> None:
    day = date(2026, 5, 8)
    with closing(EmbeddedStore(tmp_path)) as store:
        store.spend("alice", day, Spending.ANSWERS, 3)
    (path,) = tmp_path.rglob("*.sqlite3")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for column in ("searches", "micro_usd", "index_writes"):
            db.execute(f"ALTER TABLE usage DROP COLUMN {column}")
        for table in ("notes", "chunks", "vectors", *DOCUMENTS):
            db.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        db.execute("ALTER TABLE chunks DROP COLUMN properties")
        db.execute("DROP INDEX due_records")
        for column in ("kept", "due_at", "attempted"):
            db.execute(f"ALTER TABLE records DROP COLUMN {column}")
        db.execute("DROP TABLE kept_vectors")
        db.execute("PRAGMA user_version = 2")
    with closing(EmbeddedStore(tmp_path)) as store:
        assert store.spend("alice", day, Spending.SEARCHES, 2, limit=2)
        assert store.list_usage("alice", limit=1).items == (DayUsage(day, 3, 2),)


def test_a_file_of_a_newer_version_is_refused_by_name(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    refused = _refused(tmp_path)
    assert str(path) in refused.message
    assert "newer" in refused.message


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tenant_file(tmp_path, TENANT)
    path.parent.mkdir()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (x)")
    db.close()
    content_before = path.read_bytes()
    assert str(path) in _refused(tmp_path).message
    assert path.read_bytes() == content_before


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tenant_file(tmp_path, TENANT)
    path.parent.mkdir()
    path.write_bytes(b"not a database at all, though long enough to be looked at" * 50)
    content_before = path.read_bytes()
    assert str(path) in _refused(tmp_path).message
    assert path.read_bytes() == content_before


def test_damaged_pages_are_named_with_their_file(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    content = bytearray(path.read_bytes())
    content[16384:] = b"\xa5" * (len(content) - 16384)
    path.write_bytes(content)
    refused = _refused(tmp_path)
    assert str(path) in refused.message
    assert "damaged" in refused.message
    assert path.read_bytes() == content


def test_a_file_copied_to_another_tenants_name_is_refused(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    path.rename(tenant_file(tmp_path, "somebody-else"))
    store = EmbeddedStore(tmp_path)
    with pytest.raises(OperatorError, match="another tenant"):
        store.get_note("somebody-else", "n1")
    store.close()


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    store = EmbeddedStore(tmp_path / "home")
    with pytest.raises(OperatorError, match="home"):
        store.get_note(TENANT, "n1")
    with pytest.raises(OperatorError, match="home"):
        store.write_bookmark("sweep", "x")


def test_a_write_that_others_block_for_too_long_is_unavailable(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    store = EmbeddedStore(tmp_path, patience=0.05)
    with pytest.raises(StoreUnavailable) as caught:
        store.put_note(TENANT, note("n2"))
    assert str(path) in caught.value.message
    assert store.get_note(TENANT, "n1") is not None
    connection.execute("ROLLBACK")
    connection.close()
    store.put_note(TENANT, note("n2"))
    assert store.get_note(TENANT, "n2") == note("n2")
    store.close()


def test_a_thread_that_is_late_leaves_nothing_open_behind_a_closed_store(tmp_path: Path) -> None:
    path = _filled(tmp_path)
    store = EmbeddedStore(tmp_path)
    store.get_note(TENANT, "n1")
    store.close()
    store.get_note(TENANT, "n1")
    with closing(sqlite3.connect(path, timeout=0)) as alone:
        # Leaving the log mode needs the file for oneself.
        assert alone.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)


def test_a_file_that_somebody_else_is_just_making_is_waited_for(tmp_path: Path) -> None:
    path = tenant_file(tmp_path, TENANT)
    path.parent.mkdir()
    maker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    maker.execute("BEGIN IMMEDIATE")
    release = Timer(0.3, maker.execute, ["ROLLBACK"])
    release.start()
    store = EmbeddedStore(tmp_path)
    store.put_note(TENANT, note("n1"))
    assert store.get_note(TENANT, "n1") == note("n1")
    release.join()
    maker.close()
    store.close()


def test_an_id_that_is_no_text_is_the_callers_mistake(embedded_store: EmbeddedStore) -> None:
    with pytest.raises(InvalidArgument):
        embedded_store.get_note(TENANT, "n\ud800")
    with pytest.raises(InvalidArgument):
        embedded_store.get_note("tenant\ud800", "n1")
    assert embedded_store.get_note(TENANT, "n1") is None


def test_sweeps_do_not_stumble_over_a_file_that_is_still_being_made(tmp_path: Path) -> None:
    _filled(tmp_path)
    (tmp_path / "tenants" / "empty.0123.sqlite3").touch()
    store = EmbeddedStore(tmp_path)
    assert store.note_keys(limit=9).items == (NoteKey(TENANT, "n1"),)
    store.close()


WITHOUT_ROOM = """
import resource, signal, sys
from pathlib import Path
from shared.adapters.embedded import EmbeddedStore
from shared.errors import StoreUnavailable
store = EmbeddedStore(Path(sys.argv[1]))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # longer files cannot grow, as on a full disk
try:
    store.get_note(sys.argv[2], "n1")
except StoreUnavailable as error:
    print(error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_disk_without_room_for_the_files_beside_the_store_is_called_full(tmp_path: Path) -> None:
    file = _filled(tmp_path)
    completed = subprocess.run(
        [sys.executable, "-c", WITHOUT_ROOM, str(tmp_path), TENANT],
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stdout == f"{file}: the disk is full\n"
