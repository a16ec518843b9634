"""Data of more than three fields are built with keywords: by their places they read like a row of a table without its
head. Read from the code itself, whose imports say which class a name means.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("shared", "functions", "desktop", "cli", "evaluation")
MOST = 3
"""Fields that may be given by their place."""


def _modules() -> Mapping[str, ast.Module]:
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts): ast.parse(file.read_text())
        for file in files
    }


def _is_data(node: ast.stmt) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    return any(ast.unparse(decorator).partition("(")[0] == "dataclass" for decorator in decorators)


def _calls(modules: Mapping[str, ast.Module]) -> Iterator[tuple[str, ast.Call]]:
    """Module, and a call by which it makes data."""
    data = {
        (name, node.name)  # type: ignore[attr-defined]
        for name, tree in modules.items()
        for node in tree.body
        if _is_data(node)
    }
    for name, tree in modules.items():
        module_of_class = {class_name: name for module, class_name in data if module == name}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                module_of_class |= {
                    alias.name: node.module
                    for alias in node.names
                    if (node.module, alias.name) in data
                }
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in module_of_class
            ):
                yield name, node


def test_data_of_more_than_three_fields_are_built_with_keywords() -> None:
    calls = list(_calls(_modules()))
    assert len(calls) > 500, "the reading of the code has found too little"
    by_place = [
        f"{name}:{call.lineno} {ast.unparse(call.func)}"
        for name, call in calls
        if len(call.args) > MOST
    ]
    assert by_place == []
