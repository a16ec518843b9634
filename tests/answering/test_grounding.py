from __future__ import annotations

from collections.abc import Sequence

import pytest

from shared.answering.citing.citations import check_citations
from shared.answering.grounding import Grounded, Scrutiny, first_citation, ground
from shared.model.answers import Grounding, Judgement, Source, Statement, Support, SupportState, Usage, Verdict
from tests.answering.samples import passage

API = Source(
    "N1", passage("Intro line 🙂.\n\nThe API runs on Cloud Run. It starts in 400 ms.", note_id="api", start=25)
)
BEDS = Source("N2", passage("The beds are made of larch. They cost 184 euros.", note_id="beds"))
SLEEP = Source("N3", passage("Without coffee I fell asleep in 18 minutes.", note_id="sleep"))
OFFERED = (API, BEDS, SLEEP)


class CountingJudge:
    """Backed is what names the passage's note; counts its calls."""

    name = "counting"

    def __init__(self) -> None:
        self.calls: list[tuple[Statement, ...]] = []

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        self.calls.append(tuple(statements))
        return Judgement(tuple(map(self._verdict, statements)), Usage(7, 3))

    def _verdict(self, statement: Statement) -> Verdict:
        wanted = {word for word in ("api", "beds", "sleep") if word in statement.text}
        found = wanted & {chunk.note_id for chunk in statement.passages}
        score = len(found) / len(wanted) if wanted else 0.0
        state = {0.0: SupportState.UNSUPPORTED, 1.0: SupportState.SUPPORTED}.get(score, SupportState.PARTIAL)
        return Verdict(Support(state, score), tuple((0, 5) for _ in statement.passages))


def grounded(text: str, *, strict: bool = False) -> Grounded:
    return ground(check_citations(text, OFFERED), Scrutiny(strict=strict))


def by_counting(text: str) -> tuple[Grounded, CountingJudge]:
    judge = CountingJudge()
    return ground(check_citations(text, OFFERED), Scrutiny(judge)), judge


def test_the_quote_is_the_sentence_that_carries_the_claim_at_its_place_in_the_note() -> None:
    (citation,) = grounded("The API starts in 400 ms [N1].").citations
    assert citation.quote == "It starts in 400 ms."
    chunk = API.passage.chunk
    assert chunk.text[citation.quote_start - 25 : citation.quote_end - 25] == citation.quote
    assert citation.support is not None
    assert citation.support.state is SupportState.SUPPORTED


def test_each_source_is_judged_for_the_claims_that_cite_it() -> None:
    answer = grounded("The API runs on Cloud Run [N1]. The beds cost 999 euros [N2].")
    states = [citation.support and citation.support.state for citation in answer.citations]
    assert states == [SupportState.SUPPORTED, SupportState.UNSUPPORTED]


def test_a_citation_is_as_good_as_the_sentence_it_backs_least_and_quotes_for_the_best() -> None:
    (citation,) = grounded("The API starts in 900 ms [N1]. The API runs on Cloud Run [N1].").citations
    assert citation.support is not None
    assert citation.support.state is SupportState.UNSUPPORTED
    assert citation.quote == "The API runs on Cloud Run."


def test_all_of_an_answer_is_judged_in_one_call_and_its_cost_is_told() -> None:
    answer, judge = by_counting("About api [N1]. About beds [N2][N3]. About sleep [N1][N2][N3].")
    assert (len(judge.calls), answer.usage) == (1, Usage(7, 3))
    asked = [(each.text, tuple(chunk.note_id for chunk in each.passages)) for each in judge.calls[0]]
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize(
    ("text", "grounding"),
    [
        ("The api [N1].", Grounding(precision=1.0, recall=1.0)),
        ("The api [N1]. The beds [N1].", Grounding(precision=0.5, recall=0.5)),
        ("The api and beds [N1][N2].", Grounding(precision=1.0, recall=1.0)),  # neither alone, both matter
        ("The api [N1][N2].", Grounding(precision=0.5, recall=1.0)),  # N2 decorates
        ("The api and beds [N1][N2][N3].", Grounding(precision=2 / 3, recall=1.0)),
        ("The api and beds [N1].", Grounding(precision=0.0, recall=0.0)),  # partial is not full
        ("The api [N1]. The beds are old and nobody knows.", Grounding(precision=1.0, recall=0.5)),
        ("# The api of it\n\nThe api [N1].", Grounding(precision=1.0, recall=1.0)),
        ("You wrote this down: the api [N1]. The notes do not say since when.", Grounding(precision=1.0, recall=1.0)),
    ],
)
def test_precision_and_recall_are_those_of_alce(text: str, grounding: Grounding) -> None:
    answer, _ = by_counting(text)
    assert answer.grounding == grounding


def test_flagged_answers_keep_every_word() -> None:
    text = "The API runs on Cloud Run [N1]. The beds cost 999 euros [N2]."
    answer = grounded(text)
    assert (answer.text, answer.removed) == (text, 0)


def test_strict_answers_lose_what_nothing_backs_and_count_anew() -> None:
    answer = grounded("The beds cost 999 euros [N2]. The API runs on Cloud Run [N1].", strict=True)
    assert (answer.text, answer.removed) == ("The API runs on Cloud Run [N1].", 1)
    assert [(citation.label, citation.passage) for citation in answer.citations] == [("N1", API.passage)]
    assert answer.grounding == Grounding(precision=1.0, recall=1.0)


def test_strict_answers_lose_uncited_inventions_but_no_lead_in_and_no_admission() -> None:
    text = "Here it is: the API runs on Cloud Run [N1]. It was bought from aliens. The notes do not say by whom."
    answer = grounded(text, strict=True)
    assert answer.text == "Here it is: the API runs on Cloud Run [N1]. The notes do not say by whom."


def test_of_a_strict_list_the_numbering_stays_right() -> None:
    answer = grounded(
        "1. The API runs on Cloud Run [N1].\n2. It costs 999 euros [N1].\n3. Beds of larch [N2].", strict=True
    )
    assert answer.text == "1. The API runs on Cloud Run [N1].\n2. Beds of larch [N2]."


def test_nothing_left_is_no_citation_left() -> None:
    answer = grounded("The beds cost 999 euros [N2].", strict=True)
    assert (answer.text, answer.citations, answer.grounding) == ("", (), None)


def test_partly_backed_claims_stay_under_the_strict_policy() -> None:
    text = "The api and beds [N1]."
    judge = CountingJudge()
    assert ground(check_citations(text, OFFERED), Scrutiny(judge, strict=True)).text == text


def test_a_citation_shown_while_the_answer_goes_on_has_its_quote_and_no_verdict_yet() -> None:
    citation = first_citation("Well. The API runs on Cloud Run [N1]", API)
    assert (citation.quote, citation.support, citation.label) == ("The API runs on Cloud Run.", None, "N1")


def test_a_hundred_claims_are_judged_in_time() -> None:
    text = " ".join(f"The API runs on Cloud Run number {number} [N1][N2][N3]." for number in range(100))
    assert len(grounded(text, strict=True).citations) <= 3
