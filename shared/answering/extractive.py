"""Question and passages -> what comes nearest to it in the notes' own words, without a model that writes.

Likeness does not tell an answer from a near miss, so nothing here claims to answer. The note that ranks first is always
quoted, by its nearest window; then the notes with the nearest windows, one of each, all in the order of the search.
Where the first note holds further windows that are nearer than those of all other notes, it alone is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from shared.answering.refusals import linkable, reach_notice
from shared.answering.subject import speaks_of_subject
from shared.answering.windows import Window, windows
from shared.language.lengths import utf16_units
from shared.language.vocabulary import vocabulary
from shared.markdown.neutralize import neutralize_line
from shared.markdown.quotable import quotable, quotation, visible
from shared.markdown.sanitize import Sanitizer
from shared.model.answers import CheckedPiece, Citation, Claim, Quote, Source, Support, SupportState
from shared.model.questions import Question
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder
from shared.times.dates import date_in_words

_HEADING = re.compile(r"^[ \t>]*#{1,6}[ \t]+([^\n]+)", re.MULTILINE)

_CLOSES = re.compile(r"\||`{3}|~{3}")
"""The last line of a table or a block of code: no marker may stand behind it."""

FAR = 0.5
"""Share of the first passage's score below which another one is left out."""
FURTHER = 0.6
"""The same of the nearness of the first note's window, for further windows of that note."""
ALONE = 0.2
"""By how much the second window of the first note must be nearer than those of all other notes for it alone to be
quoted. Chosen on half of the questions to a handbook, to pages of strangers and to chats: less loses the right note
where another one ranks first.
"""
MAX_QUOTE = 900
"""Characters."""
MAX_LINE = 200
"""Characters of a note in a list of notes."""


class ExtractiveWriter:
    """Stands in where no model writes. `embedder`: one on this machine, asked for every question; None: words alone
    decide what is quoted of a passage. Deterministic; never fails.
    """

    model = "extractive"

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def quotes(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """At most as many as the question wants; none: nothing speaks of the subject."""
        if not retrieved.selected:
            return ()
        least = FAR * retrieved.selected[0].score
        close = [passage for passage in retrieved.selected if passage.score >= least]
        notes = list(dict.fromkeys(passage.chunk.note_id for passage in close))
        of_first, of_others = list[Window](), dict[str, Window]()
        ranked = sorted(windows(question.text, close, retrieved, self._embedder), key=lambda each: -each.score)
        if not speaks_of_subject(retrieved, max(each.nearness for each in ranked)):
            return ()
        for window in ranked:
            if window.passage.chunk.note_id != notes[0]:
                of_others.setdefault(window.passage.chunk.note_id, window)
            elif not of_first or window.nearness >= FURTHER * of_first[0].nearness:
                of_first.append(window)
        others = _different([of_first[0], *of_others.values()], question.quotes + 1)[1:]
        of_first = _different(of_first, question.quotes + 1)
        is_alone = not others or (len(of_first) > 1 and of_first[1].score >= others[0].score + ALONE)
        chosen = (of_first if is_alone else [of_first[0], *others])[: question.quotes]
        chosen.sort(key=lambda each: (notes.index(each.passage.chunk.note_id), close.index(each.passage)))
        return tuple(filter(None, map(_quote, chosen)))

    def nearest(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """One of each passage that comes nearest and shows text, in their order."""
        best: dict[str, Window] = {}
        for window in windows(question.text, retrieved.nearest, retrieved, self._embedder):
            best.setdefault(window.passage.chunk.chunk_id, window)
        return tuple(filter(None, map(_quote, best.values())))

    def pieces(self, question: Question, retrieved: Retrieved) -> tuple[CheckedPiece, ...]:
        """The answer that says what it is, in the language of the question if that has words for it, a quote a piece;
        of a time and nothing else one line a note, by date. None: nothing speaks of the subject.
        """
        lists, zone = retrieved.notes_read is not None, ZoneInfo(question.zone)
        beginnings = filter(None, [_beginning(passage, zone) for passage in retrieved.selected if lists])
        quotes = tuple(beginnings) if lists else self.quotes(question, retrieved)
        words = vocabulary(retrieved.analysis.lang).answers or vocabulary("en").answers
        if not quotes or words is None:
            return ()
        sanitizer = Sanitizer(linkable(question, [Source("", quote.passage) for quote in quotes]))
        opening = f"{reach_notice(retrieved)}{words.of_then if lists else words.nearest}"
        found = [CheckedPiece(sanitizer.feed(opening))]
        units = utf16_units(found[0].text)
        for number, quote in enumerate(quotes, start=1):
            mark = f" [N{number}]" if question.include_citations else ""
            if lists:
                written = quote.passage.chunk.created_at.astimezone(zone)
                # Names of months for people are known in English alone.
                day = date_in_words(written) if retrieved.analysis.lang == "en" else written.date().isoformat()
                before, lines = "\n" if number > 1 else "\n\n", f"- {day}: {' '.join(quote.lines)}"
            else:
                before, lines = "\n\n", "\n".join(f"> {line}".rstrip() for line in quote.lines)
                if mark and _CLOSES.match(quote.lines[-1]):
                    mark = f"\n>\n>{mark}"
            text = sanitizer.feed(f"{before}{lines}{mark}")
            start, units = units + len(before), units + utf16_units(text)
            citation = Citation(
                label=f"N{number}",
                passage=quote.passage,
                quote_start=quote.start,
                quote_end=quote.end,
                quote=quote.text,
                support=Support(SupportState.QUOTED, quote.nearness),
            )
            claim = Claim(start=start, end=units, support=citation.support, citations=(citation,))
            found.append(CheckedPiece(text, claim, (citation,)) if question.include_citations else CheckedPiece(text))
        return tuple(found)


def _different(ranked: Sequence[Window], most: int) -> list[Window]:
    """The first `most` of those that do not show again what one before them does."""
    found: list[Window] = []
    for window in ranked:
        if len(found) < most and not any(map(window.repeats, found)):
            found.append(window)
    return found


def _quote(window: Window) -> Quote | None:
    """Below the heading that names its subject, where it does not begin with one."""
    if not window.pieces:
        return _whole(window.passage)
    chunk = window.passage.chunk
    start, end, lines = quotation(chunk.text, window.pieces, longest=MAX_QUOTE)
    headings = _HEADING.findall(chunk.text, 0, start) if window.lacks_subject else ()
    heading = neutralize_line(headings[-1]).strip("#* ") if headings else ""
    return Quote(
        passage=window.passage,
        start=chunk.start + start,
        end=chunk.start + end,
        lines=(f"**{heading}**", "", *lines) if heading else lines,
        nearness=window.nearness,
    )


def _beginning(passage: Scored, zone: ZoneInfo) -> Quote | None:
    """The first sentence, below the note's title unless that is its day, which stands there already."""
    chunk = passage.chunk
    first = next(iter(quotable(chunk.text)), None)
    if first is None:
        return _whole(passage)
    start, end = first.start, min(first.end, first.start + MAX_LINE)
    line = " ".join(neutralize_line(chunk.text[start:end]).split())
    is_day = chunk.title == chunk.created_at.astimezone(zone).date().isoformat()
    title = f"**{neutralize_line(chunk.title)}**, " if chunk.title and not is_day else ""
    return Quote(
        passage=passage, start=chunk.start + start, end=chunk.start + end, lines=(f"{title}{line}",), nearness=0.0
    )


def _whole(passage: Scored) -> Quote | None:
    """Of a passage without pieces, such as a heading alone. None: it shows no text."""
    chunk = passage.chunk
    start, end, line = visible(chunk.text, longest=MAX_QUOTE)
    if not line:
        return None
    return Quote(passage=passage, start=chunk.start + start, end=chunk.start + end, lines=(line,), nearness=0.0)
