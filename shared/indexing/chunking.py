"""A note's text -> its chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from shared.indexing.units import slices, units_of
from shared.markdown.blocks import Block, Kind, sections
from shared.markdown.frontmatter import split
from shared.model.index import Chunk

CHUNKER_VERSION = "md5"
"""Part of the index version: raise it with every change of what `chunk` returns for some text, or of what a store keeps
of it. Only texts that are cut differently are embedded again.
"""

MOST_SECTIONS = 5000
"""A note of more is cut as if it had no headings: each section is a chunk at least, embedded with title and headings,
so that 900 KB of two-letter sections would be 150,000 chunks and a bill a hundred times that of its text.
"""

Slices: TypeAlias = Iterator[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class Chunker:
    """A way to cut. The product has one; evaluation compares others."""

    name: str
    cuts: Callable[[str, int, str], Slices]
    """Text, where its body begins, language -> (heading path, start, end) of the chunks."""


def _markdown(text: str, begin: int, lang: str) -> Slices:
    found = sections(text, begin)
    if len(found) > MOST_SECTIONS:
        yield from by_sentences(text, begin, lang)
        return
    for section in found:
        for start, end in slices(text, units_of(text, section.blocks, lang)):
            yield section.heading_path, start, end


def by_sentences(text: str, begin: int, lang: str) -> Slices:
    """The same without Markdown."""
    if text[begin:].strip():
        for start, end in slices(text, units_of(text, [Block(Kind.PROSE, begin, len(text))], lang)):
            yield "", start, end


MARKDOWN = Chunker("markdown", _markdown)


def chunk(text: str, *, chunker: Chunker = MARKDOWN, lang: str = "en") -> tuple[Chunk, ...]:
    """Chunks in the order of the text; `chunk.text == text[chunk.start:chunk.end]`, without blanks around it.

    Frontmatter is no part of any chunk, nor what is meant as such. MARKDOWN keeps to headings, blocks and sentences:
    about 256 tokens (of four UTF-8 bytes), at most 512, of which up to 15% (or one sentence) repeats the chunk before,
    within the same section. Headings are in `heading_path` and not in the text, but for those with nothing under them.
    Changing a word changes one or two chunks, unless the word is a heading's: that is part of all chunks below it.

    A note without text gives one empty chunk: its title, which is indexed with every chunk, can then be found.
    `lang` (ISO 639-1) helps to tell where sentences end.
    """
    begin = split(text).shown_from
    found = [
        Chunk(position=position, heading_path=path, text=text[start:end], start=start, end=end)
        for position, (path, start, end) in enumerate(chunker.cuts(text, begin, lang))
    ]
    return tuple(found) or (Chunk(position=0, heading_path="", text="", start=begin, end=begin),)
