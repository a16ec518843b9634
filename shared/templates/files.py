"""Template files (YAML frontmatter that says what a template is for, then its steps) and the limits
of a template.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shared.errors import InvalidArgument
from shared.markdown.frontmatter import split
from shared.model.limits import ID, UNKEEPABLE, is_id
from shared.model.templates import AUTO, NONE, Template

SUFFIXES = frozenset({".md", ".markdown"})
MAX_BYTES = 64 * 1024
"""Size of a file; a template holds 8,000 characters."""
MAX_NAME = 200
"""Characters of a name, and of each of the three words that classify a template."""
MAX_DESCRIPTION = 1000
MAX_CONTENT = 8000
"""Characters; all of it goes into the prompt."""
MAX_KEYWORDS = 20
MAX_KEYWORD_LENGTH = 100

TEMPLATE_ID = f"a template id: {ID}, `{AUTO}` or `{NONE}`"

_LINES = ("name", "domain", "complexity", "methodology")
"""Fields that hold one line and must not be empty."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is no template, and why."""

    path: str
    reason: str
    template_id: str | None
    """Id of the template; None if the path is a folder that cannot be read."""


@dataclass(frozen=True, slots=True)
class TemplateFiles:
    """Content of the configured folders."""

    templates: tuple[Template, ...]
    """Sorted by id; of several files with one id the first, in the order of folders and paths."""
    problems: tuple[Problem, ...]
    paths: Mapping[str, str] = field(default_factory=dict)
    """Template id -> its file, relative to its folder."""


def check_id(template_id: str) -> str:
    """Returns the id itself. Raises InvalidArgument for one that no template can have."""
    if not is_id(template_id) or template_id in (AUTO, NONE):
        raise InvalidArgument("templateId", TEMPLATE_ID)
    return template_id


def check(template: Template) -> Template:
    """Returns the template itself. Raises InvalidArgument naming the first field that breaks a
    limit.
    """
    check_id(template.template_id)
    for name in _LINES:
        line = getattr(template, name)
        _check_text(name, line, MAX_NAME)
    _check_text("description", template.description, MAX_DESCRIPTION, may_be_empty=True)
    _check_text("content", template.content, MAX_CONTENT)

    if len(template.keywords) > MAX_KEYWORDS:
        raise InvalidArgument("keywords", f"at most {MAX_KEYWORDS} words")
    for index, keyword in enumerate(template.keywords):
        _check_text(f"keywords[{index}]", keyword, MAX_KEYWORD_LENGTH)
    return template


def _check_text(field: str, value: str, longest: int, *, may_be_empty: bool = False) -> None:
    kind = "text"
    is_missing = False
    if not may_be_empty:
        kind = "text that is not blank,"
        is_missing = not value.strip()

    is_unkeepable = UNKEEPABLE.search(value) is not None
    if is_missing or is_unkeepable or len(value) > longest:
        raise InvalidArgument(field, f"{kind} of at most {longest} characters, without NUL")


def state_of(folders: Sequence[Path]) -> str:
    """Hashes every file's path, time and size; the hash differs if something has changed."""
    state = hashlib.sha256()
    for folder in folders:
        for file in _files(folder):
            try:
                stat = file.stat()
            except OSError:
                continue
            line = f"{file}\0{stat.st_mtime_ns}\0{stat.st_size}\0"
            state.update(line.encode("utf-8", "surrogateescape"))
    return state.hexdigest()


def read_folders(folders: Sequence[Path]) -> TemplateFiles:
    """Reads every Markdown file in the folders and below, hidden ones aside. Never raises."""
    templates: dict[str, Template] = {}
    files: dict[str, Path] = {}
    paths: dict[str, str] = {}
    problems = []
    for folder in folders:
        if not folder.is_dir():
            problems.append(Problem(str(folder), "no folder that can be read", None))

    for folder in folders:
        for file in _files(folder):
            template_id = file.stem
            if template_id in files:
                reason = f"duplicate id: {files[template_id]} has it already"
                problems.append(Problem(str(file), reason, template_id))
                continue

            try:
                text = _read(file)
                template = read_template(template_id, text)
                check(template)
            except InvalidArgument as error:
                problems.append(Problem(str(file), error.message, template_id))
                continue

            templates[template_id] = template
            files[template_id] = file
            path = file.relative_to(folder)
            paths[template_id] = path.as_posix()

    by_id = [templates[template_id] for template_id in sorted(templates)]
    return TemplateFiles(tuple(by_id), tuple(problems), paths)


def read_template(template_id: str, text: str) -> Template:
    """Reads the template in a file's text. Unknown fields are left alone.

    Raises InvalidArgument: `frontmatter` if there is none or it cannot be read, else the field that
    is wrong.
    """
    front = split(text)
    if front.problem:
        reason = front.problem.removeprefix("frontmatter: ")
        raise InvalidArgument("frontmatter", f"YAML that can be read ({reason})")

    if not front.body_start:
        raise InvalidArgument(
            "frontmatter",
            "YAML between two lines of --- at the start, with at least a name",
        )

    lines = {"name": ""}
    for name in (*_LINES, "description"):
        line = _line(front.fields.get(name), name)
        if line:  # else its default
            lines[name] = line

    content = text[front.body_start :]
    return Template(
        template_id,
        content=content.strip(),
        keywords=_keywords(front.fields.get("keywords")),
        **lines,
    )


def _line(value: object, field: str) -> str:
    """Returns the text of a field on one line; empty without a value. Raises InvalidArgument."""
    if value is None:
        return ""

    is_scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
    if not is_scalar:
        expected = "text"
        if field == "keywords":
            expected = "a list of words"
        raise InvalidArgument(field, expected)

    words = str(value).split()
    return " ".join(words)


def _keywords(value: object) -> tuple[str, ...]:
    """Reads a list, or text with commas, in order and without repeats. Raises InvalidArgument."""
    items = value
    if value is None:
        items = []
    elif isinstance(value, str):
        items = value.split(",")
    if not isinstance(items, list) or None in items:
        raise InvalidArgument("keywords", "a list of words")
    keywords: dict[str, None] = {}
    for item in items:
        keyword = _line(item, "keywords")
        if keyword:
            keywords[keyword] = None
    return tuple(keywords)


def _files(folder: Path) -> Iterator[Path]:
    """Yields the Markdown files of a folder and below, in the order of their paths, hidden ones
    left out.
    """
    files = sorted(folder.rglob("*"))
    for file in files:
        suffix = file.suffix.lower()
        is_markdown = suffix in SUFFIXES
        path = file.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in path.parts)
        if is_markdown and not is_hidden and file.is_file():
            yield file


def _read(file: Path) -> str:
    """Returns a file's text. Raises InvalidArgument if it is too large, cannot be read or is not
    UTF-8.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InvalidArgument("file", f"at most {MAX_BYTES} bytes")
        content = file.read_bytes()
    except OSError as error:
        raise InvalidArgument("file", f"one that can be read ({error.strerror})") from error

    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument("file", f"UTF-8; byte {error.start} is not") from None
