"""What a caller says of an answer -> the feedback that is kept, and keeping it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import datetime

from shared.model.account import Feedback, Person, Rating
from shared.ports.tenants import FeedbackStore

MAX_COMMENT = 2000
"""Characters."""


def feedback_of(
    request_id: str,
    *,
    message_id: str | None,
    citation: str | None,
    rating: Rating | None,
    comment: str,
    now: datetime,
) -> Feedback:
    """Its id is made of what it is about, so that a second thought, or a request sent twice, replaces the first."""
    about = json.dumps([request_id, message_id, citation])
    feedback_id = hashlib.sha256(about.encode()).hexdigest()[:32]
    return Feedback(
        feedback_id=feedback_id,
        request_id=request_id,
        created_at=now,
        message_id=message_id,
        rating=rating,
        comment=comment,
        citation=citation,
    )


def keep_feedback(
    store: FeedbackStore, person: Person, feedback: Feedback, *, rated: bool = True, commented: bool = True
) -> Feedback:
    """Keep it in place of earlier feedback on the same thing, and return what is kept. Unless `rated`, the earlier
    rating stays; unless `commented`, the earlier comment.
    """
    before = None if rated and commented else store.get_feedback(person, feedback.feedback_id)
    if before is not None:
        rating = feedback.rating if rated else before.rating
        feedback = replace(feedback, rating=rating, comment=feedback.comment if commented else before.comment)
    store.put_feedback(person, feedback)
    return feedback
