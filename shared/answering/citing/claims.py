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
    claims: list[Claim] = []
    for start, end in sentences(answer):
        leading = _LEADING.match(answer, start, end)
        if leading and claims and not claims[-1].labels and "\n" not in answer[claims[-1].end : start]:
            claims[-1] = _claim(answer, claims[-1].start, leading.end())
            start = leading.end()  # noqa: PLW2901 - the rest of the sentence is the next claim
        if claims and not claims[-1].labels and _WITHIN_QUOTE.fullmatch(answer, _line(answer, claims[-1].start), start):
            start = claims.pop().start  # noqa: PLW2901 - they are one
        claim = _claim(answer, start, end)
        if any(map(str.isalnum, claim.text)):
            claims.append(claim)
    return tuple(claims)


def _line(answer: str, place: int) -> int:
    """Where the line begins in which `place` lies."""
    return answer.rfind("\n", 0, place) + 1


def _claim(answer: str, start: int, end: int) -> Claim:
    sentence = answer[start:end]
    text = " ".join(_LABEL.sub(" ", _QUOTE_MARKS.sub("\n", sentence)).split())
    labels = tuple(dict.fromkeys(_LABEL.findall(sentence)))
    line = answer[_line(answer, start) : start]
    return Claim(text=text, start=start, end=end, labels=labels, heading=_HEADING.fullmatch(line) is not None)
