"""The golden questions over the sample notes, asked of the whole product offline: its quality does not fall unnoticed.

Recorded figures are what was measured, not what is wished for: move them with the change that moves them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from desktop.files.reading import walk
from evaluation.golden import read_golden
from tests.cli.conftest import Aurora

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "examples"
GOLDEN = EXAMPLES / "golden.jsonl"
FURTHER = EXAMPLES / "golden-refusals.jsonl"
NOTES = EXAMPLES / "notes"

RECORDED, RECORDED_BY_RANKS = 0.969, 0.958
"""nDCG@10 with the local embedder: by weights, as asked by default, and by ranks."""
RECORDED_ALONE = 0.932
"""nDCG@10 by keywords and recency only."""
TOLERANCE = 0.02
STRANGERS = EXAMPLES / "strangers"
RECORDED_STRANGERS = {
    "hit@5": 0.931,
    "nDCG@10": 0.903,
    "facts": 0.828,
    "complete first": 0.690,
    "right note cited": 0.897,
    "refused": 0.034,
}
"""Over notes that nobody here wrote, answerable questions."""
TWO_QUESTIONS = 0.07
"""Two of 29 answerable questions: the most that a figure over these may lose."""
PEOPLE = EXAMPLES / "people"
RECORDED_PEOPLE = {
    "hit@5": 0.814,
    "complete first": 0.517,
    "right note cited": 0.701,
    "refused": 0.025,
}
"""Over the notes of made-up people, answerable questions."""
EIGHT_QUESTIONS = 0.02
"""Eight of 408 answerable questions: the most that a figure over these may lose."""
ANSWERABLE_REFUSED, FURTHER_ANSWERABLE_REFUSED = 0.05, 0.25
"""Most; of the further questions most share few words with their note. Without a writing model passages are quoted
where the notes speak of the subject, so what they almost answer is not refused.
"""


def _evaluated(
    home: Path, *options: str, golden: Path = GOLDEN, notes: Path = NOTES
) -> list[dict[str, Any]]:
    vectors = home.parent / "vectors.sqlite3"  # of all tests here: each note is embedded once
    report = Aurora(home).json(
        "eval", str(golden), "--notes", str(notes), "--cache", str(vectors), *options
    )
    variants: list[dict[str, Any]] = report["variants"]
    return variants


def _lost(home: Path, collection: Path, recorded: Mapping[str, float]) -> dict[str, float]:
    """Returns by how much each figure over a collection is worse than recorded."""
    (variant,) = _evaluated(home, golden=collection / "golden.jsonl", notes=collection / "notes")
    figures = variant["overall"] | variant["answers"]["all"]
    lost = {name: was - figures[name] for name, was in recorded.items()}
    lost["refused"] *= -1
    return lost


@pytest.mark.nightly
def test_the_right_note_comes_first_by_ranks_too(tmp_path: Path) -> None:
    (variant,) = _evaluated(tmp_path, "--strategy", "rrf", "--no-chat")
    assert variant["overall"]["nDCG@10"] >= RECORDED_BY_RANKS - TOLERANCE


def test_without_an_embedder_keywords_still_find_it(tmp_path: Path) -> None:
    (variant,) = _evaluated(tmp_path, "--embedder", "none", "--no-chat")
    assert variant["overall"]["nDCG@10"] >= RECORDED_ALONE - TOLERANCE


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The golden questions asked and answered."""
    (variant,) = _evaluated(tmp_path_factory.mktemp("answered"))
    return variant


def test_the_right_note_still_comes_first_and_is_quoted(answered: dict[str, Any]) -> None:
    assert answered["overall"]["nDCG@10"] >= RECORDED - TOLERANCE
    assert answered["refusals"]["answerableRefused"] <= ANSWERABLE_REFUSED
    assert answered["citations"]["recall"] >= 0.85


@pytest.mark.nightly
def test_further_questions_are_hardly_refused(tmp_path: Path) -> None:
    (variant,) = _evaluated(tmp_path, golden=FURTHER)
    assert variant["refusals"]["answerableRefused"] <= FURTHER_ANSWERABLE_REFUSED


@pytest.mark.nightly
def test_without_an_embedder_refusals_hold_too(tmp_path: Path) -> None:
    (variant,) = _evaluated(tmp_path, "--embedder", "none")
    assert variant["refusals"]["answerableRefused"] <= 2 * ANSWERABLE_REFUSED


@pytest.mark.nightly
def test_the_same_questions_give_the_same_figures(tmp_path: Path, answered: dict[str, Any]) -> None:
    (evaluated,) = _evaluated(tmp_path)
    assert evaluated | {"ms": None} == answered | {"ms": None}


@pytest.mark.nightly
def test_notes_of_strangers_are_found_and_answered_from_as_well_as_before(tmp_path: Path) -> None:
    lost = _lost(tmp_path, STRANGERS, RECORDED_STRANGERS)
    assert max(lost.values()) <= TWO_QUESTIONS, lost


@pytest.mark.nightly
@pytest.mark.timeout(600)  # 480 questions, each searched and answered
def test_questions_of_people_are_answered_as_completely_as_before(tmp_path: Path) -> None:
    lost = _lost(tmp_path, PEOPLE, RECORDED_PEOPLE)
    assert max(lost.values()) <= EIGHT_QUESTIONS, lost


def test_the_questions_are_sixty_of_every_kind() -> None:
    questions = read_golden(GOLDEN)
    assert len(questions) == 60
    kinds = Counter(question.slice for question in questions)
    assert set(kinds) == {
        "keyword", "natural", "vague", "temporal", "folder", "two notes", "other languages", "unanswerable"
    }  # fmt: skip
    assert min(kinds.values()) >= 4
    assert all(question.now is not None for question in questions)


def test_every_sample_note_is_asked_for() -> None:
    relevant_names = {name for question in read_golden(GOLDEN) for name in question.relevant}
    assert relevant_names == {
        str(file.relative_to(NOTES)) for file in walk(NOTES) if isinstance(file, Path)
    }
