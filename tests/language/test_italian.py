"""Italian, which its file alone adds: what is found, asked, made whole, judged and quoted in it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from shared.answering.drafts import DraftStream
from shared.answering.markers import read_markers
from shared.answering.refusals import admits_not_knowing
from shared.judging.facts import facts_of
from shared.judging.quantities import quantities
from shared.language.languages import detect
from shared.language.vocabulary import vocabulary
from shared.model.answers import Prompt
from shared.sessions.follow_ups import Moment, whole_question
from shared.times.dates import days_in
from shared.times.phrases import find_time
from tests.fakes import ScriptedWriter

NOW = datetime(2026, 3, 18, 14, tzinfo=UTC)
ZONE = "Europe/Berlin"

PHRASES = [  # question, first day, day after the last (both may be open), the phrase
    ("Cosa ho deciso la settimana scorsa?", "2026-03-09", "2026-03-16", "la settimana scorsa"),
    ("Cosa ho scritto ieri sera?", "2026-03-17", "2026-03-18", "ieri sera"),
    ("l'altro ieri ho incontrato qualcuno", "2026-03-16", "2026-03-17", "l'altro ieri"),
    ("due settimane fa", "2026-03-02", "2026-03-09", "due settimane fa"),
    ("due o tre settimane fa", "2026-02-23", "2026-03-09", "due o tre settimane fa"),
    ("venti giorni fa", "2026-02-26", "2026-02-27", "venti giorni fa"),
    ("un'ora fa", "2026-03-18", "2026-03-19", "un'ora fa"),
    ("negli ultimi 7 giorni", "2026-03-11", "2026-03-19", "negli ultimi 7 giorni"),
    ("negli ultimi giorni", "2026-03-11", "2026-03-19", "negli ultimi giorni"),
    ("il mese scorso", "2026-02-01", "2026-03-01", "il mese scorso"),
    ("il bilancio dell'anno scorso", "2025-01-01", "2026-01-01", "anno scorso"),
    ("quest'anno", "2026-01-01", "2026-03-19", "quest'anno"),
    ("questo mese", "2026-03-01", "2026-03-19", "questo mese"),
    ("lunedì scorso", "2026-03-16", "2026-03-17", "lunedì scorso"),
    ("lo scorso fine settimana", "2026-03-14", "2026-03-16", "lo scorso fine settimana"),
    ("il 3 maggio 2025", "2025-05-03", "2025-05-04", "il 3 maggio 2025"),
    ("il 1° febbraio", "2026-02-01", "2026-02-02", "il 1° febbraio"),
    ("dal 3 al 7 febbraio", "2026-02-03", "2026-02-08", "dal 3 al 7 febbraio"),
    ("a gennaio", "2026-01-01", "2026-02-01", "a gennaio"),
    ("nel 2024", "2024-01-01", "2025-01-01", "nel 2024"),
    ("dal 2019", "2019-01-01", "2026-03-19", "dal 2019"),
    ("prima di marzo", "", "2026-03-01", "prima di marzo"),
    ("dopo il 10 marzo 2026", "2026-03-11", "2026-03-19", "dopo il 10 marzo 2026"),
    ("tra gennaio e febbraio", "2026-01-01", "2026-03-01", "tra gennaio e febbraio"),
    ("l'estate scorsa", "2025-06-01", "2025-09-01", "l'estate scorsa"),
    ("nel primo trimestre", "2026-01-01", "2026-03-19", "nel primo trimestre"),
    ("a metà gennaio", "2026-01-11", "2026-01-22", "a metà gennaio"),
    ("alla fine del 2025", "2025-12-01", "2026-01-01", "alla fine del 2025"),
    ("due giorni prima del 5 marzo", "2026-03-03", "2026-03-04", "due giorni prima del 5 marzo"),
    ("il primo lunedì di febbraio", "2026-02-02", "2026-02-03", "il primo lunedì di febbraio"),
    ("a Natale", "2025-12-24", "2025-12-27", "a Natale"),
]


def day(moment: datetime | None) -> date | None:
    return moment.astimezone(ZoneInfo(ZONE)).date() if moment else None


@pytest.mark.parametrize(("text", "start", "end", "phrase"), PHRASES)
def test_a_time_is_found(text: str, start: str, end: str, phrase: str) -> None:
    found = find_time(text, now=NOW, zone=ZONE, lang="it")
    assert found is not None
    span = found.hint.range
    assert (day(span.start), day(span.end)) == (date.fromisoformat(start) if start else None, date.fromisoformat(end))
    assert found.hint.phrase == phrase


@pytest.mark.parametrize(
    "text",
    ["la prossima settimana", "lunedì prossimo", "come si scrive martedì", "ho letto 2024 pagine", "la colonna marzo"],
)
def test_what_names_no_time_is_none(text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE, lang="it") is None


def test_a_story_is_told_from_what_is_asked() -> None:
    story = find_time("Ho comprato la lampada lunedì. Posso restituirla?", now=NOW, zone=ZONE, lang="it")
    asked = find_time("Cosa ho scritto lunedì sulla lampada?", now=NOW, zone=ZONE, lang="it")
    assert story is None or not story.hint.restricts
    assert asked is not None
    assert asked.hint.restricts


@pytest.mark.parametrize(
    ("previous", "text", "whole"),
    [
        ("Quanti pomodori ho raccolto a febbraio?", "E a marzo?", "Quanti pomodori ho raccolto a marzo?"),
        ("Quanto costa il treno per Lisbona?", "E l'albergo?", "E l'albergo (costa treno Lisbona)?"),
    ],
)
def test_a_follow_up_is_made_whole(previous: str, text: str, whole: str) -> None:
    now = Moment(NOW, ZONE)
    assert whole_question(text, previous, asked=now, now=now, longest=500) == whole


def test_a_time_keeps_its_days_on_another_day() -> None:
    asked = Moment(datetime(2026, 3, 2, 12, tzinfo=UTC), ZONE)
    previous = "Quanto ho speso la settimana scorsa per il pane?"
    whole = whole_question("E il vino?", previous, asked=asked, now=Moment(NOW, ZONE), longest=500)
    assert "tra 2026-02-23 e 2026-03-01" in whole


def test_its_statements_are_compared() -> None:
    (fact,) = facts_of("Il treno non parte a mezzogiorno.", "it")
    assert fact.negations == 1
    assert "part" in fact.negated
    numbers, _ = quantities("dodici minuti", "it")
    others, _ = quantities("12 min", "en")
    assert numbers[0].equals(others[0])
    assert [(found.year, found.month, found.day) for found in days_in("il 3 maggio 2025")] == [(2025, 5, 3)]


def test_its_answers_are_read() -> None:
    assert admits_not_knowing("Gli appunti non dicono quando parte il treno.")
    writer = ScriptedWriter("Il treno parte alle 9 [N1].\n\nFonti:\n[N1] Viaggio")
    (piece,) = DraftStream(Prompt("", "", "", ()), writer).pieces()
    assert piece.whole == "Il treno parte alle 9 [N1]."
    assert read_markers("Parte alle 9 [N8] e [N9].").written({}) == "Parte alle 9."
    words = vocabulary("it").answers
    assert words
    assert words.nearest == "I passaggi più vicini nei tuoi appunti:"


def test_it_is_recognised() -> None:
    assert detect("Quanto ho speso la settimana scorsa per il pane?") == "it"
