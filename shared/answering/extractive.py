"""Question and passages -> the nearest quotes in the notes' own words, without a model that writes.

Likeness does not tell an answer from a near miss, so nothing here claims to answer. The note that ranks first is always
quoted, by its nearest window; then the notes with the nearest windows, one of each, all in the order of the search,
but for those that are much weaker. Where the first note holds further windows that are nearer than those of all other
notes, it alone is quoted. Of notes that state one thing differently the newest stands first. Each quote stands below
the title of its note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from zoneinfo import ZoneInfo

from shared.answering.asked import AskedProperties, definitions
from shared.answering.current import current_first
from shared.answering.names import MissingSubject
from shared.answering.period import MAX_QUOTE, period_quotes, whole_quote
from shared.answering.refusals import answer_words, linkable, reach_notice
from shared.answering.replacement import are_versions
from shared.answering.subject import is_on_topic
from shared.answering.windows import Window, joined, windows
from shared.language.lengths import utf16_units
from shared.markdown.neutralize import neutralize_line
from shared.markdown.plain import plain
from shared.markdown.quotations import joined_lines, quotation
from shared.markdown.sanitize import Sanitizer
from shared.model.answers import CheckedPiece, Citation, Claim, Quote, Source, Support, SupportState
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder
from shared.settings import EXTRACTIVE
from shared.times.dates import date_in_words, days_in
from shared.times.series import asked_of_series

_HEADING_MARK = re.compile(r"(?:^| > )#{1,6} ")
_CLOSES = re.compile(r"\||`{3}|~{3}")
"""The last line of a table or a block of code: no marker may stand behind it."""

FAR = 0.5
"""Share of the first passage's score below which another one is not read."""
FURTHER = 0.6
"""Share of the nearness of the first note's window below which a further window of that note is left out."""
ALONE = 0.2
"""Margin by which the second window of the first note must be nearer than those of all other notes for it alone to be
quoted. Chosen on half of the questions to a handbook, to pages of strangers and to chats: less loses the right note
where another one ranks first.
"""
WEAK = 0.55
"""Share of the best window's score below which another note's window is left out: the largest that lost no fact and no
right note on half of the questions to a handbook and to pages of strangers.
"""


class ExtractiveWriter:
    """Quotes the notes where no model writes. Deterministic; never fails.

    embedder: one on this machine, asked for every question; None: words alone decide what is quoted of a passage.
    """

    model = EXTRACTIVE

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def quotes(
        self,
        question: Question,
        retrieved: Retrieved,
        missing: MissingSubject | None = None,
    ) -> tuple[Quote, ...]:
        """Returns at most as many quotes as the question wants; none if nothing is on topic."""
        if not retrieved.selected:
            return ()
        naming: frozenset[str] = frozenset()
        if missing is not None:
            naming = missing.note_ids

        # 1. The windows of the passages that are near, best first.
        definitions_of_chunk = definitions(retrieved)
        defining_chunks = frozenset(definitions_of_chunk)
        local_now = question.now.astimezone(ZoneInfo(question.zone))
        close = _close_passages(retrieved, naming, defining_chunks, local_now)
        defining_texts = chain.from_iterable(definitions_of_chunk.values())
        candidates = windows(
            question.text,
            close,
            retrieved,
            self._embedder,
            frozenset(defining_texts),
        )
        best_first = sorted(candidates, key=lambda window: -window.score)
        ranked = joined(best_first)
        greatest_nearness = max(window.nearness for window in ranked)
        if not is_on_topic(retrieved, greatest_nearness):
            return ()

        # 2. Those that are quoted, in the order of the search.
        if missing is not None:
            chosen = _choose_nearest(ranked, naming, limit=question.quotes)
            return _shown_quotes(_in_order_of_search(chosen, close, naming))
        first_note = close[0].chunk.note_id
        chosen = _choose(ranked, first_note, limit=question.quotes)
        chosen = _in_order_of_search(chosen, close, naming)

        # 3. The newest statement of a thing before older ones.
        near = _near_and_versions(ranked, chosen)
        ordered, dated_chunks = current_first(chosen, near, retrieved, limit=question.quotes)
        quotes: list[Quote] = []
        for quote in _shown_quotes(ordered):
            is_dated = quote.passage.chunk.chunk_id in dated_chunks
            quotes.append(replace(quote, dated=is_dated))
        return tuple(quotes)

    def nearest(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """Returns a quote of each of the nearest passages that shows text, in their order."""
        candidates = windows(question.text, retrieved.nearest, retrieved, self._embedder)
        best_of_chunk: dict[str, Window] = {}
        for window in candidates:
            best_of_chunk.setdefault(window.chunk.chunk_id, window)
        nearest_windows = [window.without_rest() for window in best_of_chunk.values()]
        return _shown_quotes(nearest_windows)

    def pieces(
        self,
        question: Question,
        retrieved: Retrieved,
        missing: MissingSubject | None = None,
    ) -> tuple[CheckedPiece, ...]:
        """Returns the answer, a quote a piece, below a line that says what it is; none if nothing is on topic.

        A question about a time and nothing else gets one line a note, by date. The line is in the language of the
        question if that has words for it.
        """
        # 1. What is quoted.
        zone = ZoneInfo(question.zone)
        lang = retrieved.analysis.lang
        lists_notes = retrieved.notes_read is not None
        if lists_notes:
            quotes = period_quotes(retrieved.selected, zone, lang)
        else:
            quotes = self.quotes(question, retrieved, missing)
        if not quotes:
            return ()

        # 2. The line above it.
        sources = [Source("", quote.passage) for quote in quotes]
        sanitizer = Sanitizer(linkable(question, sources))
        opening = sanitizer.feed(_opening(retrieved, missing))
        pieces = [CheckedPiece(opening)]
        length = utf16_units(opening)

        # 3. Each quote as a piece; numbers go on through all of them.
        first_number = 1
        for together in _quoted_together(quotes):
            next_number = first_number + len(together)
            labels = [f"N{number}" for number in range(first_number, next_number)]
            first_number = next_number
            markers = ""
            if question.include_citations:
                markers = "".join([f" [{label}]" for label in labels])

            gap = "\n\n"
            if lists_notes:
                body = _list_item(together[0], zone, lang) + markers
                if len(pieces) > 1:
                    gap = "\n"
            else:
                title_line = _title_line(together[0], retrieved, zone)
                quoted_lines = joined_lines([quote.lines for quote in together])
                body = _blockquote(title_line, quoted_lines, markers)

            text = sanitizer.feed(gap + body)
            start = length + len(gap)
            length += utf16_units(text)
            piece = CheckedPiece(text)
            if question.include_citations:
                claim = _claim(together, labels, start=start, end=length)
                piece = CheckedPiece(text, claim, claim.citations)
            pieces.append(piece)
        return tuple(pieces)


def _opening(retrieved: Retrieved, missing: MissingSubject | None) -> str:
    """Says what the quotes are, in the language of the question or else in English."""
    words = answer_words(retrieved.analysis.lang)
    if retrieved.notes_read is not None:
        heading = words.of_then
    elif missing is not None:
        subject = neutralize_line(missing.text)
        heading = words.nothing_about.format(subject=subject)
    else:
        heading = words.nearest
    notice = reach_notice(retrieved)
    return notice + heading


def _close_passages(
    retrieved: Retrieved,
    naming: frozenset[str],
    defining: frozenset[str],
    now: datetime,
) -> list[Scored]:
    """Returns the passages that are read: those near the first one's score, of the notes in `naming`, of the chunks in
    `defining`, and versions of those that are near.

    Where the question asks for the last or the first note of a series, that note alone is read; where it names a
    property with its value, only notes that have it are.
    """
    min_score = FAR * retrieved.selected[0].score
    near = [passage for passage in retrieved.selected if passage.score >= min_score]
    close: list[Scored] = []
    for passage in retrieved.selected:
        chunk = passage.chunk
        is_near = passage.score >= min_score
        is_named = chunk.note_id in naming or chunk.chunk_id in defining
        # Looking for versions takes time, so it is done for far passages alone.
        if is_near or is_named or _is_version_of_any(passage, near):
            close.append(passage)

    selected_chunks = [passage.chunk for passage in retrieved.selected]
    series = asked_of_series(retrieved.analysis, selected_chunks, now)
    if series is not None:
        asked_note, _ = series
        return [passage for passage in retrieved.selected if passage.chunk.note_id == asked_note]

    properties = AskedProperties(retrieved)
    with_value = [
        passage for passage in retrieved.selected if properties.has_key_and_value(passage.chunk)
    ]
    return with_value or close


def _near_and_versions(ranked: Sequence[Window], chosen: Sequence[Window]) -> list[Window]:
    """Returns the windows that are not much weaker than the best one, and those of versions of the chosen notes."""
    min_score = WEAK * ranked[0].score
    chosen_passages = [window.passage for window in chosen]
    near: list[Window] = []
    for window in ranked:
        is_near = window.score >= min_score
        if is_near or _is_version_of_any(window.passage, chosen_passages):
            near.append(window)
    return near


def _is_version_of_any(passage: Scored, passages: Iterable[Scored]) -> bool:
    """Reports whether a passage is of a note that replaces the note of one of some passages, or is replaced by it."""
    for other in passages:
        if are_versions(passage.chunk, other.chunk):
            return True
    return False


def _in_order_of_search(
    chosen: Iterable[Window],
    close: Sequence[Scored],
    naming: frozenset[str],
) -> list[Window]:
    """Sorts windows by their note and passage; those of notes in `naming` come first, then those that define."""
    note_ids = [passage.chunk.note_id for passage in close]

    def place(window: Window) -> tuple[bool, bool, int, int]:
        note_id = window.chunk.note_id
        return (
            note_id not in naming,
            not window.defines,
            note_ids.index(note_id),
            close.index(window.passage),
        )

    return sorted(chosen, key=place)


def _choose(ranked: Sequence[Window], first_note: str, *, limit: int) -> list[Window]:
    """Chooses the first note's best window and the best of each other note, or several of the first note alone."""
    # 1. The windows of the first note, and the best one of each other note.
    windows_of_first = [window for window in ranked if window.chunk.note_id == first_note]
    best = windows_of_first[0]
    min_nearness = FURTHER * best.nearness
    further_windows = [window for window in windows_of_first[1:] if window.nearness >= min_nearness]
    best_of_others: dict[str, Window] = {}
    for window in ranked:
        if window.chunk.note_id != first_note:
            best_of_others.setdefault(window.chunk.note_id, window)

    # 2. Other notes' windows that are not much weaker, those that define first.
    min_score = WEAK * ranked[0].score
    defining_windows: list[Window] = []
    near_windows: list[Window] = []
    for window in best_of_others.values():
        if window.defines:
            defining_windows.append(window)
        elif window.score >= min_score:
            near_windows.append(window)

    # 3. The first note alone if it holds more than the others.
    one_a_note = _different([best, *defining_windows, *near_windows], limit + 1)
    of_first_note = _different([best, *further_windows], limit + 1)
    if len(one_a_note) == 1:
        return of_first_note[:limit]
    if len(of_first_note) > 1:
        min_second_score = one_a_note[1].score + ALONE
        if of_first_note[1].score >= min_second_score:
            return of_first_note[:limit]
    return one_a_note[:limit]


def _choose_nearest(
    ranked: Sequence[Window],
    naming: frozenset[str],
    *,
    limit: int,
) -> list[Window]:
    """Chooses the best window of each note, of those in `naming` first; nothing around it is quoted."""
    best_windows: dict[str, Window] = {}
    for window in ranked:
        best_windows.setdefault(window.chunk.note_id, window)
    min_score = WEAK * ranked[0].score
    naming_windows = []
    near_windows = []
    for note_id, window in best_windows.items():
        if note_id in naming:
            naming_windows.append(window)
        elif window.score >= min_score:
            near_windows.append(window)
    nearest = _different([*naming_windows, *near_windows], limit)
    return [window.without_rest() for window in nearest]


def _different(ranked: Sequence[Window], limit: int) -> list[Window]:
    """Returns the first `limit` windows that do not repeat one before them."""
    different: list[Window] = []
    for window in ranked:
        if len(different) == limit:
            break
        if not any(map(window.repeats, different)):
            different.append(window)
    return different


def _shown_quotes(chosen: Iterable[Window]) -> tuple[Quote, ...]:
    """Returns the quotes of the windows that show text, with those that are quoted with them."""
    quotes: list[Quote] = []
    for window in chosen:
        continues = False
        for part in window.in_order():
            quote = _quote(part)
            if quote is None:
                continue
            quotes.append(replace(quote, continues=continues))
            continues = True
    return tuple(quotes)


def _quoted_together(quotes: Iterable[Quote]) -> list[list[Quote]]:
    """Returns the quotes with those that go on with them."""
    groups: list[list[Quote]] = []
    for quote in quotes:
        if quote.continues and groups:
            groups[-1].append(quote)
        else:
            groups.append([quote])
    return groups


def _list_item(quote: Quote, zone: ZoneInfo, lang: str) -> str:
    """Writes a note as an item of a list that begins with its date."""
    day = _day(quote, zone, lang)
    text = " ".join(quote.lines)
    return f"- {day}: {text}"


def _day(quote: Quote, zone: ZoneInfo, lang: str) -> str:
    """Writes the day of a quote's note."""
    created_at = quote.passage.chunk.created_at
    return date_in_words(created_at.astimezone(zone), lang)


def _blockquote(title_line: str, quoted: Sequence[str], markers: str) -> str:
    """Writes a quote as a quotation in Markdown, below its note's title and with its markers behind it.

    The title is part of the quotation, so that both go when the note is deleted.
    """
    lines = list(quoted)
    if title_line:
        lines = [title_line, "", *quoted]
    marked_lines = [f"> {line}".rstrip() for line in lines]
    blockquote = "\n".join(marked_lines)
    if markers and _CLOSES.match(quoted[-1]):
        return f"{blockquote}\n>\n>{markers}"
    return blockquote + markers


def _claim(quotes: Sequence[Quote], labels: Sequence[str], *, start: int, end: int) -> Claim:
    """Returns the claim of quotes that stand together at `[start, end)` of the answer, which nobody judged."""
    citations: list[Citation] = []
    for quote, label in zip(quotes, labels, strict=True):
        citation = Citation(
            label=label,
            passage=quote.passage,
            quote_start=quote.start,
            quote_end=quote.end,
            quote=quote.text,
            support=Support(SupportState.QUOTED, quote.nearness),
        )
        citations.append(citation)
    nearness = max(quote.nearness for quote in quotes)
    return Claim(
        start=start,
        end=end,
        support=Support(SupportState.QUOTED, nearness),
        citations=tuple(citations),
    )


def _title_line(quote: Quote, retrieved: Retrieved, zone: ZoneInfo) -> str:
    """Names the note and the section that a quote is from, the properties that are asked for, and its day if it matters.

    Empty for a note without a title, a path and headings.
    """
    chunk = quote.passage.chunk
    names = _note_and_sections(chunk)
    if not names:
        return ""
    title = " › ".join(names)
    title_line = f"**{title}**"

    properties = AskedProperties(retrieved).shown(chunk)
    if properties:
        shown_properties = "; ".join(map(_in_plain_words, properties))
        title_line += f" ({shown_properties})"

    wants_day = retrieved.analysis.time is not None or quote.dated
    if wants_day and not any(map(_names_a_day, names)):
        day = _day(quote, zone, retrieved.analysis.lang)
        title_line += f", {day}"
    return title_line


def _names_a_day(name: str) -> bool:
    """Reports whether a title or heading says a day or month and its year: another one beside it would contradict it."""
    return any(day.year is not None for day in days_in(name))


def _note_and_sections(chunk: IndexedChunk) -> list[str]:
    """Returns the title or else the file name of a chunk's note and the headings above it, none twice."""
    _, _, file_name = chunk.path.rpartition("/")
    note_name = chunk.title or file_name.removesuffix(".md")
    headings = _HEADING_MARK.split(chunk.heading_path)
    names = dict.fromkeys(map(_in_plain_words, (note_name, *headings)))
    names.pop("", None)
    return list(names)


def _in_plain_words(line: str) -> str:
    """Writes a line of a note without Markdown."""
    return plain(neutralize_line(line))


def _quote(window: Window) -> Quote | None:
    """Quotes a window; None: it shows no text."""
    if not window.pieces:
        return whole_quote(window.passage)
    chunk = window.chunk
    start, end, lines = quotation(
        chunk.text,
        window.parts,
        first=window.pieces[0],
        longest=MAX_QUOTE,
    )
    if not any(lines):
        return whole_quote(window.passage)
    return Quote(
        passage=window.passage,
        start=chunk.start + start,
        end=chunk.start + end,
        lines=lines,
        nearness=window.nearness,
    )
