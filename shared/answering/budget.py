"""Sources and history -> as much of them as a writer may be given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.language.lengths import tokens
from shared.model.questions import Exchange

CUT = " …"
"""Ends a text that was cut."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What fits."""

    texts: tuple[str, ...]
    """One for every source, in their order; cut or empty where there is no room."""
    history: tuple[Exchange, ...]
    """The newest turns, oldest first."""


def fit(texts: Sequence[str], history: Sequence[Exchange], *, most: float | None) -> Fitted:
    """`most`: estimated tokens for both; None: everything fits.

    The oldest turns go first, then all sources are cut to one length: the greatest at which they fit.
    """
    if most is None:
        return Fitted(tuple(texts), tuple(history))
    sizes = [tokens(text) for text in texts]
    room = most - sum(sizes)
    if room < 0:
        longest = _even_share(sizes, max(0.0, most))
        return Fitted(tuple(_cut(text, longest) for text in texts), ())
    kept: list[Exchange] = []
    for turn in reversed(history):
        room -= tokens(turn.question) + tokens(turn.answer)
        if room < 0:
            break
        kept.insert(0, turn)
    return Fitted(tuple(texts), tuple(kept))


def _even_share(sizes: Sequence[float], most: float) -> float:
    """The greatest length to which all must be cut for their sum to be at most `most`."""
    left = most
    for place, size in enumerate(sorted(sizes)):
        share = left / (len(sizes) - place)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0.0)


def _cut(text: str, longest: float) -> str:
    """At most `longest` estimated tokens of it, cut between words."""
    size = tokens(text)
    if size <= longest:
        return text
    start = text[: int(len(text) * longest / size)]
    while tokens(start) > longest:
        start = start[:-1]
    bare = start.rpartition(" ")[0] or start
    return f"{bare.rstrip()}{CUT}" if bare.strip() else ""
