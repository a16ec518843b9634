"""Question and passages -> the nearest quotes in the notes' own words, without a model that writes.

Similarity cannot tell an answer from a near miss, so nothing here claims to answer. `choosing` says what is quoted.
Each quote stands below the title of its note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from zoneinfo import ZoneInfo

from shared.answering.answer_language import answer_lang
from shared.answering.asked import AskedProperties
from shared.answering.beside import ChunkReader
from shared.answering.choosing import choose_windows
from shared.answering.missing_subject import MissingSubject
from shared.answering.missing_words import missing_words
from shared.answering.period import MAX_QUOTE, period_quotes, whole_quote
from shared.answering.refusals import answer_words, linkable, reach_notice
from shared.answering.windows import Window, windows
from shared.language.lengths import utf16_units
from shared.markdown.neutralize import neutralize_line
from shared.markdown.plain import plain_title
from shared.markdown.quotations import LEFT_OUT, joined_lines, quotation
from shared.markdown.sanitize import Sanitizer
from shared.model.answers import CheckedPiece, Citation, Claim, Quote, Source, Support, SupportState
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import Retrieved
from shared.ports.models import Embedder
from shared.settings import EXTRACTIVE
from shared.times.dates import date_in_words, days_in

_CLOSES = re.compile(
    r"\||`{3}|~{3}|(?:[ ]{4}|\t)(?![ \t]*(?:[-*+•‣◦]|\d{1,9}[.)])[ \t])",
)
"""The last line of a table or a block of code, which cannot be followed by a marker."""


@dataclass(frozen=True, slots=True)
class _QuoteGroup:
    """Quotes that stand together in the answer, and the label of each."""

    quotes: tuple[Quote, ...]
    labels: tuple[str, ...]

    def with_next(self, quote: Quote, label: str) -> _QuoteGroup:
        """Returns these quotes and the next one."""
        quotes = (*self.quotes, quote)
        labels = (*self.labels, label)
        return _QuoteGroup(quotes, labels)

    @property
    def markers(self) -> str:
        """Returns the citations that stand behind the quotes."""
        markers = [f" [{label}]" for label in self.labels]
        return "".join(markers)

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns the lines of all quotes, with a sign where something of the note between them is left out."""
        touching = [False]
        for previous, quote in pairwise(self.quotes):
            touching.append(_touches(quote, previous))
        lines_of_quotes = [quote.lines for quote in self.quotes]
        return joined_lines(lines_of_quotes, touching)


class ExtractiveWriter:
    """Quotes the notes where no model writes. Deterministic; never fails.

    embedder: an embedder on this machine, used for every question. With None, words alone decide what is quoted.
    reader: the index, where lists and tables go on that the search found in part. With None, only what was found is known.
    """

    model = EXTRACTIVE

    def __init__(
        self,
        embedder: Embedder | None = None,
        reader: ChunkReader | None = None,
    ) -> None:
        self._embedder = embedder
        self._reader = reader

    def quotes(
        self,
        question: Question,
        retrieved: Retrieved,
        missing: MissingSubject | None = None,
    ) -> tuple[Quote, ...]:
        """Returns at most as many quotes as the question wants; none if nothing is on topic."""
        chosen = choose_windows(question, retrieved, missing, self._embedder, self._reader)
        quotes = []
        for quote in _shown_quotes(chosen.windows):
            is_dated = quote.passage.chunk.chunk_id in chosen.dated_chunks
            quotes.append(replace(quote, dated=is_dated))
        return tuple(quotes)

    def nearest(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """Returns a quote of each of the nearest passages, in their order, from the piece on that lies nearest in it.

        Passages that show no text are left out.
        """
        candidates = windows(question.text, retrieved.nearest, retrieved, self._embedder)
        best_of_chunk: dict[str, Window] = {}
        for window in candidates:
            chunk_id = window.chunk.chunk_id
            best_of_chunk.setdefault(chunk_id, window)
        nearest_windows = [window.from_nearest() for window in best_of_chunk.values()]
        return _shown_quotes(nearest_windows)

    def pieces(
        self,
        question: Question,
        retrieved: Retrieved,
        missing: MissingSubject | None = None,
    ) -> tuple[CheckedPiece, ...]:
        """Returns the answer, one piece for each quote, below an opening line; nothing if nothing is on topic.

        A question about a period and nothing else is answered with one line for each note, by date.
        """
        # 1. What is quoted.
        lang = answer_lang(question.own_words, retrieved)
        lists_notes = retrieved.notes_read is not None
        if lists_notes:
            zone = ZoneInfo(question.zone)
            quotes = period_quotes(retrieved.selected, zone, lang)
        else:
            quotes = self.quotes(question, retrieved, missing)
        if not quotes:
            return ()

        # 2. The opening line.
        sources = [Source("", quote.passage) for quote in quotes]
        sanitizer = Sanitizer(linkable(question, sources))
        unsaid: tuple[str, ...] = ()
        if missing is None and not lists_notes:
            unsaid = self._unsaid(question, retrieved, quotes, lang)
        opening_line = _opening(retrieved, missing, unsaid, lang)
        opening = sanitizer.feed(opening_line)
        pieces = [CheckedPiece(opening)]
        length = utf16_units(opening)

        # 3. The quotes, those that go on with each other as one piece.
        for group in _groups(quotes):
            is_next_item = lists_notes and len(pieces) > 1
            gap = "\n" if is_next_item else "\n\n"
            body = _body(group, question, retrieved, lang)
            text = sanitizer.feed(gap + body)
            start = length + len(gap)
            length += utf16_units(text)
            piece = CheckedPiece(text)
            if question.include_citations:
                claim = _claim(group, start=start, end=length)
                piece = CheckedPiece(text, claim, claim.citations)
            pieces.append(piece)
        return tuple(pieces)

    def _unsaid(
        self,
        question: Question,
        retrieved: Retrieved,
        quotes: Iterable[Quote],
        lang: str,
    ) -> tuple[str, ...]:
        """Returns the person's words that matter and that no quoted passage holds; none without an embedder.

        lang: language of the answer.
        """
        if self._embedder is None:
            return ()
        chunks = [quote.passage.chunk for quote in quotes]
        return missing_words(
            question.own_words,
            retrieved.analysis,
            chunks,
            self._embedder,
            answer_lang=lang,
        )


def _opening(
    retrieved: Retrieved,
    missing: MissingSubject | None,
    unsaid: Sequence[str],
    lang: str,
) -> str:
    """Says what the quotes are, in a language or else in English.

    unsaid: the person's words that matter and that no quoted passage holds.
    """
    words = answer_words(lang)
    if retrieved.notes_read is not None:
        heading = words.of_then
    elif missing is not None:
        subject = words.quoted.format(word=neutralize_line(missing.text))
        heading = words.nothing_about.format(subject=subject)
    elif unsaid:
        quoted_words = [words.quoted.format(word=neutralize_line(word)) for word in unsaid]
        heading = words.nearest_without.format(words=", ".join(quoted_words))
    else:
        heading = words.nearest
    notice = reach_notice(retrieved, lang)
    return notice + heading


def _shown_quotes(chosen: Iterable[Window]) -> tuple[Quote, ...]:
    """Returns the quotes of windows and of the windows joined to them; windows that show no text are left out."""
    quotes = []
    for window in chosen:
        continues = False
        for part in window.in_order():
            quote = _quote(part)
            if quote is None:
                continue
            quotes.append(replace(quote, continues=continues))
            continues = True
    return tuple(quotes)


def _touches(quote: Quote, previous: Quote) -> bool:
    """Reports whether nothing is left out between two quotes of one list or table."""
    chunk = quote.passage.chunk
    if chunk.start <= previous.end:
        start = previous.end - chunk.start
        end = quote.start - chunk.start
        return chunk.text[start:end].strip() == ""
    previous_chunk = previous.passage.chunk
    is_next_passage = chunk.position == previous_chunk.position + 1
    begins_passage = quote.start == chunk.start
    ends_passage = previous.end == previous_chunk.end
    return is_next_passage and begins_passage and ends_passage


def _groups(quotes: Iterable[Quote]) -> list[_QuoteGroup]:
    """Labels all quotes `N1`, `N2`, … and groups each with the quotes that continue it."""
    groups: list[_QuoteGroup] = []
    for number, quote in enumerate(quotes, 1):
        label = f"N{number}"
        group = _QuoteGroup((quote,), (label,))
        if quote.continues and groups:
            group = groups.pop().with_next(quote, label)
        groups.append(group)
    return groups


def _body(group: _QuoteGroup, question: Question, retrieved: Retrieved, lang: str) -> str:
    """Writes quotes that stand together: below a title, or as one line of the list of a period's notes."""
    zone = ZoneInfo(question.zone)
    first = group.quotes[0]
    markers = ""
    if question.include_citations:
        markers = group.markers
    if retrieved.notes_read is not None:
        return _list_item(first, zone, lang) + markers
    title_line = _title_line(first, retrieved, zone, lang)
    return _blockquote(title_line, group.lines, markers)


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
    """Writes quoted lines as a Markdown blockquote that begins with the note's title and ends with the markers.

    The title is part of the blockquote, so that both are removed when the note is deleted.
    """
    lines = [title_line, "", *quoted]
    marked_lines = [f"> {line}".rstrip() for line in lines]
    blockquote = "\n".join(marked_lines)
    last_line = quoted[-1]
    if markers and _CLOSES.match(last_line):
        return f"{blockquote}\n>\n>{markers}"
    return blockquote + markers


def _claim(group: _QuoteGroup, *, start: int, end: int) -> Claim:
    """Returns the claim of quotes that stand at `[start, end)` of the answer. Quotes are not judged."""
    citations: list[Citation] = []
    for quote, label in zip(group.quotes, group.labels, strict=True):
        citation = Citation(
            label=label,
            passage=quote.passage,
            quote_start=quote.start,
            quote_end=quote.end,
            quote=quote.text,
            support=Support(SupportState.QUOTED, quote.nearness),
        )
        citations.append(citation)
    nearness = max(quote.nearness for quote in group.quotes)
    return Claim(
        start=start,
        end=end,
        support=Support(SupportState.QUOTED, nearness),
        citations=tuple(citations),
    )


def _title_line(quote: Quote, retrieved: Retrieved, zone: ZoneInfo, lang: str) -> str:
    """Names the note and the section of a quote, the properties that are asked for, and the day if it matters.

    A note without a title, a path and headings has a word for that instead of a name.
    """
    chunk = quote.passage.chunk
    names = _note_and_sections(chunk) or [answer_words(lang).untitled]
    title = " › ".join(names)
    title_line = f"**{title}**"

    properties = AskedProperties(retrieved).shown(chunk)
    if properties:
        shown_properties = "; ".join(map(_in_plain_words, properties))
        title_line += f" ({shown_properties})"

    wants_day = retrieved.analysis.time is not None or quote.dated
    if wants_day and not _is_named(quote, names, zone):
        day = _day(quote, zone, lang)
        title_line += f", {day}"
    return title_line


def _is_named(quote: Quote, names: Iterable[str], zone: ZoneInfo) -> bool:
    """Reports whether the names above a quote say its day, or one beside which another would contradict it.

    Where the day tells statements apart, only the note's own day says it: `Budget for May 2025` may be written in June.
    """
    written_at = quote.passage.chunk.created_at.astimezone(zone)
    own_day = (written_at.year, written_at.month, written_at.day)
    for day in chain.from_iterable(map(days_in, names)):
        if (day.year, day.month, day.day) == own_day:
            return True
        names_year = day.year is not None
        if names_year and not quote.dated:
            return True
    return False


def _note_and_sections(chunk: IndexedChunk) -> list[str]:
    """Returns the title (or file name) of a chunk's note and the headings above the chunk, without repetitions."""
    _, _, file_name = chunk.path.rpartition("/")
    note_name = chunk.title or file_name.removesuffix(".md")
    names = []
    for line in (note_name, *chunk.headings):
        name = _in_plain_words(line)
        if name and name not in names:
            names.append(name)
    return names


def _in_plain_words(line: str) -> str:
    """Writes a line of a note without Markdown."""
    words = plain_title(neutralize_line(line))
    # What went may have stood in the midst of what looks like a citation now.
    return neutralize_line(words)


def _quote(window: Window) -> Quote | None:
    """Quotes a window; None if it shows no text."""
    if not window.pieces:
        return whole_quote(window.passage)
    chunk = window.chunk
    start, end, lines = quotation(
        chunk.text,
        window.parts,
        first=window.pieces[0],
        longest=MAX_QUOTE,
        outline=window.outline,
    )
    if not any(lines):
        return whole_quote(window.passage)
    first_line, *further_lines = lines
    begins_passage = start == 0 and first_line != LEFT_OUT
    if begins_passage and _begins_in_a_sentence(chunk):
        lines = (f"{LEFT_OUT} {first_line}", *further_lines)
    return Quote(
        passage=window.passage,
        start=chunk.start + start,
        end=chunk.start + end,
        lines=lines,
        nearness=window.nearness,
    )


def _begins_in_a_sentence(chunk: IndexedChunk) -> bool:
    """Reports whether a passage goes on with a sentence of the one before it: a long item is cut where it must be."""
    return chunk.position > 0 and chunk.text[:1].islower()
