"""Numbers of erasures, of which no two may be equal."""

from __future__ import annotations

from pathlib import Path

from shared.adapters.embedded.erasures import Erasures


def test_two_erasures_that_saw_the_same_number_take_different_ones(tmp_path: Path) -> None:
    """Else work that begins between the two saves its notes after the second."""
    numbers = set()
    for name in ("one", "two"):
        erasures = Erasures(tmp_path / name)
        assert erasures.last("alice") == ""
        erasures.add("alice")
        numbers.add(erasures.last("alice"))
    assert len(numbers) == 2
