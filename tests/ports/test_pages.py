"""Page tokens bring their place back, to the listing they were made for."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import InvalidArgument
from shared.ports.pages import make_token, read_token


@given(st.lists(st.text(max_size=20), max_size=4))
def test_a_token_brings_its_place_back(place: list[str]) -> None:
    assert read_token(make_token("notes", *place), "notes", parts=len(place)) == place


@given(st.text(max_size=60))
def test_an_invalid_token_is_a_bad_value_of_its_field(token: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_token(token, "notes", field="cursor")
    assert caught.value.field == "cursor"


@pytest.mark.parametrize(
    ("listing", "parts"),
    [("sessions", 1), ("notes", 2), ("notes", 0)],
    ids=["another listing", "more", "fewer"],
)
def test_a_token_of_another_listing_or_shape_is_refused(listing: str, parts: int) -> None:
    with pytest.raises(InvalidArgument):
        read_token(make_token("notes", "n1"), listing, parts=parts)


@pytest.mark.parametrize("content", ["{}", '"n1"', "[1]", "null", "[" * 5000])
def test_a_place_that_is_no_list_of_texts_is_refused(content: str) -> None:
    token = base64.urlsafe_b64encode(b"sealed" + content.encode()).decode().rstrip("=")
    with pytest.raises(InvalidArgument):
        read_token(token, "notes")


def test_a_token_does_not_tell_what_its_listing_is_called() -> None:
    token = make_token("sessions alice boats", "n1")
    assert json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[6:]) == ["n1"]
