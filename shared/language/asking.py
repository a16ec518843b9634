"""How a language asks, as expressions: what opens a question, what tells past from duty."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from shared.language.vocabulary import vocabulary

_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Asking:
    """A language's words as expressions."""

    opening: re.Pattern[str]
    """Matches where a clause begins that asks."""
    past: re.Pattern[str] = _NEVER
    duty: re.Pattern[str] = _NEVER
    genitive: re.Pattern[str] = _NEVER
    """At the end of what stands before a time."""
    possessive: re.Pattern[str] = _NEVER
    """Matches behind a time."""


@cache
def asking(lang: str) -> Asking:
    """The language's expressions, made on first use. Of one without words only signs open a question."""
    words = vocabulary(lang).asking
    if words is None:
        return Asking(re.compile(r"\s*¿"))
    return Asking(
        opening=re.compile(rf"\s*¿|\s*(?:(?:\w+\s)?(?:{words.questions})|{words.verbs})(?!\w)", re.IGNORECASE),
        past=_whole(words.past),
        duty=_whole(words.duty),
        genitive=re.compile(rf"\w\s+(?:{words.genitive})\s*(?:{words.articles})?\s*\Z", re.IGNORECASE),
        possessive=re.compile(words.possessive) if words.possessive else _NEVER,
    )


def _whole(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)
