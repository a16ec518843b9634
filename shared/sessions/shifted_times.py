"""Times told from the time that was asked about: "the week before", "am Tag danach".

Only whole days, weeks (from Monday), months and years next to the earlier range are understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Shift:
    """What a text asks for, and where its phrase stands: `text[start:end]`."""

    unit: str | None
    """day, week, month or year; None where the text tells a time from another one in a way that is not understood."""
    back: bool
    start: int
    end: int


_UNITS = {
    "en": {"day": "day", "week": "week", "month": "month", "year": "year"},
    "de": {"tage?s?": "day", "woche": "week", "monate?s?": "month", "jahre?s?": "year"},
    "es": {"d[ií]a": "day", "semana": "week", "mes": "month", "a[ñn]o": "year"},
    "fr": {"jour": "day", "semaine": "week", "mois": "month", "ann[ée]e|an": "year"},
}
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
"""Also what is not understood, such as "two weeks before"."""
_THAT = r"(?: (?:that|this|then|(?:a |de )?es[eao]|ça|cela))?"


def shift_in(text: str, lang: str) -> Shift | None:
    """The first time in it that is told from another; None if there is none, or for a language without a table."""
    for pattern, unit in _UNITS.get(lang, {}).items():
        for table, back in ((_BACK, True), (_ON, False)):
            found = _search(table[lang].format(unit=f"(?:{pattern})"), text)
            if found is not None:
                return Shift(unit, back, found.start(), found.end())
    found = _search(rf"(?:{_LOOSE[lang]}){_THAT}", text) if lang in _LOOSE else None
    return None if found is None else Shift(None, back=True, start=found.start(), end=found.end())


def _search(pattern: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w)(?:{pattern})(?=\s*(?:[?.!,;)]|$))", text, re.IGNORECASE)


def next_to(first: date, last: date, shift: Shift) -> tuple[date, date] | None:
    """The first and the last day of the unit before the one that `first` is in, or after the one of `last`.

    None where the shift is not understood or leaves the calendar.
    """
    if shift.unit is None:
        return None
    try:
        if shift.back:
            end = _begin(first, shift.unit) - timedelta(days=1)
            return _begin(end, shift.unit), end
        start = _end(last, shift.unit) + timedelta(days=1)
        return start, _end(start, shift.unit)
    except (OverflowError, ValueError):
        return None


def _begin(day: date, unit: str) -> date:
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if unit == "year" else day


def _end(day: date, unit: str) -> date:
    if unit == "day":
        return day
    if unit == "week":
        return _begin(day, unit) + timedelta(days=6)
    later = _begin(day, unit) + timedelta(days=31 if unit == "month" else 366)
    return _begin(later, unit) - timedelta(days=1)
