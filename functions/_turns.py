"""A request's question in its session: the settings it gives itself, the turn it begins, what is stored of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from functions._bodies import Body
from functions._questions import AskingBody
from shared.answering.pipeline import last
from shared.domain import Answer, AnswerEvent, Question, SettingsPatch
from shared.errors import AuroraError
from shared.sessions.limits import LONGEST_SYSTEM_PROMPT, RANGES, SYSTEM_PROMPT, expected
from shared.sessions.service import Sessions, Turn
from shared.wire_stream import StreamEvent

FLAG = "true or false"
MODEL = "the name of a model that may be chosen, or null for the configured one"
SETTINGS = tuple(SettingsPatch.__slots__)


def _range(setting: str) -> dict[str, Any]:
    """For readers of openapi.json; the library checks, for every front door."""
    low, high = RANGES[setting]
    return {"minimum": low, "maximum": high}


class SettingsFields(Body):
    """Some of a session's settings. Null: not said, but for `model`."""

    use_notes: bool | None = Field(default=None, description=FLAG)
    top_k: int | None = Field(default=None, description=expected("top_k"), json_schema_extra=_range("top_k"))
    threshold: float | None = Field(
        default=None, description=expected("threshold"), json_schema_extra=_range("threshold")
    )
    include_citations: bool | None = Field(default=None, description=FLAG)
    system_prompt: str | None = Field(
        default=None, description=SYSTEM_PROMPT, json_schema_extra={"maxLength": LONGEST_SYSTEM_PROMPT}
    )
    model: str | None = Field(default=None, description=MODEL)
    max_context_tokens: int | None = Field(
        default=None, description=expected("max_context_tokens"), json_schema_extra=_range("max_context_tokens")
    )
    max_history: int | None = Field(
        default=None, description=expected("max_history"), json_schema_extra=_range("max_history")
    )

    def patch(self) -> SettingsPatch:
        """What is said of the settings. Ranges are not checked yet."""
        model = (self.model or "") if "model" in self.model_fields_set else None
        said = {name: getattr(self, name) for name in SETTINGS if name != "model"}
        return SettingsPatch(**said, model=model)


class SettingsBody(SettingsFields):
    """`settings` of a session."""


class TurnBody(AskingBody, SettingsFields):
    """A question that may belong to a session."""

    session_id: str | None = Field(default=None, description='the id of a session, or "new" to begin one')


@dataclass(slots=True)
class Asked:
    """A question on its way through its session, if it has one."""

    sessions: Sessions
    turn: Turn
    answer: Answer | None = None

    @property
    def question(self) -> Question:
        return self.turn.question

    @property
    def session_id(self) -> str | None:
        return self.turn.session_id

    def events(self, answering: Callable[[Question], Generator[AnswerEvent]]) -> Generator[AnswerEvent]:
        """What happens while the whole question is answered. Nothing happens before the first event is asked for."""
        try:
            self.turn = self.sessions.whole(self.turn)
            with closing(answering(self.question)) as events:
                for event in events:
                    yield self._counted(event) if isinstance(event, Answer) else event
        except AuroraError:
            self.sessions.abandon(self.turn)
            raise

    def _counted(self, answer: Answer) -> Answer:
        self.answer = self.sessions.counted(self.turn, answer)
        return self.answer

    def answer_of(self, answering: Callable[[Question], Generator[AnswerEvent]]) -> Answer:
        """The same at once."""
        return last(self.events(answering))

    def kept(self, told: Generator[StreamEvent | None]) -> Generator[StreamEvent | None]:
        """The same, the turn stored before its result is told."""
        with closing(told):
            for event in told:
                if event is not None and event.name == "result":
                    self.keep(event.data)
                yield event

    def keep(self, body: Mapping[str, Any]) -> None:
        """Store the turn as `body` tells it to the caller."""
        if self.answer is not None:
            self.sessions.record(self.turn, self.answer, body)


def begin(sessions: Sessions, question: Question, body: TurnBody) -> Asked:
    """Raises NotFound for a session that there is not, InvalidArgument for a setting out of its range."""
    return Asked(sessions, sessions.begin(question, body.session_id, body.patch()))
