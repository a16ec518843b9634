from __future__ import annotations

import pytest

from shared.answering.prompt import build_prompt
from shared.answering.sources import label_sources
from shared.domain import Scores, TimeHint
from shared.evidence import Asked, asked_by
from shared.text.terms import stems
from tests.answering.samples import LAST_WEEK, WRITTEN, passage, question, retrieved

NO_VECTOR = Scores(vector=0.0, keyword=1.0, recency=0.0, similarity=0.0)


def asked(text: str, *, lang: str = "en", time: TimeHint | None = None, subject: str | None = None) -> Asked:
    found = retrieved(passage("x"), text=subject or text, lang=lang, time=time)
    return asked_by(build_prompt(question(text), found, label_sources(found.selected)))


def evidence(
    text: str, note: str, *, lang: str = "en", time: TimeHint | None = None, subject: str | None = None
) -> float:
    return asked(text, lang=lang, time=time, subject=subject).evidence(frozenset(stems(note, lang)), NO_VECTOR, WRITTEN)


@pytest.mark.parametrize(
    ("text", "jotted"),
    [
        ("that restaurant with the good octopus", True),
        ("ERR_CONN_42", True),
        ("Which restaurant has octopus?", False),
        ("the octopus place?", False),
        ("what to charge people", False),
        ("wann kommt Oma", False),
        ("Octopus is an animal of the sea.", False),
        ("a b c d e f g h i j", False),
    ],
)
def test_what_is_jotted_down_is_told_from_a_question(text: str, jotted: bool) -> None:  # noqa: FBT001 - a table of cases
    assert asked(text).jotted is jotted


def test_of_jottings_less_is_enough() -> None:
    for vectors in (True, False):
        assert asked("good octopus place").least(vectors=vectors) < asked("Where is good octopus?").least(
            vectors=vectors
        )


def test_a_name_alone_is_not_what_was_asked() -> None:
    note = "Jonas measured cold starts."
    assert evidence("When is the birthday of Jonas?", note) < evidence("What did Jonas measure?", note) / 2


def test_a_missing_name_counts_more_than_its_share() -> None:
    assert evidence("How long is the train to Paris?", "The long train to Vienna.") < 0.5
    assert evidence("How long is the train to Vienna?", "The long train to Vienna.") == 1.0


def test_german_words_stand_in_compounds_and_are_no_names() -> None:
    suppe = asked("Reicht die Suppe für alle Personen?", lang="de")
    assert suppe.names == frozenset()
    assert suppe.coverage(frozenset(stems("Linsensuppe von Oma", "de"))) > 0
    assert asked("Is the soup there?").coverage(frozenset(stems("soupspoon", "en"))) == 0


def test_the_time_that_is_named_is_part_of_what_was_asked() -> None:
    may = TimeHint(LAST_WEEK.range.__class__(WRITTEN.replace(day=1), WRITTEN.replace(day=31)), "in May", None)
    without = evidence("What did the doctor say about the knee?", "The knee is well.")
    inside = evidence(
        "What did the doctor say about the knee in May?", "The knee is well.", time=may, subject="doctor say knee"
    )
    outside = evidence(
        "What did the doctor say last week?", "The knee is well.", time=LAST_WEEK, subject="doctor say knee"
    )
    assert outside == without < inside


def test_only_a_time_asks_for_an_overview() -> None:
    assert asked("What happened last week?", time=LAST_WEEK, subject="happened").overview is not None
    assert asked("What happened to the API last week?", time=LAST_WEEK, subject="happened API").overview is None
    assert asked("What happened?").overview is None


def test_similarity_above_chance_adds_to_it() -> None:
    near = Scores(vector=0.5, keyword=0.0, recency=0.0, similarity=0.8)
    assert asked("Where?").evidence(frozenset(), near, WRITTEN) == pytest.approx(0.6)
