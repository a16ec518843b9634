"""Every write to a collection, told as it happens: for emulators that post no events to us."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def listening(project: str, collection: str, on_write: Callable[[str], object]) -> Iterator[None]:
    """`on_write` with the path of each document of a collection of that name, wherever it lies: first of all that are
    there, then of each that is made, changed or removed. Called by a thread of the client's, one document after the
    other. What passes (busy, away, too late) is tried again; after another refusal nothing is told any more, and
    reconciling finds what is missed.
    """
    from google.cloud import firestore  # noqa: PLC0415 - only where an emulator is attached to

    client = firestore.Client(project=project)

    def told(_documents: object, changes: Sequence[Any], _when: object) -> None:
        for change in changes:
            on_write(change.document.reference.path)

    watch = client.collection_group(collection).on_snapshot(told)
    try:
        yield
    finally:
        watch.unsubscribe()  # type: ignore[no-untyped-call]
        client.close()  # type: ignore[no-untyped-call]
