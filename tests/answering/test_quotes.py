from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shared.answering.claims import find_claims
from shared.answering.quotes import quote_sources
from shared.domain import Source
from tests.answering.samples import passage

NOTE = "Ünrelated intro 🙂 line.\n\nWe chose Firestore as the database. It costs nothing.\n\n- Jonas measured 400 ms."
OFFSET = 25


def test_the_quote_is_the_sentence_that_carries_the_claim_at_its_place_in_the_note() -> None:
    source = Source("N1", passage(NOTE[OFFSET:], start=OFFSET))
    (citation,) = quote_sources(find_claims("The database is Firestore [N1]."), [source])
    assert citation.quote == "We chose Firestore as the database."
    assert NOTE[citation.quote_start : citation.quote_end] == citation.quote
    assert (citation.label, citation.passage) == ("N1", source.passage)


def test_each_source_is_quoted_for_the_claims_that_cite_it() -> None:
    offered = [Source("N1", passage(NOTE)), Source("N2", passage(NOTE))]
    citations = quote_sources(find_claims("Firestore is the database [N1]. Jonas measured 400 ms [N2]."), offered)
    assert ["Firestore" in citations[0].quote, "Jonas" in citations[1].quote] == [True, True]


def test_where_nothing_is_shared_the_whole_passage_is_the_quote() -> None:
    (citation,) = quote_sources(
        find_claims("Völlig anders [N1]."), [Source("N1", passage("Alpha beta. Gamma.", start=7))]
    )
    assert (citation.quote_start, citation.quote_end, citation.quote) == (7, 25, "Alpha beta. Gamma.")


def test_of_equally_good_sentences_the_first_is_quoted() -> None:
    (citation,) = quote_sources(find_claims("Alpha [N1]."), [Source("N1", passage("Alpha one. Alpha two."))])
    assert citation.quote == "Alpha one."


@given(st.text(max_size=200), st.text(max_size=60), st.integers(0, 10_000))
def test_a_quote_is_always_an_exact_slice(text: str, claim: str, start: int) -> None:
    chunk_passage = passage(text, start=start)
    (citation,) = quote_sources(find_claims(f"{claim} [N1]"), [Source("N1", chunk_passage)])
    assert text[citation.quote_start - start : citation.quote_end - start] == citation.quote
    assert start <= citation.quote_start <= citation.quote_end <= start + len(text)
