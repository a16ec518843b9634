"""Template files (YAML frontmatter that says what a template is for, then its steps) and what a template may hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.errors import InvalidArgument
from shared.markdown.frontmatter import split
from shared.model.limits import ID, UNKEEPABLE, is_id
from shared.model.templates import AUTO, NONE, Template

SHIPPED = Path(__file__).resolve().parents[2] / "templates"
SUFFIXES = frozenset({".md", ".markdown"})
MAX_BYTES = 64 * 1024
"""Size of a file; a template holds 8,000 characters."""
MAX_NAME = 200
"""Characters of a name, and of each of the three words that class a template."""
MAX_DESCRIPTION = 1000
MAX_CONTENT = 8000
"""Characters; all of it goes into the prompt."""
MAX_KEYWORDS = 20
MAX_KEYWORD_LENGTH = 100

TEMPLATE_ID = f"a template id: {ID}, `{AUTO}` or `{NONE}`"

_LINES = ("name", "domain", "complexity", "methodology")
"""Fields of one line each that must not be empty."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is no template, and why. `template_id` None: a whole folder that cannot be read."""

    path: str
    reason: str
    template_id: str | None


@dataclass(frozen=True, slots=True)
class TemplateFiles:
    """What the folders hold now."""

    templates: tuple[Template, ...]
    """Sorted by id; of several files with one id the first, in the order of folders and paths."""
    problems: tuple[Problem, ...]


def check_id(template_id: str) -> str:
    """The id itself. Raises InvalidArgument for one that no template can have."""
    if not is_id(template_id) or template_id in (AUTO, NONE):
        raise InvalidArgument("templateId", TEMPLATE_ID)
    return template_id


def check(template: Template) -> Template:
    """The template itself. Raises InvalidArgument naming the first field that is not as it must be."""
    check_id(template.template_id)
    for field in _LINES:
        _check_text(field, getattr(template, field), MAX_NAME)
    _check_text("description", template.description, MAX_DESCRIPTION, empty=True)
    _check_text("content", template.content, MAX_CONTENT)
    if len(template.keywords) > MAX_KEYWORDS:
        raise InvalidArgument("keywords", f"at most {MAX_KEYWORDS} words")
    for place, keyword in enumerate(template.keywords):
        _check_text(f"keywords[{place}]", keyword, MAX_KEYWORD_LENGTH)
    return template


def _check_text(field: str, value: str, longest: int, *, empty: bool = False) -> None:
    if len(value) > longest or UNKEEPABLE.search(value) or not (empty or value.strip()):
        kind = "text" if empty else "text that is not blank,"
        raise InvalidArgument(field, f"{kind} of at most {longest} characters, without NUL")


def state_of(folders: Sequence[Path]) -> str:
    """A hash of every file's path, time and size: another state means that something has changed."""
    state = hashlib.sha256()
    for folder in folders:
        for file in _files(folder):
            try:
                about = file.stat()
            except OSError:
                continue
            state.update(f"{file}\0{about.st_mtime_ns}\0{about.st_size}\0".encode("utf-8", "surrogateescape"))
    return state.hexdigest()


def read_folders(folders: Sequence[Path]) -> TemplateFiles:
    """Every Markdown file in the folders and below, hidden ones aside. Never raises."""
    found: dict[str, tuple[Path, Template]] = {}
    problems = [Problem(str(folder), "no folder that can be read", None) for folder in folders if not folder.is_dir()]
    for file in (file for folder in folders for file in _files(folder)):
        template_id = file.stem
        if template_id in found:
            problems.append(Problem(str(file), f"duplicate id: {found[template_id][0]} has it already", template_id))
            continue
        try:
            found[template_id] = file, check(read_template(template_id, _read(file)))
        except InvalidArgument as wrong:
            problems.append(Problem(str(file), wrong.message, template_id))
    return TemplateFiles(tuple(template for _, (_, template) in sorted(found.items())), tuple(problems))


def read_template(template_id: str, text: str) -> Template:
    """The template in a file's text. Fields it does not know are left alone.

    Raises InvalidArgument: `frontmatter` if there is none or it cannot be read, else the field that is wrong.
    """
    front = split(text)
    if front.problem:
        raise InvalidArgument("frontmatter", f"YAML that can be read ({front.problem.removeprefix('frontmatter: ')})")
    if not front.body_start:
        raise InvalidArgument("frontmatter", "YAML between two lines of --- at the start, with at least a name")
    lines = {name: _line(front.fields.get(name), name) for name in (*_LINES, "description")}
    return Template(
        template_id,
        content=text[front.body_start :].strip(),
        keywords=_words(front.fields.get("keywords")),
        **{"name": "", **{name: line for name, line in lines.items() if line}},
    )


def _line(value: object, field: str) -> str:
    """The text of a field on one line; empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidArgument(field, "a list of words" if field == "keywords" else "text")
    return " ".join(str(value).split())


def _words(value: object) -> tuple[str, ...]:
    """A list, or text with commas; each once, in order."""
    words = value.split(",") if isinstance(value, str) else [] if value is None else value
    if not isinstance(words, list) or None in words:
        raise InvalidArgument("keywords", "a list of words")
    return tuple(dict.fromkeys(filter(None, (_line(word, "keywords") for word in words))))


def _files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix.lower() in SUFFIXES and not hidden and file.is_file():
            yield file


def _read(file: Path) -> str:
    """Raises InvalidArgument for what is too large, cannot be read or is not UTF-8."""
    try:
        raw = file.read_bytes() if file.stat().st_size <= MAX_BYTES else None
    except OSError as error:
        raise InvalidArgument("file", f"one that can be read ({error.strerror})") from error
    if raw is None:
        raise InvalidArgument("file", f"at most {MAX_BYTES} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument("file", f"UTF-8; byte {error.start} is not") from None
