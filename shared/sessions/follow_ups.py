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
from shared.language.vocabulary import FollowUps, vocabulary
from shared.times.lexicon import at_end, lexicon
from shared.times.phrases import FoundTime, find_time

MAX_CARRIED = 8
"""Words of the question before."""
_ENDS = " \t\n?!.…¿¡,;:"
_WORDLESS = FollowUps(at_length="(?!)", shortly="(?!)", things="(?!)", people="(?!)", empty="", clauses="(?!)")
"""Used for a language without words: only a question with no content of its own leans on the one before."""
_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class Moment:
    """From where "last week" is seen. `zone`: IANA."""

    now: datetime
    zone: str

    def day(self, at: datetime) -> str:
        return at.astimezone(ZoneInfo(self.zone)).date().isoformat()

    def time_in(self, text: str, lang: str) -> FoundTime | None:
        return find_time(text, now=self.now, zone=self.zone, lang=lang)


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


def whole_question(text: str, previous: str, *, asked: Moment, now: Moment, longest: int) -> str:
    """`text` itself, or with what it leaves to be understood of `previous`, a whole question asked at `asked`.

    At most `longest` characters, unless `text` alone has more.
    """
    lang = detect(f"{previous} {text}")
    words = vocabulary(lang).follow_ups or _WORDLESS
    read = _read(text, words, now, lang)
    previous = _subject_of(previous.strip(), lang)
    earlier = asked.time_in(previous, lang)
    then = "" if earlier is None else _rebase(previous, earlier, asked=asked, now=now, lang=lang)
    if not read.own and read.time is None:
        subject = previous
        if earlier is not None:
            subject = " ".join(f"{previous[: earlier.start]}{then}{previous[earlier.end :]}".split())
        whole = f"{text.strip()} {subject}"
        return whole if len(whole) <= longest else text
    subject = _without_time(previous, earlier, lang)
    if not read.own and len(_WORD.findall(read.rest)) <= 1:
        whole = f"{subject.rstrip(_ENDS)} {read.phrase}?"
        return whole if len(whole) <= longest else text
    if not read.goes_on and not _points(read, words):
        return text
    if read.goes_on and "(" in subject:
        subject = subject.partition("(")[2]  # what an earlier step carried: subjects named in turn do not pile up
    carried = _carried(subject, read.own, words, lang)
    return _with_words(text, [*carried, then] if then and read.time is None else carried, longest)


def drops_time(text: str, previous: str, *, asked: Moment) -> bool:
    """Whether `text` is the question before without its time, so that it stands alone: it asks about any time."""
    lang = detect(f"{previous} {text}")
    time = asked.time_in(previous, lang)
    words = _WORD.findall(text.lower())
    return time is not None and words in (
        _WORD.findall(f"{previous[: time.start]} {previous[time.end :]}".lower()),
        _WORD.findall(_without_time(previous, time, lang).lower()),
    )


def _read(text: str, words: FollowUps, now: Moment, lang: str) -> _Read:
    opening = re.match(rf"[\s¿¡]*(?:({words.at_length})|{words.shortly})(?!\w)[\s,]*", text, re.IGNORECASE)
    at_length = opening is not None and opening[1] is not None
    body = text[opening.end() :].strip(_ENDS) if opening and at_length else text.strip(_ENDS)
    time, times = now.time_in(body, lang), vocabulary(lang).times
    if time is None and times and opening and len(body.split()) == 1:  # a bare month: `March` -> `in March`
        body = f"{times.in_a_month} {body}"
        time = now.time_in(body, lang)
    rest = body if time is None else f"{body[: time.start]} {body[time.end :]}"
    own = tuple(word for word in _content(rest, lang) if word.lower() not in words.empty.split())
    is_fragment = len(own) <= 2 and len(_WORD.findall(rest)) <= len(own) + 2
    goes_on = opening is not None and (is_fragment or (at_length and len(own) == 1))
    phrase = "" if time is None else body[time.start : time.end]
    return _Read(rest=rest, own=own, time=time, phrase=phrase, goes_on=goes_on)


def _without_time(text: str, time: FoundTime | None, lang: str) -> str:
    """Without the preposition before the time, too."""
    if time is None:
        return text
    before = text[: time.start]
    preposition = at_end(before, len(before), lexicon(lang).preposition)
    return " ".join(f"{before[: preposition.start()] if preposition else before}{text[time.end :]}".split())


def _subject_of(previous: str, lang: str) -> str:
    """Without the bare questions before it that an earlier step put there ("Why? …")."""
    head, mark, rest = previous.partition("? ")
    return _subject_of(rest, lang) if mark and rest and not _content(head, lang) else previous


def _points(read: _Read, words: FollowUps) -> bool:
    """Whether a word points at a thing or a person that the question itself does not name before it."""
    clause = re.compile(rf"[,;:.]|\b(?:{words.clauses})\b", re.IGNORECASE)
    for found in re.finditer(rf"(?<!\w)(?:{words.things})(?!\w)", read.rest, re.IGNORECASE):
        before = read.rest[: found.start()]
        if sum(word in before for word in read.own) < 2 or not clause.search(before):
            return True
    people = re.finditer(rf"(?<!\w)(?:{words.people})(?!\w)", read.rest, re.IGNORECASE)
    names = [word for word in read.own if word[0].isupper()]
    return any(not any(name in read.rest[: found.start()] for name in names) for found in people)


def _carried(before: str, own: Sequence[str], words: FollowUps, lang: str) -> list[str]:
    """Content of the question before that this one does not have; without its names where a name is all that is new."""
    known = {stem_of(word.lower(), lang) for word in own} | set(words.empty.split())
    content = _content(before, lang)
    if not vocabulary(lang).nouns_are_capitalised and len(own) == 1 and own[0][0].isupper():
        content = [word for word in content if not word[0].isupper() or before.startswith(word)]
    return [word for word in content if stem_of(word.lower(), lang) not in known][-MAX_CARRIED:]


def _with_words(text: str, carried: Sequence[str], longest: int) -> str:
    """`And the hotel?` after `How far is the night train to Lisbon?` -> `And the hotel (far night train Lisbon)?`"""
    asked = text.strip().rstrip(_ENDS)
    while carried and len(asked) + len(" ".join(carried)) + 4 > longest:
        carried = carried[1:]
    return f"{asked} ({' '.join(carried)})?" if carried else text


def _content(text: str, lang: str) -> list[str]:
    """Content words of the text as written, each once."""
    return list(dict.fromkeys(text[start:end] for _, start, end in content_words(text, lang)))


def _rebase(text: str, time: FoundTime, *, asked: Moment, now: Moment, lang: str) -> str:
    """The phrase of a time that `text` names; asked on another day, the days that it meant then."""
    start, end = time.hint.range.start, time.hint.range.end
    times = vocabulary(lang).times
    if times is None or asked.day(asked.now) == now.day(now.now) or start is None or end is None:
        return text[time.start : time.end]
    first, last = asked.day(start), asked.day(end - timedelta(microseconds=1))
    return first if first == last else times.from_to.format(first, last)
