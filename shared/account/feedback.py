"""Feedback on an answer or on one of its citations: the later replaces the earlier."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from shared.model.account import Feedback, Person
from shared.ports.tenants import FeedbackStore

MAX_COMMENT = 2000
"""Characters."""


def feedback_id(request_id: str, message_id: str | None, citation: str | None) -> str:
    """An id made of the feedback's subject, so that a repeated request replaces the first."""
    subject = json.dumps([request_id, message_id, citation])
    return hashlib.sha256(subject.encode()).hexdigest()[:32]


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
