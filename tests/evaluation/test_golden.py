"""The golden file: what it may say, and how a mistake in it is told."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaluation.golden import GoldenQuestion, read_golden, share_held
from shared.errors import InvalidArgument
from shared.model.questions import Filters

FULL = {
    "id": "q1",
    "text": "What did I decide?",
    "relevant": {"a.md": 2, "b.md": 1},
    "now": "2026-11-15T12:00:00Z",
    "timeZone": "Europe/Berlin",
    "filters": {
        "folders": ["projects"],
        "createdAfter": "2026-01-01",
        "windowDays": 30,
    },
    "slice": "natural",
}


def _written(folder: Path, *entries: dict[str, Any]) -> Path:
    file = folder / "golden.jsonl"
    file.write_text("\n".join(json.dumps(entry) for entry in entries) + "\n", encoding="utf-8")
    return file


def test_a_line_is_a_question_with_all_that_chat_takes(tmp_path: Path) -> None:
    assert read_golden(_written(tmp_path, FULL)) == (
        GoldenQuestion(
            question_id="q1",
            text="What did I decide?",
            relevant={"a.md": 2, "b.md": 1},
            slice="natural",
            now=datetime(2026, 11, 15, 12, tzinfo=UTC),
            zone="Europe/Berlin",
            filters=Filters(
                folders=("projects",),
                created_after=datetime(2025, 12, 31, 23, tzinfo=UTC),
                window_days=30,
            ),
        ),
    )


def test_yaml_says_the_same_as_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "golden.yaml"
    file.write_text(
        "- id: q1\n  text: What did I decide?\n  relevant: {a.md: 2, b.md: 1}\n  now: 2026-11-15T12:00:00Z\n"
        "  timeZone: Europe/Berlin\n  slice: natural\n"
        "  filters: {folders: [projects], createdAfter: '2026-01-01', windowDays: 30}\n",
        encoding="utf-8",
    )
    assert read_golden(file) == read_golden(_written(tmp_path, FULL))


def test_a_vault_is_searched_alone_and_facts_are_kept(tmp_path: Path) -> None:
    entry = {
        "id": "q",
        "text": "t",
        "relevant": ["a"],
        "vault": "en",
        "answer_facts": ["12 weeks"],
        "slice": "vague",
    }
    (question,) = read_golden(_written(tmp_path, entry))
    assert question.filters.vaults == ("en",)
    assert question.facts == ("12 weeks",)
    assert question.group == "en vague"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": "two words"}, "id"),
        ({"text": ""}, "text"),
        ({"text": " \n"}, "text"),
        ({"relevant": [["a"]]}, "relevant"),
        ({"relevant": "a.md"}, "relevant"),
        ({"relevant": {"a": 1.5}}, "relevant.a"),
        ({"relevant": {}}, "either relevant notes or"),
        ({"unanswerable": True}, "either relevant notes or"),
        ({"relevant": {"a": 0}}, "relevant.a"),
        ({"now": "yesterday"}, "now"),
        ({"timeZone": "Mars/Olympus"}, "timeZone"),
        ({"filters": {"createdAfter": "someday"}}, "RFC 3339"),
        (
            {"filters": {"createdAfter": "2026-02-01", "createdBefore": "2026-01-01"}},
            "filters.createdAfter is later",
        ),
        ({"filters": {"folder": "x"}}, "filters.folder"),
        ({"vault": "en", "filters": {"vaults": ["de"]}}, "either vault or filters.vaults"),
        ({"relevant": {}, "unanswerable": True, "answer_facts": ["12"]}, "answer_facts"),
        ({"answer_facts": [" "]}, "answer_facts.0"),
        ({"grade": 3}, "grade"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_field(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    file = _written(tmp_path, {**FULL, "id": "q0"}, {**FULL, **change})
    with pytest.raises(InvalidArgument) as caught:
        read_golden(file)
    assert caught.value.message.startswith(f"{file}:2")
    assert told in caught.value.message


def test_an_id_stands_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="'q1' is taken"):
        read_golden(_written(tmp_path, FULL, FULL))


def test_a_byte_order_mark_and_line_ends_of_windows_do_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(FULL).encode() + b"\r\n\r\n")
    assert [question.question_id for question in read_golden(file)] == ["q1"]


def test_a_line_that_is_no_object_is_told_in_our_words(tmp_path: Path) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text("[1, 2]\n")
    with pytest.raises(
        InvalidArgument, match=r"golden.jsonl:1: expected an object with the fields of a question$"
    ):
        read_golden(file)


@pytest.mark.parametrize("text", ["", "\n\n", "not json\n", "[1, 2]\n"])
def test_a_file_without_questions_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "golden.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgument):
        read_golden(file)


@pytest.mark.parametrize("text", ["questions: 3\n", "a: [b\n"])
def test_yaml_that_is_no_list_of_questions_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "golden.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgument, match="YAML"):
        read_golden(file)


@pytest.mark.parametrize(
    "text",
    ["> Berta:\\\n> Tel. 4471 [N1]", "Berta:\nTel. 4471", "berta: tel. 4471"],
)
def test_a_fact_may_go_on_behind_a_line_break(text: str) -> None:
    assert share_held(text, ["Berta: Tel. 4471"]) == 1
