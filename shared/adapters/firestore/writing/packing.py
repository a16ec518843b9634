"""Writes in as few commits as Firestore takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shared.adapters.firestore.writing.sizes import Weight

MOST = Weight(entries=5_000, bytes=4 * 2**20)
"""Of one commit, index entries added and removed included. Production ends at 10 MiB and has said "Transaction too big"
at about 10,000 entries; the emulator's gRPC ends at 4 MiB of request, which weighs less than this.
"""
MAX_WRITES = 500


def packed(weighed: Iterable[tuple[Any, Weight]], reserved: Weight) -> list[list[Any]]:
    """Batches in order, each within MOST less `reserved` unless a single write is not; at least one, perhaps empty."""
    batches: list[list[Any]] = [[]]
    total = reserved
    for write, weight in weighed:
        after = total + weight
        if batches[-1] and (after.entries > MOST.entries or after.bytes > MOST.bytes or len(batches[-1]) >= MAX_WRITES):
            batches.append([])
            after = reserved + weight
        batches[-1].append(write)
        total = after
    return batches


def halves(batch: list[Any]) -> tuple[list[Any], list[Any]]:
    """Of a batch that was refused as too big."""
    middle = len(batch) // 2
    return batch[:middle], batch[middle:]
