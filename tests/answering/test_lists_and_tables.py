"""What is quoted of longer lists and tables, and the signs where something of them is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.answering.extractive import ExtractiveWriter
from shared.answering.missing_subject import MissingSubject
from shared.answering.windows import MAX_PIECES
from shared.model.questions import Question
from shared.model.retrieval import Scored
from shared.retrieval.analysis import analyse
from tests.answering.samples import NOW, asked_of, passage, question, quotes, retrieved


def test_matching_rows_of_a_long_table_are_quoted_below_its_head() -> None:
    rows = [f"| Service number {number} | Team {number % 9} |" for number in range(60)]
    rows[7] = "| Login | Priya |"
    rows[41] = "| Billing | Priya |"
    text = "\n".join(["| Service | Team |", "|---|---|", *rows])
    (quote,) = quotes(passage(text), text="Which services does Priya have?")
    assert {"| Login | Priya |", "| Billing | Priya |", "| … |"} <= set(quote.lines)
    assert quote.lines[:2] == ("| Service | Team |", "|---|---|")
    assert quote.text == text[quote.start : quote.end]


def test_rows_of_a_long_table_stand_below_its_head_also_behind_a_line_that_leads_to_it() -> None:
    rows = [f"| Service number {number} | Team {number % 9} |" for number in range(60)]
    rows[41] = "| Billing | Priya |"
    text = "\n".join(["All of them:", "", "| Service | Team |", "|---|---|", *rows])
    (quote,) = quotes(passage(text), text="Which services does Priya have?")
    assert quote.lines[:4] == ("All of them:", "", "| Service | Team |", "|---|---|")
    assert "| Billing | Priya |" in quote.lines


def test_the_lead_and_matching_items_of_a_long_list_are_quoted() -> None:
    items = [f"- item number {number} of the long list" for number in range(60)]
    items[7] = "- Priya takes the tent"
    items[41] = "- Priya takes the lamp"
    text = "\n".join(["Who takes what:", "", *items])
    (quote,) = quotes(passage(text), text="What does Priya take?")
    assert {items[7], items[41], "…"} <= set(quote.lines)
    assert quote.lines[0] == "Who takes what:"
    assert quote.text == text[quote.start : quote.end]


@pytest.mark.parametrize("cut", ["", "and broken off | in its midst |\n"])
def test_a_row_of_a_table_that_began_in_another_chunk_stands_below_its_head(cut: str) -> None:
    row = "| Database | Firestore |"
    cut_passage = passage(f"{cut}{row}\n| Lunch | Soup |")
    rows = replace(
        cut_passage,
        chunk=replace(cut_passage.chunk, properties=("rating: 4", "columns: | Thing | Choice |")),
    )
    (quote,) = quotes(rows, text="Which thing is the database?")
    assert quote.lines[:4] == ("| Thing | Choice |", "|---|---|", "| … |", row)
    assert quote.text == rows.chunk.text[quote.start : quote.end]
    assert quote.text.startswith(row)


def test_below_what_is_missing_a_table_shows_the_rows_that_name_it() -> None:
    rows = [f"| Tool {row} | Team {row % 9} |" for row in range(40)]
    rows[7] = "| Billing | Priya |"
    rows[20] = "| Ledger | Priya |"
    table = passage("\n".join(["| Service | Team |", "|---|---|", *rows]), note_id="p")
    retrieval = asked_of(table, text="Priya's phone number")
    missing = MissingSubject("Priya's phone number", frozenset({"p"}))
    _, piece = ExtractiveWriter().pieces(question("Priya's phone number"), retrieval, missing)
    assert piece.text.strip().split("\n")[2:-2] == [
        *("> | Service | Team |", "> |---|---|"),
        *("> | … |", "> | Billing | Priya |", "> | … |", "> | Ledger | Priya |", "> | … |"),
    ]


def cut_table(*, columns: str = "| Service | Team |") -> list[Scored]:
    """Returns three passages of one table; `columns` is the first line of its head."""
    chunks = []
    for position in range(3):
        rows = [f"| Service number {position}{row} | Team {row % 9} |" for row in range(40)]
        rows[7] = f"| Billing {position} | Priya |"
        head = ["All services of ours:", "", columns, "|:--|--:|"] if position == 0 else []
        excerpt = passage("\n".join([*head, *rows]), note_id="a", start=2000 * position)
        chunk = replace(excerpt.chunk, chunk_id=f"a_{position:03}", position=position)
        if position > 0:
            chunk = replace(chunk, properties=(f"columns: {columns}",))
        chunks.append(replace(excerpt, chunk=chunk, score=0.8 - position / 100))
    return chunks


def test_rows_of_a_table_that_was_cut_are_one_quote_below_one_head() -> None:
    first, second, third = cut_table()
    retrieval = asked_of(third, first, second, text="Which services does Priya have?")
    single_quote = replace(question("Which services does Priya have?"), quotes=1)
    opening, piece = ExtractiveWriter().pieces(single_quote, retrieval)
    assert piece.text.strip().split("\n") == [
        *("> **meeting**", ">", "> All services of ours:", ">"),
        *("> | Service | Team |", "> |:--|--:|"),
        *("> | … |", "> | Billing 0 | Priya |", "> | … |", "> | Billing 1 | Priya |"),
        *("> | … |", "> | Billing 2 | Priya |", "> | … |", ">", "> [N1] [N2] [N3]"),
    ]
    assert [citation.passage for citation in piece.cited] == [first, second, third]
    assert piece.claim is not None
    assert piece.claim.end - piece.claim.start == len(piece.text.strip())
    assert piece.claim.end == len(opening.text + piece.text)
    plain = ExtractiveWriter().pieces(replace(single_quote, include_citations=False), retrieval)[1]
    assert f"{plain.text}\n>\n> [N1] [N2] [N3]" == piece.text


def test_tables_of_two_sections_are_two_quotes() -> None:
    first, second, _ = cut_table()
    elsewhere = replace(second, chunk=replace(second.chunk, heading_path="# Old"))
    _, *pieces = ExtractiveWriter().pieces(
        question(), asked_of(first, elsewhere, text="Which services does Priya have?")
    )
    assert [len(piece.cited) for piece in pieces] == [1, 1]


def test_items_of_a_list_that_was_cut_are_one_quote_with_what_is_left_out() -> None:
    items = [f"- item number {number} of the long list" for number in range(40)]
    items[3] = "- Priya takes the tent"
    items[33] = "- Priya takes the lamp"
    begins = passage("\n".join(["Who takes what:", "", *items[:20]]), note_id="a")
    rest_of_list = passage("\n".join(items[20:]), note_id="a", start=900)
    goes_on = replace(rest_of_list, chunk=replace(rest_of_list.chunk, chunk_id="a_001", position=1))
    retrieval = asked_of(goes_on, begins, text="What does Priya take?")
    _, piece = ExtractiveWriter().pieces(replace(question(), quotes=1), retrieval)
    _, _, _, *lines = piece.text.strip().split("\n>")
    assert [line.strip() for line in lines if line.strip()] == [
        *("…", items[3]),
        *("…", items[33]),
        "… [N1] [N2]",
    ]
    assert [citation.passage for citation in piece.cited] == [begins, goes_on]
    new_list = replace(goes_on, chunk=replace(goes_on.chunk, text=f"And:\n\n{goes_on.chunk.text}"))
    _, *apart = ExtractiveWriter().pieces(
        question(), asked_of(begins, new_list, text="What does Priya take?")
    )
    assert len(apart) == 2


def test_a_line_that_leads_to_a_table_or_list_is_not_quoted_alone() -> None:
    first, _, _ = cut_table()
    (quote, *_) = quotes(first, text="All of our services")
    assert quote.lines[:2] == ("All services of ours:", "")
    assert len(quote.lines) > 10


def long_list(lead: str = "Who brings what:") -> str:
    """Returns a list of forty items below a line that leads to it."""
    items = [f"- Guest {number} brings dish {number}" for number in range(40)]
    items[11] = "- Kim brings blankets"
    return "\n".join([lead, "", *items])


def test_of_a_longer_list_the_item_that_matches_stands_alone_between_what_is_left_out() -> None:
    (quote,) = quotes(passage(long_list()), text="What does Kim bring?")
    assert quote.lines == (
        *("Who brings what:", "", "…", ""),
        *("- Kim brings blankets", "", "…"),
    )


def test_a_long_item_that_matches_is_quoted_with_the_rest_of_it() -> None:
    goes_on = f"{'It is a long story of blankets. ' * 12}Keep them dry."
    text = long_list().replace("- Kim brings blankets", f"- Kim brings blankets. {goes_on}")
    (quote,) = quotes(passage(text), text="What does Kim bring?")
    assert quote.lines[4].startswith("- Kim brings blankets. It is a long story")
    assert not any("Guest" in line for line in quote.lines)


def test_a_list_that_is_asked_for_as_a_whole_is_quoted_from_its_beginning() -> None:
    (quote,) = quotes(passage(long_list()), text="Who brings what?")
    assert quote.lines[:3] == ("Who brings what:", "", "- Guest 0 brings dish 0")
    assert quote.lines[-1] == "…"
    assert len(quote.lines) > 20


def test_of_a_list_whose_items_no_word_tells_apart_those_around_the_nearest_are_quoted() -> None:
    nearest = passage(long_list(lead="All of us:"))
    (quote,) = quotes(nearest, text="Does somebody bring something that one can drink?")
    items = [line for line in quote.lines if line.startswith("- ")]
    assert len(items) == MAX_PIECES


def test_rows_of_which_none_holds_what_another_does_are_all_quoted() -> None:
    rows = [
        f"| {number} | Holder of it | half | {'yes' if number % 2 else 'no'} |"
        for number in range(40)
    ]
    table = "\n".join(["| Plot | Holder | Size | Paid |", "|---|---|---|---|", *rows])
    (quote,) = quotes(passage(table), text="Who had plot 12, 17 and 34?")
    assert [line for line in quote.lines[2:] if line != "| … |"] == [rows[12], rows[17], rows[34]]


def test_a_list_that_goes_on_in_the_next_passage_has_a_sign_at_its_end() -> None:
    begins = passage("Who comes:\n\n- Ada\n- Ben", note_id="a")
    rest_of_list = passage("- Cleo\n- Dan", note_id="a", start=900)
    chunk = replace(rest_of_list.chunk, chunk_id="a_001", position=1)
    goes_on = replace(rest_of_list, chunk=chunk)
    retrieval = asked_of(begins, goes_on, text="Who comes?")
    first, *_ = ExtractiveWriter().quotes(question("Who comes?"), retrieval)
    assert first.lines == ("Who comes:", "", "- Ada", "- Ben", "", "…")
    assert first.end == begins.chunk.end


def test_a_passage_that_repeats_the_last_items_of_the_one_before_shows_them_once() -> None:
    text = "Who brings what:\n\n- Ada brings pie\n- Ben brings tea\n- Cleo brings jam\n- Dan brings oil"
    cut = text.index("\n- Cleo")
    repeated = text.index("- Ben")
    begins = passage(text[:cut], note_id="a")
    rest_of_list = passage(text[repeated:], note_id="a", start=repeated)
    chunk = replace(rest_of_list.chunk, chunk_id="a_001", position=1)
    retrieval = asked_of(begins, replace(rest_of_list, chunk=chunk), text="Who brings what?")
    _, piece = ExtractiveWriter().pieces(question("Who brings what?"), retrieval)
    assert piece.text.count("Ben brings tea") == 1
    assert "Dan brings oil" in piece.text
    first, second = piece.cited
    assert second.quote == "- Cleo brings jam\n- Dan brings oil"
    assert first.quote_end <= second.quote_start


def test_a_list_below_a_heading_of_its_own_is_whole() -> None:
    seeds = passage("- peas\n- beans", note_id="a", heading_path="# Seeds for spring")
    tools = passage("- rake\n- cans", note_id="a", heading_path="# Tools to mend", start=100)
    below = replace(tools, chunk=replace(tools.chunk, chunk_id="a_001", position=1))
    (quote, *_) = ExtractiveWriter().quotes(
        question("Which peas?"), asked_of(seeds, below, text="Which peas?")
    )
    assert quote.lines == ("- peas", "- beans")
    (quote, *_) = ExtractiveWriter().quotes(
        question("Which rake?"), asked_of(below, seeds, text="Which rake?")
    )
    assert quote.lines == ("- rake", "- cans")


def nested_list() -> str:
    """Returns a list of shelves with what lies on each."""
    shelves = []
    for name in "ABCDEFGH":
        things = "\n".join([f"    - thing {name}{number} of many" for number in range(4)])
        shelves.append(f"- Shelf {name}\n{things}")
    return "\n".join(shelves)


def test_an_item_that_matches_brings_the_items_below_it_and_above_it() -> None:
    (quote,) = quotes(passage(nested_list()), text="What is on Shelf C?")
    assert quote.lines == (
        *("…", "", "- Shelf C"),
        *[f"    - thing C{number} of many" for number in range(4)],
        *("", "…"),
    )
    (quote,) = quotes(passage(nested_list()), text="Where is thing E2?")
    assert quote.lines == (
        *("…", "", "- Shelf E", "", "    …", ""),
        *("    - thing E2 of many", "", "…"),
    )


def test_the_number_of_an_item_is_a_word_of_it() -> None:
    rules = "\n".join([f"{number}. Rule that says so much in words" for number in range(1, 30)])
    (quote,) = quotes(passage(rules), text="What is rule 14?")
    assert quote.lines == ("…", "", "14. Rule that says so much in words", "", "…")


def test_two_tables_with_the_same_columns_are_two_quotes() -> None:
    rows = [f"| {day} April | Team number {day} | Petrov |" for day in range(1, 30)]
    rows[4] = "| 5 April | Team number 5 | Dario |"
    head = ["| Date | Opponent | Player |", "|---|---|---|"]
    home = ["Home:", "", *head, *rows]
    rows[4], rows[7] = "| 5 April | Nobody | Petrov |", "| 8 April | Team number 8 | Dario |"
    text = "\n".join([*home, "", "Away:", "", *head, *rows])
    first, second = quotes(passage(text), text="When was Dario the player?")
    assert {first.lines[0], second.lines[0]} == {"Home:", "Away:"}
    assert not first.continues
    assert not second.continues


def test_rows_that_touch_have_no_sign_between_them() -> None:
    rows = [f"| Service number {row} | Team {row % 9} |" for row in range(40)]
    rows[20] = "| Ledger | Priya |"
    rows[21] = "| Billing | Priya |"
    head = ["| Service | Team |", "|---|---|"]
    first = passage("\n".join([*head, *rows[:21]]), note_id="a")
    rest = passage("\n".join(rows[21:]), note_id="a", start=first.chunk.end + 1)
    chunk = replace(
        rest.chunk, chunk_id="a_001", position=1, properties=("columns: | Service | Team |",)
    )
    retrieval = asked_of(first, replace(rest, chunk=chunk), text="What does Priya have?")
    _, piece = ExtractiveWriter().pieces(question("What does Priya have?"), retrieval)
    lines = [line.removeprefix("> ") for line in piece.text.strip().split("\n")]
    begin = lines.index(rows[20])
    assert lines[begin + 1] == rows[21]
    assert lines[begin + 2] == "| … |"


def test_no_item_is_quoted_twice() -> None:
    items = [f"- bird {number} seen by Ingrid" for number in range(40)]
    for number in (3, 9, 15, 30, 36):
        items[number] = f"- bird {number} seen by Tomasz"
    found = quotes(passage("\n".join(items)), text="Which bird did Tomasz see?")
    shown = [line for quote in found for line in quote.lines if line.startswith("-")]
    assert shown == [items[number] for number in (3, 9, 15, 30, 36)]


def test_a_list_beside_one_in_a_quotation_is_quoted_without_it() -> None:
    items = "\n".join([f"- guest {number} brings a dish of some kind" for number in range(30)])
    marked = "\n".join([f"> - helper {number} brings a bowl of some kind" for number in range(30)])
    found = quotes(passage(f"{items}\n\n{marked}"), text="Which database do we bring?")
    assert found
    assert all(quote.lines for quote in found)


RULES = "\n".join([f"{number}. Nobody does thing {number} at night." for number in range(1, 50)])


@pytest.mark.parametrize(
    ("title", "heading_path", "text"),
    [
        ("House rules", "", "What are the house rules?"),
        ("Flat", "# Flat > ## House rules", "house rules"),
        ("Normas de la comunidad", "", "normas comunidad"),
        ("Hausordnung", "# Keller", "Hausordnung Keller"),
    ],
)
def test_a_list_that_is_asked_for_by_its_titles_is_quoted_from_its_beginning(
    title: str, heading_path: str, text: str
) -> None:
    found = passage(RULES, title=title, heading_path=heading_path)
    (quote,) = quotes(found, text=text)
    first, *items, _, sign = quote.lines
    assert first == "1. Nobody does thing 1 at night."
    assert len(items) > 15
    assert sign == "…"
    assert items == [
        f"{number}. Nobody does thing {number} at night." for number in range(2, len(items) + 2)
    ]


def test_of_a_list_below_such_a_title_the_item_that_the_question_names_is_quoted_alone() -> None:
    rules = RULES.replace("thing 31 at night", "any drumming")
    (quote,) = quotes(passage(rules, title="House rules"), text="House rules about drumming?")
    assert [line for line in quote.lines if line not in ("", "…")] == [
        "31. Nobody does any drumming."
    ]


def test_a_list_that_was_cut_and_is_asked_for_by_its_title_is_one_quote() -> None:
    items = RULES.split("\n")
    begins = passage("\n".join(items[:25]), note_id="a", title="House rules")
    rest = passage(
        "\n".join(items[25:]), note_id="a", title="House rules", start=begins.chunk.end + 1
    )
    goes_on = replace(rest, chunk=replace(rest.chunk, chunk_id="a_001", position=1))
    (quote,) = quotes(goes_on, begins, text="What are the house rules?")
    assert quote.lines[0] == items[0]
    assert quote.lines[-1] == "…"


def at_a_time(found: Scored, text: str) -> list[str]:
    """Returns the rows and items that are quoted for a question that names a time."""
    asked = Question("t", text, NOW)
    retrieval = retrieved(found)
    analysis = analyse(asked)
    assert analysis.time is not None
    weights = dict.fromkeys(analysis.stems, 1.0)
    retrieval = replace(retrieval, analysis=analysis, weights=weights)
    found_quotes = ExtractiveWriter().quotes(asked, retrieval)
    lines = [line for quote in found_quotes for line in quote.lines]
    return [line for line in lines if line.startswith(("| tool", "- tool")) and "…" not in line]


DATES = ["2012-05-01", "2015-03-02", "2015-11-20", "12 Dec 1987", "3 March 2018", "2021-12-24"]


@pytest.mark.parametrize("pattern", ["| tool {name} | {date} |", "- tool {name}, bought {date}"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was bought in 2015?", [1, 2]),
        ("Which tools were bought in March 2015?", [1]),
        ("Which tool was bought in December?", [3, 5]),
        ("Which tools were bought since 2018?", [4, 5]),
        ("Was wurde im Jahr 2015 gekauft (bought)?", [1, 2]),
        ("¿Qué se compró (bought) en diciembre?", [3, 5]),
    ],
)
def test_the_rows_and_items_of_the_time_that_the_question_names_are_quoted(
    pattern: str, text: str, expected: list[int]
) -> None:
    dates = DATES + ["1 June 1999"] * 40
    lines = [pattern.format(name=name, date=date) for name, date in enumerate(dates)]
    head = ["| Tool | Bought |", "|---|---|"] if pattern.startswith("|") else []
    found = passage("\n".join([*head, *lines]))
    assert at_a_time(found, text) == [lines[place] for place in expected]


def test_a_year_alone_is_a_time_of_a_row() -> None:
    rows = [f"| tool {number} | {2001 + number % 25} |" for number in range(60)]
    table = "\n".join(["| Tool | Bought |", "|---|---|", *rows])
    assert at_a_time(passage(table), "What was bought in 2019?") == [rows[18], rows[43]]


def test_a_month_of_any_year_counts_only_if_no_row_is_of_the_one_that_is_meant() -> None:
    rows = [
        f"| tool {number} | {2019 + number // 12}-{number % 12 + 1:02}-05 |" for number in range(91)
    ]
    table = "\n".join(["| Tool | Bought |", "|---|---|", *rows])
    assert at_a_time(passage(table), "What was bought in March?") == [rows[86]]


def test_an_item_is_quoted_with_its_paragraphs() -> None:
    items = [
        f"{number}. **Herb {number}**\n\n   It likes plot {number} and was planted in spring."
        for number in range(1, 40)
    ]
    text = "\n\n".join(["What I learned:", *items])
    (quote,) = quotes(passage(text), text="Which herb likes plot 12?")
    assert quote.lines == (
        *("What I learned:", "", "…", "", "12. **Herb 12**", ""),
        *("   It likes plot 12 and was planted in spring.", "", "…"),
    )


@pytest.mark.parametrize("text", ["List all house rules", "What do the house rules speak of?"])
def test_a_list_of_whose_items_the_question_holds_nothing_is_quoted_from_its_beginning(
    text: str,
) -> None:
    found = passage(RULES, title="House rules")
    (quote,) = quotes(found, text=text)
    assert quote.lines[0] == "1. Nobody does thing 1 at night."
    assert len(quote.lines) > 15


def test_an_item_with_a_word_of_the_title_that_is_asked_for_is_not_told_apart() -> None:
    rules = RULES.replace("thing 31 at night", "thing against a house rule")
    (quote,) = quotes(passage(rules, title="House rules"), text="What are the house rules?")
    assert quote.lines[0] == "1. Nobody does thing 1 at night."
    (quote,) = quotes(passage(rules, title="Rules of our house and garden"), text="house rules")
    assert quote.lines[2] == "31. Nobody does thing against a house rule."


def test_words_that_the_passage_lacks_do_not_hide_which_rows_are_meant() -> None:
    rows = [f"| host{number} | {('Ada', 'Bo', 'Cem')[number % 3]} |" for number in range(60)]
    table = "\n".join(["| Host | Keeper |", "|---|---|", *rows])
    found = quotes(
        passage(table, title="Servers"), text="Which ones does Ada currently usually look after?"
    )
    lines = [line for quote in found for line in quote.lines[2:] if "…" not in line]
    assert lines
    assert all("Ada" in line for line in lines)


def test_what_passages_of_a_list_repeat_is_quoted_once_whichever_is_the_best() -> None:
    items = [f"- Ada brings dish {number} for the feast, as she did" for number in range(30)]
    text = "\n".join(items)
    passages: list[Scored] = []
    for position, (begin, end) in enumerate([(0, 11), (10, 21), (20, 30)]):
        start = text.index(items[begin])
        part = passage("\n".join(items[begin:end]), note_id="a", start=start)
        chunk = replace(part.chunk, chunk_id=f"a_{position:03}", position=position)
        passages.append(replace(part, chunk=chunk))
    for ranked in (passages, passages[::-1], [passages[1], passages[0], passages[2]]):
        found = quotes(*ranked, text="Which dish will Ada carry to Berlin in a basket?")
        assert [line for quote in found for line in quote.lines if "dish" in line] == items


def test_rows_of_another_time_do_not_match_beside_those_of_the_one_that_is_asked_for() -> None:
    rows = [f"| tool {number} | Kim | 2019-0{number % 9 + 1}-03 |" for number in range(60)]
    rows[7] = "| tool 7 | Bo | 2015-03-02 |"
    table = "\n".join(["| Tool | Buyer | Day |", "|---|---|---|", *rows])
    assert at_a_time(passage(table), "Which tool did Kim or Bo buy in 2015?") == [rows[7]]


@pytest.mark.parametrize(
    ("item", "earlier_item"),
    [
        ("- Kim brings a lamp", "- Kim brings a tent"),
        ("32. Kim bringt eine Lampe", "1. Kim bringt ein Zelt"),
    ],
)
def test_an_item_that_two_passages_hold_is_quoted_once_though_the_second_ranks_first(
    item: str, earlier_item: str
) -> None:
    others = [f"- guest {number} brings a dish" for number in range(40)]
    begin = "\n".join([earlier_item, *others[:30]])
    text = "\n".join([begin, item, *others[30:]])
    start = len(begin) + 1
    first = passage(text[: start + len(item)])
    rest = passage(text[start:], start=start)
    second = replace(rest, chunk=replace(rest.chunk, chunk_id="abc_001", position=1), score=0.9)
    found = quotes(second, first, text="What of Kim?")
    lines = [line for quote in found for line in quote.lines]
    assert lines.count(item) == 1
    assert earlier_item in lines
