"""The fields by which a request names its session and sets a session's settings."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from functions.http.bodies import Body
from functions.http.questions import AskingBody
from shared.model.sessions import SETTING_NAMES, SettingsPatch
from shared.sessions.limits import LONGEST_SYSTEM_PROMPT, RANGES, SYSTEM_PROMPT, expected

FLAG = "true or false"
MODEL = "the name of a model that may be chosen, or null for the configured one"


def _range(setting: str) -> dict[str, Any]:
    """For readers of openapi.json; the library checks, for every front door."""
    low, high = RANGES[setting]
    return {"minimum": low, "maximum": high}


class SettingsFields(Body):
    """Some of a session's settings. Null means not set, except for `model`, where it means the configured one."""

    use_notes: bool | None = Field(default=None, description=FLAG)
    top_k: int | None = Field(default=None, description=expected("top_k"), json_schema_extra=_range("top_k"))
    threshold: float | None = Field(
        default=None, description=expected("threshold"), json_schema_extra=_range("threshold")
    )
    include_citations: bool | None = Field(default=None, description=FLAG)
    system_prompt: str | None = Field(
        default=None, description=SYSTEM_PROMPT, json_schema_extra={"maxLength": LONGEST_SYSTEM_PROMPT}
    )
    model: str | None = Field(default=None, description=MODEL)
    max_context_tokens: int | None = Field(
        default=None, description=expected("max_context_tokens"), json_schema_extra=_range("max_context_tokens")
    )
    max_history: int | None = Field(
        default=None, description=expected("max_history"), json_schema_extra=_range("max_history")
    )

    def patch(self) -> SettingsPatch:
        """The settings that were given. Ranges are not checked yet."""
        model = (self.model or "") if "model" in self.model_fields_set else None
        said = {name: getattr(self, name) for name in SETTING_NAMES if name != "model"}
        return SettingsPatch(**said, model=model)


class SettingsBody(SettingsFields):
    """`settings` of a session."""


class TurnBody(AskingBody, SettingsFields):
    """A question that may belong to a session."""

    session_id: str | None = Field(default=None, description='the id of a session, or "new" to begin one')
