"""Titles, lists of sources, page tokens, history: the small pure parts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import InvalidArgument
from shared.model.sessions import Message, Role, Spot
from shared.ports.pages import make_token
from shared.sessions.limits import holds, title_of
from shared.sessions.service import page_token, read_page_token
from shared.sessions.standalone import earlier_turns
from shared.sessions.turns import LINE, with_sources, without_sources

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def _citation(cid: str = "N1", **more: object) -> dict[str, object]:
    return {"cid": cid, "noteId": "n 1", "chunkId": "n 1_000", "createdAt": "2026-01-15T10:30:00.000Z", **more}


def test_a_title_is_one_line_of_at_most_eighty_characters() -> None:
    assert title_of(" Which\n database? ") == "Which database?"
    long = title_of("What did we decide about the database, " * 5)
    assert len(long) <= 80
    assert long.endswith("about the database…")
    assert title_of("x" * 200) == "x" * 79 + "…"


@pytest.mark.parametrize(("wanted", "found"), [("", True), ("muller TRIP", True), ("trip x", False), ("lle", True)])
def test_a_title_holds_every_word_that_is_searched_for(wanted: str, found: bool) -> None:  # noqa: FBT001
    assert holds("Trip to Müller", wanted) is found


@given(st.text(max_size=40), st.text(max_size=30))
def test_a_list_of_sources_is_read_and_taken_off_again(answer: str, title: str) -> None:
    text = with_sources(answer, [_citation(title=title), _citation("N2")])
    assert without_sources(text) == answer
    *_, first, second = text.split("\n")
    matches = [LINE.fullmatch(each) for each in (first, second)]
    assert [match and (match["label"], match["note"], match["chunk"]) for match in matches] == [
        ("N1", "n%201", "n%201_000"),
        ("N2", "n%201", "n%201_000"),
    ]


def test_a_list_that_the_model_wrote_itself_is_part_of_its_answer() -> None:
    answer = "Yes [N1].\n\nSources:\n- [N1] made up"
    assert without_sources(with_sources(answer, [_citation()])) == answer
    assert with_sources("No.", []) == "No."


@given(st.text(max_size=60))
def test_what_is_no_token_is_named_and_never_fails_otherwise(token: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_page_token(token, listing="x", now=NOW)
    assert caught.value.field == "pageToken"


@pytest.mark.parametrize("moment", ["", "soon", "2026-11-21", "2026-11-21T12:00:00"])
def test_a_token_of_somebody_s_own_making_is_no_place(moment: str) -> None:
    for made, at in ((moment, NOW.isoformat()), (NOW.isoformat(), moment)):
        with pytest.raises(InvalidArgument):
            read_page_token(make_token("x", made, at, "abc"), listing="x", now=NOW)


def test_a_token_brings_its_place_back_for_its_listing_and_its_day() -> None:
    spot = Spot(NOW - timedelta(days=400, microseconds=1), "abc")
    token = page_token(spot, listing="x", now=NOW)
    assert read_page_token(token, listing="x", now=NOW + timedelta(hours=23)) == spot
    for listing, now in (("y", NOW), ("x", NOW + timedelta(days=2)), ("x", NOW - timedelta(seconds=1))):
        with pytest.raises(InvalidArgument):
            read_page_token(token, listing=listing, now=now)


def test_turns_are_put_together_by_their_ids() -> None:
    def said(turn: str, role: Role, text: str) -> Message:
        return Message(message_id=f"{turn}{2 if role is Role.ASSISTANT else 1}", role=role, text=text, created_at=NOW)

    user, assistant = Role.USER, Role.ASSISTANT
    messages = [said("b", assistant, "lost"), said("a", user, "one?"), said("c", user, "two?")]
    messages += [said("c", assistant, "Two [N1]."), said("a", assistant, "One [N2][N1]."), said("d", user, "open?")]
    turns = earlier_turns(messages)
    assert [(each.exchange.question, each.exchange.answer) for each in turns] == [("one?", "One."), ("two?", "Two.")]
