"""Our packages' names in a module's source, as the wheel has them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from release.namespace import modules_of, packages_of, renamed

ROOT = Path(__file__).parents[2]
PACKAGES = ("cli", "shared")
MODULES = frozenset({"cli", "cli.main", "shared", "shared.app", "shared.text.words"})


def moved(source: str) -> str:
    return renamed(source.encode(), PACKAGES, MODULES).decode()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from shared.app import App\n", "from aurora_notes.shared.app import App\n"),
        ("from  cli import main\n", "from  aurora_notes.cli import main\n"),
        ("import shared.app as app\n", "import aurora_notes.shared.app as app\n"),
        ("if a: from cli import b\n", "if a: from aurora_notes.cli import b\n"),
        ("é = 1; from cli import b\n", "é = 1; from aurora_notes.cli import b\n"),
        (
            'START = "cli.main:main", "shared.app"\n',
            'START = "aurora_notes.cli.main:main", "aurora_notes.shared.app"\n',
        ),
        (
            "from shared.app import (  # all of it\n    App,\n)\n",
            "from aurora_notes.shared.app import (  # all of it\n    App,\n)\n",
        ),
    ],
)
def test_imports_and_names_of_modules_move(source: str, expected: str) -> None:
    assert moved(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "from .app import App\n",
        "from sharedness import x\n",
        "import client\n",
        '"""Says what shared.app does."""\n',
        'x = "shared"\n',
        'x = "shared.apple"\n',
        'x = f"{package}.main"\n',
        'x = f"shared.apples/{name}"\n',
    ],
)
def test_everything_else_stays(source: str) -> None:
    assert moved(source) == source


@pytest.mark.parametrize(
    "source",
    ["import shared.app\n", "import cli\n", 'x = f"shared.text.{name}"\n', 'x = r"shared.app"\n'],
)
def test_a_statement_that_cannot_move_is_refused_with_its_line(source: str) -> None:
    if source.startswith("x = f"):
        source = source.replace("shared.text", "shared.app")
    with pytest.raises(ValueError, match=r"^line 2: "):
        moved(f"\n{source}")


def test_every_package_of_the_checkout_can_move() -> None:
    packages = packages_of(ROOT)
    modules = modules_of(ROOT, packages)
    assert {"cli", "evaluation", "functions", "shared"} <= set(packages)
    for package in packages:
        for file in (ROOT / package).rglob("*.py"):
            source = renamed(file.read_bytes(), packages, modules)
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    assert str(node.module).partition(".")[0] not in packages, file
