"""A chunk carries into the index everything a search needs of its note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.indexing.chunking import chunk
from shared.indexing.diff import wanted_note
from shared.language.terms import stems
from shared.markdown.file import MAX_PROPERTIES
from shared.model.index import Chunk, IndexedChunk
from shared.model.notes import Note
from tests.indexing.world import note

TEXT = "# Meetings\n\nWe met 🙂 at noon.\n\n## Standup\n\nNothing new."
NOTE = note(
    TEXT,
    title="Project-X",
    created_at=datetime(2023, 5, 8, 9, tzinfo=UTC),
    vault="work",
    path="a/b/meeting.md",
    tags=("red",),
)
FIRST = Chunk(0, "# Meetings", TEXT[12:30], 12, 30)
SECOND = Chunk(1, "# Meetings > ## Standup", TEXT[43:], 43, len(TEXT))


def wanted_chunks(note: Note, chunks: Sequence[Chunk]) -> tuple[IndexedChunk, ...]:
    wanted_chunks = wanted_note(
        note,
        chunks,
        lang="en",
        revision="r1",
        index_version="c:m:4",
    )
    return tuple(map(wanted_chunks.indexed, wanted_chunks.chunks))


def wanted(*chunks: Chunk) -> tuple[IndexedChunk, ...]:
    return wanted_chunks(NOTE, chunks)


def embedded_texts(*chunks: Chunk, note: Note = NOTE) -> dict[str, tuple[str, ...]]:
    wanted_chunks = wanted_note(
        note,
        chunks,
        lang="en",
        revision="r1",
        index_version="c:m:4",
    )
    return wanted_chunks.embedded_texts(wanted_chunks.chunks)


def test_the_embedded_text_is_headed_by_title_headings_and_the_date_in_words() -> None:
    assert embedded_texts(FIRST, SECOND) == {
        f"Project-X\n# Meetings\n8 May 2023\n\n{FIRST.text}": ("n1_000",),
        "Project-X\n# Meetings > ## Standup\n8 May 2023\n\nNothing new.": ("n1_001",),
    }


def test_chunks_of_equal_text_share_one_embedded_text() -> None:
    repeated = Chunk(2, FIRST.heading_path, FIRST.text, FIRST.start, FIRST.end)
    first, second, third = wanted(FIRST, SECOND, repeated)
    assert first.text_hash == third.text_hash != second.text_hash
    assert list(embedded_texts(FIRST, SECOND, repeated).values()) == [
        ("n1_000", "n1_002"),
        ("n1_001",),
    ]


def test_the_first_chunk_is_found_by_the_words_of_the_notes_tags() -> None:
    tagged = replace(NOTE, tags=("reading-list", "novels"))
    first, second = wanted_chunks(tagged, (FIRST, SECOND))
    assert {"read", "list", "novel"} <= first.terms.keys()
    assert "novel" not in second.terms
    assert first.length == wanted(FIRST)[0].length


def test_the_first_chunk_is_found_by_the_words_of_the_notes_file_name() -> None:
    titled = replace(NOTE, title="Grade 3", path="music/clarinet-exam.md")
    first, second = wanted_chunks(titled, (FIRST, SECOND))
    assert {"clarinet", "exam"} <= first.terms.keys()
    assert "md" not in first.terms
    assert "music" not in first.terms
    assert "clarinet" not in second.terms
    assert first.length == wanted_chunks(replace(titled, path=""), (FIRST, SECOND))[0].length


def test_terms_count_the_stems_of_header_and_slice() -> None:
    (only,) = wanted(SECOND)
    (text,) = embedded_texts(SECOND)
    assert only.terms == Counter(stems(text, "en"))
    assert only.length == sum(only.terms.values())
    assert {"project-x", "standup", "may", "2023", "new"} & set(only.terms) >= {
        "project-x",
        "standup",
        "2023",
    }


def test_offsets_are_the_chunks_and_also_in_utf16_units() -> None:
    _, second = wanted(FIRST, SECOND)
    assert second.text == SECOND.text
    assert second.start == SECOND.start
    assert second.end == SECOND.end
    assert second.utf16_start == SECOND.start + 1


def test_the_notes_vault_folders_and_tags_are_scopes_of_each_chunk() -> None:
    first, second = wanted(FIRST, SECOND)
    assert first.scopes == second.scopes == ("f:work/a", "f:work/a/b", "t:red", "v:work")
    assert first.folder == "a/b"
    assert first.tags == ("red",)
    assert first.created_at == NOTE.created_at


def test_positions_have_at_least_three_digits() -> None:
    far_chunks = [Chunk(position, "", "x", 0, 1) for position in (7, 999, 1000)]
    assert [wanted_chunk.chunk_id for wanted_chunk in wanted(*far_chunks)] == [
        "n1_007",
        "n1_999",
        "n1_1000",
    ]


def test_each_chunk_holds_the_properties_and_is_found_by_their_words() -> None:
    front = "aliases: [Dinghy]\ntags: [x]\nrating: 4\nattendees: [Ana, Bo]\nurl: https://e.org/x\nold: [/a/b]\nsub: {a: 1}"
    with_front = replace(NOTE, text=f"---\n{front}\n---\n{TEXT}")
    chunks = wanted_chunks(with_front, (FIRST, SECOND))
    properties = ("alias: Dinghy", "rating: 4", "attendees: Ana, Bo")
    assert [chunk.properties for chunk in chunks] == [properties, properties]
    head = "Project-X\nDinghy\n# Meetings\n8 May 2023\n\n"
    assert next(iter(embedded_texts(FIRST, SECOND, note=with_front))).startswith(head)
    assert {"dinghi", "ana", "rate"} <= set(chunks[1].terms)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "> "])
def test_a_chunk_that_begins_inside_a_table_holds_the_names_of_its_columns(
    newline: str, mark: str
) -> None:
    def table(head: str) -> list[str]:
        return [
            f"{mark}{line}"
            for line in (head, "|---|---|", *(f"| room {n} | desk {n} |" for n in range(150)))
        ]

    text = newline.join(
        [
            "Before.",
            "",
            *table("| Room | Furniture |"),
            "",
            "Between.",
            "",
            *table("| Other | Thing |"),
        ]
    )
    chunks = wanted_chunks(note(text), chunk(text))
    assert {wanted_chunk.properties for wanted_chunk in chunks} == {
        (),
        ("columns: | Room | Furniture |",),
        ("columns: | Other | Thing |",),
    }
    for wanted_chunk in chunks:
        begins_inside = wanted_chunk.text.lstrip("> ").startswith("| room")
        assert bool(wanted_chunk.properties) == begins_inside
        assert ({"furnitur", "thing"} & set(wanted_chunk.terms) != set()) or not begins_inside


def test_properties_are_bounded() -> None:
    with_long_front = replace(
        NOTE,
        text="---\n" + "\n".join(f"key{n}: {'word ' * 20}" for n in range(50)) + f"\n---\n{TEXT}",
    )
    (chunk,) = wanted_chunks(with_long_front, (FIRST,))
    assert 0 < sum(map(len, chunk.properties)) <= MAX_PROPERTIES


def test_a_note_without_title_and_headings_is_headed_by_its_date() -> None:
    bare = embedded_texts(Chunk(0, "", "Alpha.", 0, 6), note=note("Alpha.", title=""))
    assert list(bare) == ["8 May 2026\n\nAlpha."]
