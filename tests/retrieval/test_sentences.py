"""Sentences of the best passages: read where somebody can wait for them, and what they change."""

from __future__ import annotations

import pytest

from shared.errors import AuroraError, BrokenPromise, ModelRefused, ModelUnavailable
from shared.model.questions import Strategy
from shared.retrieval.scoring.sentences import OF_A_PASSAGE, READ
from tests.fakes import HashingEmbedder
from tests.retrieval.library import Counted, Library, notes

ASKED = "Who feeds the cat?"
ANSWER = "Hannah, who feeds the cat."
DILUTED = f"The train left late. We met in Ulm, and lunch was good. {ANSWER} Bob told of his boat. It rained all day."
NEAR = "The cat feeds on mice, birds, crumbs, beetles and milk."


@pytest.fixture
def reader(library: Library) -> HashingEmbedder:
    """Stands apart from who embeds notes and questions, so that it counts sentences alone."""
    library.add("diluted", DILUTED)
    library.add("near", NEAR)
    return HashingEmbedder()


def test_a_passage_that_dilutes_the_sentence_that_answers_comes_first(
    library: Library, reader: HashingEmbedder
) -> None:
    before = library.ask(ASKED)
    library.reader = reader
    after = library.ask(ASKED)
    assert (notes(before)[0], notes(after)[0]) == ("near", "diluted")
    assert before.sentences == {}
    assert max(after.sentences, key=after.sentences.__getitem__) == ANSWER
    assert [each.scores.similarity for each in reversed(before.selected)] == [
        each.scores.similarity for each in after.selected
    ]


def test_of_each_passage_those_with_most_of_the_words_are_read_and_no_more_than_so_many(
    library: Library, reader: HashingEmbedder
) -> None:
    for number in range(READ):
        library.add(f"n{number}", f"Alpha {number}. Beta {number}. Gamma {number}. The cat {number}. Delta {number}.")
    library.reader = reader
    read = library.ask(ASKED).sentences
    assert len(read) == sum(reader.embedded.values()) == READ  # in batches that its embedder takes
    assert ANSWER in read
    assert sum(text.startswith("The cat ") for text in read) >= READ // OF_A_PASSAGE - 2
    assert not any(text.startswith("Delta") for text in read)


@pytest.mark.parametrize("outage", [ModelUnavailable("away"), ModelRefused("no"), BrokenPromise("odd")])
def test_a_reader_that_is_away_leaves_the_order_of_the_passages(
    library: Library, reader: HashingEmbedder, outage: AuroraError
) -> None:
    reader.outage = outage
    library.reader = reader
    found = library.ask(ASKED)
    assert (notes(found), found.sentences) == (["near", "diluted"], {})


def test_passages_that_are_ranked_again_are_read_once(library: Library, reader: HashingEmbedder) -> None:
    counted = Counted(library.store)
    library.asked, library.reader = counted.as_store(), reader
    assert set(notes(library.ask(ASKED))) == {"near", "diluted"}
    assert counted.reads["live_records"] == 2


def test_nothing_is_read_where_it_would_change_nothing(library: Library, reader: HashingEmbedder) -> None:
    library.reader = reader
    library.ask(ASKED, strategy=Strategy.RRF)
    library.writer.outage = ModelUnavailable("no vector of the question")
    library.ask(ASKED)
    library.writer.outage = None
    reader.languages = frozenset({"de"})
    library.ask(ASKED)
    assert not reader.embedded
