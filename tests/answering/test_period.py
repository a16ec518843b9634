from __future__ import annotations

from zoneinfo import ZoneInfo

from shared.answering.period import MAX_LINE, period_quotes
from tests.answering.samples import passage

ZONE = ZoneInfo("Europe/Berlin")
MIGRATION = (
    "Slept badly. Coffee with Ana in the new place by the river, where it was loud and full of people. "
    "The billing migration took all day: the billing tables moved, and the billing jobs run again. "
    "Ate soup with bread in the evening and watched half of an old film about trains."
)


def lines(*texts: str) -> list[str]:
    quotes = period_quotes([passage(text) for text in texts], ZONE, "en")
    return [" ".join(quote.lines) for quote in quotes]


def test_a_line_of_a_long_note_says_what_the_day_was_about_and_not_how_it_began() -> None:
    line, _ = lines(MIGRATION, "Slept badly. Walked in the rain.")
    assert "The billing migration took all day" in line
    assert not line.startswith("Slept badly. Coffee")
    assert len(line) <= MAX_LINE + len(" … ") * 2


def test_a_short_note_is_shown_whole() -> None:
    text = "Slept badly. Walked in the rain with Tom. Called the bank about the card."
    assert lines(text) == [text]
    assert lines("- bought milk\n- called Ana\n\nLate to bed.") == [
        "bought milk; called Ana; Late to bed."
    ]


def test_omissions_are_marked_and_the_quote_spans_the_chosen_pieces() -> None:
    (quote,) = period_quotes([passage(MIGRATION, start=50)], ZONE, "en")
    assert quote.text == MIGRATION[quote.start - 50 : quote.end - 50]
    assert " ".join(quote.lines).endswith(" …") is (quote.end - 50 < len(MIGRATION))


def test_one_long_piece_is_cut() -> None:
    (line,) = lines("word " * 100 + "end.")
    assert len(line) <= MAX_LINE + 2
    assert line.endswith("…")


def test_a_line_says_a_sentence_once_and_uses_the_room_for_what_else_the_note_says() -> None:
    minutes = (
        "Opening words by the chair. "
        + "The heating system was discussed again at length. " * 20
        + "We voted to replace the boiler with a heat pump, 7 to 2. "
        + "Coffee was served. " * 30
    )
    line, _ = lines(minutes, "Walked in the rain.")
    assert line.count("Coffee was served.") == 1
    assert line.count("The heating system was discussed") == 1
    assert "replace the boiler with a heat pump" in line
    assert lines("Bought milk. Bought milk. Called Ana.") == ["Bought milk. … Called Ana."]
