"""Folders -> the templates in them, and the files that are none with the reason."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shared.errors import InvalidArgument
from shared.model.templates import Template
from shared.templates.limits import check
from shared.templates.markdown import read_template

SHIPPED = Path(__file__).resolve().parents[2] / "templates"
SUFFIXES = frozenset({".md", ".markdown"})
MOST_BYTES = 64 * 1024
"""Of a file; a template holds 8,000 characters."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is no template, and why. `template_id` None: a whole folder that cannot be read."""

    path: str
    reason: str
    template_id: str | None


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the folders hold now."""

    templates: tuple[Template, ...]
    """Sorted by id; of several files with one id the first, in the order of folders and paths."""
    problems: tuple[Problem, ...]


def state_of(folders: Sequence[Path]) -> str:
    """Of every file's path, time and size: another state means that something has changed."""
    state = hashlib.sha256()
    for folder in folders:
        for file in _files(folder):
            try:
                about = file.stat()
            except OSError:
                continue
            state.update(f"{file}\0{about.st_mtime_ns}\0{about.st_size}\0".encode("utf-8", "surrogateescape"))
    return state.hexdigest()


def read_folders(folders: Sequence[Path]) -> Shelf:
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
    return Shelf(tuple(template for _, (_, template) in sorted(found.items())), tuple(problems))


def _files(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix.lower() in SUFFIXES and not hidden and file.is_file():
            yield file


def _read(file: Path) -> str:
    """Raises InvalidArgument for what is too large, cannot be read or is not UTF-8."""
    try:
        raw = file.read_bytes() if file.stat().st_size <= MOST_BYTES else None
    except OSError as error:
        raise InvalidArgument("file", f"one that can be read ({error.strerror})") from error
    if raw is None:
        raise InvalidArgument("file", f"at most {MOST_BYTES} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument("file", f"UTF-8; byte {error.start} is not") from None
