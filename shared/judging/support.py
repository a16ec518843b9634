"""Statements and their passages -> verdicts, without a model: what the statement says must stand in the passage.

Each word, name, number and date of the statement gets full credit if it stands in a sentence of the passage, and less
if it stands elsewhere in the passage. The score is the weighted mean of the credits at the best sentence. It is
multiplied down if the passage lacks a number, date, name or identifier of the statement, or if only one of the two is
negated. The same input always gives the same score.

The judge compares words, not meanings: a true paraphrase that shares no word with the passage is `unsupported`, and a
false sentence made of the passage's own words may be `supported`. A statement in another language than the passage is
judged by its names and numbers; without any it scores UNKNOWN.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from operator import mul

from shared.judging.facts import QUANTITY_WEIGHT, Facts, Word, facts_of
from shared.judging.passages import Passage, passage_of
from shared.judging.quantities import Quantity
from shared.language.languages import detect
from shared.language.vocabulary import vocabularies, vocabulary
from shared.language.words import stop_words
from shared.model.answers import Judgement, Statement, Support, Verdict
from shared.model.index import IndexedChunk
from shared.times.dates import Day

SUPPORTED = 0.6
"""Least score of a statement that is supported."""
PARTIAL = 0.4
"""Least score of a statement that is supported in part."""
NO_NUMBER = 0.3
"""Factor of the score if the passage lacks a number, date or identifier of the statement."""
NO_NAME = 0.4
"""Factor of the score if the passage lacks a name of the statement."""
NEGATED = 0.1
"""Factor of the score if only one of the two is negated."""
MIN_NEGATED = 0.4
"""A sentence contradicts a statement if it negates at least this share of the words they share."""
NEARLY = 0.9
"""Share of the best sentence's score that another one must reach to be chosen in its place."""
COPY = 0.8
"""Least share of a copied statement's words that stand in the sentence."""
COPIED = 0.6
"""Least share of the sentence's words that stand in a statement copied from it."""
FOREIGN = 0.2
"""Weight of a word in a statement of another language."""
FOREIGN_CAPITAL = 0.6
"""Weight of a word in a statement of another language that may be a name."""
UNKNOWN = 0.5
"""Score of a statement in another language without names and numbers."""


class OfflineJudge:
    """The default judge: deterministic, on this machine, in milliseconds."""

    name = "offline"

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        """Judges each statement by its passages together, comparing it once with each."""
        matches: dict[tuple[str, str], _Match] = {}
        verdicts: list[Verdict] = []
        for statement in statements:
            matches_of_statement: list[_Match] = []
            for chunk in statement.passages:
                key = (statement.text, chunk.chunk_id)
                match = matches.get(key)
                if match is None:
                    match = _best_match(statement.text, chunk)
                    matches[key] = match
                matches_of_statement.append(match)

            verdict = _verdict(statement, matches_of_statement)
            verdicts.append(verdict)
        return Judgement(tuple(verdicts))


@dataclass(frozen=True, slots=True)
class _Claim:
    """A statement, read to be compared with passages of one language."""

    words: tuple[Word, ...]
    numbers: tuple[Quantity, ...]
    days: tuple[Day, ...]
    weights: tuple[float, ...]
    """Weight of each word, number and date, in this order."""
    negated: frozenset[str]
    """Stems inside the reach of a negation."""
    negations: int
    is_foreign: bool
    """True if it is in another language than the passage."""

    @property
    def reads_alike(self) -> bool:
        """True if it holds a number, a date or a name, which are written alike in every language."""
        if self.numbers or self.days:
            return True
        return any(word.is_name for word in self.words)


@dataclass(frozen=True, slots=True)
class _Match:
    """The sentence of a passage that backs a claim best, and how well it does."""

    credits: tuple[float, ...]
    """Credit of each word, number and date of the claim, in order, in [0, 1]; empty if no sentence holds any of them."""
    factor: float
    """Factor of the score: below 1 if the sentence contradicts the claim."""
    span: tuple[int, int]


@lru_cache(maxsize=128)
def read_claim(text: str, lang: str) -> _Claim:
    """Reads a statement for passages of one language. Results are cached, as each passage asks for the same ones."""
    facts = facts_of(text, lang)
    is_foreign = _is_foreign(text, lang)

    words: list[Word] = []
    numbers: list[Quantity] = []
    days: list[Day] = []
    negated: set[str] = set()
    negations = 0
    for sentence in facts:
        for word in sentence.words:
            is_affirmation = word.raw.lower() in _affirmations()
            if not is_affirmation:
                words.append(word)
        numbers += [number for number in sentence.numbers if number.counts]
        days += sentence.days
        negated |= sentence.negated
        negations += sentence.negations

    if is_foreign and vocabulary(detect(text)).nouns_are_capitalised:
        # A capital may be that of a common noun, so what may be a name counts half.
        words = [replace(word, is_name=_has_inner_capital(word)) for word in words]

    weights = [_weight(word, is_foreign=is_foreign) for word in words]
    weights += [QUANTITY_WEIGHT] * (len(numbers) + len(days))
    return _Claim(
        words=tuple(words),
        numbers=tuple(numbers),
        days=tuple(days),
        weights=tuple(weights),
        negated=frozenset(negated),
        negations=negations,
        is_foreign=is_foreign,
    )


def _has_inner_capital(word: Word) -> bool:
    rest = word.raw[1:]
    return rest != rest.lower()


@cache
def _affirmations() -> frozenset[str]:
    """Returns words like `yes` in every language: a statement may begin with one of another language."""
    affirmations = set()
    for language in vocabularies():
        if language.facts is not None:
            affirmations.update(language.facts.affirmations.split())
    return frozenset(affirmations)


def _weight(word: Word, *, is_foreign: bool) -> float:
    """Returns the weight of a word. In a statement of another language names count in full, capitalised words may be
    names, and other words count little.
    """
    if word.is_name or not is_foreign:
        return word.weight
    may_be_name = word.raw[:1].isupper() and not word.opens
    return FOREIGN_CAPITAL if may_be_name else FOREIGN


def _is_foreign(text: str, lang: str) -> bool:
    """Reports whether a text is certainly in another language.

    `detect` returns English also for a text that is too short to tell, so English needs words of its own as evidence.
    """
    detected = detect(text)
    if detected == lang:
        return False
    if detected != "en":
        return True

    words = text.lower().split()
    english_words = stop_words("en") - stop_words(lang)
    english_count = sum(word in english_words for word in words)
    return english_count >= max(2, len(words) / 4)


def _verdict(statement: Statement, matches: Sequence[_Match]) -> Verdict:
    """Judges a statement by its matches, one for each passage. Passages of one language are judged together."""
    matches_by_lang: defaultdict[str, list[_Match]] = defaultdict(list)
    for chunk, match in zip(statement.passages, matches, strict=True):
        lang = passage_of(chunk).lang
        matches_by_lang[lang].append(match)

    scores = []
    for lang, matches_of_lang in matches_by_lang.items():
        claim = read_claim(statement.text, lang)
        score = _score(claim, matches_of_lang)
        scores.append(score)

    best_score = max(scores)
    support = Support.graded(best_score, supported=SUPPORTED, partial=PARTIAL)
    spans = [match.span for match in matches]
    return Verdict(support, tuple(spans))


def _best_match(text: str, chunk: IndexedChunk) -> _Match:
    """Finds the sentence that says most of a statement.

    Among sentences that say nearly as much, one that does not contradict the statement is preferred.
    """
    passage = passage_of(chunk)
    claim = read_claim(text, passage.lang)
    credits_by_sentence = _credits_by_sentence(claim, passage)

    shares: dict[int, float] = {}
    for index, sentence_credits in enumerate(credits_by_sentence):
        if 1.0 in sentence_credits:
            shares[index] = _mean(claim.weights, sentence_credits)
    if not shares:
        return _Match((), 1.0, span=(0, len(chunk.text)))

    best_share = max(shares.values())
    best_score = 0.0
    for index, share in shares.items():
        if share < NEARLY * best_share:
            continue
        sentence = passage.sentences[index]
        sentence_credits = credits_by_sentence[index]
        factor = 1.0
        if _is_denied(claim, sentence_credits, sentence):
            factor = NEGATED
        score = factor * share
        if score > best_score:
            best_score = score
            span = (sentence.start, sentence.end)
            best_match = _Match(sentence_credits, factor, span)
    return best_match


def _credits_by_sentence(claim: _Claim, passage: Passage) -> list[tuple[float, ...]]:
    """Returns for each sentence of a passage the credit of each word, number and date of a claim."""
    credits_by_part = [
        *map(passage.word, claim.words),
        *map(passage.number, claim.numbers),
        *map(passage.day, claim.days),
    ]
    return list(zip(*credits_by_part, strict=True))


def _mean(weights: Sequence[float], part_credits: Sequence[float]) -> float:
    """Returns the weighted mean of the credits."""
    weighted = map(mul, weights, part_credits)
    total: float = sum(weighted)
    return total / sum(weights)


def _is_denied(claim: _Claim, part_credits: Sequence[float], sentence: Facts) -> bool:
    """Reports whether the claim and the sentence contradict each other by negation.

    That cannot be told of a claim in another language.
    """
    if claim.is_foreign:
        return False
    none_is_negated = claim.negations == 0 and sentence.negations == 0
    if none_is_negated and not sentence.negated:
        return False

    credited = zip(claim.words, part_credits, strict=False)
    matched = [word for word, credit in credited if credit == 1.0]
    if _are_copies(claim, matched, sentence):
        # Both use the same words, so each negation counts.
        negation_count = claim.negations + sentence.negations
        return negation_count % 2 == 1
    if claim.negations == 0:
        return _is_mostly_negated(matched, sentence)

    # The claim denies something: it is contradicted if the sentence states all of that.
    denied = [word for word in matched if not claim.negated.isdisjoint(word.stems)]
    for word in denied or matched:
        if not sentence.negated.isdisjoint(word.stems):
            return False
    return True


def _is_mostly_negated(matched: Sequence[Word], sentence: Facts) -> bool:
    """Reports whether a sentence negates enough of the words that it shares with a claim to contradict it."""
    matched_weight = 0.0
    negated_weight = 0.0
    for word in matched:
        matched_weight += word.weight
        if not sentence.negated.isdisjoint(word.stems):
            negated_weight += word.weight
    return negated_weight > 0 and negated_weight >= MIN_NEGATED * matched_weight


def _are_copies(claim: _Claim, matched: Sequence[Word], sentence: Facts) -> bool:
    """Reports whether a claim and a sentence use the same words.

    matched: the words of the claim that the sentence holds.
    """
    if len(matched) < COPY * len(claim.words):
        return False

    claim_stems: set[str] = set()
    for word in claim.words:
        claim_stems.update(word.stems)
    shared_count = 0
    for word in sentence.words:
        if not claim_stems.isdisjoint(word.stems):
            shared_count += 1
    return shared_count >= COPIED * len(sentence.words)


def _score(claim: _Claim, matches: Sequence[_Match]) -> float:
    """Scores a claim by its matches in passages of one language.

    Each word, number and date gets its best credit from any passage. A contradiction counts only in the passage that
    backs most of the claim.
    """
    if not claim.weights:
        return 1.0  # it says nothing that could be wrong

    if claim.is_foreign and not claim.reads_alike:
        return UNKNOWN

    backing = [match for match in matches if match.credits]
    if not backing:
        return 0.0
    best_backed = max(backing, key=lambda match: match.factor * _mean(claim.weights, match.credits))
    credits_of_matches = [match.credits for match in backing]
    credits_of_parts = zip(*credits_of_matches, strict=True)
    best_credits = list(map(max, credits_of_parts))

    factor = best_backed.factor * _factor_for_missing(claim, best_credits)
    score = factor * _mean(claim.weights, best_credits)
    return round(score, 4)


def _factor_for_missing(claim: _Claim, best_credits: Sequence[float]) -> float:
    """Returns the factor of the score for numbers, dates, identifiers and names that no passage holds."""
    credited = zip(claim.words, best_credits, strict=False)
    missing = [word for word, credit in credited if credit == 0.0]
    lacks_identifier = any(word.is_identifier for word in missing)

    word_count = len(claim.words)
    quantity_credits = best_credits[word_count:]
    lacks_quantity = 0.0 in quantity_credits

    if lacks_identifier or lacks_quantity:
        return NO_NUMBER
    if any(word.is_name for word in missing):
        return NO_NAME
    return 1.0
