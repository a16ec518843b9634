"""Several processes on one folder: killed writers, readers beside a writer, writers side by side."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.errors import Conflict
from shared.model.index import IndexChange
from shared.ports.stores import Store
from tests.adapters.embedded.places import tenant_file
from tests.adapters.embedded.writer import NOTES, count_of, vector_of, write
from tests.contracts.samples import FREE, TENANT, VERSION, all_pages, note, record, unit

ROOT = Path(__file__).parents[3]
QUERY = unit(1, 0, 0, 0)


@contextmanager
def _writer(home: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.adapters.embedded.writer", str(home)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_a_writer_killed_at_any_point_leaves_whole_revisions(tmp_path: Path) -> None:
    dice = Random(5)  # noqa: S311 - repeatable, not secret
    reached = []
    for _ in range(12):
        with _writer(tmp_path):
            sleep(dice.uniform(0.005, 0.15))
        store = EmbeddedStore(tmp_path)
        reached.append(_check_whole(store))
        store.close()
        _check_file(tenant_file(tmp_path, TENANT))
    assert reached == sorted(reached)
    assert reached[-1] > 12


def _check_whole(store: Store) -> int:
    """Every note's index is that of one revision, in all its parts. Returns the newest revision."""
    numbers = {}
    for note_id in NOTES:
        stored = store.read_record(TENANT, note_id).record
        if stored is not None:
            numbers[note_id] = int(stored.note_revision)
            chunks = store.stored_chunks(TENANT, note_id)
            assert len(chunks) == stored.chunk_count == count_of(numbers[note_id])
            assert {chunk.note_revision for chunk in chunks} == {stored.note_revision}
            vectors = store.read_vectors(TENANT, [chunk.chunk_id for chunk in chunks])
            assert list(vectors.values()) == [vector_of(numbers[note_id])] * len(chunks)
    total = sum(map(count_of, numbers.values()))
    near = store.nearest(
        TENANT,
        QUERY,
        limit=99,
        stems=[],
        restriction=FREE,
        index_version=VERSION,
    ).neighbours
    assert Counter(neighbour.chunk.note_id for neighbour in near) == {
        note_id: count_of(numbers[note_id]) for note_id in numbers
    }
    assert (
        len(
            store.postings(
                TENANT,
                "always",
                limit=99,
                stems=[],
                restriction=FREE,
            )
        )
        == total
    )
    assert store.document_frequencies(TENANT, ["always"]) == {"always": total}
    assert store.stats(TENANT).chunk_count == total
    return max(numbers.values(), default=0)


def _check_file(path: Path) -> None:
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.execute("INSERT INTO postings (postings) VALUES ('integrity-check')")
    totals = db.execute("SELECT count(*), sum(length) FROM chunks").fetchone()
    assert totals == db.execute("SELECT chunk_count, total_length FROM state").fetchone()
    assert db.execute(
        "SELECT count(*) FROM vectors WHERE id NOT IN (SELECT id FROM chunks)"
    ).fetchone() == (0,)
    db.close()


def read_revisions(home: Path, wanted: int) -> int:
    """Search again and again until so many different revisions were seen, or half a minute is over. Returns how many.
    In a process of its own.
    """
    store = EmbeddedStore(home)
    revisions_seen: set[int] = set()
    until = monotonic() + 30
    while len(revisions_seen) < wanted and monotonic() < until:
        near = store.nearest(
            TENANT, QUERY, limit=99, stems=[], restriction=FREE, index_version=VERSION
        ).neighbours
        by_note: dict[str, list[int]] = {}
        for neighbour in near:
            number = int(neighbour.chunk.note_revision)
            assert neighbour.cosine == pytest.approx(vector_of(number)[0], abs=1e-6), (
                "a row and its vector disagree"
            )
            by_note.setdefault(neighbour.chunk.note_id, []).append(number)
        for numbers in by_note.values():
            assert numbers == [numbers[0]] * count_of(numbers[0]), "two revisions in one snapshot"
        revisions_seen.update(number for numbers in by_note.values() for number in numbers)
    store.close()
    return len(revisions_seen)


@pytest.mark.slow
def test_two_processes_read_whole_revisions_while_a_third_writes(tmp_path: Path) -> None:
    with _writer(tmp_path), ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for revisions in pool.map(read_revisions, [tmp_path] * 2, [20] * 2):
            assert revisions >= 20


def test_a_commit_of_another_process_is_seen_at_once(tmp_path: Path) -> None:
    ours = EmbeddedStore(tmp_path)
    theirs = EmbeddedStore(tmp_path)
    for number in range(1, 8):
        write(theirs, "n0", number)
        near = ours.nearest(
            TENANT, QUERY, limit=99, stems=[], restriction=FREE, index_version=VERSION
        ).neighbours
        assert [int(neighbour.chunk.note_revision) for neighbour in near] == [number] * count_of(
            number
        )
        assert ours.get_note(TENANT, "n0") == note("n0", text=f"Revision {number}.")
    ours.close()
    theirs.close()


def count_up(home: Path, name: str, others: int, times: int) -> None:
    """Raise the record's revision by one, `times` times, against `others` who begin at the same moment."""
    store = EmbeddedStore(home)
    (home / f"{name}.waits").touch()
    while len(list(home.glob("*.waits"))) <= others:
        sleep(0.001)
    rounds_done = 0
    while rounds_done < times:
        stored = store.read_record(TENANT, "n0")
        number = int(stored.record.note_revision) if stored.record else 0
        try:
            store.apply(TENANT, IndexChange("n0", stored.token, record(revision=str(number + 1))))
        except Conflict:
            continue
        rounds_done += 1
    store.close()


@pytest.mark.slow
def test_writers_of_several_processes_take_turns_and_lose_nothing(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        list(pool.map(count_up, [tmp_path] * 3, "abc", [2] * 3, [100] * 3))
    store = EmbeddedStore(tmp_path)
    assert store.read_record(TENANT, "n0").record == record(revision="300")
    store.close()


def put_first(home: Path, note_id: str) -> None:
    store = EmbeddedStore(home)
    store.put_note(TENANT, note(note_id))
    store.close()


@pytest.mark.slow
def test_processes_that_make_the_same_file_at_once_all_get_through(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        for turn in range(5):
            names = [f"n{number}" for number in range(4)]
            list(pool.map(put_first, [tmp_path / str(turn)] * 4, names))
            store = EmbeddedStore(tmp_path / str(turn))
            assert [note.note_id for note in store.list_notes(TENANT, limit=9).items] == names
            store.close()


def test_threads_share_a_store(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    write(store, "n1", 1)

    def work(number: int) -> int:
        if number % 4 == 0:
            store.put_note(TENANT, note(f"x{number:03d}"))
            write(store, f"x{number:03d}", number)
        near = store.nearest(
            TENANT, QUERY, limit=999, stems=[], restriction=FREE, index_version=VERSION
        ).neighbours
        counts = Counter(
            (neighbour.chunk.note_id, int(neighbour.chunk.note_revision)) for neighbour in near
        )
        return sum(count != count_of(revision) for (_, revision), count in counts.items())

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(80))) == 0
    assert len(all_pages(lambda token: store.list_notes(TENANT, limit=7, token=token))) == 21
    store.close()
