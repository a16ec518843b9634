"""Translates a restriction into Firestore's filters. What they cannot express is checked on the chunks that come back.

A disjunction may have 30 values (`in` times `array_contains_any`), and only one array filter goes with it. Vector
searches take equality alone, and each field that they are filtered by costs every chunk a copy of its vector in one
more index, an array one for each of its values. So the folders that a restriction allows are named one by one (`place
in`): a token for each folder above a chunk would be four copies more. If a filter cannot hold all folders, several
searches share them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta

from shared.adapters.firestore.documents import MAX_MOMENT, folder_key, posting, posting_path
from shared.adapters.firestore.protocol import Where, microseconds
from shared.model.index import scopes_of, tags_of
from shared.model.notes import Folder
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction

MAX_VALUES = 30
"""Values of one disjunction."""
MAX_SEARCHES = 8
"""Vector searches for one restriction."""
_EVER = TimeRange(None, None)


@dataclass(frozen=True, slots=True)
class VectorFilters:
    """Filters of vector searches: each search looks at other chunks, together they cover all that are allowed."""

    searches: tuple[tuple[Where, ...], ...]
    """Empty if no chunk is allowed."""
    exact: bool
    """True if the filters admit no chunk that the restriction forbids."""


def filters_for_vectors(restriction: Restriction, folders: Sequence[Folder]) -> VectorFilters:
    """Chooses the filter that admits the fewest chunks: by tag, by folder, by time, or none.

    folders: folders that hold notes of the tenant themselves; needed if the restriction names a vault or a folder.
    """
    tag_groups = list(filter(None, map(tags_of, restriction.scopes)))
    folder_groups = [group for group in restriction.scopes if not tags_of(group)]
    allowed_folders = [folder for folder in folders if _is_in_all(folder, folder_groups)]
    if folder_groups and not allowed_folders:
        return VectorFilters((), exact=True)
    is_everywhere = not folder_groups or len(allowed_folders) == len(folders)
    is_anytime = restriction.created is None

    # 1. By tags, if they are at most as many as the folders.
    tags = _smallest_fitting(tag_groups)
    if tags and (is_everywhere or len(tags) <= len(allowed_folders)):
        by_tags = any_of("tags", tags)
        is_only_group = len(tag_groups) == 1
        return VectorFilters(
            searches=((by_tags,),),
            exact=is_everywhere and is_only_group and is_anytime,
        )

    # 2. By folders, and by months with them.
    days, months = _days_and_months(restriction.created)
    says_all_but_folders = is_anytime and not tag_groups
    if not is_everywhere:
        searches = _searches_by_folder(allowed_folders, months)
        if searches:
            return VectorFilters(searches, exact=says_all_but_folders)

    # 3. By time: a day is an exact value, and a month holds fewer chunks than all. Or by nothing.
    by_time = _by_time(days, months)
    return VectorFilters(
        searches=(by_time,),
        exact=says_all_but_folders and is_everywhere,
    )


def _smallest_fitting(groups: Iterable[Collection[str]]) -> list[str]:
    """Returns the smallest group that a filter can hold, sorted; empty if there is none.

    It is most likely the most selective one.
    """
    fitting_groups = []
    for group in groups:
        if len(group) <= MAX_VALUES:
            fitting_groups.append(sorted(group))
    return min(fitting_groups, key=_by_length, default=[])


def _by_time(days: list[str], months: list[str]) -> tuple[Where, ...]:
    """Returns the filter by days if there are some, otherwise by months; none without either."""
    if days:
        return (Where("day", "in", days),)
    if months:
        return (Where("month", "in", months),)
    return ()


def _is_in_all(folder: Folder, groups: Iterable[frozenset[str]]) -> bool:
    """Reports whether each group names the folder, one above it or its vault."""
    path = ""
    if folder.folder:
        path = f"{folder.folder}/"
    scopes = scopes_of(folder.vault, path, ())
    return all(group.intersection(scopes) for group in groups)


def _by_length(values: list[str]) -> tuple[int, list[str]]:
    """Sorts groups by their length; equals by their values."""
    return len(values), values


def _searches_by_folder(
    folders: Sequence[Folder],
    months: Sequence[str],
) -> tuple[tuple[Where, ...], ...]:
    """Returns searches by folder and month, else by folder alone; none if they would be more than MAX_SEARCHES."""
    keys = sorted(map(folder_key, folders))
    if months:
        in_months = Where("month", "in", list(months))
        keys_a_search = MAX_VALUES // len(months)
        searches = _searches_by_key(keys, keys_a_search)
        if searches:
            return tuple((in_folders, in_months) for in_folders in searches)
    searches = _searches_by_key(keys, MAX_VALUES)
    return tuple((in_folders,) for in_folders in searches)


def _searches_by_key(keys: Sequence[str], step: int) -> list[Where]:
    """Returns filters of `step` keys each; none if they would be more than MAX_SEARCHES."""
    if len(keys) > MAX_SEARCHES * step:
        return []
    searches = []
    for start in range(0, len(keys), step):
        end = start + step
        in_folders = Where("place", "in", keys[start:end])
        searches.append(in_folders)
    return searches


def _days_and_months(created: TimeRange | None) -> tuple[list[str], list[str]]:
    """Returns the days and the months that the range touches; none if the range is open or a filter cannot hold them."""
    if created is None or created.start is None or created.end is None:
        return [], []

    last_moment = created.end - timedelta(microseconds=1)
    first_in_utc = created.start.astimezone(UTC)
    last_in_utc = last_moment.astimezone(UTC)
    first_date = first_in_utc.date()
    span = last_in_utc.date() - first_date
    longest = 31 * MAX_VALUES
    if span.days >= longest:
        return [], []

    days: list[str] = []
    months: list[str] = []
    for number in range(span.days + 1):
        date = first_date + timedelta(days=number)
        day = date.isoformat()
        days.append(day)
        month = day[:7]
        if month not in months[-1:]:
            months.append(month)
    return _fitting(days), _fitting(months)


def _fitting(values: list[str]) -> list[str]:
    """Returns the values if a filter can hold them all, otherwise none."""
    if len(values) > MAX_VALUES:
        return []
    return values


def is_impossible(restriction: Restriction) -> bool:
    """Reports whether nothing can satisfy the restriction: a group of scopes is empty, or the range is."""
    if not all(restriction.scopes):
        return True
    created = restriction.created or _EVER
    if created.start is None or created.end is None:
        return False
    return created.start >= created.end


def filters_by_time_and_scope(restriction: Restriction) -> tuple[tuple[Where, ...], bool]:
    """Returns filters for queries ordered by `createdAt`, and whether they express the whole restriction."""
    created = restriction.created or _EVER
    filters = _between("createdAt", created.start, created.end)
    groups = restriction.scopes
    if not groups:
        return filters, True

    smallest = _smallest_fitting(groups)
    if not smallest:
        return filters, False
    is_only_group = len(groups) == 1
    in_group = any_of("scopes", smallest)
    return (*filters, in_group), is_only_group


def filters_by_posting(restriction: Restriction, stem: str) -> tuple[Where, ...]:
    """Returns filters for queries ordered by the stem's postings, which no other filter can be combined with."""
    created = restriction.created or _EVER
    start = None
    if created.start is not None:
        start = posting(created.start, 0)
    end = None
    # Postings count all later moments as MAX_MOMENT: then chunks are compared with the end when they are read.
    if created.end is not None and microseconds(created.end) < MAX_MOMENT:
        end = posting(created.end, 0)
    return _between(posting_path(stem), start, end)


def _between(field: str, start: object, end: object) -> tuple[Where, ...]:
    """Returns filters for `start <= field < end`; None leaves a side open."""
    filters = []
    if start is not None:
        filters.append(Where(field, ">=", start))
    if end is not None:
        filters.append(Where(field, "<", end))
    return tuple(filters)


def any_of(field: str, values: list[str]) -> Where:
    """Returns the filter for an array field that holds one of the values."""
    if len(values) == 1:
        return Where(field, "array_contains", values[0])
    return Where(field, "array_contains_any", values)
