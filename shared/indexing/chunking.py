"""A note's text -> its chunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from shared.indexing.cuts import OVERLAP, TARGET
from shared.indexing.units import slices, trimmed, units_of
from shared.language.estimates import tokens
from shared.markdown.blocks import Block, Kind, sections
from shared.markdown.frontmatter import split
from shared.model.index import Chunk

CHUNKER_VERSION = "md4"
"""Part of the index version: raise it with every change of what `chunk` returns for some text, or of what a store keeps
of it. Only texts that are cut differently are embedded again.
"""

MOST_SECTIONS = 5000
"""A note of more is cut as if it had no headings: each section is a chunk at least, embedded with title and headings,
so that 900 KB of two-letter sections would be 150,000 chunks and a bill a hundred times that of its text.
"""

_Slices = Iterator[tuple[str, int, int]]
_WORD = re.compile(r"\S{1,64}")


def chunk(text: str, *, strategy: str = "markdown", lang: str = "en") -> tuple[Chunk, ...]:
    """Chunks in the order of the text; `chunk.text == text[chunk.start:chunk.end]`, without blanks around it.

    Frontmatter is no part of any chunk. `markdown` keeps to headings, blocks and sentences: about 256 tokens (of four
    UTF-8 bytes), at most 512, of which up to 15% (or one sentence) repeats the chunk before, within the same
    section. Headings are in `heading_path` and not in the text, but for those with nothing under them. `sentence`
    does the same without Markdown, as `markdown` does for a note of more than MOST_SECTIONS; `fixed` cuts every 256
    tokens, `whole` never. Changing a word changes one or two chunks under `markdown` and `sentence`, unless the word is
    a heading's: that is part of all chunks below it.

    A note without text gives one empty chunk: its title, which is indexed with every chunk, can then be found.
    `lang` (ISO 639-1) helps to tell where sentences end. Raises ValueError for an unknown strategy.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy: expected one of {', '.join(STRATEGIES)}, got {strategy!r}")
    begin = split(text).body_start
    found = [
        Chunk(position=position, heading_path=path, text=text[start:end], start=start, end=end)
        for position, (path, start, end) in enumerate(STRATEGIES[strategy](text, begin, lang))
    ]
    return tuple(found) or (Chunk(position=0, heading_path="", text="", start=begin, end=begin),)


def _markdown(text: str, begin: int, lang: str) -> _Slices:
    found = sections(text, begin)
    if len(found) > MOST_SECTIONS:
        yield from _sentence(text, begin, lang)
        return
    for section in found:
        for start, end in slices(text, units_of(text, section.blocks, lang)):
            yield section.heading_path, start, end


def _sentence(text: str, begin: int, lang: str) -> _Slices:
    if text[begin:].strip():
        for start, end in slices(text, units_of(text, [Block(Kind.PROSE, begin, len(text))], lang)):
            yield "", start, end


def _fixed(text: str, begin: int, lang: str) -> _Slices:  # noqa: ARG001 - one signature for all strategies
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


def _whole(text: str, begin: int, lang: str) -> _Slices:  # noqa: ARG001 - one signature for all strategies
    span = trimmed(text, begin, len(text))
    if span:
        yield "", *span


STRATEGIES: Mapping[str, Callable[[str, int, str], _Slices]] = {
    "markdown": _markdown,
    "sentence": _sentence,
    "fixed": _fixed,
    "whole": _whole,
}
