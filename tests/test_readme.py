"""README says what is so: its settings table is `Settings`, its links lead somewhere."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from shared.settings import Settings

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
HOME = str(Path("~/.aurora").expanduser())


def test_every_setting_stands_in_the_table_with_its_default_and_meaning() -> None:
    def shown(default: object) -> str:
        if default in (None, "", (), False):
            return ""
        return f"`{str(default).replace(HOME, '~/.aurora')}`"

    expected = [
        f"| `{setting.metadata['variable']}` | {shown(setting.default)} | {setting.metadata['meaning']} |".replace(
            "|  |", "| |"
        )
        for setting in fields(Settings)
    ]
    assert re.findall(r"^\| `[A-Z0-9_]+` \|.*$", README, re.MULTILINE) == expected


def test_relative_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_links_inside_the_page_lead_to_headings() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors
