"""Follow-ups made whole by rule: a table of dialogues, also of questions that lean on nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.sessions.follow_ups import Moment, drops_time, standalone_question

NOW = Moment(datetime(2026, 11, 21, 12, tzinfo=UTC), "Europe/Berlin")


def whole(text: str, previous: str, *, asked: Moment = NOW, longest: int = 2000) -> str:
    return standalone_question(
        text,
        previous,
        asked_at=asked,
        now=NOW,
        longest=longest,
    )


TIMES = [
    ("How many tomatoes did I harvest in February?", "And in March?", "How many tomatoes did I harvest in March?"),
    ("How many tomatoes did I harvest in February?", "What about March?", "How many tomatoes did I harvest in March?"),
    ("What did I decide about the API?", "last week?", "What did I decide about the API last week?"),
    ("Where were we in March 2024?", "And in June?", "Where were we in June?"),
    ("Wo waren wir im März 2024?", "Und im Juni?", "Wo waren wir im Juni?"),
    ("What did I write last week?", "and yesterday?", "What did I write yesterday?"),
    ("Wie viele Tomaten habe ich im Februar geerntet?", "Und im März?", "Wie viele Tomaten habe ich geerntet im März?"),
    ("Was habe ich über die API entschieden?", "Und letzte Woche?",
     "Was habe ich über die API entschieden letzte Woche?"),
    ("¿Cuántos tomates coseché en febrero?", "¿Y en marzo?", "¿Cuántos tomates coseché en marzo?"),
    ("Combien de tomates ai-je récoltées en février ?", "Et en mars ?", "Combien de tomates ai-je récoltées en mars?"),
]  # fmt: skip
"""(the question before, the follow-up, the question as a whole)"""

TIMELESS = [
    ("What happened last week?", "What happened?"),
    ("What did I write in April 2026 about it?", "What did I write about it?"),
    ("Was war letzte Woche los?", "Was war los?"),
]
"""(the question before, the question without its time)"""

BARE = [
    ("What did I decide about the API last week?", "Why?"),
    ("How much did the bike cost?", "And for the other one?"),
    ("Where did I meet Elena?", "When was that?"),
    ("What did Priya say about onboarding?", "Tell me more"),
    ("Which beds did I build?", "What about the second one?"),
    ("What helps against knee pain?", "Anything else?"),
    ("When is the launch?", "Really?"),
    ("Was habe ich über die Preise entschieden?", "Warum?"),
    ("Was kostet das Fahrrad?", "Und für das andere?"),
    ("Wann war das Treffen mit Elena?", "Und wo war das?"),
    ("¿Qué decidí sobre los precios?", "¿Por qué?"),
    ("¿Cuánto costó la bicicleta?", "¿Y para la otra?"),
    ("Qu'ai-je décidé pour les prix ?", "Pourquoi ?"),
    ("Combien a coûté le vélo ?", "Et pour l'autre ?"),
]
"""The whole is the follow-up and then the question before."""

CARRIED = [
    ("How much does the night train to Lisbon cost?", "And the hotel?", {"hotel", "Lisbon", "cost"}),
    ("When did I plant the tomatoes?", "And how many did I harvest?", {"harvest", "tomatoes"}),
    ("Where is the sourdough recipe?", "When did I write it down?", {"write it down", "sourdough", "recipe"}),
    ("What did I decide about the rate limits last week?", "What did Priya say about it?",
     {"Priya", "rate limits", "last week"}),
    ("What did Elena say about her knee?", "And Priya?", {"Priya", "knee"}),
    ("What is the launch date of Aurora?", "Who is responsible for that?", {"responsible", "launch", "Aurora"}),
    ("Where did I eat in Lisbon?", "in Porto?", {"Porto", "eat"}),
    ("How much did the raised beds cost?", "What about the soil?", {"soil", "cost"}),
    ("What did the physiotherapist recommend?", "Did she mention swimming?", {"swimming", "physiotherapist"}),
    ("What is ERR_CONN_42?", "How did we fix it?", {"fix it", "ERR_CONN_42"}),
    ("Wann fährt der Nachtzug nach Lissabon?", "Und das Hotel?", {"Hotel", "fährt", "Lissabon"}),
    ("Wo habe ich das Rezept für Linsensuppe?", "Wann habe ich es aufgeschrieben?", {"aufgeschrieben", "Linsensuppe"}),
    ("Was habe ich letzte Woche über die Preise geschrieben?", "Was hat Elena dazu gesagt?",
     {"Elena", "Preise", "letzte Woche"}),
    ("Wo arbeitet Elena?", "Und Priya?", {"Priya", "arbeitet"}),
    ("¿Dónde está la receta de lentejas?", "¿Cuándo la escribí? ¿Y eso?", {"lentejas"}),
    ("¿Cuánto cuesta el tren nocturno?", "¿Y el hotel?", {"hotel", "cuesta"}),
    ("¿Qué decidí sobre los precios la semana pasada?", "¿Qué dijo Elena sobre eso?", {"Elena", "precios"}),
    ("Combien coûte le train de nuit ?", "Et l'hôtel ?", {"hôtel", "coûte"}),
    ("Qu'ai-je écrit sur les prix la semaine dernière ?", "Qu'a dit Elena sur ça ?", {"Elena", "prix"}),
]  # fmt: skip
"""(the question before, the follow-up, what the whole holds)"""

DROPPED = [
    ("What did Elena say about her knee?", "And Priya?", "Elena"),
    ("Where did I eat in Lisbon?", "in Porto?", "Lisbon"),
    ("What did I write last week?", "and yesterday?", "last week"),
    ("What did I decide last week about the API?", "And about the pricing in May?", "last week"),
]
"""Names or times that the new one replaces."""

ALONE = [
    ("What did I decide about the API?", "How do I feed the sourdough starter?"),
    ("What did I decide about the API?", "What did I do yesterday?"),
    ("What did I decide about the API?", "And what is the password of the wifi?"),
    ("What did I decide about the API?", "Which books did I read in March?"),
    ("What did I decide about the API?", "What did Elena say about her knee?"),
    ("What did I decide about the API?", "I bought a knee brace in May, how much did it cost?"),
    ("What did I decide about the API?", "What did I say that surprised Elena?"),
    ("What did I decide about the API?", "Is there a recipe for lentil soup?"),
    ("What did I decide about the API?", "Is it worth taking the night train?"),
    ("What did I decide about the API?", "ERR_CONN_42"),
    ("What did I decide about the API?", "night train Lisbon"),
    ("What did I decide about the API?", "What is the name of the book that Priya gave me?"),
    ("Was habe ich über die API entschieden?", "Wie füttere ich den Sauerteig?"),
    ("Was habe ich über die API entschieden?", "Was habe ich gestern gegessen?"),
    ("Was habe ich über die API entschieden?", "Gibt es ein Rezept für Linsensuppe?"),
    ("¿Qué decidí sobre la API?", "¿Dónde está la receta de lentejas?"),
    ("¿Qué decidí sobre la API?", "¿Qué libros leí en marzo?"),
    ("Qu'ai-je décidé pour l'API ?", "Où est la recette de la soupe aux lentilles ?"),
    ("Qu'ai-je décidé pour l'API ?", "Est-ce que j'ai un rendez-vous chez le dentiste ?"),
]
"""Not follow-ups."""


@pytest.mark.parametrize(("previous", "text"), TIMELESS)
def test_a_question_without_the_time_of_the_one_before_stands_alone(
    previous: str, text: str
) -> None:
    assert drops_time(text, previous, asked_at=NOW)
    assert not drops_time(previous, previous, asked_at=NOW)


@pytest.mark.parametrize(("previous", "text", "expected"), TIMES)
def test_a_new_time_is_put_in_the_place_of_the_old(previous: str, text: str, expected: str) -> None:
    assert whole(text, previous) == expected


@pytest.mark.parametrize(("previous", "text"), BARE)
def test_a_question_without_a_subject_gets_the_question_before(previous: str, text: str) -> None:
    assert whole(text, previous) == f"{text} {previous}"


@pytest.mark.parametrize(("previous", "text", "held"), CARRIED)
def test_the_words_of_the_subject_are_carried_over(
    previous: str, text: str, held: set[str]
) -> None:
    standalone = whole(text, previous)
    assert {phrase for phrase in held if phrase not in standalone} == set()


@pytest.mark.parametrize(("previous", "text", "gone"), DROPPED)
def test_a_replaced_name_or_time_is_not_carried_over(previous: str, text: str, gone: str) -> None:
    standalone = whole(text, previous)
    assert standalone != text
    assert gone not in standalone


def test_subjects_asked_one_after_the_other_do_not_pile_up() -> None:
    standalone = "What did we decide about the API?"
    for text in ("And pricing?", "What about the launch date?", "And the hotel?"):
        standalone = whole(text, standalone)
    assert standalone == "And the hotel (decide API)?"


@pytest.mark.parametrize(("previous", "text"), ALONE)
def test_a_question_that_leans_on_nothing_stays_as_it_is(previous: str, text: str) -> None:
    assert whole(text, previous) == text


def test_a_time_that_was_meant_on_another_day_is_carried_as_its_days() -> None:
    earlier = Moment(NOW.now - timedelta(days=7), "Europe/Berlin")
    question = "What did I decide about the API last week?"
    assert whole("And about the pricing?", question, asked=earlier) == (
        "And about the pricing (decide API between 2026-11-02 and 2026-11-08)?"
    )
    assert whole("Why?", question, asked=earlier) == (
        "Why? What did I decide about the API between 2026-11-02 and 2026-11-08?"
    )
    assert (
        whole("Why?", "What did I eat yesterday?", asked=earlier)
        == "Why? What did I eat 2026-11-13?"
    )


def test_a_chain_of_follow_ups_keeps_the_subject_and_does_not_grow() -> None:
    first = whole("Why?", "What did I decide about the API last week?")
    second = whole("And when?", first)
    assert second == "And when? What did I decide about the API last week?"
    third = whole("And for the pricing?", second)
    assert third == "And for the pricing (decide API last week)?"
    assert whole("Why?", third) == f"Why? {third}"


def test_a_whole_that_would_be_too_long_carries_less() -> None:
    previous = "How much does the night train to Lisbon cost?"
    assert whole("And the hotel?", previous, longest=30) == "And the hotel (Lisbon cost)?"
    assert whole("And the hotel?", previous, longest=14) == "And the hotel?"
    assert whole("Why?", previous, longest=20) == "Why?"


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_question_is_kept_or_made_longer_without_failing(text: str, previous: str) -> None:
    standalone = whole(text, previous, longest=200)
    assert standalone == text or len(standalone) <= 200
