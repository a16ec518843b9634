from __future__ import annotations

from dataclasses import replace

import pytest

from shared.adapters.local.embedder import LocalEmbedder
from shared.answering.extractive import ExtractiveWriter
from shared.answering.missing_subject import MissingSubject
from shared.answering.missing_words import MAX_QUESTION, MAX_WORDS, missing_words
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.language.terms import stems
from shared.model.index import Vector
from shared.model.retrieval import Retrieved, Scored
from tests.answering.samples import passage, question, retrieved
from tests.fakes import HashingEmbedder

OFFICE = passage(
    "Everybody may work at the office in Chicago. Meetings begin at 9. Bring 2 passport photos.",
    title="Offices",
    heading_path="# Visits",
)

IN_LANGUAGE = {
    "en": OFFICE,
    "de": passage("Alle dürfen im Office arbeiten, aber nicht am Sonntag."),
    "es": passage("Todos pueden trabajar en la office, pero no los domingos."),
    "fr": passage("Tous peuvent travailler dans cet office, mais pas le dimanche."),
    "it": passage("Tutti possono lavorare in questo office, ma non la domenica."),
}


def missing(text: str, lang: str = "en", quoted: Scored = OFFICE) -> tuple[str, ...]:
    analysis = replace(retrieved(text=text).analysis, lang=lang, stems=tuple(stems(text, lang)))
    return missing_words(text, analysis, [quoted.chunk], HashingEmbedder())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("May I bring my dog to the office?", ("dog",)),
        ("My dog, my Dog: may it come to the offices?", ("dog",)),
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


@pytest.mark.parametrize(
    ("lang", "head", "text", "words"),
    [
        ("en", "| Tool | Owner |", "Who owns a tool?", ()),
        ("en", "| Tool | Own price |", "Who owned the tools?", ()),
        ("en", "| Tool | Place |", "Who owns a tool?", ("owns",)),
        ("en", "| Tool | Art |", "Which tool for artichokes?", ("artichokes",)),
        ("de", "| Tool | Bestellung |", "Wer bestellt Tool?", ()),
        ("es", "| Tool | Leído |", "¿Qué tool leí?", ()),
    ],
)
def test_a_word_whose_stem_names_a_column_is_not_missing(
    lang: str, head: str, text: str, words: tuple[str, ...]
) -> None:
    table = passage(f"{head}\n|---|---|\n| tool | x |")
    assert missing(text, lang, table) == words


def test_a_question_in_other_words_than_the_notes_tells_none() -> None:
    foreign = ["dog", "cat", "horse", "sheep"]
    assert missing(" ".join(foreign[:MAX_WORDS])) == tuple(foreign[:MAX_WORDS])
    assert missing(" ".join(foreign)) == ()


def test_a_passage_that_holds_the_word_is_enough() -> None:
    dogs = replace(passage("Dogs stay at home.", note_id="b").chunk, terms={"dog": 1})
    asked = retrieved(text="May I bring my dog?").analysis
    assert missing_words("May I bring my dog?", asked, [OFFICE.chunk], HashingEmbedder()) == (
        "dog",
    )
    assert (
        missing_words("May I bring my dog?", asked, [OFFICE.chunk, dogs], HashingEmbedder()) == ()
    )


def test_letters_of_two_words_are_no_word() -> None:
    cafe = passage("At the Café he had a cake.", note_id="c")  # beyond ASCII
    assert missing("Where is Eheh?", quoted=cafe) == ("Eheh",)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Which email?", "An e-mail from Ana."),
        ("Which emails?", "An e-mail from Ana."),
        ("A co-working space?", "A coworking space."),
        ("A carpark?", "The car park."),
        ("250g flour", "Flour, 250 g."),
        ("250 g flour", "Flour, 250g."),
        ("three eggs", "Eggs, 3."),
        ("3 eggs", "Eggs: three."),
        ("9.30 meeting", "The meeting is at 9:30."),
        ("9:30 meeting", "The meeting is at 09:30."),
        ("svc 12", "The port of svc-12."),
        (
            "maison de campagne",
            "The Maison de Campagne.",
        ),  # a stop word in notes of another language
    ],
)
def test_a_word_that_the_notes_write_otherwise_is_not_missing(text: str, note: str) -> None:
    assert missing(text, quoted=passage(note)) == ()


@pytest.mark.parametrize(
    ("text", "note", "words"),
    [
        ("four eggs", "Eggs, 3.", ("four",)),
        ("four eggs", "Eggs.", ("four",)),
        ("300g flour", "Flour, 250 g.", ("300g",)),
        ("10:30 meeting", "The meeting is at 9:30.", ("10:30",)),
        ("svc-12", "The port of svc-120.", ("svc-12",)),
        ("port 8443", "The port 18443.", ("8443",)),
    ],
)
def test_another_number_is_missing(text: str, note: str, words: tuple[str, ...]) -> None:
    assert missing(text, quoted=passage(note)) == words


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "Show other notes of the office"),
        ("en", "Find the office"),
        ("de", "Zeige meine Notizen"),
        ("fr", "Montre mes notes"),
        ("es", "Busca mis notas"),
        ("it", "Trova i miei appunti"),
    ],
)
def test_words_that_only_ask_are_not_told(lang: str, text: str) -> None:
    assert missing(text, lang, IN_LANGUAGE[lang]) == ()


def test_a_verb_with_its_subject_behind_it_is_its_verb() -> None:
    fridge = passage("Le réfrigérateur reste ici, et nous aussi.")
    assert missing("Le réfrigérateur reste-t-il ici ?", "fr", fridge) == ()


def test_notes_in_another_language_may_say_it_in_their_words() -> None:
    german = IN_LANGUAGE["de"]
    assert missing("My dog in the office?", quoted=german) == ()
    both = [OFFICE.chunk, german.chunk]
    analysis = retrieved(text="My dog in the office?").analysis
    assert missing_words("My dog in the office?", analysis, both, HashingEmbedder()) == ()


def test_without_stop_words_nothing_tells_which_words_ask() -> None:
    house = passage("Ключи от дачи лежат у соседа.")
    assert missing("Где кошка?", "ru", house) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("May I take my dog to the office?", ("dog",)),
        ("How many photos do I have to give at the office in Chicago?", ()),
        ("At the office in Chicago, when do meetings get going?", ()),
        ("Do I need a dentist to work at the office in Chicago?", ("dentist",)),
        ("Which meetings did we choose for Chicago?", ()),
    ],
)
def test_a_word_without_which_the_question_means_the_same_is_not_told(
    text: str, words: tuple[str, ...]
) -> None:
    asked = retrieved(text=text).analysis
    assert missing_words(text, asked, [OFFICE.chunk], LocalEmbedder.of(None)) == words


@pytest.mark.parametrize("problem", [ModelUnavailable, ModelRefused, PortContractError])
def test_where_nothing_embeds_none_is_told(problem: type[ModelUnavailable]) -> None:
    text = "My dog at the office?"
    embedder = HashingEmbedder()
    embedder.outage = problem("away")
    assert missing_words(text, retrieved(text=text).analysis, [OFFICE.chunk], embedder) == ()
    opening, *_ = ExtractiveWriter().pieces(question(text), found(text))
    assert opening.text == "Closest passages in your notes:"


class CountingEmbedder(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.questions.append(text)
        return super().embed_query(text)


def test_a_question_is_embedded_once_and_once_without_each_word() -> None:
    text = "dog, cat, horse: who may visit?"
    embedder = CountingEmbedder()
    asked = retrieved(text=text).analysis
    assert missing_words(text, asked, [OFFICE.chunk], embedder) == ("dog", "cat", "horse")
    assert embedder.questions == [
        text,
        ", cat, horse: who may visit?",
        "dog, , horse: who may visit?",
        "dog, cat, : who may visit?",
        "dog, cat, horse: who may ?",
    ]


def test_a_story_in_which_no_word_matters_is_not_embedded() -> None:
    text = f"My dog! {'May I visit the office? ' * 20}"[:MAX_QUESTION]
    embedder = CountingEmbedder()
    asked = retrieved(text=text).analysis
    missing_words(text, asked, [OFFICE.chunk], embedder)
    assert len(embedder.questions) == 2
    missing_words(f"{text}?", asked, [OFFICE.chunk], embedder)
    assert len(embedder.questions) == 2


def test_words_of_an_earlier_question_are_not_told() -> None:
    standalone = question("Who may visit it dog office")
    asked = replace(standalone, asked="Who may visit it?")
    first, *_ = ExtractiveWriter(HashingEmbedder()).pieces(asked, found(standalone.text))
    assert first.text == "Closest passages in your notes:"
    first, *_ = ExtractiveWriter(HashingEmbedder()).pieces(standalone, found(standalone.text))
    assert first.text == "Closest passages in your notes (without “dog”):"


def found(text: str, lang: str = "en") -> Retrieved:
    retrieval = retrieved(IN_LANGUAGE[lang], text=text)
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
    first, *quoted = ExtractiveWriter(HashingEmbedder()).pieces(question(text), found(text, lang))
    assert first.text == opening
    assert quoted


def test_above_the_notes_of_a_time_or_beside_a_missing_name_they_are_not_told() -> None:
    text = "What of my dog in the office?"
    of_then = replace(found(text), notes_read=1)
    first, *_ = ExtractiveWriter(HashingEmbedder()).pieces(question(text), of_then)
    assert first.text == "Your notes of that time:"
    subject = MissingSubject("Marek", frozenset())
    first, *_ = ExtractiveWriter(HashingEmbedder()).pieces(question(text), found(text), subject)
    assert first.text == "Nothing about “Marek”; nearest:"


def test_few_words_are_in_the_language_of_their_answer() -> None:
    text = "Telefonnummer Xaver"
    bernd = passage("Die Telefonnummer ist 0761 und er ist der Vater von Ben.", title="Bernd")
    analysis = retrieved(text=text).analysis
    embedder = HashingEmbedder()
    assert missing_words(text, analysis, [bernd.chunk], embedder) == ()
    unsaid = missing_words(text, analysis, [bernd.chunk], embedder, answer_lang="de")
    assert unsaid == ("Xaver",)
