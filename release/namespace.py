"""The tree of the wheel: one package, `aurora_notes`, and in it what a checkout has at its root.

In a checkout the packages lie at the root, because Cloud Functions wants main.py there, beside what it imports. In
site-packages a package called `shared` or `cli` could be anybody's. So the files are copied below `aurora_notes`, and
that name is inserted before our packages' names in import statements, and in strings that name one of our modules.
Nothing else of a line changes: tracebacks show the lines of the checkout.
"""

from __future__ import annotations

import ast
import re
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

NAMESPACE = "aurora_notes"
"""The only package of the wheel; in a checkout it holds no more than the entry point."""
HEAD = ("pyproject.toml", "README.md", "LICENSE")
"""Files that describe the wheel."""
READ_AT_RUN_TIME = (
    "main.py",
    "web",
    "templates",
    "examples/notes",
    "firestore.rules",
    "firestore.indexes.json",
    "deploy/resources.json",
)
"""Files and folders beside the packages, which shared/settings/shipped.py names."""

Position: TypeAlias = tuple[int, int]
"""Line from 1, and byte in the line from 0."""

_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")
_FROM = re.compile(rb"from\s+")


def stage(checkout: Path, folder: Path) -> None:
    """Copies the checkout into a folder, in the layout of the wheel.

    Raises ValueError if a source file names our packages in a way that cannot be rewritten.
    """
    for name in HEAD:
        shutil.copy(checkout / name, folder / name)
    root = folder / NAMESPACE
    shutil.copytree(
        checkout / NAMESPACE,
        root,
        ignore=_LEFT_OUT,
    )
    packages = packages_of(checkout)
    for name in (*packages, *READ_AT_RUN_TIME):
        source = checkout / name
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=_LEFT_OUT)
        else:
            shutil.copy(source, target)

    # setuptools takes what lies in a package and is listed here; its tables of patterns leave dotfiles out.
    (folder / "MANIFEST.in").write_text(f"graft {NAMESPACE}\n", encoding="utf-8")
    modules = modules_of(root, packages)
    for file in root.rglob("*.py"):
        text = file.read_bytes()
        try:
            file.write_bytes(renamed(text, packages, modules))
        except ValueError as problem:
            raise ValueError(f"{file.relative_to(root)}: {problem}") from problem


def packages_of(checkout: Path) -> tuple[str, ...]:
    """Returns the packages that move below `aurora_notes`: those that pyproject.toml installs."""
    text = (checkout / "pyproject.toml").read_text(encoding="utf-8")
    setuptools = tomllib.loads(text)["tool"]["setuptools"]
    patterns: list[str] = setuptools["packages"]["find"]["include"]
    names = [pattern.removesuffix("*") for pattern in patterns]
    names.remove(NAMESPACE)
    return tuple(names)


def modules_of(root: Path, packages: Sequence[str]) -> frozenset[str]:
    """Returns the dotted names of all modules in these packages of a folder."""
    modules = set()
    for package in packages:
        for file in (root / package).rglob("*.py"):
            path = file.relative_to(root).with_suffix("")
            if path.name == "__init__":
                path = path.parent
            modules.add(".".join(path.parts))

    return frozenset(modules)


def renamed(source: bytes, packages: Sequence[str], modules: frozenset[str]) -> bytes:
    """Returns a module's source with `aurora_notes.` before our packages' names.

    packages: the names that move. modules: dotted names of all modules in them.

    Raises ValueError for `import shared.x`, which would bind another name after the move, and for
    a module's name that is put together at run time.
    """
    lines = source.splitlines(keepends=True)
    module = ast.parse(source)
    positions: set[Position] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            positions.update(_in_import_from(node, lines, packages))
        elif isinstance(node, ast.Import):
            positions.update(_in_import(node, packages))
        elif isinstance(node, ast.JoinedStr):
            _refuse_module_name(node, modules)
        elif isinstance(node, ast.Constant):
            positions.update(_in_string(node, lines, modules))

    prefix = f"{NAMESPACE}.".encode()
    from_the_end = sorted(positions, reverse=True)  # what is before stays where it is
    for line, column in from_the_end:
        text = lines[line - 1]
        lines[line - 1] = text[:column] + prefix + text[column:]

    return b"".join(lines)


def _in_import_from(
    node: ast.ImportFrom,
    lines: Sequence[bytes],
    packages: Sequence[str],
) -> Iterator[Position]:
    """Yields the position of the module in `from shared.x import y`."""
    package = (node.module or "").partition(".")[0]
    if package not in packages:
        return
    keyword = _FROM.match(lines[node.lineno - 1], node.col_offset)
    if keyword is None:
        raise ValueError(f"line {node.lineno}: write `from` and the module in one line")
    yield node.lineno, keyword.end()


def _in_import(node: ast.Import, packages: Sequence[str]) -> Iterator[Position]:
    """Yields the positions of our modules in `import shared.x as y`."""
    for alias in node.names:
        if alias.name.partition(".")[0] not in packages:
            continue
        if alias.asname is None:
            raise ValueError(f"line {alias.lineno}: write `from … import …`")
        yield alias.lineno, alias.col_offset


def _in_string(
    node: ast.Constant,
    lines: Sequence[bytes],
    modules: frozenset[str],
) -> Iterator[Position]:
    """Yields the position of the text in "shared.x" or "shared.x:y", if there is such a module."""
    if not isinstance(node.value, str):
        return
    module = node.value.partition(":")[0]
    if "." not in module or module not in modules:
        return
    line = lines[node.lineno - 1]
    text = line[node.col_offset :]
    if not text.startswith((b'"', b"'")):
        raise ValueError(f"line {node.lineno}: write a module's name as a plain string")
    yield node.lineno, node.col_offset + 1


def _refuse_module_name(text: ast.JoinedStr, modules: frozenset[str]) -> None:
    """Raises ValueError if a formatted string begins with the name of one of our modules and a dot."""
    if not text.values:
        return
    beginning = text.values[0]
    if not isinstance(beginning, ast.Constant) or not isinstance(beginning.value, str):
        return
    name, dot, rest = beginning.value.rpartition(".")
    if dot and not rest and name in modules:
        raise ValueError(f"line {text.lineno}: take the package's name from its `__name__`")
