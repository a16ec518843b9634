from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from shared.model.questions import TimeHint
from shared.times.intent import asks_for_the_former, asks_of_the_past, kind_asked
from shared.times.phrases import find_time
from tests.times.intents import EVENTS, FILTERS, PERIODS, STORIES, kept_aside
from tests.times.tenses import FORMER, NOT_FORMER, PAST, PRESENT

NOW = datetime(2026, 3, 18, 15, tzinfo=UTC)


def hint_of(lang: str, text: str) -> TimeHint | None:
    mention = find_time(text, now=NOW, zone="Europe/Berlin", lang=lang)
    return mention.hint if mention else None


def restricted(rows: Sequence[tuple[str, str]]) -> float:
    """Share of questions whose time restricts the search."""
    hints = [hint_of(*row) for row in rows]
    return sum(hint is not None and hint.restricts for hint in hints) / len(rows)


@pytest.mark.parametrize(("lang", "text"), [row for row in STORIES if not kept_aside(row[1])])
def test_a_time_in_a_story_is_no_filter(lang: str, text: str) -> None:
    hint = hint_of(lang, text)
    assert hint is None or not hint.restricts


@pytest.mark.parametrize(("lang", "text"), [row for row in FILTERS if not kept_aside(row[1])])
def test_a_time_that_is_asked_about_is_one(lang: str, text: str) -> None:
    hint = hint_of(lang, text)
    assert hint is not None
    assert hint.restricts


@pytest.mark.parametrize(("lang", "text"), EVENTS)
def test_a_time_at_which_something_happened_orders(lang: str, text: str) -> None:
    hint = hint_of(lang, text)
    assert hint is not None
    assert not hint.restricts


@pytest.mark.parametrize(("lang", "text"), PERIODS)
def test_a_time_beside_which_no_subject_remains_restricts(lang: str, text: str) -> None:
    hint = hint_of(lang, text)
    assert hint is not None
    assert hint.restricts


@pytest.mark.parametrize(
    ("lang", "text", "restricts"),
    [
        ("en", "Who is duty manager this week?", False),
        ("en", "Where is the market this week?", False),
        ("de", "Wer ist diese Woche im Dienst?", False),
        ("es", "¿Quién está de guardia esta semana?", False),
        ("fr", "Qui est de garde cette semaine ?", False),
        ("it", "Chi è di turno questa settimana?", False),
        ("en", "What time does the shop open today?", False),
        ("en", "How much is the ticket this week?", False),
        ("de", "Wie lange ist diese Woche geöffnet?", False),
        ("fr", "À quelle heure est la répétition aujourd'hui ?", False),
        ("en", "What time do the juniors start today?", False),
        ("en", "When do the juniors start today?", False),
        ("de", "Wann beginnt heute das Training?", False),
        ("de", "Um wie viel Uhr beginnt heute das Training?", False),
        ("fr", "À quelle heure commence la répétition aujourd'hui ?", False),
        ("es", "¿A qué hora empieza hoy el entrenamiento?", False),
        ("it", "A che ora comincia oggi la lezione?", False),
        ("en", "When did I run today?", True),
        ("en", "How many books did I read this month?", True),
        ("en", "What is new this week?", True),
        ("en", "What is open this month?", True),
        ("en", "Which tasks are open this month?", True),
        ("de", "Was ist diese Woche neu?", True),
        ("en", "What was released this week?", True),
        ("en", "What are my notes of this week?", True),
    ],
)
def test_who_is_somewhere_in_a_time_that_is_not_over_may_have_been_planned_before(
    lang: str, text: str, *, restricts: bool
) -> None:
    hint = hint_of(lang, text)
    assert hint is not None
    assert hint.restricts is restricts


@pytest.mark.parametrize(
    "text",
    [
        "When are we closed at Christmas?",
        "When do the juniors start on Saturday?",
        "Is the shop closed on Friday?",
        "Is the Louvre closed on Friday?",
        "Is Anna Miller invited in May?",
        "Is it fully booked in May?",
        "Which trips are planned in May?",
        "Are the cakes made in May?",
    ],
)
def test_a_participle_behind_a_verb_of_the_present_is_no_past(text: str) -> None:
    assert hint_of("en", text) is None


@pytest.mark.parametrize(
    "text",
    [
        "When did we close at Christmas?",
        "What is the book that I finished in May?",
        "What is it I planned in May?",
        "What is it Anna planned in May?",
        "What is it she planned in May?",
        "Which trips were planned in May?",
    ],
)
def test_a_past_that_is_told_of_the_present_is_one(text: str) -> None:
    assert hint_of("en", text) is not None


@pytest.mark.parametrize(
    ("text", "is_past"),
    [
        ("What shoe size does Emil have?", False),
        ("Which insurance does the car have?", False),
        ("Which insurance do the cars have?", False),
        ("What shoe size did Emil have?", True),
        ("What have I paid?", True),
    ],
)
def test_the_first_verb_tells_whether_a_question_asks_of_the_past(
    text: str, *, is_past: bool
) -> None:
    assert asks_of_the_past(text, "en") is is_past


@pytest.mark.parametrize(("lang", "text"), PAST + FORMER)
def test_a_question_in_the_past_is_read(lang: str, text: str) -> None:
    assert asks_of_the_past(text, lang)


@pytest.mark.parametrize(("lang", "text"), PRESENT)
def test_a_question_in_the_present_is_none_of_the_past(lang: str, text: str) -> None:
    assert not asks_of_the_past(text, lang)


@pytest.mark.parametrize(("lang", "text"), FORMER)
def test_a_question_for_what_no_longer_holds_is_read(lang: str, text: str) -> None:
    assert asks_for_the_former(text, lang)


@pytest.mark.parametrize(("lang", "text"), NOT_FORMER)
def test_other_questions_ask_for_nothing_former(lang: str, text: str) -> None:
    assert not asks_for_the_former(text, lang)


@pytest.mark.parametrize(
    ("lang", "text", "kind"),
    [
        ("en", "versions released in", ["versions"]),
        ("en", "Which versions were released in?", ["versions"]),
        ("de", "Welche Versionen wurden im veröffentlicht?", ["Versionen"]),
        ("de", "Versionen veröffentlicht im", ["Versionen"]),
        ("es", "versiones publicadas en", ["versiones"]),
        ("fr", "versions publiées en", ["versions"]),
        ("it", "versioni pubblicate a", ["versioni"]),
        ("en", "list all versions released in", ["versions"]),
        ("en", "list all the versions released in", ["versions"]),
        ("es", "todas las versiones publicadas en", ["versiones"]),
        ("fr", "toutes les versions publiées en", ["versions"]),
        ("it", "tutte le versioni pubblicate a", ["versioni"]),
        ("en", "the versions released in", []),
        ("en", "Which versions got released in?", ["versions"]),
        ("en", "go-kart races planned in", ["go-kart", "races"]),
        ("de", "Alle Versionen veröffentlicht im", ["Versionen"]),
        ("it", "Quali versioni sono state pubblicate a?", ["versioni"]),
        ("en", "Which versions got presents in?", []),
        ("en", "What was released in?", []),
        ("en", "gifts sent by the neighbours in", []),
        ("en", "Which race did Priya win?", []),
        ("en", "Which versions are open?", []),
    ],
)
def test_the_kind_of_things_that_is_asked_for_stands_before_the_verb(
    lang: str, text: str, kind: list[str]
) -> None:
    assert kind_asked(text, lang) == kind


def test_intents_hold_for_the_half_that_no_rule_was_made_from() -> None:
    assert restricted([row for row in STORIES if kept_aside(row[1])]) <= 0.05
    assert restricted([row for row in FILTERS if kept_aside(row[1])]) >= 0.9


def test_there_are_sixty_of_each_in_four_languages() -> None:
    for rows in (STORIES, FILTERS):
        assert len({text for _, text in rows}) == 60
        assert {lang for lang, _ in rows} == {"en", "de", "es", "fr"}


def test_the_time_that_is_asked_about_counts_among_several() -> None:
    hint = hint_of("en", "I lost my keys yesterday. What did I note about the locksmith last week?")
    assert hint is not None
    assert hint.phrase == "last week"
    assert hint.restricts is True


@pytest.mark.parametrize(
    "text",
    [
        "Can I still return the lamp I bought last week?",
        "Last week I wrote about the garden. What was the name of the rose?",
    ],
)
def test_where_both_readings_are_possible_a_time_orders(text: str) -> None:
    hint = hint_of("en", text)
    assert hint is not None
    assert not hint.restricts


@pytest.mark.parametrize("lang", ["en", "de", "fr", "es", "it"])
@pytest.mark.parametrize("part", ["hat ", "ge", "ha ", "have ", "ait ", "te ", "d'"])
def test_an_odd_question_takes_no_time(lang: str, part: str) -> None:
    text = part * (16_000 // len(part))
    started = time.thread_time()
    asks_of_the_past(text, lang)
    assert time.thread_time() - started < 2.0
