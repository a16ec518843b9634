"""The fields by which a request names its session and sets a session's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from functions.http.bodies import Body
from functions.http.questions import AskingBody
from shared.model.sessions import SETTINGS, Setting, SettingsPatch


class _Settings(Body):
    """Some of a session's settings. Null means not set; where a setting may be null it means the configured one."""

    def patch(self) -> SettingsPatch:
        """The settings that were given. Ranges are not checked yet."""
        said = {name: getattr(self, name) for name in SETTINGS if name in self.model_fields_set}
        return {
            name: "" if value is None else value
            for name, value in said.items()
            if value is not None or SETTINGS[name].nullable
        }


def _field(setting: Setting) -> tuple[Any, Any]:
    """Described for readers of openapi.json; the library checks ranges, for every front door."""
    if setting.kind is str:
        bounds: dict[str, Any] = {"maxLength": setting.most}
    else:
        bounds = {"minimum": setting.least, "maximum": setting.most}
    known = {name: bound for name, bound in bounds.items() if bound is not None}
    return setting.kind | None, Field(default=None, description=setting.expected, json_schema_extra=known or None)


if TYPE_CHECKING:
    SettingsFields = _Settings
else:
    SettingsFields = create_model(
        "SettingsFields", __base__=_Settings, **{name: _field(each) for name, each in SETTINGS.items()}
    )


class SettingsBody(SettingsFields):
    """`settings` of a session."""


class TurnBody(AskingBody, SettingsFields):
    """A question that may belong to a session."""

    session_id: str | None = Field(default=None, description='the id of a session, or "new" to begin one')
