"""Other ways to cut notes than the product's, to compare it with."""

from __future__ import annotations

import re

from shared.indexing.chunking import MARKDOWN, Chunker, Slices, by_sentences, trimmed
from shared.indexing.cuts import OVERLAP, TARGET
from shared.language.estimates import tokens

_WORD = re.compile(r"\S{1,64}")


def _every_target(text: str, begin: int, lang: str) -> Slices:  # noqa: ARG001 - one signature for all strategies
    words = [found.span() for found in _WORD.finditer(text, begin)]
    first = 0
    while first < len(words):
        after, length = first, 0.0
        while after < len(words) and (length := length + tokens(text[slice(*words[after])]) + 0.25) <= TARGET:
            after += 1
        yield "", words[first][0], words[after - 1][1]
        if after == len(words):
            return
        first = max(first + 1, after - round((after - first) * OVERLAP))


def _whole(text: str, begin: int, lang: str) -> Slices:  # noqa: ARG001 - one signature for all strategies
    span = trimmed(text, begin, len(text))
    if span:
        yield "", *span


CHUNKERS = {
    each.name: each
    for each in (
        MARKDOWN,
        Chunker("sentence", by_sentences),
        Chunker("fixed", _every_target),
        Chunker("whole", _whole),
    )
}
"""By name: `fixed` cuts every 256 tokens, `whole` never."""
