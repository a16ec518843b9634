"""Offsets as other languages count them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.language.lengths import Utf16Offsets, utf16_slice


@given(st.text())
def test_every_offset_counts_the_utf16_units_before_it(text: str) -> None:
    offsets = Utf16Offsets(text)
    for offset in range(len(text) + 1):
        assert offsets.at(offset) == len(text[:offset].encode("utf-16-le")) // 2


@given(st.text(), st.integers(0, 40), st.integers(0, 40))
def test_a_slice_counted_in_utf16_units_is_that_of_code_points(
    text: str, start: int, length: int
) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    offsets = Utf16Offsets(text)
    assert utf16_slice(text, offsets.at(start), offsets.at(end)) == text[start:end]
