"""Selected passages -> sources with the labels under which the writer may cite them."""

from __future__ import annotations

from collections.abc import Iterable

from shared.model.answers import Source
from shared.model.retrieval import Scored


def label_sources(passages: Iterable[Scored]) -> tuple[Source, ...]:
    """Passages in order -> sources `N1`, `N2`, … in the same order."""
    return tuple(Source(f"N{number}", passage) for number, passage in enumerate(passages, start=1))
