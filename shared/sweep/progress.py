"""Where sweeping goes on between two calls of reconcile, as the text of one bookmark."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime

from shared.ports.stores import Store

BOOKMARK = "reconcile"


@dataclass(frozen=True, slots=True)
class Walk:
    """A listing that a call did not come to the end of, and the next one goes on with."""

    started: datetime
    phase: str
    """Which listing."""
    cursor: str | None = None
    since: datetime | None = None
    """Since when changes are listed; None: the listing is not of changes."""
    asked: bool = False
    """Whether a caller asked for it by `full`; one that was only due starts anew when somebody does."""
    index_version: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything that is kept. All None: nothing was ever swept."""

    watermark: datetime | None = None
    """Every note changed before this has been looked at."""
    changes: Walk | None = None
    full: Walk | None = None
    full_at: datetime | None = None
    """When the last full sweep that came to its end began, and the index version it saw to."""
    full_version: str | None = None


def load(store: Store) -> Progress:
    """One read."""
    text = store.read_bookmark(BOOKMARK)
    if text is None:
        return Progress()
    kept = json.loads(text)
    return Progress(
        watermark=_time(kept["watermark"]),
        changes=_walk(kept["changes"]),
        full=_walk(kept["full"]),
        full_at=_time(kept["full_at"]),
        full_version=kept["full_version"],
    )


def keep(progress: Progress, store: Store) -> None:
    """One write."""
    store.write_bookmark(BOOKMARK, json.dumps(asdict(progress), default=datetime.isoformat))


def _walk(kept: dict[str, str] | None) -> Walk | None:
    if kept is None:
        return None
    return Walk(
        started=datetime.fromisoformat(kept["started"]),
        phase=kept["phase"],
        cursor=kept["cursor"],
        since=_time(kept["since"]),
        asked=bool(kept["asked"]),
        index_version=kept["index_version"],
    )


def _time(kept: str | None) -> datetime | None:
    return None if kept is None else datetime.fromisoformat(kept)
