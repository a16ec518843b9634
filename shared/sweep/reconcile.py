"""Find every note whose index does not follow it, and index it: what lost events, outages and new models leave behind.

Document reads on Firestore, which bills each one:

- A call when nothing has changed: 5. The scheduler's call every 5 minutes besides reads 3 for each note changed in the
  last 15 minutes (its key, its record, itself) and 2 for each unfinished record. It never lists the other notes.
- Once a day, and after a change of the index version, everything is looked at, in as many calls as it takes: 6 a note.
  The first call ever begins that too, which is the backfill.
- Repairing a note costs what indexing it costs.

What the calls every 5 minutes cannot see, the daily sweep repairs: deletions, which leave no note to list, and notes
whose clients write an `updatedAt` more than OVERLAP in the past.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from shared.account.budgets import utc_day
from shared.errors import InvalidArgument
from shared.indexing.pipeline import Indexer
from shared.indexing.state import IndexProblem
from shared.model.codec import Codec
from shared.model.index import IndexRecord
from shared.model.notes import NoteKey
from shared.ports.pages import Page
from shared.sweep.repair import Repairs
from shared.tracing import RequestThreads

PAGE = 100
"""Keys listed at once; the bookmark is written after each page."""

OVERLAP = timedelta(minutes=10)
"""How far before the begin of the last look at changes the next one begins: clocks differ, and writes take time."""

FULL_EVERY = timedelta(days=1)

UNFINISHED = 200
"""Unfinished records listed first; four times as many while all that were listed have been looked at."""

CHANGES = "changes"
RECORDS = "records"
ORPHANS = "orphans"
EVERYTHING = ("notes", RECORDS, ORPHANS)
"""The listings of a full sweep, in order."""
BOOKMARK = "reconcile"
"""Where a `Progress` is kept as JSON."""
CODEC = Codec(key=str, instant=datetime.isoformat, moment=datetime.fromisoformat)


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


@dataclass(frozen=True, slots=True)
class ReconcileReport:
    """What one call found and did. A dry run does nothing: `texts` and `tokens` are then what would be embedded."""

    examined: int
    """Notes, records and orphans looked at, each once."""
    found: Mapping[IndexProblem, int]
    indexed: int
    deleted: int
    """Notes that are gone: what the index still held of them was removed."""
    failed: int
    """Refused by the model, or the note is at fault; their records say why."""
    postponed: int
    """Left to a later call (another worker is at it, a model is away, a failed one is not due again) or handed over."""
    texts: int
    """Texts embedded, one for each new chunk unless chunks are alike."""
    tokens: int
    """Tokens of `texts`, estimated; counted in a dry run only."""
    complete: bool
    """Whether all there was to look at was looked at; if not, the next call goes on from there."""
    dry_run: bool


def reconcile(
    indexer: Indexer,
    *,
    budget: int,
    within: timedelta | None = None,
    workers: int = 1,
    full: bool = False,
    dry_run: bool = False,
    hand_over: Callable[[NoteKey], None] | None = None,
) -> ReconcileReport:
    """Look at no more than `budget` (1 or more) notes of all tenants, `workers` at a time, and repair what is found.

    Looked at are unfinished records that are due, tenants in turn, and notes changed since the last call; and every
    note, record and orphan when a full sweep is due or in progress, or `full` asks for one. A note's failure stops
    nothing but itself; three outages of the store in a row end the call, after three of the model nothing is embedded
    any more, and no note is begun after `within` (None: no limit). A dry run writes nothing, so each begins at the
    beginning: give it a budget for all notes.
    What has expired in the trash, and what was kept of erased tenants, is removed. Notes of a tenant whose embedding
    budget is used up wait for vectors until another call. `hand_over` takes the notes that are to be indexed, instead
    of this call.
    Raises InvalidArgument("budget"), StoreUnavailable.
    """
    if budget < 1:
        raise InvalidArgument("budget", "1 or more")
    if not dry_run:
        indexer.store.expire_trashed(indexer.clock())
        indexer.store.forget_erased(utc_day(indexer.clock()))
    with RequestThreads(workers, thread_name_prefix="reconcile") as threads:
        repairs = Repairs(indexer=indexer, threads=threads, full=full, dry_run=dry_run, hand_over=hand_over)
        repairs.until = indexer.clock() + within if within else None
        complete = _Sweep(repairs).run(budget)
    sums = {name: repairs.done[name] for name in ("indexed", "deleted", "failed", "postponed", "texts", "tokens")}
    found = dict(repairs.found)
    return ReconcileReport(examined=len(repairs.seen), found=found, **sums, complete=complete, dry_run=dry_run)


class _Sweep:
    """One call: what it looks at, and how far it has come."""

    def __init__(self, repairs: Repairs) -> None:
        indexer = repairs.indexer
        self.repairs, self.store, self.now, self.full = repairs, indexer.store, indexer.clock(), repairs.full
        self.version = indexer.version
        kept = self.store.read_bookmark(BOOKMARK)
        self.progress = Progress() if kept is None else CODEC.load(Progress, json.loads(kept))
        self.left = 0

    def run(self, budget: int) -> bool:
        """Whether everything was looked at."""
        if self.full:
            self.left = budget
            return self._everything()
        at, kept = self.progress.full_at, self.progress
        is_old = at is None or self.now - at >= FULL_EVERY
        due = is_old or kept.full is not None or kept.full_version != self.version
        # A full sweep in progress keeps half of each call, and changes half of the rest: none starves another.
        reserved = -(-budget // 2) if due else 0
        for_changes = (budget - reserved) // 2
        self.left = budget - reserved - for_changes
        until = self.repairs.until
        self.repairs.until = until and self.now + (until - self.now) / 2
        has_finished = self._unfinished()
        self.repairs.until = until
        self.left += for_changes
        complete = self._changes() and has_finished
        self.left += reserved
        return (self._everything() and complete) if due else complete

    def _changes(self) -> bool:
        """Notes changed since the watermark. Before there is one, the full sweep that is due sees to all of them."""
        began = self.now
        if self.progress.watermark is not None:
            walk = self.progress.changes or Walk(self.now, CHANGES, since=self.progress.watermark - OVERLAP)
            began = walk.started
            if not self._follow(walk):
                return False
        self._keep(replace(self.progress, changes=None, watermark=began))
        return True

    def _unfinished(self) -> bool:
        """Records that wait for vectors, and failed ones that are due; tenants take turns.

        Any number of records may belong to a tenant whose embedding budget is used up: they are passed over.
        """
        looked_at: set[NoteKey] = set()
        limit = UNFINISHED
        while True:
            listed = self.store.unfinished_keys(limit=limit)
            keys = _in_turn(key for key in listed if key not in looked_at)
            looked_at.update(keys)
            for start in range(0, len(keys), PAGE):
                due = self._due(keys[start : start + PAGE])
                taken = due[: self.left]
                self.left -= len(taken)
                if not self.repairs.take_up(taken) or len(taken) < len(due) or not self.repairs.embeds:
                    return False
            if len(listed) < limit:
                return True
            limit *= 4

    def _due(self, keys: Sequence[NoteKey]) -> list[NoteKey]:
        payable = [key for key in keys if key.tenant_id not in self.repairs.spent]
        read = self.repairs.threads.map(lambda key: self.store.read_record(key.tenant_id, key.note_id).record, payable)
        return [key for key, record in zip(payable, read, strict=True) if self.repairs.is_due(record)]

    def _everything(self) -> bool:
        """Notes, then records, then orphans, going on with a sweep in progress unless it began on other terms."""
        walk = self.progress.full
        if walk is None or self.repairs.dry_run or walk.index_version != self.version or self.full > walk.asked:
            walk = Walk(self.now, EVERYTHING[0], asked=self.full, index_version=self.version)
        if not self._follow(walk):
            return False
        watermark = max(walk.started, self.progress.watermark or walk.started)
        self._keep(
            replace(self.progress, full=None, full_at=walk.started, full_version=self.version, watermark=watermark)
        )
        return True

    def _follow(self, walk: Walk) -> bool:
        """Take up page after page and keep the place after each. False: out of budget, or stopped by outages."""
        place: Walk | None = walk
        while place is not None:
            if self.left == 0:
                return False
            page = self._list(place)
            # A page of orphans costs a look through chunks even when there is none on it.
            self.left -= max(len(page.items), int(place.phase == ORPHANS))
            suspects = self._without_note(page.items) if place.phase == RECORDS else page.items
            if not self.repairs.take_up(suspects):
                return False
            rest = EVERYTHING[EVERYTHING.index(place.phase) + 1 :] if place.phase in EVERYTHING else ()
            if page.next_token is not None:
                place = replace(place, cursor=page.next_token)
            else:
                place = replace(place, phase=rest[0], cursor=None) if rest else None
            if place is not None:
                is_changes, kept = place.phase == CHANGES, self.progress
                self._keep(replace(kept, changes=place) if is_changes else replace(kept, full=place))
        return True

    def _list(self, place: Walk) -> Page[NoteKey]:
        limit = min(PAGE, self.left)
        if place.phase == RECORDS:
            return self.store.record_keys(limit=limit, cursor=place.cursor)
        if place.phase == ORPHANS:
            return self.store.orphan_keys(limit=limit, cursor=place.cursor)
        return self.store.note_keys(limit=limit, cursor=place.cursor, changed_since=place.since)

    def _without_note(self, keys: Sequence[NoteKey]) -> list[NoteKey]:
        """The records' keys whose note is gone; notes that exist were looked at before their records."""
        live: dict[str, Mapping[str, IndexRecord]] = {}
        for tenant_id in {key.tenant_id for key in keys}:
            note_ids = [key.note_id for key in keys if key.tenant_id == tenant_id]
            live[tenant_id] = self.store.live_records(tenant_id, note_ids)
        return [key for key in keys if key.note_id not in live[key.tenant_id]]

    def _keep(self, progress: Progress) -> None:
        self.progress = progress
        if not self.repairs.dry_run:
            self.store.write_bookmark(BOOKMARK, json.dumps(CODEC.dump(progress)))


def _in_turn(keys: Iterable[NoteKey]) -> list[NoteKey]:
    """One key of each tenant, then the next of each, in the order given."""
    turns: dict[NoteKey, int] = {}
    counts: Counter[str] = Counter()
    for key in keys:
        turns[key] = counts[key.tenant_id]
        counts[key.tenant_id] += 1
    return sorted(turns, key=turns.__getitem__)
