"""A public retrieval collection, a folder of three JSON Lines files -> notes and golden questions.

    notes.jsonl    id, text; maybe title, createdAt, and scope, which becomes the note's vault
    queries.jsonl  id, text; maybe date (when it was asked), category (its slice), scope (the vault it searches;
                   else the part of its id before the first slash, where that is a scope)
    qrels.jsonl    query_id, note_id, relevance

Notes without a time are all of one moment, and questions without one are asked then. Times without zone are UTC.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shared.app import NoteDraft
from shared.domain import Filters
from shared.errors import InvalidArgument
from shared.evaluation.golden import GoldenQuestion

UNDATED = datetime(2026, 1, 1, 12, tzinfo=UTC)
VAULT = "default"


@dataclass(frozen=True, slots=True)
class Collection:
    """Notes by id, and what is asked of them."""

    notes: Mapping[str, NoteDraft]
    questions: tuple[GoldenQuestion, ...]


def read_collection(folder: Path) -> Collection:
    """Questions without any relevant note are left out. Raises InvalidArgument for a bad line, OSError."""
    notes = {str(row["id"]): _note(row) for row in _rows(folder / "notes.jsonl", "id", "text")}
    relevant: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in _rows(folder / "qrels.jsonl", "query_id", "note_id", "relevance"):
        if int(row["relevance"]) > 0:
            relevant[str(row["query_id"])][str(row["note_id"])] = int(row["relevance"])
    vaults = frozenset(note.vault for note in notes.values())
    questions = tuple(
        _question(row, relevant[str(row["id"])], vaults)
        for row in _rows(folder / "queries.jsonl", "id", "text")
        if str(row["id"]) in relevant
    )
    return Collection(notes, questions)


def _rows(file: Path, *needed: str) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        for count, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                missing = [name for name in needed if name not in row]
            except (ValueError, TypeError) as error:
                raise InvalidArgument(f"{file}:{count}", f"one JSON object: {error}") from error
            if missing:
                raise InvalidArgument(f"{file}:{count}", f"the fields {', '.join(missing)}")
            yield row


def _note(row: Mapping[str, Any]) -> NoteDraft:
    vault = str(row.get("scope") or VAULT)
    return NoteDraft(title=row.get("title") or "", text=row["text"], vault=vault, created_at=_when(row, "createdAt"))


def _question(row: Mapping[str, Any], relevant: Mapping[str, int], vaults: frozenset[str]) -> GoldenQuestion:
    scope = str(row.get("scope") or str(row["id"]).partition("/")[0])
    return GoldenQuestion(
        question_id=str(row["id"]),
        text=row["text"],
        relevant=relevant,
        slice=str(row.get("category", "all")),
        now=_when(row, "date"),
        filters=Filters(vaults=(scope,) if scope in vaults else ()),
    )


def _when(row: Mapping[str, Any], name: str) -> datetime:
    if not row.get(name):
        return UNDATED
    when = datetime.fromisoformat(row[name])
    return when if when.tzinfo else when.replace(tzinfo=UTC)
