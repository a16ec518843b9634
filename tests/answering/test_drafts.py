from __future__ import annotations

import logging
from collections.abc import Generator

import pytest

from shared.answering.drafts import write_draft
from shared.domain import Draft, Piece, Prompt, Usage
from shared.errors import AuroraError, BrokenPromise, ModelRefused, ModelUnavailable
from shared.ports import Writer
from tests.fakes import ScriptedWriter

PROMPT = Prompt("system", "user", "question", ())


class FixedWriter:
    """Writes one draft, whatever it is asked."""

    model = "fixed"

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def write(self, prompt: Prompt) -> Draft:
        assert prompt is PROMPT
        return self._draft

    def stream(self, prompt: Prompt) -> Generator[Piece]:
        assert prompt is PROMPT
        yield Piece(self._draft.text, self._draft.usage, truncated=self._draft.truncated)


def finished(writer: Writer, fallback: Writer) -> Draft:
    draft = list(write_draft(PROMPT, writer=writer, fallback=fallback))[-1]
    assert isinstance(draft, Draft)
    return draft


def write(draft: Draft) -> Draft:
    return finished(FixedWriter(draft), ScriptedWriter("Fallback."))


@pytest.mark.parametrize("problem", [ModelUnavailable("away"), ModelRefused("blocked")])
def test_the_fallback_answers_when_the_writer_cannot(problem: AuroraError, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        draft = finished(ScriptedWriter(problem), FixedWriter(Draft("Fallback.", "fixed")))
    assert (draft.text, draft.model) == ("Fallback.", "fixed")
    assert [record.getMessage() for record in caplog.records] == [
        f"scripted did not write ({type(problem).__name__}); fixed answers"
    ]


def test_what_only_the_operator_can_fix_is_not_covered_up() -> None:
    with pytest.raises(BrokenPromise):
        finished(ScriptedWriter(BrokenPromise("shape")), ScriptedWriter("Fallback."))


@pytest.mark.parametrize("nothing", ["", " ", "\n\t \n"])
def test_the_fallback_answers_when_the_writer_writes_nothing_but_was_paid(nothing: str) -> None:
    draft = write(Draft(nothing, "fixed", Usage(100, 0)))
    assert (draft.text, draft.model, draft.usage) == ("Fallback.", "scripted", Usage(100, 0))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Foo\x00 bar [N1].", "Foo bar [N1]."),
        ("Cloud Run. [N", "Cloud Run."),
        ("Cloud Run [N1] [N12", "Cloud Run [N1]"),
    ],
)
def test_control_characters_and_a_marker_that_breaks_off_are_no_text(text: str, kept: str) -> None:
    assert write(Draft(text, "fixed")).text == kept


def test_a_whole_draft_is_left_alone() -> None:
    draft = Draft("We chose Firestore [N1]. And then", "fixed")
    assert write(draft) == draft


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("We chose Firestore [N1]. It also sca", "We chose Firestore [N1]. …"),
        ("We chose Firestore [N1]. It scales [N", "We chose Firestore [N1]. …"),
        ("We chose Firestore [N1]. It scales [N2].", "We chose Firestore [N1]. It scales [N2]. …"),
        ("We chose Firestore. [N1]", "We chose Firestore. [N1] …"),
        ("We chose Firestore [N1], which sca", "We chose Firestore [N1], which sca …"),
        ("We chose Firestore [N1", "We chose Firestore …"),
    ],
)
def test_a_draft_cut_at_the_limit_loses_its_unfinished_sentence_and_shows_it(text: str, kept: str) -> None:
    assert write(Draft(text, "fixed", truncated=True)).text == kept
