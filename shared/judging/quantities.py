"""Numbers with their units, times of day and dates in a text, as values that compare.

`0.4 s` and `400 ms` are equal, `400 ms` and `400 s` are not; `4 million` is `4,000,000`; `three` is `3`; 3 May is
`3. Mai`. A number may read in more than one way (`1.840` is 1840 in German): it equals whatever one reading equals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_NUMBER = re.compile(
    r"(?<![\w.,])(?:(?<![^\s(])[-−])?(\d+(?:[.,'’\u202f]\d+)*)(?![.,]?\d)\s?([%‰€$£]|°\s?[CF]|[^\W\d_]+)?"
)
_CURRENCY_FIRST = re.compile(r"[$€£]\s?\Z")
_CLOCK = re.compile(
    r"(?<![\w:.])(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])\.?m\b)?|(?<![\w:.])(\d{1,2})\s?([ap])\.?m\b", re.IGNORECASE
)
_MONTH = (
    r"(?P<month>jan(?:uary|uar|vier)?|enero|ene|feb(?:ruary|ruar|rero)?|févr(?:ier)?|mar(?:ch|zo|s)?|märz?|apr(?:il)?|abril|avril"
    r"|may|mai|mayo|june?|juni|junio|juin|july?|juli|julio|juill(?:et)?|aug(?:ust)?|agosto|août|sept?(?:ember|iembre|embre)?"
    r"|o[ck]t(?:ober|ubre|obre)?|nov(?:ember|iembre|embre)?|de[cz](?:ember)?|dic(?:iembre)?|déc(?:embre)?)\b\.?"
)
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-(?P<number>\d{2})(?:-(?P<day>\d{2}))?\b"),
    re.compile(r"\b(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.(?P<year>\d{4})?(?!\d)"),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er)?\s+(?:of\s+|de\s+)?{_MONTH}"
        r"(?:,?\s+(?:de\s+)?(?P<year>\d{4}))?", re.IGNORECASE
    ),
    re.compile(
        rf"\b(?=[adefjmnos]){_MONTH}\s+(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w%€]|[.,:]\d)(?:,?\s+(?P<year>\d{{4}}))?"
        r"|(?:de\s+)?(?P<only>\d{4})\b)", re.IGNORECASE
    ),
)  # fmt: skip
_MONTHS_BY_START = {
    "jan": 1, "ene": 1, "feb": 2, "fév": 2, "mar": 3, "mär": 3, "apr": 4, "abr": 4, "avr": 4, "may": 5, "mai": 5,
    "jul": 7, "aug": 8, "ago": 8, "aoû": 8, "sep": 9, "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
    "dic": 12, "déc": 12, "jun": 6, "juin": 6, "juil": 7,
}  # fmt: skip
_UNITS = {
    ("time", 0.001): "ms millisecond milliseconds millisekunde millisekunden milisegundos millisecondes",
    ("time", 1.0): "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes",
    ("time", 60.0): "min mins minute minutes minuten minuto minutos",
    ("time", 3600.0): "h hr hrs hour hours stunde stunden hora horas heure heures",
    ("time", 86_400.0): "day days tag tage tagen día días dia dias jour jours",
    ("time", 604_800.0): "week weeks woche wochen semana semanas semaine semaines",
    ("month", 1.0): "month months monat monate monaten mes meses mois",
    ("month", 12.0): "year years jahr jahre jahren año años ano anos an ans année années",
    ("mass", 1e-6): "µg μg mcg", ("mass", 0.001): "mg", ("mass", 1.0): "g gram grams gramm gramo gramos gramme grammes",
    ("mass", 1000.0): "kg kilo kilos kilogram kilograms kilogramm",
    ("length", 0.001): "mm", ("length", 0.01): "cm",
    ("length", 1.0): "m metre metres meter meters metro metros mètre mètres",
    ("length", 1000.0): "km kilometre kilometres kilometer kilometers kilómetros kilomètres",
    ("volume", 0.001): "ml", ("volume", 1.0): "l liter liters litre litres litro litros",
    ("data", 0.001): "kb", ("data", 1.0): "mb", ("data", 1000.0): "gb", ("data", 1e6): "tb",
    ("share", 1.0): "% percent percentage prozent", ("share", 0.1): "‰",
    ("eur", 1.0): "€ eur euro euros", ("usd", 1.0): "$ usd dollar dollars dólares", ("gbp", 1.0): "£ gbp pounds",
    ("celsius", 1.0): "°c", ("fahrenheit", 1.0): "°f",
}  # fmt: skip
_SCALES = {
    "thousand": 1e3, "k": 1e3, "tausend": 1e3, "mil": 1e3, "mille": 1e3, "million": 1e6, "millions": 1e6,
    "millionen": 1e6, "millón": 1e6, "millones": 1e6, "mio": 1e6, "billion": 1e9, "billions": 1e9, "milliarden": 1e9,
}  # fmt: skip
_WORDS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "de": "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix",
}
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_UNIT_AHEAD = re.compile(r"\s?([%‰€$£]|°\s?[CF]|[^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `[start, end)` of its text. `readings`: its values in the base unit of `kind`; at least one."""

    readings: frozenset[float]
    kind: str
    """What is measured (`time`, `eur`, `clock`, …); empty: a bare number."""
    bare: frozenset[float]
    """The values as written, without a unit."""
    start: int
    end: int
    counts: bool = True
    """Whether it was meant as a number; `one` often is not."""

    def equals(self, other: Quantity) -> bool:
        """A known unit on both sides must agree; where one side has none, the numbers as written do."""
        if self.kind and other.kind:
            return self.kind == other.kind and not self.readings.isdisjoint(other.readings)
        return not self.bare.isdisjoint(other.bare)


@dataclass(frozen=True, slots=True)
class Day:
    """A date at `[start, end)` of its text. Year and day are None where they are not said."""

    year: int | None
    month: int
    day: int | None
    start: int
    end: int

    def within(self, other: Day) -> bool:
        """Whether `other` says everything that this one does; a year it leaves open is no contradiction."""
        same_year = self.year is None or other.year is None or self.year == other.year
        return same_year and self.month == other.month and self.day in (None, other.day)


def quantities(text: str, lang: str) -> tuple[tuple[Quantity, ...], tuple[Day, ...]]:
    """Every number and every date of the text, in no order; a date's numbers are not numbers of their own.

    Digits inside names and versions (`v1.4.2`, `ERR_42`) are none. `lang`: whose number words count.
    """
    digits = any(map(str.isdigit, text))
    days = tuple(_days(text)) if digits else ()
    rest = _blanked(text, days)
    clocks = tuple(_clocks(rest)) if digits else ()
    rest = _blanked(rest, clocks)
    numbers = tuple(_numbers(rest)) if digits else ()
    return (*clocks, *numbers, *_spelled(rest, lang)), days


def _blanked(text: str, found: tuple[Day, ...] | tuple[Quantity, ...]) -> str:
    for each in found:
        text = f"{text[: each.start]}{' ' * (each.end - each.start)}{text[each.end :]}"
    return text


def _days(text: str) -> Iterator[Day]:
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            month = int(parts["number"]) if parts.get("number") else _month(parts["month"])
            day, year = parts.get("day"), parts.get("year") or parts.get("only")
            apart = all(found.end() <= start or end <= found.start() for start, end in taken)
            if apart and 1 <= month <= 12 and (day is None or 1 <= int(day) <= 31):
                taken.append(found.span())
                yield Day(int(year) if year else None, month, int(day) if day else None, *found.span())


def _month(name: str) -> int:
    """`juin` and `juillet` part only at the fourth letter."""
    lowered = name.lower()
    return _MONTHS_BY_START.get(lowered[:4]) or _MONTHS_BY_START[lowered[:3]]


def _clocks(text: str) -> Iterator[Quantity]:
    for found in _CLOCK.finditer(text):
        hour, minute = int(found[1] or found[4]), int(found[2] or 0)
        half = (found[3] or found[5] or "").lower()
        if hour <= 24 and minute < 60:
            hour = hour % 12 + (12 if half == "p" else 0) if half else hour
            value = frozenset({hour * 60.0 + minute})
            yield Quantity(value, "clock", value, *found.span())


def _numbers(text: str) -> Iterator[Quantity]:
    for found in _NUMBER.finditer(text):
        word = (found[2] or "").lower().replace(" ", "")
        attached = bool(found[2]) and found.end(1) == found.start(2)
        if attached and word not in _units() and word not in _SCALES:
            continue  # part of a name: `2nd`, `5x`
        bare = _readings(found[1])
        end = found.end(1)
        if word in _SCALES:
            bare = frozenset(value * _SCALES[word] for value in bare)
            end = found.end(2)
            following = _UNIT_AHEAD.match(text, end)
            word = following[1].lower() if following else ""
        if bare:
            yield _measured(bare, word, text, found.start(1), end)


def _measured(bare: frozenset[float], word: str, text: str, start: int, end: int) -> Quantity:
    before = _CURRENCY_FIRST.search(text, max(0, start - 2), start)
    kind, factor = _units().get(before[0].strip() if before else word, ("", 1.0))
    unit = _UNIT_AHEAD.match(text, end) if kind and not before else None
    return Quantity(
        frozenset(round(value * factor, 9) for value in bare), kind, bare, start, unit.end() if unit else end
    )


def _readings(digits: str) -> frozenset[float]:
    """`1,840` -> 1840 and 1.84; `7.5` -> 7.5; more than one kind of sign, or groups of three: thousands."""
    signs = re.sub(r"\d", "", digits)
    groups = re.split(r"[.,'’\u202f]", digits)
    if not signs:
        return frozenset({float(digits)})
    thousands = all(len(group) == 3 for group in groups[1:])
    if len(signs) == 1:
        decimal = {float(".".join(groups))} if signs in ".," else set()
        return frozenset(decimal | ({float("".join(groups))} if thousands and len(groups[0]) <= 3 else set()))
    if len(set(signs)) == 1:
        return frozenset({float("".join(groups))}) if thousands else frozenset()
    return frozenset({float("".join(groups[:-1]) + "." + groups[-1])})


def _spelled(text: str, lang: str) -> Iterator[Quantity]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter that lower case makes two of: offsets would not be the text's
        return
    words = _spellings(lang)
    for word in sorted(words.keys() & set(_WORD.findall(lowered))):
        for found in _spelling(word).finditer(lowered):
            start, end = found.span()
            if start == 0 or not (lowered[start - 1].isalnum() or lowered[start - 1] == "-"):
                yield _counted(words[word], lowered, start, end)


def _counted(value: float, lowered: str, start: int, end: int) -> Quantity:
    following = _UNIT_AHEAD.match(lowered, end)
    kind, factor = _units().get(following[1] if following else "", ("", 1.0))
    stop = following.end() if following and kind else end
    return Quantity(frozenset({value * factor}), kind, frozenset({value}), start, stop, counts=value > 1 or bool(kind))


@cache
def _spelling(word: str) -> re.Pattern[str]:
    """Begins with the word itself: what stands before is cheaper to look at where one was found."""
    return re.compile(rf"{re.escape(word)}(?![\w-])")


@cache
def _spellings(lang: str) -> dict[str, float]:
    ones = {word: float(value) for value, word in enumerate(_WORDS.get(lang, "").split(), 1)}
    tens = {word: 10.0 * value for value, word in enumerate(_TENS.get(lang, "").split(), 2)}
    both = {f"{ten}-{one}": tens[ten] + ones[one] for ten in tens for one in list(ones)[:9]} if lang == "en" else {}
    return {**ones, **tens, **both}


@cache
def _units() -> dict[str, tuple[str, float]]:
    return {name: measure for measure, names in _UNITS.items() for name in names.split(" ")}
