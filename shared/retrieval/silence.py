"""A question's searches, of which one that fails brings nothing and is told: the answer comes from the others."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from shared.errors import StoreRefused, StoreUnavailable
from shared.model.retrieval import Leg, SilentLeg

T = TypeVar("T")

_logger = logging.getLogger(__name__)


class Silence:
    """The legs that failed, of one question. Safe between threads.

    An index that is missing or still being built, a filter that the store does not take, a search that is not answered
    in time: each is one leg's matter. What says which notes exist is nobody's leg and raises as ever.
    """

    def __init__(self) -> None:
        self._failures: dict[Leg, StoreUnavailable] = {}

    @property
    def legs(self) -> tuple[SilentLeg, ...]:
        """The legs of which a search failed, and the first failure of each."""
        return tuple(SilentLeg(leg, failure.message) for leg, failure in sorted(self._failures.items()))

    def check(self) -> None:
        """For a search that found nothing. Raises the first failure: what a silent leg has cannot be denied."""
        for failure in self._failures.values():
            raise failure

    def tried(self, leg: Leg, search: Callable[[], T], nothing: T) -> T:
        """What the leg's search brings, `nothing` if it fails. One log line a leg: of an error if it takes somebody to
        mend it.
        """
        try:
            return search()
        except StoreUnavailable as failure:
            if self._failures.setdefault(leg, failure) is failure:
                level = logging.ERROR if isinstance(failure, StoreRefused) else logging.WARNING
                _logger.log(level, "searching without the %s leg: %s", leg.value, failure.message)
            return nothing
