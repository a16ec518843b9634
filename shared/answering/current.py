"""Windows to be quoted -> the same windows, where notes state one thing differently the newest first, or the oldest.

A question for what no longer holds (`the old password`) is answered by the oldest statement; any other question in the
past, or about a time, by the one that ranks first.

Windows of two notes state one thing differently if both are about most of what the question asks for, and they differ
in a number of the same unit or in a date. If their sentences otherwise read alike, a different name or bare number
counts too. Nothing here can tell which one is right, so both are quoted, each with the day of its note.

A section whose heading names a day counts as written on that day, so it can differ from another section of the same
note. If the properties of two notes say that one replaces the other, the replaced one always comes last, whenever it
was written. A note without the names in the question states nothing anew: it speaks of another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from shared.answering.named_notes import NamedNotes
from shared.answering.replacement import are_versions, replaces
from shared.answering.tense import Tense, tense_of
from shared.answering.windows import Window
from shared.answering.written import MIN_APART, section_day, written_at
from shared.judging.facts import Facts, facts_of
from shared.judging.quantities import Quantity
from shared.language.terms import stems, stems_as
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import Retrieved

ABOUT = 0.6
"""A window is about the question if it, its note's title and its headings together hold at least this weighted share of
the question's words. Words that no window holds are ignored.
"""
ALIKE = 0.5
"""Two sentences read alike if at least this share of their words stands in both."""

_UNIT_BEHIND = re.compile(r"\s?([^\W\d_]+|[%‰°€$£¥])")
_UNIT_BEFORE = re.compile(r"([€$£¥])\s?\Z")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)\s\Z")


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of a sentence, with what tells which one it is."""

    value: Quantity
    unit: str
    """The sign before it, or the sign or stem behind it; empty if it has none."""
    name: str
    """The name directly before it, `PostgreSQL` in `PostgreSQL 17 since May`; empty if there is none."""

    def has_unit_of(self, other: _Number) -> bool:
        return self.unit != "" and self.unit == other.unit

    def may_replace(self, other: _Number) -> bool:
        """Reports whether both have the same unit, or none, or stand behind the same name."""
        return self.unit == other.unit or (self.name != "" and self.name == other.name)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence of a window, read to be compared with others."""

    facts: Facts
    numbers: tuple[_Number, ...]

    def differs(self, older: _Statement) -> bool:
        """Reports whether it states something else than an older statement about the same thing."""
        return (
            self._has_another_day(older)
            or self._has_another_quantity(older)
            or self._has_another_name(older)
        )

    def _has_another_day(self, older: _Statement) -> bool:
        days = self.facts.days
        older_days = older.facts.days
        if not days or not older_days:
            return False
        for day, older_day in product(days, older_days):
            if day.within(older_day):
                return False
        return True

    def _has_another_quantity(self, older: _Statement) -> bool:
        for number in self.numbers:
            older_numbers = [other for other in older.numbers if number.may_replace(other)]
            stays = any(number.value.equals(other.value) for other in older_numbers)
            if not older_numbers or stays:
                continue
            has_their_unit = any(map(number.has_unit_of, older_numbers))
            if has_their_unit or self._reads_like(older):
                return True
        return False

    def _has_another_name(self, older: _Statement) -> bool:
        names = _names(self.facts)
        older_names = _names(older.facts)
        if names <= older_names or older_names <= names:
            return False
        return self._reads_like(older)

    def _reads_like(self, older: _Statement) -> bool:
        """Reports whether both have enough words in common, apart from names."""
        words = self.facts.stems - _names(self.facts)
        older_words = older.facts.stems - _names(older.facts)
        common_words = words & older_words
        if not common_words:
            return False
        all_words = words | older_words
        return len(common_words) >= ALIKE * len(all_words)


@dataclass(frozen=True, slots=True)
class _ReadWindow:
    """A window with its statements; without any if it is not about the question."""

    window: Window
    statements: tuple[_Statement, ...]
    written_at: datetime
    """The day of its section, or else the time of its note."""
    section_day: datetime | None
    """Day that a heading above the window names; None if it names none."""

    @property
    def chunk(self) -> IndexedChunk:
        return self.window.passage.chunk

    @property
    def place(self) -> tuple[str, datetime]:
        """Identifies the note, or the dated section, of which one window is compared."""
        return self.chunk.note_id, self.written_at

    def is_replaced_among(self, versions: Iterable[_ReadWindow]) -> bool:
        """Reports whether one of the versions is of a note that replaces this one's note."""
        for version in versions:
            if replaces(version.chunk, self.chunk):
                return True
        return False

    def states_differently(self, other: _ReadWindow) -> bool:
        """Reports whether two windows state one thing differently.

        They do if the note of one replaces the other's, or if they were written on different days and the newer one
        states something else than the older one.
        """
        if are_versions(self.chunk, other.chunk):
            return True
        older, newer = sorted((self, other), key=_written_at)
        if newer.written_at - older.written_at < MIN_APART:
            return False
        for statement, older_statement in product(newer.statements, older.statements):
            if statement.differs(older_statement):
                return True
        return False


def _written_at(read: _ReadWindow) -> datetime:
    return read.written_at


def current_first(
    chosen: Sequence[Window],
    ranked: Iterable[Window],
    question: Question,
    retrieved: Retrieved,
    named: NamedNotes,
) -> tuple[list[Window], frozenset[str]]:
    """Puts the newest statement of a thing before older ones that differ, even if it was not chosen.

    If the question asks for what no longer holds, the oldest one stands first. If it names a time, or otherwise asks of
    the past, nothing is reordered.

    Returns at most as many windows as the question wants, and the ids of the chunks whose note's day is to be shown: of
    those that differ, or of all if the question asks for what no longer holds.

    ranked: the windows that may be quoted, best first.
    named: the notes with the names in the question. Others speak of another, and state nothing anew.
    """
    tense = tense_of(question, retrieved)
    names_time = retrieved.analysis.time is not None
    if names_time and tense is Tense.PAST:
        return list(chosen), frozenset()

    # 1. The best window of each note, or of each dated section of a note. Chosen windows come before others.
    ranked = list(ranked)
    asked_weights = _asked_words([*chosen, *ranked], retrieved)
    chosen_reads = [_read(window, asked_weights, retrieved, named) for window in chosen]
    ranked_reads = [_read(window, asked_weights, retrieved, named) for window in ranked]
    best_of_place: dict[tuple[str, datetime], _ReadWindow] = {}
    for read in (*chosen_reads, *ranked_reads):
        best_of_place.setdefault(read.place, read)

    # 2. Each chosen window becomes the version of it that is to stand first, followed by the others that were chosen too.
    ordered: list[_ReadWindow] = []
    dated_chunks: set[str] = set()
    for read in chosen_reads:
        different = filter(read.states_differently, best_of_place.values())
        first_version, *others = _sorted_versions(read, different, tense)
        shown_versions = [first_version]
        shown_versions += [version for version in others if version in chosen_reads]
        has_several = len(shown_versions) > 1
        for version in shown_versions:
            if version not in ordered:
                ordered.append(version)
            is_dated = has_several or tense is Tense.FORMER
            if is_dated and version.section_day is None:
                dated_chunks.add(version.chunk.chunk_id)
    first_windows = [read.window for read in ordered[: question.quotes]]
    return first_windows, frozenset(dated_chunks)


def _sorted_versions(
    read: _ReadWindow, different: Iterable[_ReadWindow], tense: Tense
) -> list[_ReadWindow]:
    """Sorts a window and the other versions of what it states."""
    if tense is Tense.PAST:
        return [read, *different]
    versions = _newest_first([read, *different])
    if tense is Tense.FORMER:
        versions.reverse()
    return versions


def _newest_first(versions: Sequence[_ReadWindow]) -> list[_ReadWindow]:
    """Sorts versions of one thing, the newest first. Versions that another one replaces go last, whenever they were
    written.
    """
    standing: list[_ReadWindow] = []
    replaced: list[_ReadWindow] = []
    for version in sorted(versions, key=_written_at, reverse=True):
        if version.is_replaced_among(versions):
            replaced.append(version)
        else:
            standing.append(version)
    return standing + replaced


def _asked_words(windows: Iterable[Window], retrieved: Retrieved) -> Mapping[str, float]:
    """Returns the weights of those words of the question that occur in some window. Others do not distinguish them."""
    window_stems: set[str] = set()
    for window in windows:
        text = _about(window)
        window_stems |= _stems(text, retrieved)
    all_weights = retrieved.weights.items()
    return {stem: weight for stem, weight in all_weights if stem in window_stems}


def _read(
    window: Window,
    asked_weights: Mapping[str, float],
    retrieved: Retrieved,
    named: NamedNotes,
) -> _ReadWindow:
    """Reads a window. It has no statements if it is not about the question, or if its note does not have the names in it."""
    share_of_window = _share(_about(window), asked_weights, retrieved)
    speaks_of_them = named.may_speak_of_them(window.chunk.note_id)
    statements: tuple[_Statement, ...] = ()
    if share_of_window >= ABOUT and speaks_of_them:
        statements = _nearest_statements(window, asked_weights, retrieved)
    return _ReadWindow(
        window=window,
        statements=statements,
        written_at=written_at(window.chunk),
        section_day=section_day(window.chunk),
    )


def _nearest_statements(
    window: Window,
    asked_weights: Mapping[str, float],
    retrieved: Retrieved,
) -> tuple[_Statement, ...]:
    """Returns the sentences of a window that hold the greatest share of the words that are asked for."""
    texts = [piece.plain for piece in window.pieces]
    shares = [_share(text, asked_weights, retrieved) for text in texts]
    best_share = max(shares, default=0.0)
    statements: list[_Statement] = []
    for text, share in zip(texts, shares, strict=True):
        if share == best_share:
            statements += _statements(text, retrieved.analysis.lang)
    return tuple(statements)


def _about(window: Window) -> str:
    """Returns the text of a window with its note's title and its headings."""
    texts = [window.chunk.title, window.chunk.heading_path]
    texts += [piece.plain for piece in window.pieces]
    return "\n".join(texts)


def _share(text: str, asked_weights: Mapping[str, float], retrieved: Retrieved) -> float:
    """Returns the weighted share of the words asked for that a text holds."""
    shared_stems = asked_weights.keys() & _stems(text, retrieved)
    weight = sum(asked_weights[stem] for stem in shared_stems)
    total_weight = sum(asked_weights.values()) or 1.0
    return weight / total_weight


def _stems(text: str, retrieved: Retrieved) -> set[str]:
    analysis = retrieved.analysis
    return stems_as(text, analysis.lang, analysis.renamed)


def _statements(text: str, lang: str) -> Iterator[_Statement]:
    for facts in facts_of(text, lang):
        raw_names = {word.raw for word in facts.words if word.is_name}
        numbers: list[_Number] = []
        for number in facts.numbers:
            if not number.counts:
                continue
            name = ""
            word_before = _WORD_BEFORE.search(text, 0, number.start)
            if word_before is not None and word_before[1] in raw_names:
                name = word_before[1]
            numbers.append(_Number(value=number, unit=_unit(text, number, lang), name=name))
        yield _Statement(facts, tuple(numbers))


def _unit(text: str, number: Quantity, lang: str) -> str:
    """Returns the sign before a number, or the sign or stem behind it; empty if the number has no unit."""
    if number.clock:
        return "o'clock"
    sign_before = _UNIT_BEFORE.search(text, 0, number.start)
    if sign_before is not None:
        return sign_before[1]
    unit_behind = _UNIT_BEHIND.match(text, number.end)
    if unit_behind is None:
        return ""
    sign_or_word = unit_behind[1]
    if not sign_or_word.isalpha():
        return sign_or_word
    return next(iter(stems(sign_or_word, lang)), "")


def _names(facts: Facts) -> frozenset[str]:
    """Returns the stems of the names in a sentence."""
    names: set[str] = set()
    for word in facts.words:
        if word.is_name:
            names.update(word.stems)
    return frozenset(names)
