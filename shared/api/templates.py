"""Reasoning templates, and which of them suit a question."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import TypedDict

from shared.api.values import shown
from shared.model.templates import Template, TemplateMatch


class ListedTemplateJson(TypedDict):
    """A reasoning template in a list."""

    templateId: str
    name: str
    domain: str
    complexity: str
    methodology: str
    keywords: list[str]
    description: str


class TemplateJson(ListedTemplateJson):
    """A reasoning template."""

    content: str


class TemplatesJson(TypedDict):
    """All templates by id. `ready`: every one of them is found by similarity."""

    templates: list[ListedTemplateJson]
    ready: bool


class TemplateMatchJson(TemplateJson):
    """A template and its similarity to a question."""

    score: float | None


class TemplateMatchesJson(TypedDict):
    """Templates, the most similar first; never empty."""

    templates: list[TemplateMatchJson]


def templates_json(templates: Iterable[Template], *, ready: bool) -> TemplatesJson:
    return {"templates": [shown(ListedTemplateJson, each) for each in templates], "ready": ready}


def template_match_json(match: TemplateMatch) -> TemplateMatchJson:
    """One row of `/templates:search`."""
    return shown(TemplateMatchJson, match, match.template)
