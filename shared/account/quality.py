"""How a person takes the answers in their sessions: rates of feedback, click-through and follow-ups."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.account.export import ROWS_AT_ONCE, SessionPages, session_messages
from shared.model.account import Rating
from shared.model.sessions import Role
from shared.ports.pages import every
from shared.ports.stores import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Counts of answers. Rates are shares of `answers`; None: there are none."""

    answers: int
    rated_up: int
    rated_down: int
    clicked: int
    """Answers of which a citation was opened or rated."""
    follow_ups: int
    """Answers to a question that was not the first of its session."""
    feedback_rate: float | None
    click_through_rate: float | None
    follow_up_rate: float | None


def quality(store: Store, sessions: SessionPages, since: datetime) -> Quality:
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
        count / len(answers) if answers else None for count in (len(ratings), len(clicked), follow_ups)
    )
    return Quality(
        answers=len(answers),
        rated_up=list(ratings.values()).count(Rating.UP),
        rated_down=list(ratings.values()).count(Rating.DOWN),
        clicked=len(clicked),
        follow_ups=follow_ups,
        feedback_rate=feedback,
        click_through_rate=clicks,
        follow_up_rate=follows,
    )
