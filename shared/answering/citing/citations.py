"""A draft's citation markers -> markers that hold: only offered labels, numbered by first use (see `markers`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from shared.answering.citing.markers import close_gap, grammar, numbers_in, relabelled
from shared.markdown.skeleton import skeleton
from shared.model.answers import Source


@dataclass(frozen=True, slots=True)
class Cited:
    """A text whose every marker points at one of `used`."""

    text: str
    used: tuple[Source, ...]
    """By first use, labelled `N1`, `N2`, … as in the text."""
    removed: tuple[str, ...]
    """Labels that were not offered, each once, in order, normalised (`[n07]` -> `N7`)."""


def check_citations(text: str, offered: Sequence[Source]) -> Cited:
    """Draft -> the text with only offered labels, renumbered by first use. Checked again, it stays as it is."""
    sources = {int(source.label[1:]): source for source in offered}
    runs = tuple(grammar().run.finditer(skeleton(text)))
    named = dict.fromkeys(number for run in runs for number in numbers_in(run[0], sources))
    used = [number for number in named if number in sources]
    renumbered = {number: position for position, number in enumerate(used, start=1)}
    return Cited(
        _rewrite(text, runs, renumbered),
        tuple(Source(f"N{renumbered[number]}", sources[number].passage) for number in used),
        tuple(f"N{number}" for number in named if number not in sources),
    )


def _rewrite(text: str, runs: Iterable[re.Match[str]], renumbered: Mapping[int, int]) -> str:
    pieces: list[str] = []
    end = 0
    for run in runs:
        pieces.append(text[end : run.start()])
        end = run.end()
        markers = relabelled(text, run, renumbered)
        if markers:
            pieces.append(markers)
        else:
            ahead = next((piece[-1] for piece in islice(reversed(pieces), 1, None) if piece), "")
            pieces[-1], end = close_gap(pieces[-1], text, end, ahead=ahead, at_start=len(pieces) == 1)
    return "".join([*pieces, text[end:]])
