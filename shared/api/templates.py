"""Reasoning templates, and which of them suit a question."""

from __future__ import annotations

from typing_extensions import TypedDict

from shared.api.values import rounded
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


def listed_template_json(template: Template) -> ListedTemplateJson:
    """Returns a template without its steps."""
    return {
        "templateId": template.template_id,
        "name": template.name,
        "domain": template.domain,
        "complexity": template.complexity,
        "methodology": template.methodology,
        "keywords": list(template.keywords),
        "description": template.description,
    }


def template_json(template: Template) -> TemplateJson:
    """Returns a template."""
    return {**listed_template_json(template), "content": template.content}


def template_match_json(match: TemplateMatch) -> TemplateMatchJson:
    """Returns a template and its similarity to a question."""
    score = None
    if match.score is not None:
        score = rounded(match.score)
    return {**template_json(match.template), "score": score}
