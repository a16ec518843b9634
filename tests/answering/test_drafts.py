"""A writer's drafts from a prompt, piece by piece, and drafts that hold nothing."""

from __future__ import annotations

import pytest

from shared.answering.drafts import MAX_DRAFT, DraftStream
from shared.errors import AuroraError, ModelRefused, ModelUnavailable, PortContractError
from shared.model.answers import Delta, Prompt, Usage
from tests.fakes import Script, ScriptedWriter

PROMPT = Prompt("system", "user", "question", ())
ANSWER = "We chose Firestore [N1]. The API runs on Cloud Run [N2]."


def written(script: Script) -> tuple[str, DraftStream]:
    draft = DraftStream(PROMPT, ScriptedWriter(script))
    return "".join(piece.whole for piece in draft.pieces()), draft


@pytest.mark.parametrize(
    "problem",
    [
        ModelUnavailable("away"),
        ModelRefused("blocked"),
    ],
)
def test_that_the_writer_cannot_is_a_result(problem: AuroraError) -> None:
    text, draft = written(problem)
    assert text == ""
    assert draft.failed is True
    assert draft.problem == f"did not write ({type(problem).__name__})"


def test_that_there_is_no_writer_is_a_result_and_no_problem() -> None:
    draft = DraftStream(PROMPT, None)
    assert list(draft.pieces()) == []
    assert draft.failed is True
    assert draft.model == "none"
    assert draft.problem == ""


def test_a_failure_that_only_the_operator_can_fix_is_not_hidden() -> None:
    with pytest.raises(PortContractError):
        written(PortContractError("shape"))


@pytest.mark.parametrize("nothing", ["", " ", "\n\t \n", "\x00"])
def test_a_writer_that_writes_nothing_was_paid_all_the_same(nothing: str) -> None:
    text, draft = written((Delta(nothing, Usage(100, 0)),))
    assert text == ""
    assert draft.failed is True
    assert draft.usage == Usage(100, 0)


def test_a_writer_that_breaks_off_loses_its_unfinished_sentence() -> None:
    text, draft = written((ANSWER, " And th", ModelUnavailable("away")))
    assert text == f"{ANSWER} …"
    assert draft.problem == "broke off (ModelUnavailable)"


@pytest.mark.parametrize("size", [1, 3, 200])
@pytest.mark.parametrize(
    ("thought", "said"),
    [
        (f"<think>\nIs it [N5]?\nANSWER: no\n</think>\n\n{ANSWER}", ANSWER),
        (f"\n<think></think>{ANSWER}", ANSWER),
        ("<think>Is it [N5]? Or", ""),
        ("<thin", "<thin"),
        (f"<b>So:</b> {ANSWER}", f"<b>So:</b> {ANSWER}"),
        (f"{ANSWER} <think>Well.</think>", f"{ANSWER} <think>Well.</think>"),
    ],
)
def test_thoughts_of_a_model_are_no_part_of_its_answer(thought: str, said: str, size: int) -> None:
    text, draft = written(
        tuple(thought[start : start + size] for start in range(0, len(thought), size))
    )
    assert text.lstrip() == said
    assert draft.answers is None


def test_control_characters_are_no_text() -> None:
    assert written("Foo\x00 bar [N1].")[0] == "Foo bar [N1]."


def test_a_hundred_thousand_characters_are_the_limit_and_the_model_is_stopped() -> None:
    writer = ScriptedWriter(tuple("It is Firestore [N1]. " * 50 for _ in range(200)))
    text = "".join(piece.whole for piece in DraftStream(PROMPT, writer).pieces())
    assert writer.hung_up == 1
    assert MAX_DRAFT - 100 < len(text) <= MAX_DRAFT
    assert text.endswith("[N1]. …")


@pytest.mark.parametrize(
    "listed",
    [
        "\n\nSources:\n[N1] Databases\n[N2] API",
        "\n\n**Sources**\n\n- [N1] Databases. 3 May.\n- [N2]: API\n",
        "\n\n## References\n1. [N1] Databases\n2. [N2] API",
        "\nQuellen:\n* [N1]\n* [N2]",
        "\n\nFuentes: \n\n[n1] Bases de datos",
        "\n\n---\nRéférences :\n【N1】 Bases",
        "\n\nSources:",
        "\n\n[N1]: Databases, 8 May\n[N2]: API",
        "\n\nSources:\n[N1] Databases" * 30,
        "\n\nSources:\n[N1] Databases\n\n[N1]: Databases\n",
    ],
)
def test_a_list_of_sources_at_the_end_goes(listed: str) -> None:
    assert written(ANSWER + listed)[0] == ANSWER
    assert written(tuple(ANSWER + listed))[0] == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "[N1] We chose Firestore.\n[N2] The API runs on Cloud Run.",
        "What we chose:\n- [N1] Firestore\n- [N2] Cloud Run",
        "Sources:\n[N1] Databases",
        "Sources:\n[N1] Databases\n\nWe chose Firestore [N1].",
        "Our sources:\n- the river [N1]\n- the well [N2]",
    ],
)
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert written(text)[0] == text
