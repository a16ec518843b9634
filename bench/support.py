"""How long an answer's citations take to be judged and their quotes to be found: milliseconds, cold, median of many."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bench.retrieval import a_chunk
from shared.answering.checking import Checker, SupportPolicy
from shared.answering.pieces import DraftPiece, split
from shared.judging.passages import read_passage
from shared.judging.support import read_claim
from shared.language.sentences import sentences
from shared.model.answers import Source
from shared.model.retrieval import Scored, Scores

NOTES = Path(__file__).parents[1] / "examples" / "notes"
PASSAGES, SENTENCES, RUNS = 8, 10, 51
LENGTH = 1100
"""Characters of a passage, about 256 tokens."""


def run(*, small: bool = False) -> dict[str, Any]:
    """Figures with their targets; see `bench.__main__`."""
    sources = _sources()
    pieces = split(_answer(sources))
    taken = [_once(sources, pieces) for _ in range(3 if small else RUNS)]
    value = median(taken)
    name = "support and quotes of 10 sentences over 8 sources"
    return {name: {"value": round(value, 3), "unit": "ms", "target": 15.0, "ok": value <= 15.0}}


def _once(sources: Sequence[Source], pieces: Sequence[DraftPiece]) -> float:
    read_passage.cache_clear()
    read_claim.cache_clear()
    start = perf_counter()
    checker = Checker(sources, (), policy=SupportPolicy())
    list(checker.check(pieces))
    checker.citations()
    return 1000 * (perf_counter() - start)


def _sources() -> tuple[Source, ...]:
    """The sample notes, one after the other, cut into passages; from the start again where they do not suffice."""
    text = "\n\n".join(file.read_text(encoding="utf-8").split("---", 2)[2] for file in sorted(NOTES.rglob("*.md")))
    cuts = [text[start : start + LENGTH] for start in range(0, len(text) - LENGTH, LENGTH)]
    return tuple(
        Source(f"N{number + 1}", Scored(a_chunk(number, cuts[number % len(cuts)]), 0.8, Scores(0.5, 0.5, 0.5, 0.8)))
        for number in range(PASSAGES)
    )


def _answer(sources: Sequence[Source]) -> str:
    """Sentences of the passages, each cited with its own and one other."""
    said = []
    for number in range(SENTENCES):
        text = sources[number % PASSAGES].passage.chunk.text
        spans = sentences(text)
        start, end = spans[(3 * number) % len(spans)]
        labels = f"[N{number % PASSAGES + 1}][N{5 * number % PASSAGES + 1}]"
        said.append(f"{' '.join(text[start:end].split()).rstrip('.')} {labels}.")
    return " ".join(said)
