"""Builds the wheel and the source archive of the product: what pip and `python -m build` call (PEP 517).

The wheel is made by setuptools from a folder in which all packages lie below `aurora_notes` (`namespace`). An editable
install (`pip install -e .`) leaves everything where it is.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
)

from release.namespace import stage

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, object] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Writes the wheel into a folder and returns the file's name."""
    target = Path(wheel_directory).resolve()
    del metadata_directory  # what is made again is the same
    with _staged():
        name: str = build_meta.build_wheel(str(target), config_settings)
    return name


def prepare_metadata_for_build_wheel(
    metadata_directory: str,
    config_settings: Mapping[str, object] | None = None,
) -> str:
    """Writes the wheel's metadata into a folder and returns the name of its `.dist-info`."""
    target = Path(metadata_directory).resolve()
    with _staged():
        name: str = build_meta.prepare_metadata_for_build_wheel(str(target), config_settings)
    return name


@contextmanager
def _staged() -> Iterator[None]:
    """Runs the block in a folder that holds the tree of the wheel."""
    checkout = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="aurora-wheel-") as folder:
        stage(checkout, Path(folder))
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(checkout)
