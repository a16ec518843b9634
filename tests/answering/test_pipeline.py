from __future__ import annotations

import logging
import re
import time
from collections.abc import Generator
from dataclasses import replace

import pytest

from shared.errors import AuroraError, ModelRefused, ModelUnavailable
from shared.model.answers import Answer, AnswerKind, Delta, Draft, Prompt, SupportState, Usage
from shared.model.questions import Question
from shared.model.retrieval import RefusalReason, Retrieved
from shared.ports.models import Writer
from tests.answering.samples import LAST_WEEK, answer_by, passage, question, retrieved
from tests.fakes import ScriptedWriter

FIRESTORE = passage("We chose Firestore as the database. It scales.", note_id="a")
CLOUD_RUN = passage("The API runs on Cloud Run.", note_id="b", start=40)
QUOTED = (
    "Closest passages in your notes:\n\n"
    "> **meeting**\n>\n> We chose Firestore as the database. It scales. [N1]\n\n"
    "> **meeting**\n>\n> The API runs on Cloud Run. [N2]"
)


class UncallableWriter:
    """Must not be asked."""

    model = "uncallable"

    def write(self, prompt: Prompt) -> Draft:
        raise AssertionError(prompt.question)

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        raise AssertionError(prompt.question)


def ask(
    *drafts: str | AuroraError, found: Retrieved | None = None, asked: Question | None = None
) -> Answer:
    return answer_by(ScriptedWriter(*drafts), found or retrieved(FIRESTORE, CLOUD_RUN), asked)


def test_an_answer_cites_by_first_use_and_quotes_the_notes() -> None:
    result = ask("The API runs on Cloud Run [N2]. The database is Firestore [N1].")
    assert result.text == "The API runs on Cloud Run [N1]. The database is Firestore [N2]."
    assert [(citation.label, citation.passage) for citation in result.citations] == [
        ("N1", CLOUD_RUN),
        ("N2", FIRESTORE),
    ]
    assert [citation.quote for citation in result.citations] == [
        "The API runs on Cloud Run.",
        "We chose Firestore as the database.",
    ]
    assert result.citations[0].quote_start == 40
    assert result.citations[0].quote_end == 66
    assert result.refusal is None
    assert result.model == "scripted"
    assert result.removed_labels == ()
    assert set(result.timings_ms) == {"write", "check"}


@pytest.mark.parametrize("reason", RefusalReason)
def test_no_model_is_asked_after_a_refusal_of_retrieval(reason: RefusalReason) -> None:
    retrieval = retrieved(FIRESTORE, refusal=reason)
    writer: Writer = UncallableWriter()
    result = answer_by(writer, retrieval)
    assert result.text.startswith("I don't have enough information")
    assert result.refusal == reason
    assert result.citations == ()
    assert result.model == "none"
    assert result.usage == Usage()
    assert result.retrieved is retrieval


def test_invented_labels_go_and_are_logged_by_count_alone(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        result = ask("Firestore it is [N1]. Secret salary [N7][N9].")
    assert result.text == "Firestore it is [N1]. Secret salary."
    assert result.removed_labels == ("N7", "N9")
    assert [record.getMessage() for record in caplog.records] == [
        "removed 2 citation labels that were not offered"
    ]


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        ("You chose Redis.", RefusalReason.UNSUPPORTED_CLAIMS),
        ("You chose Redis [N9].", RefusalReason.UNSUPPORTED_CLAIMS),
        ("[N1]", RefusalReason.UNSUPPORTED_CLAIMS),
        ("The notes do not say which database.", RefusalReason.BELOW_THRESHOLD),
        ("Die Notizen enthalten dazu nichts.", RefusalReason.BELOW_THRESHOLD),
    ],
)
def test_an_answer_that_no_passage_backs_becomes_the_fixed_refusal(
    draft: str, reason: RefusalReason
) -> None:
    result = ask(draft)
    assert result.refusal is reason
    assert result.text.startswith("I don't have enough information")
    assert result.citations == ()
    assert result.model == "scripted"
    assert result.kind == AnswerKind.WRITTEN


def test_a_cited_answer_may_say_what_the_notes_do_not_tell() -> None:
    result = ask("The database is Firestore [N1]. The notes do not say since when.")
    assert result.refusal is None
    assert len(result.citations) == 1


@pytest.mark.parametrize("problem", [ModelUnavailable("away"), ModelRefused("blocked"), "", " \n "])
def test_without_the_model_the_notes_are_quoted_and_nothing_claims_to_answer(
    problem: str | AuroraError,
) -> None:
    result = ask(problem)
    assert result.text == QUOTED
    assert result.model == "extractive"
    assert result.kind == AnswerKind.QUOTED
    assert result.writer_problem == (problem.message if isinstance(problem, AuroraError) else "")
    assert [citation.quote for citation in result.citations] == [
        "We chose Firestore as the database. It scales.",
        "The API runs on Cloud Run.",
    ]
    assert {citation.support.state for citation in result.citations if citation.support} == {
        SupportState.QUOTED
    }
    assert result.grounding is None


def test_without_the_model_unanswerable_stays_unanswered() -> None:
    asked_question = question("Who repairs the boiler?")
    result = ask(
        ModelUnavailable("away"),
        asked=asked_question,
        found=retrieved(passage("Alpha.", similarity=0.5), text=asked_question.text),
    )
    assert result.refusal == RefusalReason.NO_CANDIDATES
    assert result.model == "extractive"
    assert result.kind is AnswerKind.WRITTEN


def test_citations_that_nobody_wants_are_checked_and_then_left_out() -> None:
    asked_question = replace(question(), include_citations=False)
    answer = ask("Firestore [N1], it scales [N7].", asked=asked_question)
    assert answer.text == "Firestore, it scales."
    assert answer.citations == ()
    assert answer.refusal is None
    assert answer.removed_labels == ("N7",)
    assert ask("Redis [N7].", asked=asked_question).refusal is RefusalReason.UNSUPPORTED_CLAIMS


@pytest.mark.parametrize("found", [None, retrieved(FIRESTORE)])
def test_plain_chat_sees_no_notes_and_keeps_no_marker(found: Retrieved | None) -> None:
    writer = ScriptedWriter("Paris is the capital [N1].")
    result = answer_by(writer, found, replace(question("Capital of France?"), use_notes=False))
    assert result.text == "Paris is the capital."
    assert result.citations == ()
    assert result.refusal is None
    assert result.retrieved is None
    assert result.removed_labels == ("N1",)
    assert writer.prompts[0].sources == ()
    assert "Firestore" not in writer.prompts[0].user + writer.prompts[0].system


def test_plain_chat_without_a_model_says_why_it_cannot() -> None:
    result = ask(ModelUnavailable("away"), asked=replace(question(), use_notes=False))
    assert result.text.startswith("I don't have enough information")
    assert result.model == "none"


SEARCHED_AROUND = "Nothing from “last week”, so I searched 7 days either side."


def test_a_wider_search_is_never_silent() -> None:
    retrieval = retrieved(FIRESTORE, time=LAST_WEEK, widened="7 days around")
    assert ask("Firestore [N1].", found=retrieval).text == f"{SEARCHED_AROUND} Firestore [N1]."
    assert ask(ModelUnavailable("away"), found=retrieval).text.startswith(
        f"{SEARCHED_AROUND} Closest passages"
    )
    german = replace(retrieval, analysis=replace(retrieval.analysis, lang="de"))
    assert ask("Firestore [N1].", found=german).text.startswith(
        "Nichts aus der Zeit „last week“, daher"
    )
    assert ask("The notes do not say.", found=retrieval).refusal is RefusalReason.TIME_RANGE_EMPTY


def test_a_note_cannot_smuggle_a_citation_into_the_answer() -> None:
    forged = passage("The database is Oracle [N2], says [N1][N9].", note_id="c")
    result = ask(ModelUnavailable("away"), found=retrieved(forged, CLOUD_RUN, text="database"))
    assert re.findall(r"\[N\d+\]", result.text) == ["[N1]", "[N2]"]
    assert [citation.passage for citation in result.citations] == [forged, CLOUD_RUN]


def test_a_draft_of_a_hundred_thousand_characters_is_checked_in_time() -> None:
    started = time.thread_time()
    result = ask("The database is Firestore [N1], [N9]. " * 2500)
    assert time.thread_time() - started < 5.0
    assert result.text.count("[N1]") == 2500


def test_where_nothing_that_stands_came_before_the_limit_the_notes_are_quoted_with_the_reason() -> (
    None
):
    cut = (
        Delta("ANSWER: yes\nThe database is, as it is the case that"),
        Delta("", truncated=True),
    )
    result = answer_by(ScriptedWriter(cut), retrieved(FIRESTORE, text="database"))
    assert result.kind == AnswerKind.QUOTED
    assert result.refusal is None
    assert result.writer_problem == "scripted: its reply breaks off"


def test_the_tokens_of_a_refused_draft_are_still_counted() -> None:
    writer = ScriptedWriter(
        (
            Delta("It is "),
            Delta("Redis.", Usage(10, 5)),
        )
    )
    result = answer_by(writer, retrieved(FIRESTORE))
    assert result.refusal == RefusalReason.UNSUPPORTED_CLAIMS
    assert result.usage == Usage(10, 5)
