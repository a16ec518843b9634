"""Quality of answers as their readers show it: rates of feedback, click-through and follow-ups."""

from __future__ import annotations

from datetime import datetime

from typing_extensions import TypedDict

from shared.account.export import ROWS_AT_ONCE, SessionMessage, SessionPages, session_messages
from shared.model.account import Rating
from shared.model.documents import FEEDBACK
from shared.model.sessions import Role
from shared.ports.documents import read_page
from shared.ports.pages import items_of_pages
from shared.ports.stores import Store


class QualityJson(TypedDict):
    """Numbers of answers that were rated, had a citation opened (`clicked`) or followed another of
    their session.

    Rates are shares of `answers`, in [0, 1]; null if there are no answers.
    """

    answers: int
    ratedUp: int
    ratedDown: int
    clicked: int
    followUps: int
    feedbackRate: float | None
    clickThroughRate: float | None
    followUpRate: float | None


def quality(store: Store, sessions: SessionPages, since: datetime) -> QualityJson:
    """Returns the figures of whole sessions that have changed since then.

    Reads their messages and all feedback of the person, page by page; feedback on answers of other
    sessions does not count.
    """
    answer_ids: set[str] = set()
    follow_ups = 0
    for session in items_of_pages(lambda token: sessions.page(limit=ROWS_AT_ONCE, token=token)):
        if session.updated_at < since:  # the last changed come first
            break
        session_answers = _answer_ids(session.session_id, sessions)
        answer_ids |= session_answers
        follow_ups += max(0, len(session_answers) - 1)

    ratings: dict[str, Rating] = {}
    clicked: set[str] = set()
    for feedback in items_of_pages(
        lambda token: read_page(store, sessions.person, FEEDBACK, limit=ROWS_AT_ONCE, token=token),
    ):
        if feedback.request_id not in answer_ids:
            continue
        if feedback.citation is not None:
            clicked.add(feedback.request_id)
        elif feedback.rating is not None:
            ratings[feedback.request_id] = feedback.rating

    votes = list(ratings.values())
    answers = len(answer_ids)
    return QualityJson(
        answers=answers,
        ratedUp=votes.count(Rating.UP),
        ratedDown=votes.count(Rating.DOWN),
        clicked=len(clicked),
        followUps=follow_ups,
        feedbackRate=_rate(len(ratings), answers),
        clickThroughRate=_rate(len(clicked), answers),
        followUpRate=_rate(follow_ups, answers),
    )


def _answer_ids(session_id: str, sessions: SessionPages) -> set[str]:
    """Returns the request id of each answer of a session, or its message id if it has none."""
    ids = set()
    for entry in session_messages(session_id, sessions):
        if not isinstance(entry, SessionMessage):
            continue
        message = entry.message
        if message.role is Role.ASSISTANT:
            ids.add(message.request_id or message.message_id)
    return ids


def _rate(count: int, answers: int) -> float | None:
    """Returns a count as a share of the answers; None if there are none."""
    if not answers:
        return None
    return round(count / answers, 4)
