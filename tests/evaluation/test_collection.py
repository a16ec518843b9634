from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaluation.collection import UNDATED, read_collection
from shared.errors import InvalidArgument

NOTES: list[dict[str, Any]] = [
    {
        "id": "chat1/S1",
        "scope": "chat1",
        "title": "Talk",
        "text": "Hello",
        "createdAt": "2023-05-08T13:56:00",
    },
    {
        "id": "chat2/S1",
        "scope": "chat2",
        "title": "",
        "text": "Goodbye",
    },
]
QUERIES: list[dict[str, Any]] = [
    {
        "id": "chat1/q0",
        "text": "Who said hello?",
        "date": "2023-10-23T09:55:00",
        "category": 4,
    },
    {"id": "chat1/q1", "text": "Judged by nobody"},
]
QRELS: list[dict[str, Any]] = [
    {"query_id": "chat1/q0", "note_id": "chat1/S1", "relevance": 1},
    {"query_id": "chat1/q0", "note_id": "chat2/S1", "relevance": 0},
]


def _folder(folder: Path, **files: list[dict[str, Any]]) -> Path:
    for name, rows in {"notes": NOTES, "queries": QUERIES, "qrels": QRELS, **files}.items():
        (folder / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    return folder


def test_scopes_become_vaults_and_each_question_searches_its_own(tmp_path: Path) -> None:
    collection = read_collection(_folder(tmp_path))
    assert {note_id: note.vault for note_id, note in collection.notes.items()} == {
        "chat1/S1": "chat1",
        "chat2/S1": "chat2",
    }
    (question,) = collection.questions
    assert question.filters.vaults == ("chat1",)
    assert question.slice == "4"
    assert question.relevant == {"chat1/S1": 1}
    assert question.now == datetime(2023, 10, 23, 9, 55, tzinfo=UTC)


def test_notes_without_a_time_are_all_of_one_moment(tmp_path: Path) -> None:
    notes = read_collection(_folder(tmp_path)).notes
    assert notes["chat1/S1"].created_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert notes["chat2/S1"].created_at == UNDATED


def test_a_collection_without_scopes_searches_everything(tmp_path: Path) -> None:
    notes = [{"id": "1", "text": "one"}]
    collection = read_collection(
        _folder(
            tmp_path,
            notes=notes,
            queries=[{"id": "7", "text": "?"}],
            qrels=[{**QRELS[0], "query_id": "7"}],
        )
    )
    assert collection.questions[0].filters.vaults == ()


@pytest.mark.parametrize(
    ("name", "row", "told"),
    [
        ("notes", {"id": "1"}, "the field text"),
        ("notes", {"id": "1", "text": 5}, "text is no text"),
        ("notes", {"id": "1", "text": "t", "createdAt": "some day"}, "Invalid isoformat string"),
        ("notes", ["id", "text"], "no object"),
        ("queries", {"id": "chat1/q0", "text": None}, "text is no text"),
        ("qrels", {"query_id": "chat1/q0", "note_id": "chat1/S1"}, "the field relevance"),
        (
            "qrels",
            {
                "query_id": "chat1/q0",
                "note_id": "chat1/S1",
                "relevance": "high",
            },
            "invalid literal",
        ),
    ],
)
def test_a_bad_row_is_told_with_its_line(tmp_path: Path, name: str, row: Any, told: str) -> None:  # noqa: ANN401 - any JSON
    with pytest.raises(InvalidArgument, match=rf"{name}\.jsonl:1: expected .*{told}"):
        read_collection(_folder(tmp_path, **{name: [row]}))


def test_a_line_that_is_no_json_is_told_with_its_place(tmp_path: Path) -> None:
    (_folder(tmp_path) / "qrels.jsonl").write_text(f"{json.dumps(QRELS[0])}\n\n")
    with pytest.raises(InvalidArgument, match=r"qrels\.jsonl:2: expected an object"):
        read_collection(tmp_path)
