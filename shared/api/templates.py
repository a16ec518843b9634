"""Reasoning templates, and which of them suit a question."""

from __future__ import annotations

from typing_extensions import TypedDict

from shared.api.values import rounded
from shared.model.templates import Template, TemplateMatch


class ListedTemplateJson(TypedDict):
    """A reasoning template in a list. `path`: its file in a folder of templates; null for a tenant's own."""

    templateId: str
    name: str
    domain: str
    complexity: str
    methodology: str
    keywords: list[str]
    description: str
    path: str | None


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


def listed_template_json(template: Template, path: str | None) -> ListedTemplateJson:
    """Returns a template without its steps. path: its file in a folder of templates."""
    return {
        "templateId": template.template_id,
        "name": template.name,
        "domain": template.domain,
        "complexity": template.complexity,
        "methodology": template.methodology,
        "keywords": list(template.keywords),
        "description": template.description,
        "path": path,
    }


def template_json(template: Template, path: str | None = None) -> TemplateJson:
    """Returns a template. path: its file in a folder of templates."""
    return {**listed_template_json(template, path), "content": template.content}


def template_match_json(match: TemplateMatch, path: str | None) -> TemplateMatchJson:
    """Returns a template and its similarity to a question. path: its file in a folder of templates."""
    score = None
    if match.score is not None:
        score = rounded(match.score)
    return {**template_json(match.template, path), "score": score}
