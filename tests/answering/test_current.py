from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.answering.extractive import ExtractiveWriter
from shared.model.answers import Quote
from shared.model.retrieval import Retrieved, Scored
from tests.answering.samples import LAST_WEEK, passage, question, retrieved

DECIDED = "We decided to keep Kafka messages for 14 days."
MOVED = "Kafka retention is 7 days since the move."


def dated(text: str, year: int, *, title: str = "", score: float = 0.8) -> Scored:
    """A passage of a note of its own that was written in that year."""
    plain = passage(text, note_id=str(year), title=title)
    written = datetime(year, 2, 10, tzinfo=UTC)
    return replace(plain, chunk=replace(plain.chunk, created_at=written), score=score)


def searched(*passages: Scored, text: str) -> Retrieved:
    result = retrieved(*passages, text=text)
    return replace(result, weights=dict.fromkeys(result.analysis.stems, 1.0))


def quoted(*passages: Scored, text: str) -> tuple[Quote, ...]:
    return ExtractiveWriter().quotes(question(text), searched(*passages, text=text))


def years(quotes: tuple[Quote, ...]) -> list[int]:
    return [quote.passage.chunk.created_at.year for quote in quotes]


def test_todays_statement_precedes_an_earlier_decision_and_both_are_dated() -> None:
    decision = dated(DECIDED, 2024, title="Kafka retention decision", score=1.0)
    runbook = dated(MOVED, 2025, title="Kafka runbook")
    pieces = ExtractiveWriter().pieces(
        question("Kafka retention?"), searched(decision, runbook, text="Kafka retention?")
    )
    assert [piece.text.split("\n")[2] for piece in pieces[1:]] == [
        "> **Kafka runbook**, 10 February 2025",
        "> **Kafka retention decision**, 10 February 2024",
    ]


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ("Kafka retention for May 2025", ", 10 February 2025"),
        ("Kafka runbook of 3 May 2025", ", 10 February 2025"),
        ("Kafka runbook of 10 February 2025", ""),
    ],
)
def test_a_title_that_names_another_day_than_its_notes_has_that_beside_it(
    title: str, named: str
) -> None:
    decision = dated(DECIDED, 2024, title="Kafka retention for May 2025", score=1.0)
    runbook = dated(MOVED, 2025, title=title)
    pieces = ExtractiveWriter().pieces(
        question("Kafka retention?"), searched(decision, runbook, text="Kafka retention?")
    )
    assert [piece.text.split("\n")[2] for piece in pieces[1:]] == [
        f"> **{title}**{named}",
        "> **Kafka retention for May 2025**, 10 February 2024",
    ]


@pytest.mark.parametrize(
    ("older", "newer", "text"),
    [
        ("The launch of Helios is on 14 May.", "The launch of Helios moved to 2 June.", "Launch of Helios?"),
        ("The lead of Billing is Ana.", "The lead of Billing is now Tom.", "Who is the lead of Billing?"),
        ("The boat rent is $40 a day.", "The boat rent is $55 a day.", "How much is the boat rent?"),
        ("The standup begins at 9:30.", "The standup begins at 10:15.", "When is the standup?"),
        ("The code of the door is 4711.", "The code of the door is 1174.", "Door code?"),
        ("Billing runs on Tracer 13.", "Billing runs on Tracer 15 since last night.", "Which Tracer runs billing?"),
    ],
)  # fmt: skip
def test_a_number_a_date_a_time_or_a_name_may_have_changed(
    older: str, newer: str, text: str
) -> None:
    quotes = quoted(dated(older, 2024, score=1.0), dated(newer, 2025), text=text)
    assert years(quotes) == [2025, 2024]
    assert all(quote.dated for quote in quotes)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Kafka retention is 14 days.", "Kafka retention is still 14 days."),
        ("Kafka retention is 14 days.", "Kafka has 3 brokers. The tiered storage costs 7 days of work."),
        ("Kafka retention is 14 days.", "Kafka retention was discussed with Ana in Lisbon."),
        ("Kafka retention was set by Tracer 13 once.", "Kafka retention has a chapter of six pages in Tracer 15 handbooks."),
    ],
)  # fmt: skip
def test_notes_that_agree_or_state_something_else_stay_in_the_order_of_the_search(
    older: str, newer: str
) -> None:
    text = "How long is the Kafka retention?"
    quotes = quoted(dated(older, 2024, score=1.0), dated(newer, 2025), text=text)
    assert years(quotes)[0] == 2024
    assert not any(quote.dated for quote in quotes)


def test_the_newest_statement_is_never_cut_by_the_number_of_quotes() -> None:
    older = [
        dated(f"Kafka retention is {year - 2000} days, agreed with Ana.", year)
        for year in (2018, 2019, 2020)
    ]
    newest = dated("Kafka retention is now 7 days instead of 14.", 2025, score=0.75)
    quotes = quoted(*older, newest, text="Kafka retention?")
    assert years(quotes)[0] == 2025
    assert len(quotes) == len(older)


def test_a_newer_statement_joins_the_only_quote_above_it() -> None:
    """A title that is asked for is a full match, whatever is written in it."""
    decision = dated(DECIDED, 2024, title="Kafka retention", score=1.0)
    runbook = dated(MOVED, 2025, score=0.75)
    assert years(quoted(decision, runbook, text="Kafka retention?")) == [2025, 2024]


def test_a_time_that_is_asked_for_orders_alone() -> None:
    text = "Kafka retention?"
    result = searched(dated(DECIDED, 2024, score=1.0), dated(MOVED, 2025), text=text)
    result = replace(result, analysis=replace(result.analysis, time=LAST_WEEK))
    assert years(ExtractiveWriter().quotes(question(text), result))[0] == 2024


def test_a_section_of_a_later_day_stands_before_what_its_note_said_first() -> None:
    note = dated("We keep application logs for 90 days.", 2024, title="Log retention", score=1.0)
    sections = [note]
    for day, text in (
        ("2025-02-11", "Application logs are kept for 30 days from now on."),
        ("2026-07-02", "After the bill: application logs 14 days."),
    ):
        path = f"# Log retention > ## Update {day}"
        chunk = replace(
            note.chunk, text=text, heading_path=path, chunk_id=day, start=len(sections) * 100
        )
        chunk = replace(chunk, end=chunk.start + len(text))
        sections.append(replace(note, chunk=chunk, score=0.7))
    quotes = quoted(*sections, text="How long do we keep application logs?")
    headings = [quote.passage.chunk.heading_path[-10:] for quote in quotes]
    assert headings == ["2026-07-02", "2025-02-11", ""]
    assert [quote.dated for quote in quotes] == [False, False, True]


@pytest.mark.parametrize(
    ("of_old", "of_new"),
    [
        ("superseded by: 2025", "status: accepted"),
        ("cost: high", "supersedes: 2024"),
    ],
)
def test_a_replaced_note_stands_below_its_replacement(of_old: str, of_new: str) -> None:
    old = dated("The dock scheduler runs on MongoDB.", 2024, score=1.0)
    new = dated("The dock scheduler moves to something with transactions.", 2025)
    text = "Which database does the dock scheduler use?"
    notes = (
        marked(old, of_old, "2024.md"),
        marked(new, of_new, "2025.md"),
    )
    assert years(quoted(*notes, text=text)) == [2025, 2024]
    assert years(quoted(old, new, text=text)) == [2024, 2025]


def marked(passage: Scored, line: str, path: str, *, written: datetime | None = None) -> Scored:
    chunk = replace(passage.chunk, properties=(line,), path=path)
    return replace(passage, chunk=replace(chunk, created_at=written or chunk.created_at))


@pytest.mark.parametrize(
    "later",
    [
        timedelta(hours=3),
        timedelta(0),
        timedelta(days=-30),
    ],
)
@pytest.mark.parametrize(
    ("of_old", "of_new"),
    [
        ("cost: high", "supersedes: old"),
        ("superseded_by: new", "cost: high"),
        ("Ersetzt durch: new", "status: gilt"),
        ("cost: high", "ersetzt: old"),
    ],
)
def test_a_replaced_note_stands_below_whenever_both_were_written(
    later: timedelta,
    of_old: str,
    of_new: str,
) -> None:
    old = dated("The dock scheduler runs on MongoDB.", 2024, score=1.0)
    new = dated("The dock scheduler moves to something with transactions.", 2025)
    old = marked(old, of_old, "old.md")
    new = marked(new, of_new, "new.md", written=old.chunk.created_at + later)
    for passages in ((old, new), (new, replace(old, score=0.5))):
        quotes = quoted(*passages, text="Which database does the dock scheduler use?")
        assert [quote.passage.chunk.path for quote in quotes] == ["new.md", "old.md"]


@pytest.mark.parametrize(
    "line",
    [
        "battery: replaced",
        "status: superseded",
        "replaced: the boiler",
        "note: Replaces old",
        "work: Replaced the boiler",
    ],
)
def test_a_property_that_names_no_other_note_replaces_none(line: str) -> None:
    first = marked(dated("The dock scheduler runs on MongoDB.", 2024, score=1.0), line, "a.md")
    newer = dated("The dock scheduler moves to something with transactions.", 2025)
    assert years(quoted(first, newer, text="Which database does the dock scheduler use?")) == [
        2024,
        2025,
    ]


def test_a_note_that_replaces_another_is_quoted_also_where_it_is_far() -> None:
    old = dated("We use RabbitMQ as the message queue.", 2024, title="Message queue", score=1.0)
    new = dated("Everything goes through Kafka.", 2025, score=0.1)
    new = replace(new, chunk=replace(new.chunk, properties=("supersedes: Message queue",)))
    assert years(quoted(old, new, text="Which message queue do we use?")) == [2025, 2024]


def test_a_note_whose_predecessor_had_its_title_is_no_version_of_itself() -> None:
    note = dated("We use Kafka as the message queue.", 2025, title="Message queue", score=1.0)
    note = marked(note, "supersedes: Message queue", "queue.md")
    (only,) = quoted(note, text="Which message queue do we use?")
    assert not only.dated


def test_a_note_about_another_states_nothing_anew() -> None:
    asked = "What is the tyre pressure of the Skoda?"
    skoda = dated("Skoda: tyre pressure 2.3 bar.", 2024, title="Skoda", score=1.0)
    fiat = dated("Fiat: tyre pressure 2.0 bar.", 2025, title="Fiat")
    skoda_again = dated("Skoda: tyre pressure 2.5 bar with the trailer.", 2026, title="Skoda")
    assert years(quoted(skoda, fiat, text=asked))[0] == 2024
    assert years(quoted(skoda, fiat, skoda_again, text=asked))[0] == 2026


@pytest.mark.parametrize(
    ("text", "older", "newer", "first_year"),
    [
        ("car tyres pressure", "Car tyres: pressure 2.4 bar.", "Bike tyres: pressure 4.5 bar.", 2024),
        ("car tyres pressure", "Car tyres: pressure 2.4 bar.", "The tyres: pressure 2.6 bar.", 2025),
        ("alte Säge Preis", "Alte Säge: Preis 12 Euro.", "Neue Säge: Preis 90 Euro.", 2024),
    ],
)  # fmt: skip
def test_a_note_about_another_thing_of_the_kind_states_nothing_anew(
    text: str, older: str, newer: str, first_year: int
) -> None:
    quotes = quoted(dated(older, 2024, score=1.0), dated(newer, 2025), text=text)
    assert years(quotes)[0] == first_year


@pytest.mark.parametrize(
    "text",
    [
        "What was the old Kafka retention?",
        "What was the Kafka retention before the move?",
        "previous Kafka retention",
    ],
)
def test_the_oldest_statement_stands_first_for_what_no_longer_holds(text: str) -> None:
    decision = dated(DECIDED, 2024, title="Kafka retention")
    runbook = dated(MOVED, 2025, score=1.0)
    quotes = quoted(runbook, decision, text=text)
    assert years(quotes) == [2024, 2025]
    assert all(quote.dated for quote in quotes)


@pytest.mark.parametrize(
    "text",
    [
        "What was the boat rent before the last increase?",
        "the previous boat rent",
        "boat rent before?",
    ],
)
@pytest.mark.parametrize("best", [0, 1, 2])
def test_of_several_statements_that_no_longer_hold_the_last_one_stands_first(
    text: str, best: int
) -> None:
    versions = [
        dated(f"The boat rent is ${price} since spring.", year)
        for year, price in ((2021, 40), (2023, 48), (2025, 55))
    ]
    versions[best] = replace(versions[best], score=1.0)
    best_first = sorted(versions, key=lambda version: -version.score)
    assert years(quoted(*best_first, text=text))[0] == 2023


@pytest.mark.parametrize("newer_is_best", [True, False])
def test_other_questions_in_the_past_keep_the_order_of_the_search_and_both_are_dated(
    *, newer_is_best: bool
) -> None:
    passages = [dated(DECIDED, 2024, title="Kafka retention"), dated(MOVED, 2025)]
    if newer_is_best:
        passages.reverse()
    best, other = passages
    quotes = quoted(replace(best, score=1.0), other, text="What did we say on Kafka retention?")
    assert [quote.passage.chunk for quote in quotes] == [best.chunk, other.chunk]
    assert all(quote.dated for quote in quotes)


def test_a_note_that_was_replaced_stands_first_for_what_no_longer_holds() -> None:
    old = dated("We use Kafka as the message queue.", 2024)
    new = marked(
        dated("We use Tracer as the message queue.", 2025, score=1.0),
        "supersedes: 2024",
        "new.md",
    )
    old = replace(old, chunk=replace(old.chunk, path="2024.md"))
    assert years(quoted(new, old, text="Which message queue did we use before?")) == [2024, 2025]
