"""Notes of a time -> a quote of each, which says on one line what the note is about: all of a short one."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from shared.language.telling import Telling, best_parts
from shared.markdown.neutralize import neutralize_line
from shared.markdown.quotable import PieceKind, Quotable, quotable
from shared.markdown.quotations import LEFT_OUT, one_line, visible
from shared.model.answers import Quote
from shared.model.retrieval import Scored

MAX_QUOTE = 900
"""Characters."""
MAX_LINE = 240
"""Characters of a note up to which all of it stands in a list of notes, else its most telling pieces."""


def period_quotes(passages: Sequence[Scored], zone: ZoneInfo, lang: str) -> tuple[Quote, ...]:
    """Quotes each passage that shows text: whole if it is short, else the pieces that say most."""
    pieces_of = [quotable(passage.chunk.text) for passage in passages]
    telling = Telling([_plain(pieces) for pieces in pieces_of], lang)
    quotes = [
        _line_of(passage, pieces, telling, zone)
        for passage, pieces in zip(passages, pieces_of, strict=True)
    ]
    return tuple([quote for quote in quotes if quote is not None])


def _plain(pieces: Sequence[Quotable]) -> str:
    return "\n".join(piece.plain for piece in pieces)


def _line_of(
    passage: Scored,
    pieces: Sequence[Quotable],
    telling: Telling,
    zone: ZoneInfo,
) -> Quote | None:
    """Quotes a passage on one line, behind the note's title unless that is its day, which stands there already."""
    if not pieces:
        return whole_quote(passage)
    chunk = passage.chunk
    chosen = best_parts(
        [piece.end - piece.start for piece in pieces],
        telling.scores([piece.plain for piece in pieces]),
        room=MAX_LINE,
    )
    first = pieces[chosen[0]]
    last = pieces[chosen[-1]]
    end = last.end
    if len(chosen) == 1:
        end = min(end, first.start + MAX_LINE)
    line = _joined(chunk.text, pieces, chosen, end)
    is_day = chunk.title == chunk.created_at.astimezone(zone).date().isoformat()
    if chunk.title and not is_day:
        line = f"**{neutralize_line(chunk.title)}**, {line}"
    return Quote(
        passage=passage,
        start=chunk.start + first.start,
        end=chunk.start + end,
        lines=(line,),
        nearness=0.0,
    )


def _joined(text: str, pieces: Sequence[Quotable], chosen: Sequence[int], end: int) -> str:
    """Writes the chosen pieces on one line, up to `end`, with a sign where others are left out."""
    line = ""
    for place, index in enumerate(chosen):
        piece = pieces[index]
        if place:
            is_next = chosen[place - 1] == index - 1
            kinds = {pieces[index - 1].kind, piece.kind}
            is_listed = kinds != {PieceKind.SENTENCE}
            line += _gap(line, is_next=is_next, is_listed=is_listed)
        line += one_line(text, piece.start, min(piece.end, end))
    is_cut = end < pieces[-1].end
    return f"{line} {LEFT_OUT}" if is_cut else line


def _gap(line: str, *, is_next: bool, is_listed: bool) -> str:
    """Returns what stands between two pieces of a line."""
    if not is_next:
        return f" {LEFT_OUT} "
    if is_listed and line[-1:].isalnum():
        return "; "
    return " "


def whole_quote(passage: Scored) -> Quote | None:
    """Quotes a passage without pieces, such as a heading alone; None: it shows no text."""
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
