"""Source that makes packages look as if they were not installed, for processes of their own."""

from __future__ import annotations

_ABSENT = """
import importlib.abc, sys

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


def absent(*packages: str) -> str:
    """To be run first."""
    return _ABSENT.format(packages=packages)
