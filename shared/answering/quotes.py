"""Claims and the passages they cite -> citations, each with the sentence of its passage that carries it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from shared.answering.claims import Claim
from shared.domain import Citation, IndexedChunk, Source
from shared.text.languages import detect
from shared.text.sentences import sentences
from shared.text.terms import stems


def quote_sources(claims: Sequence[Claim], used: Sequence[Source]) -> tuple[Citation, ...]:
    """Claims of an answer and its sources -> one citation a source, in order.

    The quote is the passage's sentence with the greatest cosine between its set of stems and that of any claim
    that cites it (the first such sentence), or the whole passage where no sentence shares a stem with one.
    """
    return tuple(_citation(source, [claim.text for claim in claims if source.label in claim.labels]) for source in used)


def _citation(source: Source, claims: Iterable[str]) -> Citation:
    chunk = source.passage.chunk
    start, end = _best_sentence(chunk, claims)
    return Citation(source.label, source.passage, chunk.start + start, chunk.start + end, chunk.text[start:end])


def _best_sentence(chunk: IndexedChunk, claims: Iterable[str]) -> tuple[int, int]:
    lang = detect(chunk.text)  # one language for both sides, so that equal words get equal stems
    wanted = [frozenset(stems(claim, lang)) for claim in claims]
    best, best_score = (0, len(chunk.text)), 0.0
    for start, end, offered in _stemmed_sentences(chunk.text, lang):
        score = max((_cosine(offered, claim) for claim in wanted), default=0.0)
        if score > best_score:
            best, best_score = (start, end), score
    return best


@lru_cache(maxsize=64)
def _stemmed_sentences(text: str, lang: str) -> tuple[tuple[int, int, frozenset[str]], ...]:
    """A passage is quoted while the answer grows and once more at its end."""
    return tuple((start, end, frozenset(stems(text[start:end], lang))) for start, end in sentences(text))


def _cosine(left: frozenset[str], right: frozenset[str]) -> float:
    shared = len(left & right)
    return shared / math.sqrt(len(left) * len(right)) if shared else 0.0
