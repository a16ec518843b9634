"""Windows to be quoted -> the same windows, where notes state one thing differently the one that is asked for first.

That is the newest. For what no longer holds (`the old password`) it is the last one before the newest; for any other
question in the past, or about a time, the one that ranks first.

Windows of two notes state one thing differently if both are about most of what the question asks for, and they differ
in a number of the same unit or in a date. If their sentences otherwise read alike, a different name or bare number
counts too. Nothing here can tell which one is right, so both are quoted, each with the day of its note.

A section whose heading names a day counts as written on that day, so it can differ from another section of the same
note. If the properties of two notes say that one replaces the other, the replaced one always comes last, whenever it
was written. A note without the names in the question states nothing anew: it speaks of another. Nor does one about
another thing of the kind that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from operator import attrgetter

from shared.answering.asked_statement import AskedStatement
from shared.answering.kinds import AskedKinds
from shared.answering.named_notes import NamedNotes
from shared.answering.replacement import are_versions, replaces
from shared.answering.statements import Statement, statements_of
from shared.answering.tense import Tense
from shared.answering.windows import ChosenWindows, Window
from shared.answering.written import MIN_APART, section_day, written_at
from shared.language.terms import stems_as
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis, Retrieved

ABOUT = 0.6
"""A window is about the question if it, its note's title and its headings together hold at least this weighted share of
the question's words. Words that no window holds are ignored.
"""


@dataclass(frozen=True, slots=True)
class _ReadWindow:
    """A window with its statements; without any if it is not about the question."""

    window: Window
    statements: tuple[Statement, ...]
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

    def states_differently(self, other: _ReadWindow, kinds: AskedKinds) -> bool:
        """Reports whether two windows state one thing differently.

        They do if the note of one replaces the other's, or if they were written on different days and the newer one
        states something else than the older one, about the same thing of the kind that is asked for.
        """
        if are_versions(self.chunk, other.chunk):
            return True
        older, newer = sorted((self, other), key=_written_at)
        days_apart = newer.written_at - older.written_at
        if days_apart < MIN_APART or not newer.states_another_thing_than(older):
            return False
        return not kinds.is_about_another(newer.chunk, older.chunk)  # read last, it takes longest

    def states_another_thing_than(self, older: _ReadWindow) -> bool:
        """Reports whether one of the statements differs from one of an older window."""
        for statement, older_statement in product(self.statements, older.statements):
            if statement.differs(older_statement):
                return True
        return False


_written_at = attrgetter("written_at")


def current_first(
    chosen: Sequence[Window],
    ranked: Sequence[Window],
    retrieved: Retrieved,
    asked: AskedStatement,
    *,
    limit: int,
) -> ChosenWindows:
    """Puts the newest statement of a thing before older ones that differ, even if it was not chosen.

    If the question asks for what no longer holds, the last one before the newest stands first. If it names a time, or
    otherwise asks of the past, nothing is reordered.

    Returns at most `limit` windows. The note's day is to be shown of those that differ, or of all if the question asks for
    what no longer holds.

    ranked: the windows that may be quoted, best first.
    """
    names_time = retrieved.analysis.time is not None
    if names_time and asked.tense is Tense.PAST:
        return ChosenWindows(chosen)

    # 1. The best window of each note, or of each dated section of a note. Chosen windows come before others.
    asked_words = _AskedWords.of([*chosen, *ranked], retrieved)
    chosen_reads = [_read(window, asked_words, asked.named) for window in chosen]
    ranked_reads = [_read(window, asked_words, asked.named) for window in ranked]
    candidates = _best_of_places([*chosen_reads, *ranked_reads])

    # 2. Each chosen window becomes the version of it that is to stand first, followed by the others that were chosen too.
    ordered: list[_ReadWindow] = []
    dated: list[_ReadWindow] = []
    for read in chosen_reads:
        versions = _versions_of(read, candidates, asked)
        quoted = versions.quoted(asked.tense, chosen_reads)
        ordered += [version for version in quoted if version not in ordered]
        if len(quoted) > 1 or asked.tense is Tense.FORMER:
            dated += quoted

    windows = [read.window for read in ordered]
    dated_chunks = [read.chunk.chunk_id for read in dated if read.section_day is None]
    return ChosenWindows(windows[:limit], frozenset(dated_chunks))


def _best_of_places(reads: Iterable[_ReadWindow]) -> list[_ReadWindow]:
    """Returns the first window of each note, or of each dated section of a note."""
    best_of_place: dict[tuple[str, datetime], _ReadWindow] = {}
    for read in reads:
        best_of_place.setdefault(read.place, read)
    return list(best_of_place.values())


@dataclass(frozen=True, slots=True)
class _Versions:
    """A chosen window, and the windows that state the same thing differently."""

    chosen: _ReadWindow
    others: Sequence[_ReadWindow]

    def quoted(self, tense: Tense, chosen: Sequence[_ReadWindow]) -> list[_ReadWindow]:
        """Returns the one that is to stand first, and those of the others that were chosen."""
        first, *others = self.in_order(tense)
        chosen_others = [version for version in others if version in chosen]
        return [first, *chosen_others]

    def in_order(self, tense: Tense) -> list[_ReadWindow]:
        """Returns all of them, the one that is to stand first before the others."""
        versions = [self.chosen, *self.others]
        if tense is Tense.PAST:
            return versions
        newest, *former = _newest_first(versions)
        if tense is Tense.FORMER:
            return [*former, newest]
        return [newest, *former]


def _versions_of(
    chosen: _ReadWindow,
    candidates: Iterable[_ReadWindow],
    asked: AskedStatement,
) -> _Versions:
    """Finds the windows that state differently what a chosen one states."""
    others = []
    for candidate in candidates:
        if chosen.states_differently(candidate, asked.kinds):
            others.append(candidate)
    return _Versions(chosen, others)


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


@dataclass(frozen=True, slots=True)
class _AskedWords:
    """The words of the question that some window holds. Others do not tell one window from another."""

    weights: Mapping[str, float]
    """Weights by stem."""
    analysis: Analysis

    @classmethod
    def of(cls, windows: Iterable[Window], retrieved: Retrieved) -> _AskedWords:
        """Finds out which words of the question some window holds."""
        all_words = cls(retrieved.weights, retrieved.analysis)
        held_stems: set[str] = set()
        for window in windows:
            text = _about(window)
            held_stems |= all_words.held_by(text)
        weights = {stem: weight for stem, weight in retrieved.weights.items() if stem in held_stems}
        return cls(weights, retrieved.analysis)

    def held_by(self, text: str) -> set[str]:
        """Returns the stems of these words that a text holds."""
        text_stems = stems_as(text, self.analysis)
        return self.weights.keys() & text_stems

    def share(self, text: str) -> float:
        """Returns the weighted share of these words that a text holds, in [0, 1]."""
        held_weights = [self.weights[stem] for stem in self.held_by(text)]
        total_weight = sum(self.weights.values()) or 1.0
        return sum(held_weights) / total_weight


def _read(window: Window, asked_words: _AskedWords, named: NamedNotes) -> _ReadWindow:
    """Reads a window. It has no statements if it is not about the question, or if its note does not have the names in it."""
    is_about_question = asked_words.share(_about(window)) >= ABOUT
    statements: tuple[Statement, ...] = ()
    if is_about_question and named.may_speak_of_them(window.chunk.note_id):
        statements = _nearest_statements(window, asked_words)
    return _ReadWindow(
        window=window,
        statements=statements,
        written_at=written_at(window.chunk),
        section_day=section_day(window.chunk),
    )


def _nearest_statements(window: Window, asked_words: _AskedWords) -> tuple[Statement, ...]:
    """Returns the sentences of a window that hold the greatest share of the words that are asked for."""
    lang = asked_words.analysis.lang
    texts = [piece.plain for piece in window.pieces]
    shares = [asked_words.share(text) for text in texts]
    best_share = max(shares, default=0.0)
    statements: list[Statement] = []
    for text, share in zip(texts, shares, strict=True):
        if share == best_share:
            statements += statements_of(text, lang)
    return tuple(statements)


def _about(window: Window) -> str:
    """Returns the text of a window with its note's title and its headings."""
    chunk = window.chunk
    texts = [chunk.title, chunk.heading_path]
    texts += [piece.plain for piece in window.pieces]
    return "\n".join(texts)
