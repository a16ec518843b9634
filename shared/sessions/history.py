"""A session's messages -> its earlier turns: what a follow-up refers to, and what the writer is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from shared.answering.markers import read_markers
from shared.model.questions import Exchange
from shared.model.sessions import Message, Role
from shared.sessions.source_list import without_sources


@dataclass(frozen=True, slots=True)
class Earlier:
    """One turn that was answered."""

    exchange: Exchange
    standalone: str
    """The question as a whole."""
    as_of: datetime
    """From which moment its "last week" was meant."""


def earlier_turns(messages: Sequence[Message]) -> tuple[Earlier, ...]:
    """Messages in the order of time -> the turns of which both messages are there, in the order of their questions.

    Two clients may talk at once, so a turn's messages need not stand side by side; their ids tell whose they are.
    """
    answers = {each.message_id[:-1]: each for each in messages if each.role is Role.ASSISTANT}
    asked = (each for each in messages if each.role is Role.USER and each.message_id[:-1] in answers)
    return tuple(_earlier(each, answers[each.message_id[:-1]]) for each in asked)


def _earlier(question: Message, answer: Message) -> Earlier:
    said = read_markers(without_sources(answer.text)).written({})
    as_of = question.as_of or question.created_at
    return Earlier(Exchange(question.text, said), question.standalone or question.text, as_of)
