"""Step 1. Question -> analysis (keywords, stems, the time it names, its language) and the restriction of every leg."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache, partial

from shared.errors import InvalidArgument, NotFound
from shared.language.languages import detect
from shared.language.terms import content_words, stems
from shared.language.vocabulary import languages, vocabulary
from shared.language.words import fold, stop_words
from shared.model.index import folder_token, tag_token, vault_token
from shared.model.notes import DEFAULT_VAULT, Folder
from shared.model.questions import Filters, Question, TimeRange
from shared.model.retrieval import Analysis, Restriction
from shared.times.phrases import FoundTime, find_time

MAX_STEMS = 16
"""Stems that are looked up and scored. Each costs the store a count, and a question that names more names its
subject within the longest of them: long words are rare words."""
MAX_NAMES_SHOWN = 5
"""Vaults or folders named in an error."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def analyse(question: Question) -> Analysis:
    """Keywords are every content word of the question; stems leave out those of the time phrase, which says when the
    note was written and not what stands in it.
    """
    lang, found = _read(question)
    subject = question.text if found is None else f"{question.text[: found.start]} {question.text[found.end :]}"
    distinct = dict.fromkeys(stems(subject, lang))
    kept = set(sorted(distinct, key=len, reverse=True)[:MAX_STEMS])  # of equal length the earlier ones
    return Analysis(
        keywords=tuple(dict.fromkeys(word for word, _, _ in content_words(question.text, lang))),
        stems=tuple(stem for stem in distinct if stem in kept),
        time=None if found is None else found.hint,
        lang=lang,
        subject=subject,
    )


def _read(question: Question) -> tuple[str, FoundTime | None]:
    """The question's language, and the time it names. Where its own names none, and the question is too short to tell:
    the one that names a time and knows more of its words, at least two or all of them.
    """
    text = question.text
    find = partial(find_time, text, now=question.now, zone=question.zone)
    own = detect(text)
    found = find(lang=own)
    if found is not None:
        return own, found
    words = [(fold(word[0]), word.start()) for word in _WORD.finditer(text)]
    best, most = own, sum(word in _common(own) for word, _ in words)
    for lang in languages():
        unknown = sum(word in _common(lang) or word not in _common(own) for word, _ in words)
        if lang == own or unknown <= most or (time := find(lang=lang)) is None:
            continue
        known = sum(word in _common(lang) or time.start <= at < time.end for word, at in words)
        if known > most and known >= min(2, len(words)):
            best, most, found = lang, known, time
    return best, found


@cache
def _common(lang: str) -> frozenset[str]:
    """The folded words that tell nothing of what is asked: those of asking and stop words."""
    words = vocabulary(lang).asking
    return stop_words(lang).union(map(fold, words.everything.split()) if words else ())


def restrict(filters: Filters, now: datetime, folders: Callable[[], Sequence[Folder]]) -> Restriction:
    """`folders` gives the tenant's folders; it is asked only when the filters name some vault or folder.

    Raises NotFound naming an unknown vault or folder, InvalidArgument when the dates are the wrong way round.
    """
    groups = []
    if filters.vaults or filters.folders:
        groups.append(_places(filters, folders()))
    if filters.tags:
        groups.append(frozenset(map(tag_token, filters.tags)))
    start, end = filters.created_after, filters.created_before
    if start is not None and end is not None and start > end:
        raise InvalidArgument("filters.createdAfter", "a time not after filters.createdBefore")
    if filters.window_days is not None:
        with suppress(OverflowError):  # before the calendar begins, so no restriction at all
            start = max(filter(None, (start, now - timedelta(days=filters.window_days))))
    return Restriction(None if start is None and end is None else TimeRange(start, end), tuple(groups))


def within(restriction: Restriction, time: TimeRange | None) -> Restriction:
    """The restriction with its range cut to `time` too; None cuts nothing."""
    if time is None:
        return restriction
    own = restriction.created or TimeRange(None, None)
    start = max(filter(None, (own.start, time.start)), default=None)
    end = min(filter(None, (own.end, time.end)), default=None)
    if start is not None and end is not None and start > end:
        end = start  # nothing lies in both; an empty range, not one the wrong way round
    return Restriction(TimeRange(start, end), restriction.scopes)


def check_vaults(vaults: Sequence[str], folders: Sequence[Folder]) -> None:
    """Raises NotFound naming the first vault that does not exist."""
    known = {DEFAULT_VAULT, *(folder.vault for folder in folders)}
    for vault in vaults:
        if vault not in known:
            raise unknown("vault", vault, known)


def unknown(kind: str, name: str, known: Collection[str]) -> NotFound:
    """The error for a name that there is not; it tells the likeliest of those that there are."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    likely = get_close_matches(name, sorted(known), n=MAX_NAMES_SHOWN, cutoff=0.0)
    there = f"there are: {', '.join(likely)}{', …' if len(known) > len(likely) else ''}" if likely else "there are none"
    return NotFound(f"no {kind} {name!r}; {there}")


def _places(filters: Filters, folders: Sequence[Folder]) -> frozenset[str]:
    """Tokens of the vaults, or of every folder that the named ones can mean: each lies in one of the vaults named."""
    check_vaults(filters.vaults, folders)
    if not filters.folders:
        return frozenset(map(vault_token, filters.vaults))
    searched = [each for each in folders if each.folder and (not filters.vaults or each.vault in filters.vaults)]
    tokens: set[str] = set()
    for name in filters.folders:
        plain = name.strip("/")
        meant = [each for each in searched if plain in (each.folder, f"{each.vault}/{each.folder}")]
        if not meant:
            raise unknown("folder", name, {each.folder for each in searched})
        tokens.update(folder_token(folder.vault, folder.folder) for folder in meant)
    return frozenset(tokens)
