"""Names that a question asks about, and passages that speak of others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.missing_subject import MissingSubject, missing_subject
from shared.answering.named_notes import notes_with_all_names
from shared.answering.phrases import MAX_SUBJECT
from shared.language.terms import stems
from shared.model.retrieval import Scored
from tests.answering.people import NOTES, PRIYA, asked, note


def missing(text: str, *notes: Scored, lang: str = "en") -> tuple[str, set[str]] | None:
    subject = missing_subject(text, asked(text, *(notes or NOTES), lang=lang))
    if subject is None:
        return None
    return subject.text, set(subject.note_ids)


@pytest.mark.parametrize(
    ("text", "subject", "naming"),
    [
        ("Marek's phone number", "Marek's phone number", {"marek"}),
        ("What is Marek’s phone number?", "Marek’s phone number", {"marek"}),
        ("phone number of Marek", "phone number of Marek", {"marek"}),
        ("marek phone number", "marek phone number", {"marek"}),
        ("Give me the phone number of Marek", "phone number of Marek", {"marek"}),
        ("give me marek phone number", "marek phone number", {"marek"}),
        ("show the phone number for Marek", "phone number for Marek", {"marek"}),
        ("Is Priya allergic to peanuts?", "Priya allergic to peanuts", {"priya"}),
        ("Which phone number does Marek have?", "Marek (phone number)", {"marek"}),
        ("Which phone did Marek buy, and what number?", "Marek (phone, buy, number)", {"marek"}),
        ("Is Pri allergic to peanuts?", "Pri allergic to peanuts", {"priya"}),
        ("When is Elena's birthday?", "Elena's birthday", {"elena"}),
        ("When is Elena's own birthday?", "Elena's own birthday", {"elena"}),
        ("Where is a note of Elena's phone number?", "Elena's phone number", {"elena"}),
        ("We met in May. When is Elena's birthday?", "Elena's birthday", {"elena"}),
        ("What is Ana's phone number?", "Ana's phone number", set()),
        ("Who is Zbigniew Nowak?", "Zbigniew Nowak", set()),
        ("When did we move to Tokyo?", "Tokyo", set()),
        (f"Is {'Ana' * 90} there?", f"{'Ana' * (MAX_SUBJECT // 3)}…", set()),
    ],
)
def test_notes_about_others_say_nothing_about_the_name(
    text: str, subject: str, naming: set[str]
) -> None:
    assert missing(text) == (subject, naming)


MAREK_HIMSELF = note("Friend from the climbing club. Owns a red canoe.", "m", "Marek")
INGRID = note(
    "Her phone number is 0113 496 0188. Birthday on 4 March.\n\nShe met Marek in summer. They sing.",
    "i",
    "Ingrid",
)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Marek's phone number", "Marek's phone number"),
        ("Marek phone number please", "Marek phone number"),
        ("phone number of marek", "phone number of marek"),
        ("what is the phone number of Marek", "phone number of Marek"),
        ("can you give me Marek phone number", "Marek phone number"),
        ("can you give me Marek birthday", "Marek birthday"),
        ("whats mareks phone number", "mareks phone number"),
        ("what's marek's phone number", "marek's phone number"),
        ("Mareks birthday", "Mareks birthday"),
        ("When is Marek's birthday?", "Marek's birthday"),
        ("birthday of marek", "birthday of marek"),
        ("marek birthday", "marek birthday"),
    ],
)
def test_a_note_about_another_that_mentions_the_name_is_not_about_it(
    text: str, subject: str
) -> None:
    assert missing(text, INGRID, MAREK_HIMSELF) == (subject, {"m"})


@pytest.mark.parametrize(
    "text",
    [
        "New rope bought.\n\nMarek joined us. His phone number is 0171 555 0101.",
        "- Ingrid: phone number 0113 496 0188\n- Marek: phone number 0171 555 0101",
        "Marek can be reached at 0171 555 0101.",
    ],
)
def test_what_follows_a_mention_may_be_said_of_the_name(text: str) -> None:
    contacts = note(text, "c", "Contacts")
    assert missing("Marek's phone number", INGRID, MAREK_HIMSELF, contacts) is None
    assert missing("phone number of marek", INGRID, MAREK_HIMSELF, contacts) is None


@pytest.mark.parametrize(
    ("title", "text", "subject"),
    [
        (
            "Olga",
            "Olga plays chess with Marek. Phone number 0171 555 0101.",
            "Marek's phone number",
        ),
        ("Olga Berg", "Met Marek at Olga's. Phone number 0171 555 0101.", "Marek's phone number"),
        ("Olga", "Olga says that the phone number of Marek is 0171 555 0101.", None),
        ("Contacts", "Marek joined the contacts. Phone number 0171 555 0101.", None),
        ("Verein", "Marek war im Verein. Phone number 0171 555 0101.", None),
        ("Contacts", "Marek joined us. Phone number 0171 555 0101.", None),
        ("Call on Friday", "Marek called on Friday. Phone number 0171 555 0101.", None),
    ],
)
def test_what_follows_a_mention_in_a_note_titled_by_a_name_is_said_of_that(
    title: str, text: str, subject: str | None
) -> None:
    names = missing("Marek's phone number", note(text, "o", title), INGRID, MAREK_HIMSELF)
    assert (names and names[0]) == subject


def test_a_mention_is_all_that_counts_only_beside_a_note_about_the_name() -> None:
    olga = note("Olga plays chess with Marek. Phone number 0171 555 0101.", "o", "Olga")
    assert missing("Marek's phone number", olga, INGRID) is None


def test_a_heading_with_the_name_makes_what_is_below_it_about_the_name() -> None:
    contacts = note("Phone number: 0171 555 0101", "c", "Contacts")
    below = replace(contacts, chunk=replace(contacts.chunk, heading_path="# Contacts > ## Marek"))
    assert missing("Marek's phone number", INGRID, MAREK_HIMSELF, below) is None


def test_a_day_or_a_part_of_a_word_in_a_note_about_the_name_may_be_what_is_asked() -> None:
    born = note("Climbs. Born on 3 May 1990.", "m", "Marek")
    assert missing("When is Marek's birthday?", INGRID, born) is None
    smartphone = note("Lost the smartphone again.", "m", "Marek")
    assert missing("Marek's phone number", INGRID, smartphone) is None


def test_a_thing_that_notes_write_small_is_no_name() -> None:
    car = note("The car stands behind the house.", "car", "Car")
    papers = note("Licence plate FR 123. Passport C01.", "papers", "Papers")
    for text in ("licence plate of the car", "car licence plate", "the car's licence plate"):
        assert missing(text, papers, car) is None


def test_a_word_of_a_title_in_small_letters_is_no_name() -> None:
    kitchen = note("The kitchen is fitted on 11 January.", "kitchen", "Kitchen renovation")
    resolutions = note("Read more.", "year", "New Year")
    assert missing("When will the new kitchen be fitted?", kitchen, resolutions) is None
    assert missing("What did I plan for new year?", kitchen, resolutions) is None


def test_a_title_of_one_word_is_a_name_only_if_a_text_has_it() -> None:
    recipes = note("Tomato soup: boil six tomatoes.", "recipes", "Recipes")
    tart = note("Bake pears for 40 minutes, with pears on top.", "tart", "Tart")
    assert missing("any recipes with pears?", recipes, tart) is None
    question = "any recipes with pears?"
    assert notes_with_all_names(question, asked(question, recipes, tart)).at_most(3) == frozenset()

    marek = note("Marek repairs boats.", "m", "Marek")
    ingrid = note("The phone number is 5512.", "i", "Ingrid")
    assert missing("marek phone number", marek, ingrid) == ("marek phone number", {"m"})


@pytest.mark.parametrize(
    "text",
    [
        *("What is Priya's phone number?", "When is Pri's birthday?", "Is Elena allergic?"),
        *("Who is Marek?", "What does Marek play?", "When was Priya born?"),
        *("I fly to Tokyo. Whose phone number is 5512?", "Does Marek go to Tokyo?"),
        *("Phone Number And Birthday", "What is the phone number of HR?", "phone number"),
        "Is Dr Raman allergic?",
    ],
)
def test_nothing_is_missing_where_a_note_that_names_it_may_answer(text: str) -> None:
    assert missing(text) is None


MAITE = note("Vive en Lekeitio, teléfono: +34 600 555 123.", "maite", "Tía Maite")
OTTO = note("Otto moved here in 2021.", "otto", "Otto Brandt")
DENTIST = note("The phone is 0761 555 0118.", "dentist", "Dentist")
BIKE = note("The frame has the number WK72093115. I wrote it on the door.", "bike", "Cargo bike")
WIFE = note("His husband is called Arjun.", "priya", "Priya Raman")


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("What is Maite's number?", None),
        ("What is Maite's phone number?", None),
        ("What is Otto's phone number?", "Otto's phone number"),
        ("Do I have a phone number for Otto?", "phone number for Otto"),
        ("What's the name of Otto's husband?", "Otto's husband"),
        ("What is Otto's mobile phone number?", "Otto's mobile phone number"),
        ("What is Otto's shoe size?", None),
        ("Who wrote the letter to Otto?", None),
    ],
)
def test_a_number_in_a_note_that_names_it_may_be_what_is_asked_in_other_words(
    text: str, subject: str | None
) -> None:
    names = missing(text, MAITE, OTTO, DENTIST, BIKE, WIFE)
    assert (names and names[0]) == subject


def test_a_word_that_notes_also_write_small_is_no_name() -> None:
    list_of_marek = note("The list is long. Marek says that List and the list differ.", "l", "List")
    assert missing("list phone number", PRIYA, list_of_marek) is None


def test_a_corrected_word_is_not_missing() -> None:
    text = "What is Marik's phone number?"
    retrieval = asked(text, *NOTES)
    corrected = replace(retrieval.analysis, stems=(*stems("Marek phone number", "en"),))
    assert missing_subject(text, retrieval) == MissingSubject("Marik's phone number", frozenset())
    assert missing_subject(text, replace(retrieval, analysis=corrected)) is None


def test_a_list_of_notes_of_a_time_misses_nothing() -> None:
    text = "What is Ana's phone number?"
    assert missing_subject(text, replace(asked(text, *NOTES), notes_read=3)) is None


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Wie ist Mareks Telefonnummer?", "Mareks Telefonnummer"),
        ("Wie ist die Telefonnummer von Marek?", "Telefonnummer von Marek"),
        ("Wie ist Zbigniews Telefonnummer?", "Zbigniews Telefonnummer"),
        ("Wie ist die Telefonnummer des Vereins?", None),
        ("Gibt es im Haus Telefonnummern?", None),
        ("Wie ist Priyas Telefonnummer?", None),
    ],
)
def test_where_all_nouns_have_capitals_owners_and_titles_are_names(
    text: str, subject: str | None
) -> None:
    priya = note("Ihre Telefonnummer ist 5512.", "p", "Priya Raman")
    marek = note("Er spielt Cello.", "m", "Marek Kowalski")
    names = missing(text, priya, marek, lang="de")
    assert (names and names[0]) == subject


@pytest.mark.parametrize("lang", ["de", "en"])  # which a few words may be taken for
@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Mareks Telefonnummer", "Mareks Telefonnummer"),
        ("Telefonnummer von Marek", "Telefonnummer von Marek"),
        ("telefonnummer von marek bitte", "telefonnummer von marek"),
        ("Telefonnummer vom Klempner", None),
        ("Telefonnummer Klempner", None),
        ("Telefonnummer von Ingrid", None),
    ],
)
def test_where_all_nouns_have_capitals_a_title_that_owns_without_an_article_is_a_name(
    lang: str, text: str, subject: str | None
) -> None:
    ingrid = note(
        "Die Nachbarin im zweiten Stock. Telefonnummer: 0761 555 0188.\n\nSie kennt Marek.",
        "i",
        "Ingrid",
    )
    marek = note("Ein Freund aus dem Verein. Er spielt Cello.", "m", "Marek")
    plumber = note("Sie haben im März den Hahn in der Küche repariert.", "k", "Klempner")
    names = missing(text, ingrid, marek, plumber, lang=lang)
    assert (names and names[0]) == subject


ONCE_NAMED = {
    "de": ("Mit Xaver den Ofen in der Hütte repariert.", "Die Telefonnummer ist 0761 555 0188."),
    "en": ("We repaired the stove with Javier at the cabin.", "The phone number is 0113 496 0188."),
    "es": ("La caldera de la casa la arregló Javier.", "El teléfono de la vecina es 612 345 678."),
    "fr": ("Le poêle est réparé, avec Xavier.", "Le téléphone de la voisine est 06 12 34 56 78."),
    "it": ("La stufa è riparata, con Ottavio.", "Il telefono della vicina è 333 445 5667."),
}


@pytest.mark.parametrize("read_as", ["", "en"])  # which a few words may be taken for
@pytest.mark.parametrize(
    ("lang", "text", "is_missing"),
    [
        ("de", "Xavers Telefonnummer", True),
        ("de", "telefonnummer von xaver", True),
        ("de", "Telefonnummer von Hütte", False),  # which has an article in the notes
        ("en", "javiers phone number", True),
        ("en", "phone number of cabin", False),
        ("es", "teléfono Javier", True),
        ("es", "teléfono de javier", True),
        ("es", "teléfono de vecina", False),
        ("fr", "téléphone Xavier", True),
        ("fr", "téléphone de xavier", True),
        ("it", "telefono Ottavio", True),
        ("it", "telefono di ottavio", True),
    ],
)
def test_an_owner_that_the_notes_name_once_is_a_name(
    lang: str, read_as: str, text: str, *, is_missing: bool
) -> None:
    stove, neighbour = ONCE_NAMED[lang]
    notes = (note(neighbour, "n", "ABC"), note(stove, "s", "DEF"))
    subject = (text, {"s"}) if is_missing else None
    assert missing(text, *notes, lang=read_as or lang) == subject


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Javier phone number", "Javier phone number"),
        ("javier phone number", "javier phone number"),
        ("Stove phone number", None),
        ("Booked phone number", None),  # which the notes have at the beginning of sentences alone
    ],
)
def test_a_word_with_two_capitals_one_of_them_inside_a_sentence_is_a_name(
    text: str, subject: str | None
) -> None:
    neighbour = note("The phone number of the neighbour is 0113 496 0188.", "n", "ABC")
    stove = note(
        "Booked the sweep. We cleaned the stove with Javier.\n\nJavier brings wood. Booked a van.",
        "s",
        "DEF",
    )
    names = missing(text, neighbour, stove)
    assert (names and names[0]) == subject


@pytest.mark.parametrize(
    ("lang", "text", "subject"),
    [
        ("en", "Which batteries do I buy for Marek's ears?", None),
        ("en", "batteries for Marek's ears", None),
        ("en", "Which drops for Marek's ears?", "Marek's ears"),  # which the other note has
        ("en", "Give me something for Marek's ears", "Marek's ears"),
        ("de", "Welche Batterien brauchen Mareks Ohren?", None),
        ("es", "¿Qué pilas compro para las orejas de Marek?", None),
    ],
)
def test_what_a_name_owns_is_not_missing_where_its_note_says_the_rest_of_the_question(
    lang: str, text: str, subject: str | None
) -> None:
    notes_of = {
        "en": ("Hearing aid: batteries of size 312.", "Drops for the ears, twice a day."),
        "de": ("Hörgerät: Batterien der Größe 312.", "Tropfen in die Ohren, abends."),
        "es": ("Audífono: pilas del número 312.", "Gotas para las orejas, por la noche."),
    }
    text_about, text_of_other = notes_of[lang]
    marek = note(text_about, "m", "Marek")
    priya = note(text_of_other, "p", "Priya Raman")
    names = missing(text, marek, priya, lang=lang)
    assert (names and names[0]) == subject


@pytest.mark.parametrize(
    "address",
    ["marek@post.example", "https://example.com/marek", "people/marek.md", "<marek@post.example>,"],
)
def test_small_letters_in_an_address_do_not_make_a_common_word_of_a_name(address: str) -> None:
    marek = note(f"Met Marek at {address} and wrote. He plays the cello, as Marek says.", "m")
    assert missing("mareks phone number", PRIYA, marek) == ("mareks phone number", {"m"})
    small = note(f"Met a marek at {address}. He plays the cello, as Marek says.", "m")
    assert missing("mareks phone number", PRIYA, small) is None


@pytest.mark.parametrize(
    ("lang", "text", "subject"),
    [
        ("de", "Telefonnummer Nele Sauer", "Telefonnummer Nele Sauer"),
        ("de", "Wann hat Nele Sauer Geburtstag?", "Nele Sauer Geburtstag"),
        ("de", "Telefonnummer Klempner Hahn", None),
        ("en", "tess sharp phone number", "tess sharp phone number"),
        ("fr", "téléphone luc petit", "téléphone luc petit"),
    ],
)
def test_a_full_name_is_a_name_though_the_notes_write_its_words_otherwise_too(
    lang: str, text: str, subject: str | None
) -> None:
    notes_of = {
        "de": (
            "Die Finanzen macht ab heute Nele Sauer, die Milch war sauer. Der Klempner kam wegen dem Hahn.",
            "Die Telefonnummer ist 0761 555 0188. Anna: 3. Mai.",
            "Geburtstage",
        ),
        "en": ("Met Tess Sharp, at nine sharp.", "The phone number is 0113 496 0188.", "Anna"),
        "fr": ("Vu Luc Petit, un petit homme.", "Le téléphone est le 06 12 34 56 78.", "Anna"),
    }
    text_about, text_of_other, title = notes_of[lang]
    names = missing(text, note(text_of_other, "o", title), note(text_about, "a", "ABC"), lang=lang)
    assert (names and names[0]) == subject


@pytest.mark.parametrize("lang", ["de", "en"])  # which a few words may be taken for
@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Telefonnummer Marek", "Telefonnummer Marek"),
        ("marek telefonnummer", "marek telefonnummer"),
        ("Marek Telefonnummer bitte", "Marek Telefonnummer"),
        ("Telefonnummer Ingrid", None),
        ("Telefonnummer Klempner", None),
        ("Telefonnummer Küche", None),
    ],
)
def test_where_all_nouns_have_capitals_a_title_without_a_determiner_is_a_name(
    lang: str, text: str, subject: str | None
) -> None:
    ingrid = note(
        "Die Nachbarin im zweiten Stock. Telefonnummer: 0761 555 0188.\n\nSie kennt Marek und war in der Küche.",
        "i",
        "Ingrid",
    )
    marek = note("Ein Freund aus dem Verein. Er spielt Cello.", "m", "Marek")
    plumber = note("Der gute alte Klempner hat im März den Hahn repariert.", "k", "Klempner")
    kitchen = note("Die neue Küche ist von Ikea.", "c", "Küche")
    names = missing(text, ingrid, marek, plumber, kitchen, lang=lang)
    assert (names and names[0]) == subject


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Telefonnummer Marek", "Telefonnummer Marek"),
        ("Telefonnummer Zimmermann", None),  # once behind an article
        ("Telefonnummer Ben", None),  # written once
    ],
)
def test_where_all_nouns_have_capitals_a_word_never_behind_a_determiner_is_a_name(
    text: str, subject: str | None
) -> None:
    ingrid = note("Telefonnummer: 0761 555 0188. Sie kennt Ben.", "i", "Ingrid")
    band = note(
        "Am Cello sitzt Marek, und im Trio spielt Marek. Einmal kam Zimmermann, dann kam der Zimmermann.",
        "b",
        "Konzerte",
    )
    names = missing(text, ingrid, band, lang="de")
    assert (names and names[0]) == subject


@pytest.mark.parametrize(
    ("lang", "text", "subject"),
    [
        ("es", "el número de teléfono de Marek por favor", "número de teléfono de Marek"),
        ("fr", "le numéro de téléphone de marek", "numéro de téléphone de marek"),
        ("fr", "j'ai besoin du numéro de téléphone de Marek", "numéro de téléphone de Marek"),
        ("it", "ho bisogno del numero di telefono di Marek", "numero di telefono di Marek"),
        ("it", "mi serve il numero di telefono di Marek", "numero di telefono di Marek"),
    ],
)
def test_a_genitive_makes_a_title_the_owner_of_what_stands_before_it(
    lang: str, text: str, subject: str
) -> None:
    words = {"es": "Número de teléfono", "fr": "Numéro de téléphone", "it": "Numero di telefono"}
    ingrid = note(f"{words[lang]}: 955 555 0188.", "i", "Ingrid")
    marek = note("Cracovia.", "m", "Marek")
    assert missing(text, ingrid, marek, lang=lang) == (subject, {"m"})


@pytest.mark.parametrize("lang", ["en", "de", "fr"])  # which a few words may be taken for
@pytest.mark.parametrize(
    "text",
    ["téléphone de Marek", "teléfono de Marek", "telefono di Marek", "Telefonnummer von Marek"],
)
def test_a_genitive_of_another_language_than_the_nearest_note_makes_an_owner(
    lang: str, text: str
) -> None:
    marek = note("He runs the climbing wall and prefers mornings.", "m", "Marek")
    ingrid = note(f"{text.split(maxsplit=1)[0]}: 955 555 0188.", "i", "Ingrid")
    for notes in ((marek, ingrid), (ingrid, marek)):
        assert missing(text, *notes, lang=lang) == (text, {"m"})
    assert missing(text.replace("Marek", "Ingrid"), marek, ingrid, lang=lang) is None


def test_other_languages_know_names_by_their_capitals() -> None:
    priya = note("Su teléfono es 5512.", "p", "Priya Raman")
    marek = note("Toca el violonchelo.", "m", "Marek Kowalski")
    for question in ("¿Cuál es el teléfono de Marek?", "dame el teléfono de Marek"):
        assert missing(question, priya, marek, lang="es") == ("teléfono de Marek", {"m"})


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "What is Marek's wife's phone number?"),
        ("en", "Marek's older sister's phone number"),
        ("en", "mareks sisters phone number"),
        ("en", "phone number of Marek's wife"),
        ("en", "phone number of the wife of Marek"),
        ("de", "Wie ist die Telefonnummer von Mareks Frau?"),
        ("de", "die Telefonnummer der Frau von Marek"),
        ("es", "el teléfono de la mujer de Marek"),
        ("es", "el teléfono del hermano de Marek"),
        ("fr", "le téléphone de la femme de Marek"),
        ("fr", "le téléphone du frère de Marek"),
        ("it", "il telefono della moglie di Marek"),
        ("it", "il telefono dell'amica di Marek"),
    ],
)
def test_notes_may_call_by_name_what_owns_what_is_asked(lang: str, text: str) -> None:
    others = {
        "en": "Her wife and sisters have the phone number 5512.",
        "de": "Ihre Frau hat die Telefonnummer 5512.",
        "es": "El teléfono de su mujer y de su hermano es 5512.",
        "fr": "Le téléphone de sa femme et de son frère est 5512.",
        "it": "Il telefono della moglie e dell'amica è 5512.",
    }
    ingrid = note(others[lang], "i", "Ingrid")
    marek = note("Cracovia, Judith.", "m", "Marek")
    assert missing(text, ingrid, marek, lang=lang) is None


@pytest.mark.parametrize(
    ("lang", "text", "subject"),
    [
        ("en", "What's the name of Marek's wife?", "Marek's wife"),
        ("de", "Wie ist der Name von Mareks Frau?", "Mareks Frau"),
        ("es", "¿Cuál es el nombre de la mujer de Marek?", "mujer de Marek"),
        ("fr", "Quel est le nom de la femme de Marek ?", "femme de Marek"),
        ("it", "Qual è il nome della moglie di Marek?", "moglie di Marek"),
    ],
)
def test_the_name_of_what_it_owns_asks_for_that(lang: str, text: str, subject: str) -> None:
    others = {
        "en": "His wife is called Judith.",
        "de": "Seine Frau heißt Judith.",
        "es": "Su mujer se llama Judith.",
        "fr": "Sa femme s'appelle Judith.",
        "it": "La moglie si chiama Judith.",
    }
    ingrid = note(others[lang], "i", "Ingmar")
    marek = note("Cracovia.", "m", "Marek")
    assert missing(text, ingrid, marek, lang=lang) == (subject, {"m"})


@pytest.mark.parametrize(
    ("path", "heading", "title"),
    [
        ("birthday/cake.md", "", "Cake"),
        ("cake.md", "# Plans > ## Birthday", "Cake"),
        ("cake.md", "", "Birthday cake"),
    ],
)
def test_what_belongs_to_a_name_may_stand_above_a_mention(
    path: str, heading: str, title: str
) -> None:
    cake = note("Elena wants walnuts on top.", "cake", title)
    cake = replace(cake, chunk=replace(cake.chunk, path=path, heading_path=heading))
    picnic = note("For the birthday of Priya bring flowers and a blanket.", "p", "Picnic")
    text = "Which flowers do I bring to Elena's birthday?"
    assert missing(text, picnic, cake) is None
    elsewhere = replace(cake, chunk=replace(cake.chunk, path="c.md", title="", heading_path=""))
    assert missing(text, picnic, elsewhere) == ("Elena's birthday", {"cake"})


@pytest.mark.parametrize(
    "text",
    [
        "Gewinn vom Verein in der Saison?",
        "Welchen Gewinn hat der Verein?",
        "Wann fährt der Chor zum Verein?",
        "Wie hoch war der Gewinn beim Verein?",
    ],
)
def test_a_noun_of_a_title_is_no_name_where_all_nouns_have_capitals(text: str) -> None:
    keys = note("Der Schlüssel hängt am Haken.", "keys", "Verein Schlüssel")
    season = note("In der Saison war der Gewinn 900 Euro. Der Chor fährt im Mai.", "log", "Logbuch")
    assert missing(text, season, keys, lang="de") is None


def test_where_an_asked_word_is_unknown_one_common_word_is_too_little() -> None:
    island = note("A hut on Islay, with Bettina.", "hut", "Plan")
    thesis = note("The final date for the thesis is 31 January 2028.", "thesis", "Thesis")
    dates = "dates of the 2025 Islay excursion"
    assert missing(dates, thesis, island) is None
    assert missing("final date for Islay", thesis, island) == ("final date for Islay", {"hut"})


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("What does Marek pay for the new room?", None),
        ("What commission does Marek pay for the new room?", None),
        ("Marek's phone number", "Marek's phone number"),
    ],
)
def test_an_amount_beside_the_name_may_be_what_is_asked(text: str, subject: str | None) -> None:
    club = note("Priya pays £1200 for the new room. Her phone number is 0113 496 0188.", "c", "C")
    agent = note("Signed with Marek. 25% on all they sell.", "m", "Gallery")
    names = missing(text, club, agent)
    assert (names and names[0]) == subject
