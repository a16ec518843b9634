"""Offsets as other languages count them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.language.lengths import Utf16Offsets


@given(st.text())
def test_every_offset_counts_the_utf16_units_before_it(text: str) -> None:
    offsets = Utf16Offsets(text)
    for offset in range(len(text) + 1):
        assert offsets.at(offset) == len(text[:offset].encode("utf-16-le")) // 2
