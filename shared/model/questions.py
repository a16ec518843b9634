"""A question as its caller asked it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Half-open range `[start, end)`; a side that is None is open."""

    start: datetime | None
    end: datetime | None

    def contains(self, when: datetime) -> bool:
        if self.start is not None and when < self.start:
            return False
        return self.end is None or when < self.end


@dataclass(frozen=True, slots=True)
class TimeHint:
    """A time that the question names."""

    range: TimeRange
    phrase: str
    days: int | None
    """Days that it reaches back from now, rounded up; None if it has no start."""
    restricts: bool = True
    """True if only notes of that time are asked for; else notes near to it come first."""


QUOTES = 3
"""Passages quoted unless a question wants more or fewer."""


class Strategy(StrEnum):
    """Method of joining the legs into one ranking."""

    WEIGHTED = "weighted"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Filters:
    """Restrictions of the search by the caller. Empty tuples restrict nothing."""

    vaults: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """`folder` or `vault/folder`, each with everything below it; `/` or `vault/`: the notes in no folder."""
    tags: tuple[str, ...] = ()
    created_after: datetime | None = None
    created_before: datetime | None = None
    window_days: int | None = None
    without_notes: tuple[str, ...] = ()
    """Ids of notes that are neither read nor cited."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of a conversation and what was answered, without markers and list of sources."""

    question: str
    answer: str


class WhenNotInNotes(StrEnum):
    """Behaviour for a question that the notes do not answer."""

    REFUSE = "refuse"
    GENERAL = "general"
    """A model's general knowledge, under a line that says so, without citations."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its options, as the caller asked it."""

    tenant_id: str
    text: str
    """Text that is searched for and answered; in a conversation it includes what earlier turns left implicit."""
    now: datetime
    zone: str = "UTC"
    """IANA name: in which day and week "last Monday" is meant."""
    filters: Filters = field(default_factory=Filters)
    top_k: int | None = None
    """1 to 20; None for the value of the setting."""
    quotes: int = QUOTES
    """1-8: passages quoted at most where no model writes."""
    threshold: float = 0.0
    """Least calibrated similarity, 0-1."""
    strategy: Strategy = Strategy.WEIGHTED
    use_notes: bool = True
    include_citations: bool = True
    when_not_in_notes: WhenNotInNotes = WhenNotInNotes.REFUSE
    template: str | None = None
    """Id of the reasoning template to answer along, AUTO for the most similar one, None for none."""
    asked: str | None = None
    """The person's own words if `text` says more than they did ("and in March?"); None if `text` is what they said."""
    history: tuple[Exchange, ...] = ()
    """Earlier turns of the conversation, oldest first."""
    system_prompt: str = ""
    """Instructions of the person for answers, in their own words."""
    model: str | None = None
    """Name of the model that writes, one of those allowed; None for the configured one."""
    max_context_tokens: int | None = None
    """Most tokens that the writer reads, estimated: instructions, history, sources and question; None for no limit."""

    @property
    def own_words(self) -> str:
        """The person's own words, which may be fewer than `text`."""
        return self.asked or self.text
