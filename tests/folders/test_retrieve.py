"""Questions to vaults and folders of a real store."""

from __future__ import annotations

from typing import Any

import pytest

from shared.errors import ModelUnavailable, StoreUnavailable
from shared.folders.ranking import ROOT
from shared.folders.retrieve import retrieve_from_folders
from shared.folders.scope import FolderScope
from shared.model.questions import Filters, Question
from shared.model.retrieval import ChosenBy, RefusalReason, Retrieved
from tests.contracts.samples import TENANT
from tests.fakes import FailingVault, ScriptedWriter
from tests.retrieval.library import Counted, Library, notes
from tests.retrieval.samples import NOW, days_ago


def _furnish(library: Library) -> None:
    library.add(
        "a", "The API runs on Cloud Run, says the plan", path="plans/a.md", created_at=days_ago(3)
    )
    library.add(
        "b",
        "The API runs on Cloud Run, they wrote to us",
        path="mail/in/b.md",
        created_at=days_ago(3),
    )
    library.add("c", "Tomatoes want water", path="garden/c.md", created_at=days_ago(3))
    library.add("root", "The API runs on nothing but hope", created_at=days_ago(3))
    library.add(
        "w",
        "The API runs on Kubernetes at work",
        vault="work",
        path="ops/w.md",
        created_at=days_ago(300),
    )


def _ask(
    library: Library,
    text: str = "Where does the API run?",
    scope: FolderScope = FolderScope(),  # noqa: B008 - frozen
    *,
    ranker: ScriptedWriter | None = None,
    **question: Any,  # noqa: ANN401 - Question's fields
) -> Retrieved:
    full_question = Question(TENANT, text, NOW, **question)
    return retrieve_from_folders(
        full_question, scope, library.retriever(), library.options, ranker
    )[0]


def _places(found: Retrieved) -> list[tuple[str, str, float]]:
    return [(place.vault, place.folder, place.weight) for place in found.weighted_folders]


def test_the_models_folders_are_searched_and_weighed_by_place(library: Library) -> None:
    _furnish(library)
    scope = FolderScope(vaults=("default",))
    retrieved = _ask(library, scope=scope, ranker=ScriptedWriter('["mail", "plans"]'))
    assert _places(retrieved) == [
        ("default", "mail", 1.0),
        ("default", "plans", 0.9),
    ]
    assert set(notes(retrieved)) == {"a", "b"}
    plain = {
        passage.chunk.note_id: passage.score
        for passage in library.ask("Where does the API run?").selected
    }
    weighed = {passage.chunk.note_id: passage.score for passage in retrieved.selected}
    assert weighed["b"] == pytest.approx(plain["b"], rel=0.05)
    assert weighed["a"] == pytest.approx(0.9 * plain["a"], rel=0.05)


def test_notes_in_no_folder_are_found_where_the_model_or_the_caller_chooses_them(
    library: Library,
) -> None:
    _furnish(library)
    scope = FolderScope(vaults=("default",))
    chosen = _ask(library, scope=scope, ranker=ScriptedWriter(f'["plans", "{ROOT}"]'))
    assert _places(chosen) == [
        ("default", "plans", 1.0),
        ("default", "", 0.9),
    ]
    assert {"a", "root"} <= set(notes(chosen))
    named = _ask(library, scope=FolderScope(("default",), ("/",)), ranker=ScriptedWriter("[]"))
    assert _places(named) == [("default", "", 1.0)]
    assert notes(named)[0] == "root"


def test_a_place_nine_tenths_down_turns_the_order_of_equals(library: Library) -> None:
    text = "The API runs on Cloud Run in region number {}"
    library.add("one", text.format(1), path="one/n.md")
    library.add("two", text.format(2), path="two/n.md")
    for first, second in (("one", "two"), ("two", "one")):
        retrieved = _ask(library, ranker=ScriptedWriter(f'["{first}", "{second}"]'))
        assert notes(retrieved) == [first, second]


def test_folders_the_caller_names_come_first_and_the_model_ranks_the_rest(library: Library) -> None:
    _furnish(library)
    ranker = ScriptedWriter('["mail", "plans"]')
    retrieved = _ask(library, scope=FolderScope(("default",), ("plans",)), ranker=ranker)
    assert _places(retrieved) == [
        ("default", "plans", 1.0),
        ("default", "mail", 0.9),
    ]
    assert [place.chosen_by for place in retrieved.weighted_folders] == [
        ChosenBy.CALLER,
        ChosenBy.MODEL,
    ]
    assert '"plans"' not in ranker.prompts[0].user


def test_when_the_model_chooses_none_each_vault_is_searched_whole(library: Library) -> None:
    _furnish(library)
    retrieved = _ask(library, ranker=ScriptedWriter("[]"))
    assert _places(retrieved) == [
        ("default", "", 1.0),
        ("work", "", 1.0),
    ]
    assert set(notes(retrieved)) >= {"a", "b", "root", "w"}


def test_when_the_model_is_away_every_folder_is_searched_in_its_order(library: Library) -> None:
    _furnish(library)
    retrieved = _ask(
        library, scope=FolderScope(("default",)), ranker=ScriptedWriter(ModelUnavailable("away"))
    )
    weights = {folder: weight for _, folder, weight in _places(retrieved)}
    assert weights == {
        "garden": 1.0,
        "mail": 0.9,
        "mail/in": 0.8,
        "plans": 0.7,
        "": 0.6,
    }
    passages = {passage.chunk.note_id: passage for passage in retrieved.selected}
    assert {"a", "b", "root"} <= set(passages)
    best = {
        passage.chunk.note_id: passage.score
        for passage in library.ask("Where does the API run?").selected
    }
    assert passages["root"].score == pytest.approx(0.6 * best["root"], rel=0.05)
    assert passages["b"].score == pytest.approx(0.9 * best["b"], rel=0.05)


def test_without_a_model_folders_are_ranked_by_their_best_passage(library: Library) -> None:
    _furnish(library)
    retrieved = _ask(library, "What do tomatoes want?", FolderScope(("default",)), threshold=0.55)
    assert _places(retrieved)[0] == ("default", "garden", 1.0)
    assert retrieved.weighted_folders[0].chosen_by is ChosenBy.MATCH
    assert notes(retrieved)[0] == "c"


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_a_passage_that_is_not_similar_is_dropped_whatever_its_folder_weighs(
    library: Library, least: float
) -> None:
    """`least`: where the threshold lies between the best passage (0), whose place weighs 0.9, and the other (1)."""
    _furnish(library)
    plain = {
        p.chunk.note_id: p.scores.similarity
        for p in library.ask("Where does the API run?").selected
    }
    threshold = round(plain["a"] + least * (plain["c"] - plain["a"]), 3) - 0.001
    ranker = ScriptedWriter('["garden", "plans"]')
    retrieved = _ask(
        library,
        ranker=ranker,
        scope=FolderScope(("default",)),
        threshold=threshold,
    )
    assert retrieved.weighted_folders[1].weight == 0.9
    assert notes(retrieved) == ["a"]


def test_a_folder_inside_another_is_searched_once_at_the_better_weight(library: Library) -> None:
    _furnish(library)
    retrieved = _ask(
        library, scope=FolderScope(("default",)), ranker=ScriptedWriter('["mail", "mail/in"]')
    )
    assert notes(retrieved) == ["b"]
    alone = _ask(library, scope=FolderScope(("default",)), ranker=ScriptedWriter('["mail/in"]'))
    assert retrieved.selected[0].score == alone.selected[0].score


def test_the_same_text_in_two_folders_is_found_once(library: Library) -> None:
    text = "We decided to run the API on Cloud Run because it scales to zero"
    library.add("a", text, path="one/a.md")
    library.add("copy", text, path="two/copy.md")
    retrieved = _ask(library, ranker=ScriptedWriter('["two", "one"]'))
    assert notes(retrieved) == ["copy"]


def test_a_named_time_holds_in_every_folder_and_widens_only_where_none_has_anything(
    library: Library,
) -> None:
    _furnish(library)
    last_week = _ask(
        library, "What did we decide about the API last week?", ranker=ScriptedWriter("[]")
    )
    assert last_week.widened is None
    assert {"a", "b", "root"} <= set(notes(last_week)) <= {"a", "b", "root", "c"}
    long_ago = _ask(
        library, "What did we decide about the API in 2019?", ranker=ScriptedWriter("[]")
    )
    assert long_ago.widened == "any time"
    assert "w" in notes(long_ago)


def test_filters_hold_in_every_place(library: Library) -> None:
    _furnish(library)
    retrieved = _ask(library, ranker=ScriptedWriter("[]"), filters=Filters(folders=("mail",)))
    assert notes(retrieved) == ["b"]


def test_a_tenant_without_notes_is_told_so(library: Library) -> None:
    assert _ask(library, ranker=ScriptedWriter("[]")).refusal is RefusalReason.NO_NOTES
    assert _ask(library).refusal is RefusalReason.NO_NOTES


def test_one_vault_that_does_not_answer_does_not_fail_the_others(library: Library) -> None:
    _furnish(library)
    library.asked = FailingVault(library.store, "work").as_store()
    for ranker in (ScriptedWriter("[]"), ScriptedWriter("prose"), None):
        retrieved = _ask(library, ranker=ranker)
        assert retrieved.failed_vaults == ("work",)
        assert {"a", "b"} <= set(notes(retrieved))


def test_nothing_of_a_vault_that_does_not_answer_is_found_by_the_time_it_mentions(
    library: Library,
) -> None:
    long_ago = days_ago(100)
    library.add("w", "2026-11-10: planted garlic", created_at=long_ago, vault="work", path="a/w.md")
    library.add("h", "Soup for eight", created_at=days_ago(8), vault="home", path="b/h.md")
    question = "Where did I plant garlic last week?"
    assert "w" in notes(_ask(library, question))
    library.asked = FailingVault(library.store, "work").as_store()
    retrieved = _ask(library, question)
    assert retrieved.failed_vaults == ("work",)
    assert "w" not in notes(retrieved)


def test_when_no_vault_answers_the_store_is_away(library: Library) -> None:
    _furnish(library)
    library.asked = FailingVault(library.store, "work").as_store()
    with pytest.raises(StoreUnavailable):
        _ask(library, scope=FolderScope(vaults=("work",)), ranker=ScriptedWriter("[]"))


def test_many_folders_are_searched_in_four_goes(library: Library) -> None:
    for number in range(40):
        library.add(f"n{number:02d}", f"The API runs in place {number}", path=f"f{number:02d}/n.md")
    searches: list[None] = []
    library.asked = Counted(
        library.store, after={"nearest": lambda: searches.append(None)}
    ).as_store()
    retrieved = _ask(library, ranker=ScriptedWriter("prose"), top_k=12)
    assert len(searches) == 4
    assert len(retrieved.weighted_folders) == 41
    assert notes(retrieved)[0] == "n00"
