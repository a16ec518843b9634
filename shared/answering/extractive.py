"""Question and passages -> what comes nearest to it in the notes' own words, without a model that writes.

Likeness does not tell an answer from a near miss, so nothing here claims to answer. Between passages the search
decides: they are quoted in its order, one of a note, the first always among them. Within a passage the one to three
neighbouring sentences that lie nearest to the question by meaning and words are quoted, as they stand in the note.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import mul
from zoneinfo import ZoneInfo

from shared.answering.refusals import linkable, widening_notice
from shared.answering.subject import speaks_of_subject
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.terms import share_held
from shared.language.vocabulary import vocabulary
from shared.markdown.neutralize import neutralize_line
from shared.markdown.quotable import Kind, Quotable, neighbours, quotable, quotation
from shared.markdown.sanitize import Sanitizer
from shared.model.answers import CheckedPiece, Citation, Claim, Quote, Source, Support, SupportState
from shared.model.questions import Question
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder
from shared.times.dates import date_in_words

log = logging.getLogger(__name__)

_HEADING = re.compile(r"^[ \t>]*#{1,6}[ \t]+([^\n]+)", re.MULTILINE)

_CLOSES = re.compile(r"\||`{3}|~{3}")
"""The last line of a table or a block of code: no marker may stand behind it."""

MODEL = "extractive"
FAR = 0.5
"""Share of the first passage's score below which another one is left out."""
MAX_PIECES = 3
"""Sentences, items, rows or lines of code in one quote."""
MAX_QUOTE = 900
"""Characters."""
MAX_LINE = 200
"""Characters of a note in a list of notes."""
READ = 36
"""Pieces that are embedded for one question: those with most of its words in each passage, the same number of each."""
WORDS = 0.2
"""What the share of the question's words in a piece counts beside its cosine with the question."""
UNSPOKEN = 0.25
"""What a cosine counts where the embedder does not speak the question's language."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    piece: Quotable
    share: float
    """How much of the question's words it holds, weighed by what they tell, in [0, 1]."""
    cosine: float | None = None
    """With the question; None: it was not embedded."""
    score: float = 0.0


class ExtractiveWriter:
    """Stands in where no model writes. `embedder`: one on this machine, asked for every question; None: words alone
    decide which sentences are quoted. Deterministic; never fails.
    """

    model = MODEL

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def quotes(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """In the order of the search; none: nothing speaks of the subject."""
        if not retrieved.selected or not speaks_of_subject(retrieved):
            return ()
        least = FAR * retrieved.selected[0].score
        close = [each for each in retrieved.selected if each.score >= least]
        best_of_notes = {each.chunk.note_id: each for each in reversed(close)}
        if len(best_of_notes) > 1:
            close = [each for each in close if best_of_notes[each.chunk.note_id] is each]
        found: dict[tuple[str, ...], Quote] = {}
        for quote in self._quotes(question, close[: question.quotes], retrieved):
            if not any(_overlap(quote, other) for other in found.values()):
                found.setdefault(quote.lines, quote)
        return tuple(found.values())

    def nearest(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """One of each passage that comes nearest, in their order."""
        return tuple(self._quotes(question, retrieved.nearest, retrieved))

    def pieces(self, question: Question, retrieved: Retrieved) -> tuple[CheckedPiece, ...]:
        """The answer that says what it is, in the language of the question if that has words for it, a quote a piece;
        of a time and nothing else one line a note, by date. None: nothing speaks of the subject.
        """
        lists = retrieved.notes_read is not None
        quotes = tuple(map(_beginning, retrieved.selected)) if lists else self.quotes(question, retrieved)
        words = vocabulary(retrieved.analysis.lang).answers or vocabulary("en").answers
        if not quotes or words is None:
            return ()
        sanitizer = Sanitizer(linkable(question, [Source("", quote.passage) for quote in quotes]))
        opening = f"{widening_notice(retrieved)}{words.of_then if lists else words.nearest}"
        found = [CheckedPiece(sanitizer.feed(opening))]
        units, zone = _utf16(found[0].text), ZoneInfo(question.zone)
        for number, quote in enumerate(quotes, start=1):
            mark = f" [N{number}]" if question.include_citations else ""
            if lists:
                day = date_in_words(quote.passage.chunk.created_at.astimezone(zone))
                before, lines = "\n" if number > 1 else "\n\n", f"- {day}: {' '.join(quote.lines)}"
            else:
                before, lines = "\n\n", "\n".join(f"> {line}".rstrip() for line in quote.lines)
                if mark and _CLOSES.match(quote.lines[-1]):
                    mark = f"\n>\n>{mark}"
            text = sanitizer.feed(f"{before}{lines}{mark}")
            start, units = units + len(before), units + _utf16(text)
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

    def _quotes(self, question: Question, passages: Sequence[Scored], retrieved: Retrieved) -> Iterator[Quote]:
        """One of each passage, in order; of one that holds no sentence all of it."""
        lang, weights = retrieved.analysis.lang, retrieved.weights
        read = [
            [_Weighed(piece, share_held(piece.plain, weights, lang)) for piece in quotable(passage.chunk.text)]
            for passage in passages
        ]
        promising = [at for found in read for at in _promising(found, READ // max(1, len(passages)))]
        cosines = self._cosines(question.text, [each.piece.plain for each in promising])
        tells = UNSPOKEN if retrieved.by_words else 1.0
        for passage, found in zip(passages, read, strict=True):
            weighed = [
                _Weighed(
                    piece=each.piece,
                    share=each.share,
                    cosine=(cosine := cosines.get(each.piece.plain)),
                    score=WORDS * each.share + tells * (cosine or 0.0),
                )
                for each in found
            ]
            yield self._quote(passage, weighed, lang) if weighed else _whole(passage)

    def _quote(self, passage: Scored, weighed: Sequence[_Weighed], lang: str) -> Quote:
        chunk = passage.chunk
        best = max(range(len(weighed)), key=lambda at: (weighed[at].cosine is not None, weighed[at].score, -at))
        first, last = _around(chunk.text, weighed, best)
        chosen = [each.piece for each in weighed[first : last + 1]]
        if _lacks_subject(chosen[0], lang):
            before = weighed[first - 1].piece if first else None
            if before and before.kind is Kind.SENTENCE and neighbours(chunk.text, before, chosen[0]):
                chosen.insert(0, before)
        start, end, lines = quotation(chunk.text, chosen, longest=MAX_QUOTE)
        heading = _heading_above(chunk.text, start) if _lacks_subject(chosen[0], lang) else ""
        cosine = weighed[best].cosine
        return Quote(
            passage=passage,
            start=chunk.start + start,
            end=chunk.start + end,
            lines=(f"**{heading}**", "", *lines) if heading else lines,
            nearness=max(0.0, min(1.0, weighed[best].share if cosine is None else cosine)),
        )

    def _cosines(self, question: str, texts: Sequence[str]) -> Mapping[str, float]:
        """The cosine of each text with the question; empty without an embedder, or with one that is away."""
        if self._embedder is None or not texts:
            return {}
        try:
            asked = self._embedder.embed_query(question)
            by_length = sorted(set(texts), key=len)  # a batch is as slow as its longest text makes it
            size = self._embedder.batch_size
            batches = (by_length[at : at + size] for at in range(0, len(by_length), size))
            vectors = [vector for batch in batches for vector in self._embedder.embed_documents(batch)]
        except (ModelUnavailable, ModelRefused, PortContractError) as error:
            log.warning("sentences are chosen by their words alone: %s", error.message)
            return {}
        return {text: sum(map(mul, asked, vector)) for text, vector in zip(by_length, vectors, strict=True)}


def _promising(found: Sequence[_Weighed], most: int) -> list[_Weighed]:
    """The pieces with most of the question's words; embedding all of them would take too long."""
    return sorted(found, key=lambda each: -each.share)[:most]


def _around(text: str, weighed: Sequence[_Weighed], best: int) -> tuple[int, int]:
    """First and last place of the best piece with those of its neighbours that say most."""
    low = high = best
    while low > max(0, best - MAX_PIECES + 1) and neighbours(text, weighed[low - 1].piece, weighed[low].piece):
        low -= 1
    top = min(len(weighed), best + MAX_PIECES) - 1
    while high < top and neighbours(text, weighed[high].piece, weighed[high + 1].piece):
        high += 1
    size = min(MAX_PIECES, high - low + 1)
    firsts = range(max(low, best - size + 1), min(best, high - size + 1) + 1)
    first = max(firsts, key=lambda at: (sum(each.score for each in weighed[at : at + size]), -at))
    return first, first + size - 1


@cache
def _pointing(lang: str) -> re.Pattern[str] | None:
    """What begins a sentence whose subject stands before it."""
    words = vocabulary(lang).follow_ups
    return re.compile(rf"(?:{words.things}|{words.people})\b", re.IGNORECASE) if words else None


def _lacks_subject(piece: Quotable, lang: str) -> bool:
    pointing = _pointing(lang)
    return piece.kind is not Kind.SENTENCE or (pointing is not None and pointing.match(piece.plain) is not None)


def _heading_above(text: str, start: int) -> str:
    """The heading below which a place of a passage stands; empty: there is none in the passage."""
    headings = _HEADING.findall(text, 0, start)
    return neutralize_line(headings[-1]).strip("#* ") if headings else ""


def _overlap(quote: Quote, other: Quote) -> bool:
    same = quote.passage.chunk.note_id == other.passage.chunk.note_id
    return same and quote.start < other.end and other.start < quote.end


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _beginning(passage: Scored) -> Quote:
    """The first sentence, below the note's title."""
    chunk = passage.chunk
    first = next(iter(quotable(chunk.text)), None)
    if first is None:
        return _whole(passage)
    start, end = first.start, min(first.end, first.start + MAX_LINE)
    line = " ".join(neutralize_line(chunk.text[start:end]).split())
    title = f"**{neutralize_line(chunk.title)}**, " if chunk.title else ""
    return Quote(
        passage=passage, start=chunk.start + start, end=chunk.start + end, lines=(f"{title}{line}",), nearness=0.0
    )


def _whole(passage: Scored) -> Quote:
    chunk = passage.chunk
    lines = (" ".join(chunk.text.split())[:MAX_QUOTE],)
    return Quote(passage=passage, start=chunk.start, end=chunk.end, lines=lines, nearness=0.0)
