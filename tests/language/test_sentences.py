"""The bounds of sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.sentences import sentences

pytestmark = pytest.mark.slow


def cut(text: str, lang: str | None = None) -> list[str]:
    return [text[start:end] for start, end in sentences(text, lang=lang)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Smith met Mrs. Jones. They left.", ["Dr. Smith met Mrs. Jones.", "They left."]),
        ("It cost $3.50 in v1.2.3. See https://a.b/c.html. Done.",
         ["It cost $3.50 in v1.2.3.", "See https://a.b/c.html.", "Done."]),
        ("Fruit, e.g. Apples, i.e. Food. Yes.", ["Fruit, e.g. Apples, i.e. Food.", "Yes."]),
        ("J. R. Smith came. Then I. Newton.", ["J. R. Smith came.", "Then I.", "Newton."]),
        ("At 3 p.m. We left.", ["At 3 p.m.", "We left."]),
        ("No. 5 is alive. I said no. He left.", ["No. 5 is alive.", "I said no.", "He left."]),
        ("It was 2024. We began.", ["It was 2024.", "We began."]),
        ("Am 3. Mai war z.B. Herr Müller da. Ja.", ["Am 3. Mai war z.B. Herr Müller da.", "Ja."]),
        ("“Really?” she asked. (Yes.) “Fine.” Then on.", ["“Really?” she asked.", "(Yes.)", "“Fine.”", "Then on."]),
        ("Wait... what? Wait... What", ["Wait... what?", "Wait...", "What"]),
        ("We chose Firestore. [N1] It scales [N2].", ["We chose Firestore.", "[N1] It scales [N2]."]),
        ("All 312 failed [N2]. pool_size stops it [7]. so it went.",
         ["All 312 failed [N2].", "pool_size stops it [7].", "so it went."]),
        ("今日は晴れ。明日は雨！「はい。」そうですか？", ["今日は晴れ。", "明日は雨！", "「はい。」", "そうですか？"]),
        ("# Title\n\n- [ ] Buy milk. Then eggs\n* two\n1. First\n2. Second. More.\n> said\n",
         ["Title", "Buy milk.", "Then eggs", "two", "First", "Second.", "More.", "said"]),
        ("milk\neggs\r\nbread", ["milk", "eggs", "bread"]),
        ("a\n---\n***\n```\n\nb", ["a", "b"]),
        ("", []), (" \n\t", []), ("...", []), ("a", ["a"]),
    ],
)  # fmt: skip
def test_sentences_of(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_a_wrapped_line_of_prose_is_not_an_end() -> None:
    text = "We talked for a long while about the budget of the next year and\nthen decided nothing. Good."
    assert cut(text) == [text[: text.index(" Good")], "Good."]


def test_ordinals_end_nothing_where_the_language_writes_them_with_a_dot() -> None:
    text = "Das war im 19. Jahrhundert. Danach nicht."
    assert cut(text, "de") == ["Das war im 19. Jahrhundert.", "Danach nicht."]
    assert len(cut("He was 19. She was not.", "en")) == 2


@given(st.text() | st.text(alphabet='aB1. \n\r!?。」")-*#>[]x…', max_size=60))
def test_spans_are_trimmed_ordered_and_hold_every_letter(text: str) -> None:
    position = 0
    for start, end in sentences(text):
        assert position <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        skipped = text[position:start]
        assert not any(map(str.isalpha, skipped)) or "[" in skipped, (
            "only marks and a checkbox are left out"
        )
        position = end
    assert not any(map(str.isalpha, text[position:]))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", [".", ". ", "a. ", "1. ", ".)", '"', "- ", "\n", "[x] ", "a", " ", "…", "e.g. "]
)
def test_three_hundred_thousand_characters_of_anything_take_a_second(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    assert all(end <= len(text) for _, end in sentences(text))
