"""Whole dialogues: what the last question of each carries, and what it has left behind."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import reduce

import pytest

from shared.sessions.earlier_times import Moment
from shared.sessions.follow_ups import whole_question

NOW = Moment(datetime(2026, 11, 21, 12, tzinfo=UTC), "Europe/Berlin")
NOTHING: frozenset[str] = frozenset()

DIALOGUES = [
    (("When is the launch date of Aurora?", "Who is responsible for that?", "When did she start?"),
     {"start", "responsible", "Aurora"}, {"date"}),
    (("When is the launch date of Aurora?", "Who is responsible for that?", "What did he say about it?",
      "Has it been tested?"),
     {"tested", "Aurora"}, {"responsible"}),
    (("Where did we stay in Porto?", "How much was it?", "Did Elena like it?"), {"Elena", "like", "Porto", "stay"},
     NOTHING),
    (("Which laptop did I buy in March?", "How much did it cost?", "When does its warranty end?"),
     {"warranty", "laptop"}, NOTHING),
    (("What is the budget for the Tokyo trip?", "Who approved it?", "Why did she approve it?", "When was that?"),
     {"When was that", "Tokyo", "budget"}, NOTHING),
    (("What did the dentist say about my tooth?", "How do I feed the sourdough starter?",
      "How often does it need that?"),
     {"sourdough", "starter"}, {"dentist", "tooth"}),
    (("When did I plant the tomatoes?", "Who helped me with them?", "And the carrots?"), {"carrots", "helped"},
     {"tomatoes"}),
    (("Wann ist der Start von Aurora?", "Wer ist dafür verantwortlich?", "Was hat sie dazu gesagt?"),
     {"Aurora", "gesagt"}, NOTHING),
    (("Quand a lieu le lancement d'Aurora ?", "Qui en est responsable ?"), {"responsable", "Aurora"}, NOTHING),
    (("What did I do last week?", "And two weeks before that?"), {"What did I do", "2026-10-26", "2026-11-01"},
     {"last week"}),
    (("What did I write in October?", "And the week after that?"), {"What did I write", "2026-11-02", "2026-11-08"},
     {"October"}),
    (("What did we decide about pricing last week?", "And the week after that?"),
     {"pricing", "decide", "2026-11-16"}, {"last week"}),
    (("What did I eat yesterday?", "And three days before that?"), {"What did I eat", "2026-11-17"}, {"yesterday"}),
    (("What did I do last month?", "Two months before that?"), {"What did I do", "2026-08-01", "2026-08-31"},
     {"last month"}),
    (("What did I write in 2024?", "And the year before that?", "And two years before that?"),
     {"What did I write", "2021-01-01", "2021-12-31"}, {"2023", "2024"}),
    (("What did I decide about the API last week?", "And a week earlier?", "Why?"),
     {"Why", "API", "2026-11-02", "2026-11-08"}, {"last week"}),
    (("Was habe ich letzte Woche gemacht?", "Und zwei Wochen davor?"), {"gemacht", "2026-10-26", "2026-11-01"},
     {"letzte Woche"}),
    (("¿Qué hice la semana pasada?", "¿Y dos semanas antes?"), {"hice", "2026-10-26", "2026-11-01"},
     {"semana pasada"}),
    (("Qu'ai-je fait hier ?", "Et deux jours avant ?"), {"fait", "2026-11-18"}, {"hier"}),
    (("What did I do last week?", "What did I plan two weeks before the launch?"),
     {"What did I plan two weeks before the launch?"}, {"last week"}),
]  # fmt: skip
"""(the questions in turn, what the last one holds made whole, what it no longer holds)"""


@pytest.mark.parametrize(("questions", "held", "gone"), DIALOGUES)
def test_the_last_question_of_a_dialogue_holds_what_it_leans_on(
    questions: tuple[str, ...], held: set[str], gone: set[str]
) -> None:
    found = reduce(lambda before, text: whole_question(text, before, asked=NOW, now=NOW, longest=2000), questions)
    assert {each for each in held if each not in found} == set()
    assert {each for each in gone if each in found} == set()
