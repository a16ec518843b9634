"""A time the question names -> whether to search only then.

People name the time of an event, and the note about it may be of another day. So the range is dropped where nothing
inside it matches the question and something outside clearly does; how near a note lies to it still counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from shared.language.terms import general_stems
from shared.model.index import IndexedChunk
from shared.model.questions import TimeRange
from shared.model.retrieval import Restriction
from shared.retrieval.candidates.legs import Matches, Search, match

COVERED = 0.7
"""Share of the question's stems, weighed by idf, from which a passage inside the range is taken for its answer."""
GAIN = 0.2
"""What a passage outside must cover more than any inside."""
LEAST_STEMS = 2
"""That the question must have, and a passage outside share with it, besides words that only say what kind of thing is
asked ("decide"): a time says more than one word alone."""

LEAST_POSTINGS = 12
"""Of the rarest stems, read at any time even where the time named has used up the posting budget."""


def relaxed(search: Search, allowed: Restriction, named: TimeRange, inside: Matches, *, lang: str) -> Matches | None:
    """What matches at any time, if that is where to look; None: look only in the time named.

    `inside`: what the keyword leg found in it; `allowed`: what restricts the search besides. Searches again only if
    nothing inside covers the question.
    """
    asked = {stem: weight for stem, weight in inside.weights.items() if inside.frequencies[stem]}
    telling = asked.keys() - general_stems(lang)
    covered = _coverage(inside.chunks, asked)
    if len(telling) < LEAST_STEMS or covered >= COVERED:
        return None
    left = max(search.posting_budget - len(inside.chunks), LEAST_POSTINGS)
    anywhere = match(replace(search, posting_budget=left), allowed, inside)
    outside = [chunk for chunk in anywhere.chunks if not named.contains(chunk.created_at)]
    speaking = [chunk for chunk in outside if len(telling & chunk.terms.keys()) >= LEAST_STEMS]
    if not speaking or _coverage(speaking, asked) < covered + GAIN:
        return None
    both = {chunk.chunk_id: chunk for chunk in (*anywhere.chunks, *inside.chunks)}
    return Matches(tuple(both.values()), anywhere.frequencies, anywhere.stats)


def _coverage(chunks: Iterable[IndexedChunk], asked: dict[str, float]) -> float:
    """Of the chunk that covers most, in [0, 1]."""
    total = sum(asked.values())
    found = (sum(weight for stem, weight in asked.items() if chunk.terms.get(stem)) for chunk in chunks)
    return max(found, default=0.0) / total if total else 0.0
