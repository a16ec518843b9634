"""Italian, which its file alone adds: what is found, asked, made whole, judged and quoted in it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from shared.answering.drafts import DraftStream
from shared.answering.markers import read_markers
from shared.answering.refusals import admits_not_knowing
from shared.judging.facts import facts_of
from shared.judging.quantities import quantities
from shared.language.languages import detect
from shared.language.vocabulary import vocabulary
from shared.model.answers import Prompt
from shared.sessions.follow_ups import Moment, standalone_question
from shared.times.dates import days_in
from shared.times.phrases import find_time
from tests.fakes import ScriptedWriter

NOW = datetime(2026, 3, 18, 14, tzinfo=UTC)
ZONE = "Europe/Berlin"


def test_a_story_is_told_from_what_is_asked() -> None:
    story = find_time(
        "Ho comprato la lampada lunedì. Posso restituirla?", now=NOW, zone=ZONE, lang="it"
    )
    mention = find_time(
        "Cosa ho scritto lunedì sulla lampada?",
        now=NOW,
        zone=ZONE,
        lang="it",
    )
    assert story is None or not story.hint.restricts
    assert mention is not None
    assert mention.hint.restricts


@pytest.mark.parametrize(
    ("previous", "text", "whole"),
    [
        (
            "Quanti pomodori ho raccolto a febbraio?",
            "E a marzo?",
            "Quanti pomodori ho raccolto a marzo?",
        ),
        (
            "Quanto costa il treno per Lisbona?",
            "E l'albergo?",
            "E l'albergo (costa treno Lisbona)?",
        ),
    ],
)
def test_a_follow_up_is_made_whole(previous: str, text: str, whole: str) -> None:
    now = Moment(NOW, ZONE)
    assert standalone_question(text, previous, asked_at=now, now=now, longest=500) == whole


def test_a_time_keeps_its_days_on_another_day() -> None:
    asked_at = Moment(datetime(2026, 3, 2, 12, tzinfo=UTC), ZONE)
    previous = "Quanto ho speso la settimana scorsa per il pane?"
    standalone = standalone_question(
        "E il vino?", previous, asked_at=asked_at, now=Moment(NOW, ZONE), longest=500
    )
    assert "tra 2026-02-23 e 2026-03-01" in standalone


def test_italian_statements_are_compared() -> None:
    (fact,) = facts_of("Il treno non parte a mezzogiorno.", "it")
    assert fact.negations == 1
    assert "part" in fact.negated
    numbers, _ = quantities("dodici minuti", "it")
    in_digits, _ = quantities("12 min", "en")
    assert numbers[0].equals(in_digits[0])
    assert [(day.year, day.month, day.day) for day in days_in("il 3 maggio 2025")] == [(2025, 5, 3)]


def test_italian_answers_are_read() -> None:
    assert admits_not_knowing("Gli appunti non dicono quando parte il treno.")
    writer = ScriptedWriter("Il treno parte alle 9 [N1].\n\nFonti:\n[N1] Viaggio")
    (piece,) = DraftStream(Prompt("", "", "", ()), writer).pieces()
    assert piece.whole == "Il treno parte alle 9 [N1]."
    assert read_markers("Parte alle 9 [N8] e [N9].").written({}) == "Parte alle 9."
    words = vocabulary("it").answers
    assert words
    assert words.nearest == "I passaggi più vicini nei tuoi appunti:"


def test_italian_is_recognised() -> None:
    assert detect("Quanto ho speso la settimana scorsa per il pane?") == "it"
