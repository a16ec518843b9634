"""Questions that name a day, a period and little else, to notes of a diary in five languages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.asking.turn import TurnRequest
from shared.bootstrap import assemble
from shared.folders.scope import FolderScope
from shared.model.notes import NoteKey
from shared.model.questions import Question
from shared.notes.service import NoteDraft
from shared.ports.models import Writer
from tests.account.world import PERSON, TENANT, Household, household, turn_events
from tests.fakes import ScriptedWriter

NOW = datetime(2025, 11, 20, 9, tzinfo=UTC)  # a Thursday
DAILY = {
    "en": "# Journal\n\nBaked bread with Priya and repaired the bicycle.",
    "de": "# Tagebuch\n\nMit Jonas im Garten gearbeitet, der Apfelbaum trägt.",
    "es": "# Diario\n\nReunión con Elena y un paseo por la playa.",
    "fr": "# Journal\n\nDéjeuner avec Paul, puis le marché aux livres.",
    "it": "# Diario\n\nCena da Lucia e una passeggiata sul lungomare.",
}
QUESTIONS = [
    ("en", "What did I write on 3 November?", "2025-11-03"),
    ("en", "What happened on 12 October 2025?", "2025-10-12"),
    ("en", "What was on my mind last Tuesday?", "2025-11-18"),
    ("en", "What did I do yesterday?", "2025-11-19"),
    ("en", "Notes from 2025-11-07", "2025-11-07"),
    ("en", "Show me the 5th of November", "2025-11-05"),
    ("de", "Was habe ich am 3. November geschrieben?", "2025-11-03"),
    ("de", "Was war am 12.10.2025?", "2025-10-12"),
    ("de", "Was habe ich vorgestern gemacht?", "2025-11-18"),
    ("de", "Notizen vom 7. November", "2025-11-07"),
    ("de", "Was ist am Montag passiert?", "2025-11-17"),
    ("es", "¿Qué escribí el 3 de noviembre?", "2025-11-03"),
    ("es", "¿Qué pasó el 12/10/2025?", "2025-10-12"),
    ("es", "¿Qué hice ayer?", "2025-11-19"),
    ("es", "Notas del 7 de noviembre", "2025-11-07"),
    ("es", "¿Qué hice el lunes?", "2025-11-17"),
    ("fr", "Qu'ai-je écrit le 3 novembre ?", "2025-11-03"),
    ("fr", "Que s'est-il passé le 12 octobre 2025 ?", "2025-10-12"),
    ("fr", "Qu'ai-je fait avant-hier ?", "2025-11-18"),
    ("fr", "Notes du 7 novembre", "2025-11-07"),
    ("it", "Cosa ho scritto il 3 novembre?", "2025-11-03"),
    ("it", "Cosa è successo il 12 ottobre 2025?", "2025-10-12"),
    ("it", "Cosa ho fatto ieri?", "2025-11-19"),
    ("it", "Note del 7 novembre", "2025-11-07"),
]


@pytest.fixture(scope="module")
def diaries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    """A note a day for seven weeks, in turn in each language, and one of each August."""
    store = EmbeddedStore(tmp_path_factory.mktemp("diaries") / "store.db")
    with closing(store), household(store) as house:
        days = [date(2025, 10, 5) + timedelta(days=offset) for offset in range(46)]
        days += [date(2025, 8, day) for day in (4, 11, 18, 25)]
        for number, day in enumerate(days):
            text = list(DAILY.values())[number % 5]
            evening = datetime.combine(day, time(19), UTC)
            write(house, day.isoformat(), evening, text, title="Journal")
        yield house


def write(
    home: Household,
    note_id: str,
    created_at: datetime,
    text: str,
    *,
    title: str = "",
) -> None:
    """Saves a note and indexes it."""
    draft = NoteDraft(title=title, text=text, created_at=created_at)
    home.app.notes.save(TENANT, note_id, draft)
    home.app.indexer.index(NoteKey(TENANT, note_id))


def answer(
    home: Household, text: str, *, writer: Writer | None = None, scope: FolderScope | None = None
) -> Any:  # noqa: ANN401 - JSON
    request = TurnRequest(
        person=PERSON, question=Question(TENANT, text, NOW), request_id="r", scope=scope
    )
    return list(turn_events(assemble(replace(home.app, writer=writer)), request))[-1].data


@pytest.mark.parametrize(("lang", "text", "day"), QUESTIONS)
def test_a_question_that_only_names_a_day_is_answered_with_its_note(
    diaries: Household, lang: str, text: str, day: str
) -> None:
    answered = answer(diaries, text)
    assert answered["meta"]["refusal"] is None
    assert [citation["noteId"] for citation in answered["citations"]] == [day], lang


@pytest.mark.parametrize("scope", [None, FolderScope(("default",), ())])
@pytest.mark.parametrize(
    ("text", "first_day"),
    [
        ("What did I do in August?", "4 August 2025"),
        ("Summarise my August notes", "4 August 2025"),
        ("Was war im August los?", "4.\u00a0August 2025"),
        ("Fasse August zusammen", "4.\u00a0August 2025"),
        ("Qu'ai-je fait en août ?", "4 août 2025"),
        ("Que s'est-il passé en août ?", "4 août 2025"),
        ("Résume août", "4 août 2025"),
        ("Notes d'août", "4 août 2025"),
        ("Cosa ho fatto ad agosto?", "4 agosto 2025"),
        ("Riassumi agosto", "4 agosto 2025"),
        ("Note dell'agosto", "4 agosto 2025"),
        ("Resume agosto", "4 de agosto de 2025"),
    ],
)
def test_a_period_is_a_list_of_all_its_notes_in_order_of_date(
    diaries: Household, text: str, first_day: str, scope: FolderScope | None
) -> None:
    answered = answer(diaries, text, scope=scope)
    days = [f"2025-08-{day}" for day in ("04", "11", "18", "25")]
    assert [citation["noteId"] for citation in answered["citations"]] == days
    assert answered["meta"]["notesRead"] == 4
    assert answered["answer"].count("\n- ") == 4
    assert f"\n- {first_day}: " in answered["answer"]


@pytest.mark.parametrize(
    "text",
    [
        "What occurred in August?",
        "What took place in August?",
        "Was geschah im August?",
        "Was geschah in den letzten Augusttagen?",
        "Was ist im August geschehen?",
        "Was hat sich im August ereignet?",
        "Was fand im August statt?",
        "Was gab es im August?",
        "¿Qué ocurrió en agosto de 2025?",
        "¿Qué ha ocurrido en agosto?",
        "¿Qué sucedió en agosto?",
        "¿Qué tuvo lugar en agosto?",
        "¿Qué hubo en agosto?",
        "Qu'est-il arrivé en août ?",
        "Qu'est-ce qui est arrivé en août ?",
        "Qu'est-ce qui a eu lieu en août ?",
        "Que s'est-il produit en août ?",
        "Que se passait-il en août ?",
        "Cosa è accaduto ad agosto?",
        "Cosa accadde ad agosto?",
        "Cosa è capitato ad agosto?",
        "Cosa si è verificato ad agosto?",
        "Cosa ha avuto luogo ad agosto?",
    ],
)
def test_every_word_for_happening_asks_for_the_notes_of_a_time(
    diaries: Household, text: str
) -> None:
    assert answer(diaries, text)["meta"].get("notesRead", 0) > 0


@pytest.mark.parametrize(
    "text",
    [
        "Which place did we like in August?",
        "Wer fand im August die Schlüssel?",
        "¿Qué lugar nos gustó en agosto?",
        "Qui est arrivé en août ?",
        "Quel produit a manqué en août ?",
        "Che cosa ho verificato ad agosto?",
    ],
)
def test_a_word_that_only_looks_like_one_for_happening_is_looked_for(
    diaries: Household, text: str
) -> None:
    assert answer(diaries, text)["meta"].get("notesRead") is None


def test_a_model_gets_every_note_of_a_period_and_the_answer_says_how_many(
    diaries: Household,
) -> None:
    writer = ScriptedWriter(("It was a quiet month [N1].",))
    answered = answer(diaries, "What did I do in August?", writer=writer)
    assert answered["meta"]["notesRead"] == 4
    assert len(writer.prompts[0].sources) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "What did I do in October?",
            "Only the newest 12 notes of that time were read. Your notes of that time:",
        ),
        (
            "Was war im Oktober los?",
            "Nur die neuesten 12 Notizen aus dieser Zeit wurden gelesen. Deine Notizen",
        ),
    ],
)
def test_a_period_of_which_only_the_newest_notes_were_read_says_so(
    diaries: Household, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shared.asking.periods.PERIOD_CHUNKS", 12)
    answered = answer(diaries, text)
    assert answered["answer"].startswith(said)
    assert [citation["noteId"] for citation in answered["citations"]] == [
        f"2025-10-{day}" for day in range(20, 32)
    ]
    writer = ScriptedWriter((f"{DAILY['en'].split('# Journal')[1].strip()} [N1, N2, N3, N4, N5]",))
    assert answer(diaries, text, writer=writer)["answer"].startswith(said.partition(". ")[0])
    assert "the best parts of the newest notes of that time, 12" in writer.prompts[0].user


def test_one_word_beside_a_time_lists_every_note_of_then_that_holds_it(tmp_path: Path) -> None:
    with closing(EmbeddedStore(tmp_path / "store.db")) as store, household(store) as house:
        for day in range(1, 13):
            text = f"Released version {day}." if day <= 10 else f"Walked {day} miles."
            noon = datetime(2025, 8, day, 12, tzinfo=UTC)
            write(house, f"n{day:02}", noon, text, title=f"Log {day}")
        released = answer(house, "What was released in August 2025?")
        walked = answer(house, "What was walked in August 2025?")
    assert [citation["noteId"] for citation in released["citations"]] == [
        f"n{day:02}" for day in range(1, 11)
    ]
    assert released["meta"]["notesRead"] == 10
    assert walked["meta"].get("notesRead") is None


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("versions released in August 2025", 8),
        ("Which versions were released in August 2025?", 8),
        ("list all versions released in August 2025", 8),
        ("What got released in August 2025?", 10),
        ("all notes from August 2025", 10),
        ("What got lost in August 2025?", None),
        ("apps released in August 2025", 10),
        ("versions of Tracer released in August 2025", None),
        ("versions walked in August 2025", None),
    ],
)
def test_a_kind_of_things_may_stand_beside_that_word(
    tmp_path: Path, text: str, listed: int | None
) -> None:
    """A kind that no note names says what the notes are about; one that some name has to be in a note."""
    with closing(EmbeddedStore(tmp_path / "store.db")) as store, household(store) as house:
        for day in range(1, 11):
            kind = "version" if day <= 8 else "number"
            noon = datetime(2025, 8, day, 12, tzinfo=UTC)
            write(house, f"n{day:02}", noon, f"Released {kind} {day}.", title=f"Log {day}")
        answered = answer(house, text)
    assert answered["meta"].get("notesRead") == listed


def test_a_short_note_that_was_indexed_in_another_language_holds_the_word_too(
    tmp_path: Path,
) -> None:
    with closing(EmbeddedStore(tmp_path / "store.db")) as store, household(store) as house:
        for day in range(1, 11):
            noon = datetime(2025, 8, day, 12, tzinfo=UTC)
            text = f"Versione 2.{day} pubblicata."
            write(house, f"n{day:02}", noon, text, title=f"orto 2.{day}")
        answered = answer(house, "versioni pubblicate ad agosto 2025")
    assert answered["meta"].get("notesRead") == 10


LONG_DAY = [
    "# Morning\n\n" + "Slept badly and walked to the office in the rain. " * 25,
    "# Noon\n\n" + "The billing migration {day} took all day, the billing tables moved. " * 20,
    "# Evening\n\n" + "Soup with bread, an old film about trains, early to bed. " * 22,
]


def test_a_model_gets_the_best_passage_of_each_note_of_a_period_and_not_its_beginning(
    tmp_path: Path,
) -> None:
    with closing(EmbeddedStore(tmp_path / "store.db")) as store, household(store) as house:
        for day in range(1, 21):
            text = "\n\n".join(LONG_DAY).replace("{day}", str(day))
            write(house, f"n{day}", datetime(2025, 8, day, 12, tzinfo=UTC), text)
        writer = ScriptedWriter(("It was a quiet month [N1].",))
        answer(house, "What was migrated in August 2025?", writer=writer)
    prompt = writer.prompts[0]
    assert len(prompt.sources) == 20
    for source in prompt.sources:
        assert "billing migration" in source.passage.chunk.text


def test_a_line_of_a_day_in_sections_is_not_that_of_the_first(tmp_path: Path) -> None:
    with closing(EmbeddedStore(tmp_path / "store.db")) as store, household(store) as house:
        for day in (26, 27, 28):
            text = (
                "# Day\n\n## Morning\n\nSlept badly. Coffee.\n\n## Work\n\n"
                f"Shipped the billing migration number {day} with Tom. It took six hours."
            )
            write(house, f"n{day}", datetime(2025, 7, day, 12, tzinfo=UTC), text)
        listed = answer(house, "What did I do in the last days of July?")["answer"]
    assert listed.count("Shipped the billing migration number") == 3


def test_an_answer_stays_inside_a_time_that_holds_notes(diaries: Household) -> None:
    answered = answer(diaries, "Show me the garden updates that I wrote in August")
    time = answered["meta"]["query"]["timeRange"]
    assert time.keys() == {"start", "end", "phrase", "zone", "days", "widened", "restricts"}
    assert time["widened"] is None
    assert time["restricts"] is True
    assert time["days"] > 30
    assert answered["meta"]["refusal"] is None
    assert {citation["noteId"][:7] for citation in answered["citations"]} == {"2025-08"}


def test_a_time_without_notes_is_widened_and_both_facts_are_said(diaries: Household) -> None:
    answered = answer(diaries, "Who baked bread with me and Priya in March 2014?")
    assert answered["meta"]["query"]["timeRange"]["widened"] == "any time"
    assert answered["answer"].startswith(
        "Nothing from “March 2014”, so I searched notes of any time."
    )
    assert answered["meta"]["refusal"] is None
