"""What a template may hold: the same for files, for requests and in the security rules."""

from __future__ import annotations

import re

from shared.errors import InvalidArgument
from shared.model.limits import ID, is_id
from shared.model.templates import AUTO, Template

NONE = "none"
"""In a request: no template. So none has this id."""
LONGEST_NAME = 200
"""Characters of a name, and of each of the three words that class a template."""
LONGEST_DESCRIPTION = 1000
LONGEST_CONTENT = 8000
"""Characters; all of it goes into the prompt."""
MOST_KEYWORDS = 20
LONGEST_KEYWORD = 100

TEMPLATE_ID = f"a template id: {ID}, `{AUTO}` or `{NONE}`"

_UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")


def is_template_id(text: str) -> bool:
    return is_id(text) and text not in (AUTO, NONE)


def check(template: Template) -> Template:
    """The template itself. Raises InvalidArgument naming the first field that is not as it must be."""
    if not is_template_id(template.template_id):
        raise InvalidArgument("templateId", TEMPLATE_ID)
    for field, value in (
        ("name", template.name),
        ("domain", template.domain),
        ("complexity", template.complexity),
        ("methodology", template.methodology),
    ):
        _check_text(field, value, LONGEST_NAME)
    _check_text("description", template.description, LONGEST_DESCRIPTION, empty=True)
    _check_text("content", template.content, LONGEST_CONTENT)
    if len(template.keywords) > MOST_KEYWORDS:
        raise InvalidArgument("keywords", f"at most {MOST_KEYWORDS} words")
    for place, keyword in enumerate(template.keywords):
        _check_text(f"keywords[{place}]", keyword, LONGEST_KEYWORD)
    return template


def _check_text(field: str, value: str, longest: int, *, empty: bool = False) -> None:
    if len(value) > longest or _UNKEEPABLE.search(value) or not (empty or value.strip()):
        kind = "text" if empty else "text that is not blank,"
        raise InvalidArgument(field, f"{kind} of at most {longest} characters, without NUL")
