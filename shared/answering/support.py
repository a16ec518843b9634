"""Statements and their passages -> verdicts, without a model: what the statement says must stand in the passage.

Each word, name, number and date of the statement gets credit for standing in a sentence of the passage, less for
standing around it. The score is the credit's weighted mean at the best sentence, multiplied down for what contradicts
or was made up: a number, date, name or identifier that the passage does not hold, a negation on one side alone, an
opposite (`rises`, `falls`). Nothing is looked up, no model is asked; the same input gives the same score.

It reads words, not meanings: a true paraphrase without a common word is `unsupported`, a false sentence made of the
passage's own words may be `supported`. Statements in another language than the passage are judged by names and numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shared.domain import IndexedChunk, Judgement, Statement, Support, SupportState, Verdict
from shared.text.dates import date_in_words
from shared.text.facts import QUANTITY_WEIGHT, Facts, Word, facts_of
from shared.text.languages import detect
from shared.text.opposites import denials, opposites
from shared.text.quantities import Day, Quantity
from shared.text.stop_words import stop_words
from shared.text.words import is_unspaced

SUPPORTED, PARTIAL = 0.6, 0.4
"""Least scores of the states."""
NEAR, FAR, ALIKE = 0.85, 0.65, 0.7
"""Credit of a word in a neighbouring sentence or the header, elsewhere in the passage, of one that begins alike."""
NO_NUMBER, NO_NAME, NEGATED, OPPOSITE = 0.2, 0.5, 0.2, 0.4
"""What a score is multiplied by for a number or date that is not there, a name, a negation, an opposite."""
LEAST_NEGATED = 0.3
"""Share of a statement's credited words that are negated in the passage alone, from which that contradicts."""
_START = 5
FOREIGN = 0.2
"""What a word weighs less in a statement of another language."""
UNKNOWN = 0.5
"""Score of such a statement that holds no name and no number: nothing can be told."""


class OfflineJudge:
    """The default: deterministic and on this machine. About 0.1 ms a passage and statement."""

    name = "offline"

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        reader = _Reader()
        return Judgement(tuple(map(reader.verdict, statements)))


def state_of(score: float) -> SupportState:
    if score >= SUPPORTED:
        return SupportState.SUPPORTED
    return SupportState.PARTIAL if score >= PARTIAL else SupportState.UNSUPPORTED


@dataclass(frozen=True, slots=True)
class _Claim:
    """A statement as it is looked for in passages of one language. `weights`: of its words, numbers, dates, in order."""

    words: tuple[Word, ...]
    numbers: tuple[Quantity, ...]
    days: tuple[Day, ...]
    weights: tuple[float, ...]
    negated: bool
    foreign: bool
    """In another language than the passage."""


@dataclass(frozen=True, slots=True)
class _Match:
    """A claim at the best sentence for it in one passage."""

    credits: tuple[float, ...]
    """Of each word, number and date of the claim, in order, in [0, 1]."""
    factor: float
    """What contradicts multiplies the score by."""
    renamed: bool
    """The sentence names somebody else where the claim begins with a capital letter that is nowhere."""
    span: tuple[int, int]


class _Passage:
    """A passage read once for all statements. Credits of a stem are computed when first asked for."""

    def __init__(self, chunk: IndexedChunk) -> None:
        self.lang = detect(chunk.text)
        self.whole = (0, len(chunk.text))
        self.sentences = facts_of(chunk.text, self.lang)
        written = chunk.created_at
        self.header = facts_of(
            f"{chunk.title}\n{chunk.heading_path}\n{' '.join(chunk.tags)}\n{date_in_words(written)}", self.lang
        )
        self._home: dict[str, set[int]] = {}
        for place, sentence in enumerate(self.sentences):
            for stem in sentence.stems:
                self._home.setdefault(stem, set()).add(place)
        self._above = frozenset().union(*(each.stems for each in self.header))
        self._starts = {stem[:_START] for stem in (*self._home, *self._above) if len(stem) >= _START}
        self._initials = "".join(word.raw[:1].lower() for each in self.sentences for word in each.words)
        self._credits: dict[str, tuple[float, ...]] = {}
        self._years = {float(year) for year in (written.year - 1, written.year, written.year + 1)}

    def word(self, word: Word) -> tuple[float, ...]:
        """Its credit at each sentence."""
        whole = self._stem(word.stems[0])
        if len(word.stems) == 1 or word.is_identifier or (any(whole) and not is_unspaced(word.raw)):
            return whole if any(whole) else self._short_form(word)
        parts = [self._stem(stem) for stem in (word.stems if is_unspaced(word.raw) else word.stems[1:])]
        return tuple(sum(column) / len(parts) for column in zip(*parts, strict=True))

    def number(self, number: Quantity) -> tuple[float, ...]:
        home = {at for at, each in enumerate(self.sentences) if any(map(number.equals, each.numbers))}
        above = any(number.equals(other) for each in self.header for other in each.numbers)
        if home or above:
            return self._spread(home, above=above)
        dated = any(
            float(part or 0) in number.bare for each in (*self.sentences, *self.header) for day in each.days
            for part in (day.day, day.year)
        )  # fmt: skip
        return self._all(FAR if dated and not number.kind else 0.0)

    def day(self, day: Day) -> tuple[float, ...]:
        """A day without a year in the passage is in the year in which it was written, or next to it."""
        if day.year is not None and float(day.year) not in self._years:
            home = {
                at
                for at, each in enumerate(self.sentences)
                if any(day == replace(other, start=day.start, end=day.end) for other in each.days)
            }
        else:
            home = {at for at, each in enumerate(self.sentences) if any(map(day.within, each.days))}
        return self._spread(home, above=any(day.within(other) for each in self.header for other in each.days))

    def _stem(self, stem: str) -> tuple[float, ...]:
        if stem not in self._credits:
            home, above = self._home.get(stem, set()), stem in self._above
            alike = not home and not above and len(stem) >= _START and stem[:_START] in self._starts
            self._credits[stem] = self._all(ALIKE * FAR) if alike else self._spread(home, above=above)
        return self._credits[stem]

    def _spread(self, home: set[int], *, above: bool) -> tuple[float, ...]:
        if not home and not above:
            return self._all(0.0)
        return tuple(
            1.0 if at in home else NEAR if above or at - 1 in home or at + 1 in home else FAR
            for at in range(len(self.sentences))
        )

    def _short_form(self, word: Word) -> tuple[float, ...]:
        short = word.raw.isupper() and 3 <= len(word.raw) <= 6 and word.raw.lower() in self._initials
        return self._all(FAR if short else 0.0)

    def _all(self, credit: float) -> tuple[float, ...]:
        return (credit,) * len(self.sentences)


class _Reader:
    """Reads each passage once, and each statement once a language."""

    def __init__(self) -> None:
        self._passages: dict[str, _Passage] = {}
        self._claims: dict[tuple[str, str], _Claim] = {}
        self._matches: dict[tuple[str, str], _Match] = {}

    def verdict(self, statement: Statement) -> Verdict:
        matches = [self._match(statement.text, chunk) for chunk in statement.passages]
        by_lang: dict[str, list[_Match]] = {}
        for chunk, match in zip(statement.passages, matches, strict=True):
            by_lang.setdefault(self._passages[chunk.chunk_id].lang, []).append(match)
        score = max(_together(self._claims[statement.text, lang], some) for lang, some in by_lang.items())
        return Verdict(Support(state_of(score), score), tuple(match.span for match in matches))

    def _match(self, text: str, chunk: IndexedChunk) -> _Match:
        found = self._matches.get((text, chunk.chunk_id))
        if found is None:
            passage = self._passage(chunk)
            found = self._matches[text, chunk.chunk_id] = _best_match(self._claim(text, passage.lang), passage)
        return found

    def _passage(self, chunk: IndexedChunk) -> _Passage:
        if chunk.chunk_id not in self._passages:
            self._passages[chunk.chunk_id] = _Passage(chunk)
        return self._passages[chunk.chunk_id]

    def _claim(self, text: str, lang: str) -> _Claim:
        if (text, lang) not in self._claims:
            self._claims[text, lang] = _claim(text, lang)
        return self._claims[text, lang]


def _claim(text: str, lang: str) -> _Claim:
    read = facts_of(text, lang)
    words = tuple(word for each in read for word in each.words)
    numbers = tuple(number for each in read for number in each.numbers if number.counts)
    days = tuple(day for each in read for day in each.days)
    foreign = _is_foreign(text, lang)
    shares = [word.weight * (FOREIGN if foreign and not word.is_name else 1.0) for word in words]
    weights = (*shares, *(QUANTITY_WEIGHT for _ in (*numbers, *days)))
    return _Claim(words, numbers, days, weights, any(each.negations for each in read), foreign)


def _is_foreign(text: str, lang: str) -> bool:
    """Whether a statement is surely in another language; `detect` says English also of what is too short to tell."""
    own = detect(text)
    if own == lang:
        return False
    words = text.lower().split()
    return own != "en" or sum(word in stop_words("en") and word not in stop_words(lang) for word in words) >= max(
        2, len(words) / 4
    )


def _best_match(claim: _Claim, passage: _Passage) -> _Match:
    rows = [
        *map(passage.word, claim.words),
        *map(passage.number, claim.numbers),
        *map(passage.day, claim.days),
    ]
    best, best_score = _Match((0.0,) * len(rows), 1.0, False, passage.whole), 0.0
    for at, sentence in enumerate(passage.sentences):
        credits = tuple(row[at] for row in rows)
        own = sum(weight for weight, credit in zip(claim.weights, credits, strict=True) if credit == 1.0)
        if not own:
            continue
        factor = 1.0 if claim.foreign else _contradiction(claim, credits, sentence, passage.lang)
        score = factor * (_mean(claim.weights, credits))
        if score > best_score:
            best, best_score = (
                _Match(credits, factor, _renames(claim, credits, sentence), (sentence.start, sentence.end)),
                score,
            )
    return best


def _mean(weights: Sequence[float], credits: Sequence[float]) -> float:
    total = sum(weights)
    return sum(weight * credit for weight, credit in zip(weights, credits, strict=True)) / total if total else 0.0


def _contradiction(claim: _Claim, credits: Sequence[float], sentence: Facts, lang: str) -> float:
    matched = [(word, credit) for word, credit in zip(claim.words, credits, strict=False) if credit == 1.0]
    factor = 1.0
    weight = sum(word.weight for word, _ in matched) or 1.0
    turned = sum(word.weight for word, _ in matched if not sentence.negated.isdisjoint(word.stems))
    if claim.negated:
        denied = [word for word, _ in matched if word.negated]
        if denied:
            kept = any(not sentence.negated.isdisjoint(word.stems) for word in denied)
        else:
            kept = sentence.negations > 0
        if not kept and sentence.stems.isdisjoint(denials(lang)):
            factor *= NEGATED
    elif turned / weight >= LEAST_NEGATED:
        factor *= NEGATED
    missing = [word for word, credit in zip(claim.words, credits, strict=False) if credit < 1.0]
    if any(not sentence.stems.isdisjoint(opposites(word.stems[0], lang)) for word in missing):
        factor *= OPPOSITE
    return factor


def _renames(claim: _Claim, credits: Sequence[float], sentence: Facts) -> bool:
    missing = [word for word, credit in zip(claim.words, credits, strict=False) if credit == 0.0 and word.opens]
    if not missing:
        return False
    known = {stem for word in claim.words for stem in word.stems}
    return any(word.is_name or word.opens for word in sentence.words if known.isdisjoint(word.stems))


def _together(claim: _Claim, matches: Sequence[_Match]) -> float:
    """Each word counts where it is backed best; what contradicts counts where most is backed."""
    credits = [max(column) for column in zip(*(match.credits for match in matches), strict=True)]
    if not credits:
        return 1.0
    if claim.foreign and not claim.numbers and not claim.days and not any(word.is_name for word in claim.words):
        return UNKNOWN
    best = max(matches, key=lambda match: match.factor * _mean(claim.weights, match.credits))
    factor = best.factor
    count = len(claim.words)
    if 0.0 in credits[count:]:
        factor *= NO_NUMBER
    lost = [word for word, credit in zip(claim.words, credits, strict=False) if credit == 0.0]
    if any(word.is_identifier for word in lost):
        factor *= NO_NUMBER
    elif any(word.is_name for word in lost) or best.renamed:
        factor *= NO_NAME
    return round(factor * _mean(claim.weights, credits), 4)
