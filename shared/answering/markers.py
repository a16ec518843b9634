r"""The grammar of citation markers, and the rule by which one goes.

What counts as a marker: `[N1]`, `[n1]`, `[N1, N2]`, `[N1; N2]`, `[N1 and N2]`, `[N1, 2]`, `[N1-N3]` (every offered
label from N1 to N3), `[^N1]`, `\[N1\]`, `[**N1**]`, with blanks inside, and whatever looks or is rendered like one of
them: the grammar reads the skeleton of a text (`markdown.neutralize`), in which brackets, digits and N of any kind,
entities and what is invisible are told by their looks, and which is as long as the text. Markers count inside code
and links too: clients look for `[N1]` without parsing Markdown, and note text that looks like a marker was rewritten
before the writer saw it (`shared.markdown.neutralize`).

Every marker is written back as `[N1]`, several as `[N1][N2]`, a label once a bracket.

The spacing rule is the only change to other text. Markers side by side, also with a comma or "and" between
them, form a run; one that goes from a run takes the separator before it along (the first one that after it).
A run that goes whole takes the blanks before it (after it, at the start of a line; both, before punctuation or a
line's end) and brackets, code and emphasis that held nothing else; two words that only it parted get a blank. An
opening bracket that a gap could complete to a new marker (`[N[N9]1]`) becomes round, and nothing joins to a new entity.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from shared.language.vocabulary import conjunctions
from shared.markdown.neutralize import BLANK, EMPHASIS, NOTHING, PAD, UNFINISHED, skeleton

_UNSEEN = PAD + NOTHING
_NUMBER = rf"\d(?:[{_UNSEEN}]*+\d)*+"
_FIRST = rf"[Nn]{BLANK}*+(?:{_NUMBER}|{EMPHASIS}++{_NUMBER}{EMPHASIS}++)"
_TO = rf"(?:{BLANK}*+-{BLANK}*+[Nn]?{BLANK}*+{_NUMBER})?+"
_CLOSING = rf"(?:{BLANK}|[,;\\]|{EMPHASIS})*+"
_OPEN = rf"(?<![\\{PAD}])[\\{PAD}]*+\["
_NUMBERS = re.compile(rf"({_NUMBER}){EMPHASIS}*+(?:{BLANK}*+-{BLANK}*+[Nn]?{BLANK}*+({_NUMBER}))?+")
_BLANKS = frozenset(" \t")
_PAIRS = {"(": ")", "[": "]", "（": "）", "`": "`", "*": "*", "_": "_", "~": "~"}
_OPENS = re.compile(r"(?:\A|[\s(（])[`*_~]+\Z")
"""Signs that open and close alike stand here where they open."""
_BEFORE_PUNCTUATION = re.compile(r"[ \t]*(?=[*_~`]*(?:[.,;:!?…)\]}。，、；：！？）】］\r\n]|\Z)|[*_~`]+[ \t])")
_WITHOUT_UNSEEN = str.maketrans("", "", _UNSEEN)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The expressions of markers. All read skeletons."""

    run: re.Pattern[str]
    part: re.Pattern[str]
    """A `separator`, if any, and a `marker` of a run."""
    inside: re.Pattern[str]
    """What a marker is made of between its brackets, and a little more."""


@cache
def grammar() -> Grammar:
    """With the conjunctions of every language; made on first use."""
    words = conjunctions()
    joined = "|".join(words)
    between = rf"(?:{BLANK}|[,;&/、])++(?:(?:{joined})\s++)?+"
    labels = rf"{_FIRST}{_TO}(?:{between}(?:{_FIRST}|{_NUMBER}){_TO})*+"
    # Emphasis before the label; before a small n it is code (`a[*n1]`) unless it closes, too.
    opening = rf"(?:{EMPHASIS}++{BLANK}*+(?=N|{labels}{BLANK}*+{EMPHASIS}))?+"
    marker = rf"{_OPEN}(?:{BLANK}|[\^\\])*+{opening}{labels}{_CLOSING}\]"
    separator = rf"(?:(?:[ \t]*+[,;][ \t]*+|[ \t]++)(?:(?:{joined})[ \t]++)?)?+"
    inside = rf"[\s{_UNSEEN}^\\Nn\d,;&/、\-*_~`{''.join(sorted(set(joined) - {'|'}))}]"
    return Grammar(
        run=re.compile(rf"{marker}(?:{separator}{marker})*"),
        part=re.compile(rf"(?P<separator>{separator})(?P<marker>{marker})"),
        inside=re.compile(rf"{inside}*+"),
    )


def numbers_in(signs: str, offered: Collection[int]) -> dict[int, None]:
    """Every number that a marker's skeleton (or a run's) names, each once, in order; of a range its ends and what was
    offered between. Nine digits tell any offered number from an invented one, and int() stays cheap.
    """
    named: dict[int, None] = {}
    for found in _NUMBERS.finditer(signs):
        first, last = [int(each.translate(_WITHOUT_UNSEEN)[:9]) for each in (found[1], found[2] or found[1])]
        between = [number for number in offered if first < number < last] if first < last else []
        named |= dict.fromkeys((first, *between, last))
    return named


@dataclass(frozen=True, slots=True)
class Markers:
    """The citation markers of a text."""

    text: str
    runs: tuple[re.Match[str], ...]
    """Over the text's skeleton."""

    def numbers(self, offered: Collection[int]) -> tuple[int, ...]:
        """Every number named, each once, by first use; those that were not `offered` too."""
        return tuple(dict.fromkeys(number for run in self.runs for number in numbers_in(run[0], offered)))

    def written(self, labels: Mapping[int, int]) -> str:
        """The text with the markers of `labels` alone, as `[N<label>]`; the others go by the spacing rule."""
        pieces: list[str] = []
        end, ahead = 0, ""
        for run in self.runs:
            before, end, markers = self.text[end : run.start()], run.end(), ""
            for part in grammar().part.finditer(run.string, *run.span()):
                kept = [f"[N{labels[number]}]" for number in numbers_in(part["marker"], labels) if number in labels]
                separator = self.text[slice(*part.span("separator"))] if markers and kept else ""
                markers += separator + "".join(kept)
            if not markers:
                before, end = _close_gap(before, self.text, end, ahead=ahead, at_start=not pieces)
            pieces += [before, markers]
            ahead = (markers or before or ahead)[-1:]
        return "".join([*pieces, self.text[end:]])


def read_markers(text: str) -> Markers:
    return Markers(text, tuple(grammar().run.finditer(skeleton(text))))


def _close_gap(before: str, text: str, end: int, *, ahead: str, at_start: bool) -> tuple[str, int]:
    """What stands before a run that goes, and where the text goes on after it: by the spacing rule.

    `before` reaches back to the run before this one, `ahead` is the last character in front of it.
    """
    before, end = _drop_empty_brackets(before, text, end)
    bare = before.rstrip(" \t")
    if bare.endswith("\n") or (at_start and not bare):
        end = _blanks_end(text, end)
    elif found := _BEFORE_PUNCTUATION.match(text, end):
        before, end = bare, found.end()
    elif text[end] in " \t":
        before = bare
    else:
        left, right = before[-1:] or ahead, text[end]
        # Two words in one; Chinese and Japanese write no blanks.
        before += " " if left.isalnum() and right.isalnum() and min(left, right) < "\u2e80" else ""
    signs, following = skeleton(before), text[end : end + 1]
    opened = _before_bracket(signs, len(signs))
    if opened < len(signs):  # what follows could complete a marker
        bracket = signs.index("[", opened)
        return f"{before[:opened]}({before[bracket + 1 :]}", end
    tail = before or ahead
    if following == ";":  # or an entity
        joins = (not before and ahead.isalnum()) or skeleton(f"{tail};") != f"{skeleton(tail)};"
    else:
        joins = (following.isalnum() or following in "#%") and UNFINISHED.search(tail) is not None
    return f"{before} " if joins and following else before, end


def _drop_empty_brackets(before: str, text: str, end: int) -> tuple[str, int]:
    while (inner := before.rstrip(" \t")) and (close := _PAIRS.get(inner[-1])):
        after = _blanks_end(text, end)
        if inner[-2:-1] == "\\" or text[after : after + 1] != close:
            break
        if close in "*_~" and (after > end or inner != before or not _OPENS.search(inner)):
            break
        if close == "`" and not _OPENS.search(inner):
            break
        before, end = inner[:-1], after + 1
    return before, end


def _blanks_end(text: str, start: int) -> int:
    while text[start : start + 1] in _BLANKS:
        start += 1
    return start


def before_unfinished(signs: str) -> int:
    """Where a skeleton's last brackets begin that a marker could close (`[N1, N`, `[N[N`); its end if none is open."""
    end = len(signs)
    while (before := _before_bracket(signs, end)) < end:
        end = before
    return end


def _before_bracket(signs: str, end: int) -> int:
    opened = signs.rfind("[", 0, end)
    if opened < 0 or grammar().inside.fullmatch(signs, opened + 1, end) is None:
        return end
    while opened and signs[opened - 1] in PAD:
        opened -= 1
    return opened
