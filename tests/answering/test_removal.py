from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.answering.citing.removal import without


def cut(text: str) -> str:
    """Without what stands between ⟦ and ⟧."""
    spans, plain = [], ""
    for piece in text.split("⟦"):
        gone, closed, rest = piece.partition("⟧")
        if closed:
            spans.append((len(plain), len(plain) + len(gone)))
        plain += gone + rest
    return without(plain, spans)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("One. ⟦Two.⟧ Three.", "One. Three."),
        ("⟦One.⟧ Two.", "Two."),
        ("One. ⟦Two.⟧", "One."),
        ("One. ⟦Two.⟧ ⟦Three.⟧ Four.", "One. Four."),
        ("⟦One.⟧", ""),
        ("- One [N1].\n- ⟦Two [N2].⟧\n- Three.", "- One [N1].\n- Three."),
        ("1. One.\n2. ⟦Two.⟧\n3. Three.\n4. Four.", "1. One.\n2. Three.\n3. Four."),
        ("1. One. ⟦Still one.⟧\n2. Two.", "1. One.\n2. Two."),
        ("2) ⟦One.⟧ But this.\n3) Two.", "2) But this.\n3) Two."),
        ("1. One.\n   - ⟦a.⟧\n   - b.\n2. Two.", "1. One.\n   - b.\n2. Two."),
        ("# Context\n\n⟦One.⟧\n\n# Decision\n\nTwo.", "# Decision\n\nTwo."),
        ("# Context\n\n## Why\n\n⟦One.⟧\n\n# Decision\n\nTwo.", "# Decision\n\nTwo."),
        ("# All\n\n## Why\n\n⟦One.⟧\n\n## How\n\nTwo.", "# All\n\n## How\n\nTwo."),
        ("One.\n\n⟦Two.⟧ [N2]\n\nThree.", "One.\n\nThree."),
    ],
)
def test_lists_headings_and_blanks_stay_right(text: str, left: str) -> None:
    assert cut(text) == left


@given(st.lists(st.tuples(st.sampled_from(["Ab c.", "De [N1].", "Fg!"]), st.booleans()), max_size=8))
def test_what_is_kept_stays_as_it_is(sentences: list[tuple[str, bool]]) -> None:
    text, spans = "", []
    for sentence, goes in sentences:
        text += " " if text else ""
        if goes:
            spans.append((len(text), len(text) + len(sentence)))
        text += sentence
    assert without(text, spans) == " ".join(sentence for sentence, goes in sentences if not goes)
