"""Names that the question's language stems otherwise than the notes' does."""

from __future__ import annotations

import pytest

from shared.language.terms import stems
from tests.retrieval.library import Library, notes
from tests.retrieval.samples import days_ago

PROJECT = "The project Helios launches on 14 May, as Priya told the team at lunch."


@pytest.mark.parametrize("kind", ["embedded", "none"])
@pytest.mark.parametrize(
    ("question", "stem"),
    [
        ("¿Qué es Helios?", "helio"),
        ("¿Cuándo se lanza el proyecto Helios?", "helio"),
        ("¿Quién es Priya?", "priya"),
        ("Wann wird Helios denn vorgestellt?", "helio"),
    ],
)
def test_a_name_of_the_notes_is_found_by_its_stem_there(
    library: Library, question: str, stem: str, kind: str
) -> None:
    library.add("team", PROJECT, created_at=days_ago(2))
    library.add("lunch", "Soup and bread with the others, then a walk.", created_at=days_ago(1))
    library.embedder = None if kind == "none" else library.writer
    result = library.ask(question)
    assert stem in result.analysis.stems
    assert notes(result)[0] == "team"
    assert result.selected[0].scores.keyword > 0


def test_a_word_that_the_notes_know_as_the_question_stems_it_stays(library: Library) -> None:
    library.add("equipo", "El proyecto Helios se lanza en mayo.", created_at=days_ago(2))
    result = library.ask("¿Qué es Helios?")
    assert result.analysis.renamed == {}
    assert set(result.analysis.stems) == set(stems("Helios", "es"))
