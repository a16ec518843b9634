from __future__ import annotations

import logging
from collections.abc import Generator

import pytest

from shared.answering.drafts import NotWritten, write_draft
from shared.errors import AuroraError, BrokenPromise, ModelRefused, ModelUnavailable
from shared.model.answers import Draft, Piece, Prompt, Usage
from shared.ports.models import Writer
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


def end_of(writer: Writer | None, prompt: Prompt = PROMPT) -> Draft | NotWritten:
    end = list(write_draft(prompt, writer))[-1]
    assert not isinstance(end, str)
    return end


def write(draft: Draft) -> Draft:
    end = end_of(FixedWriter(draft))
    assert isinstance(end, Draft)
    return end


@pytest.mark.parametrize("problem", [ModelUnavailable("away"), ModelRefused("blocked")])
def test_that_the_writer_cannot_is_a_result_and_logged(problem: AuroraError, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert end_of(ScriptedWriter(problem)) == NotWritten()
    assert [record.getMessage() for record in caplog.records] == [
        f"scripted did not write ({type(problem).__name__}); the notes are quoted instead"
    ]


def test_that_there_is_no_writer_is_a_result_and_no_news(caplog: pytest.LogCaptureFixture) -> None:
    assert end_of(None) == NotWritten()
    assert caplog.records == []


def test_what_only_the_operator_can_fix_is_not_covered_up() -> None:
    with pytest.raises(BrokenPromise):
        end_of(ScriptedWriter(BrokenPromise("shape")))


@pytest.mark.parametrize("nothing", ["", " ", "\n\t \n"])
def test_a_writer_that_writes_nothing_was_paid_all_the_same(nothing: str) -> None:
    assert end_of(FixedWriter(Draft(nothing, "fixed", Usage(100, 0)))) == NotWritten(Usage(100, 0))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Foo\x00 bar [N1].", "Foo bar [N1]."),
        ("Cloud Run. [N", "Cloud Run."),
        ("Cloud Run [N1] [N12", "Cloud Run [N1]"),
        ("Cloud Run [N1, N", "Cloud Run"),
        ("Cloud Run [N1;&#91;N9", "Cloud Run"),
        ("Cloud Run [^N2", "Cloud Run"),
        ("Cloud Run [**N1-N", "Cloud Run"),
        ("Cloud Run \\[N2", "Cloud Run"),
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
