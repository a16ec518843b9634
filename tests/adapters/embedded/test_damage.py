"""Real files in which bytes were changed: what was saved is told from what the disk made of it."""

from __future__ import annotations

import sqlite3
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from shared.account.export import all_notes, zipped
from shared.adapters.embedded import EmbeddedStore
from shared.adapters.embedded.damage import (
    Condition,
    check,
    mend_derived,
    readable_chunks,
)
from shared.adapters.embedded.documents import CHUNKS, DamagedChunk, chunks_of
from shared.adapters.embedded.files import TenantFile
from shared.adapters.embedded.sqlite import fetch_rows, fill_checksums
from shared.adapters.embedded.vector_rows import VECTORS
from shared.errors import AuroraError, NoteUnreadable
from shared.indexing.pipeline import Indexer
from shared.model.index import IndexStatus
from shared.model.notes import Note, NoteKey, UnreadableNote
from shared.model.retrieval import Restriction
from shared.notes.service import NoteDraft, Notes
from shared.ports.pages import items_of_pages
from tests.adapters.embedded.places import flip, tenant_file
from tests.fakes import HashingEmbedder
from tests.indexing.world import Clock, note
from tests.sweep.samples import sweep

TENANT = "alice"
SECRET = "the heron sleeps under the bridge"
SAVED = note(
    SECRET,
    "n1",
    title="Heron",
    path="birds/heron.md",
    tags=("bird", "night"),
    lang="en",
)
FREE = Restriction()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A tenant's file with two notes whose index is whole, closed."""
    with closing(EmbeddedStore(tmp_path)) as store:
        store.put_note(TENANT, SAVED)
        store.put_note(TENANT, note("The boat is blue.", "n2", title="Boat"))
        clock = Clock()
        for note_id in ("n1", "n2"):
            _indexer(store, clock).index(NoteKey(TENANT, note_id))
    return tenant_file(tmp_path, TENANT)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], EmbeddedStore]]:
    stores = []

    def again() -> EmbeddedStore:
        stores.append(EmbeddedStore(tmp_path))
        return stores[-1]

    yield again
    for store in stores:
        store.close()


def _indexer(store: EmbeddedStore, clock: Clock) -> Indexer:
    return Indexer(
        store=store,
        embedder=HashingEmbedder(dimension=8),
        clock=clock,
    )


def _places(content: bytes, text: str) -> list[int]:
    """Find the text in the file: in the note, in its chunk, in free pages."""
    offsets = []
    offset = content.find(text.encode())
    while offset >= 0:
        offsets.append(offset)
        offset = content.find(text.encode(), offset + 1)
    return offsets


def _flip(file: Path, place: int, mask: int = 0x80) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= mask
    file.write_bytes(content)


def _damage_note(file: Path, mask: int = 0x80) -> None:
    """One byte of the text of the note, and of no chunk."""
    flip(file, "notes", SECRET, mask)


@pytest.mark.parametrize("mask", [0x01, 0x80])
def test_a_note_with_one_flipped_bit_is_unreadable_and_not_another_note(
    file: Path, opened: Callable[[], EmbeddedStore], mask: int
) -> None:
    _damage_note(file, mask)
    store = opened()
    with pytest.raises(NoteUnreadable, match=r"^note: expected what was saved, but the disk"):
        store.get_note(TENANT, "n1")
    assert store.get_note(TENANT, "n2") is not None
    assert [note.note_id for note in store.list_notes(TENANT, limit=9).items] == ["n1", "n2"]


def test_every_flipped_byte_of_a_row_is_found_or_changes_nothing(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    content = file.read_bytes()
    with closing(sqlite3.connect(file)) as db:
        page_size = db.execute("PRAGMA page_size").fetchone()[0]
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'notes'").fetchone()
    (place,) = (offset for offset in _places(content, SECRET) if offset // page_size == page - 1)
    errors = []
    for offset in range(place - 90, place + len(SECRET) + 6):
        for mask in (0x01, 0x80):
            _flip(file, offset, mask)
            with closing(opened()) as store:
                try:
                    assert store.get_note(TENANT, "n1") in (SAVED, None), f"byte {offset - place}"
                    list(all_notes(TENANT, store))
                    store.list_notes(TENANT, limit=9)
                except AuroraError as error:
                    errors.append(error)
            file.write_bytes(content)
    assert len(errors) > 2 * len(SECRET)
    assert not any(_quotes(error) for error in errors)


def _quotes(error: BaseException) -> bool:
    """Tell whether a traceback of the error shows words of the note."""
    traceback_text = "".join(traceback.format_exception(error, limit=0))
    return any(word in traceback_text for word in ("heron", "sleeps", "bridge"))


def test_an_unreadable_note_is_exported_as_it_is_and_the_export_goes_on(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    _damage_note(file)
    store = opened()
    damaged, sound = all_notes(TENANT, store)
    assert isinstance(damaged, UnreadableNote)
    assert damaged.note_id == "n1"
    assert damaged.fields["title"] == "Heron"
    assert isinstance(sound, Note)
    assert b"".join(zipped(all_notes(TENANT, store)))[:2] == b"PK"
    assert check(file) == Condition(pages=(), notes=1, documents={}, derived=0)


def test_saving_an_unreadable_note_again_mends_it_and_deleting_removes_it(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    _damage_note(file)
    store = opened()
    notes = Notes(store=store, clock=Clock())
    notes.save(TENANT, "n1", NoteDraft.of(SAVED))
    assert notes.get(TENANT, "n1").text == SECRET
    store.close()
    _damage_note(file)
    notes = Notes(store=opened(), clock=Clock())
    notes.delete(TENANT, "n1")
    assert notes.store.get_note(TENANT, "n1") is None


def test_the_index_of_an_unreadable_note_says_why_it_failed(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    _damage_note(file)
    store = opened()
    sweep(store, HashingEmbedder(dimension=8), Clock(), full=True)
    record = store.read_record(TENANT, "n1").record
    assert record is not None
    assert record.status == IndexStatus.FAILED
    assert (record.error or "")[:30] == "note: expected what was saved,"
    failed = [note.error for note in store.list_notes(TENANT, limit=9).items]
    assert failed == [record.error, None]


@pytest.mark.parametrize(
    "column",
    [
        "chunk_id",
        "note_id",
        "tags",
        "scopes",
        "properties",
        "text",
        "terms",
        "title",
        "text_hash",
        "index_version",
    ],
)
def test_a_damaged_chunk_is_left_out_and_made_anew(
    file: Path, opened: Callable[[], EmbeddedStore], column: str
) -> None:
    with closing(opened()) as store:
        sound = store.recent(
            TENANT,
            limit=9,
            stems=("heron",),
            restriction=FREE,
        )
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        # What a flipped first bit makes of it; the file's own bytes move with every version of SQLite.
        damaged = f"CAST(x'db' || substr({column}, 2) AS TEXT)"
        db.execute(f"UPDATE chunks SET {column} = {damaged} WHERE note_id = 'n1'")  # noqa: S608 - named above
    store = opened()
    clock = Clock()
    embedder = HashingEmbedder(dimension=8)
    recent_chunks = store.recent(
        TENANT,
        limit=9,
        stems=("heron",),
        restriction=FREE,
    )
    assert [chunk.note_id for chunk in recent_chunks] == ["n2"]
    assert store.note_chunks(TENANT, "n1", stems=()) == ()
    if column != "note_id":  # then only the full sweep finds whose chunk it was
        assert store.due_keys(clock(), limit=9) == (NoteKey(TENANT, "n1"),)
    store.nearest(
        TENANT,
        embedder.embed_query("heron"),
        limit=9,
        stems=("heron",),
        restriction=FREE,
        index_version=_indexer(store, clock).version,
    )
    sweep(store, embedder, clock, full=True)
    assert store.recent(TENANT, limit=9, stems=("heron",), restriction=FREE) == sound
    loses_its_vector = column in ("chunk_id", "note_id", "text_hash")
    texts = 1 if loses_its_vector else 0
    assert embedder.embedded.total() == texts
    sweep(store, embedder, clock, full=True)
    assert embedder.embedded.total() == texts
    assert store.stats(TENANT).chunk_count == 2


def test_what_was_read_damaged_and_has_been_made_anew_since_is_not_marked_again(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    flip(file, "chunks", SECRET)
    store = opened()
    clock = Clock()
    query = f"SELECT {CHUNKS.columns}, id FROM chunks WHERE note_id = 'n1'"  # noqa: S608 - no value in it
    tenant = TenantFile(file, TENANT, patience=1.0)
    try:
        with tenant.reading() as db:
            (read_before,) = chunks_of(fetch_rows(db, query), ())
        assert isinstance(read_before, DamagedChunk)
        sweep(store, HashingEmbedder(dimension=8), clock, full=True)
        made_anew = store.note_chunks(TENANT, "n1", stems=())
        token = store.read_record(TENANT, "n1").token
        assert readable_chunks(tenant, [read_before], ()) == ()
    finally:
        tenant.close()
    assert len(made_anew) == 1
    assert store.note_chunks(TENANT, "n1", stems=()) == made_anew
    assert store.read_record(TENANT, "n1").token == token


def test_questions_do_not_disturb_the_indexing_of_a_note_whose_chunk_is_damaged(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    flip(file, "chunks", SECRET)
    store = opened()
    assert store.note_chunks(TENANT, "n1", stems=()) == ()
    marked = store.read_record(TENANT, "n1")
    assert store.note_chunks(TENANT, "n1", stems=()) == ()
    assert store.read_record(TENANT, "n1") == marked


def test_a_chunk_whose_revision_the_disk_has_emptied_is_not_taken_for_one_that_is_marked(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE chunks SET note_revision = '' WHERE note_id = 'n1'")
    assert check(file).derived == 1
    sweep(opened(), HashingEmbedder(dimension=8), Clock(), full=True)
    assert check(file).derived == 0


def test_the_note_of_a_damaged_record_is_indexed_anew(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        damaged = "CAST(x'db' || substr(index_version, 2) AS TEXT)"
        db.execute(f"UPDATE records SET index_version = {damaged} WHERE note_id = 'n1'")  # noqa: S608 - named above
    store = opened()
    clock = Clock()
    assert store.read_record(TENANT, "n1").record is None
    assert store.live_records(TENANT, ["n1", "n2"]).keys() == {"n2"}
    sweep(store, HashingEmbedder(dimension=8), clock, full=True)
    assert store.live_records(TENANT, ["n1", "n2"]).keys() == {"n1", "n2"}


def test_a_lost_chunk_is_made_anew(file: Path, opened: Callable[[], EmbeddedStore]) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("DELETE FROM chunks WHERE note_id = 'n1'")
    store = opened()
    clock = Clock()
    sweep(store, HashingEmbedder(dimension=8), clock, full=True)
    assert len(store.note_chunks(TENANT, "n1", stems=())) == 1


def test_a_dry_run_of_the_sweep_marks_nothing_that_is_damaged_or_lost(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    store = opened()
    store.put_note(TENANT, note("Edited since it was indexed.", "n2"))
    store.close()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE chunks SET text = 'changed' WHERE note_id IN ('n1', 'n2')")
        for table in VECTORS:
            db.execute(f"UPDATE {table} SET vector = zeroblob(length(vector))")  # noqa: S608 - named there
    before = file.read_bytes()
    store = opened()
    for full in (False, True):
        sweep(store, HashingEmbedder(dimension=8), Clock(), full=full, dry_run=True)
    store.close()
    assert file.read_bytes() == before


def _flipped_vectors(file: Path, table: str) -> Iterator[bytes]:
    """Yields the vector of n1's chunk, once for each of its bytes, while the file holds it with that byte changed.

    Masks take turns: the sign and the exponent become NaN, infinite or huge, the others a little different.
    """
    row = "(SELECT id FROM chunks WHERE note_id = 'n1')"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        (vector,) = db.execute(f"SELECT vector FROM {table} WHERE id = {row}").fetchone()  # noqa: S608 - named above
    for place in range(len(vector)):
        damaged = bytearray(vector)
        damaged[place] ^= (0x7F, 0x01, 0x80)[place % 3]
        with closing(sqlite3.connect(file, isolation_level=None)) as db:
            changed = db.execute(
                f"UPDATE {table} SET vector = ? WHERE id = {row}",  # noqa: S608 - named above
                (bytes(damaged),),
            ).rowcount
        assert changed == 1
        yield vector


def test_each_flipped_byte_of_a_vector_is_left_out_and_made_anew(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    clock = Clock()
    for flipped in _flipped_vectors(file, "vectors"):
        assert check(file) == Condition(pages=(), notes=0, documents={}, derived=1)
        embedder = HashingEmbedder(dimension=8)
        with closing(opened()) as store:
            assert _nearest(store, embedder) == ["n2"]
            assert check(file) == Condition(pages=(), notes=0, documents={}, derived=0)
            assert store.due_keys(clock(), limit=9) == (NoteKey(TENANT, "n1"),)
            recent_chunks = store.recent(
                TENANT,
                limit=9,
                stems=(),
                restriction=FREE,
            )
            records = store.live_records(TENANT, ["n1"])
            assert {chunk.note_revision for chunk in recent_chunks if chunk.note_id == "n1"} == {
                records["n1"].note_revision
            }  # words find it meanwhile
            sweep(store, embedder, clock)
            assert embedder.embedded.total() == 1
            assert sorted(_nearest(store, embedder)) == ["n1", "n2"]
            vectors = store.read_vectors(TENANT, ["n1_000"])
            assert vectors["n1_000"].tobytes() == flipped


def test_a_vector_of_which_the_disk_has_made_a_text_is_made_anew(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    """One bit of a row's header tells them apart."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        row = "(SELECT id FROM chunks WHERE note_id = 'n1')"
        (vector,) = db.execute(f"SELECT vector FROM vectors WHERE id = {row}").fetchone()  # noqa: S608 - named above
        db.execute(f"UPDATE vectors SET vector = CAST(vector AS TEXT) WHERE id = {row}")  # noqa: S608 - named above
    assert check(file).derived == 1
    store = opened()
    assert store.read_vectors(TENANT, ["n1_000"]) == {}
    embedder = HashingEmbedder(dimension=8)
    sweep(store, embedder, Clock(), full=True)
    assert embedder.embedded.total() == 1
    assert store.read_vectors(TENANT, ["n1_000"])["n1_000"].tobytes() == vector


def _nearest(store: EmbeddedStore, embedder: HashingEmbedder) -> list[str]:
    neighbours = store.nearest(
        TENANT,
        embedder.embed_query("heron"),
        limit=9,
        stems=(),
        restriction=FREE,
        index_version=_indexer(store, Clock()).version,
    ).neighbours
    return [neighbour.chunk.note_id for neighbour in neighbours]


def test_a_vector_that_is_damaged_after_it_was_read_is_left_out_of_the_next_search(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    store = opened()
    embedder = HashingEmbedder(dimension=8)
    assert len(_nearest(store, embedder)) == 2
    next(_flipped_vectors(file, "vectors"))
    assert _nearest(store, embedder) == ["n2"]
    sweep(store, embedder, Clock())
    assert len(_nearest(store, embedder)) == 2


def test_a_search_that_a_damaged_vector_took_the_place_of_another_in_says_that_there_is_more(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    store = opened()
    search = partial(
        store.nearest,
        TENANT,
        HashingEmbedder(dimension=8).embed_query("heron"),
        limit=1,
        stems=(),
        restriction=FREE,
        index_version=_indexer(store, Clock()).version,
    )
    assert [neighbour.chunk.note_id for neighbour in search().neighbours] == ["n1"]
    next(_flipped_vectors(file, "vectors"))
    matches = search()
    assert matches.neighbours == ()
    assert matches.ceiling == 1.0
    (neighbour,) = search().neighbours
    assert neighbour.chunk.note_id == "n2"


def test_a_full_sweep_finds_damaged_vectors_that_nobody_searches(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    next(_flipped_vectors(file, "vectors"))
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        damaged = "CAST(x'db' || substr(index_version, 2) AS TEXT)"
        db.execute(f"UPDATE vectors SET index_version = {damaged} WHERE vector = vector")  # noqa: S608 - named above
    store = opened()
    embedder = HashingEmbedder(dimension=8)
    clock = Clock()
    sweep(store, embedder, clock, full=True)
    assert embedder.embedded.total() == 2
    assert len(_nearest(store, embedder)) == 2


def test_a_damaged_vector_is_not_reused_when_its_chunk_moves(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    next(_flipped_vectors(file, "vectors"))
    store = opened()
    embedder = HashingEmbedder(dimension=8)
    clock = Clock()
    store.put_note(TENANT, note(f"A new first line.\n\n{SECRET}", "n1", title="Heron"))
    _indexer(store, clock).index(NoteKey(TENANT, "n1"))
    assert sorted(set(_nearest(store, embedder))) == ["n1", "n2"]
    assert check(file).derived == 0


def test_a_vector_without_a_checksum_must_be_of_unit_length(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    """Rows of earlier versions have none."""
    embedder = HashingEmbedder(dimension=8)
    next(_flipped_vectors(file, "vectors"))
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE vectors SET checksum = NULL")
        with closing(opened()) as store:
            assert len(_nearest(store, embedder)) == 2  # one bit of little weight is not seen
        (vector,) = db.execute("SELECT vector FROM vectors LIMIT 1").fetchone()
        db.execute("UPDATE vectors SET vector = ?", (b"\0\0\xc0\x7f" + vector[4:],))
    with closing(opened()) as store:
        assert _nearest(store, embedder) == []
        sweep(store, embedder, Clock())
        assert len(_nearest(store, embedder)) == 2


def test_no_byte_of_the_file_brings_out_the_text_of_a_note(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    """Each of many bytes, all over the file: whatever is wrong, it is one of our errors, without text."""
    content = file.read_bytes()
    used = [offset for offset, byte in enumerate(content) if byte]
    errors: list[Exception] = []
    for offset in used[:: len(used) // 300]:
        _flip(file, offset, 0xFF)
        with closing(opened()) as store:
            for call in _calls(store):
                try:
                    call()
                except Exception as error:  # noqa: BLE001 - whatever it is, it may not show text
                    errors.append(error)
        file.write_bytes(content)
    assert errors
    assert not any(_quotes(error) for error in errors)
    strange = [error for error in errors if not isinstance(error, AuroraError)]
    assert not strange


def _calls(store: EmbeddedStore) -> Iterator[Callable[[], object]]:
    file = store._files.of(TENANT)
    yield partial(check, file.path)
    yield partial(mend_derived, file)
    yield partial(sweep, store, HashingEmbedder(dimension=8), Clock(), full=True)
    yield partial(store.get_note, TENANT, "n1")
    yield lambda: list(all_notes(TENANT, store))
    yield partial(store.list_notes, TENANT, limit=9)
    yield partial(
        store.recent,
        TENANT,
        limit=9,
        stems=("heron",),
        restriction=FREE,
    )
    yield partial(store.read_record, TENANT, "n1")
    yield partial(store.put_note, TENANT, SAVED)


def test_notes_of_an_earlier_version_get_their_checksums(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        (checksum_before,) = db.execute(
            "SELECT checksum FROM notes WHERE note_id = 'n1'"
        ).fetchone()
        db.execute("UPDATE notes SET checksum = NULL")
        fill_checksums(db)
        (after,) = db.execute("SELECT checksum FROM notes WHERE note_id = 'n1'").fetchone()
    assert after == checksum_before
    with closing(opened()) as store:
        assert store.get_note(TENANT, "n1") == SAVED


def test_a_damaged_id_of_a_note_stops_neither_the_checksums_of_the_others_nor_the_check(
    file: Path,
) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE notes SET checksum = NULL")
    flip(file, "notes", "n1")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        fill_checksums(db)
        unwritten = db.execute("SELECT count(*) FROM notes WHERE checksum IS NULL").fetchone()
    assert unwritten == (0,)
    assert check(file).notes == 1


def test_listings_go_on_behind_a_note_whose_id_is_damaged(
    file: Path, opened: Callable[[], EmbeddedStore]
) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE notes SET note_id = CAST(x'6edb' AS TEXT) WHERE note_id = 'n2'")
    store = opened()
    store.put_note(TENANT, note("Last.", "z1"))
    listed = items_of_pages(lambda token: store.list_notes(TENANT, limit=1, token=token))
    assert [row.note_id for row in listed] == ["n1", "z1"]
    exported = items_of_pages(lambda token: store.whole_notes(TENANT, limit=1, token=token))
    assert [type(row) for row in exported] == [Note, UnreadableNote, Note]
