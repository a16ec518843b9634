"""Times told from the time that was asked about: "the week before", "am Tag danach", "two weeks before that".

Understood are the whole day, week (from Monday), month or year next to the earlier range, and as long a range so many
of them away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from shared.retrieval.calendar import Unit, shifted
from shared.retrieval.time_words import LEXICONS

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Shift:
    """What a text asks for, and where its phrase stands: `text[start:end]`."""

    unit: Unit | None
    """None where the text tells a time from another one in a way that is not understood."""
    back: bool
    start: int
    end: int
    count: int | None = None
    """How many units away; None: the unit beside it."""


_UNITS = {
    "en": {"day": Unit.DAY, "week": Unit.WEEK, "month": Unit.MONTH, "year": Unit.YEAR},
    "de": {"tage?s?": Unit.DAY, "woche": Unit.WEEK, "monate?s?": Unit.MONTH, "jahre?s?": Unit.YEAR},
    "es": {"d[ií]a": Unit.DAY, "semana": Unit.WEEK, "mes": Unit.MONTH, "a[ñn]o": Unit.YEAR},
    "fr": {"jour": Unit.DAY, "semaine": Unit.WEEK, "mois": Unit.MONTH, "ann[ée]e|an": Unit.YEAR},
}
_PLURAL = {"en": "s?", "de": "n?", "es": "(?:e?s)?", "fr": "s?"}
_BACK = {
    "en": r"(?:(?:in|on|for|during) )?the (?:(?:previous|preceding|prior) {unit}|"
    r"{unit} (?:before(?! last)|prior)(?: that)?)",
    "de": r"(?:(?:in|an) de[rm] |i[nm] |am |de[rnm] |die |das )?"
    r"(?:{unit} (?:davor|zuvor|vorher)|(?:vorherige|vorangegangene)[nrsm]? {unit}|vor{unit})",
    "es": r"(?:en )?(?:el|la) {unit} (?:anterior|previ[ao]|antes|de antes)(?: (?:a|de) es[eao])?",
    "fr": r"(?:dans |pendant )?(?:l['’]|la |le ){unit} (?:d['’]avant|précédente?|avant(?: ça| cela)?)",
}
_ON = {
    "en": r"(?:(?:in|on|for|during) )?the (?:(?:following|subsequent) {unit}|{unit} (?:after|following)(?: that)?)",
    "de": r"(?:(?:in|an) de[rm] |i[nm] |am |de[rnm] |die |das )?"
    r"(?:{unit} (?:danach|darauf|nachher)|folge{unit}|(?:darauf)?folgende[nrsm]? {unit})",
    "es": r"(?:en )?(?:el|la) {unit} (?:siguiente|después|de después)(?: (?:a|de) es[eao])?",
    "fr": r"(?:dans |pendant )?(?:l['’]|la |le ){unit} (?:d['’]après|suivante?|après(?: ça| cela)?)",
}
_EARLIER = {
    "en": "before(?! last)|earlier|prior",
    "de": "davor|zuvor|vorher|früher",
    "es": "antes|atrás",
    "fr": "avant|plus tôt|auparavant",
}
_LATER = {
    "en": "after|later",
    "de": "danach|darauf|später|nachher",
    "es": "después|más tarde",
    "fr": "après|plus tard",
}
"""After a number of units."""
_LOOSE = {
    "en": r"(?:days?|weeks?|months?|years?|quarters?|weekends?) "
    r"(?:(?:just )?before(?! last)|earlier|prior|after|later)|"
    r"(?:previous|preceding|following|prior) (?:\w+ )?(?:quarter|weekend|days|weeks|months|years)",
    "de": r"(?:tage?n?|wochen?|monate?n?|jahre?n?|quartal|wochenende) "
    r"(?:davor|zuvor|vorher|danach|darauf|später|früher)",
    "es": r"(?:d[ií]as?|semanas?|mes(?:es)?|a[ñn]os?|trimestre) (?:anterior(?:es)?|antes|después|siguientes?)",
    "fr": r"(?:jours?|semaines?|mois|ans?|ann[ée]es?|trimestre) "
    r"(?:d['’]avant|avant|précédent\w*|d['’]après|après|suivant\w*)",
}
"""Also what is not understood, such as "the two weeks before"."""
_THAT = r"(?: (?:that|this|then|(?:a |de )?es[eao]|ça|cela))?"
_NOT_THE = "".join(rf"(?<!\b{article} )" for article in ("the", "previous", "die", "den", "las", "los", "les"))


def shift_in(text: str, lang: str) -> Shift | None:
    """The first time in it that is told from another; None if there is none, or for a language without a table."""
    if lang not in _UNITS:
        return None
    for pattern, unit in _UNITS[lang].items():
        for table, back in ((_BACK, True), (_ON, False)):
            found = _search(table[lang].format(unit=f"(?:{pattern})"), text)
            if found is not None:
                return Shift(unit, back, found.start(), found.end())
        for words, back in ((_EARLIER[lang], True), (_LATER[lang], False)):
            counted = rf"{_NOT_THE}(?P<n>{_numbers(lang)}) (?:{pattern}){_PLURAL[lang]} (?:{words}){_THAT}"
            found = _search(counted, text)
            if found is not None:
                return Shift(unit, back, found.start(), found.end(), _count(found["n"].lower(), lang))
    found = _search(rf"(?:{_LOOSE[lang]}){_THAT}", text)
    return None if found is None else Shift(None, back=True, start=found.start(), end=found.end())


def _search(pattern: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w)(?:{pattern})(?=\s*(?:[?.!,;)]|$))", text, re.IGNORECASE)


def _numbers(lang: str) -> str:
    certain = [word for word, number in LEXICONS[lang].numbers.items() if number > 0]
    return "|".join([r"\d{1,3}", *sorted(certain, key=len, reverse=True)])


def _count(word: str, lang: str) -> int:
    return int(word) if word.isdecimal() else LEXICONS[lang].numbers[word]


def next_to(first: date, last: date, shift: Shift) -> tuple[date, date] | None:
    """The first and the last day of the unit before the one that `first` is in, or after the one of `last`; with a
    count, of as long a time so many units away.

    None where the shift is not understood or leaves the calendar.
    """
    if shift.unit is None:
        return None
    unit, by = shift.unit, -1 if shift.back else 1
    try:
        if shift.count is not None:
            start, end = (shifted(each, unit, by * shift.count) for each in (first, last + _DAY))
            end = max(end, start + _DAY)  # a month before 30 May and before the day after it: both 30 April
        else:
            start = shifted(_begin(first if shift.back else last, unit), unit, by)
            end = shifted(start, unit, 1)
    except (OverflowError, ValueError):
        return None
    return start, end - _DAY


def _begin(day: date, unit: Unit) -> date:
    if unit is Unit.WEEK:
        return day - timedelta(days=day.weekday())
    if unit is Unit.MONTH:
        return day.replace(day=1)
    return day.replace(month=1, day=1) if unit is Unit.YEAR else day
