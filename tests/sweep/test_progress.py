"""Where a sweep stands survives being written down."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.ports.stores import Store
from shared.sweep.progress import Progress, Walk, keep, load
from tests.indexing.world import START

CHANGES = Walk(START, "changes", cursor="c ü", since=START - timedelta(minutes=10))
FULL = Walk(START, "records", asked=True, index_version="c:m:4")


@pytest.mark.parametrize(
    "progress",
    [
        Progress(),
        Progress(watermark=START, full_at=START, full_version="c:m:4"),
        Progress(watermark=START, changes=CHANGES, full=FULL),
    ],
)
def test_progress_is_read_as_it_was_kept(store: Store, progress: Progress) -> None:
    keep(progress, store)
    assert load(store) == progress


def test_nothing_kept_is_nothing_done(store: Store) -> None:
    assert load(store) == Progress()
