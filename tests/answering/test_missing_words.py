from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.extractive import ExtractiveWriter
from shared.answering.missing_words import MAX_WORDS, missing_words
from shared.answering.names import MissingSubject
from shared.language.terms import stems
from shared.model.retrieval import Retrieved
from tests.answering.samples import passage, question, retrieved

OFFICE = passage(
    "Everybody may work at the office in Chicago. Meetings begin at 9. Bring 2 passport photos.",
    title="Offices",
    heading_path="# Visits",
)


def missing(text: str, lang: str = "en") -> tuple[str, ...]:
    analysis = replace(retrieved(text=text).analysis, lang=lang, stems=tuple(stems(text, lang)))
    return missing_words(text, analysis, [OFFICE.chunk])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("May I bring my dog to the office?", ("dog",)),
        ("My dog, my Dog: may it come to the offices?", ("dog", "come")),
        ("When does the meeting begin?", ()),  # other forms of words
        ("Do I need a photo?", ("need",)),
        ("Is there a port at the office?", ()),  # inside another word
        ("Which offices may I visit?", ()),  # the names of note and section
        ("How many photos?", ()),  # asks for a number
        ("How many passport-photos per visit?", ("per",)),  # the parts of a compound
        ("How many passport-holders work there?", ("passport-holders",)),
        (f"What is {'x' * 65}?", ()),
    ],
)
def test_words_that_no_quoted_passage_holds_are_told_as_they_are_written(
    text: str, words: tuple[str, ...]
) -> None:
    assert missing(text) == words


def test_a_question_in_other_words_than_the_notes_tells_none() -> None:
    foreign = ["dog", "cat", "horse", "sheep"]
    assert missing(" ".join(foreign[:MAX_WORDS])) == tuple(foreign[:MAX_WORDS])
    assert missing(" ".join(foreign)) == ()


def test_a_passage_that_holds_the_word_is_enough() -> None:
    dogs = replace(passage("Dogs stay at home.", note_id="b").chunk, terms={"dog": 1})
    asked = retrieved(text="May I bring my dog?").analysis
    assert missing_words("May I bring my dog?", asked, [OFFICE.chunk]) == ("dog",)
    assert missing_words("May I bring my dog?", asked, [OFFICE.chunk, dogs]) == ()


def test_letters_of_two_words_are_no_word() -> None:
    cafe = passage("Das Café hat Hunger.", note_id="c")  # beyond ASCII
    asked = retrieved(text="Where is Athu?").analysis
    assert missing_words("Where is Athu?", asked, [cafe.chunk]) == ("Athu",)


def found(text: str, lang: str = "en") -> Retrieved:
    retrieval = retrieved(OFFICE, text=text)
    analysis = replace(retrieval.analysis, lang=lang, stems=tuple(stems(text, lang)))
    return replace(retrieval, analysis=analysis, weights=dict.fromkeys(analysis.stems, 1.0))


@pytest.mark.parametrize(
    ("lang", "text", "opening"),
    [
        ("en", "My dog in the office?", "Closest passages in your notes (without “dog”):"),
        ("de", "Hund im Office?", "Die nächstliegenden Stellen in deinen Notizen (ohne „Hund“):"),
        ("es", "¿Perro en la office?", "Los pasajes más cercanos de tus notas (sin «Perro»):"),
        ("fr", "Chat à office ?", "Les passages les plus proches de vos notes (sans « Chat ») :"),
        ("it", "Cane in office?", "I passaggi più vicini nei tuoi appunti (senza «Cane»):"),
        ("en", "*Dog* [x](y) office", "Closest passages in your notes (without “Dog”, “x”, “y”):"),
    ],
)
def test_they_stand_above_the_quotes(lang: str, text: str, opening: str) -> None:
    first, *quoted = ExtractiveWriter().pieces(question(text), found(text, lang))
    assert first.text == opening
    assert quoted


def test_above_the_notes_of_a_time_or_beside_a_missing_name_they_are_not_told() -> None:
    text = "What of my dog in the office?"
    of_then = replace(found(text), notes_read=1)
    first, *_ = ExtractiveWriter().pieces(question(text), of_then)
    assert first.text == "Your notes of that time:"
    subject = MissingSubject("Marek", frozenset())
    first, *_ = ExtractiveWriter().pieces(question(text), found(text), subject)
    assert first.text == "Nothing about Marek; nearest:"
