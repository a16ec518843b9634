"""Pieces of a draft become checked pieces: labels, claims and what backs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from shared.answering.checking import Checker, SupportPolicy
from shared.answering.pieces import split
from shared.model.answers import (
    CheckedPiece,
    Grounding,
    Judgement,
    Source,
    Statement,
    Support,
    SupportState,
    Usage,
    Verdict,
)
from tests.answering.samples import passage

API = Source(
    "N1",
    passage(
        "Intro line 🙂.\n\nThe API runs on Cloud Run. It starts in 400 ms.", note_id="api", start=25
    ),
)
BEDS = Source("N2", passage("The beds are made of larch. They cost 184 euros.", note_id="beds"))
SLEEP = Source("N3", passage("Without coffee I fell asleep in 18 minutes.", note_id="sleep"))
OFFERED = (API, BEDS, SLEEP)
SUPPORTED = SupportState.SUPPORTED
UNSUPPORTED = SupportState.UNSUPPORTED


class CountingJudge:
    """Backed is what names the passage's note; counts its calls."""

    name = "counting"

    def __init__(self) -> None:
        self.calls: list[tuple[Statement, ...]] = []

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        self.calls.append(tuple(statements))
        return Judgement(tuple(map(self._verdict, statements)), Usage(7, 3))

    def _verdict(self, statement: Statement) -> Verdict:
        words = {word for word in ("api", "beds", "sleep") if word in statement.text}
        backed_words = words & {chunk.note_id for chunk in statement.passages}
        score = len(backed_words) / len(words) if words else 0.0
        state = {0.0: UNSUPPORTED, 1.0: SUPPORTED}.get(score, SupportState.PARTIAL)
        return Verdict(Support(state, score), tuple((0, 5) for _ in statement.passages))


@dataclass
class Checked:
    """An answer that was checked piece by piece."""

    checker: Checker
    pieces: list[CheckedPiece]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def check(
    draft: str, policy: SupportPolicy | None = None, *, with_citations: bool = True
) -> Checked:
    checker = Checker(OFFERED, (), policy=policy or SupportPolicy(), with_citations=with_citations)
    checked = Checked(checker, list(checker.check(split(draft))))
    checker.reason_to_refuse()
    return checked


def strictly(draft: str) -> Checked:
    return check(draft, SupportPolicy(strict=True))


def test_each_piece_is_judged_and_numbered_as_it_is_read() -> None:
    checked = check(
        "The beds cost 184 euros [N2]. The API runs on Cloud Run [N1][N9]. The beds are red [N2]."
    )
    assert [piece.text for piece in checked.pieces] == [
        "The beds cost 184 euros [N1].",
        " The API runs on Cloud Run [N2].",
        " The beds are red [N1].",
    ]
    assert [[source.label for source in piece.cited] for piece in checked.pieces] == [
        ["N1"],
        ["N2"],
        [],
    ]
    supports = [piece.cited[0].support for piece in checked.pieces[:2]]
    assert [support and support.state for support in supports] == [SUPPORTED] * 2
    assert checked.checker.removed == {"N9": None}


def test_a_true_and_a_false_claim_with_one_label_differ_and_the_citation_is_as_good_as_the_worse() -> (
    None
):
    checked = check(
        "The API starts in 900 ms [N1]. 🙂 The API runs on Cloud Run [N1]. It is old and nobody likes it."
    )
    claims = checked.checker.claims
    assert [claim.support and claim.support.state for claim in claims] == [
        UNSUPPORTED,
        SUPPORTED,
        None,
    ]
    assert [len(claim.citations) for claim in claims] == [1, 1, 0]
    as_utf16 = checked.text.encode("utf-16-le")
    assert (
        as_utf16[2 * claims[1].start : 2 * claims[1].end].decode("utf-16-le")
        == "🙂 The API runs on Cloud Run [N1]."
    )
    (citation,) = checked.checker.citations()
    assert citation.support is not None
    assert citation.support.state is UNSUPPORTED
    assert citation.quote == "The API runs on Cloud Run."
    assert [piece.claim for piece in checked.pieces] == list(claims)


def test_the_quote_is_the_sentence_that_carries_the_claim_at_its_place_in_the_note() -> None:
    (citation,) = check("The API starts in 400 ms [N1].").checker.citations()
    assert citation.quote == "It starts in 400 ms."
    assert (
        API.passage.chunk.text[citation.quote_start - 25 : citation.quote_end - 25]
        == citation.quote
    )


def test_another_judge_is_asked_once_about_the_whole_answer_when_all_of_it_was_shown() -> None:
    judge = CountingJudge()
    checked = check(
        "About api [N1]. About beds [N2][N3]. About sleep [N1][N2][N3].", SupportPolicy(judge)
    )
    assert len(judge.calls) == 1
    assert checked.checker.usage == Usage(7, 3)
    judged_statements = [
        (statement.text, tuple(chunk.note_id for chunk in statement.passages))
        for statement in judge.calls[0]
    ]
    assert len(set(judged_statements)) == len(judged_statements)
    assert [claim.support and claim.support.state for claim in checked.checker.claims] == [
        SUPPORTED
    ] * 3
    assert [
        piece.claim and piece.claim.support and piece.claim.support.state
        for piece in checked.pieces
    ] != [SUPPORTED] * 3  # while it was shown, by the offline judge


@pytest.mark.parametrize(
    ("draft", "grounding"),
    [
        ("The api [N1].", Grounding(precision=1.0, recall=1.0)),
        ("The api [N1]. The beds [N1].", Grounding(precision=0.5, recall=0.5)),
        (
            "The api and beds [N1][N2].",
            Grounding(precision=1.0, recall=1.0),
        ),  # neither alone, both matter
        ("The api [N1][N2].", Grounding(precision=0.5, recall=1.0)),  # N2 decorates
        ("The api and beds [N1][N2][N3].", Grounding(precision=2 / 3, recall=1.0)),
        ("The api and beds [N1].", Grounding(precision=0.0, recall=0.0)),  # partial is not full
        ("The api [N1]. The beds are old and nobody knows.", Grounding(precision=1.0, recall=0.5)),
        ("# The api of it\n\nThe api [N1].", Grounding(precision=1.0, recall=1.0)),
        (
            "You wrote this down: the api [N1]. The notes do not say since when.",
            Grounding(precision=1.0, recall=1.0),
        ),
        ("Yes.", None),
    ],
)
def test_precision_and_recall_are_those_of_alce(draft: str, grounding: Grounding | None) -> None:
    assert check(draft, SupportPolicy(CountingJudge())).checker.grounding() == grounding


def test_flagged_answers_keep_every_word() -> None:
    text = "The API runs on Cloud Run [N1]. The beds cost 999 euros [N2]."
    assert check(text).text == text


@pytest.mark.parametrize(
    ("draft", "shown"),
    [
        (
            "The beds cost 999 euros [N2]. The API runs on Cloud Run [N1].",
            "The API runs on Cloud Run [N1].",
        ),
        (
            "Here it is: the API runs on Cloud Run [N1]. It was bought from aliens. The notes do not say by whom.",
            "Here it is: the API runs on Cloud Run [N1]. The notes do not say by whom.",
        ),
        (
            "It runs on Cloud Run, the API. Beds of larch [N2].",
            "It runs on Cloud Run, the API. Beds of larch [N1].",
        ),
        (
            "- The API [N1].\n- It costs 999 euros [N1]. Beds of larch [N2].",
            "- The API [N1].\n- Beds of larch [N2].",
        ),
        ("## Price\n\n999 euros [N1].\n\n## Beds\n\nOf larch [N2].", "## Beds\n\nOf larch [N1]."),
        (
            "| Thing |\n|---|\n| 999 euros [N1] |\n| beds of larch [N2] |",
            "| Thing |\n|---|\n| beds of larch [N1] |",
        ),
        ("The beds cost 999 euros [N2].", ""),
    ],
)
def test_strict_answers_show_nothing_that_the_sources_do_not_back(draft: str, shown: str) -> None:
    assert strictly(draft).text == shown


def test_a_strict_answer_of_another_judge_is_shown_once_that_judge_has_decided() -> None:
    judge = CountingJudge()
    checked = check(
        "The beds are old [N1]. The api is new [N1].", SupportPolicy(judge, strict=True)
    )
    assert checked.text == "The api is new [N1]."
    assert len(judge.calls) == 1
    assert (
        check("The api and beds [N1].", SupportPolicy(judge, strict=True)).text
        == "The api and beds [N1]."
    )


def test_without_citations_no_marker_and_no_claim_is_shown_but_all_is_judged() -> None:
    checked = check("The API runs on Cloud Run [N1], it says [N9].", with_citations=False)
    assert checked.pieces == [CheckedPiece("The API runs on Cloud Run, it says.")]
    assert checked.checker.stands
    assert checked.checker.claims == []
    assert checked.checker.citations() == ()


@pytest.mark.parametrize("draft", ["[N1]", "[N1][N2].", "The beds [N9].", "Nothing cited here."])
def test_a_piece_that_cites_nothing_offered_is_removed(draft: str) -> None:
    assert not check(draft).checker.stands


def test_a_notice_stands_before_the_first_piece() -> None:
    checker = Checker(OFFERED, (), policy=SupportPolicy(), notice="Nothing then. ")
    assert [piece.text for piece in checker.check(split("- The API [N1]."))] == [
        "Nothing then. \n\n- The API [N1]."
    ]


def test_a_hundred_claims_are_judged_in_time() -> None:
    draft = " ".join(
        f"The API runs on Cloud Run number {number} [N1][N2][N3]." for number in range(100)
    )
    assert len(strictly(draft).checker.citations()) <= 3
