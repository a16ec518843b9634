"""Finds every note whose index does not follow it, and indexes it, after lost events, outages and changes of the model.

Document reads on Firestore, which bills each one:

- A call when nothing has changed: 8, one of them the database's owner. The scheduler's call every 5 minutes besides
  reads 3 for each note changed in the last 15 minutes or due (its key, its record, itself). It never lists the other
  notes: what waits for a later time is not read before, and while nobody may embed, because the day's budget is used up
  or the model is unavailable, the notes that wait for vectors are not listed.
- Once a day, and after a change of the index version, everything is looked at, in as many calls as it takes: 6 a note.
  The first call ever begins that too, which is the backfill.
- Repairing a note costs what indexing it costs.

A note at which a worker died is taken up last and alone (`shared.sweep.repair`), and waits longer with each death.

What the calls every 5 minutes cannot see, the daily sweep repairs: deletions, which leave no note to list, and notes
whose clients write an `updatedAt` more than OVERLAP in the past.
"""

from __future__ import annotations

import json
import logging
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from shared.errors import InvalidArgument, StoreRefused
from shared.indexing.pipeline import Indexer
from shared.indexing.state import IndexProblem
from shared.model.clocks import is_ahead
from shared.model.codec import Codec
from shared.model.notes import NoteKey
from shared.ports.pages import Page
from shared.sweep.repair import Repairs
from shared.tracing import RequestThreads

PAGE = 100
"""Keys listed at once; the bookmark is written after each page."""

OVERLAP = timedelta(minutes=10)
"""Overlap of two looks at changes: clocks differ, and writes take time."""

FULL_EVERY = timedelta(days=1)

DUE = 200
"""Keys of due records listed first; four times as many while all that were listed have been looked at."""

CHANGES = "changes"
RECORDS = "records"
ORPHANS = "orphans"
EVERYTHING = ("notes", RECORDS, ORPHANS)
"""The listings of a full sweep, in order."""
BOOKMARK = "reconcile"
"""Name of the bookmark that keeps a `Progress` as JSON."""
_logger = logging.getLogger(__name__)
CODEC = Codec(key=str, encode_datetime=datetime.isoformat, decode_datetime=datetime.fromisoformat)


@dataclass(frozen=True, slots=True)
class SweepCursor:
    """Position in an unfinished listing, at which the next call continues."""

    started: datetime
    phase: str
    """Name of the listing."""
    cursor: str | None = None
    since: datetime | None = None
    """Time since when changes are listed; None if the listing is not one of changes."""
    is_requested: bool = field(default=False, metadata={"stored_as": "asked"})
    """True if a caller asked for it by `full`; one that was only due starts again when somebody does."""
    index_version: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress from one call to the next. All fields are None before the first sweep."""

    watermark: datetime | None = None
    """Every note changed before this has been looked at."""
    changes: SweepCursor | None = None
    full: SweepCursor | None = None
    full_at: datetime | None = None
    """Start of the last complete full sweep, and the index version to which it brought the notes."""
    full_version: str | None = None


@dataclass(frozen=True, slots=True)
class ReconcileReport:
    """Findings and repairs of one call. A dry run does nothing: `texts` and `tokens` are then what would be embedded."""

    examined: int
    """Notes, records and orphans looked at, each once."""
    found: Mapping[IndexProblem, int]
    indexed: int
    deleted: int
    """Notes that are gone: what the index still held of them was removed."""
    failed: int
    """Refused by the model, or the note is at fault; their records say why."""
    postponed: int
    """Left to a later call (another worker is at it, a model is unavailable, a failed one is not due again) or handed over."""
    texts: int
    """Texts embedded, one for each new chunk unless chunks are alike."""
    tokens: int
    """Tokens of `texts`, estimated; counted in a dry run only."""
    complete: bool
    """True if everything was looked at; otherwise the next call continues."""
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
    """Looks at no more than `budget` (1 or more) notes of all tenants, `workers` at a time, and repairs what is found.

    Looked at are unfinished records that are due, tenants in turn, and notes changed since the last call; and every
    note, record and orphan when a full sweep is due or in progress, or `full` asks for one. A note's failure stops
    nothing but itself, and one that kills the process stops no later call; three outages of the store in a row end the
    call, after three of the model nothing is embedded any more, and no note is begun after `within` (no limit if it is None).
    A dry run writes nothing, so each begins at the beginning: give it a budget for all notes. It does not look for
    damaged chunks and vectors, which a full sweep marks.
    What has expired in the trash, and what was kept of erased tenants, is removed. Notes of a tenant whose embedding
    budget is used up wait for vectors until the next UTC day, those of one whose index may write no more to be indexed.
    `hand_over` takes the notes that are to be indexed, suspects aside, instead of this call.
    Raises InvalidArgument("budget"), StoreUnavailable; NotOwner where another deployment writes this index, unless for
    a dry run.
    """
    if budget < 1:
        raise InvalidArgument("budget", "1 or more")
    store = indexer.store
    if not dry_run:
        store.check_owner()
        store.expire(indexer.clock())
    with RequestThreads(workers, thread_name_prefix="reconcile") as threads:
        repairs = Repairs(
            indexer=indexer,
            threads=threads,
            full=full,
            dry_run=dry_run,
            hand_over=hand_over,
        )
        if within:
            repairs.until = indexer.clock() + within
        complete = _Sweep(repairs).run(budget)
        repairs.take_suspects()
    counts = repairs.counts
    return ReconcileReport(
        examined=len(repairs.examined),
        found=dict(repairs.problems),
        indexed=counts["indexed"],
        deleted=counts["deleted"],
        failed=counts["failed"],
        postponed=counts["postponed"],
        texts=counts["texts"],
        tokens=counts["tokens"],
        complete=complete,
        dry_run=dry_run,
    )


class _Sweep:
    """One call: the notes that it looks at, and how far it has come."""

    def __init__(self, repairs: Repairs) -> None:
        self.repairs = repairs
        self.indexer = repairs.indexer
        self.store = repairs.indexer.store
        self.now = repairs.indexer.clock()
        self.full = repairs.full
        self.version = repairs.indexer.version
        bookmark = self.store.read_bookmark(BOOKMARK)
        progress = Progress()
        if bookmark is not None:
            # A damaged bookmark begins the sweep again.
            with suppress(ValueError, TypeError, AttributeError, InvalidArgument):
                progress = CODEC.load(Progress, json.loads(bookmark))
        self.progress = _believable(progress, self.now)
        self.left = 0
        """Notes that may still be looked at."""

    def run(self, budget: int) -> bool:
        """Returns True if everything was looked at."""
        if self.full:
            self.left = budget
            return self._take_everything()
        self._ask_project_budget()

        # A full sweep in progress keeps half of each call, and changes half of the rest: none starves another.
        is_full_due = self._is_full_due()
        for_full = 0
        if is_full_due:
            for_full = math.ceil(budget / 2)
        for_changes = (budget - for_full) // 2

        # 1. Records that are due, in half of the time.
        self.left = budget - for_full - for_changes
        until = self.repairs.until
        if until is not None:
            self.repairs.until = self.now + (until - self.now) / 2
        is_complete = self._take_due()
        self.repairs.until = until

        # 2. Notes that have changed.
        self.left += for_changes
        if not self._take_changes():
            is_complete = False

        # 3. All notes, once a day.
        self.left += for_full
        if is_full_due and not self._take_everything():
            is_complete = False
        return is_complete

    def _ask_project_budget(self) -> None:
        """Stops embedding while nobody may embed.

        Then no note that waits for vectors is looked at, and others are indexed by words.
        """
        embedding_resumes = self.indexer.embedding_resumes
        if embedding_resumes is None:
            return
        if embedding_resumes(None) is not None:
            self.repairs.stop_embedding()

    def _is_full_due(self) -> bool:
        progress = self.progress
        if progress.full is not None:
            return True
        if progress.full_at is None or progress.full_version != self.version:
            return True
        return self.now - progress.full_at >= FULL_EVERY

    def _take_changes(self) -> bool:
        """Takes up notes changed since the watermark. Before there is one, the full sweep that is due sees to them.

        Returns True if all were looked at.
        """
        started = self.now
        watermark = self.progress.watermark
        if watermark is not None:
            cursor = self.progress.changes
            if cursor is None:
                cursor = SweepCursor(self.now, CHANGES, since=watermark - OVERLAP)
            started = cursor.started
            if not self._follow(cursor):
                return False
        self._save(replace(self.progress, changes=None, watermark=started))
        return True

    def _take_due(self) -> bool:
        """Takes up records that are due: those that wait for vectors, and refused ones; tenants take turns.

        Returns True if all were looked at.

        Any number of them may belong to a tenant whose embedding budget is used up: the budget is asked before they are
        read, and they then wait for the next day.
        """
        looked_at: set[NoteKey] = set()
        limit = DUE
        while self.repairs.embeds:
            try:
                listed = self.store.due_keys(self.now, limit=limit)
            except StoreRefused:  # the index of this query is still being built
                _logger.exception("notes that wait are not looked at by this call")
                return False
            keys = _in_turn(key for key in listed if key not in looked_at)
            looked_at.update(keys)
            for start in range(0, len(keys), PAGE):
                page = keys[start : start + PAGE]
                if not self._take_due_page(page):
                    return False
            if len(listed) < limit:
                return True
            limit *= 4
        return False

    def _take_due_page(self, keys: Sequence[NoteKey]) -> bool:
        repairs = self.repairs
        repairs.ask_budgets(key.tenant_id for key in keys)
        payable = [key for key in keys if not repairs.is_spent(key.tenant_id)]
        affordable = payable[: self.left]
        self.left -= len(affordable)
        if not repairs.take_up(affordable, as_due=True):
            return False
        # After the others: the budget of a tenant may have come to its end with one of these.
        spent = [key for key in keys if repairs.is_spent(key.tenant_id)]
        without_words = repairs.put_off(spent)
        affordable_words = without_words[: self.left]
        self.left -= len(affordable_words)
        if not repairs.take_up(affordable_words, as_due=True):
            return False
        if len(affordable) < len(payable) or len(affordable_words) < len(without_words):
            return False
        return repairs.embeds and not repairs.is_over

    def _take_everything(self) -> bool:
        """Takes up notes, then records, then orphans. Continues a sweep in progress unless that has other terms.

        Returns True if everything was looked at.
        """
        cursor = self.progress.full
        if cursor is None or self.repairs.dry_run or self._has_other_terms(cursor):
            cursor = SweepCursor(
                self.now,
                EVERYTHING[0],
                is_requested=self.full,
                index_version=self.version,
            )
        if not self._follow(cursor):
            return False
        watermark = cursor.started
        if self.progress.watermark is not None:
            watermark = max(watermark, self.progress.watermark)
        self._save(
            replace(
                self.progress,
                full=None,
                full_at=cursor.started,
                full_version=self.version,
                watermark=watermark,
            ),
        )
        return True

    def _has_other_terms(self, cursor: SweepCursor) -> bool:
        if cursor.index_version != self.version:
            return True
        return self.full and not cursor.is_requested

    def _follow(self, start: SweepCursor) -> bool:
        """Takes up page after page and saves the position after each.

        Returns False when it is out of budget, or stopped by outages.
        """
        cursor: SweepCursor | None = start
        while cursor is not None:
            if self.left == 0:
                return False
            page = self._list(cursor)
            keys = page.items
            cost = len(keys)
            if cursor.phase == ORPHANS:
                cost = max(cost, 1)  # an empty page, too, costs a look through tenants
            self.left -= cost
            if cursor.phase == RECORDS:
                keys = self._without_note(keys)
            if not self.repairs.take_up(keys):
                return False
            cursor = _next_cursor(cursor, page.next_token)
            if cursor is not None:
                self._save_cursor(cursor)
        return True

    def _list(self, cursor: SweepCursor) -> Page[NoteKey]:
        limit = min(PAGE, self.left)
        token = cursor.cursor
        if cursor.phase == RECORDS:
            return self.store.record_keys(limit=limit, cursor=token)
        if cursor.phase == ORPHANS:
            return self.store.orphan_keys(limit=limit, cursor=token)
        begins_full = cursor.phase == EVERYTHING[0] and token is None
        if begins_full and not self.repairs.dry_run:
            self.store.mark_damaged()
        return self.store.note_keys(limit=limit, cursor=token, changed_since=cursor.since)

    def _without_note(self, keys: Sequence[NoteKey]) -> tuple[NoteKey, ...]:
        """Returns the records' keys whose note is gone; notes that exist were looked at before their records."""
        note_ids: dict[str, list[str]] = defaultdict(list)
        for key in keys:
            note_ids[key.tenant_id].append(key.note_id)
        live_records = {}
        for tenant_id, ids_of_tenant in note_ids.items():
            live_records[tenant_id] = self.store.live_records(tenant_id, ids_of_tenant)
        without_note = []
        for key in keys:
            if key.note_id not in live_records[key.tenant_id]:
                without_note.append(key)
        return tuple(without_note)

    def _save_cursor(self, cursor: SweepCursor) -> None:
        if cursor.phase == CHANGES:
            self._save(replace(self.progress, changes=cursor))
        else:
            self._save(replace(self.progress, full=cursor))

    def _save(self, progress: Progress) -> None:
        self.progress = progress
        if not self.repairs.dry_run:
            self.store.write_bookmark(BOOKMARK, json.dumps(CODEC.dump(progress)))


def _next_cursor(cursor: SweepCursor, next_token: str | None) -> SweepCursor | None:
    """Returns where the listing continues; None at its end."""
    if next_token is not None:
        return replace(cursor, cursor=next_token)
    if cursor.phase not in EVERYTHING:
        return None
    next_index = EVERYTHING.index(cursor.phase) + 1
    if next_index == len(EVERYTHING):
        return None
    return replace(cursor, phase=EVERYTHING[next_index], cursor=None)


def _believable(progress: Progress, now: datetime) -> Progress:
    """Drops moments written by a clock that was ahead: the sweep then begins by looking at everything."""
    moments = [progress.watermark, progress.full_at]
    for cursor in (progress.changes, progress.full):
        if cursor is not None:
            moments.append(cursor.started)
    for moment in moments:
        if moment is not None and is_ahead(moment, now):
            return Progress()
    return progress


def _in_turn(keys: Iterable[NoteKey]) -> list[NoteKey]:
    """Returns one key of each tenant, then the next of each, in the order given."""
    turns: dict[NoteKey, int] = {}
    counts: Counter[str] = Counter()
    for key in keys:
        turns[key] = counts[key.tenant_id]
        counts[key.tenant_id] += 1
    return sorted(turns, key=turns.__getitem__)
