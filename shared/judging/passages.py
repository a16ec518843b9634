"""A passage read for judging: how well each of its sentences holds a word, a number or a date."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from shared.judging.facts import Facts, Word, facts_of
from shared.judging.quantities import Quantity, quantities
from shared.language.languages import detect
from shared.language.terms import stems
from shared.language.words import is_unspaced
from shared.model.index import IndexedChunk
from shared.times.dates import Day, date_in_words

NEAR = 0.85
"""Credit of what stands in a neighbouring sentence, the title, the headings, the tags or the date."""
FAR = 0.65
"""Credit of what stands in the rest of the passage."""
ALIKE = 0.7
"""Share of FAR that a word gets if another word of the passage has the same first letters."""
PREFIX_LENGTH = 5
"""Number of first letters that words must have in common for ALIKE."""

Credits = tuple[float, ...]
"""Credit of each sentence, in [0, 1]."""


def passage_of(chunk: IndexedChunk) -> Passage:
    """Reads a chunk. Results are cached, as all claims of an answer ask for the same passages."""
    header_parts = (chunk.title, chunk.heading_path, *chunk.properties, *chunk.tags)
    header = "\n".join(header_parts)
    return read_passage(chunk.text, header, chunk.created_at)


class Passage:
    """A text with its header and date.

    The credits of a stem are computed when they are first needed. Threads may share a passage: they compute equal ones.
    """

    def __init__(self, text: str, header: str, written: datetime) -> None:
        self.lang = detect(text)
        self.sentences = facts_of(text, self.lang)

        header_numbers, header_days = quantities(header, self.lang)
        written_day = Day(
            year=written.year,
            month=written.month,
            day=written.day,
            start=0,
            end=0,
        )
        self._header_numbers = header_numbers
        self._header_days = (*header_days, written_day)
        dated_header = f"{header}\n{date_in_words(written)}"
        self._header_stems = frozenset(stems(dated_header, self.lang))
        # A date without a year is taken to be in one of these.
        self._years = range(written.year - 1, written.year + 2)

        self._sentences_by_stem = _sentences_by_stem(self.sentences)
        self._prefixes = _prefixes([*self._sentences_by_stem, *self._header_stems])
        self._credits_by_stem: dict[str, Credits] = {}

    def word(self, word: Word) -> Credits:
        """Credits a word. A compound that nowhere stands whole is credited by its parts; an identifier never is."""
        first_stem, *other_stems = word.stems
        whole = self._stem(first_stem)
        if not other_stems or word.is_identifier:
            return whole

        # A script without spaces is read in pairs of characters: all of its stems are parts.
        part_stems = word.stems
        if not is_unspaced(word.raw):
            if any(whole):
                return whole
            part_stems = tuple(other_stems)

        credits_of_parts = [self._stem(stem) for stem in part_stems]
        count = len(credits_of_parts)
        credits_of_sentences = zip(*credits_of_parts, strict=True)
        return tuple([sum(part_credits) / count for part_credits in credits_of_sentences])

    def number(self, number: Quantity) -> Credits:
        """Credits a number. A bare number may also be the day or the year of a date."""
        holding = []
        for index, sentence in enumerate(self.sentences):
            if any(map(number.equals, sentence.numbers)):
                holding.append(index)
        in_header = any(map(number.equals, self._header_numbers))
        if holding or in_header or number.clock:
            return self._spread(holding, in_header=in_header)

        days = list(self._header_days)
        for sentence in self.sentences:
            days += sentence.days
        readings = number.readings
        for day in days:
            if day.day in readings or day.year in readings:
                return self._everywhere(FAR)
        return self._everywhere(0.0)

    def day(self, day: Day) -> Credits:
        """Credits a date."""
        holding = []
        for index, sentence in enumerate(self.sentences):
            if self._any_matches(sentence.days, day):
                holding.append(index)
        in_header = self._any_matches(self._header_days, day)
        return self._spread(holding, in_header=in_header)

    def _any_matches(self, days: tuple[Day, ...], claimed: Day) -> bool:
        """Reports whether one of the passage's dates can be the claimed one.

        A date without a year is taken to be in the year in which the note was written, or in the one before or after.
        """
        for day in days:
            if not claimed.within(day):
                continue
            years_compare = day.year is not None or claimed.year is None
            if years_compare or claimed.year in self._years:
                return True
        return False

    def _stem(self, stem: str) -> Credits:
        stem_credits = self._credits_by_stem.get(stem)
        if stem_credits is None:
            stem_credits = self._stem_credits(stem)
            self._credits_by_stem[stem] = stem_credits
        return stem_credits

    def _stem_credits(self, stem: str) -> Credits:
        holding = self._sentences_by_stem.get(stem, ())
        in_header = stem in self._header_stems
        if holding or in_header:
            return self._spread(holding, in_header=in_header)

        prefix = stem[:PREFIX_LENGTH]
        if len(stem) >= PREFIX_LENGTH and prefix in self._prefixes:
            return self._everywhere(ALIKE * FAR)
        return self._everywhere(0.0)

    def _spread(self, holding: Sequence[int], *, in_header: bool) -> Credits:
        """Gives full credit to the sentences that hold something, and partial credit to all others.

        holding: indexes of the sentences that hold it.
        """
        if not holding:
            return self._everywhere(NEAR if in_header else 0.0)

        elsewhere = NEAR if in_header else FAR
        credit_of = [elsewhere] * len(self.sentences)
        last = len(self.sentences) - 1
        for index in holding:
            if index > 0:
                credit_of[index - 1] = NEAR
            if index < last:
                credit_of[index + 1] = NEAR

        # A sentence may stand beside another one that holds it too.
        for index in holding:
            credit_of[index] = 1.0
        return tuple(credit_of)

    def _everywhere(self, credit: float) -> Credits:
        return (credit,) * len(self.sentences)


def _prefixes(stems: Sequence[str]) -> frozenset[str]:
    """Returns the first letters of the stems that are long enough."""
    prefixes = set()
    for stem in stems:
        if len(stem) >= PREFIX_LENGTH:
            prefixes.add(stem[:PREFIX_LENGTH])
    return frozenset(prefixes)


def _sentences_by_stem(sentences: Sequence[Facts]) -> Mapping[str, list[int]]:
    """Maps each stem to the sentences that hold it, in order."""
    indexes_by_stem: defaultdict[str, list[int]] = defaultdict(list)
    for index, sentence in enumerate(sentences):
        for stem in sentence.stems:
            indexes_by_stem[stem].append(index)
    return dict(indexes_by_stem)


read_passage = lru_cache(maxsize=128)(Passage)
