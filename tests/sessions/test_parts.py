"""Titles, lists of sources, page tokens, history: the small pure parts."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from shared.model.sessions import Message, Role
from shared.sessions.limits import title_of
from shared.sessions.standalone import earlier_turns
from shared.sessions.turns import LINE, with_sources, without_sources

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def _citation(cid: str = "N1", **more: object) -> dict[str, object]:
    return {
        "cid": cid,
        "noteId": "n 1",
        "chunkId": "n 1_000",
        "createdAt": "2026-01-15T10:30:00.000Z",
        **more,
    }


def test_a_title_is_one_line_of_at_most_eighty_characters() -> None:
    assert title_of(" Which\n database? ") == "Which database?"
    long = title_of("What did we decide about the database, " * 5)
    assert len(long) <= 80
    assert long.endswith("about the database…")
    assert title_of("x" * 200) == "x" * 79 + "…"


@given(st.text(max_size=40), st.text(max_size=30))
def test_a_list_of_sources_is_read_and_taken_off_again(answer: str, title: str) -> None:
    text = with_sources(
        answer,
        [
            _citation(title=title),
            _citation("N2"),
        ],
    )
    assert without_sources(text) == answer
    *_, first, second = text.split("\n")
    matches = [LINE.fullmatch(line) for line in (first, second)]
    assert [match and (match["label"], match["note"], match["chunk"]) for match in matches] == [
        ("N1", "n%201", "n%201_000"),
        ("N2", "n%201", "n%201_000"),
    ]


def test_a_list_that_the_model_wrote_itself_is_part_of_its_answer() -> None:
    answer = "Yes [N1].\n\nSources:\n- [N1] made up"
    assert without_sources(with_sources(answer, [_citation()])) == answer
    assert with_sources("No.", []) == "No."


def test_turns_are_put_together_by_their_ids() -> None:
    def said(turn: str, role: Role, text: str) -> Message:
        return Message(
            message_id=f"{turn}{2 if role is Role.ASSISTANT else 1}",
            role=role,
            text=text,
            created_at=NOW,
        )

    user = Role.USER
    assistant = Role.ASSISTANT
    messages = [
        said("b", assistant, "lost"),
        said("a", user, "one?"),
        said("c", user, "two?"),
    ]
    messages += [
        said("c", assistant, "Two [N1]."),
        said("a", assistant, "One [N2][N1]."),
        said("d", user, "open?"),
    ]
    turns = earlier_turns(messages)
    assert [(turn.exchange.question, turn.exchange.answer) for turn in turns] == [
        ("one?", "One."),
        ("two?", "Two."),
    ]
