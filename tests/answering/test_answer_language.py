from __future__ import annotations

import pytest

from shared.answering.answer_language import answer_lang
from tests.answering.people import asked, note

NOTES = {
    "de": note(
        "Ingrid wohnt in Kassel und hat das Telefon 0561 443. Sie hat Marek im Hotel getroffen.",
        "i",
        "Ingrid",
    ),
    "es": note("Ingrid vive en Burgos. El teléfono es el 947. Conoció a Marek en un hotel.", "i"),
    "fr": note("Ingrid habite à Lille. Le portable est le 06. Elle a vu Marek dans un hôtel.", "i"),
    "it": note("Ingrid abita a Lucca. Il telefono è il 0583. Ha visto Marek in un hotel.", "i"),
    "en": note("Ingrid lives in Leeds. The phone is 0113. She met Marek at a hotel.", "i"),
}


def lang_of(text: str, notes_lang: str) -> str:
    return answer_lang(text, asked(text, NOTES[notes_lang]))


@pytest.mark.parametrize(
    ("text", "notes_lang"),
    [
        ("Telefon Marek", "de"),  # words of the notes
        ("Telefon von Marek", "de"),  # a common word
        ("Marek Handy", "de"),  # a noun
        ("Mareks Handy", "de"),
        ("Telefonnummer Marek", "de"),  # a compound of a word of the notes
        ("tür marek", "de"),  # a letter
        ("hotel", "de"),
        ("teléfono Marek", "es"),
        ("hotel Burgos", "es"),
        ("portable Ingrid", "fr"),
        ("telefono Ingrid", "it"),
        ("telefono dell'hotel", "it"),
        ("l'hotel", "it"),
        ("hôtel", "fr"),
        ("altes Hotel", "de"),  # a word for what no longer holds
        ("antiguo hotel", "es"),
        ("ancien hotel", "fr"),
    ],
)
def test_few_words_are_in_the_language_of_the_notes_that_they_are_asked_of(
    text: str, notes_lang: str
) -> None:
    assert lang_of(text, notes_lang) == notes_lang
    assert lang_of(text, "en") == "en"


@pytest.mark.parametrize("notes_lang", list(NOTES))
@pytest.mark.parametrize(
    "text",
    [
        "phone number of Marek",
        "phone number Ingrid",
        "Ingrid phone",
        "Marek's phone",
        "Where does Ingrid live?",
        "hotel where Ingrid was",
        "Phone Marek",
        "former hotel",
        "Reykjavik Oslo",
        "all hotels",
        "42",
        "",
    ],
)
def test_english_words_stay_english(text: str, notes_lang: str) -> None:
    assert lang_of(text, notes_lang) == "en"


@pytest.mark.parametrize(
    ("text", "as_likely"),
    [
        ("le code de la porte", ("es", "fr")),
        ("la carta de la casa", ("es", "fr")),
        ("la lista del pane", ("es", "it")),
    ],
)
@pytest.mark.parametrize("notes_lang", list(NOTES))
def test_of_languages_as_likely_that_of_the_notes_is_taken(
    text: str, as_likely: tuple[str, ...], notes_lang: str
) -> None:
    lang = notes_lang if notes_lang in as_likely else as_likely[0]
    assert answer_lang(text, asked(text, NOTES[notes_lang], lang=as_likely[0])) == lang


def test_a_note_that_may_be_in_two_languages_is_in_that_of_all_notes() -> None:
    otter = note("Le budget de la loutre.", "o", "Loutre")
    text = "budget loutre"
    assert answer_lang(text, asked(text, otter, NOTES["fr"])) == "fr"
    assert answer_lang(text, asked(text, otter, NOTES["es"])) == "es"
    assert answer_lang(text, asked(text, otter)) == "es"


SHORT_NOTES = {
    "de": (
        note("Telefon 0761 99887. Bernd trinkt gern Riesling.", "b", "Bernd"),
        note("Kitaplatz: 245 Euro.", "k", "Kita Beitrag"),
        NOTES["de"],
    ),
    "es": (note("Teléfono: 699. Correo pablo@gil.example.", "p", "Pablo"), NOTES["es"]),
    "fr": (note("Portable : 06. Courriel luc@moreau.example.", "l", "Luc"), NOTES["fr"]),
}


@pytest.mark.parametrize(
    ("text", "notes_lang"),
    [
        ("Wogegen ist Bernd allergisch?", "de"),
        ("Telefon Bernd", "de"),
        ("Kita Beitrag", "de"),
        ("teléfono Pablo", "es"),
        ("portable Luc", "fr"),
    ],
)
def test_all_passages_tell_the_language_if_the_nearest_is_too_short(
    text: str, notes_lang: str
) -> None:
    assert answer_lang(text, asked(text, *SHORT_NOTES[notes_lang])) == notes_lang
    assert answer_lang(text, asked(text, NOTES["en"])) == "en"


@pytest.mark.parametrize("notes_lang", list(SHORT_NOTES))
@pytest.mark.parametrize("text", ["phone Bernd", "email Marek", "phone Pablo", "phone Luc"])
def test_english_words_stay_english_if_notes_of_other_languages_hold_them(
    text: str, notes_lang: str
) -> None:
    french = note("Le téléphone de Claire est le 06. Elle habite à Lyon.", "c", "Claire")
    english = note("The phone and the email of the office are on the door.", "o", "Office")
    notes = (*SHORT_NOTES[notes_lang], french, english)
    assert answer_lang(text, asked(text, *notes)) == "en"
    assert answer_lang(text, asked(text, *reversed(notes))) == "en"


def test_a_question_that_tells_its_language_keeps_it() -> None:
    retrieved = asked("Wo wohnt Ingrid?", NOTES["fr"], lang="de")
    assert answer_lang("Wo wohnt Ingrid?", retrieved) == "de"
    assert answer_lang("Telefon Marek", asked("Telefon Marek")) == "en"
