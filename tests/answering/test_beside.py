"""Lists and tables that go on in a passage which the search did not find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from shared.answering.beside import MAX_READ
from shared.answering.extractive import ExtractiveWriter
from shared.errors import StoreUnavailable
from shared.model.answers import Quote
from shared.model.index import IndexedChunk, chunk_id_of
from shared.model.retrieval import Scored
from tests.answering.samples import asked_of, passage, question

TEXT = "Which database did we choose?"


@dataclass
class Index:
    """An index of some passages. `asked`: ids of the chunks that were read."""

    passages: Sequence[Scored]
    fails: bool = False
    asked: list[str] = field(default_factory=list)

    def read_chunks(
        self, tenant_id: str, chunk_ids: Sequence[str], *, stems: Sequence[str]
    ) -> Sequence[IndexedChunk]:
        assert tenant_id == question().tenant_id
        assert stems
        self.asked += chunk_ids
        if self.fails:
            raise StoreUnavailable("the index is away")
        chunks = {each.chunk.chunk_id: each.chunk for each in self.passages}
        return [chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in chunks]


UNSEEN = f" <!-- {'what makes a passage as long as those of a section that is cut ' * 7}-->"


def cut(*texts: str, note_id: str = "a", columns: str = "") -> list[Scored]:
    """Returns the passages of one note; `columns`: the head of a table in which all but the first begin."""
    passages: list[Scored] = []
    start = 0
    for position, text in enumerate(texts):
        line, *lines = text.split("\n")
        begin = line.removesuffix("|") + UNSEEN + line[len(line.removesuffix("|")) :]
        part = passage("\n".join([begin, *lines]), note_id=note_id, start=start)
        properties = (f"columns: {columns}",) if columns and position else ()
        chunk = replace(
            part.chunk,
            chunk_id=chunk_id_of(note_id, position),
            position=position,
            properties=properties,
        )
        passages.append(replace(part, chunk=chunk))
        start = part.chunk.end + 1
    return passages


def quotes_of(*found: Scored, index: Index, text: str = TEXT) -> tuple[Quote, ...]:
    writer = ExtractiveWriter(reader=index)
    return writer.quotes(question(text), asked_of(*found, text=text))


LISTS = {
    "bulleted": ("We chose:\n\n- a database\n- a queue", "- a cache\n- a disk"),
    "starred": ("* a database\n* a queue", "* a cache\n* a disk"),
    "numbered": ("1. a database\n2. a queue", "3. a cache\n4. a disk"),
    "loose": ("1. a database\n\n2. a queue", "3. a cache\n\n4. a disk"),
    "nested": ("- choice\n    - database\n    - queue", "- disk\n    - large\n- tape"),
    "checked": ("- [x] a database\n- [ ] a queue", "- [ ] a cache\n- [x] a disk"),
    "with a long item": ("- a database\n- a queue that\n  is long", "- a cache\n- a disk"),
}


@pytest.mark.parametrize("shape", LISTS)
def test_a_list_that_goes_on_in_a_passage_that_was_not_found_ends_with_a_sign(shape: str) -> None:
    begins, goes_on = cut(*LISTS[shape])
    (quote, *_) = quotes_of(begins, index=Index([begins, goes_on]))
    assert quote.lines[-2:] == ("", "…")
    (whole,) = quotes_of(begins, index=Index([begins]))
    assert "…" not in whole.lines
    assert quote.lines[:-2] == whole.lines[: len(quote.lines) - 2]


@pytest.mark.parametrize("shape", LISTS)
def test_a_list_that_began_in_a_passage_that_was_not_found_begins_with_a_sign(shape: str) -> None:
    begins, goes_on = cut(*LISTS[shape])
    text = "What of the disk?"
    (quote, *_) = quotes_of(goes_on, index=Index([begins, goes_on]), text=text)
    assert quote.lines[:2] == ("…", "")
    other = replace(begins, chunk=replace(begins.chunk, heading_path="# Elsewhere"))
    (whole,) = quotes_of(goes_on, index=Index([other, goes_on]), text=text)
    assert "…" not in whole.lines


def test_a_list_that_is_cut_within_an_item_goes_on() -> None:
    items = [
        f"{number}. Herb {number} is planted.\n\n   Herb {number} stands in bed {number}; it was cut in the summer."
        for number in range(1, 31)
    ]
    text = "\n\n".join(items)
    end_of_first = text.index("\n\n16.")
    start_of_second = text.index("Herb 15 stands")
    first = passage(text[:end_of_first])
    rest = passage(text[start_of_second:], start=start_of_second)
    second = replace(rest, chunk=replace(rest.chunk, chunk_id="abc_001", position=1))
    index = Index([first, second])
    (quote,) = quotes_of(first, index=index, text="Where does herb 15 stand?")
    assert quote.lines == (
        *("…", "", "15. Herb 15 is planted.", ""),
        *("   Herb 15 stands in bed 15; it was cut in the summer.", "", "…"),
    )
    (quote,) = quotes_of(second, index=index, text="Where does herb 22 stand?")
    assert quote.lines == (
        *("…", "", "22. Herb 22 is planted.", ""),
        *("   Herb 22 stands in bed 22; it was cut in the summer.", "", "…"),
    )


def test_a_passage_between_two_found_ones_may_go_on_in_either() -> None:
    first, between, last = cut(
        "- a queue\n- a cache", "Of the disks:\n\n- old\n- large", "- new\n- database"
    )
    quotes = quotes_of(first, last, index=Index([first, between, last]))
    (quote,) = [quote for quote in quotes if quote.passage.chunk.position == 2]
    assert quote.lines[:2] == ("…", "")


def test_a_table_that_goes_on_ends_with_a_sign() -> None:
    head = "| Thing | Choice |"
    begins, goes_on = cut(
        f"{head}\n|---|---|\n| database | Postgres |", "| disk | none |", columns=head
    )
    (quote,) = quotes_of(begins, index=Index([begins, goes_on]))
    assert quote.lines[-1] == "| … |"
    (whole,) = quotes_of(begins, index=Index([begins]))
    assert whole.lines[-1] == "| database | Postgres |"


@pytest.mark.parametrize(
    "begins",
    [
        "We chose a database. It is old.",
        "- a database\n- a queue\n\nThat is all.",
        "```\n- a database\n```",
        "# Database\n\nWe chose one.",
    ],
)
def test_nothing_is_read_beside_a_passage_that_does_not_end_in_a_list(begins: str) -> None:
    index = Index(cut(begins, "- a cache"))
    quotes_of(index.passages[0], index=index)
    assert index.asked == []


def test_matching_items_beside_a_found_passage_are_quoted_with_its_own() -> None:
    items = [f"- guest {number} brings a dish of some kind" for number in range(60)]
    items[5] = "- Kim brings blankets"
    items[33] = "- Kim brings a lamp"
    items[52] = "- Kim brings a tent"
    texts = [
        "\n".join(["Who brings what:", "", *items[:20]]),
        *map("\n".join, [items[20:40], items[40:]]),
    ]
    first, *others = cut(*texts)
    (quote, second, third) = quotes_of(
        first, index=Index([first, *others]), text="What does Kim bring?"
    )
    assert [quote.continues, second.continues, third.continues] == [False, True, True]
    assert second.text == items[33]
    assert third.text == items[52]


def test_what_was_not_found_is_quoted_with_a_found_list_alone() -> None:
    begins, goes_on = cut("- a queue\n- a cache", "- a database\n- a database we choose")
    elsewhere = passage("We talked of a database.", note_id="b")
    found = quotes_of(elsewhere, begins, index=Index([begins, goes_on]))
    assert goes_on.chunk.chunk_id not in {quote.passage.chunk.chunk_id for quote in found}


def test_a_passage_of_another_revision_is_not_looked_at() -> None:
    begins, goes_on = cut("- a database", "- a cache")
    newer = replace(goes_on, chunk=replace(goes_on.chunk, note_revision="r2"))
    (quote,) = quotes_of(begins, index=Index([begins, newer]))
    assert quote.lines == ("- a database",)


def test_an_index_that_is_away_leaves_what_was_found() -> None:
    begins, goes_on = cut("- a database", "- a cache")
    (quote,) = quotes_of(begins, index=Index([begins, goes_on], fails=True))
    assert quote.lines == ("- a database",)


def test_few_chunks_are_read_and_none_twice() -> None:
    notes = [
        cut("- a database", "- a cache", "- a disk", note_id=f"n{number}") for number in range(20)
    ]
    index = Index([each for note in notes for each in note])
    quotes_of(*[note[0] for note in notes], index=index)
    assert len(index.asked) == len(set(index.asked)) == MAX_READ
    few = Index(notes[0])
    quotes_of(notes[0][0], index=few)
    assert few.asked == ["n0_001", "n0_002"]
