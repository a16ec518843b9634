"""Notes that kill the process which indexes them: they cost themselves the time, and nobody else."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from shared.model.index import IndexStatus
from shared.ports.stores import Store
from tests.indexing.world import START, note
from tests.sweep.killers import KILLER

ROOT = Path(__file__).resolve().parents[2]
TENANTS = ("alice", "bob", "zoe")
STRANGER = "stranger"
NOTES = 6
KILLERS = ("k1", "k2", "k3")
EVERY = 5

pytestmark = pytest.mark.slow


def _sweep(project: str, minutes: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.sweep.killers", project, str(minutes)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


def _waiting(store: Store) -> list[tuple[str, str]]:
    """Notes of the others that have no vectors yet."""
    return [
        (tenant, f"n{number}")
        for tenant in TENANTS
        for number in range(NOTES)
        if not _is_indexed(store, tenant, f"n{number}")
    ]


def _is_indexed(store: Store, tenant: str, note_id: str) -> bool:
    record = store.read_record(tenant, note_id).record
    return record is not None and record.status is IndexStatus.INDEXED


def test_three_notes_that_kill_every_worker_stop_the_sweep_for_nobody_else(
    firestore_store: Store, firestore_project: str
) -> None:
    for tenant in TENANTS:
        for number in range(NOTES):
            firestore_store.put_note(tenant, note(f"Of {tenant}.", f"n{number}"))
    for note_id in KILLERS:
        firestore_store.put_note(STRANGER, note(KILLER, note_id))

    calls = [_sweep(firestore_project, EVERY * number) for number in range(8)]
    killed = [call for call in calls if call.returncode]
    assert _waiting(firestore_store) == []
    assert {call.returncode for call in killed} == {-9}
    assert len(killed) >= len(KILLERS)

    # Each killer is named in the log before it kills, and waits longer with each death.
    named = "\n".join(call.stderr for call in calls)
    for note_id in KILLERS:
        assert f"taking up note {note_id!r} alone: its worker has died" in named
        record = firestore_store.read_record(STRANGER, note_id).record
        assert record is not None
        assert record.attempts > 1
        assert record.due_at is not None
        assert record.due_at > record.indexed_at + timedelta(minutes=EVERY)
        assert str(record.error).startswith("indexing this note has ended its worker")

    # What others write meanwhile is indexed by the next call, whether it is killed in the end or not.
    now = EVERY * len(calls)
    written_at = START + timedelta(minutes=now)
    firestore_store.put_note("alice", note("Fresh.", "fresh", updated_at=written_at))
    _sweep(firestore_project, now)
    assert _is_indexed(firestore_store, "alice", "fresh")

    # The stranger mends one: it is indexed as any other note, without waiting for the end of its back-off.
    mended_at = written_at + timedelta(minutes=EVERY)
    firestore_store.put_note(STRANGER, note("Mended.", "k2", updated_at=mended_at))
    _sweep(firestore_project, now + EVERY)
    assert _is_indexed(firestore_store, STRANGER, "k2")


def test_a_large_note_is_named_before_it_kills_for_the_first_time(
    firestore_store: Store, firestore_project: str
) -> None:
    text = KILLER + " Of the sea." * 20_000
    firestore_store.put_note(STRANGER, note(text, "large"))
    call = _sweep(firestore_project, 0)
    assert call.returncode == -9
    assert f"indexing note 'large' ({len(text)} bytes)" in call.stderr
    assert text[:40] not in call.stderr
