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

from shared.answering.kinds import AskedKinds
from shared.answering.named_notes import NamedNotes
from shared.answering.replacement import are_versions, replaces
from shared.answering.statements import Statement, statements_of
from shared.answering.tense import Tense, tense_of
from shared.answering.windows import Window
from shared.answering.written import MIN_APART, section_day, written_at
from shared.language.terms import stems_as
from shared.model.index import IndexedChunk
from shared.model.questions import Question
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
        if newer.written_at - older.written_at < MIN_APART:
            return False
        pairs = product(newer.statements, older.statements)
        if not any(statement.differs(older_statement) for statement, older_statement in pairs):
            return False
        return not kinds.is_about_another(newer.chunk, older.chunk)  # read last, it takes longest


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

    If the question asks for what no longer holds, the last one before the newest stands first. If it names a time, or
    otherwise asks of the past, nothing is reordered.

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
    asked_words = _AskedWords.of([*chosen, *ranked], retrieved)
    chosen_reads = [_read(window, asked_words, named) for window in chosen]
    ranked_reads = [_read(window, asked_words, named) for window in ranked]
    best_of_place: dict[tuple[str, datetime], _ReadWindow] = {}
    for read in (*chosen_reads, *ranked_reads):
        best_of_place.setdefault(read.place, read)

    # 2. Each chosen window becomes the version of it that is to stand first, followed by the others that were chosen too.
    kinds = AskedKinds.of(retrieved.analysis)
    ordered: list[_ReadWindow] = []
    dated: list[_ReadWindow] = []
    for read in chosen_reads:
        different = [
            other for other in best_of_place.values() if read.states_differently(other, kinds)
        ]
        first_version, *others = _sorted_versions(read, different, tense)
        shown_versions = [first_version]
        shown_versions += [version for version in others if version in chosen_reads]
        ordered += [version for version in shown_versions if version not in ordered]
        if len(shown_versions) > 1 or tense is Tense.FORMER:
            dated += shown_versions

    first_windows = [read.window for read in ordered][: question.quotes]
    dated_chunks = [read.chunk.chunk_id for read in dated if read.section_day is None]
    return first_windows, frozenset(dated_chunks)


def _sorted_versions(
    read: _ReadWindow, different: Iterable[_ReadWindow], tense: Tense
) -> list[_ReadWindow]:
    """Sorts a window and the other versions of what it states."""
    if tense is Tense.PAST:
        return [read, *different]
    versions = _newest_first([read, *different])
    if tense is Tense.FORMER:
        newest, *former = versions
        return [*former, newest]
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


@dataclass(frozen=True, slots=True)
class _AskedWords:
    """The words of the question that some window holds. Others do not tell one window from another."""

    weights: Mapping[str, float]
    """Weights by stem."""
    analysis: Analysis

    @classmethod
    def of(cls, windows: Iterable[Window], retrieved: Retrieved) -> _AskedWords:
        """Finds out which words of the question some window holds."""
        asked_words = cls(retrieved.weights, retrieved.analysis)
        held: set[str] = set()
        for window in windows:
            held |= asked_words.held_by(_about(window))
        weights = {stem: weight for stem, weight in retrieved.weights.items() if stem in held}
        return cls(weights, retrieved.analysis)

    def held_by(self, text: str) -> set[str]:
        """Returns the stems of these words that a text holds."""
        return self.weights.keys() & stems_as(text, self.analysis)

    def share(self, text: str) -> float:
        """Returns the weighted share of these words that a text holds, in [0, 1]."""
        weight = sum(self.weights[stem] for stem in self.held_by(text))
        total_weight = sum(self.weights.values()) or 1.0
        return weight / total_weight


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
    texts = [piece.plain for piece in window.pieces]
    shares = [asked_words.share(text) for text in texts]
    best_share = max(shares, default=0.0)
    statements: list[Statement] = []
    for text, share in zip(texts, shares, strict=True):
        if share == best_share:
            statements += statements_of(text, asked_words.analysis.lang)
    return tuple(statements)


def _about(window: Window) -> str:
    """Returns the text of a window with its note's title and its headings."""
    texts = [window.chunk.title, window.chunk.heading_path]
    texts += [piece.plain for piece in window.pieces]
    return "\n".join(texts)
