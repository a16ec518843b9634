"""A follow-up question and the question before it -> a question that stands alone, by rule, if no model rewrites it.

A question is a follow-up in these cases:

1. It has no content of its own ("Why?", "And the other one?").
2. It names only another time ("and in March?").
3. It continues with little ("What about the hotel?", "for Lisbon?").
4. It refers to something without naming it ("When did I buy it?").

It gets the content of the question before it, and that question's time unless it names its own; a new name replaces the
earlier names. Other follow-ups stay as they were asked: a word carried over by mistake finds the wrong notes, while a
missing one can be asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from shared.language.languages import detect
from shared.language.terms import content_words, stem_of
from shared.language.vocabulary import FollowUps, vocabulary
from shared.times.lexicon import at_end, lexicon
from shared.times.phrases import FoundTime, find_time

MAX_CARRIED = 8
"""Most words that are carried over from the question before."""
_ENDS = " \t\n?!.…¿¡,;:"
_WORDLESS = FollowUps(
    at_length="(?!)",
    shortly="(?!)",
    things="(?!)",
    people="(?!)",
    empty="",
    clauses="(?!)",
)
"""Words for a language without a vocabulary: only a question with no content of its own is a follow-up.
"""
_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment and the zone from which "last week" is seen."""

    now: datetime
    zone: str
    """IANA name."""

    def day(self, at: datetime) -> str:
        local_time = at.astimezone(ZoneInfo(self.zone))
        return local_time.date().isoformat()

    def time_in(self, text: str, lang: str) -> FoundTime | None:
        return find_time(
            text,
            now=self.now,
            zone=self.zone,
            lang=lang,
        )


@dataclass(frozen=True, slots=True)
class _FollowUp:
    """A question taken apart."""

    rest: str
    """Text without the time and without the words that open a follow-up."""
    content: tuple[str, ...]
    """Content words that name something, without those of the time."""
    time: FoundTime | None
    time_phrase: str
    """The words of `time`; empty without one."""
    goes_on: bool
    """True if it opens as a follow-up and names little more."""


def standalone_question(
    text: str,
    previous: str,
    *,
    asked_at: Moment,
    now: Moment,
    longest: int,
) -> str:
    """Returns a follow-up completed from the question before it; `text` itself if it stands alone.

    previous: the question before it, which stands alone and was asked at `asked_at`.
    longest: most characters of the result, unless `text` itself has more.
    """
    lang = detect(f"{previous} {text}")
    words = vocabulary(lang).follow_ups or _WORDLESS
    follow_up = _parse(text, words, now, lang)
    previous = _without_bare_questions(previous.strip(), lang)
    previous_time = asked_at.time_in(previous, lang)
    previous_phrase = ""
    if previous_time is not None:
        previous_phrase = _phrase_seen_from(
            now,
            previous,
            previous_time,
            asked_at=asked_at,
            lang=lang,
        )

    # 1. Nothing of its own: the whole question before stands behind it.
    names_nothing = not follow_up.content
    if names_nothing and follow_up.time is None:
        subject = _with_phrase(previous, previous_time, previous_phrase)
        question = f"{text.strip()} {subject}"
        return _unless_longer(question, longest, otherwise=text)

    # 2. Another time and nothing else: it takes the place of the time before.
    subject = _without_time(previous, previous_time, lang)
    words_left = _WORD.findall(follow_up.rest)
    if names_nothing and len(words_left) <= 1:
        beginning = subject.rstrip(_ENDS)
        question = f"{beginning} {follow_up.time_phrase}?"
        return _unless_longer(question, longest, otherwise=text)

    # 3. Something of its own: words are carried if it goes on or points at what it does not name.
    if not follow_up.goes_on and not _points_back(follow_up, words):
        return text
    if follow_up.goes_on and "(" in subject:
        # Words in brackets were carried by an earlier step: subjects named in turn do not pile up.
        _, _, subject = subject.partition("(")

    carried = _carried(subject, follow_up.content, words, lang)
    if previous_phrase and follow_up.time is None:
        carried.append(previous_phrase)
    return _with_carried(text, carried, longest)


def drops_time(text: str, previous: str, *, asked_at: Moment) -> bool:
    """Reports whether `text` is the previous question without its time; then it asks about any time and stands alone."""
    lang = detect(f"{previous} {text}")
    time = asked_at.time_in(previous, lang)
    if time is None:
        return False

    text_before = previous[: time.start]
    text_behind = previous[time.end :]
    with_preposition = f"{text_before} {text_behind}"
    without_preposition = _without_time(previous, time, lang)

    words = _lower_words(text)
    return words in (_lower_words(with_preposition), _lower_words(without_preposition))


def _lower_words(text: str) -> list[str]:
    lowered = text.lower()
    return _WORD.findall(lowered)


def _parse(text: str, words: FollowUps, now: Moment, lang: str) -> _FollowUp:
    """Takes a question apart."""
    # 1. The words that open a follow-up. Those `at_length` are no part of what it asks.
    opening = _opening(text, words)
    opens = opening is not None
    opens_at_length = opening is not None and opening["at_length"] is not None
    body = text
    if opening is not None and opens_at_length:
        body = text[opening.end() :]
    body = body.strip(_ENDS)

    # 2. Its time.
    time = now.time_in(body, lang)
    times = vocabulary(lang).times
    is_one_word = len(body.split()) == 1
    if time is None and times is not None and opens and is_one_word:
        # A bare month may be the time: `March` -> `in March`.
        body = f"{times.in_a_month} {body}"
        time = now.time_in(body, lang)

    rest = body
    time_phrase = ""
    if time is not None:
        text_before = body[: time.start]
        text_behind = body[time.end :]
        rest = f"{text_before} {text_behind}"
        time_phrase = body[time.start : time.end]

    # 3. What it names besides.
    empty_words = words.empty.split()
    content = [word for word in _content(rest, lang) if word.lower() not in empty_words]
    other_words = len(_WORD.findall(rest)) - len(content)
    is_fragment = len(content) <= 2 and other_words <= 2
    names_one_thing = opens_at_length and len(content) == 1
    return _FollowUp(
        rest=rest,
        content=tuple(content),
        time=time,
        time_phrase=time_phrase,
        goes_on=opens and (is_fragment or names_one_thing),
    )


def _opening(text: str, words: FollowUps) -> re.Match[str] | None:
    """Matches the words that open a follow-up; the group `at_length` is set if they are more than a preposition."""
    opening = rf"(?:(?P<at_length>{words.at_length})|{words.shortly})"
    return re.match(rf"[\s¿¡]*{opening}(?!\w)[\s,]*", text, re.IGNORECASE)


def _unless_longer(question: str, longest: int, *, otherwise: str) -> str:
    """Returns the question, or `otherwise` if it has more than `longest` characters."""
    if len(question) > longest:
        return otherwise
    return question


def _single_blanks(text: str) -> str:
    words = text.split()
    return " ".join(words)


def _with_phrase(text: str, time: FoundTime | None, phrase: str) -> str:
    """Returns the text with another phrase in the place of its time."""
    if time is None:
        return text
    text_before = text[: time.start]
    text_behind = text[time.end :]
    return _single_blanks(text_before + phrase + text_behind)


def _without_time(text: str, time: FoundTime | None, lang: str) -> str:
    """Returns the text without its time and without the preposition before the time."""
    if time is None:
        return text

    text_before = text[: time.start]
    preposition = at_end(text_before, time.start, lexicon(lang).preposition)
    if preposition:
        text_before = text_before[: preposition.start()]

    text_behind = text[time.end :]
    return _single_blanks(text_before + text_behind)


def _without_bare_questions(previous: str, lang: str) -> str:
    """Returns the question without the bare ones that an earlier step put before it ("Why? …")."""
    while True:
        first, mark, rest = previous.partition("? ")
        is_last = not mark or not rest
        if is_last or _content(first, lang):
            return previous
        previous = rest


def _points_back(follow_up: _FollowUp, words: FollowUps) -> bool:
    """Reports whether a word points at a thing or a person that the question itself does not name
    before it.
    """
    text = follow_up.rest
    clause = re.compile(rf"[,;:.]|\b(?:{words.clauses})\b", re.IGNORECASE)
    for preceding in _texts_before(text, words.things):
        named_before = [word for word in follow_up.content if word in preceding]
        is_in_later_clause = clause.search(preceding) is not None
        if len(named_before) < 2 or not is_in_later_clause:
            return True

    names = [word for word in follow_up.content if word[0].isupper()]
    for preceding in _texts_before(text, words.people):
        names_before = [name for name in names if name in preceding]
        if not names_before:
            return True
    return False


def _texts_before(text: str, words: str) -> Iterator[str]:
    """Yields the text before each of the words in it."""
    whole_word = rf"(?<!\w)(?:{words})(?!\w)"
    for match in re.finditer(whole_word, text, re.IGNORECASE):
        yield text[: match.start()]


def _carried(subject: str, content: Sequence[str], words: FollowUps, lang: str) -> list[str]:
    """Returns content words of the question before that the follow-up lacks, the last
    `MAX_CARRIED`.

    Names are left out where a name is all that the follow-up brings: it takes their place.
    """
    stems_brought = set(words.empty.split())
    for word in content:
        stems_brought.add(stem_of(word.lower(), lang))

    brings_one_name = False
    if len(content) == 1:
        (only_word,) = content
        capitals_mark_names = not vocabulary(lang).nouns_are_capitalised
        brings_one_name = capitals_mark_names and only_word[0].isupper()

    lacking = []
    for word in _content(subject, lang):
        # The first word of the subject has a capital in any case.
        is_name = word[0].isupper() and not subject.startswith(word)
        if is_name and brings_one_name:
            continue
        stem = stem_of(word.lower(), lang)
        if stem not in stems_brought:
            lacking.append(word)
    return lacking[-MAX_CARRIED:]


def _with_carried(text: str, carried: Sequence[str], longest: int) -> str:
    """Adds carried words in brackets: `And the hotel?` -> `And the hotel (far night train Lisbon)?`

    The first words go where all would be longer than `longest`.
    """
    question = text.strip().rstrip(_ENDS)
    for first in range(len(carried)):
        words = " ".join(carried[first:])
        with_words = f"{question} ({words})?"
        if len(with_words) <= longest:
            return with_words
    return text


def _content(text: str, lang: str) -> list[str]:
    """Returns the content words of the text as written, without repeats."""
    words: dict[str, None] = {}
    for _, start, end in content_words(text, lang):
        word = text[start:end]
        words[word] = None
    return list(words)


def _phrase_seen_from(
    now: Moment,
    text: str,
    time: FoundTime,
    *,
    asked_at: Moment,
    lang: str,
) -> str:
    """Returns the phrase of a time that `text` names; if it was asked on another day, the days that
    it meant then.
    """
    phrase = text[time.start : time.end]
    start = time.hint.range.start
    end = time.hint.range.end
    times = vocabulary(lang).times
    if times is None or start is None or end is None:
        return phrase
    if asked_at.day(asked_at.now) == now.day(now.now):
        return phrase

    last_moment = end - timedelta(microseconds=1)
    first_day = asked_at.day(start)
    last_day = asked_at.day(last_moment)
    if first_day == last_day:
        return first_day
    return times.from_to.format(first_day, last_day)
