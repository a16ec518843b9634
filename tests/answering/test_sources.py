from __future__ import annotations

from shared.answering.sources import label_sources
from tests.answering.samples import passage


def test_passages_are_labelled_in_their_order_from_one() -> None:
    first, second = passage("one"), passage("two")
    labelled = label_sources((first, second))
    assert [(source.label, source.passage) for source in labelled] == [("N1", first), ("N2", second)]


def test_no_passages_make_no_sources() -> None:
    assert label_sources(()) == ()
