"""Notes of a period -> one quote for each, on one line: short notes whole, of longer ones what says most."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from shared.language.telling import Telling
from shared.markdown.neutralize import neutralize_line
from shared.markdown.quotable import PieceKind, Quotable, quotable
from shared.markdown.quotations import LEFT_OUT, one_line, visible
from shared.model.answers import Quote
from shared.model.index import IndexedChunk
from shared.model.retrieval import Scored

MAX_QUOTE = 900
"""Most characters of a quote of a passage without pieces."""
MAX_LINE = 240
"""A note of at most this many characters is listed whole, a longer one by its most telling pieces."""


def period_quotes(passages: Sequence[Scored], zone: ZoneInfo, lang: str) -> tuple[Quote, ...]:
    """Quotes each passage that shows text: a short one whole, of a longer one the pieces that say most."""
    pieces_of_passages = [quotable(passage.chunk.text) for passage in passages]
    texts: list[str] = []
    for pieces in pieces_of_passages:
        text = "\n".join(_plain_texts(pieces))
        texts.append(text)
    telling = Telling(texts, lang)

    quotes = []
    for passage, pieces in zip(passages, pieces_of_passages, strict=True):
        quote = _line_of(passage, pieces, telling, zone)
        if quote is not None:
            quotes.append(quote)
    return tuple(quotes)


def is_titled_by_day(chunk: IndexedChunk, zone: ZoneInfo) -> bool:
    """Reports whether a note's title is the day on which it was written, as in a diary."""
    written = chunk.created_at.astimezone(zone)
    return chunk.title == written.date().isoformat()


def _plain_texts(pieces: Sequence[Quotable]) -> list[str]:
    return [piece.plain for piece in pieces]


def _line_of(
    passage: Scored,
    pieces: Sequence[Quotable],
    telling: Telling,
    zone: ZoneInfo,
) -> Quote | None:
    """Quotes a passage on one line, each of its sentences once, behind the note's title. A title that is the note's day is
    left out, as the list shows it.
    """
    if not pieces:
        return whole_quote(passage)
    # 1. The pieces that say most.
    chunk = passage.chunk
    lengths = [piece.end - piece.start for piece in pieces]
    chosen = telling.best(_plain_texts(pieces), lengths, room=MAX_LINE)
    first = pieces[chosen[0]]
    last = pieces[chosen[-1]]
    end = last.end
    if len(chosen) == 1:
        max_end = first.start + MAX_LINE
        end = min(end, max_end)

    # 2. Their line.
    line = _joined(chunk.text, pieces, chosen, end)
    if chunk.title and not is_titled_by_day(chunk, zone):
        title = neutralize_line(chunk.title)
        line = f"**{title}**, {line}"
    return Quote(
        passage=passage,
        start=chunk.start + first.start,
        end=chunk.start + end,
        lines=(line,),
        nearness=0.0,
    )


def _joined(text: str, pieces: Sequence[Quotable], chosen: Sequence[int], end: int) -> str:
    """Writes the chosen pieces on one line, up to `end`, with a sign in place of those left out."""
    first, *others = chosen
    line = _text_up_to(text, pieces[first], end)
    previous = first
    for index in others:
        piece = pieces[index]
        if previous < index - 1:
            line += f" {LEFT_OUT} "
        else:
            line += _separator(line, pieces[previous], piece)
        line += _text_up_to(text, piece, end)
        previous = index
    is_cut = end < pieces[-1].end
    if is_cut:
        line += f" {LEFT_OUT}"
    return line


def _text_up_to(text: str, piece: Quotable, end: int) -> str:
    """Returns the part of a piece before `end`, on one line."""
    piece_end = min(piece.end, end)
    return one_line(text, piece.start, piece_end)


def _separator(line: str, previous: Quotable, piece: Quotable) -> str:
    """Returns what stands between two neighbours on a line: sentences have their own full stop."""
    are_sentences = previous.kind is PieceKind.SENTENCE and piece.kind is PieceKind.SENTENCE
    if not are_sentences and line[-1:].isalnum():
        return "; "
    return " "


def whole_quote(passage: Scored) -> Quote | None:
    """Quotes a passage without pieces, such as a heading alone; None if it shows no text."""
    chunk = passage.chunk
    start, end, line = visible(chunk.text, longest=MAX_QUOTE)
    if not line:
        return None
    return Quote(
        passage=passage,
        start=chunk.start + start,
        end=chunk.start + end,
        lines=(line,),
        nearness=0.0,
    )
