"""Questions taken apart."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from shared.model.questions import Question
from shared.retrieval.analysis import MAX_STEMS, analyse

NOW = datetime(2026, 11, 18, 14, 0, tzinfo=UTC)


def test_keywords_are_content_words_and_stems_leave_out_the_time() -> None:
    analysis = analyse(
        Question("t", "What did I decide last week about the API?", NOW, "Europe/Berlin")
    )
    assert analysis.keywords == ("decide", "week", "api")
    assert analysis.stems == ("decid", "api")
    assert analysis.time is not None
    assert analysis.time.phrase == "last week"
    assert analysis.time.days == 14


def test_each_word_counts_once_in_the_order_of_the_question() -> None:
    analysis = analyse(Question("t", "API costs: which costs does the API have?", NOW))
    assert analysis.keywords == ("api", "costs")
    assert analysis.time is None


@pytest.mark.parametrize("text", ["", "?!", "what was it", "   "])
def test_a_question_without_content_has_no_keywords(text: str) -> None:
    analysis = analyse(Question("t", text, NOW))
    assert analysis.keywords == ()
    assert analysis.stems == ()
    assert analysis.time is None


@pytest.mark.parametrize(
    ("text", "lang", "phrase"),
    [
        ("Fasse letzte Woche zusammen", "de", "letzte Woche"),
        ("Zahnarzt letzten Montag", "de", "letzten Montag"),
        ("Resume octubre", "es", "octubre"),
        ("Résume hier", "fr", "hier"),
        ("Notes d'hier", "fr", "d'hier"),
        ("Riassumi ieri", "it", "ieri"),
        ("versioni pubblicate a maggio 2025", "it", "maggio 2025"),
        ("Summary of Ayer", "en", None),
        ("Real estate 2025", "en", None),
        ("Mars mission", "en", None),
    ],
)
def test_a_short_question_is_of_the_language_that_reads_its_time(
    text: str, lang: str, phrase: str | None
) -> None:
    analysis = analyse(Question("t", text, NOW, "Europe/Berlin"))
    assert analysis.lang == lang
    assert (analysis.time.phrase if analysis.time else None) == phrase


def test_a_question_with_very_many_words_is_scored_by_the_longest() -> None:
    short = " ".join(f"w{number:02d}" for number in range(60))
    analysis = analyse(Question("t", f"{short} electroencephalograph", NOW))
    assert len(analysis.stems) == MAX_STEMS
    assert analysis.stems[0] == "w00"
    assert analysis.stems[-1].startswith("electro")
    assert len(analysis.keywords) == 61
