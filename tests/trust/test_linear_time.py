"""Every function that reads text reads what somebody else wrote in linear time."""

from __future__ import annotations

import gc
import inspect
from collections import deque
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial

import pytest

from shared.errors import AuroraError
from shared.model.questions import TimeRange
from shared.sessions.follow_ups import Moment
from tests.trust.adversarial import Recipe, modules, seconds, slow_texts

pytestmark = pytest.mark.slow

MAX_GROWTH = 2.5
"""Times as long for twice the length, from which a reader is looked at again."""
CONFIRMED_GROWTH = MAX_GROWTH**3
"""Times as long for eight times the length, 16: a linear reader takes 8 times as long, a quadratic one 64 times."""
MEASURABLE = 0.006
"""Seconds from which two measurements are compared."""
TOO_LONG = 0.3
"""Seconds that 1,000 characters never take."""
WORST = 2
"""Texts of each reader that are measured at length: on which it is slowest for their size."""

_NOW = datetime(2026, 3, 18, 14, tzinfo=UTC)
_MOMENT = Moment(_NOW, "Europe/Berlin")
_READ = (
    "text",
    "markdown",
    "answer",
    "body",
    "reply",
    "title",
    "question",
    "word",
    "row",
    "line",
    "name",
    "signs",
)
"""Names of the first parameter of a reader."""
_GIVEN: Mapping[str, object] = {
    "now": _NOW,
    "zone": "Europe/Berlin",
    "time_range": TimeRange(_NOW, None),
    "written": _NOW,
    "moment": _MOMENT,
    "asked_at": _MOMENT,
    "offered": (),
    "texts": ("https://notes.example/a",),
    "path": "a/b.md",
    "previous": "What did we decide about the API?",
    "longest": 2000,
    "start": 0,
    "begin": 0,
    "cites": True,
    "template_id": "plan",
    "lang": "en",
}
_ORDINARY = (
    *(
        "a ",
        "a. ",
        "a, ",
        "a\n",
        "\n",
        "1. a\n",
        "- a\n",
        "> a\n",
        "# a\n",
        "> a. ",
        "| a ",
        "| a | b |\n",
        "a\n===\n",
        "> ```\n> a\n> ```\n>\n",
    ),
    *(
        "5 May ",
        "2024-05-05 ",
        "last week, ",
        "in May ",
        "(",
        "[a](b) ",
        "[[a]] ",
        "[N1] ",
        "[N1, N2]. ",
        "#tag ",
    ),
    *(
        "`a` ",
        "```\n",
        "**a** ",
        "<b>",
        "https://notes.example/a ",
        "12 kg ",
        "not ",
        "“",
        "„",
        "\\",
        "&lt;",
        "é",
        "数",
    ),
    *("\n" + "| a " * 12, "---\n", "a: b\n", "\n\n# a\n\nb\n"),
)
"""Pieces of texts, for what is slow though no single expression is."""


Reader = partial[object]


def readers(lang: str) -> Iterator[tuple[str, Reader]]:
    """Every public function whose first parameter is a text, the others given."""
    for module in modules():
        for name, member in vars(module).items():
            function = inspect.unwrap(member) if callable(member) else None
            if (
                name.startswith("_")
                or not inspect.isfunction(function)
                or function.__module__ != module.__name__
            ):
                continue
            parameters = [*inspect.signature(function).parameters.values()]
            if (
                not parameters
                or parameters[0].name not in _READ
                or parameters[0].annotation != "str"
            ):
                continue
            values = {**_GIVEN, "lang": lang}
            arguments = {
                parameter.name: values[parameter.name]
                for parameter in parameters[1:]
                if parameter.name in values
            }
            if any(
                parameter.name == "now" and "Moment" in str(parameter.annotation)
                for parameter in parameters
            ):
                arguments["now"] = _MOMENT
            if all(
                parameter.name in arguments or parameter.default is not parameter.empty
                for parameter in parameters[1:]
            ):
                yield f"{module.__name__}.{name}", partial(function, **arguments)


def read(reader: Reader, text: str) -> None:
    try:
        outcome = reader(text)
    except (ValueError, LookupError, StopIteration, AuroraError):
        return
    if isinstance(outcome, Iterator):
        deque(outcome, 0)


def growth(reader: Reader, recipe: Recipe, *, times_as_long: int = 2) -> float:
    """Measure how many times as long a longer text takes; 0 where no length takes a measurable time."""
    length = 2000
    while (once := seconds(partial(read, reader, recipe(length)), repeats=2)) < MEASURABLE:
        if length > 50_000:
            return 0
        length *= 2
    return seconds(partial(read, reader, recipe(times_as_long * length)), repeats=2) / once


def test_no_text_takes_a_reader_more_than_linear_time() -> None:
    slow = slow_texts()
    gc.disable()
    try:
        slow_reads = [*_slow_reads(slow)]
    finally:
        gc.enable()
    assert slow_reads == []


def _slow_reads(slow: Mapping[Recipe, str]) -> Iterator[str]:
    recipes = {**{Recipe("", piece): "en" for piece in _ORDINARY}, **slow}
    names = {name for name, _ in readers("en")}
    assert names >= NAMES, NAMES - names
    for lang in sorted(set(recipes.values())):
        mine = [recipe for recipe, its in recipes.items() if its == lang]
        for name, reader in readers(lang):
            if lang == "en" or "lang" in reader.keywords:
                yield from (f"{name} on {reason}" for reason in _slow_of(reader, mine))


def _slow_of(reader: Reader, recipes: list[Recipe]) -> Iterator[str]:
    timings = []
    for recipe in recipes:
        for length in (30, 60, 1000):
            once = seconds(partial(read, reader, recipe(length)))
            if once > TOO_LONG:
                yield f"{recipe}: {once:.1f} s for {length} characters"
                break
        timings.append((once, recipe))
    for _, recipe in sorted(timings, key=lambda each: -each[0])[:WORST]:
        if growth(reader, recipe) <= MAX_GROWTH:
            continue
        # What else runs on the machine can make one measurement of some milliseconds wrong, not one over a wide span.
        confirmed = min(growth(reader, recipe, times_as_long=8) for _ in range(2))
        if confirmed > CONFIRMED_GROWTH:
            yield f"{recipe}: {confirmed:.0f} times as long for eight times the length"


NAMES = {
    "shared.answering.markers.read_markers",
    "shared.answering.pieces.split",
    "shared.indexing.chunking.chunk",
    "shared.markdown.file.fields_of",
    "shared.markdown.frontmatter.split",
    "shared.markdown.sanitize.sanitize",
    "shared.sessions.follow_ups.standalone_question",
    "shared.times.dates.days_in",
    "shared.times.phrases.find_time",
    "shared.times.references.refers_to",
}
"""Some that must be among the readers: a rename of their parameter would drop them."""
