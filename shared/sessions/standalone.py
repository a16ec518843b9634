"""x"""

from __future__ import annotations

from shared.domain import Question
from shared.ports import Writer
from shared.sessions.history import Earlier


def resolve(question: Question, turns: tuple[Earlier, ...], *, rewriter: Writer | None, longest: int) -> str:
    return question.text
