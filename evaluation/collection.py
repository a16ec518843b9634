"""Reads notes and golden questions of a public retrieval collection, a folder of three JSON Lines files.

    notes.jsonl    id, text; maybe title, createdAt, and scope, which becomes the note's vault
    queries.jsonl  id, text; maybe date (when it was asked), category (its slice), scope (the vault it searches;
                   else the part of its id before the first slash, where that is a scope)
    qrels.jsonl    query_id, note_id, relevance

Notes without a time are all of one moment, and questions without one are asked then. Times without zone are UTC.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from evaluation.golden import GoldenQuestion
from shared.errors import InvalidArgument
from shared.model.questions import Filters
from shared.notes.service import NoteDraft

UNDATED = datetime(2026, 1, 1, 12, tzinfo=UTC)
VAULT = "default"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GoldenCollection:
    """Notes by id, and the questions about them."""

    notes: Mapping[str, NoteDraft]
    questions: tuple[GoldenQuestion, ...]


def read_collection(folder: Path) -> GoldenCollection:
    """Reads a collection. Questions without any relevant note are left out.

    Raises InvalidArgument for a bad line, OSError.
    """
    notes = dict(_rows(folder / "notes.jsonl", _note))
    vaults = frozenset(note.vault for note in notes.values())

    relevant: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for query_id, note_id, grade in _rows(folder / "qrels.jsonl", _judgement):
        if grade > 0:
            relevant[query_id][note_id] = grade

    def question(row: Mapping[str, Any]) -> GoldenQuestion:
        query_id = str(row["id"])
        return _question(row, relevant.get(query_id, {}), vaults)

    questions = []
    for golden_question in _rows(folder / "queries.jsonl", question):
        if golden_question.relevant:
            questions.append(golden_question)

    return GoldenCollection(notes, tuple(questions))


def _rows(file: Path, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
    """Yields the result of `read` for each line's object."""
    with file.open(encoding="utf-8-sig") as lines:
        for count, line in enumerate(lines, 1):
            place = f"{file}:{count}"
            try:
                yield read(_object(line))
            except KeyError as missing:
                raise InvalidArgument(place, f"the field {missing.args[0]}") from missing
            except (ValueError, TypeError) as error:
                expected = f"an object with fields of their types: {error}"
                raise InvalidArgument(place, expected) from error


def _object(line: str) -> Mapping[str, Any]:
    """Raises ValueError, TypeError."""
    row = json.loads(line)
    if not isinstance(row, dict):
        raise TypeError("no object")
    return row


def _note(row: Mapping[str, Any]) -> tuple[str, NoteDraft]:
    draft = NoteDraft(
        title=str(row.get("title") or ""),
        text=_text(row),
        vault=str(row.get("scope") or VAULT),
        created_at=_when(row, "createdAt"),
    )
    return str(row["id"]), draft


def _judgement(row: Mapping[str, Any]) -> tuple[str, str, int]:
    return (
        str(row["query_id"]),
        str(row["note_id"]),
        int(row["relevance"]),
    )


def _text(row: Mapping[str, Any]) -> str:
    """Raises TypeError."""
    if not isinstance(row["text"], str):
        raise TypeError("text is no text")
    return row["text"]


def _question(
    row: Mapping[str, Any],
    relevant: Mapping[str, int],
    vaults: frozenset[str],
) -> GoldenQuestion:
    question_id = str(row["id"])
    scope = str(row.get("scope") or question_id.partition("/")[0])
    filters = Filters()
    if scope in vaults:
        filters = Filters(vaults=(scope,))
    return GoldenQuestion(
        question_id=question_id,
        text=_text(row),
        relevant=relevant,
        slice=str(row.get("category", "all")),
        now=_when(row, "date"),
        filters=filters,
    )


def _when(row: Mapping[str, Any], name: str) -> datetime:
    if not row.get(name):
        return UNDATED
    when = datetime.fromisoformat(row[name])
    if when.tzinfo is None:
        return when.replace(tzinfo=UTC)
    return when
