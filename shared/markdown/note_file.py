"""A note -> the Markdown file that says what it does.

What a note has beside its text (title, tags, language, date) stands in the file's frontmatter, of which all other lines
stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from shared.markdown.file import NOON, FileFields, fields_of
from shared.markdown.frontmatter import split
from shared.model.notes import Note

_FRONT = "---\n---\n"
_END = "...\n"
"""What YAML sets behind a value that stands alone."""


def whole_content(note: Note, path: str) -> bytes:
    """A note that leaves, as a file at `path`: all that it says, its date too, also what has to be left out of a file
    that stays.
    """
    says = fields_of(note.text, path)
    wanted = dict(wanted_fields(says, note, None))
    if note.created_at != says.created_at:
        wanted["created"] = _day_or_instant(note)
    text = opened_with(note.text, wanted, says)
    if wanted and text == note.text:
        import yaml  # noqa: PLC0415 - as in shared.markdown.frontmatter

        said = yaml.safe_dump(wanted, allow_unicode=True, sort_keys=False, width=10_000)
        text = f"---\n{said}---\n{note.text}"
    return text.encode()


def opened_with(text: str, wanted: Mapping[str, object], says: FileFields) -> str:
    """With a frontmatter of these fields too; as it is, where they cannot stand there beside the others."""
    if not wanted or says.problem:
        return text
    front = split(text)
    opened = text if front.body_start else _FRONT + text
    for name, value in wanted.items():
        opened = _with_field(opened, name, value)
    after = split(opened).fields
    kept = [name for name in front.fields if name not in wanted]
    return opened if all(name in after and after[name] == front.fields[name] for name in kept) else text


def wanted_fields(says: FileFields, note: Note, before: FileFields | None) -> Mapping[str, object]:
    """Fields of the note that somebody has changed, not those that only stayed as they were while the text changed."""
    wanted: dict[str, object] = {}
    if note.title != says.title and (before is None or note.title != before.title):
        wanted["title"] = note.title
    if note.tags != says.tags and (before is None or note.tags != before.tags):
        wanted["tags"] = list(note.tags)
    if note.lang != says.lang and (before is None or note.lang != before.lang):
        wanted["lang"] = note.lang
    if says.created_at is not None and note.created_at != says.created_at:
        wanted["created"] = _day_or_instant(note)
    return wanted


def _day_or_instant(note: Note) -> object:
    created = note.created_at
    return date(created.year, created.month, created.day) if created.timetz() == NOON else created


def _with_field(text: str, name: str, value: object) -> str:
    """The frontmatter's line of this name replaced, or added as its last."""
    import yaml  # noqa: PLC0415 - as in shared.markdown.frontmatter

    shown = yaml.safe_dump(value, allow_unicode=True, default_flow_style=True, width=10_000)
    line = f"{name}: {shown.removesuffix(_END).rstrip()}"
    start, end = text.index("\n") + 1, split(text).body_start
    end = text.rindex("---", start, end)
    root = yaml.compose(text[start:end], Loader=yaml.SafeLoader)
    for key, held in root.value if root is not None else ():
        if key.value == name:
            stop = start + _end(held)
            stop -= len(text[start:stop]) - len(text[start:stop].rstrip())
            return text[: start + key.start_mark.index] + line + text[max(stop, start + key.end_mark.index + 1) :]
    return f"{text[:end]}{line}\n{text[end:]}"


def _end(node: object) -> int:
    """Where its last sign stands: the end of a block reaches over the comments behind it."""
    children = getattr(node, "value", None)
    if isinstance(children, list) and children and not getattr(node, "flow_style", False):
        last = children[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)  # type: ignore[attr-defined]  # of every node of PyYAML's
