"""The pictures of the documentation can be made at any time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.servers.dev import ROOT
from tests.web import pictures


@pytest.mark.nightly
def test_the_pictures_that_the_readme_shows_are_made_from_the_sample_notes(
    tmp_path: Path, browser: Browser
) -> None:
    pictures.make(tmp_path, browser)
    linked_names = set(
        re.findall(r"\(docs/(\w+\.webp)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    )
    assert (
        {picture.name for picture in tmp_path.iterdir()}
        == linked_names
        == {picture.name for picture in (ROOT / "docs").glob("*.webp")}
    )
    assert all(picture.read_bytes()[8:12] == b"WEBP" for picture in tmp_path.iterdir())
