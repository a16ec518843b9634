"""How a person takes the answers in their sessions: rates of feedback, click-through and follow-ups."""

from __future__ import annotations

from datetime import datetime

from typing_extensions import TypedDict

from shared.account.export import ROWS_AT_ONCE, SessionPages, session_messages
from shared.model.account import Rating
from shared.model.sessions import Role
from shared.ports.pages import every
from shared.ports.stores import Store


class QualityJson(TypedDict):
    """How many answers were rated, had a citation opened (`clicked`) or followed another of their session. Rates are
    shares of `answers`, in [0, 1]; null: there are none.
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
    """Counts whole sessions that have changed since then. Reads their messages and all of the person's feedback, page
    by page; feedback on answers that none of these sessions holds does not count.
    """
    answers, follow_ups = set[str](), 0
    for session in every(lambda token: sessions.page(limit=ROWS_AT_ONCE, token=token)):
        if session.updated_at < since:  # the last changed come first
            break
        said = (each.message for each in session_messages(session.session_id, sessions))
        answered = {each.request_id or each.message_id for each in said if each.role is Role.ASSISTANT}
        answers |= answered
        follow_ups += max(0, len(answered) - 1)
    ratings, clicked = dict[str, Rating](), set[str]()
    for each in every(lambda token: store.list_feedback(sessions.person, limit=ROWS_AT_ONCE, token=token)):
        if each.request_id in answers and each.citation is not None:
            clicked.add(each.request_id)
        elif each.request_id in answers and each.rating is not None:
            ratings[each.request_id] = each.rating
    feedback, clicks, follows = (
        round(count / len(answers), 4) if answers else None for count in (len(ratings), len(clicked), follow_ups)
    )
    return QualityJson(
        answers=len(answers),
        ratedUp=list(ratings.values()).count(Rating.UP),
        ratedDown=list(ratings.values()).count(Rating.DOWN),
        clicked=len(clicked),
        followUps=follow_ups,
        feedbackRate=feedback,
        clickThroughRate=clicks,
        followUpRate=follows,
    )
