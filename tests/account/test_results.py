"""Search results stay in the cache only as long as they are true."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from evaluation.asking import answered
from shared.adapters.embedded import EmbeddedStore
from shared.asking.passages import search
from shared.bootstrap import assemble
from shared.errors import ModelUnavailable
from shared.folders.scope import FolderScope
from shared.model.index import Vector
from shared.model.questions import Exchange, Filters, Strategy
from shared.model.retrieval import Retrieved
from shared.notes.service import NoteDraft
from shared.sweep.reconcile import reconcile
from tests.account.world import PERSON, QUESTION, TENANT, Household
from tests.fakes import HashingEmbedder
from tests.indexing.world import on_both_stores, sections

BLUE = "The boat is blue."


def _notes(found: Retrieved) -> list[str]:
    return [passage.chunk.note_id for passage in found.selected]


def test_the_same_search_is_not_made_again(home: Household) -> None:
    home.save("boat", BLUE)
    first = home.search()
    second = home.search()
    assert second.selected == first.selected
    assert home.app.results is not None
    assert home.app.results.hits == 1
    assert set(second.timings_ms) == {"retrieval"}


def _delete(home: Household) -> None:
    home.app.notes.delete(TENANT, "boat")


def _edit(home: Household) -> None:
    home.save("boat", "The boat is red by now.")


def _add(home: Household) -> None:
    home.save("sail", "The colour of the boat: blue, which colour else?")


def _retag(home: Household) -> None:
    home.app.notes.save(
        TENANT,
        "boat",
        NoteDraft(
            title="Boat",
            text=BLUE,
            tags=("new",),
        ),
    )
    home.save("other", "Another thing altogether.")


def _embed(home: Household) -> None:
    home.embedder.outage = ModelUnavailable("away")
    with pytest.raises(ModelUnavailable):
        home.save("late", "The colour of the late boat is green.")
    home.embedder.outage = None
    reconcile(home.app.indexer, budget=10)


@on_both_stores
@pytest.mark.parametrize("change", [_delete, _edit, _add, _retag, _embed])
def test_after_any_change_of_a_note_what_is_found_is_as_if_nothing_was_kept(
    home: Household, change: Callable[[Household], None]
) -> None:
    home.save("boat", BLUE)
    home.search()
    change(home)
    fresh = Household(assemble(replace(home.app, results=None)), home.embedder, home.clock)
    assert home.search().selected == fresh.search().selected


def test_a_deleted_note_is_silent_before_the_index_has_followed(home: Household) -> None:
    home.save("boat", BLUE)
    home.save("boats", "Boats have a colour: blue.")
    assert set(_notes(home.search())) == {"boat", "boats"}
    home.app.notes.delete(TENANT, "boat")
    assert _notes(home.search()) == ["boats"]


def test_another_process_changes_what_is_found_here(
    home: Household, embedded_store: EmbeddedStore
) -> None:
    home.save("boat", BLUE)
    home.search()
    elsewhere = EmbeddedStore(embedded_store._files._folder.parent)
    Household(assemble(replace(home.app, store=elsewhere)), home.embedder, home.clock).save(
        "boat", "The boat is red."
    )
    elsewhere.close()
    assert home.search().selected[0].chunk.text == "The boat is red."


def test_other_questions_settings_tenants_and_minutes_are_other_searches(home: Household) -> None:
    home.save("boat", BLUE)
    home.search()
    question = home.question()
    for changed_question in (
        replace(question, text="Which colour has the car?"),
        replace(question, filters=Filters(tags=("red",))),
        replace(question, strategy=Strategy.RRF),
        replace(question, threshold=0.9),
        replace(question, tenant_id="tenant-b"),
    ):
        search(home.app, changed_question, k=5)
    search(home.app, question, k=6)
    home.clock.advance(minutes=1)
    home.search()
    assert home.app.results is not None
    assert home.app.results.hits == 0


def test_settings_of_the_writer_make_no_other_search(home: Household) -> None:
    home.save("boat", BLUE)
    home.search()
    follow_up = replace(
        home.question(),
        asked="Which?",
        history=(Exchange("Is it old?", "Yes."),),
        system_prompt="Rhyme.",
    )
    search(
        home.app,
        replace(
            follow_up,
            model="another",
            max_context_tokens=500,
            template="plan",
        ),
        k=5,
    )
    assert home.app.results is not None
    assert home.app.results.hits == 1


def test_refusals_and_what_was_found_without_a_model_are_not_kept(home: Household) -> None:
    home.search()
    home.save("boat", BLUE, index=False)
    assert home.search().refusal == "index_pending"
    home.save("boat", BLUE)
    home.embedder.outage = ModelUnavailable("away")
    assert home.search("Is the boat blue?").mode == "keyword_recency"
    home.embedder.outage = None
    assert home.search("Is the boat blue?").mode == "hybrid_reranked"


def test_nothing_comes_back_after_an_erasure(home: Household) -> None:
    home.save("boat", BLUE)
    home.search()
    home.app.erasure.erase(PERSON)
    assert home.search().refusal == "no_notes"
    home.save("boats", "Boats are blue.")
    assert _notes(home.search()) == ["boats"]


# -- vectors of questions


class _Asked(HashingEmbedder):
    """Keeps the questions it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.questions.append(text)
        return super().embed_query(text)


def _counting(home: Household) -> _Asked:
    counting = _Asked()
    home.app = assemble(replace(home.app, embedder=counting))
    return counting


def test_choosing_a_template_and_searching_embed_the_question_once(home: Household) -> None:
    home.save("boat", sections("boat", "colour"))
    counting = _counting(home)
    home.chat(template="auto")
    assert counting.questions == [QUESTION]


def test_ask_without_a_ranking_model_searches_twice_and_embeds_once(home: Household) -> None:
    home.save("boat", BLUE)
    counting = _counting(home)
    answered(home.app, home.question(), FolderScope((), ()))
    assert counting.questions == [QUESTION]


def test_many_who_ask_the_same_at_once_embed_it_once(home: Household) -> None:
    home.save("boat", BLUE)
    counting = _counting(home)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: home.search(), range(8)))
    assert counting.questions == [QUESTION]
