"""Reads the questions of a golden file, with the notes that should be found.

One question is one object: a line of a `.jsonl` file, or an item of the list in a `.yaml` file.

    id            its name, unique in the file
    text          the question
    relevant      {note: grade}, or a list of notes (grade 1). A note is named by its id, its path, or `vault/path`;
                  grades are whole numbers from 1 up, greater is better
    unanswerable  true: the notes do not hold the answer, and it should be refused; then `relevant` is left out
    now           RFC 3339; when it is asked. Without it: when the evaluation runs
    timeZone      IANA name; `UTC` without it
    vault         the vault that is searched; if any is named, the first-level folders of `--notes DIR` are vaults
    filters       as in `/chat`: vaults, folders, tags, createdAfter, createdBefore, windowDays
    answer_facts  short quotes that a right answer holds
    slice         under which name it is counted beside the others, each vault apart; `all` without it
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

from shared.errors import InvalidArgument
from shared.model.questions import Filters
from shared.times.dates import parse_day_or_instant, parse_instant, parse_zone

_QUOTE_MARK = re.compile(r"^[ \t]*>", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """One question and its answer. `relevant`: grades by name of a note, empty if unanswerable."""

    question_id: str
    text: str
    relevant: Mapping[str, int]
    slice: str = "all"
    now: datetime | None = None
    zone: str = "UTC"
    filters: Filters = field(default_factory=Filters)
    vault: str = ""
    """The vault it names; the filters name it too."""
    facts: tuple[str, ...] = ()
    """Quotes that a right answer holds."""

    @property
    def answerable(self) -> bool:
        return bool(self.relevant)

    @property
    def group(self) -> str:
        """Name under which the question is counted."""
        return f"{self.vault} {self.slice}".strip()


def read_golden(file: Path) -> tuple[GoldenQuestion, ...]:
    """Returns the questions in order. Raises InvalidArgument naming the place and the field, OSError."""
    questions: dict[str, GoldenQuestion] = {}
    for place, entry in _entries(file):
        try:
            question = _Entry.model_validate(entry).question()
        except ValidationError as error:
            raise InvalidArgument(place, _expected(error)) from error
        if question.question_id in questions:
            raise InvalidArgument(
                f"{place}: id",
                f"an id of its own, {question.question_id!r} is taken",
            )
        questions[question.question_id] = question

    if not questions:
        raise InvalidArgument(str(file), "at least one question")
    return tuple(questions.values())


def _entries(file: Path) -> Iterator[tuple[str, Any]]:
    """Yields place and object of every question."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix.lower() in (".yaml", ".yml"):
            yield from _yaml_entries(file, text)
            return
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        expected = f"JSON Lines, or YAML in a file named .yaml: {error}"
        raise InvalidArgument(str(file), expected) from error

    for count, line in enumerate(text.splitlines(), 1):
        if line.strip():
            place = f"{file}:{count}"
            yield place, _object(line, place)


def _yaml_entries(file: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Yields place and object of every question of a YAML file. Raises YAMLError."""
    entries = yaml.safe_load(text)
    if not isinstance(entries, list):
        raise InvalidArgument(str(file), "a YAML list of questions")
    for count, entry in enumerate(entries, 1):
        yield f"{file}: question {count}", entry


def _object(line: str, place: str) -> Any:  # noqa: ANN401 - any JSON
    try:
        return json.loads(line)
    except ValueError as error:
        raise InvalidArgument(place, f"one JSON object: {error}") from error


def _expected(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if not first["loc"] and first["type"] == "model_type":
        return "an object with the fields of a question"
    field = ".".join(str(part) for part in first["loc"])
    if not field:
        return first["msg"]
    return f"{field}: {first['msg']}"


def _as_text(value: object) -> object:
    """Returns a time as text: YAML reads bare times as datetimes."""
    if isinstance(value, datetime):
        return value.isoformat()
    return value


def _graded(value: object) -> object:
    """Returns a list of names with grade 1; any other value as it is, which validation refuses."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return dict.fromkeys(value, 1)
    return value


_Instant = Annotated[
    str,
    BeforeValidator(_as_text),
    AfterValidator(lambda text: parse_instant(text) and text),
]
_Zone = Annotated[str, AfterValidator(parse_zone)]
_Names = tuple[str, ...]


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
    )


class _Filters(_Strict):
    vaults: _Names = ()
    folders: _Names = ()
    tags: _Names = ()
    created_after: Annotated[str, BeforeValidator(_as_text)] | None = None
    created_before: Annotated[str, BeforeValidator(_as_text)] | None = None
    window_days: Annotated[int, Field(ge=1)] | None = None

    def filters(self, zone: str) -> Filters:
        created_after = None
        if self.created_after is not None:
            created_after = parse_day_or_instant(self.created_after, zone)
        created_before = None
        if self.created_before is not None:
            created_before = parse_day_or_instant(self.created_before, zone)
        return Filters(
            vaults=self.vaults,
            folders=self.folders,
            tags=self.tags,
            created_after=created_after,
            created_before=created_before,
            window_days=self.window_days,
        )


class _Entry(_Strict):
    id: Annotated[str, Field(min_length=1, pattern=r"^\S+$")]
    text: Annotated[str, Field(pattern=r"\S")]
    relevant: Annotated[dict[str, Annotated[int, Field(ge=1)]], BeforeValidator(_graded)] = {}
    unanswerable: bool = False
    now: _Instant | None = None
    time_zone: _Zone = "UTC"
    filters: _Filters = _Filters()
    slice: Annotated[str, Field(min_length=1)] = "all"
    vault: str = ""
    answer_facts: Annotated[
        tuple[Annotated[str, Field(pattern=r"\S")], ...],
        Field(alias="answer_facts"),
    ] = ()

    @model_validator(mode="after")
    def _one_or_the_other(self) -> _Entry:
        if self.unanswerable == bool(self.relevant):
            raise ValueError("either relevant notes or `unanswerable: true`")
        if self.unanswerable and self.answer_facts:
            raise ValueError("answer_facts: none where there is no answer")
        if self.vault and self.filters.vaults:
            raise ValueError("either vault or filters.vaults")
        filters = self.filters.filters(self.time_zone)  # so that a bad date is told with its place
        earliest = filters.created_after
        latest = filters.created_before
        if earliest is not None and latest is not None and earliest > latest:
            raise ValueError("filters.createdAfter is later than filters.createdBefore")
        return self

    def question(self) -> GoldenQuestion:
        filters = self.filters.filters(self.time_zone)
        if self.vault:
            filters = replace(filters, vaults=(self.vault,))
        now = None
        if self.now is not None:
            now = parse_instant(self.now)
        return GoldenQuestion(
            question_id=self.id,
            text=self.text,
            relevant=self.relevant,
            slice=self.slice,
            now=now,
            zone=self.time_zone,
            filters=filters,
            vault=self.vault,
            facts=self.answer_facts,
        )


Parts = tuple[frozenset[str], ...]
"""Parts that a question needs, each from any note of its set."""


def share_held(text: str, facts: Iterable[str]) -> float | None:
    """Returns the share of the facts that stand in the text; None without facts."""
    normal_text = _normal(text)
    count = 0
    standing = 0
    for fact in facts:
        count += 1
        if _normal(fact) in normal_text:
            standing += 1

    if count == 0:
        return None
    return standing / count


def parts_needed(
    facts: Iterable[str],
    grades: Mapping[str, int],
    texts: Mapping[str, str],
) -> Parts:
    """Returns the notes that have to be found: one of the best graded.

    Where no single note holds all facts, it is one note for each fact.

    grades, texts: by note id.
    """
    holding_notes = []
    for fact in facts:
        notes = frozenset(note for note in grades if share_held(texts[note], [fact]))
        holding_notes.append(notes)

    hold_all = frozenset(grades).intersection(*holding_notes)
    if all(holding_notes) and not hold_all:
        return tuple(holding_notes)
    best = max(grades.values())
    return (frozenset(note for note, grade in grades.items() if grade == best),)


def _normal(text: str) -> str:
    """Returns the text on one line, without hard breaks and the marks before the lines of a quotation."""
    without_breaks = text.lower().replace("\\\n", "\n")
    return " ".join(_QUOTE_MARK.sub("", without_breaks).split())
