"""Passages -> windows: one to three neighbouring sentences, list items, rows or lines of code that can be quoted, each
with how near it lies to the question.

All pieces are compared with the question by words. The most promising of all passages are also embedded, as many as a
fixed number of characters allows: embedding is what takes the time.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.terms import stems
from shared.language.vocabulary import vocabulary
from shared.markdown.quotable import Kind, Quotable, neighbours, quotable
from shared.model.retrieval import Retrieved, Scored
from shared.ports.models import Embedder

log = logging.getLogger(__name__)

MAX_PIECES = 3
"""Pieces in one window, beside the sentence before it that names its subject and what follows a question at its end."""
EMBEDDED = 1200
"""Characters that are embedded for one question: a tenth of a millisecond of processor time each."""
MIN_EMBEDDED = 30
"""Characters that a shorter piece costs."""
WORDS, RANK, BESIDE = 0.2, 0.3, 0.2
"""What counts beside a piece's cosine with the question: the share of the question's words that it holds, its
passage's score as a share of the first one's, and what the pieces beside it count. Chosen on half of the questions to a
handbook, to pages of strangers and to chats.
"""
QUESTION = ("?", "？", "؟")
UNSPOKEN = 0.25
"""What a cosine counts where the embedder does not speak the question's language."""


@dataclass(frozen=True, slots=True)
class Window:
    """What can be quoted of a passage."""

    passage: Scored
    pieces: tuple[Quotable, ...]
    """Neighbours, in order; none: the passage holds no piece, all of it can be quoted."""
    score: float
    """How near it lies to the question, its passage's rank included; comparable between passages."""
    nearness: float
    """Cosine of its best piece with the question, or the share of words if that was not embedded; in [0, 1]."""
    lacks_subject: bool = False
    """Whether what it speaks of stands above it."""

    def repeats(self, other: Window) -> bool:
        """Whether both show the same: equal words, or one place of one note."""
        if [piece.plain for piece in self.pieces] == [piece.plain for piece in other.pieces]:
            return bool(self.pieces) or self.passage.chunk.text == other.passage.chunk.text
        if self.passage.chunk.note_id != other.passage.chunk.note_id:
            return False
        (start, end), (other_start, other_end) = self.span, other.span
        return start < other_end and other_start < end

    @property
    def span(self) -> tuple[int, int]:
        """In the note, in code points."""
        chunk, pieces = self.passage.chunk, self.pieces
        return (chunk.start + pieces[0].start, chunk.start + pieces[-1].end) if pieces else (chunk.start, chunk.end)


def windows(
    question: str, passages: Sequence[Scored], retrieved: Retrieved, embedder: Embedder | None
) -> Iterator[Window]:
    """At least one of each passage, in the order of the passages, the best of each first; they do not overlap.

    `embedder` None or away: words alone decide.
    """
    lang, top = retrieved.analysis.lang, max((passage.score for passage in passages), default=0.0) or 1.0
    ranks = [RANK * passage.score / top for passage in passages]
    read = [quotable(passage.chunk.text, passage.chunk.columns) for passage in passages]
    weights, total = retrieved.weights, sum(retrieved.weights.values()) or 1.0
    held = [
        [sum(weights[stem] for stem in weights.keys() & set(stems(text.plain, lang))) / total for text in texts]
        for texts in read
    ]
    cosines = _cosines(question, _promising(read, held, ranks), retrieved, embedder)
    tells = UNSPOKEN if retrieved.by_words else 1.0
    for passage, rank, texts, shares in zip(passages, ranks, read, held, strict=True):
        own = [WORDS * share + tells * cosines.get(each.plain, 0.0) for each, share in zip(texts, shares, strict=True)]
        scores = [rank + score + BESIDE * sum(beside) for score, beside in _with_neighbours(own)]
        text, free = passage.chunk.text, set(range(len(texts)))
        for core in sorted(free, key=lambda at: -scores[at]):
            if core not in free:
                continue
            first, last = _around(text, texts, scores, core, free)
            lacks_subject = _lacks_subject(texts[first], lang)
            before = texts[first - 1] if first - 1 in free else None
            if lacks_subject and before and before.kind is Kind.SENTENCE and neighbours(text, before, texts[first]):
                first, lacks_subject = first - 1, _lacks_subject(before, lang)
            free.difference_update(range(first, last + 1))
            yield Window(
                passage=passage,
                pieces=texts[first : last + 1],
                score=scores[core],
                nearness=max(0.0, min(1.0, cosines.get(texts[core].plain, shares[core]))),
                lacks_subject=lacks_subject,
            )
        if not texts:
            yield Window(passage, (), score=rank, nearness=0.0)


def _with_neighbours(values: Sequence[float]) -> Iterator[tuple[float, tuple[float, float]]]:
    """Each value with those before and behind it; 0 where there is none."""
    framed = (0.0, *values, 0.0)
    return zip(values, zip(framed, framed[2:], strict=False), strict=True)


def _promising(
    read: Sequence[Sequence[Quotable]], shares: Sequence[Sequence[float]], ranks: Sequence[float]
) -> list[str]:
    """What is embedded, of all passages."""
    promises = [
        (rank + share + BESIDE * max(beside), text.plain)
        for texts, own, rank in zip(read, shares, ranks, strict=True)
        for text, (share, beside) in zip(texts, _with_neighbours(own), strict=True)
    ]
    chosen, room = dict[str, None](), EMBEDDED
    for _, plain in sorted(promises, key=lambda each: -each[0]):
        cost = max(MIN_EMBEDDED, len(plain))
        if cost <= room and plain not in chosen:
            chosen[plain] = None
            room -= cost
    return list(chosen)


def _cosines(
    question: str, texts: Sequence[str], retrieved: Retrieved, embedder: Embedder | None
) -> Mapping[str, float]:
    """The cosine of each text with the question; empty without an embedder, or with one that is away."""
    if embedder is None or not texts:
        return {}
    try:
        known = retrieved.query if retrieved.embedder == embedder.model else None
        asked = known or embedder.embed_query(question)
        by_length = sorted(texts, key=len)  # a batch is as slow as its longest text makes it
        size = embedder.batch_size
        batches = (by_length[at : at + size] for at in range(0, len(by_length), size))
        vectors = [vector for batch in batches for vector in embedder.embed_documents(batch)]
    except (ModelUnavailable, ModelRefused, PortContractError) as error:
        log.warning("sentences are chosen by their words alone: %s", error.message)
        return {}
    return {text: sum(map(mul, asked, vector)) for text, vector in zip(by_length, vectors, strict=True)}


def _around(
    text: str, pieces: Sequence[Quotable], scores: Sequence[float], core: int, free: set[int]
) -> tuple[int, int]:
    """First and last place of a piece with its best free neighbours, and what follows a question they end in."""
    low = high = core
    while low > core - MAX_PIECES + 1 and low - 1 in free and neighbours(text, pieces[low - 1], pieces[low]):
        low -= 1
    while high < core + MAX_PIECES - 1 and high + 1 in free and neighbours(text, pieces[high], pieces[high + 1]):
        high += 1
    size = min(MAX_PIECES, high - low + 1)
    firsts = range(max(low, core - size + 1), min(core, high - size + 1) + 1)
    first = max(firsts, key=lambda at: (sum(scores[at : at + size]), -at))
    last = first + size - 1
    if pieces[last].plain.endswith(QUESTION) and last + 1 in free and neighbours(text, pieces[last], pieces[last + 1]):
        return min(core, first + 1), last + 1
    return first, last


def _lacks_subject(piece: Quotable, lang: str) -> bool:
    """Whether it is no sentence, or begins with a word that points at what stands before it."""
    if piece.kind is not Kind.SENTENCE:
        return True
    words = vocabulary(lang).follow_ups
    return bool(words and re.match(rf"(?:{words.things}|{words.people})\b", piece.plain, re.IGNORECASE))
