"""A template's file: YAML frontmatter that says what it is for, then the steps as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from shared.errors import InvalidArgument
from shared.markdown.frontmatter import split
from shared.model.templates import Template


def read_template(template_id: str, text: str) -> Template:
    """The template in a file's text. Fields it does not know are left alone.

    Raises InvalidArgument: `frontmatter` if there is none or it cannot be read, else the field that is wrong.
    """
    front = split(text)
    if front.problem:
        raise InvalidArgument("frontmatter", f"YAML that can be read ({front.problem.removeprefix('frontmatter: ')})")
    if not front.body_start:
        raise InvalidArgument("frontmatter", "YAML between two lines of --- at the start, with at least a name")
    fields = front.fields
    bare = Template(template_id, _text(fields, "name", ""), text[front.body_start :].strip())
    return Template(
        template_id,
        bare.name,
        bare.content,
        domain=_text(fields, "domain", bare.domain),
        complexity=_text(fields, "complexity", bare.complexity),
        methodology=_text(fields, "methodology", bare.methodology),
        keywords=_words(fields.get("keywords")),
        description=_text(fields, "description", ""),
    )


def _text(fields: Mapping[str, object], name: str, default: str) -> str:
    """A field on one line; one that is not there, or empty, is its default."""
    value = fields.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidArgument(name, "text")
    return " ".join(str(value).split()) or default


def _words(value: object) -> tuple[str, ...]:
    """A list, or text with commas; each once, in order."""
    words = value.split(",") if isinstance(value, str) else [] if value is None else value
    if not isinstance(words, list) or not all(_is_word(word) for word in words):
        raise InvalidArgument("keywords", "a list of words")
    plain = (re.sub(r"\s+", " ", str(word)).strip() for word in words)
    return tuple(dict.fromkeys(word for word in plain if word))


def _is_word(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
