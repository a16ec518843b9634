"""A file's text -> a template, or the reason why it is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.errors import InvalidArgument
from shared.model.templates import Template
from shared.templates.files import MAX_CONTENT, check, check_id, read_template

WHOLE = """\
---
name: Compare   options
domain: decisions
complexity: complex
methodology: comparative
keywords: [versus, 2024, versus, " two  words "]
description: >
  Which is
  better?
author: somebody
---

1. **Options**: name them.

2. **Verdict**: say it.
"""


def test_a_whole_file_is_read() -> None:
    assert read_template("compare", WHOLE) == Template(
        "compare",
        name="Compare options",
        content="1. **Options**: name them.\n\n2. **Verdict**: say it.",
        domain="decisions",
        complexity="complex",
        methodology="comparative",
        keywords=("versus", "2024", "two words"),
        description="Which is better?",
    )


def test_a_missing_or_empty_field_gets_its_default() -> None:
    read = read_template("t", "---\nname: T\ndomain:\ncomplexity: ''\n---\n1. Think.")
    assert read.domain == "general"
    assert read.complexity == "moderate"
    assert read.methodology == "sequential"
    assert read.keywords == ()
    assert read.description == ""


def test_keywords_may_be_one_text_with_commas_and_lines_may_end_as_on_windows() -> None:
    assert read_template("t", "---\r\nname: T\r\nkeywords: a, b c,\r\n---\r\n1.").keywords == (
        "a",
        "b c",
    )


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("1. Think.", "frontmatter"),
        ("", "frontmatter"),
        ("name: T\n---\n1.", "frontmatter"),
        ("---\nname: T\n1. no closing line", "frontmatter"),
        ("---\nname: [\n---\n1.", "frontmatter"),
        ("---\n- a list\n---\n1.", "frontmatter"),
        ("---\na: &x 1\nname: *x\n---\n1.", "frontmatter"),
        ("---\nname: [T]\n---\n1.", "name"),
        ("---\nname: yes\n---\n1.", "name"),
        ("---\nname: T\ndomain: {a: 1}\n---\n1.", "domain"),
        ("---\nname: T\nkeywords: {a: 1}\n---\n1.", "keywords"),
        ("---\nname: T\nkeywords: [[a]]\n---\n1.", "keywords"),
        ("---\nname: T\nkeywords: 7\n---\n1.", "keywords"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(text: str, field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        read_template("t", text)
    assert refused.value.field == field


def test_broken_yaml_is_told_with_its_line() -> None:
    with pytest.raises(
        InvalidArgument, match=r"frontmatter: expected YAML that can be read \(.*line 3\)"
    ):
        read_template("t", "---\nname: T\ndescription: a: b\n---\n1.")


@pytest.mark.parametrize(
    ("template", "field"),
    [
        (Template("t", "", "1."), "name"),
        (Template("t", "T", " \n"), "content"),
        (Template("t", "T" * 201, "1."), "name"),
        (Template("t", "T", "x" * (MAX_CONTENT + 1)), "content"),
        (Template("t", "T", "a\0b"), "content"),
        (Template("t", "T", "\ud800"), "content"),
        (Template("t", "T", "1.", methodology=""), "methodology"),
        (Template("t", "T", "1.", description="x" * 1001), "description"),
        (Template("t", "T", "1.", keywords=("k",) * 21), "keywords"),
        (Template("t", "T", "1.", keywords=("k", "")), "keywords[1]"),
        (Template("auto", "T", "1."), "templateId"),
    ],
)
def test_a_field_over_a_limit_is_named(template: Template, field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        check(template)
    assert refused.value.field == field


def test_ids_are_what_a_document_and_an_address_can_hold() -> None:
    for good in ("plan", "Root cause", "ünï 日本", "v1.2", "x" * 1000, "Auto"):
        assert check_id(good) == good
    for bad in ("", ".", "..", "a/b", "__x__", "a\nb", "x" * 1001, "auto", "none"):
        with pytest.raises(InvalidArgument, match="templateId"):
            check_id(bad)


@pytest.mark.parametrize("field", ["name", "content"])
@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0", "\u2003\u3000"])
def test_a_text_that_shows_nothing_is_no_name_and_no_content(field: str, blank: str) -> None:
    template = Template("t", name="T", content="1. Think.")
    changes: dict[str, Any] = {field: blank}
    with pytest.raises(InvalidArgument, match=f"^{field}: expected text that is not blank"):
        check(replace(template, **changes))
