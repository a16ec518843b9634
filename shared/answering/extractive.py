"""Question and passages -> what comes nearest to it in the notes' own words, without a model that writes.

Likeness does not tell an answer from a near miss, so nothing here claims to answer: up to three quotes of different
passages, each the neighbouring sentences that lie nearest to the question by meaning and words.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul

from shared.answering.refusals import linkable, widening_notice
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.languages import detect
from shared.language.terms import share_held
from shared.language.vocabulary import vocabulary
from shared.markdown.quotable import Piece, pieces, quotation
from shared.markdown.sanitize import Sanitizer
from shared.model.answers import CheckedPiece, Citation, Claim, Quote, Source, Support, SupportState
from shared.model.questions import Question
from shared.model.retrieval import Analysis, Retrieved, Scored
from shared.ports.models import Embedder

log = logging.getLogger(__name__)

MODEL = "extractive"
MOST_QUOTES = 3
MOST_PIECES = 3
"""Sentences, items, rows or lines of code in one quote."""
READ = 24
"""Pieces that are embedded for one question, of which the best of each note is quoted: those with most of its words, in
the best passages. 48 take twice as long and find no fact more on either half of the handbook and XQuAD; 16 find less.
"""
WORDS, PASSAGE = 0.2, 0.6
"""What the share of the question's words in a piece and its passage's score count beside its cosine with the question.
On the handbook any from 0 to 0.4 and from 0.3 to 0.6 do as well within two questions of 95."""
UNSPOKEN = 0.25
"""What a cosine counts where the embedder does not speak the question's language."""
OF_A_NOTE = 2
"""Quotes, each of another passage."""
AGAIN = 0.2
"""What a note's second quote loses beside the first of another note."""
FOREIGN = 0.1
"""What a passage in another language than the question's loses."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A piece of a passage as it is weighed."""

    place: int
    """Of its passage among the offered ones."""
    number: int
    """Its own in there, from 0."""
    piece: Piece
    share: float
    """Of the question's words, by what they tell, in [0, 1]."""
    score: float


class ExtractiveWriter:
    """Stands in where no model writes. `embedder`: one on this machine, asked for every question; None: words alone
    decide which sentences are quoted. Deterministic; never fails.
    """

    model = MODEL

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def quotes(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """The nearest first, the question's own language before others; none: nothing speaks of the subject."""
        if not speaks_of_subject(retrieved):
            return ()
        found = self._best_of_notes(question, retrieved.selected, retrieved, of_a_note=OF_A_NOTE)
        lang = retrieved.analysis.lang
        ranked = sorted(found, key=lambda each: -each[0] + FOREIGN * _is_foreign(each[1].passage, lang))
        different = {quote.lines: quote for _, quote in reversed(ranked)}
        chosen = [quote for _, quote in ranked if different[quote.lines] is quote][:MOST_QUOTES]
        return tuple(sorted(chosen, key=lambda quote: _is_foreign(quote.passage, lang)))

    def pieces(self, question: Question, retrieved: Retrieved) -> tuple[CheckedPiece, ...]:
        """The answer that says what it is, in the language of the question if that has words for it, a quote a piece;
        none: nothing speaks of the subject.
        """
        quotes = self.quotes(question, retrieved)
        if not quotes:
            return ()
        words = vocabulary(retrieved.analysis.lang).answers or vocabulary("en").answers
        sanitizer = Sanitizer(linkable(question, [Source("", quote.passage) for quote in quotes]))
        opening = f"{widening_notice(retrieved)}{words.nearest if words else ''}"
        found = [CheckedPiece(sanitizer.feed(opening))]
        units = len(found[0].text.encode("utf-16-le")) // 2
        for number, quote in enumerate(quotes, start=1):
            label = f"N{number}"
            mark = f" [{label}]" if question.include_citations else ""
            text = sanitizer.feed("\n\n" + "\n".join(f"> {line}" for line in quote.lines) + mark)
            end = units + len(text.encode("utf-16-le")) // 2
            citation = Citation(
                label=label,
                passage=quote.passage,
                quote_start=quote.start,
                quote_end=quote.end,
                quote=quote.text,
                support=Support(SupportState.QUOTED, quote.nearness),
            )
            claim = Claim(units + 2, end, citation.support, (citation,))
            found.append(CheckedPiece(text, claim, (citation,)) if question.include_citations else CheckedPiece(text))
            units = end
        return tuple(found)

    def nearest(self, question: Question, retrieved: Retrieved) -> tuple[Quote, ...]:
        """One of each passage that comes nearest, in their order; of one that holds no sentence all of it."""
        quotes = (quote for _, quote in self._best_of_notes(question, retrieved.nearest, retrieved, of_a_note=1))
        found = {quote.passage.chunk.note_id: quote for quote in quotes}
        return tuple(found.get(passage.chunk.note_id) or _whole(passage) for passage in retrieved.nearest)

    def _best_of_notes(
        self, question: Question, passages: Sequence[Scored], retrieved: Retrieved, *, of_a_note: int
    ) -> Iterator[tuple[float, Quote]]:
        """The best quotes of each note, of different passages, with their scores."""
        found = list(_pieces_of(passages, retrieved.analysis, retrieved.weights))
        read = _most_promising(found, passages)
        cosines = dict(zip(read, self._cosines(question.text, [found[at].piece.shown for at in read]), strict=True))
        tells = UNSPOKEN if retrieved.by_words else 1.0
        weighed = [replace(each, score=each.score + tells * cosines.get(at, 0.0)) for at, each in enumerate(found)]
        taken: dict[str, list[Quote]] = {}
        for at in sorted(cosines, key=lambda at: (-weighed[at].score, at)):
            passage = passages[weighed[at].place]
            before = taken.setdefault(passage.chunk.note_id, [])
            if len(before) == of_a_note:
                continue
            nearness = max(0.0, min(1.0, cosines[at] if self._embedder else weighed[at].share))
            quote = _quote(passage, [each.piece for each in _around(weighed, at)], nearness)
            if not any(_share_words(quote, other) for other in before):
                yield weighed[at].score - AGAIN * len(before), quote
                before.append(quote)

    def _cosines(self, question: str, texts: Sequence[str]) -> list[float]:
        """Of each text with the question; all 0 without an embedder, or one that is away."""
        if self._embedder is None or not texts:
            return [0.0] * len(texts)
        try:
            asked = self._embedder.embed_query(question)
            by_length = sorted(set(texts), key=len)  # a batch is as slow as its longest text makes it
            size = self._embedder.batch_size
            batches = (by_length[at : at + size] for at in range(0, len(by_length), size))
            vectors = [vector for batch in batches for vector in self._embedder.embed_documents(batch)]
        except (ModelUnavailable, ModelRefused, PortContractError) as error:
            log.warning("sentences are chosen by their words alone: %s", error.message)
            return [0.0] * len(texts)
        cosine = {text: sum(map(mul, asked, vector)) for text, vector in zip(by_length, vectors, strict=True)}
        return [cosine[text] for text in texts]


def _pieces_of(passages: Sequence[Scored], analysis: Analysis, weights: Mapping[str, float]) -> Iterator[_Weighed]:
    for place, passage in enumerate(passages):
        for number, piece in enumerate(pieces(passage.chunk.text)):
            share = share_held(piece.shown, weights, analysis.lang)
            yield _Weighed(
                place=place, number=number, piece=piece, share=share, score=WORDS * share + PASSAGE * passage.score
            )


def _most_promising(found: Sequence[_Weighed], passages: Sequence[Scored]) -> list[int]:
    """Their places, in order; embedding all of them would take too long."""
    first = sorted(range(len(found)), key=lambda at: (-found[at].share - passages[found[at].place].score, at))
    return sorted(first[:READ])


def _around(found: Sequence[_Weighed], best: int) -> Sequence[_Weighed]:
    """The best piece with those of its neighbours under the same heading that say most."""
    own = found[best]
    beside = {
        each.number - own.number: each
        for each in found[max(0, best - MOST_PIECES + 1) : best + MOST_PIECES]
        if (each.place, each.piece.section) == (own.place, own.piece.section)
    }
    spans = [
        [beside[at] for at in range(first, first + size)]
        for size in range(1, MOST_PIECES + 1)
        for first in range(1 - size, 1)
        if all(at in beside for at in range(first, first + size))
    ]
    return max(spans, key=lambda span: (len(span), sum(each.score for each in span)))


def _quote(passage: Scored, chosen: Sequence[Piece], nearness: float) -> Quote:
    start = passage.chunk.start
    return Quote(
        passage=passage,
        start=start + chosen[0].start,
        end=start + chosen[-1].end,
        lines=tuple(quotation(chosen)),
        nearness=nearness,
    )


def _share_words(quote: Quote, other: Quote) -> bool:
    """Of one note: whether they are of one passage, or of two that overlap there."""
    return quote.passage == other.passage or (quote.start < other.end and other.start < quote.end)


def _whole(passage: Scored) -> Quote:
    chunk = passage.chunk
    return Quote(passage=passage, start=chunk.start, end=chunk.end, lines=(" ".join(chunk.text.split()),), nearness=0.0)


def _is_foreign(passage: Scored, lang: str) -> bool:
    return detect(passage.chunk.text) != lang


# -- the subject

COVERED = 0.4
"""What all of the question's words count, beside a likeness of 1."""
LEAST, LEAST_BY_WORDS = 0.27, 0.15
"""Of the best passage; the latter where it has no vector."""
LEAST_UNSPOKEN = 0.1
"""Of the words alone, in a language that the embedder does not speak, where all texts are alike. Questions to German
and Spanish handbooks (26) and half of XQuAD in these languages (400), own ones refused: 0.00; with 0.15 and 0.2 German
ones to the handbook 0.15 and 0.23, by what serves English 0.62. Another subject's are refused 0.01 to 0.23: quotes that
do not fit are less of a loss than answers that are not shown.
"""


def speaks_of_subject(retrieved: Retrieved) -> bool:
    """Whether the best passage is near enough; whatever is of a time that was asked for is."""
    time = retrieved.analysis.time
    if (
        time is not None
        and time.restricts
        and any(time.range.contains(passage.chunk.created_at) for passage in retrieved.selected)
    ):
        return True
    return any(_is_near(passage, retrieved) for passage in retrieved.selected)


def is_unknown(retrieved: Retrieved) -> bool:
    """Whether none of it holds a word of the question or is alike: a greeting, or a subject that the notes do not
    know.
    """
    return not any(_coverage(passage, retrieved) or _is_near(passage, retrieved) for passage in retrieved.selected)


def _is_near(passage: Scored, retrieved: Retrieved) -> bool:
    coverage = _coverage(passage, retrieved)
    if retrieved.by_words:
        return coverage >= LEAST_UNSPOKEN
    if passage.scores.similarity == 0:  # it still waits for its vector, or nothing has any
        return coverage >= LEAST_BY_WORDS
    return _likeness(passage) + COVERED * coverage >= LEAST


def _likeness(passage: Scored) -> float:
    """0 for unrelated texts, 1 for equal ones."""
    return max(0.0, 2.0 * passage.scores.similarity - 1.0)


def _coverage(passage: Scored, retrieved: Retrieved) -> float:
    """The share of the question's words that a passage holds, by what they tell, in [0, 1]. The time that the question
    names is one more, of average weight, which what was written then holds.
    """
    weights, time = retrieved.weights, retrieved.analysis.time
    held = sum(weight for stem, weight in weights.items() if passage.chunk.terms.get(stem))
    total = sum(weights.values())
    if time is not None and time.range.contains(passage.chunk.created_at):
        one = total / len(weights) if weights else 1.0
        return (held + one) / (total + one)
    return held / total if total else 0.0
