"""A question that leans on the one before it -> a question that stands alone, by rule, where no model makes it whole.

It leans if it has no content of its own ("Why?", "And the other one?"), names only another time ("and in March?"), goes
on with little ("What about the hotel?", "for Lisbon?"), or points at what it does not name ("When did I buy it?"). It
gets the content of the question before and, unless it names its own, the time; a new name takes the place of names.
What leans in another way stays as it was asked: a carried word too many finds the wrong notes, a missing one is asked
for again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from shared.language.languages import detect
from shared.language.terms import content_words, stem_of
from shared.times.phrases import FoundTime, find_time

MOST_CARRIED = 8
"""Words of the question before."""
_ENDS = " \t\n?!.…¿¡,;:"
_CLAUSE = re.compile(r"[,;:.]|\b(?:and|but|because|when|if|und|aber|weil|wenn|y|pero|porque|et|mais)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class Moment:
    """From where "last week" is seen. `zone`: IANA."""

    now: datetime
    zone: str

    def day(self, at: datetime) -> str:
        return at.astimezone(ZoneInfo(self.zone)).date().isoformat()


@dataclass(frozen=True, slots=True)
class _Words:
    """How a language goes on from one question to the next, at length or with a preposition alone; what points at a
    thing and at a person; content words that name nothing; what makes a month a time, and two days a range.
    """

    opening: str
    short: str
    things: str
    people: str
    empty: str
    before_month: str
    between: str


_ENGLISH = _Words(
    r"(?:and|or|but|so|also|then)(?:,? (?:what|how) about)?|(?:what|how) about",
    "for|in|at|with|on|from",
    r"it(?! (?:worth|possible|time))|its|they|them|th(?:ese|ose)|(?<!is )(?<!are )there|th(?:at|is)(?=\s*[?.!]|$)|"
    r"(?:(?<=is )|(?<=was )|(?<=about ))that|(?:the|that|which|another) (?:other|ones?)",
    "he|she|him|her|his|hers",
    "more much many other others one ones else same first second third last next again really anything tell explain",
    "in",
    "between {} and {}",
)
_LANGUAGES = {
    "en": _ENGLISH,
    "de": _Words(
        "(?:und|oder|aber|auch|dann)(?: was ist mit| wie ist es mit)?|was ist mit|wie ist es mit",
        "für|in|im|am|mit|bei|von",
        r"(?<!gibt )(?<!gab )es(?! (?:gibt|gab|geht))|da(?:von|mit|für|zu|rüber|bei|ran|rauf|rin)|dort|andere[rns]?|"
        r"dies(?:e[rsnm]?)?|das(?=\s*[?.!]|$| war| ist| hat)|(?:(?<=ist )|(?<=war ))das",
        "er|ihn|ihm|sie|sein|seine[rnm]?|ihre[rnm]?",
        "mehr viel viele andere anderen anderer anderes gleiche erste zweite letzte genauer erkläre erzähl sonst etwas",
        "im",
        "zwischen {} und {}",
    ),
    "es": _Words(
        "(?:y|e|o|pero|también)(?: qué (?:tal|hay de|pasa con))?|qué (?:tal|hay de|pasa con)",
        "para|en|con|de",
        r"es[oae]|esto|allí|ahí|l[oa](?= \w+[éó]\b)|l[oa]s? mism[oa]s?|otr[ao]s?",
        "él|ella|ellos|ellas",
        "más mucho otra otro otras otros mismo misma primero segundo último explica dime",
        "en",
        "entre {} y {}",
    ),
    "fr": _Words(
        "et|ou|mais|aussi|alors",
        "pour|en|avec|chez|dans",
        r"ça|cela|cel(?:ui|le)-ci|là-bas|l['’]autre|les autres|en(?= (?:est|était|sont|ai|as|a)\b)|c['’](?:est|était)",
        "elle|elles|lui|leur",
        "plus beaucoup autre autres même première premier second deuxième dernier explique dis",
        "en",
        "entre {} et {}",
    ),
}


@dataclass(frozen=True, slots=True)
class _Read:
    """A question taken apart. `own`: content words beside the time and those that name nothing."""

    rest: str
    """Without the time and how it opens."""
    own: tuple[str, ...]
    time: FoundTime | None
    phrase: str
    """The time's."""
    goes_on: bool
    """Whether it opens like one that goes on, and names little more."""

    @property
    def is_only_a_time(self) -> bool:
        return not self.own and self.time is not None and len(_WORD.findall(self.rest)) <= 1


def whole_question(text: str, previous: str, *, asked: Moment, now: Moment, longest: int) -> str:
    """`text` itself, or with what it leaves to be understood of `previous`, a whole question asked at `asked`.

    At most `longest` characters, unless `text` alone has more.
    """
    lang = detect(f"{previous} {text}")
    words = _LANGUAGES.get(lang, _ENGLISH)
    read = _read(text, words, now, lang)
    previous = _subject_of(previous.strip(), lang)
    earlier = _time_in(previous, asked, lang)
    then = "" if earlier is None else _phrase_today(previous, earlier, asked, now, words)
    if read.is_only_a_time:
        return _fitting(f"{_with_time(previous, earlier, '').rstrip(_ENDS)} {read.phrase}?", text, longest)
    if not read.own and read.time is None:
        return _fitting(f"{text.strip()} {_with_time(previous, earlier, then)}", text, longest)
    if not read.goes_on and not _points(read, words):
        return text
    subject = _with_time(previous, earlier, "")
    if read.goes_on and "(" in subject:
        subject = subject.partition("(")[2]  # what an earlier step carried: subjects named in turn do not pile up
    carried = _carried(subject, read.own, words, lang)
    return _with_words(text, [*carried, then] if then and read.time is None else carried, longest)


def _read(text: str, words: _Words, now: Moment, lang: str) -> _Read:
    opening = re.match(rf"[\s¿¡]*(?:({words.opening})|{words.short})(?!\w)[\s,]*", text, re.IGNORECASE)
    at_length = opening is not None and opening[1] is not None
    body = text[opening.end() :].strip(_ENDS) if opening and at_length else text.strip(_ENDS)
    time = _time_in(body, now, lang)
    if time is None and opening and len(body.split()) == 1:  # a bare month
        body = f"{words.before_month} {body}"
        time = _time_in(body, now, lang)
    rest = body if time is None else f"{body[: time.start]} {body[time.end :]}"
    own = tuple(word for word in _content(rest, lang) if word.lower() not in words.empty.split())
    is_fragment = len(own) <= 2 and len(_WORD.findall(rest)) <= len(own) + 2
    goes_on = opening is not None and (is_fragment or (at_length and len(own) == 1))
    return _Read(rest, own, time, "" if time is None else body[time.start : time.end], goes_on)


def _time_in(text: str, moment: Moment, lang: str) -> FoundTime | None:
    return find_time(text, now=moment.now, zone=moment.zone, lang=lang)


def _with_time(text: str, time: FoundTime | None, phrase: str) -> str:
    """`phrase` in the place of the time."""
    return text if time is None else " ".join(f"{text[: time.start]}{phrase}{text[time.end :]}".split())


def _subject_of(previous: str, lang: str) -> str:
    """Without the bare questions before it that an earlier step put there ("Why? …")."""
    head, mark, rest = previous.partition("? ")
    return _subject_of(rest, lang) if mark and rest and not _content(head, lang) else previous


def _phrase_today(text: str, time: FoundTime, asked: Moment, now: Moment, words: _Words) -> str:
    """The time's phrase; asked on another day, the days that it meant then."""
    start, end = time.hint.range.start, time.hint.range.end
    if asked.day(asked.now) == now.day(now.now) or start is None or end is None:
        return text[time.start : time.end]
    first, last = asked.day(start), asked.day(end - timedelta(microseconds=1))
    return first if first == last else words.between.format(first, last)


def _points(read: _Read, words: _Words) -> bool:
    """Whether a word points at a thing or a person that the question itself does not name before it."""
    for found in re.finditer(rf"(?<!\w)(?:{words.things})(?!\w)", read.rest, re.IGNORECASE):
        before = read.rest[: found.start()]
        if sum(word in before for word in read.own) < 2 or not _CLAUSE.search(before):
            return True
    people = re.finditer(rf"(?<!\w)(?:{words.people})(?!\w)", read.rest, re.IGNORECASE)
    names = [word for word in read.own if word[0].isupper()]
    return any(not any(name in read.rest[: found.start()] for name in names) for found in people)


def _carried(before: str, own: Sequence[str], words: _Words, lang: str) -> list[str]:
    """Content of the question before that this one does not have; without its names where a name is all that is new."""
    known = {stem_of(word.lower(), lang) for word in own} | set(words.empty.split())
    content = _content(before, lang)
    if lang != "de" and len(own) == 1 and own[0][0].isupper():  # every noun has a capital there
        content = [word for word in content if not word[0].isupper() or before.startswith(word)]
    return [word for word in content if stem_of(word.lower(), lang) not in known][-MOST_CARRIED:]


def _with_words(text: str, carried: Sequence[str], longest: int) -> str:
    """`And the hotel?` after `How far is the night train to Lisbon?` -> `And the hotel (far night train Lisbon)?`"""
    asked = text.strip().rstrip(_ENDS)
    while carried and len(asked) + len(" ".join(carried)) + 4 > longest:
        carried = carried[1:]
    return f"{asked} ({' '.join(carried)})?" if carried else text


def _content(text: str, lang: str) -> list[str]:
    """Its content words as written, each once."""
    return list(dict.fromkeys(text[start:end] for _, start, end in content_words(text, lang)))


def _fitting(whole: str, text: str, longest: int) -> str:
    return whole if len(whole) <= longest else text
