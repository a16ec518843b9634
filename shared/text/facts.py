"""A text -> what its sentences state, in a form that two texts can be compared by: words with their weights, which of
them are negated, names, numbers, dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from shared.text.general_words import general
from shared.text.quantities import Day, Quantity, quantities
from shared.text.sentences import sentences
from shared.text.terms import content_words, stems

GENERAL_WEIGHT, NAME_WEIGHT, IDENTIFIER_WEIGHT, QUANTITY_WEIGHT = 0.3, 1.5, 3.0, 1.5
"""Of words that say little, names, identifiers and numbers; every other word weighs 1."""
SCOPE = 4
"""Content words after a negation that it turns around; as many before it where the verb may come first."""

_NEGATIONS = {
    "en": "not no never none nothing nobody neither nor cannot without",
    "de": "nicht kein keine keinen keinem keiner nie niemals nichts niemand weder ohne",
    "es": "no nunca jamás nada nadie ningún ninguna ninguno tampoco sin ni",
    "fr": "pas jamais rien aucun aucune sans ni",
}
_CUE = r"\b(?:{words})\b(?!\s+(?:only|just|nur|sólo|solo|seulement)\b){more}"
_CLAUSE_END = re.compile(r"[,;:.!?()]|\b(?:but|although|whereas|aber|sondern|pero|sino|mais)\b", re.IGNORECASE)
_SENTENCE_OPENS = re.compile(r"[\s\"'“„«*_`(\[-]*")


@dataclass(frozen=True, slots=True)
class Word:
    """One content word as others may repeat it. `stems`: any of them; a compound's first is the whole."""

    stems: tuple[str, ...]
    weight: float
    is_name: bool
    is_identifier: bool
    opens: bool
    """A capital letter that says nothing: the first word of its sentence."""
    negated: bool
    raw: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What one sentence states; `[start, end)` of its text."""

    start: int
    end: int
    words: tuple[Word, ...]
    numbers: tuple[Quantity, ...]
    days: tuple[Day, ...]
    negations: int
    stems: frozenset[str]
    negated: frozenset[str]
    """Stems inside the reach of a negation."""


def facts_of(text: str, lang: str) -> tuple[Facts, ...]:
    """One a sentence, in order; empty where the text has none. `lang`: in which stems and negations are read."""
    spans = sentences(text, lang=lang)
    words = content_words(text, lang)
    numbers, days = quantities(text, lang)
    found = []
    at = 0
    for start, end in spans:
        first = at
        while first < len(words) and words[first][1] < start:
            first += 1
        at = first
        while at < len(words) and words[at][1] < end:
            at += 1
        inside = Facts(start, end, (), _inside(numbers, start, end), _inside(days, start, end), 0, frozenset(), frozenset())
        found.append(_read(text, lang, inside, words[first:at]))
    return tuple(found)


def _inside(found: Sequence, start: int, end: int) -> tuple:
    return tuple(each for each in found if start <= each.start < end)


def _read(text: str, lang: str, bare: Facts, words: Sequence[tuple[str, int, int]]) -> Facts:
    cues = [found.span() for found in _cue(lang).finditer(text, bare.start, bare.end)]
    reached = _reached(text, lang, cues, words)
    taken = [(each.start, each.end) for each in (*bare.numbers, *bare.days)]
    opening = _SENTENCE_OPENS.match(text, bare.start)
    first = opening.end() if opening else bare.start
    read = []
    for number, (_, start, end) in enumerate(words):
        if any(low <= start < high for low, high in taken):
            continue
        word = _word(text[start:end], lang, opens=start <= first, negated=number in reached)
        if word.stems:
            read.append(word)
    return Facts(
        bare.start, bare.end, tuple(read), bare.numbers, bare.days, len(cues),
        frozenset(stem for word in read for stem in word.stems),
        frozenset(stem for word in read if word.negated for stem in word.stems),
    )


def _word(raw: str, lang: str, *, opens: bool, negated: bool) -> Word:
    found = tuple(stems(raw, lang))
    has_digit, has_letter = any(map(str.isdigit, raw)), any(map(str.isalpha, raw))
    identifier = (has_digit and has_letter) or "_" in raw
    inner_capital = raw[1:] != raw[1:].lower()
    name = identifier or inner_capital or (raw[:1].isupper() and not opens and lang != "de")
    weight = IDENTIFIER_WEIGHT if identifier else NAME_WEIGHT if name else 1.0
    if weight == 1.0 and found and found[0] in general(lang):
        weight = GENERAL_WEIGHT
    return Word(found, weight, name, identifier, opens and raw[:1].isupper(), negated, raw)


def _reached(text: str, lang: str, cues: Sequence[tuple[int, int]], words: Sequence[tuple[str, int, int]]) -> frozenset[int]:
    """Which of `words` stand in the reach of a negation."""
    reached: set[int] = set()
    for start, end in cues:
        stop = _CLAUSE_END.search(text, end)
        limit = stop.start() if stop else len(text)
        after = [number for number, (_, begin, _) in enumerate(words) if end <= begin < limit]
        reached.update(after[:SCOPE])
        if lang != "en":  # the verb stands before it
            last = max((found.end() for found in _CLAUSE_END.finditer(text, 0, start)), default=0)
            before = [number for number, (_, begin, _) in enumerate(words) if last <= begin < start]
            reached.update(before[-SCOPE:])
    return frozenset(reached)


@cache
def _cue(lang: str) -> re.Pattern[str]:
    words = "|".join(_NEGATIONS.get(lang, _NEGATIONS["en"]).split())
    more = r"|\b\w+n['’]t\b" if lang == "en" else ""
    return re.compile(_CUE.format(words=words, more=more), re.IGNORECASE)
