"""Conversations: their settings and what was said in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from shared.model.codec import camel
from shared.model.limits import MAX_DAYS, MAX_FOLDER
from shared.model.questions import Strategy, WhenNotInNotes
from shared.model.templates import AUTO, NONE

V = TypeVar("V", bool, int, float, str)
SettingsPatch: TypeAlias = Mapping[str, bool | int | float | str]
"""Some of the settings: name -> value. Those it does not name are left as they are."""


def _setting(expected: str, *, default: V, **known: Any) -> V:  # noqa: ANN401 - fields of `Setting`
    """Declares a field of `SessionSettings`, of its default's type, with its description as in `Setting`."""
    metadata = {"kind": type(default), "expected": expected, **known}
    declared: V = field(default=default, metadata=metadata)
    return declared


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """Settings for the questions of one session, unless a request sets others.

    Settings are declared here only: bodies of requests, replies, GraphQL, openapi.json and both stores follow.
    """

    use_notes: bool = _setting("true or false", default=True)
    top_k: int = _setting("a whole number", default=5, least=1, most=20)
    threshold: float = _setting("a number", default=0.0, least=0, most=1)
    """Least calibrated similarity."""
    include_citations: bool = _setting("true or false", default=True)
    system_prompt: str = _setting("text, without NUL", default="", most=2000)
    """Instructions of the person for answers; at most 2,000 estimated tokens, of which a question may have 500 or more."""
    model: str = _setting(
        "the name of a model that may be chosen, or null for the configured one",
        default="",
        nullable=True,
    )
    """An allowed model; empty for the configured one."""
    max_context_tokens: int = _setting("a whole number", default=4000, least=500, most=32_000)
    """Largest prompt in tokens, estimated; see `Question.max_context_tokens`. In new sessions a share of the configured
    model's context window, where that is known."""
    max_history: int = _setting("a whole number", default=20, least=0, most=200)
    """Number of earlier messages that a question may refer to."""
    look_in: str = _setting(
        "text like `vault/folder`; `vault/` for all of it, `vault//` for its notes in no folder",
        default="",
        most=MAX_FOLDER,
    )
    """Vault or folder to search if a request's filters name none; empty for everywhere."""
    window_days: int = _setting("a whole number", default=0, least=0, most=MAX_DAYS)
    """Greatest age of a note in days, unless a request's filters name a time; 0 for any."""
    strategy: str = _setting(
        " or ".join(Strategy),
        default=Strategy.WEIGHTED.value,
        choices=tuple(Strategy),
    )
    when_not_in_notes: str = _setting(
        " or ".join(WhenNotInNotes),
        default=WhenNotInNotes.REFUSE.value,
        choices=tuple(WhenNotInNotes),
    )
    """General: where the notes do not hold the answer, a model answers without them, and the answer says so."""
    template: str = _setting(f"{AUTO}, {NONE}, or the id of a template", default=NONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Description of one session setting for every front door."""

    field: str
    """The key in JSON and in stored documents."""
    kind: type[bool | int | float | str]
    expected: str
    """Accepted values, as error messages name them."""
    least: float | None = None
    most: float | None = None
    """The greatest number, or the most characters of a text; None for no bound."""
    choices: tuple[str, ...] = ()
    """The texts that are allowed; empty for any text."""
    nullable: bool = False
    """True if empty text is null in JSON."""


def _described(name: str, metadata: Mapping[str, Any]) -> Setting:
    """Returns the description of a setting, with its bounds in `expected`."""
    setting = Setting(field=camel(name), **metadata)
    expected = setting.expected
    least = setting.least
    most = setting.most
    if least is not None:
        expected += f" from {least:g} to {most:g}"
    elif most:
        expected = expected.replace("text", f"text of at most {most} characters")
    return replace(setting, expected=expected)


SETTINGS: Mapping[str, Setting] = {
    declared.name: _described(declared.name, declared.metadata)
    for declared in fields(SessionSettings)
}
"""Name of a setting -> its description."""


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation."""

    session_id: str
    created_at: datetime
    updated_at: datetime
    """When it was last renamed, set or answered in."""
    title: str = ""
    """Title given by its owner; empty if none was given."""
    first_question: str = ""
    """The first question, shortened; it names a session without a title. Empty if nothing was asked yet."""
    message_count: int = 0
    settings: SessionSettings = field(default_factory=SessionSettings)

    @property
    def shown_title(self) -> str:
        return self.title or self.first_question


class Role(StrEnum):
    """Author of a message."""

    USER = "user"
    ASSISTANT = "assistant"

    @classmethod
    def newer(cls) -> Role:
        """Returns the role that stands for values which a newer release wrote."""
        return cls.ASSISTANT


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A citation as it was answered, and the revision of its note at that time."""

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
    """An answer with citations ends with the list of its sources (`shared.sessions.turns`)."""
    created_at: datetime
    request_id: str = ""
    """Id of the turn, shared by its question and its answer; empty if it was stored before messages had one."""
    standalone: str = ""
    """Text that was searched for, if it is more than the question's text."""
    as_of: datetime | None = None
    """The time to which words like "last week" in the question refer; None in an answer."""
    citations: tuple[StoredCitation, ...] = ()
    claims: tuple[Mapping[str, Any], ...] = ()
    """Support of each sentence, as the JSON objects that the caller received."""
    meta: Mapping[str, Any] | None = None
    """The JSON object that the caller got with the answer."""
