"""Questions that hardly are any: each has its defined answer, with and without an embedder."""

from __future__ import annotations

import pytest

from shared.model.retrieval import RetrievalMode
from tests.retrieval.library import Library, notes
from tests.retrieval.samples import days_ago

KINDS = ["embedded", "none"]


def _furnish(library: Library, kind: str) -> None:
    library.add("api", "The API runs on Cloud Run", created_at=days_ago(2))
    library.add("tokyo", "東京の会議でデータベースを決めた", created_at=days_ago(1))
    library.add("moscow", "Встреча в Москве о базе данных", created_at=days_ago(3))
    library.embedder = None if kind == "none" else library.writer


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["What was it about?", "the of and", "😀", "🤖🤖 👩‍👩‍👧", "?!…", "\x00", "   "]
)
def test_a_question_without_content_word_matches_no_keyword(
    library: Library, text: str, kind: str
) -> None:
    _furnish(library, kind)
    retrieved = library.ask(text)
    assert retrieved.analysis.stems == ()
    assert {passage.scores.keyword for passage in retrieved.selected} <= {0.0}
    if kind == "none":
        assert retrieved.mode == RetrievalMode.RECENT
        assert notes(retrieved) == ["tokyo", "api", "moscow"]
    else:
        assert retrieved.mode is RetrievalMode.WEIGHTED


@pytest.mark.parametrize("kind", KINDS)
def test_one_word_of_two_thousand_characters_is_one_stem_that_finds_nothing(
    library: Library, kind: str
) -> None:
    _furnish(library, kind)
    retrieved = library.ask("a" * 2000)
    assert len(retrieved.analysis.stems) == 1
    assert {passage.scores.keyword for passage in retrieved.selected} <= {0.0}


@pytest.mark.parametrize("kind", KINDS)
def test_one_word_two_hundred_times_is_asked_once(library: Library, kind: str) -> None:
    _furnish(library, kind)
    retrieved = library.ask("API " * 200)
    assert retrieved.analysis.stems == ("api",)
    assert notes(retrieved)[0] == "api"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("API 東京", {"api", "tokyo"}),
        ("Where is 東京 Москве?", {"tokyo", "moscow"}),
        ("ＡＰＩ runs", {"api"}),
    ],
)
def test_each_script_of_a_mixed_question_finds_its_notes(
    library: Library, text: str, best: set[str], kind: str
) -> None:
    _furnish(library, kind)
    retrieved = library.ask(text)
    matching = {
        passage.chunk.note_id for passage in retrieved.selected if passage.scores.keyword > 0
    }
    assert matching == best
    assert set(notes(retrieved)[: len(best)]) == best


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_surrogate_is_searched_like_any_sign(library: Library, kind: str) -> None:
    _furnish(library, kind)
    assert notes(library.ask("API \ud83d"))[0] == "api"
