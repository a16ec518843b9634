"""Step 1. Question -> analysis (keywords, stems, the time it names, its language) and the restriction of every leg."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from shared.errors import InvalidArgument, NotFound
from shared.language.questions import question_language
from shared.language.terms import content_words, stems
from shared.language.vocabulary import languages
from shared.language.words import common_words, fold
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
_WORD = re.compile(r"[^\W\d_]+")


def analyse(question: Question) -> Analysis:
    """Takes a question apart.

    Keywords are all content words of the question. Stems leave out the words of the time phrase, which says when the
    note was written and not what it contains.
    """
    lang, found_time = _read_language_and_time(question)
    text = question.text
    subject = text
    time = None
    if found_time is not None:
        text_before = text[: found_time.start]
        text_behind = text[found_time.end :]
        subject = f"{text_before} {text_behind}"
        time = found_time.hint
    keywords = dict.fromkeys(word for word, _, _ in content_words(text, lang))
    return Analysis(
        keywords=tuple(keywords),
        stems=_longest_stems(subject, lang),
        time=time,
        lang=lang,
        subject=subject,
    )


def _longest_stems(subject: str, lang: str) -> tuple[str, ...]:
    """Returns the longest MAX_STEMS stems in the order of the text; of equal length the earlier ones."""
    distinct_stems = dict.fromkeys(stems(subject, lang))
    longest_first = sorted(distinct_stems, key=len, reverse=True)
    longest = frozenset(longest_first[:MAX_STEMS])
    return tuple(stem for stem in distinct_stems if stem in longest)


def _read_language_and_time(question: Question) -> tuple[str, FoundTime | None]:
    """Returns the question's language, and the time it names.

    A short question may be too short to tell its language. If it names no time in the detected one, another language
    is taken that reads a time in it and knows more of its words, at least two or all of them.
    """
    text = question.text
    detected = question_language(text)
    found_time = _time_in(question, detected)
    if found_time is not None:
        return detected, found_time

    words = [(fold(match[0]), match.start()) for match in _WORD.finditer(text)]
    common_in_detected = common_words(detected)
    best_lang = detected
    most_known = sum(word in common_in_detected for word, _ in words)
    for lang in languages():
        if lang == detected:
            continue

        # Words outside the time phrase can be known only if they are common; this spares most languages the reading.
        common = common_words(lang)
        may_be_known = 0
        for word, _ in words:
            if word in common or word not in common_in_detected:
                may_be_known += 1
        if may_be_known <= most_known:
            continue

        time = _time_in(question, lang)
        if time is None:
            continue
        known = _count_known(words, common, time)
        if known > most_known and known >= min(2, len(words)):
            best_lang = lang
            most_known = known
            found_time = time
    return best_lang, found_time


def _count_known(
    words: Sequence[tuple[str, int]],
    common: Collection[str],
    time: FoundTime,
) -> int:
    """Counts the words that a language knows: common ones and those of the time. `words`: each with its position."""
    known = 0
    for word, start in words:
        is_of_time = time.start <= start < time.end
        if is_of_time or word in common:
            known += 1
    return known


def _time_in(question: Question, lang: str) -> FoundTime | None:
    """Returns the time that a question names if it is read in a language."""
    return find_time(
        question.text,
        now=question.now,
        zone=question.zone,
        lang=lang,
    )


def restrict(
    filters: Filters,
    now: datetime,
    folders: Callable[[], Sequence[Folder]],
) -> Restriction:
    """Turns filters into the restriction of every leg.

    folders: returns the tenant's folders; called only when the filters name some vault or folder.

    Raises NotFound naming an unknown vault or folder, InvalidArgument when the dates are the wrong way round.
    """
    scopes: list[frozenset[str]] = []
    if filters.vaults or filters.folders:
        places = _places(filters, folders())
        scopes.append(places)
    if filters.tags:
        tags = frozenset(map(tag_token, filters.tags))
        scopes.append(tags)

    start = filters.created_after
    end = filters.created_before
    if start is not None and end is not None and start > end:
        raise InvalidArgument("filters.createdAfter", "a time not after filters.createdBefore")
    if filters.window_days is not None:
        with suppress(OverflowError):  # before the calendar begins, so no restriction at all
            window = timedelta(days=filters.window_days)
            start = _latest(start, now - window)

    created = None
    if start is not None or end is not None:
        created = TimeRange(start, end)
    return Restriction(created, tuple(scopes))


def within(restriction: Restriction, time: TimeRange | None) -> Restriction:
    """Cuts the range of a restriction to `time` as well; None leaves it as it is."""
    if time is None:
        return restriction
    created = restriction.created or TimeRange(None, None)
    start = _latest(created.start, time.start)
    end = _earliest(created.end, time.end)

    # Where nothing lies in both, the range is empty and not one the wrong way round.
    if start is not None and end is not None and start > end:
        end = start
    return replace(restriction, created=TimeRange(start, end))


def _latest(*starts: datetime | None) -> datetime | None:
    """Returns the latest of the bounds that are set; None if all are open."""
    return max((start for start in starts if start is not None), default=None)


def _earliest(*ends: datetime | None) -> datetime | None:
    """Returns the earliest of the bounds that are set; None if all are open."""
    return min((end for end in ends if end is not None), default=None)


def check_vaults(vaults: Sequence[str], folders: Sequence[Folder]) -> None:
    """Raises NotFound naming the first vault that does not exist."""
    existing = {DEFAULT_VAULT, *(folder.vault for folder in folders)}
    for vault in vaults:
        if vault not in existing:
            raise unknown("vault", vault, existing)


def unknown(kind: str, name: str, existing: Collection[str]) -> NotFound:
    """Returns the error for a name that does not exist; it suggests the most similar name that does."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    likely = get_close_matches(
        name,
        sorted(existing),
        n=MAX_NAMES_SHOWN,
        cutoff=0.0,
    )
    if not likely:
        return NotFound(f"no {kind} {name!r}; there are none")
    names = ", ".join(likely)
    if len(existing) > len(likely):
        names += ", …"
    return NotFound(f"no {kind} {name!r}; there are: {names}")


def _places(filters: Filters, folders: Sequence[Folder]) -> frozenset[str]:
    """Returns tokens of the vaults, or of every folder that the names can mean within the named vaults.

    `/` means the notes in no folder. `vault/` means the notes of that vault in no folder, unless it is the name of a
    folder.
    """
    check_vaults(filters.vaults, folders)
    if not filters.folders:
        return frozenset(map(vault_token, filters.vaults))

    vaults = {folder.vault for folder in folders}
    if filters.vaults:
        vaults.intersection_update(filters.vaults)
    searched_folders = [folder for folder in folders if folder.folder and folder.vault in vaults]

    tokens: set[str] = set()
    for name in filters.folders:
        meant = _folders_meant(
            name,
            searched_folders,
            vaults,
            is_in_vault=bool(filters.vaults),
        )
        for folder in meant:
            tokens.add(folder_token(folder.vault, folder.folder))
    return frozenset(tokens)


def _folders_meant(
    name: str,
    folders: Sequence[Folder],
    vaults: Collection[str],
    *,
    is_in_vault: bool,
) -> list[Folder]:
    """Returns the folders that a name in a request can mean. Raises NotFound if there are none.

    is_in_vault: see `folders_of_path`.
    """
    if name == "/":
        return [Folder(vault, "") for vault in vaults]
    path = name.strip("/")
    with_name = folders_of_path(path, folders, is_in_vault=is_in_vault)
    if with_name:
        return with_name
    if name.endswith("/") and path in vaults:
        return [Folder(path, "")]
    existing = {folder.folder for folder in folders}
    raise unknown("folder", name, existing)


def folders_of_path(
    path: str,
    folders: Sequence[Folder],
    *,
    is_in_vault: bool,
) -> list[Folder]:
    """Returns the folders that a path, with or without their vault in front, can mean.

    is_in_vault: the vault is named apart, so a folder of that very path is meant before `vault/folder`.
    """
    with_path = [folder for folder in folders if folder.folder == path]
    if with_path and is_in_vault:
        return with_path
    with_vault = [folder for folder in folders if f"{folder.vault}/{folder.folder}" == path]
    return with_path + with_vault
