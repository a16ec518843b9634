from __future__ import annotations

import pytest

from evaluation.corpus import names_of, relevant_ids
from evaluation.golden import GoldenQuestion
from shared.errors import InvalidArgument
from shared.notes.service import NoteDraft

NOTES = {
    "n1": NoteDraft(title="", text="", vault="work", path="plan.md"),
    "n2": NoteDraft(title="", text="", vault="home", path="plan.md"),
    "n3": NoteDraft(
        title="",
        text="",
        vault="home",
        path="garden/beds.md",
    ),
    "n4": NoteDraft(title="", text=""),
}


def _resolved(*names: str) -> dict[str, int]:
    return relevant_ids(GoldenQuestion("q", "?", dict.fromkeys(names, 1)), NOTES, names_of(NOTES))


def test_a_note_is_named_by_id_or_path_or_vault_and_path() -> None:
    assert _resolved("n4") == {"n4": 1}
    assert _resolved("garden/beds.md") == {"n3": 1}
    assert _resolved("work/plan.md", "home/plan.md") == {"n1": 1, "n2": 1}


@pytest.mark.parametrize("name", ["missing.md", "plan.md", ""])
def test_a_name_that_means_no_note_or_two_is_told_with_its_question(name: str) -> None:
    with pytest.raises(InvalidArgument, match="question q: relevant"):
        _resolved(name)
