"""Reads and writes frontmatter: YAML between `---` lines at the start of a note, which is metadata
and no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yaml import Node, SafeLoader

MAX_YAML = 32_768
"""Characters of YAML that are read. YAML is slow to parse, and what people write there is a few
lines."""
MAX_NUMBER = 256
"""Characters of a number: Python refuses to write an integer of more than 4,300 decimal digits as
text, and a float of sexagesimal places overflows beyond 170 of them."""

_OPENING = re.compile(r"\ufeff?---[ \t]*(\r\n|\n|\r)")
_NAME = re.compile(r"\w[\w .-]{0,60}:(?:\s|$)")
_MEANT = re.compile(rf"{_NAME.pattern}|\s|#|-\s|[\]}}]|$")
"""Matches a line of YAML as people write it: a name, or what goes on from the line before."""
_TITLE = re.compile(r"title:[ \t]++(?P<title>[^\[{&*!|>%@`\s].*)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The frontmatter of a note, which stands before its text."""

    fields: Mapping[str, object]
    """Fields as YAML reads them (dates become `date` or `datetime`); keys as text; empty if there
    are none."""
    body_start: int = 0
    """Offset at which the text begins: just after the closing line, in code points. 0 without
    readable frontmatter."""
    problem: str | None = None
    """One line that says why the YAML could not be read; `fields` then has the title at most, if it
    is a line."""
    shown_from: int = 0
    """Offset at which the text begins that people read: also behind lines that are meant as
    frontmatter and cannot be read as such."""


_NO_FIELDS: Mapping[str, object] = MappingProxyType({})


def split(text: str) -> Frontmatter:
    """Returns the frontmatter of a note's text, and where the rest begins. Never raises.

    Only at the very start (a byte order mark may precede it), and only between two lines of three
    hyphens. YAML's safe subset without aliases, so that a few lines cannot stand for gigabytes.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return Frontmatter(_NO_FIELDS)
    closing = _CLOSING.search(text.replace("\r", "\n"), opening.end())
    if closing is None:
        return Frontmatter(_NO_FIELDS)

    source = text[opening.end() : closing.start()]
    if len(source) > MAX_YAML:
        problem = f"frontmatter: longer than {MAX_YAML:,} characters"
        return Frontmatter(_NO_FIELDS, problem=problem)

    body_start = closing.end()
    closes_with_crlf = text.startswith("\r\n", body_start - 1)
    if closes_with_crlf:
        body_start += 1

    loaded = _load(source)
    if not loaded.problem:
        fields = {str(name): value for name, value in loaded.fields.items()}
        return Frontmatter(
            fields=MappingProxyType(fields),
            body_start=body_start,
            shown_from=body_start,
        )

    problem = f"frontmatter: {loaded.problem}"
    lines = source.splitlines()
    if not _is_meant_as_fields(lines):
        return Frontmatter(_NO_FIELDS, problem=problem)
    return Frontmatter(
        fields=_title_alone(lines),
        problem=problem,
        shown_from=body_start,
    )


def _is_meant_as_fields(lines: Sequence[str]) -> bool:
    """Reports whether lines look like fields; other lines between two rules are text."""
    if not all(map(_MEANT.match, lines)):
        return False
    return any(map(_NAME.match, lines))


def _title_alone(lines: Iterable[str]) -> Mapping[str, object]:
    """Returns the field `title` of the first line that has one; of lines that YAML cannot read."""
    for line in lines:
        match = _TITLE.match(line)
        if match is None:
            continue
        title = match["title"].rstrip().strip("'\"")
        if not title:
            return _NO_FIELDS
        return {"title": title}
    return _NO_FIELDS


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A result of YAML's parser."""

    fields: Mapping[object, object]
    problem: str | None = None
    """Says what is wrong; None if nothing is."""


@lru_cache(maxsize=16)
def _load(source: str) -> _Loaded:
    """Reads YAML that is a mapping.

    Remembered: whoever imports a note reads it just before it is cut.
    """
    import yaml  # noqa: PLC0415 - 15 ms that most notes do not need

    try:
        fields = yaml.load(source, _loader())  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        problem = f"{error.problem}"
        if error.problem_mark:
            line = error.problem_mark.line + 2  # from 1, below the opening line
            problem += f" (line {line})"
        return _Loaded({}, problem.replace("\n", " "))
    except yaml.YAMLError as error:
        return _Loaded({}, str(error).partition("\n")[0])
    except RecursionError:
        return _Loaded({}, "nested too deeply")
    except (ValueError, LookupError, TypeError, AttributeError):
        # PyYAML's own, for dates and numbers that are none
        return _Loaded({}, "a value is not what its type says")

    if fields is None:
        return _Loaded({})
    if not isinstance(fields, dict):
        return _Loaded({}, "not a list of `name: value` lines")
    return _Loaded(fields)


@cache
def _loader() -> type[SafeLoader]:
    """Returns a loader without aliases and long numbers, which reads tags as they are written."""
    import yaml  # noqa: PLC0415 - as above

    class Loader(yaml.SafeLoader):
        """YAML's safe subset without aliases."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not allowed")
            node = super().compose_node(parent, index)
            if isinstance(index, yaml.ScalarNode) and index.value == "tags":
                _read_as_text(node)
            return node

        def construct_number(self, node: yaml.ScalarNode) -> object:
            if len(self.construct_scalar(node)) > MAX_NUMBER:
                raise ValueError("a number is too long")
            return yaml.SafeLoader.yaml_constructors[node.tag](self, node)

    for kind in ("int", "float"):
        Loader.add_constructor(f"tag:yaml.org,2002:{kind}", Loader.construct_number)
    return Loader


def _read_as_text(node: Node | None) -> None:
    """Marks the scalars of nested lists as text: `yes` is then no truth and `007` no number."""
    import yaml  # noqa: PLC0415 - as above

    nodes = [node]
    while nodes:
        nested = nodes.pop()
        if isinstance(nested, yaml.SequenceNode):
            nodes.extend(nested.value)
        elif isinstance(nested, yaml.ScalarNode) and not nested.tag.endswith(":null"):
            nested.tag = "tag:yaml.org,2002:str"


_DOCUMENT_END = "...\n"
"""Written by YAML behind a value without a name."""


def with_fields(text: str, fields: Mapping[str, object]) -> str:
    """Returns the text with these fields in its frontmatter. Never raises.

    Unchanged if the frontmatter is unreadable, would lose another field or would not say one of
    these.
    """
    front = split(text)
    if not fields or front.problem:
        return text
    changed = text
    if not front.body_start:
        changed = f"---\n---\n{text}"
    for name, value in fields.items():
        changed = _with_field(changed, name, value)
    if split(changed).fields != {**front.fields, **fields}:
        return text
    return changed


def _with_field(text: str, name: str, value: object) -> str:
    """Returns the text with the frontmatter's line of this name replaced, or added as its last.

    Unchanged if the frontmatter is unreadable.
    """
    import yaml  # noqa: PLC0415 - as above

    opening = _OPENING.match(text)
    body_start = split(text).body_start
    if opening is None or not body_start:
        return text

    dumped = yaml.safe_dump(
        value,
        allow_unicode=True,
        default_flow_style=True,
        width=10_000,
    )
    written = dumped.removesuffix(_DOCUMENT_END).rstrip()
    line = f"{name}: {written}"

    start = opening.end()
    end = text.rindex("---", start, body_start)
    place = _place_of_field(text[start:end], name)
    if place is None:
        line_break = opening[1]
        return text[:end] + line + line_break + text[end:]
    field_start = start + place.start
    field_end = start + place.end
    return text[:field_start] + line + text[field_end:]


@dataclass(frozen=True, slots=True)
class _Place:
    """Offsets into YAML."""

    start: int
    end: int


def _place_of_field(source: str, name: str) -> _Place | None:
    """Returns the place of a field with its value, without what follows; None without a field."""
    import yaml  # noqa: PLC0415 - as above

    root = yaml.compose(source, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        return None
    for key, value in root.value:
        if key.value != name:
            continue
        last_node = _last_node(value)
        up_to_value = source[: last_node.end_mark.index]
        value_end = len(up_to_value.rstrip())
        # An empty value ends behind the colon.
        colon_end = key.end_mark.index + 1
        return _Place(
            start=key.start_mark.index,
            end=max(value_end, colon_end),
        )
    return None


def _last_node(node: Node) -> Node:
    """Returns the last node of nested blocks: a block's own end includes the comments behind it."""
    import yaml  # noqa: PLC0415 - as above

    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node
