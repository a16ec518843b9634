"""Statements and their passages -> verdicts, without a model: what the statement says must stand in the passage.

Each word, name, number and date of the statement gets credit for standing in a sentence of the passage, less for
standing around it. The score is the credit's weighted mean at the best sentence, multiplied down for what contradicts
or was made up: a number, date, name or identifier that the passage does not hold, a negation on one side alone. Nothing
is looked up and no model is asked; the same input gives the same score.

It reads words, not meanings: a true paraphrase without a common word is `unsupported`, a false sentence made of the
passage's own words may be `supported`. A statement in another language than the passage is judged by its names and
numbers; one that has none scores UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from operator import mul

from shared.judging.facts import QUANTITY_WEIGHT, Facts, Word, facts_of
from shared.judging.passages import passage_of
from shared.judging.quantities import Quantity
from shared.language.languages import detect
from shared.language.vocabulary import vocabularies, vocabulary
from shared.language.words import stop_words
from shared.model.answers import Judgement, Statement, Support, Verdict
from shared.model.index import IndexedChunk
from shared.times.dates import Day

SUPPORTED, PARTIAL = 0.6, 0.4
"""Least scores of the states."""
NO_NUMBER, NO_NAME, NEGATED = 0.3, 0.4, 0.1
"""What a score is multiplied by for a number, date or identifier that is not there, a name, a negation."""
MIN_NEGATED = 0.4
"""Share of a statement's matched words that are negated in the passage alone, from which on that contradicts."""
NEARLY = 0.9
"""Share of what the best sentence holds that another one must hold to be chosen in its place."""
COPY, COPIED = 0.8, 0.6
"""Shares of the statement's words in the sentence, and the other way round, from which on it is a copy."""
FOREIGN, FOREIGN_CAPITAL = 0.2, 0.6
"""What a word weighs in a statement of another language, and one that may be a name."""
UNKNOWN = 0.5


class OfflineJudge:
    """The default: deterministic, on this machine, in milliseconds."""

    name = "offline"

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        """Each statement is compared once with each passage."""
        compared: dict[tuple[str, str], _Match] = {}
        verdicts: list[Verdict] = []
        for statement in statements:
            spans: list[tuple[int, int]] = []
            by_lang: dict[str, list[_Match]] = {}
            for chunk in statement.passages:
                key = (statement.text, chunk.chunk_id)
                match = compared[key] if key in compared else _best_match(statement.text, chunk)
                compared[key] = match
                by_lang.setdefault(passage_of(chunk).lang, []).append(match)
                spans.append(match.span)
            score = max([_together(read_claim(statement.text, lang), matches) for lang, matches in by_lang.items()])
            verdicts.append(Verdict(Support.graded(score, supported=SUPPORTED, partial=PARTIAL), tuple(spans)))
        return Judgement(tuple(verdicts))


@dataclass(frozen=True, slots=True)
class _Claim:
    """A statement as it is looked for in passages of one language."""

    words: tuple[Word, ...]
    numbers: tuple[Quantity, ...]
    days: tuple[Day, ...]
    weights: tuple[float, ...]
    """One each of words, numbers and dates, in this order."""
    negated: frozenset[str]
    """Stems inside the reach of a negation."""
    negations: int
    foreign: bool
    """In another language than the passage."""


@dataclass(frozen=True, slots=True)
class _Match:
    """A claim at the best sentence for it in one passage."""

    found: tuple[float, ...]
    """Credit of each word, number and date of the claim, in order, in [0, 1]; empty: no sentence holds a word of it."""
    factor: float
    """What contradicts multiplies the score by."""
    span: tuple[int, int]


@lru_cache(maxsize=128)
def read_claim(text: str, lang: str) -> _Claim:
    """A claim is compared with each passage that it cites: the last ones read are kept."""
    read = facts_of(text, lang)
    foreign = _is_foreign(text, lang)
    words = tuple(word for each in read for word in each.words if word.raw.lower() not in _affirmations())
    if foreign and vocabulary(detect(text)).nouns_are_capitalised:  # what may be a name counts half
        words = tuple(replace(word, is_name=word.raw[1:] != word.raw[1:].lower()) for word in words)
    numbers = tuple(number for each in read for number in each.numbers if number.counts)
    days = tuple(day for each in read for day in each.days)
    return _Claim(
        words,
        numbers,
        days,
        weights=(*(_weight(word, foreign=foreign) for word in words), *(QUANTITY_WEIGHT for _ in (*numbers, *days))),
        negated=frozenset().union(*(each.negated for each in read)),
        negations=sum(each.negations for each in read),
        foreign=foreign,
    )


@cache
def _affirmations() -> frozenset[str]:
    """In every language: a statement may begin with one of another."""
    return frozenset(word for each in vocabularies() if each.facts for word in each.facts.affirmations.split())


def _weight(word: Word, *, foreign: bool) -> float:
    """In a statement of another language names read alike, a capital may be a name, and other words count little."""
    if word.is_name or not foreign:
        return word.weight
    return FOREIGN_CAPITAL if word.raw[:1].isupper() and not word.opens else FOREIGN


def _is_foreign(text: str, lang: str) -> bool:
    """Whether it is surely in another language; `detect` says English also of what is too short to tell."""
    own = detect(text)
    if own in (lang, "en"):
        words = text.lower().split()
        english = sum(word in stop_words("en") and word not in stop_words(lang) for word in words)
        return own != lang and english >= max(2, len(words) / 4)
    return True


def _best_match(text: str, chunk: IndexedChunk) -> _Match:
    """The sentence that says most of it; of those that say nearly as much, one that does not contradict it."""
    passage = passage_of(chunk)
    claim = read_claim(text, passage.lang)
    rows = [*map(passage.word, claim.words), *map(passage.number, claim.numbers), *map(passage.day, claim.days)]
    columns = [found for found in enumerate(zip(*rows, strict=True)) if 1.0 in found[1]]
    ranked = sorted([(_mean(claim.weights, found), -at, found) for at, found in columns], reverse=True)
    best, best_score = _Match((), 1.0, span=(0, len(chunk.text))), 0.0
    for share, at, found in ranked:
        if share < NEARLY * ranked[0][0]:
            break
        sentence = passage.sentences[-at]
        factor = NEGATED if not claim.foreign and _is_denied(claim, found, sentence) else 1.0
        if factor * share > best_score:
            best, best_score = _Match(found, factor, (sentence.start, sentence.end)), factor * share
    return best


def _mean(weights: Sequence[float], found: Sequence[float]) -> float:
    total: float = sum(map(mul, weights, found))
    return total / sum(weights)


def _is_denied(claim: _Claim, found: Sequence[float], sentence: Facts) -> bool:
    """Whether one side denies what the other says. Where both say the same in the same words, each negation counts."""
    matched = [word for word, credit in zip(claim.words, found, strict=False) if credit == 1.0]
    stems = {stem for word in claim.words for stem in word.stems}
    shared = [word for word in sentence.words if not stems.isdisjoint(word.stems)]
    if len(matched) >= COPY * len(claim.words) and len(shared) >= COPIED * len(sentence.words):
        return (claim.negations + sentence.negations) % 2 == 1
    if not claim.negations:
        turned = sum([word.weight for word in matched if not sentence.negated.isdisjoint(word.stems)])
        return turned > 0 and turned >= MIN_NEGATED * sum([word.weight for word in matched])
    denied = [word for word in matched if not claim.negated.isdisjoint(word.stems)]
    return all(sentence.negated.isdisjoint(word.stems) for word in denied or matched)


def _together(claim: _Claim, matches: Sequence[_Match]) -> float:
    """Everything counts where it is backed best; what contradicts counts where most is backed."""
    if not claim.weights:
        return 1.0  # it says nothing
    if claim.foreign and not (claim.numbers or claim.days or any(word.is_name for word in claim.words)):
        return UNKNOWN  # nothing of it reads alike in every language
    some = [match for match in matches if match.found]
    if not some:
        return 0.0
    found = [max(column) for column in zip(*[match.found for match in some], strict=True)]
    shares = [match.factor * _mean(claim.weights, match.found) for match in some]
    factor = some[shares.index(max(shares))].factor
    lost = [word for word, credit in zip(claim.words, found, strict=False) if credit == 0.0]
    if 0.0 in found[len(claim.words) :] or any(word.is_identifier for word in lost):
        factor *= NO_NUMBER
    elif any(word.is_name for word in lost):
        factor *= NO_NAME
    return round(factor * _mean(claim.weights, found), 4)
