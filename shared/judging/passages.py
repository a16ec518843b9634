"""A passage read for judging: how well each of its sentences holds a word, a number or a date."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from shared.judging.facts import Word, facts_of
from shared.judging.quantities import Quantity, quantities
from shared.language.languages import detect
from shared.language.terms import stems
from shared.language.words import is_unspaced
from shared.model.index import IndexedChunk
from shared.times.dates import Day, date_in_words

NEAR, FAR, ALIKE = 0.85, 0.65, 0.7
"""Credit of what a neighbouring sentence, title, headings, tags or date hold; of what the rest of it holds; and
the share of the latter for a word that only begins alike."""
_START = 5

Credits = tuple[float, ...]
"""In [0, 1], one a sentence."""


def passage_of(chunk: IndexedChunk) -> Passage:
    """The chunk, read once for all claims of an answer."""
    return read_passage(
        chunk.text, "\n".join((chunk.title, chunk.heading_path, *chunk.properties, *chunk.tags)), chunk.created_at
    )


class Passage:
    """A text below its header, and its date. A stem's credits are computed on first use; threads get equal ones."""

    def __init__(self, text: str, header: str, written: datetime) -> None:
        self.lang = detect(text)
        self.sentences = facts_of(text, self.lang)
        self._numbers_above, days = quantities(header, self.lang)
        self._days_above = (*days, Day(year=written.year, month=written.month, day=written.day, start=0, end=0))
        self._above = frozenset(stems(f"{header}\n{date_in_words(written)}", self.lang))
        self._years = frozenset((written.year - 1, written.year, written.year + 1))
        self._home: dict[str, set[int]] = {}
        for place, sentence in enumerate(self.sentences):
            for stem in sentence.stems:
                self._home.setdefault(stem, set()).add(place)
        self._starts = frozenset(stem[:_START] for stem in (*self._home, *self._above) if len(stem) >= _START)
        self._credits: dict[str, Credits] = {}

    def word(self, word: Word) -> Credits:
        """A compound that is nowhere whole counts by its parts, an identifier only whole."""
        whole = self._stem(word.stems[0])
        apart = is_unspaced(word.raw)
        if len(word.stems) == 1 or word.is_identifier or (any(whole) and not apart):
            return whole
        parts = [self._stem(stem) for stem in (word.stems if apart else word.stems[1:])]
        return tuple(sum(column) / len(parts) for column in zip(*parts, strict=True))

    def number(self, number: Quantity) -> Credits:
        """A bare number may also be the day or the year of a date."""
        home = {at for at, each in enumerate(self.sentences) if any(map(number.equals, each.numbers))}
        above = any(map(number.equals, self._numbers_above))
        if home or above or number.clock:
            return self._spread(home, above=above)
        days = (*self._days_above, *(day for each in self.sentences for day in each.days))
        return self._all(FAR if any(part in number.readings for day in days for part in (day.day, day.year)) else 0.0)

    def day(self, day: Day) -> Credits:
        home = {at for at, each in enumerate(self.sentences) if any(self._tells(other, day) for other in each.days)}
        return self._spread(home, above=any(self._tells(other, day) for other in self._days_above))

    def _tells(self, own: Day, asked: Day) -> bool:
        """A date without a year is of the year in which the note was written, or one next to it."""
        known = own.year is not None or asked.year is None or asked.year in self._years
        return known and asked.within(own)

    def _stem(self, stem: str) -> Credits:
        if stem not in self._credits:
            home, above = self._home.get(stem, set()), stem in self._above
            alike = not home and not above and len(stem) >= _START and stem[:_START] in self._starts
            self._credits[stem] = self._all(ALIKE * FAR) if alike else self._spread(home, above=above)
        return self._credits[stem]

    def _spread(self, home: set[int], *, above: bool) -> Credits:
        if not home:
            return self._all(NEAR if above else 0.0)
        around = home | {at - 1 for at in home} | {at + 1 for at in home}
        far = NEAR if above else FAR
        return tuple(1.0 if at in home else NEAR if at in around else far for at in range(len(self.sentences)))

    def _all(self, credit: float) -> Credits:
        return (credit,) * len(self.sentences)


read_passage = lru_cache(maxsize=128)(Passage)
