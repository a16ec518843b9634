"""Questions to a real store: what is found, in which mode, and what is said when nothing is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

import pytest

from shared.answering.subject import is_on_topic
from shared.errors import (
    InvalidArgument,
    ModelRefused,
    ModelUnavailable,
    NotFound,
    PortContractError,
    StoreUnavailable,
)
from shared.model.index import ChunkPut
from shared.model.notes import Note
from shared.model.questions import Filters, Question, Strategy, TimeRange
from shared.model.retrieval import CosineCalibration, FailedLeg, Leg, RefusalReason, RetrievalMode
from shared.ports.stores import Store
from tests.contracts.samples import TENANT
from tests.retrieval.library import Broken, Counted, Library, notes
from tests.retrieval.samples import NOW, days_ago


def _furnish(library: Library) -> None:
    library.add(
        "api", "We decided to run the API on Cloud Run", created_at=days_ago(5), path="work/api.md"
    )
    library.add(
        "db",
        "The database of the API is Firestore",
        created_at=days_ago(40),
        path="work/db.md",
        tags=("data",),
    )
    library.add(
        "garden",
        "Tomatoes need water every evening",
        created_at=days_ago(200),
        vault="home",
        path="plans/g.md",
    )


QUARKS = ("strange", "charm", "bottom", "top", "quark", "lepton")
"""Words of no note; chance brings some of their vectors near one."""


def test_the_note_that_answers_comes_first_with_its_scores(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask("Where does the API run?")
    best = retrieved.selected[0]
    assert best.chunk.note_id == "api"
    assert best.scores.keyword == 1.0
    assert best.score == pytest.approx(
        0.6 * best.scores.vector + 0.25 * best.scores.keyword + 0.15 * best.scores.recency
    )
    assert retrieved.mode == RetrievalMode.WEIGHTED
    assert retrieved.refusal is None
    assert retrieved.candidate_count == 3
    assert retrieved.nearest[0] == best
    assert {"analysis", "restriction", "candidates", "selection", "retrieval"} == set(
        retrieved.timings_ms
    )


def test_an_old_note_does_not_vanish_behind_the_window(library: Library) -> None:
    _furnish(library)
    library.add("old", "The boiler was serviced by Hannah", created_at=days_ago(3000))
    assert notes(library.ask("Who serviced the boiler?"))[0] == "old"


def test_fusion_is_asked_for_by_name(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask("Where does the API run?", strategy=Strategy.RRF)
    assert retrieved.mode is RetrievalMode.RRF
    assert retrieved.selected[0].chunk.note_id == "api"
    assert 1 / 61 < retrieved.selected[0].score <= 2 / 61


@pytest.mark.parametrize(
    "outage",
    [
        ModelUnavailable("away"),
        ModelRefused("bad key"),
        PortContractError("no vector"),
    ],
)
def test_without_the_questions_embedding_keywords_and_recency_find_notes(
    library: Library, outage: ModelUnavailable | ModelRefused | PortContractError
) -> None:
    _furnish(library)
    library.writer.outage = outage
    retrieved = library.ask("Where does the API run?", strategy=Strategy.RRF)
    assert retrieved.mode is RetrievalMode.KEYWORD_RECENCY
    assert notes(retrieved) == ["api", "db"]
    assert retrieved.selected[0].scores.vector == 0.0


def test_without_an_embedder_and_without_a_match_the_newest_notes_stand_in(
    library: Library,
) -> None:
    _furnish(library)
    library.embedder = None
    retrieved = library.ask("What is quantum chromodynamics?")
    assert retrieved.mode == RetrievalMode.RECENT
    assert notes(retrieved) == ["api", "db"]


def test_unrelated_notes_are_not_near_the_question(library: Library) -> None:
    _furnish(library)
    library.embedder = None
    assert library.ask("What is quantum chromodynamics?").nearest == ()
    assert [near.chunk.note_id for near in library.ask("Where does the API run?").nearest] == [
        "api",
        "db",
    ]
    assert [
        near.chunk.note_id for near in library.ask("Any chromodynamics last week?").nearest
    ] == ["api"]


def test_notes_around_a_time_that_holds_none_are_near_a_question_about_it(library: Library) -> None:
    library.embedder = None
    library.add("garden", "Tomatoes need water every evening", created_at=days_ago(12))
    library.add("attic", "Old boxes", created_at=days_ago(300))
    retrieved = library.ask("Any chromodynamics last week?")
    assert retrieved.widened == "7 days around"
    assert [near.chunk.note_id for near in retrieved.nearest] == ["garden"]


def test_a_step_in_which_no_note_has_a_word_of_the_question_is_left_out(library: Library) -> None:
    library.add("garden", "Tomatoes need water every evening", created_at=days_ago(12))
    library.add("rota", "Kick-off of the juniors is at ten", created_at=days_ago(25))
    library.add("attic", "Juniors: old boxes", created_at=days_ago(300))
    retrieved = library.ask("When do the juniors start last week?")
    assert retrieved.widened == "30 days around"
    assert notes(retrieved)[0] == "rota"
    assert "attic" not in notes(retrieved)


def test_words_of_excluded_notes_leave_no_step_out(library: Library) -> None:
    library.add("garden", "Tomatoes need water every evening", created_at=days_ago(12))
    library.add("rota", "Kick-off of the juniors is at ten", created_at=days_ago(25))
    without_rota = Filters(without_notes=("rota",))
    retrieved = library.ask("When do the juniors start last week?", filters=without_rota)
    assert retrieved.widened == "7 days around"


def test_likeness_of_unrelated_texts_makes_no_note_near(library: Library) -> None:
    library.add("garden", "Tomatoes need water every evening")
    word = next(word for word in QUARKS if library.ask(word).nearest)
    library.writer.calibration = CosineCalibration(0.9, 0.95)
    retrieved = library.ask(word)
    assert notes(retrieved) == []
    assert retrieved.nearest == ()
    assert retrieved.refusal == RefusalReason.NO_CANDIDATES


def test_when_nothing_lies_in_the_window_the_newest_notes_are_older(library: Library) -> None:
    library.add("old", "Tomatoes need water", created_at=days_ago(400))
    library.embedder = None
    assert notes(library.ask("Anything about quantum chromodynamics?")) == ["old"]


def test_a_chunk_whose_vector_is_still_to_come_is_found_by_its_words(library: Library) -> None:
    _furnish(library)
    library.add("new", "Zinc is used for the gutter", embedded=False)
    retrieved = library.ask("What is zinc used for?")
    assert retrieved.selected[0].chunk.note_id == "new"
    assert retrieved.mode == RetrievalMode.WEIGHTED
    assert retrieved.selected[0].scores.vector == 0.0


def test_in_a_language_that_the_embedder_does_not_speak_words_are_known_by_their_letters(
    library: Library,
) -> None:
    library.add("loan", "Der Leihcomputer wird an der Theke ausgegeben")
    library.add("food", "Am Abend kochen wir für die ganze Gruppe")
    question = "Wo gibt es den Computerraum?"
    assert all(passage.scores.keyword == 0.0 for passage in library.ask(question).selected)
    library.writer.languages = frozenset({"en"})
    retrieved = library.ask(question)
    assert retrieved.lexical_only is True
    assert notes(retrieved)[0] == "loan"
    assert retrieved.selected[0].scores.keyword > 0
    assert not library.ask("Where does the API run?").lexical_only


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("What did we decide about kuberntes?", "kubernet"),  # a letter left out
        ("What did we decide about kubbernetes?", "kubernet"),  # one too many
        ("What did we decide about Kubermetes?", "kubernet"),  # another one
        ("What did we decide about kubernetse?", "kubernet"),  # two of them swapped
        (
            "Who keeps the meetigns?",
            "meet",
        ),  # the stem of the wrong word is no nearer than three letters
        ("Becuase of kubernetes", "kubernet"),  # a common word asks for nothing
    ],
)
def test_a_typo_in_a_long_word_is_read_as_the_word_of_the_notes(
    library: Library, text: str, mended: str
) -> None:
    library.add(
        "cluster", "We chose Kubernetes because the meetings said so", created_at=days_ago(60)
    )
    library.add("garden", "Tomatoes need water every evening")
    retrieved = library.ask(text)
    assert mended in retrieved.analysis.stems
    assert set(retrieved.analysis.keywords) <= {
        "because",
        "decide",
        "kubernetes",
        "keeps",
        "meetings",
    }  # as people are shown it
    assert notes(retrieved)[0] == "cluster"
    assert is_on_topic(retrieved) is True
    assert retrieved.selected[0].scores.keyword > 0


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Who is Rosie?", "rosi"),  # short
        ("Where are the tomatillos?", "tomatillo"),  # another word
        ("What is the bowling score?", "bowl"),  # notes know the word, though "boiling" is near
        ("Is ERR_CONN_43 known?", "err_conn_43"),  # another number is another thing
    ],
)
def test_other_words_are_read_as_they_are(library: Library, text: str, kept: str) -> None:
    library.add("garden", "Roses, tomatoes, boiling water, ERR_CONN_42")
    library.add("sports", "Bowling on Tuesday")
    assert kept in library.ask(text).analysis.stems


def test_a_word_that_could_not_be_counted_is_no_typo_where_a_note_holds_it(
    library: Library,
) -> None:
    library.add("sports", "Bowling in the morning, boiling at noon, boiling at night")
    library.asked = Broken(library.store, "document_frequencies").as_store()
    assert library.ask("Bowling tournament").analysis.stems == ("bowl", "tournament")


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("Wann ist die Steuererklärung fällig?", {"steu", "erklar"}),
        ("Wann ist die Erklärungsfrist?", {"erklar"}),
        ("Wo ist das Theater?", {"theaterkass"}),
        ("Wer kümmert sich um den Nachwuchs?", {"nachwuch"}),  # "nach" is no noun
        ("Wer hat die Leitung?", {"leitung"}),  # and "An" no part
    ],
)
def test_a_german_compound_is_read_as_its_parts_and_a_part_as_the_compound(
    library: Library, text: str, mended: set[str]
) -> None:
    library.writer.languages = frozenset({"en"})
    library.add(
        "tax",
        "Die Erklärung der Steuer muss bis Juli an das Finanzamt",
        lang="de",
        created_at=days_ago(60),
    )
    library.add(
        "desk",
        "Nach der Pause ist Schluss. Die Theaterkasse öffnet nach der Anleitung um sechs",
        lang="de",
    )
    retrieved = library.ask(text)
    assert mended <= set(retrieved.analysis.stems)
    assert is_on_topic(retrieved) == (mended.isdisjoint({"nachwuch", "leitung"}))


def test_a_named_time_restricts_every_leg(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask("What did I write about the API last week?")
    assert retrieved.analysis.time is not None
    assert retrieved.range_used == retrieved.analysis.time.range
    assert notes(retrieved) == ["api"]
    assert retrieved.widened is None
    assert retrieved.selected[0].scores.recency == 1.0


def test_a_note_of_another_time_that_tells_of_the_named_one_is_found(library: Library) -> None:
    library.add("garden", "2026-11-10: planted garlic\n2026-06-02: beans", created_at=days_ago(100))
    library.add("plan", "Plant garlic in rows", created_at=days_ago(100))
    library.add("soup", "Soup for eight", created_at=days_ago(8))
    retrieved = library.ask("Where did I plant garlic last week?")
    assert notes(retrieved) == ["garden", "soup"]
    assert retrieved.widened is None
    assert retrieved.selected[0].scores.recency == 1.0


def test_it_is_left_out_where_a_note_of_then_says_as_much(library: Library) -> None:
    library.add("garden", "2026-11-10: planted garlic", created_at=days_ago(100))
    library.add("today", "Planted garlic behind the shed", created_at=days_ago(8))
    assert notes(library.ask("Where did I plant garlic last week?")) == ["today"]


def test_it_is_found_where_nothing_was_written_then(library: Library) -> None:
    library.add("garden", "2026-11-10: planted garlic", created_at=days_ago(100))
    library.add("soup", "Soup for eight", created_at=days_ago(2))
    retrieved = library.ask("Where did I plant garlic last week?")
    assert notes(retrieved)[0] == "garden"
    assert retrieved.widened is None
    assert retrieved.mode is RetrievalMode.WEIGHTED
    assert retrieved.selected[0].scores.recency == 1.0


def test_it_is_found_by_ranks_too(library: Library) -> None:
    library.add("garden", "2026-11-10: planted garlic", created_at=days_ago(100))
    library.add("soup", "Soup for eight", created_at=days_ago(8))
    retrieved = library.ask("Where did I plant garlic last week?", strategy=Strategy.RRF)
    assert retrieved.mode is RetrievalMode.RRF
    assert "garden" in notes(retrieved)


def test_an_excluded_note_of_then_withholds_it_not(library: Library) -> None:
    library.add("garden", "2026-11-10: planted garlic", created_at=days_ago(100))
    library.add("today", "Planted garlic behind the shed", created_at=days_ago(8))
    without_today = Filters(without_notes=("today",))
    retrieved = library.ask("Where did I plant garlic last week?", filters=without_today)
    assert notes(retrieved) == ["garden"]


def test_its_vector_is_read_only_to_compare_it(library: Library) -> None:
    library.add("garden", "2026-11-10: planted garlic", created_at=days_ago(100))
    library.add("soup", "Soup for eight", created_at=days_ago(8))
    store = Counted(library.store)
    library.asked = store.as_store()
    assert notes(library.ask("Where did I plant garlic last week?"))[0] == "garden"
    assert store.reads["read_vectors"] == 1
    library.embedder = None
    assert notes(library.ask("Where did I plant garlic last week?"))[0] == "garden"
    assert store.reads["read_vectors"] == 1


def test_a_time_that_may_belong_to_a_story_orders_and_leaves_nothing_out(library: Library) -> None:
    for name, days in (("new", 6), ("old", 200)):
        library.add(name, "Cloud Run bills by the second", created_at=days_ago(days))
    retrieved = library.ask("Can I still cancel the Cloud Run contract I signed last week?")
    assert retrieved.analysis.time is not None
    assert not retrieved.analysis.time.restricts
    assert retrieved.range_used is None
    assert retrieved.widened is None
    assert notes(retrieved) == ["new", "old"]
    assert [passage.scores.recency > 0.5 for passage in retrieved.selected] == [True, False]


def test_a_time_of_the_person_s_story_counts_for_nothing(library: Library) -> None:
    library.add("old", "Cloud Run bills by the second", created_at=days_ago(200))
    retrieved = library.ask("I signed up last week. How does Cloud Run bill?")
    assert notes(retrieved) == ["old"]
    assert retrieved.analysis.time is None
    assert retrieved.widened is None


@pytest.mark.parametrize(
    "text", ["Who is Priya?", "Tell me about Priya Raman", "priya", "Who is the lead designer?"]
)
def test_the_note_whose_title_is_asked_for_comes_first(library: Library, text: str) -> None:
    library.add(
        "person",
        "Designer. Lives in Vienna with two cats.",
        title="Priya Raman",
        created_at=days_ago(900),
        properties=("alias: Lead designer",),
    )
    for number in range(12):
        library.add(
            f"n{number}",
            f"Priya, Priya Raman: call number {number} about Priya, lead designer",
            created_at=days_ago(1),
        )
    assert notes(library.ask(text))[0] == "person"
    asked_more = library.ask("Which call did Priya want?")
    assert notes(asked_more)[0] != "person"


@pytest.mark.parametrize(
    ("days", "written", "first"),
    [
        (30, "Mine is the yellow boat", "said"),
        (31, "Mine is the yellow boat", "other"),
        (
            30,
            "Mine is the yellow boat. " + " ".join(f"word{number}" for number in range(80)),
            "other",
        ),
    ],
)
def test_a_short_note_is_lifted_by_what_was_written_within_the_hour(
    library: Library, days: int, written: str, first: str
) -> None:
    library.add("asked", "Which boat won the regatta on the lake?", created_at=days_ago(30))
    library.add("said", written, created_at=days_ago(days))
    library.add("other", "The regatta has no boat yet", created_at=days_ago(60))
    for number in range(8):
        library.add(f"n{number}", f"Tomatoes {number}", created_at=days_ago(number))
    ranked = notes(library.ask("Which boat won the regatta?"))
    assert next(note_id for note_id in ranked if note_id in ("said", "other")) == first


PLAN = "The Kafka topic of the orders service keeps its messages for {} days before they go to the archive of the team"


@pytest.mark.parametrize(
    ("title", "newer", "first"),
    [
        ("Kafka", PLAN.format(14) + " and may grow up to a terabyte.", "new"),
        ("Kafka and more", PLAN.format(14) + " and may grow up to a terabyte.", "old"),
        ("Kafka", "Which Kafka retention we have was asked again, and nobody knew it", "old"),
    ],
)
def test_a_newer_version_of_a_passage_comes_before_the_outdated_one(
    library: Library, title: str, newer: str, first: str
) -> None:
    library.add("old", PLAN.format(7), title="Kafka", created_at=days_ago(900))
    library.add("new", newer, title=title, created_at=days_ago(600))
    assert (
        notes(
            library.ask("How many days does the Kafka topic of the orders service keep messages?")
        )[0]
        == first
    )


def test_an_import_that_took_hours_is_no_context(library: Library) -> None:
    for number in range(12):
        imported_at = days_ago(30 + number / 12)
        library.add(f"regatta{number}", f"Regatta {number}", created_at=imported_at)
        library.add(f"bread{number}", f"Bread {number}", created_at=imported_at)
    assert library.retriever().retrieve(Question(TENANT, "regatta", NOW)).formula.lifts == {}


def test_notes_imported_at_one_moment_are_no_context(library: Library) -> None:
    for number in range(12):
        library.add(
            f"n{number:02d}", f"Boat {number} of the regatta" if number % 2 else f"Boat {number}"
        )
    assert library.retriever().retrieve(Question(TENANT, "regatta", NOW)).formula.lifts == {}


def test_an_empty_range_is_widened_and_says_by_which_step(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask("What did I write about the database 5 weeks ago?")
    hint = retrieved.analysis.time
    assert hint is not None
    assert hint.range.start is not None
    assert notes(retrieved) == ["db"]
    assert retrieved.widened == "7 days around"
    assert retrieved.range_used is not None
    assert retrieved.range_used.start is not None
    assert (hint.range.start - retrieved.range_used.start).days == 7


def test_an_open_side_of_a_range_stays_open_where_it_is_widened(library: Library) -> None:
    library.add("db", "The database of the API is Firestore", created_at=days_ago(40))
    retrieved = library.ask("What did I write about the database before 8 October 2026?")
    assert retrieved.widened == "7 days around"
    assert (retrieved.range_used is not None and retrieved.range_used.start) is None


def test_a_time_far_from_every_note_is_widened_to_any_time(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask("What did I write about the API in March 2019?")
    assert set(notes(retrieved)) == {"api", "db", "garden"}
    assert retrieved.widened == "any time"
    assert retrieved.range_used is None


def test_a_time_of_ones_own_that_holds_notes_is_kept_though_only_other_times_speak_of_the_question(
    library: Library,
) -> None:
    library.add("sunrise", "I chose orange paint for the sunrise", created_at=days_ago(60))
    library.add("garden", "Tomatoes need water", created_at=days_ago(9))
    retrieved = library.ask("Which paint did I choose for the sunrise last week?")
    assert notes(retrieved) == ["garden"]
    assert retrieved.widened is None
    assert retrieved.refusal is None


def test_an_event_of_a_time_may_have_been_written_down_later(library: Library) -> None:
    library.add("garden", "Tomatoes need water", created_at=days_ago(9))
    library.add("tent", "Melanie told me of her camping", created_at=days_ago(3))
    library.add("stove", "Melanie needs a stove for camping", created_at=days_ago(90))
    retrieved = library.ask("When did Melanie go camping last week?")
    assert retrieved.analysis.time is not None
    assert not retrieved.analysis.time.restricts
    assert notes(retrieved)[:2] == ["tent", "stove"]


def test_a_time_that_only_orders_brings_its_newest_notes(library: Library) -> None:
    library.add("then", "Tomatoes need water", created_at=days_ago(200))
    for day in range(1, 15):
        library.add(f"note{day}", "Bread with seeds", created_at=days_ago(day))
    named = library.ask("When did Melanie go camping 200 days ago?")
    assert "then" in notes(named)


def test_the_callers_own_dates_are_never_widened(library: Library) -> None:
    _furnish(library)
    filters = Filters(
        created_after=datetime(2019, 1, 1, tzinfo=UTC),
        created_before=datetime(2020, 1, 1, tzinfo=UTC),
    )
    retrieved = library.ask("Where does the API run?", filters=filters)
    assert retrieved.selected == ()
    assert retrieved.refusal == RefusalReason.TIME_RANGE_EMPTY
    assert retrieved.widened is None
    assert retrieved.range_used == TimeRange(filters.created_after, filters.created_before)
    assert retrieved.nearest[0].chunk.note_id == "api"


def test_widening_a_named_time_stays_within_the_callers_dates(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask(
        "What did I write about the API in 2019?", filters=Filters(created_before=days_ago(20))
    )
    assert retrieved.widened == "any time"
    assert retrieved.range_used == TimeRange(None, days_ago(20))
    assert "api" not in notes(retrieved)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(vaults=("home",)), {"garden"}),
        (Filters(folders=("work",)), {"api", "db"}),
        (Filters(folders=("home/plans",)), {"garden"}),
        (Filters(tags=("data",)), {"db"}),
        (Filters(window_days=30), {"api"}),
        (Filters(without_notes=("api", "garden")), {"db"}),
        (Filters(created_before=days_ago(30), folders=("work",)), {"db"}),
    ],
)
def test_filters_hold_for_every_passage(
    library: Library, filters: Filters, expected: set[str]
) -> None:
    _furnish(library)
    library.embedder = None
    retrieved = library.ask("Tomatoes, Firestore and the API", filters=filters)
    assert set(notes(retrieved)) == expected


def test_an_unknown_vault_is_named(library: Library) -> None:
    _furnish(library)
    with pytest.raises(NotFound, match="attic"):
        library.ask("API?", filters=Filters(vaults=("attic",)))


def test_dates_the_wrong_way_round_are_refused(library: Library) -> None:
    with pytest.raises(InvalidArgument):
        library.ask("API?", filters=Filters(created_after=days_ago(1), created_before=days_ago(2)))


def test_a_tenant_without_notes_is_told_so(library: Library) -> None:
    retrieved = library.ask("What did I decide last week about the API?")
    assert retrieved.refusal == RefusalReason.NO_NOTES
    assert retrieved.mode == RetrievalMode.NONE
    assert retrieved.selected == ()
    assert retrieved.nearest == ()


def test_notes_that_the_index_has_not_reached_yet_are_pending(library: Library) -> None:
    library.store.put_note(TENANT, Note("n", "", "The API runs", NOW, NOW))
    assert library.ask("Where does the API run?").refusal is RefusalReason.INDEX_PENDING


def test_a_tag_nobody_uses_leaves_no_candidates(library: Library) -> None:
    _furnish(library)
    retrieved = library.ask("Where does the API run?", filters=Filters(tags=("nowhere",)))
    assert retrieved.refusal is RefusalReason.NO_CANDIDATES


def test_nothing_similar_enough_is_below_the_threshold_with_the_nearest_notes(
    library: Library,
) -> None:
    _furnish(library)
    retrieved = library.ask("Where does the API run?", threshold=0.99)
    assert retrieved.selected == ()
    assert retrieved.refusal == RefusalReason.BELOW_THRESHOLD
    assert retrieved.nearest[0].chunk.note_id == "api"


def test_a_deleted_note_is_not_found_although_its_chunks_are_still_there(library: Library) -> None:
    _furnish(library)
    library.store.delete_note(TENANT, "api")
    retrieved = library.ask("Where does the API run?")
    assert "api" not in notes(retrieved)
    assert "api" not in [passage.chunk.note_id for passage in retrieved.nearest]


def test_chunks_of_a_half_written_revision_do_not_answer(library: Library) -> None:
    chunk = library.add("n", "The API runs on Heroku", revision="r1")
    library.put(ChunkPut(chunk, None), "r2")
    retrieved = library.ask("Where does the API run?")
    assert retrieved.selected == ()
    assert retrieved.refusal == RefusalReason.INDEX_PENDING


def test_the_question_says_how_many_passages_up_to_twelve(library: Library) -> None:
    for number in range(20):
        library.add(f"n{number:02d}", f"API call number {number}")
    assert [len(library.ask("API call", top_k=top_k).selected) for top_k in (1, 5, 20)] == [
        1,
        5,
        12,
    ]
    assert len(library.ask("API call").selected) == 8


def test_the_same_note_twice_is_selected_once(library: Library) -> None:
    text = "We decided to run the API on Cloud Run because it scales to zero"
    library.add("a", text)
    library.add("copy", text)
    assert notes(library.ask("Where does the API run?")) == ["a"]


def test_another_tenants_notes_are_out_of_reach(library: Library) -> None:
    _furnish(library)
    other_tenants = library.ask("Where does the API run?", tenant_id="tenant-b")
    assert other_tenants.refusal is RefusalReason.NO_NOTES


@pytest.mark.parametrize(
    ("method", "leg"),
    [
        ("nearest", Leg.VECTOR),
        ("postings", Leg.KEYWORD),
        ("document_frequencies", Leg.KEYWORD),
        ("stats", Leg.KEYWORD),
        ("recent", Leg.RECENT),
    ],
)
def test_a_silent_leg_is_named_and_the_others_find_the_note(
    library: Library, method: str, leg: Leg
) -> None:
    _furnish(library)
    library.asked = Broken(library.store, method).as_store()
    retrieved = library.ask("Where does the API run?")
    assert "api" in notes(retrieved)
    assert retrieved.failed_legs == (FailedLeg(leg, "the disk does not answer"),)


def test_without_vector_search_the_vectors_of_the_other_legs_are_read_and_nothing_is_scored_otherwise(
    library: Library,
) -> None:
    _furnish(library)
    undisturbed = library.ask("Where does the API run?")
    library.asked = Broken(library.store, "nearest").as_store()
    retrieved = library.ask("Where does the API run?")
    assert retrieved.mode is RetrievalMode.WEIGHTED
    assert notes(retrieved) == [note for note in notes(undisturbed) if note != "garden"]
    scores = {passage.chunk.note_id: passage.score for passage in undisturbed.selected}
    assert all(
        passage.score == pytest.approx(scores[passage.chunk.note_id])
        for passage in retrieved.selected
    )


def test_the_store_is_away_if_every_leg_or_the_list_of_notes_is_silent(
    library: Library,
) -> None:
    _furnish(library)
    nothing = library.store
    for method in ("nearest", "postings", "recent"):
        nothing = cast("Store", Broken(nothing, method))
    for store in (nothing, Broken(library.store, "live_records")):
        library.asked = cast("Store", store)
        with pytest.raises(StoreUnavailable):
            library.ask("Where does the API run?")


def test_a_silent_leg_is_no_reason_to_say_that_there_are_no_notes(library: Library) -> None:
    library.asked = Broken(library.store, "stats").as_store()
    with pytest.raises(StoreUnavailable):
        library.ask("Where does the API run?")


def test_the_last_note_of_a_series_comes_first_where_it_is_asked_for(library: Library) -> None:
    library.add(
        "nine",
        "We decided about the budget, the budget and the budget.",
        title="Board meeting 9",
        created_at=days_ago(60),
    )
    library.add("ten", "Lunch was late.", title="Board meeting 10", created_at=days_ago(3))
    asked = "What did we decide about the budget at {} board meeting?"
    assert notes(library.ask(asked.format("the")))[0] == "nine"
    assert notes(library.ask(asked.format("the last")))[0] == "ten"


def test_so_does_the_first_one(library: Library) -> None:
    library.add("one", "Lunch was late.", title="Board meeting 1", created_at=days_ago(200))
    library.add(
        "two",
        "We decided about the budget, the budget and the budget.",
        title="Board meeting 2",
        created_at=days_ago(60),
    )
    asked = "What did we decide about the budget at {} board meeting?"
    assert notes(library.ask(asked.format("the")))[0] == "two"
    assert notes(library.ask(asked.format("the first")))[0] == "one"
