"""Reasoning templates, and which of them suit a question."""

from __future__ import annotations

from typing_extensions import TypedDict


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
