"""Conversations: their settings and what was said in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How the questions of one session are answered, unless a request says otherwise."""

    use_notes: bool = True
    top_k: int = 5
    """1-20."""
    threshold: float = 0.0
    """Least calibrated similarity, 0-1."""
    include_citations: bool = True
    system_prompt: str = ""
    """How the person wants to be answered; at most 2,000 characters."""
    model: str = ""
    """One of the allowed models; empty: the configured one."""
    max_context_tokens: int = 4000
    """500-32,000, estimated; see `Question.max_context_tokens`."""
    max_history: int = 20
    """How many earlier messages a question may refer to, 0-200."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsPatch:
    """Some of the settings; None: left as it is."""

    use_notes: bool | None = None
    top_k: int | None = None
    threshold: float | None = None
    include_citations: bool | None = None
    system_prompt: str | None = None
    model: str | None = None
    """Empty: back to the configured one."""
    max_context_tokens: int | None = None
    max_history: int | None = None


SETTING_NAMES: Mapping[str, str] = {
    "use_notes": "useNotes",
    "top_k": "topK",
    "threshold": "threshold",
    "include_citations": "includeCitations",
    "system_prompt": "systemPrompt",
    "model": "model",
    "max_context_tokens": "maxContextTokens",
    "max_history": "maxHistory",
}
"""Setting -> its name in JSON and in stored documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation."""

    session_id: str
    created_at: datetime
    updated_at: datetime
    """When it was last renamed, set or answered in."""
    title: str = ""
    """As its owner named it; empty: not named."""
    first_question: str = ""
    """Shortened; what an unnamed session is called. Empty: nothing was asked yet."""
    message_count: int = 0
    settings: SessionSettings = field(default_factory=SessionSettings)

    @property
    def shown_title(self) -> str:
        return self.title or self.first_question


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A citation as it was answered, and of which revision of its note."""

    note_id: str
    note_revision: str
    shown: Mapping[str, Any]
    """The JSON object that the caller got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a session. In one session ids of the same instant sort as the messages were said."""

    message_id: str
    role: Role
    text: str
    """Of an answer with citations: it ends with the list of its sources (`shared.sessions.source_list`)."""
    created_at: datetime
    request_id: str = ""
    """Of the turn, which its question and its answer share; empty: stored before messages had one."""
    standalone: str = ""
    """Of a question: what was searched for, if that is more than its text."""
    as_of: datetime | None = None
    """Of a question: from which moment its "last week" was meant."""
    citations: tuple[StoredCitation, ...] = ()
    meta: Mapping[str, Any] | None = None
    """The JSON object that the caller got with the answer."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a listing that goes from the newest to the oldest stands: the last item given."""

    moment: datetime
    item_id: str
