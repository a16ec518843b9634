"""A question that leans on the one before it -> a question that stands alone, by rule.

What makes a follow-up: no subject of its own ("Why?", "and in March?"), a fragment that opens like one ("and the
hotel?", "for Lisbon?"), or a word that points at something the question does not name ("When did I buy it?").
What is carried over: the subject's words, except a name that a new name replaces, and the time, unless the question
names its own; a new subject ("what about the pricing?") leaves of the old question only what was asked, a further
pronoun only what it points at. A time told from the earlier one ("the week before") is reckoned from there. Where
nothing says that it leans, the question stays as it was asked: a carried word too many finds the wrong notes, a missing
one is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from shared.retrieval.time_phrases import FoundTime, find_time
from shared.sessions.earlier_times import TRAILING, Moment, Times, in_days
from shared.sessions.follow_up_words import Words, clause_ends, goes_on_in_another, words_of
from shared.sessions.new_subjects import asked_of_any, names_in
from shared.sessions.pronoun_chains import left_behind
from shared.sessions.shifted_times import Shift, next_to, shift_in
from shared.text.languages import detect
from shared.text.sentences import sentences
from shared.text.terms import content_words, stem_of

MOST_CARRIED = 8
"""Words of the subject."""
_MOST_OWN = 4
"""Content words of a fragment; more are a question of their own."""
_WORD = re.compile(r"[\w'’-]+")


@dataclass(frozen=True, slots=True)
class _Read:
    """A question taken apart. `body`: what comes after the opening, which is told by `opens` and `asks_the_same`."""

    body: str
    opens: bool
    asks_the_same: bool
    time: FoundTime | None
    """In `body`."""
    rest: str
    """The body without it."""
    own: tuple[str, ...]
    """Content words beside the time and those that name no subject, as written."""
    fragment: bool
    """No verb and no question word: content, articles and prepositions alone."""


def whole_question(text: str, previous: str, *, asked: Moment, now: Moment, longest: int) -> str:
    """`text` itself, or with what it leaves to be understood of `previous`, a whole question asked at `asked`.

    At most `longest` characters, unless `text` alone has more.
    """
    lang = detect(f"{previous} {text}")
    shift = shift_in(text, lang)
    if shift is not None:
        return _shifted(text, shift, _subject_of(previous, lang), Times(asked, now, lang), longest)
    words = words_of(lang)
    read = _read(text, words, now, lang)
    if not _leans(read, words):
        return text
    before = _subject_of(previous, lang)
    if read.own:
        if not _points(read, words) and goes_on_in_another(text, previous, detect(previous)):
            return text
        return _with_subject(text, read, before, Times(asked, now, lang), longest)
    times = Times(asked, now, lang)
    if read.time is not None:
        return _fitting(f"{times.without(before)} {_phrase(read)}?", text, longest)
    return _fitting(f"{text.strip()} {times.fixed(before)}", text, longest)


def _shifted(text: str, shift: Shift, before: str, times: Times, longest: int) -> str:
    """With the days that the phrase means; as it was asked where they are not known."""
    days = times.days(before)
    moved = next_to(*days, shift) if days is not None else None
    if moved is None or moved[0] > date.fromisoformat(times.now.day):
        return text
    phrase = in_days(*moved, words_of(times.lang))
    told = f"{text[: shift.start]}{phrase}{text[shift.end :]}"
    read = _read(told, words_of(times.lang), times.now, times.lang)
    if read.own:
        leans = _leans(read, words_of(times.lang))
        return _with_subject(told, read, before, times, longest) if leans else _fitting(told, text, longest)
    return _fitting(f"{times.without(before)} {phrase}?", text, longest)


def _read(text: str, words: Words, now: Moment, lang: str) -> _Read:
    opening = words.opening.match(text)
    body = text[opening.end() :] if opening else text.strip()
    time, body = _find_time(body, words, now, lang)
    rest = body if time is None else f"{body[: time.start]} {body[time.end :]}"
    own = tuple(rest[start:end] for word, start, end in content_words(rest, lang) if word not in words.empty)
    spoken = [word.lower() for word in _WORD.findall(rest)]
    content = {part.lower() for word in own for part in _WORD.findall(word)}
    bare = all(word in words.glue or word in content or _is_content(word, own) for word in spoken)
    return _Read(body, opening is not None, words.asks_the_same.match(text) is not None, time, rest, own, bare)


def _is_content(word: str, own: Iterable[str]) -> bool:
    """Elided articles (`l'hôtel`) stand in one word with their noun."""
    return any(word.endswith(each.lower()) for each in own)


def _find_time(body: str, words: Words, now: Moment, lang: str) -> tuple[FoundTime | None, str]:
    """The time in it and the body; a body that is nothing but a bare month or day gets the preposition it lacks."""
    bare = body.strip(TRAILING)
    found = find_time(body, now=now.now, zone=now.zone, lang=lang)
    if found is None and len(bare.split()) == 1:
        for preposition in words.before_time:
            whole = f"{preposition} {bare}"
            found = find_time(whole, now=now.now, zone=now.zone, lang=lang)
            if found is not None:
                return found, whole
    return found, body


def _leans(read: _Read, words: Words) -> bool:
    if not read.own:
        return read.time is None or read.fragment or _points(read, words)
    if len(read.own) > _MOST_OWN and not _points(read, words):
        return False
    if read.asks_the_same or _points(read, words):
        return True
    if read.opens:
        return read.fragment or len(read.own) == 1
    first = _WORD.search(read.body)
    prepositional = first is not None and first[0].lower() in words.glue - words.determiners
    return read.fragment and prepositional and len(read.own) <= 2


def _points(read: _Read, words: Words) -> bool:
    return _points_at_thing(read, words) or _points_at_person(read, words)


def _points_at_thing(read: _Read, words: Words) -> bool:
    """Whether a word points at something that the question itself does not name before it."""
    for found in words.pointing.finditer(read.rest):
        before = read.rest[: found.start()]
        if sum(word in before for word in read.own) < 2 or not clause_ends(before):
            return True
    return False


def _points_at_person(read: _Read, words: Words) -> bool:
    named = [word for word in read.own if word[0].isupper()]
    found = [read.rest[: each.start()] for each in words.person.finditer(read.rest)]
    return any(not any(name in before for name in named) for before in found)


def _subject_of(previous: str, lang: str) -> str:
    """The previous question without the bare questions before it that an earlier step put there ("Why? …")."""
    spans = sentences(previous)
    with_content = [(start, end) for start, end in spans if content_words(previous[start:end], lang)]
    return previous[with_content[0][0] :].strip() if with_content else previous.strip()


def _with_subject(text: str, read: _Read, before: str, times: Times, longest: int) -> str:
    """`And the hotel?` after `How much is the night train to Lisbon?` -> `And the hotel (night train Lisbon)?`"""
    carried = _carried(times.without(before), read, times.lang)
    if read.time is None:
        carried = [*carried, *times.phrase(before)]
    asked = text.strip().rstrip(TRAILING)
    while carried and len(asked) + len(" ".join(carried)) + 4 > longest:
        carried.pop(0)
    return f"{asked} ({' '.join(carried)})?" if carried else text


def _carried(before: str, read: _Read, lang: str) -> list[str]:
    """The words of the subject, in their order, the last ones if there are many."""
    words = words_of(lang)
    own = {stem_of(word, lang) for word in read.own}
    replaced = _replaced(before, read, words, lang)
    thing = _points_at_thing(read, words)
    if thing != _points_at_person(read, words):
        replaced |= left_behind(read.rest, before, words, lang, thing=thing)
    kept = [
        before[start:end]
        for word, start, end in content_words(before, lang)
        if word not in words.empty and stem_of(word, lang) not in own and before[start:end] not in replaced
    ]
    return list(dict.fromkeys(kept))[-MOST_CARRIED:]


def _replaced(before: str, read: _Read, words: Words, lang: str) -> set[str]:
    """The words of `before` in whose place the new ones stand: a name for a name, else one subject for the other."""
    new = names_in(read.body, words, lang, anywhere=True)
    old = names_in(before, words, lang)
    if read.fragment and old and len(new) == len(read.own):
        return old
    if not (read.asks_the_same or (read.opens and read.fragment)) or _points(read, words):
        return old if read.fragment and new else set()
    asked = asked_of_any(before, words, lang, names=len(read.own) == 1 and not new)
    return {before[start:end] for _, start, end in content_words(before, lang)} - asked


def _phrase(read: _Read) -> str:
    return "" if read.time is None else read.body[read.time.start : read.time.end]


def _fitting(whole: str, text: str, longest: int) -> str:
    return whole if len(whole) <= longest else text
