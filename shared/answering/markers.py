r"""The grammar of citation markers, and the rule by which one is removed.

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
_BEFORE_PUNCTUATION = re.compile(
    r"[ \t]*(?=[*_~`]*(?:[.,;:!?…)\]}。，、；：！？）】］\r\n]|\Z)|[*_~`]+[ \t])",
)
_WITHOUT_UNSEEN = str.maketrans("", "", _UNSEEN)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The expressions of markers. All read skeletons."""

    run: re.Pattern[str]
    part: re.Pattern[str]
    """A `separator`, if any, and a `marker` of a run."""
    inside: re.Pattern[str]
    """The signs of a marker between its brackets, and a little more."""


@cache
def grammar() -> Grammar:
    """Compiles the grammar with the conjunctions of every language, on first use."""
    conjunction = "|".join(conjunctions())

    # 1. A marker: labels between brackets.
    between_labels = rf"(?:{BLANK}|[,;&/、])++(?:(?:{conjunction})\s++)?+"
    further_label = rf"{between_labels}(?:{_FIRST}|{_NUMBER}){_TO}"
    labels = rf"{_FIRST}{_TO}(?:{further_label})*+"
    # Emphasis before the label; before a small n it is code (`a[*n1]`) unless it closes, too.
    closes_too = rf"{labels}{BLANK}*+{EMPHASIS}"
    emphasis = rf"(?:{EMPHASIS}++{BLANK}*+(?=N|{closes_too}))?+"
    marker = rf"{_OPEN}(?:{BLANK}|[\^\\])*+{emphasis}{labels}{_CLOSING}\]"

    # 2. A run: markers side by side, or a separator between them.
    comma_or_blanks = r"(?:[ \t]*+[,;][ \t]*+|[ \t]++)"
    separator = rf"(?:{comma_or_blanks}(?:(?:{conjunction})[ \t]++)?)?+"
    run = rf"{marker}(?:{separator}{marker})*"
    part = rf"(?P<separator>{separator})(?P<marker>{marker})"

    # 3. The signs that may stand inside a marker.
    letters = "".join(sorted(set(conjunction) - {"|"}))
    inside = rf"[\s{_UNSEEN}^\\Nn\d,;&/、\-*_~`{letters}]*+"
    return Grammar(
        run=re.compile(run),
        part=re.compile(part),
        inside=re.compile(inside),
    )


def numbers_in(signs: str, offered: Collection[int]) -> dict[int, None]:
    """Returns every number that the skeleton of a marker or run names, each once, in order.

    A range names its ends and what was offered between them.
    """
    numbers: dict[int, None] = {}
    for match in _NUMBERS.finditer(signs):
        first_digits, last_digits = match.groups()
        first = _number(first_digits)
        numbers[first] = None
        if last_digits is None:
            continue
        last = _number(last_digits)
        for number in offered:
            if first < number < last:
                numbers[number] = None
        numbers[last] = None
    return numbers


def _number(digits: str) -> int:
    """Reads a number. Nine digits tell any offered number from an invented one, and int() stays cheap."""
    seen_digits = digits.translate(_WITHOUT_UNSEEN)
    return int(seen_digits[:9])


@dataclass(frozen=True, slots=True)
class Markers:
    """The citation markers of a text."""

    text: str
    runs: tuple[re.Match[str], ...]
    """Matches in the text's skeleton."""

    def numbers(self, offered: Collection[int]) -> tuple[int, ...]:
        """Returns every number named, each once, by first use; those that were not `offered` too."""
        numbers: dict[int, None] = {}
        for run in self.runs:
            signs = run[0]
            numbers |= numbers_in(signs, offered)
        return tuple(numbers)

    def written(self, labels: Mapping[int, int]) -> str:
        """Writes the text with only the markers of `labels`, as `[N<label>]`; others are removed by the spacing rule."""
        pieces: list[str] = []
        end = 0
        character_before = ""
        for run in self.runs:
            text_before = self.text[end : run.start()]
            end = run.end()
            markers = self._markers_of(run, labels)
            if not markers:
                text_before, end = _close_gap(
                    text_before,
                    self.text,
                    end,
                    ahead=character_before,
                    at_start=not pieces,
                )
            pieces += [text_before, markers]
            character_before = (markers or text_before or character_before)[-1:]
        pieces.append(self.text[end:])
        return "".join(pieces)

    def _markers_of(self, run: re.Match[str], labels: Mapping[int, int]) -> str:
        """Writes the markers of a run that remain, with the separators between them."""
        markers = ""
        run_start, run_end = run.span()
        for part in grammar().part.finditer(run.string, run_start, run_end):
            part_labels: list[int] = []
            for number in numbers_in(part["marker"], labels):
                if number in labels:
                    part_labels.append(labels[number])
            if not part_labels:
                continue
            if markers:
                start, end = part.span("separator")
                markers += self.text[start:end]
            for label in part_labels:
                markers += f"[N{label}]"
        return markers


def read_markers(text: str) -> Markers:
    """Finds the citation markers of a text."""
    signs = skeleton(text)
    runs = tuple(grammar().run.finditer(signs))
    return Markers(text, runs)


def _close_gap(
    text_before: str,
    text: str,
    end: int,
    *,
    ahead: str,
    at_start: bool,
) -> tuple[str, int]:
    """Returns the text before a run that is removed, and where the text continues after it, by the spacing rule.

    `text_before` reaches back to the run before this one, `ahead` is the last character in front of it.
    """
    text_before, end = _drop_empty_brackets(text_before, text, end)
    text_before, end = _drop_blanks(text_before, text, end, ahead=ahead, at_start=at_start)
    signs = skeleton(text_before)
    length = len(signs)
    bracket_start = _before_bracket(signs, length)
    if bracket_start < length:
        # What follows could complete a marker.
        bracket = signs.index("[", bracket_start)
        before_bracket = text_before[:bracket_start]
        behind_bracket = text_before[bracket + 1 :]
        return f"{before_bracket}({behind_bracket}", end
    following = text[end : end + 1]
    if _makes_entity(text_before, ahead, following):
        return f"{text_before} ", end
    return text_before, end


def _drop_blanks(
    text_before: str,
    text: str,
    end: int,
    *,
    ahead: str,
    at_start: bool,
) -> tuple[str, int]:
    """Drops the blanks that parted a run from the text around it; two words that only it parted get one."""
    without_blanks = text_before.rstrip(" \t")
    starts_text = at_start and not without_blanks
    if starts_text or without_blanks.endswith("\n"):
        return text_before, _blanks_end(text, end)
    punctuation = _BEFORE_PUNCTUATION.match(text, end)
    if punctuation is not None:
        return without_blanks, punctuation.end()
    if text[end] in " \t":
        return without_blanks, end
    left_sign = text_before[-1:] or ahead
    right_sign = text[end]
    joins_words = left_sign.isalnum() and right_sign.isalnum()
    # Chinese and Japanese write no blanks.
    writes_blanks = min(left_sign, right_sign) < "\u2e80"
    if joins_words and writes_blanks:
        return f"{text_before} ", end
    return text_before, end


def _makes_entity(text_before: str, ahead: str, following: str) -> bool:
    """Reports whether what follows would complete an HTML entity with what stands before the gap."""
    if not following:
        return False
    tail = text_before or ahead
    if following == ";":
        if not text_before and ahead.isalnum():
            return True
        signs_apart = skeleton(tail) + ";"
        return skeleton(f"{tail};") != signs_apart
    may_go_on = following.isalnum() or following in "#%"
    return may_go_on and UNFINISHED.search(tail) is not None


def _drop_empty_brackets(text_before: str, text: str, end: int) -> tuple[str, int]:
    """Drops brackets, code and emphasis that held nothing but the run."""
    while True:
        inner = text_before.rstrip(" \t")
        closing_start = _blanks_end(text, end)
        if not _is_enclosed(inner, text, closing_start):
            return text_before, end
        has_blanks = closing_start > end or inner != text_before
        is_emphasis = text[closing_start] in "*_~"
        if is_emphasis and has_blanks:
            return text_before, end
        text_before = inner[:-1]
        end = closing_start + 1


def _is_enclosed(text_before: str, text: str, closing_start: int) -> bool:
    """Reports whether a sign at the end of a text opens brackets, code or emphasis that one at `closing_start` closes."""
    closing = _PAIRS.get(text_before[-1:])
    if closing is None:
        return False
    is_escaped = text_before[-2:-1] == "\\"
    is_closed = text.startswith(closing, closing_start)
    if is_escaped or not is_closed:
        return False
    opens_and_closes_alike = closing in "*_~`"
    if opens_and_closes_alike:
        return _OPENS.search(text_before) is not None
    return True


def _blanks_end(text: str, start: int) -> int:
    while text[start : start + 1] in _BLANKS:
        start += 1
    return start


def before_unfinished(signs: str) -> int:
    """Returns where a skeleton's last brackets begin that a marker could close (`[N1, N`, `[N[N`).

    The end of the skeleton if none is open.
    """
    end = len(signs)
    while True:
        bracket_start = _before_bracket(signs, end)
        if bracket_start == end:
            return end
        end = bracket_start


def _before_bracket(signs: str, end: int) -> int:
    """Returns where the last open bracket of `signs[:end]` begins, its padding included; `end` if there is none."""
    bracket = signs.rfind("[", 0, end)
    if bracket < 0:
        return end
    inside = grammar().inside.fullmatch(signs, bracket + 1, end)
    if inside is None:
        return end
    start = bracket
    while start > 0 and signs[start - 1] in PAD:
        start -= 1
    return start
