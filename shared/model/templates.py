"""Reasoning templates."""

from __future__ import annotations

from dataclasses import dataclass

from shared.model.index import Vector

AUTO = "auto"
"""In `Question.template`: choose by similarity. So no template has this id."""
MAX_TEMPLATES = 500
"""Templates of a tenant that are read: they are compared all at once, and those beyond, by id, are ignored."""
NONE = "none"
"""Value that stands for no template where a template may be named; no template has this id."""


@dataclass(frozen=True, slots=True)
class Template:
    """The steps along which an answer is laid out, and the questions that they suit. No field is None."""

    template_id: str
    """The file's name without its ending."""
    name: str
    content: str
    """The steps as Markdown."""
    domain: str = "general"
    complexity: str = "moderate"
    methodology: str = "sequential"
    keywords: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class StoredTemplate:
    """A template with its embedding, if it has one."""

    template: Template
    vector: Vector | None = None
    vector_key: str | None = None
    """Key of the text and the vector space that `vector` was made from; if not the current one, the vector is stale."""


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """A template and its calibrated similarity to a question in [0, 1]; None if the caller named the template."""

    template: Template
    score: float | None
