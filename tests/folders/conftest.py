"""Folders are searched in the library of the retrieval tests."""

from __future__ import annotations

from tests.retrieval.conftest import library

__all__ = ["library"]
