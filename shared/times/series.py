"""Question and notes -> the note of a series that is asked for: its newest (`the last team meeting`) or its oldest.

Notes are a series if their titles differ only in numbers and dates: `Team meeting, October` and `Team meeting,
November`. The words behind `last` or `first` name the series. Behind `last`, words that no title holds are ignored.
Behind `first` they are not, as in `the first meeting of the year` or `the oldest team member`, and the name follows
directly: `prima della riunione` is Italian for `before the meeting`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from itertools import pairwise

from shared.language.terms import content_words, stems_as
from shared.language.vocabulary import vocabularies, vocabulary
from shared.language.words import fold
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis
from shared.times.dates import days_in

MAX_WORDS = 4
"""Content words behind `last` or `first` that can name a series."""
MAX_GAP = 12
"""Characters between two of them: `the last meeting of the team`."""

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+")
_DIGIT = re.compile(r"\d")


def asked_of_series(
    analysis: Analysis,
    chunks: Sequence[IndexedChunk],
    now: datetime,
) -> tuple[str, frozenset[str]] | None:
    """Returns the id of the note of a series that is asked for, and the ids of all of its notes among the chunks.

    None if the question asks for no last and no first one, or no two notes are such a series.

    now: in the time zone of the person who asks, where a title's day begins.
    """
    patterns = _patterns(analysis.lang)
    if patterns is None:
        return None
    phrases_behind_last = _phrases_behind(patterns.last, analysis)
    names_behind_first = _whole_names(patterns.first, analysis)
    if not phrases_behind_last and not names_behind_first:
        return None

    # 1. The notes of each series, without those that are still to come.
    notes_of_series: dict[tuple[str, ...], dict[str, IndexedChunk]] = {}
    for chunk in chunks:
        name = _series_name(chunk.title)
        if name and _written(chunk, now) <= now:
            notes_of_series.setdefault(name, {}).setdefault(chunk.note_id, chunk)

    # 2. The series that the longest phrase names.
    place = partial(_place_in_series, now=now)
    named = _named_series(phrases_behind_last, notes_of_series, analysis)
    if named:
        last = max(named.values(), key=place)
        return last.note_id, frozenset(named)
    named = _named_series(names_behind_first, notes_of_series, analysis)
    if named:
        first = min(named.values(), key=place)
        return first.note_id, frozenset(named)
    return None


def _named_series(
    phrases: Sequence[str],
    notes_of_series: Mapping[tuple[str, ...], Mapping[str, IndexedChunk]],
    analysis: Analysis,
) -> dict[str, IndexedChunk]:
    """Returns the notes of the series that the first phrase which is part of a series' name names: note id -> chunk."""
    stems_by_name: dict[tuple[str, ...], set[str]] = {}
    for name, notes in notes_of_series.items():
        titles = {chunk.title for chunk in notes.values()}
        if len(titles) > 1:
            full_name = " ".join(name)
            stems_by_name[name] = stems_as(full_name, analysis)

    for phrase in phrases:
        phrase_stems = stems_as(phrase, analysis)
        if not phrase_stems:
            continue
        named: dict[str, IndexedChunk] = {}
        for name, name_stems in stems_by_name.items():
            if phrase_stems <= name_stems:
                named.update(notes_of_series[name])
        if named:
            return named
    return {}


def _phrases_behind(pattern: re.Pattern[str], analysis: Analysis) -> list[str]:
    """Returns the words behind `last` or `first`, or a word of the same sense, the longest phrase first."""
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


def _whole_names(pattern: re.Pattern[str], analysis: Analysis) -> list[str]:
    """Returns the phrases directly behind `first` that can be all of a name, the longest first.

    In German, whose nouns have capitals, verbs may stand behind it: `beim ersten Elternabend beschlossen`.
    """
    phrases = _phrases_behind(pattern, analysis)
    if not phrases:
        return []
    *_, shortest = phrases
    starts = [start for _, start, _ in content_words(shortest, analysis.lang)]
    if 0 not in starts:
        return []

    names = phrases[:1]
    if not vocabulary(analysis.lang).nouns_are_capitalised:
        return names
    for longer, phrase in pairwise(phrases):
        words_behind = longer[len(phrase) :].split()
        is_verb = len(words_behind) == 1 and words_behind[0].islower()
        if not is_verb:
            break
        names.append(phrase)
    return names


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What opens the name of a series in a language."""

    first: re.Pattern[str]
    last: re.Pattern[str]


@cache
def _patterns(lang: str) -> _Patterns | None:
    """Compiles the words of a language. Returns None if its vocabulary lacks them."""
    asking = vocabulary(lang).asking
    if asking is None or not asking.last or not asking.first:
        return None

    def compiled(words: str) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{words})\b\s*", re.IGNORECASE)

    return _Patterns(first=compiled(asking.first), last=compiled(asking.last))


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
