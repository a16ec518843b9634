"""What a caller says of an answer -> the feedback that is kept."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime

from shared.model.account import Feedback, Rating

MOST_COMMENT = 2000
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
