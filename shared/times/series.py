"""Question and notes -> the newest note of a series, where the last one is asked for: `the last team meeting`.

Notes are a series if their titles differ in numbers and dates alone: `Team meeting, October` and `Team meeting,
November`. The words behind `last` name it, as far as titles hold them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, partial

from shared.language.terms import content_words, stems_as
from shared.language.vocabulary import vocabularies, vocabulary
from shared.language.words import fold
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis
from shared.times.dates import days_in

MAX_WORDS = 4
"""Content words behind `last` that can name a series."""
MAX_GAP = 12
"""Characters between two of them: `the last meeting of the team`."""

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+")
_DIGIT = re.compile(r"\d")


def last_of_series(
    analysis: Analysis,
    chunks: Sequence[IndexedChunk],
    now: datetime,
) -> tuple[str, frozenset[str]] | None:
    """Returns the id of the last note of the series that is asked for, and the ids of all of its notes among the chunks.

    None if the question asks for no last one, or no two notes are such a series.

    now: in the time zone of who asks; a title's day begins there.
    """
    phrases = _phrases_behind_last(analysis)
    if not phrases:
        return None

    # 1. The notes of each series, without those that are still to come.
    notes_of_series: dict[tuple[str, ...], dict[str, IndexedChunk]] = {}
    for chunk in chunks:
        name = _series_name(chunk.title)
        if name and _written(chunk, now) <= now:
            notes_of_series.setdefault(name, {}).setdefault(chunk.note_id, chunk)

    # 2. The series that the longest phrase names.
    stems_of_series: dict[tuple[str, ...], set[str]] = {}
    for name, notes in notes_of_series.items():
        titles = {chunk.title for chunk in notes.values()}
        if len(titles) > 1:
            stems_of_series[name] = stems_as(" ".join(name), analysis.lang, analysis.renamed)
    for phrase in phrases:
        phrase_stems = stems_as(phrase, analysis.lang, analysis.renamed)
        named: dict[str, IndexedChunk] = {}
        for name, series_stems in stems_of_series.items():
            if phrase_stems and phrase_stems <= series_stems:
                named |= notes_of_series[name]
        if named:
            last = max(named.values(), key=partial(_place_in_series, now=now))
            return last.note_id, frozenset(named)
    return None


def _phrases_behind_last(analysis: Analysis) -> list[str]:
    """Returns the words behind `last`, or a word of the same sense, the longest phrase first."""
    pattern = _last_of(analysis.lang)
    if pattern is None:
        return []
    text = analysis.subject.strip()
    match = pattern.search(text)
    if match is None:
        return []
    phrases: list[str] = []
    text_behind = text[match.end() :]
    end = 0
    for _, word_start, word_end in content_words(text_behind, analysis.lang):
        if word_start - end > MAX_GAP or len(phrases) == MAX_WORDS:
            break
        end = word_end
        phrases.insert(0, text_behind[:end])
    return phrases


@cache
def _last_of(lang: str) -> re.Pattern[str] | None:
    asking = vocabulary(lang).asking
    if asking is None or not asking.last:
        return None
    return re.compile(rf"\b(?:{asking.last})\b\s*", re.IGNORECASE)


def _series_name(title: str) -> tuple[str, ...]:
    """Returns the words of a title without numbers and names of months and days; empty if there are no others."""
    words = [fold(word) for word in _WORD.findall(title)]
    named_days = _names_of_days()
    return tuple(
        word for word in words if not _DIGIT.search(word) and not named_days.fullmatch(word)
    )


@cache
def _names_of_days() -> re.Pattern[str]:
    """Compiles the months and weekdays of every language, folded."""
    return re.compile("|".join(sorted(_day_forms())))


def _day_forms() -> Iterator[str]:
    for language in vocabularies():
        if language.times is None:
            continue
        times = language.times
        for forms in (*times.months, *times.weekdays, *times.short_months):
            yield from map(fold, forms.split("|"))


def _place_in_series(chunk: IndexedChunk, now: datetime) -> tuple[datetime, tuple[int, ...]]:
    """Orders the notes of a series: by date, and of one date by the numbers in their titles."""
    numbers = tuple(map(int, _NUMBER.findall(chunk.title)))
    return _written(chunk, now), numbers


def _written(chunk: IndexedChunk, now: datetime) -> datetime:
    """Returns the day that a note's title names in full, in the time zone of `now`, otherwise when it was written."""
    for day in days_in(chunk.title):
        if day.year is None or day.day is None:
            continue
        with suppress(ValueError):  # no such day
            return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)
    return chunk.created_at
