from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.answering.citing.claims import find_claims


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("We chose Firestore [N1]. It scales [N2].", [("We chose Firestore .", ("N1",)), ("It scales .", ("N2",))]),
        ("We chose Firestore. [N1] It scales. [N2]", [("We chose Firestore.", ("N1",)), ("It scales.", ("N2",))]),
        ("Both [N1][N2] hold [N1].", [("Both hold .", ("N1", "N2"))]),
        ("No source here.", [("No source here.", ())]),
        ("[N1] says that it scales.", [("says that it scales.", ("N1",))]),
        ("", []),
        ("[N1]", []),
        ("[N1][N2].", []),
    ],
)
def test_an_answer_falls_into_claims_with_their_labels(answer: str, claims: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(claim.text, claim.labels) for claim in find_claims(answer)] == claims


def test_a_marker_on_a_new_line_belongs_to_what_follows() -> None:
    assert [claim.labels for claim in find_claims("Two reasons.\n[N1] It scales.")] == [(), ("N1",)]


@given(
    st.lists(st.sampled_from(["We chose it", " [N1]", "[N2]", ". ", "! ", "\n", "- x", "数据库。"]), max_size=20).map(
        "".join
    )
)
def test_claims_are_in_order_and_point_into_the_answer(answer: str) -> None:
    end = 0
    for claim in find_claims(answer):
        assert end <= claim.start < claim.end <= len(answer)
        assert all(f"[{label}]" in answer[claim.start : claim.end] for label in claim.labels)
        end = claim.end
