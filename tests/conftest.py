"""Fixtures that several folders of tests use."""

from __future__ import annotations

import pytest

# The contract suites are plain modules: without this their failing asserts would not show the values compared.
for _part in ("notes", "index", "sweep", "search"):
    pytest.register_assert_rewrite(f"tests.contracts.store_{_part}")
