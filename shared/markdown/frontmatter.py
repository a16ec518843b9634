"""YAML between `---` lines at the start of a note: metadata, not text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yaml import SafeLoader

MAX_YAML = 32_768
"""Characters of YAML that are read. YAML is slow to parse, and what people write there is a few lines."""
MAX_NUMBER = 256
"""Characters of a number: Python refuses to write an integer of more than 4,300 decimal digits as text, and a float
of sexagesimal places overflows beyond 170 of them."""

_OPENING = re.compile(r"\ufeff?---[ \t]*(\r\n|\n|\r)")
_NAME = re.compile(r"\w[\w .-]{0,60}:(?:\s|$)")
_MEANT = re.compile(rf"{_NAME.pattern}|\s|#|-\s|[\]}}]|$")
"""A line of YAML as people write it: a name, or what goes on from the line before."""
_TITLE = re.compile(r"title:[ \t]++(?P<title>[^\[{&*!|>%@`\s].*)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What a note has before its text."""

    fields: Mapping[str, object]
    """As YAML reads them (dates become `date` or `datetime`); keys as text; empty if there are none."""
    body_start: int = 0
    """Where the text begins: just after the closing line, in code points. 0 without (readable) frontmatter."""
    problem: str | None = None
    """In one line, why the YAML could not be read: of the fields there is then the title alone, if it is a line."""
    shown_from: int = 0
    """Where what people read begins: also behind lines that are meant as frontmatter and cannot be read as such."""


_NONE: Mapping[str, object] = MappingProxyType({})


def split(text: str) -> Frontmatter:
    """A note's text -> its frontmatter and where the rest begins. Never raises.

    Only at the very start (a byte order mark may precede it), and only between two lines of three hyphens. YAML's
    safe subset without aliases, so that a few lines cannot stand for gigabytes.
    """
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text.replace("\r", "\n"), opening.end()) if opening else None
    if opening is None or closing is None:
        return Frontmatter(_NONE)
    source = text[opening.end() : closing.start()]
    end = closing.end() + text.startswith("\n", closing.end()) * text.startswith("\r", closing.end() - 1)
    if len(source) > MAX_YAML:
        return Frontmatter(_NONE, problem=f"frontmatter: longer than {MAX_YAML:,} characters")
    fields, problem = _load(source)
    if not problem:
        return Frontmatter(MappingProxyType({str(name): value for name, value in fields.items()}), end, shown_from=end)
    message, lines = f"frontmatter: {problem}", source.splitlines()
    if not all(map(_MEANT.match, lines)) or not any(map(_NAME.match, lines)):
        return Frontmatter(_NONE, problem=message)  # lines between two rules that are no `name: value` are text
    title = next((found["title"].rstrip().strip("'\"") for line in lines if (found := _TITLE.match(line))), "")
    return Frontmatter({"title": title} if title else _NONE, problem=message, shown_from=end)


@lru_cache(maxsize=16)
def _load(source: str) -> tuple[Mapping[object, object], str | None]:
    """The mapping, and what is wrong with it. Remembered: whoever imports a note reads it just before it is cut."""
    import yaml  # noqa: PLC0415 - 15 ms that most notes do not need

    try:
        fields = yaml.load(source, _loader())  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 2})" if error.problem_mark else ""
        return {}, f"{error.problem}{line}".replace("\n", " ")
    except yaml.YAMLError as error:
        return {}, str(error).partition("\n")[0]
    except RecursionError:
        return {}, "nested too deeply"
    except (ValueError, LookupError, TypeError, AttributeError):  # PyYAML's own, for dates and numbers that are none
        return {}, "a value is not what its type says"
    if isinstance(fields, dict):
        return fields, None
    return {}, None if fields is None else "not a list of `name: value` lines"


@cache
def _loader() -> type[SafeLoader]:
    import yaml  # noqa: PLC0415 - as above

    class Loader(yaml.SafeLoader):
        """Without aliases."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not allowed")
            node = super().compose_node(parent, index)
            tags = [node] if isinstance(index, yaml.ScalarNode) and index.value == "tags" else []
            for each in tags:  # grows; as written, so that `yes` and `007` are no truth and no number
                if isinstance(each, yaml.SequenceNode):
                    tags += each.value
                elif isinstance(each, yaml.ScalarNode) and not each.tag.endswith(":null"):
                    each.tag = "tag:yaml.org,2002:str"
            return node

        def construct_number(self, node: yaml.ScalarNode) -> object:
            if len(self.construct_scalar(node)) > MAX_NUMBER:
                raise ValueError("a number is too long")
            return yaml.SafeLoader.yaml_constructors[node.tag](self, node)

    for kind in ("int", "float"):
        Loader.add_constructor(f"tag:yaml.org,2002:{kind}", Loader.construct_number)
    return Loader


_END = "...\n"
"""What YAML sets behind a value without a name."""


def with_fields(text: str, wanted: Mapping[str, object]) -> str:
    """The text with these fields in its frontmatter; unchanged where it is unreadable, would lose another field or not
    say one of these. Never raises.
    """
    front = split(text)
    if not wanted or front.problem:
        return text
    opened = text if front.body_start else f"---\n---\n{text}"
    for name, value in wanted.items():
        opened = _with_field(opened, name, value)
    return opened if split(opened).fields == {**front.fields, **wanted} else text


def _with_field(text: str, name: str, value: object) -> str:
    """The frontmatter's line of this name replaced, or added as its last; unchanged if it is unreadable."""
    import yaml  # noqa: PLC0415 - as above

    opening, end = _OPENING.match(text), split(text).body_start
    if opening is None or not end:
        return text
    shown = yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, width=10_000)
    line = f"{name}: {shown.removesuffix(_END).rstrip()}"
    start = opening.end()
    end = text.rindex("---", start, end)
    root = yaml.compose(text[start:end], Loader=yaml.SafeLoader)
    for key, held in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == name:
            last = held
            while isinstance(last.value, list) and last.value and not last.flow_style:
                # The end of a block reaches over the comments behind it.
                last = last.value[-1]
                last = last[1] if isinstance(last, tuple) else last
            stop = start + last.end_mark.index
            stop -= len(text[start:stop]) - len(text[start:stop].rstrip())
            return text[: start + key.start_mark.index] + line + text[max(stop, start + key.end_mark.index + 1) :]
    return f"{text[:end]}{line}{opening[1]}{text[end:]}"
