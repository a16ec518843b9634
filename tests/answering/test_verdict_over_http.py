"""The model's verdict on whether the sources answer, as real clients hear it from servers of three protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from shared.adapters.gemini import GeminiWriter
from shared.adapters.openai import OpenAIWriter
from shared.model.answers import Answer, AnswerKind, CheckedPiece, Retracted
from shared.model.questions import WhenNotInNotes
from shared.model.retrieval import RefusalReason, Retrieved
from shared.ports.models import Writer
from tests.adapters.models.waiting import FakeClock
from tests.answering.samples import events_by, passage, question, retrieved
from tests.servers import gemini as google
from tests.servers import openai as compatible
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer
from tests.servers.scripted import Reply, ScriptedServer

pytestmark = pytest.mark.slow

FOUND = retrieved(
    passage("We chose Firestore as the database. It scales.", note_id="a"),
    passage("The API runs on Cloud Run.", note_id="b"),
)
RIGHT = "We chose Firestore as the database [N1]."


@dataclass
class Heard:
    """An answer, and every text that was shown on the way to it, also of what was withdrawn."""

    answer: Answer
    shown: str
    withdrawn: int


@dataclass
class Model:
    """A server, how it streams, and the real client that asks it."""

    server: ScriptedServer
    streamed: Callable[..., Reply]
    writer: Writer

    def says(
        self,
        *texts: str,
        cut_after: int | None = None,
        then: Reply | None = None,
        found: Retrieved = FOUND,
    ) -> Heard:
        """Asked of notes about a database. `cut_after`: bytes of the reply, after which the connection breaks. `then`:
        the next reply, to a question that wants general knowledge where the notes hold no answer.
        """
        first = self.streamed(*texts, cut_after=cut_after)
        self.server.answer = lambda _: first
        if then:
            self.server.script(*((first, then) if texts else (then,)))
        when_not_in_notes = WhenNotInNotes.GENERAL if then else WhenNotInNotes.REFUSE
        events = events_by(
            self.writer, found, replace(question(), when_not_in_notes=when_not_in_notes)
        )
        final = events[-1]
        assert isinstance(final, Answer)
        visible = "".join(event.text for event in events if isinstance(event, CheckedPiece))
        return Heard(final, visible, sum(isinstance(event, Retracted) for event in events))


@pytest.fixture(params=["gemini", "openai", "ollama"])
def model(request: pytest.FixtureRequest) -> Iterator[Model]:
    if request.param == "gemini":
        with GeminiServer() as server:
            yield Model(
                server,
                google.streamed,
                GeminiWriter(
                    api_key="k",
                    base_url=server.url,
                    timeout=30,
                    clock=FakeClock(),
                ),
            )
    else:
        with OpenAIServer() as compatible_server:
            streamed = compatible.by_ollama if request.param == "ollama" else compatible.chunked
            address = compatible_server.base_url
            writer = OpenAIWriter(
                model="m",
                base_url=address,
                timeout=30,
                clock=FakeClock(),
            )
            yield Model(compatible_server, streamed, writer)


def test_a_model_that_finds_no_answer_is_a_refusal_with_what_comes_nearest(model: Model) -> None:
    heard = model.says("ANSWER: no\n", "The notes ", "name a database [N1], but not why.")
    assert heard.answer.refusal is RefusalReason.BELOW_THRESHOLD
    assert heard.shown == ""
    assert heard.answer.text.startswith("I don't have enough information")
    assert [quote.passage.chunk.note_id for quote in heard.answer.nearest] == ["a", "b"]


def test_a_model_that_denies_the_answer_it_gives_is_taken_at_its_first_word(model: Model) -> None:
    heard = model.says("ANSWER: no\n", RIGHT)
    assert heard.answer.refusal is RefusalReason.BELOW_THRESHOLD
    assert "database" not in heard.shown


GENERAL = "A database keeps data."
LINE = "Your notes do not hold the answer. From general knowledge:"


def test_general_knowledge_stands_under_a_line_that_says_so_and_cites_nothing(model: Model) -> None:
    general_reply = model.streamed("A database ", "keeps data [N1].")
    for first, retrieval, withdrawn in (
        (("ANSWER: no\n",), FOUND, 0),
        (("ANSWER: yes\n", "It is MySQL [N2]."), FOUND, 1),
        ((), retrieved(refusal=RefusalReason.NO_NOTES), 0),
    ):
        heard = model.says(*first, then=general_reply, found=retrieval)
        assert heard.answer.text == f"{LINE}\n\n{GENERAL}"
        assert heard.shown.endswith(heard.answer.text)
        assert heard.answer.kind == AnswerKind.GENERAL
        assert heard.answer.refusal is None
        assert heard.withdrawn == withdrawn
        assert heard.answer.citations == ()
        assert heard.answer.claims == ()
        assert heard.answer.grounding is None
        assert heard.answer.model == model.writer.model
        assert heard.answer.removed_labels == ("N1",)
    request_body = model.server.requests[-1].body.decode()
    assert "do not hold the answer" in request_body
    assert "Firestore" not in request_body


def test_general_knowledge_says_so_in_the_language_of_the_question(model: Model) -> None:
    general_reply = model.streamed(GENERAL)
    retrieval = retrieved(lang="de", refusal=RefusalReason.NO_CANDIDATES)
    heard = model.says(then=general_reply, found=retrieval)
    assert (
        heard.answer.text
        == f"Deine Notizen enthalten die Antwort nicht. Aus allgemeinem Wissen:\n\n{GENERAL}"
    )


def test_without_general_knowledge_it_stays_a_refusal(model: Model) -> None:
    silent = model.says("ANSWER: no\n", then=model.streamed(""))
    assert silent.answer.refusal == RefusalReason.BELOW_THRESHOLD
    assert silent.shown == ""
    answered = model.says("ANSWER: yes\n", RIGHT, then=model.streamed(GENERAL))
    assert answered.answer.text == RIGHT
    assert answered.answer.kind == AnswerKind.WRITTEN
    pending = model.says(
        then=model.streamed(GENERAL), found=retrieved(refusal=RefusalReason.INDEX_PENDING)
    )
    assert pending.answer.refusal == RefusalReason.INDEX_PENDING
    assert pending.shown == ""


def test_a_verdict_in_any_pieces_is_read_and_never_shown(model: Model) -> None:
    heard = model.says(
        "A", "NSW", "ER", ": y", "es", "\nWe chose", " Firestore as the database [N", "1]."
    )
    assert heard.answer.text == RIGHT
    assert heard.shown == RIGHT
    assert heard.withdrawn == 0
    assert [citation.passage.chunk.note_id for citation in heard.answer.citations] == ["a"]
    refused = model.says("ANS", "WER: n", "o", "\n", RIGHT)
    assert refused.answer.refusal is RefusalReason.BELOW_THRESHOLD


def test_a_connection_that_breaks_within_the_verdict_leaves_quotes(model: Model) -> None:
    payload = model.streamed("ANSWER: ", "yes\n", RIGHT).payload()
    heard = model.says(
        "ANSWER: ", "yes\n", RIGHT, cut_after=payload.index(b"ANSWER: ") + len(b"ANSWER: ")
    )
    assert heard.answer.kind is AnswerKind.QUOTED
    assert "ANSWER" not in heard.shown
