"""Made-up prose: words of a few hundred stems in the proportions of real text."""

from __future__ import annotations

import random

_SYLLABLES = "ba do fi ka lu me no pi ra so ta ve wo zu ner tal mon ric sta pro"


def drawn(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - prose, not secrets


def _vocabulary() -> list[str]:
    draw = drawn(0)
    syllables = _SYLLABLES.split()
    return ["the", "of", "and", "to", "in"] + [
        "".join(draw.choices(syllables, k=draw.randint(1, 4))) for _ in range(1500)
    ]


_WORDS = _vocabulary()
_WEIGHTS = [1 / (rank + 1) for rank in range(len(_WORDS))]


def words(draw: random.Random, count: int) -> list[str]:
    return draw.choices(_WORDS, _WEIGHTS, k=count)


def sentence(draw: random.Random) -> str:
    return " ".join(words(draw, draw.randint(5, 25))).capitalize() + "."


def paragraph(draw: random.Random) -> str:
    """Two to six sentences."""
    return " ".join(sentence(draw) for _ in range(draw.randint(2, 6)))
