"""A checked answer -> its sentences, each with the labels it cites."""

from __future__ import annotations

import re
from dataclasses import dataclass

from shared.language.sentences import sentences

_LABEL = re.compile(r"\[(N\d+)\]")
_HEADING = re.compile(r"[ \t>]*#{1,6}[ \t]+")
_WITHIN_QUOTE = re.compile(r"(?:[ \t]*>[^\n]*\n)*[ \t]*>[^\n]*")
_QUOTE_MARKS = re.compile(r"\n[ \t>]*>[ \t]*(?:[-*+][ \t])?")
_LEADING = re.compile(r"(?:\[N\d+\][ \t]*)+")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer. `text` is `answer[start:end]` without its markers."""

    text: str
    start: int
    end: int
    labels: tuple[str, ...]
    """In order, each once; empty: the sentence cites nothing."""
    heading: bool = False
    """A heading of Markdown: it says what follows."""


def find_claims(answer: str) -> tuple[Claim, ...]:
    """Answer with canonical markers (`[N1]`) -> one claim a sentence, in order; offsets in code points.

    Markers that open a sentence belong to the one before it on the same line if that has none of its own:
    `We chose Firestore. [N1] It scales. [N2]` is two claims. A sentence of markers alone is none. What is quoted in a
    block up to its marker is one claim: all of it is the source's.
    """
    found: list[_Stretch] = []
    for start, end in sentences(answer):
        leading = _LEADING.match(answer, start, end)
        if leading and found and not found[-1].cites and "\n" not in answer[found[-1].end : start]:
            found[-1] = _Stretch(found[-1].start, leading.end(), leading.end(), cites=True)
            start = leading.end()  # noqa: PLW2901 - the rest of the sentence is the next claim
        cites = _LABEL.search(answer, start, end) is not None
        before = found[-1] if found and not found[-1].cites else None
        if before and _WITHIN_QUOTE.fullmatch(answer, _line(answer, before.read), start):
            found[-1] = _Stretch(before.start, end, end, cites=cites)  # they are one
        elif any(map(str.isalnum, _without_marks(answer[start:end]))):
            found.append(_Stretch(start, end, start, cites=cites))
    return tuple(_claim(answer, each.start, each.end) for each in found)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """`answer[start:end]` becomes a claim."""

    start: int
    end: int
    read: int
    """From where on it is open whether the lines are a quotation's."""
    cites: bool


def _line(answer: str, place: int) -> int:
    """Where the line begins in which `place` lies."""
    return answer.rfind("\n", 0, place) + 1


def _claim(answer: str, start: int, end: int) -> Claim:
    sentence = answer[start:end]
    labels = tuple(dict.fromkeys(_LABEL.findall(sentence)))
    heading = _HEADING.fullmatch(answer, _line(answer, start), start) is not None
    return Claim(text=_without_marks(sentence), start=start, end=end, labels=labels, heading=heading)


def _without_marks(sentence: str) -> str:
    return " ".join(_LABEL.sub(" ", _QUOTE_MARKS.sub("\n", sentence)).split())
