from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.choosing import FAR
from shared.answering.extractive import ExtractiveWriter
from shared.answering.likeness import EMBEDDED
from shared.answering.missing_subject import MissingSubject
from shared.answering.period import MAX_QUOTE
from shared.answering.pieces import split
from shared.answering.windows import MAX_PIECES, SEEN
from shared.api.values import SNIPPET_LENGTH, snippet
from shared.errors import AuroraError, ModelRefused, ModelUnavailable, PortContractError
from shared.language.sentences import sentences
from shared.model.answers import Quote, SupportState
from shared.model.retrieval import Scored
from tests.answering.samples import LAST_WEEK, asked_of, passage, question, quotes
from tests.fakes import HashingEmbedder

LONG = passage(
    "We met on Monday. The weather was fine. We chose Firestore as the database. It scales to our needs. "
    "Then we had lunch. Bob told of his boat. We went home late.",
    note_id="a",
    start=100,
)
OTHER = passage("The API runs on Cloud Run.", note_id="b")


def test_a_quote_is_the_neighbouring_sentences_nearest_to_the_question_as_the_note_has_them() -> (
    None
):
    long = passage(f"{LONG.chunk.text} {'Nothing more came of it all. ' * 30}", start=100)
    (quote,) = quotes(long)
    assert "We chose Firestore as the database." in quote.text
    assert len(sentences(quote.text)) == MAX_PIECES
    assert quote.text == long.chunk.text[quote.start - 100 : quote.end - 100]
    assert " ".join(quote.lines) == quote.text
    assert 0 < quote.nearness <= 1


def test_a_note_that_contains_the_name_is_quoted_before_one_that_speaks_of_another() -> None:
    surgery = passage("Nothing to eat from midnight is allowed.", note_id="surgery")
    child = passage("At night Juno had a rash. Peanuts: never for Juno.", note_id="child")
    child = replace(child, score=0.1)  # below FAR
    about_juno = quotes(surgery, child, text="What is Juno not allowed to eat?")
    assert [quote.passage for quote in about_juno] == [child, surgery]
    about_nobody = quotes(surgery, child, text="What is not allowed to eat?")
    assert [quote.passage for quote in about_nobody] == [surgery]


def test_the_first_note_and_those_that_are_nearest_are_quoted_in_the_order_of_the_search() -> None:
    near = [
        passage(f"The database number {number} is what we choose.", note_id=f"n{number}")
        for number in range(9)
    ]
    lunch = passage("Then we had lunch.", note_id="l")
    assert [quote.passage for quote in quotes(OTHER, LONG, lunch, *near)] == [OTHER, *near[:2]]
    assert [quote.passage for quote in quotes(OTHER, near[0], lunch, LONG)] == [
        OTHER,
        near[0],
        LONG,
    ]
    eight_quotes = ExtractiveWriter().quotes(
        replace(question(), quotes=8), asked_of(OTHER, LONG, *near[:4])
    )
    assert [quote.passage for quote in eight_quotes] == [OTHER, LONG, *near[:4]]


@pytest.mark.parametrize("answer", ["You may keep it.", "Yes."])
def test_a_quote_does_not_end_in_a_question_that_the_note_goes_on_to_answer(answer: str) -> None:
    text = f"We met on Monday. The weather was fine. Do I give the database back that we choose? {answer} Call Bob."
    (quote,) = quotes(passage(text))
    assert answer in quote.text


@pytest.mark.parametrize(
    ("model", "same"),
    [
        (HashingEmbedder.model, True),
        ("another", False),
    ],
)
def test_the_question_is_not_embedded_again_by_the_model_of_the_search(
    model: str, *, same: bool
) -> None:
    embedder = HashingEmbedder()
    retrieval = replace(
        asked_of(LONG), query=embedder.embed_query("Then we had lunch."), embedder=model
    )
    quoted = ExtractiveWriter(embedder).quotes(question(), retrieval)
    assert (quoted[0].nearness == pytest.approx(1.0)) is same


def test_a_note_is_quoted_where_it_lies_nearest() -> None:
    further = passage("The database is what we choose.", note_id="b", start=900)
    assert [quote.passage for quote in quotes(OTHER, LONG, further)] == [further, LONG]


def test_passages_far_behind_the_first_are_left_out() -> None:
    far = replace(OTHER, score=LONG.score * FAR - 0.01)
    assert [quote.passage for quote in quotes(LONG, far)] == [LONG]


def test_where_one_note_alone_is_close_its_passages_are_quoted_but_no_sentence_twice() -> None:
    repeats = passage("We chose Firestore as the database.", note_id="a", start=140)
    further = passage("The database costs little. We choose it again.", note_id="a", start=900)
    far = replace(OTHER, score=0.1)
    assert [quote.passage for quote in quotes(LONG, repeats, further, far)] == [LONG, further]


def test_the_same_words_of_two_notes_are_quoted_once() -> None:
    twice = [passage("We choose the database.", note_id=note_id) for note_id in "ab"]
    assert [quote.passage.chunk.note_id for quote in quotes(*twice)] == ["a"]


def test_of_a_series_whose_last_note_is_asked_for_that_note_alone_is_quoted() -> None:
    text = "What is left to do after the last show report?"
    older = passage(
        "The report of a show with much left to do.", note_id="a", title="Show report 8"
    )
    report = passage("The show ran for two hours.", note_id="b", title="Show report 9")
    tasks = passage(
        "Left to do: Nadia, second teapot.", note_id="b", title="Show report 9", start=400
    )
    found = asked_of(older, report, tasks, text=text)
    writer = ExtractiveWriter()
    of_last = writer.quotes(question(text), found)
    assert [quote.passage for quote in of_last] == [report, tasks]
    analysis = replace(found.analysis, subject="What is left to do after a show report?")
    of_all = writer.quotes(question(text), replace(found, analysis=analysis))
    assert of_all[0].passage == older


def test_each_quote_stands_below_the_names_of_its_note_and_section() -> None:
    named = passage(
        "She chose the database for us.",
        title="Teams",
        heading_path="# Teams > ## Priya *Raman*",
        path="a/b.md",
    )
    _, piece = ExtractiveWriter().pieces(question(), asked_of(named))
    assert piece.text == "\n\n> **Teams › Priya Raman**\n>\n> She chose the database for us. [N1]"
    numbered = replace(
        named, chunk=replace(named.chunk, heading_path="# Teams > ## 1. `<T>` [N<b>1</b>]")
    )
    _, piece = ExtractiveWriter().pieces(question(), asked_of(numbered))
    assert piece.text.startswith("\n\n> **Teams › 1. ‹T› (N1)**\n")
    _, by_file = ExtractiveWriter().pieces(question(), asked_of(OTHER))
    assert by_file.text.startswith("\n\n> **meeting**\n>\n> ")
    nameless = replace(OTHER, chunk=replace(OTHER.chunk, path=""))
    _, bare = ExtractiveWriter().pieces(question(), asked_of(nameless))
    assert bare.text == "\n\n> **Untitled**\n>\n> The API runs on Cloud Run. [N1]"


def test_code_in_a_quote_keeps_its_angle_brackets() -> None:
    code = "```html\n<div>the database</div>\n```"
    named = passage(f"We choose the database by code:\n\n{code}", title="Teams")
    _, piece = ExtractiveWriter().pieces(question(), asked_of(named))
    assert "\n> ```html\n> <div>the database</div>\n> ```\n" in piece.text


def test_a_quote_has_the_day_of_its_note_where_the_question_names_a_time() -> None:
    retrieval = asked_of(LONG)
    at_a_time = replace(retrieval, analysis=replace(retrieval.analysis, time=LAST_WEEK))
    _, piece = ExtractiveWriter().pieces(question(), at_a_time)
    assert piece.text.startswith("\n\n> **meeting**, 9 May 2026\n>\n> ")
    nameless = asked_of(replace(LONG, chunk=replace(LONG.chunk, path="")))
    nameless_at_a_time = replace(nameless, analysis=replace(nameless.analysis, time=LAST_WEEK))
    _, piece = ExtractiveWriter().pieces(question(), nameless_at_a_time)
    assert piece.text.startswith("\n\n> **Untitled**, 9 May 2026\n>\n> ")


@pytest.mark.parametrize("title", ["Meeting of 4 May 2026", "Garden, May 2026"])
def test_no_other_day_stands_beside_a_title_that_names_one(title: str) -> None:
    found = passage("She chose the database for us.", note_id="meeting", title=title)
    retrieval = asked_of(found)
    at_a_time = replace(retrieval, analysis=replace(retrieval.analysis, time=LAST_WEEK))
    _, piece = ExtractiveWriter().pieces(question(), at_a_time)
    assert piece.text.startswith(f"\n\n> **{title}**\n>\n> ")


def with_properties(text: str, note_id: str, *properties: str) -> Scored:
    plain = passage(text, note_id=note_id, title=note_id)
    return replace(plain, chunk=replace(plain.chunk, properties=properties))


def test_a_property_that_is_asked_for_is_shown_and_notes_without_its_value_are_not() -> None:
    text = "rating 5"
    five = with_properties("A farmhouse near Hamburg.", "Altes Land", "rating: 5", "pages: 287")
    four = with_properties("An envoy on a winter planet.", "Left Hand", "rating: 4")
    dated_app = with_properties("Released on December 5.", "App")
    _, *quoted = ExtractiveWriter().pieces(
        question(text), asked_of(dated_app, five, four, text=text)
    )
    assert [piece.text for piece in quoted] == [
        "\n\n> **Altes Land** (rating: 5)\n>\n> A farmhouse near Hamburg. [N1]"
    ]
    text = "Books by Dörte Hansen"
    hers = with_properties("A farmhouse.", "Altes Land", "author: Dörte Hansen", "rating: 5")
    _, piece = ExtractiveWriter().pieces(question(text), asked_of(hers, text=text))
    assert piece.text.startswith("\n\n> **Altes Land** (author: Dörte Hansen)\n")


def test_a_number_may_be_spelled_otherwise_in_the_question_than_in_the_property() -> None:
    text = "Which books did I give a rating of five?"
    wool = with_properties("My books: stairs.", "Wool", "rating: 2")
    five = with_properties("Five books in one.", "Box", "pages: 900")
    far = replace(with_properties("A farmhouse.", "Altes Land", "rating: 5"), score=0.1)
    found = asked_of(wool, five, far, text=text)
    found = replace(found, analysis=replace(found.analysis, subject=text))
    assert [quote.passage for quote in ExtractiveWriter().quotes(question(text), found)] == [far]


def title_line(found: Scored, text: str) -> str:
    """Read the line above the only quote."""
    _, piece = ExtractiveWriter().pieces(question(text), asked_of(found, text=text))
    return piece.text.split("\n")[2]


def test_a_note_that_is_asked_for_by_its_title_shows_its_properties() -> None:
    patria = with_properties("Two families.", "Patria", "author: Fernando Aramburu", "rating: 5")
    heading = title_line(patria, "Who wrote Patria?")
    assert heading == "> **Patria** (author: Fernando Aramburu; rating: 5)"
    assert title_line(patria, "Which families?") == "> **Patria**"


@pytest.mark.parametrize(
    ("text", "said", "line", "other_line"),
    [
        (
            "When does the reading group meet?",
            "The reading group meets in Room 4.",
            "status: reading",
            "status: finished",
        ),
        (
            "How do I make soup for five people?",
            "Soup: chop two leeks.",
            "rating: 5",
            "rating: 4",
        ),
        (
            "Is the library open on Sundays?",
            "The library has hours from 9 to 17.",
            "status: open",
            "status: done",
        ),
    ],
)
def test_a_word_that_happens_to_be_a_propertys_value_puts_no_note_first(
    text: str,
    said: str,
    line: str,
    other_line: str,
) -> None:
    right_note = replace(with_properties(said, "meant"), score=1.0)
    by_chance = with_properties("Many people in a group.", "by chance", line)
    unrelated = with_properties("Halls and tides.", "other", other_line)
    searched = asked_of(right_note, by_chance, unrelated, text=text)
    searched = replace(searched, analysis=replace(searched.analysis, subject=text))
    first, *_ = ExtractiveWriter().quotes(question(text), searched)
    assert first.passage.chunk.note_id == "meant"


@pytest.mark.parametrize("length", ["12 weeks", "twelve weeks"])
def test_a_sentence_with_a_number_is_quoted_where_the_question_asks_for_one(length: str) -> None:
    told = "The course in pottery has many friends. " + "Nobody knows what comes of it. " * 30
    short = passage(f"{told}{'It rained again. ' * 30}It lasts {length} in all.")

    def quoted(text: str) -> str:
        return "".join([quote.text for quote in quotes(short, text=text)])

    assert length in quoted("How long is the pottery course?")
    assert length not in quoted("Who likes the pottery course?")
    assert length not in quoted("When is the pottery course?")


def test_a_line_that_defines_a_thing_is_quoted_first() -> None:
    idea = passage("Why houses burn a ghost light.", note_id="idea", title="Talk: ghost light")
    words = passage(
        "- **Tabs**: the curtain\n- **Ghost light**: the bulb on stage", note_id="words"
    )

    def note_ids(text: str) -> list[str]:
        """Notes that are quoted where both hold the words, and the one that defines them is far."""
        terms = dict.fromkeys(("ghost", "light", "hous"), 1)
        near, far = (
            replace(scored, chunk=replace(scored.chunk, terms=terms)) for scored in (idea, words)
        )
        far = replace(far, score=FAR * near.score / 2)
        return [quote.passage.chunk.note_id for quote in quotes(near, far, text=text)]

    assert note_ids("What is a ghost light?") == ["words", "idea"]
    assert note_ids("Which houses burn a ghost light?") == ["idea"]


def test_one_word_of_the_question_is_no_property_that_is_asked_for() -> None:
    text = "Which database did we choose?"
    tagged = with_properties("We chose Firestore.", "Plan", "about: database")
    _, piece = ExtractiveWriter().pieces(question(text), asked_of(tagged, text=text))
    assert piece.text.startswith("\n\n> **Plan**\n")


def test_a_plural_is_no_other_word_of_its_stem() -> None:
    text = "Which books?"
    booked = passage("Booked the train.", note_id="train")
    books = passage("The books are here.", note_id="shelf")
    result = asked_of(booked, books, text=text)
    result = replace(result, analysis=replace(result.analysis, subject=text))
    quotes = ExtractiveWriter().quotes(question(text), result)
    near = {quote.passage.chunk.note_id: quote.nearness for quote in quotes}
    assert near["train"] < near["shelf"] == 1.0


def test_a_weak_window_of_another_note_is_no_padding() -> None:
    near = passage("The database is what we choose.", note_id="n")
    weak = replace(passage("Then we had lunch.", note_id="w"), score=near.score * FAR)
    assert [quote.passage for quote in quotes(near, weak)] == [near]


@pytest.mark.parametrize(
    "shown",
    ["| Database | Firestore |", "```sh\nchoose database\n```", "Run:\n\n    choose database"],
)
def test_no_marker_breaks_a_table_or_a_block_of_code(shown: str) -> None:
    _, quoted = ExtractiveWriter().pieces(question(), asked_of(passage(shown)))
    assert quoted.text.split("\n")[-3:] == [f"> {shown.splitlines()[-1]}", ">", "> [N1]"]


def test_all_notes_of_a_time_are_listed_by_date_a_line_each() -> None:
    retrieval = replace(
        asked_of(passage("# Day\n\nWe **met**. Then we ate.", title="One"), OTHER), notes_read=2
    )
    opening, first, second = ExtractiveWriter().pieces(question(), retrieval)
    assert opening.text == "Your notes of that time:"
    assert first.text == "\n\n- 9 May 2026: **One**, We **met**. Then we ate. [N1]"
    assert second.text == "\n- 9 May 2026: The API runs on Cloud Run. [N2]"
    assert first.cited[0].quote == "We **met**. Then we ate."
    german = replace(retrieval, analysis=replace(retrieval.analysis, lang="de"))
    _, first, _ = ExtractiveWriter().pieces(question(), german)
    assert first.text.startswith("\n\n- 9.\u00a0Mai 2026: ")
    daily = replace(asked_of(passage("We met.", title="2026-05-09")), notes_read=1)
    assert ExtractiveWriter().pieces(question(), daily)[1].text == "\n\n- 9 May 2026: We met. [N1]"


def test_nothing_is_quoted_where_nothing_speaks_of_the_subject() -> None:
    assert quotes(passage("Alpha.", similarity=0.5), text="Who repairs the boiler?") == ()


@pytest.mark.parametrize(
    "problem",
    [
        ModelUnavailable("away"),
        ModelRefused("no"),
        PortContractError("odd"),
    ],
)
def test_without_vectors_words_choose_the_sentences(problem: AuroraError) -> None:
    embedder = HashingEmbedder()
    embedder.outage = problem
    retrieval = asked_of(LONG)
    (quote,) = ExtractiveWriter(embedder).quotes(question(), retrieval)
    assert "We chose Firestore as the database." in quote.text
    assert [quote.text for quote in ExtractiveWriter().quotes(question(), retrieval)] == [
        quote.text
    ]


def test_in_a_language_that_the_embedder_does_not_speak_words_say_more_than_likeness() -> None:
    """The first has three words of the question that everybody uses, the last the one that tells."""
    text = "Wo ist der oder die oder das hier? Nein. Ja. Gut. Die Theke."
    question_text = "Wo ist der oder die Theke?"
    passage_of_text = passage(text)
    with_terms = replace(passage_of_text, chunk=replace(passage_of_text.chunk, terms={"theke": 1}))
    retrieval = replace(asked_of(with_terms, text=question_text), weights={"theke": 1.0})
    near, by_words = (
        ExtractiveWriter(HashingEmbedder())
        .quotes(question(question_text), replace(retrieval, lexical_only=lexical_only))[0]
        .text
        for lexical_only in (False, True)
    )
    assert near.startswith("Wo ist der")
    assert by_words.endswith("Die Theke.")


def test_no_more_than_so_many_sentences_are_embedded_and_no_batch_is_too_large() -> None:
    embedder = HashingEmbedder(batch_size=10)
    passages = [
        passage(" ".join(f"Sentence {n} of {place}." for n in range(40)), note_id=str(place))
        for place in range(5)
    ]
    ExtractiveWriter(embedder).quotes(question(), asked_of(*passages))
    assert 0 < sum(map(len, embedder.embedded.elements())) <= EMBEDDED


def test_beside_a_refusal_each_nearest_passage_is_quoted_even_one_without_a_sentence() -> None:
    digits = passage("12 34\n56", note_id="d")
    retrieval = asked_of(LONG, digits, OTHER)
    near = ExtractiveWriter(HashingEmbedder()).nearest(question(), retrieval)
    assert [quote.passage for quote in near] == list(retrieval.nearest)
    assert near[1].text == "12 34\n56"
    assert near[1].lines == ("12 34 56",)
    assert "Firestore" in near[0].text


def nearest_of(text: str, asked: str) -> Quote:
    found = asked_of(passage(text, start=7), text=asked)
    (quote,) = ExtractiveWriter().nearest(question(asked), found)
    assert quote.text == text[quote.start - 7 : quote.end - 7]
    return quote


JOTTED = """\
school: Ashgrove Primary, office 01432 555 010, the gate is shut from nine on
swimming: Tuesdays 16:30, bring 1 eur for the locker and the blue towel
babysitter: Fleur (16), 7 eur an hour, lives at number 12
dentist: Dr. Hale, every April
shoe sizes: Edie 31, Tom 35"""


def test_beside_a_refusal_a_jotted_note_is_shown_where_it_lies_nearest() -> None:
    quote = nearest_of(JOTTED, "What is Fleur paid?")
    assert "babysitter: Fleur (16), 7 eur an hour" in snippet("\n".join(quote.lines))
    assert "school" not in quote.text
    assert "dentist" in nearest_of(JOTTED, "When does Dr. Hale see us?").text


def test_beside_a_refusal_the_nearest_line_is_seen_however_long_those_before_it_are() -> None:
    before = f"The gate is shut from nine on and nobody rings {'any bell or the other ' * 5}there. "
    quote = nearest_of(f"{before}Fleur takes 7 eur an hour.", "What is Fleur paid?")
    assert quote.text == "Fleur takes 7 eur an hour."


def test_beside_a_refusal_what_stands_before_the_nearest_line_stays_if_a_list_shows_both() -> None:
    text = "The babysitter lives at number 12. She is called Fleur."
    assert nearest_of(text, "What is Fleur paid?").text == text
    assert SEEN < SNIPPET_LENGTH


def test_beside_a_refusal_a_table_is_shown_from_its_nearest_row_on() -> None:
    others = [f"| Marlies number {n} | nothing at all, as a neighbour |" for n in range(9)]
    table = "\n".join(["| who | paid |", "|---|---|", *others, "| Fleur | 7 eur |"])
    quote = nearest_of(table, "What is Fleur paid?")
    assert quote.lines[0] == "| who | paid |"
    assert quote.lines[2] == "| … |"
    assert quote.lines[-1] == "| Fleur | 7 eur |"
    assert "Fleur, 7 eur" in snippet("\n".join(quote.lines))


@pytest.mark.parametrize(
    ("text", "quoted", "shown"),
    [
        ("# Plan [N2] and [N3]", "# Plan [N2] and [N3]", "# Plan (N2) and (N3)"),
        (
            "<!-- secret [N7] -->\n# Plan <!-- a [N1] --> B\n",
            "# Plan <!-- a [N1] --> B",
            "# Plan B",
        ),
        (f"# {'Plan ' * 400}", f"# {'Plan ' * 400}"[:MAX_QUOTE], f"# {'Plan ' * 179}Pla …"),
    ],
)
@pytest.mark.parametrize("notes_read", [None, 1])
def test_a_passage_without_sentences_is_quoted_without_its_comments_and_cites_nothing(
    text: str, quoted: str, shown: str, notes_read: int | None
) -> None:
    retrieval = replace(asked_of(passage(text, start=7), text="Plan"), notes_read=notes_read)
    _, piece = ExtractiveWriter().pieces(question("Plan"), retrieval)
    (citation,) = piece.cited
    lead = "- 9 May 2026: " if notes_read else "> **meeting**\n>\n> "
    assert piece.text == f"\n\n{lead}{shown} [N1]"
    assert citation.quote == quoted
    assert text[citation.quote_start - 7 : citation.quote_end - 7] == quoted


def test_a_passage_of_comments_alone_is_not_quoted() -> None:
    hidden = passage("<!-- secret [N1]\n[N7] --> {% comment %}plan{% endcomment %}", note_id="h")
    retrieval = asked_of(hidden, passage("The plan is here.", note_id="p"), text="Plan")
    writer = ExtractiveWriter()
    assert [quote.text for quote in writer.nearest(question("Plan"), retrieval)] == [
        "The plan is here."
    ]
    assert [piece.text for piece in writer.pieces(question("Plan"), retrieval)][1:] == [
        "\n\n> **meeting**\n>\n> The plan is here. [N1]"
    ]
    for notes_read in (None, 1):
        alone = replace(asked_of(hidden, text="Plan"), notes_read=notes_read)
        assert writer.pieces(question("Plan"), alone) == ()


def test_quotes_are_shown_as_quotes_in_the_language_of_the_question() -> None:
    retrieval = replace(asked_of(LONG, OTHER), analysis=replace(asked_of(LONG).analysis, lang="de"))
    opening, *quoted = ExtractiveWriter().pieces(question(), retrieval)
    assert opening.text == "Die nächstliegenden Stellen in deinen Notizen:"
    assert opening.claim is None
    assert len(quoted) == 2
    for number, piece in enumerate(quoted, start=1):
        (citation,) = piece.cited
        assert piece.text == f"\n\n> **meeting**\n>\n> {citation.quote} [N{number}]"
        assert citation.support is not None
        assert citation.support.state is SupportState.QUOTED
        assert piece.claim is not None
        assert piece.claim.support == citation.support
        assert piece.claim.citations == (citation,)
    text = "".join(piece.text for piece in (opening, *quoted))
    assert [text[piece.claim.start : piece.claim.end] for piece in quoted if piece.claim] == [
        piece.text.strip() for piece in quoted
    ]
    assert [f"> {piece.text}" for piece in split(text)[1:]] == [
        piece.text.strip() for piece in quoted
    ]
    elsewhere = replace(retrieval, analysis=replace(retrieval.analysis, lang="ja"))
    assert (
        ExtractiveWriter().pieces(question(), elsewhere)[0].text
        == "Closest passages in your notes:"
    )


def test_below_what_is_missing_notes_that_name_it_come_first() -> None:
    priya = passage("Priya's phone number is 5512. " * 40, note_id="p")
    marek = passage("Marek plays. " * 60, note_id="m")
    far = replace(marek, score=priya.score * FAR - 0.1)
    retrieval = asked_of(priya, far, text="Marek's phone number")
    missing = MissingSubject("Marek's phone [N1] number", frozenset({"m"}))
    opening, first, second = ExtractiveWriter().pieces(question(), retrieval, missing)
    assert opening.text == "Nothing about “Marek's phone (N1) number”; nearest:"
    assert "Marek plays. Marek plays. Marek plays. [N1]" in first.text
    assert [piece.cited[0].passage for piece in (first, second)] == [far, priya]
    assert far not in [quote.passage for quote in ExtractiveWriter().quotes(question(), retrieval)]


def test_a_line_at_the_end_that_leads_to_what_is_not_quoted_is_left_out() -> None:
    found = passage("We chose a database, Postgres. The reasons were these:")
    (quote,) = quotes(found)
    assert quote.lines == ("We chose a database, Postgres.",)
    (alone,) = quotes(passage("The database was chosen for these reasons:"))
    assert alone.lines == ("The database was chosen for these reasons:",)


def test_a_quote_that_begins_in_a_sentence_says_that_something_is_left_out() -> None:
    cut = passage("the database that we chose, Postgres. It is old.")
    later = replace(cut, chunk=replace(cut.chunk, position=1))
    (quote,) = quotes(later)
    assert quote.lines == ("… the database that we chose, Postgres. It is old.",)
    (first,) = quotes(cut)
    assert first.lines == ("the database that we chose, Postgres. It is old.",)
