"""Sweeping is tested in the world of the indexing tests."""

from __future__ import annotations

from tests.indexing.conftest import clock, embedder, store

__all__ = ["clock", "embedder", "store"]
