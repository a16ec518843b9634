"""Follow-ups made whole by rule: a table of dialogues, also of questions that lean on nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.sessions.earlier_times import Moment
from shared.sessions.follow_ups import whole_question

NOW = Moment(datetime(2026, 11, 21, 12, tzinfo=UTC), "Europe/Berlin")


def whole(text: str, previous: str, *, asked: Moment = NOW, longest: int = 2000) -> str:
    return whole_question(text, previous, asked=asked, now=NOW, longest=longest)


TIMES = [
    ("How many tomatoes did I harvest in February?", "And in March?", "How many tomatoes did I harvest in March?"),
    ("How many tomatoes did I harvest in February?", "What about March?", "How many tomatoes did I harvest in March?"),
    ("What did I decide about the API?", "last week?", "What did I decide about the API last week?"),
    ("What did I write last week?", "and yesterday?", "What did I write yesterday?"),
    ("Wie viele Tomaten habe ich im Februar geerntet?", "Und im März?", "Wie viele Tomaten habe ich geerntet im März?"),
    ("Was habe ich über die API entschieden?", "Und letzte Woche?",
     "Was habe ich über die API entschieden letzte Woche?"),
    ("¿Cuántos tomates coseché en febrero?", "¿Y en marzo?", "¿Cuántos tomates coseché en marzo?"),
    ("Combien de tomates ai-je récoltées en février ?", "Et en mars ?", "Combien de tomates ai-je récoltées en mars?"),
]  # fmt: skip
"""(the question before, the follow-up, the question as a whole)"""

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
    ("Wo arbeitet Elena?", "Und Priya?", "Elena"),
    ("What did I write last week?", "and yesterday?", "last week"),
    ("What did I decide last week about the API?", "And about the pricing in May?", "last week"),
]
"""What the new name or time replaces."""

NEW_SUBJECTS = [
    ("What did we decide about the API?", "And pricing?", "And pricing (decide)?"),
    ("And pricing (decide)?", "What about the launch date?", "What about the launch date (decide)?"),
    ("What did we decide about the API?", "What about Aurora?", "What about Aurora (decide)?"),
    ("Was kostet das Hotel in Lissabon?", "What about the iPhone sync?", "What about the iPhone sync?"),
    ("Was kostet das Hotel in Lissabon?", "Was ist mit dem iPhone Sync?", "Was ist mit dem iPhone Sync (kostet)?"),
    ("Was haben wir über die API entschieden?", "Und die Preise?", "Und die Preise (entschieden)?"),
    ("How much does the hotel in Lisbon cost?", "What about the iPhone sync?", "What about the iPhone sync (cost)?"),
    ("How much does the hotel in Lisbon cost?", "And the train?", "And the train (Lisbon cost)?"),
    ("And how many did I harvest (plant tomatoes)?", "What about the carrots?", "What about the carrots (harvest)?"),
    ("How much did the raised beds cost?", "What about the soil?", "What about the soil (cost)?"),
    ("¿Cuánto cuesta el tren nocturno?", "¿Y el hotel?", "¿Y el hotel (cuesta)?"),
    ("Combien coûte le train de nuit ?", "Et l'hôtel ?", "Et l'hôtel (coûte)?"),
    ("Qu'avons-nous décidé pour l'API ?", "Et les prix ?", "Et les prix (décidé)?"),
    ("¿Qué decidimos sobre la API?", "¿Y los precios?", "¿Y los precios (decidimos)?"),
]  # fmt: skip
"""The whole carries what was asked, and not the subject of the question before."""

SHIFTED = [
    ("What did I do last week?", "and in the week before?", "What did I do between 2026-11-02 and 2026-11-08?"),
    ("What did I do last week?", "What about the previous week?", "What did I do between 2026-11-02 and 2026-11-08?"),
    ("What did I do between 2026-11-02 and 2026-11-08?", "and the week before that?",
     "What did I do between 2026-10-26 and 2026-11-01?"),
    ("What did I do in October?", "And the month before that?", "What did I do between 2026-09-01 and 2026-09-30?"),
    ("What did I do in February?", "and the month after?", "What did I do between 2026-03-01 and 2026-03-31?"),
    ("What did I do yesterday?", "And the day before?", "What did I do 2026-11-19?"),
    ("What did we decide about the API last week?", "And the pricing the week before?",
     "And the pricing between 2026-11-02 and 2026-11-08 (decide)?"),
    ("Was habe ich letzte Woche gemacht?", "Und in der Woche davor?",
     "Was habe ich gemacht zwischen 2026-11-02 und 2026-11-08?"),
    ("¿Qué hice la semana pasada?", "¿Y la semana anterior?", "¿Qué hice entre 2026-11-02 y 2026-11-08?"),
    ("Qu'ai-je fait la semaine dernière ?", "Et la semaine d'avant ?", "Qu'ai-je fait entre 2026-11-02 et 2026-11-08?"),
    ("What did I do last week?", "and two weeks before that?", "What did I do between 2026-10-26 and 2026-11-01?"),
    ("What did I do two weeks ago?", "and the week after that?", "What did I do between 2026-11-09 and 2026-11-15?"),
    ("What did I do yesterday?", "And a week earlier?", "What did I do 2026-11-13?"),
    ("What happened on 3 May?", "And two days later?", "What happened 2026-05-05?"),
    ("What happened on 30 May?", "And a month earlier?", "What happened 2026-04-30?"),
    ("And about pricing (decide last week)?", "And the week before?",
     "And about pricing (decide) between 2026-11-02 and 2026-11-08?"),
    ("What did Elena say about it (last week)?", "And the week before?",
     "What did Elena say about it between 2026-11-02 and 2026-11-08?"),
    ("What happened on 29 March 2026?", "And a month earlier?", "What happened 2026-02-28?"),
    ("What did I do in March 2026?", "and 2 months later?", "What did I do between 2026-05-01 and 2026-05-31?"),
    ("Was habe ich gestern gemacht?", "Und drei Tage früher?", "Was habe ich gemacht 2026-11-17?"),
    ("What did I do last week?", "and two weeks later?", "and two weeks later?"),
    ("What did I do last week?", "and the two weeks before that?", "and the two weeks before that?"),
    ("What did I do last week?", "and a few weeks before that?", "and a few weeks before that?"),
    ("What did I do last week?", "What did I plan two weeks before the launch?",
     "What did I plan two weeks before the launch?"),
    ("What did I do last week?", "and the quarter before?", "and the quarter before?"),
    ("What did I decide about the API?", "and the week before?", "and the week before?"),
]  # fmt: skip
"""A time told from the carried one; what is not understood stays as asked."""

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


@pytest.mark.parametrize(("previous", "text", "expected"), TIMES)
def test_a_new_time_is_put_in_the_place_of_the_old(previous: str, text: str, expected: str) -> None:
    assert whole(text, previous) == expected


@pytest.mark.parametrize(("previous", "text"), BARE)
def test_a_question_without_a_subject_gets_the_question_before(previous: str, text: str) -> None:
    assert whole(text, previous) == f"{text} {previous}"


@pytest.mark.parametrize(("previous", "text", "held"), CARRIED)
def test_the_words_of_the_subject_are_carried_over(previous: str, text: str, held: set[str]) -> None:
    found = whole(text, previous)
    assert {each for each in held if each not in found} == set()


@pytest.mark.parametrize(("previous", "text", "gone"), DROPPED)
def test_what_is_replaced_is_not_carried(previous: str, text: str, gone: str) -> None:
    found = whole(text, previous)
    assert found != text
    assert gone not in found


@pytest.mark.parametrize(("previous", "text", "expected"), NEW_SUBJECTS)
def test_a_new_subject_takes_the_place_of_the_old(previous: str, text: str, expected: str) -> None:
    assert whole(text, previous) == expected


@pytest.mark.parametrize(("previous", "text", "expected"), SHIFTED)
def test_a_time_told_from_the_earlier_one_is_reckoned_from_there(previous: str, text: str, expected: str) -> None:
    assert whole(text, previous) == expected


def test_subjects_asked_one_after_the_other_do_not_pile_up() -> None:
    found = "What did we decide about the API?"
    for text in ("And pricing?", "What about the launch date?", "And the hotel?"):
        found = whole(text, found)
    assert found == "And the hotel (decide)?"


@pytest.mark.parametrize(("previous", "text"), ALONE)
def test_a_question_that_leans_on_nothing_stays_as_it_is(previous: str, text: str) -> None:
    assert whole(text, previous) == text


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(TIMES) + len(BARE) + len(CARRIED) + len(ALONE) >= 60


def test_a_time_that_was_meant_on_another_day_is_carried_as_its_days() -> None:
    earlier = Moment(NOW.now - timedelta(days=7), "Europe/Berlin")
    question = "What did I decide about the API last week?"
    assert whole("And about the pricing?", question, asked=earlier) == (
        "And about the pricing (decide between 2026-11-02 and 2026-11-08)?"
    )
    assert whole("Why?", question, asked=earlier) == (
        "Why? What did I decide about the API between 2026-11-02 and 2026-11-08?"
    )
    assert whole("Why?", "What did I eat yesterday?", asked=earlier) == "Why? What did I eat 2026-11-13?"


def test_a_chain_of_follow_ups_keeps_the_subject_and_does_not_grow() -> None:
    first = whole("Why?", "What did I decide about the API last week?")
    second = whole("And when?", first)
    assert second == "And when? What did I decide about the API last week?"
    third = whole("And for the pricing?", second)
    assert third == "And for the pricing (decide last week)?"
    assert whole("Why?", third) == f"Why? {third}"


CHAINS = [
    (("Which hotel did we book in Rome?", "Is there a pool in it?", "How far is it from the station?",
      "Did Jonas complain about it?"), "Did Jonas complain about it (hotel book Rome)?"),
    (("Which laptop did I buy?", "How much did it cost?", "When does its warranty end?"),
     "When does its warranty end (laptop buy)?"),
    (("What did the physiotherapist recommend?", "Did she mention swimming?", "When does she work?"),
     "When does she work (physiotherapist recommend)?"),
    (("What is the launch date of Aurora?", "Who is responsible for that?", "When did she start?"),
     "When did she start (responsible Aurora)?"),
    (("How much does the hotel in Lisbon cost?", "Is the breakfast there good?", "Is it vegetarian?"),
     "Is it vegetarian (breakfast hotel Lisbon cost)?"),
    (("Was kostet das Fahrrad?", "Wo habe ich es gekauft?", "Wann wird es geliefert?"),
     "Wann wird es geliefert (kostet Fahrrad)?"),
]  # fmt: skip
"""Pronoun after pronoun: what the last question has become."""


@pytest.mark.parametrize(("questions", "expected"), CHAINS)
def test_a_chain_of_pronouns_carries_what_the_last_one_points_at(questions: tuple[str, ...], expected: str) -> None:
    assert reduce(lambda before, text: whole(text, before), questions) == expected


def test_a_whole_that_would_be_too_long_carries_less() -> None:
    previous = "How much does the night train to Lisbon cost?"
    assert whole("And the hotel?", previous, longest=30) == "And the hotel (Lisbon cost)?"
    assert whole("And the hotel?", previous, longest=14) == "And the hotel?"
    assert whole("Why?", previous, longest=20) == "Why?"


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_asked_it_is_kept_or_made_longer_and_never_fails(text: str, previous: str) -> None:
    found = whole(text, previous, longest=200)
    assert found == text or len(found) <= 200
