"""A release: the changelog's section, and what a checkout holds afterwards."""

from __future__ import annotations

import os
import re
import subprocess
from datetime import date
from pathlib import Path

import pytest

from release.cut import CannotRelease, cut, highlights

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 12, 1)
CHANGELOG = (
    "# Changelog\n\n## 0.3.0 (unreleased)\n\nFaster.\n\n### Details\n\n- a\n\n## 0.2.0\n\n- b\n"
)
PROJECT = """[build-system]
requires = []
build-backend = "setuptools.build_meta"

[project]
name = "thing"
version = "0.2.0.dev0"

[tool.setuptools]
py-modules = []
"""


def git(root: Path, *arguments: str) -> str:
    completed = subprocess.run(
        ["git", *arguments],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return completed.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of a project that can be built."""
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    (root / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (root / ".gitignore").write_text("dist/\n*.egg-info/\nbuild/\n", encoding="utf-8")
    git(root, "init", "-q")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.com")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "begin")
    return root


def test_the_changelog_of_the_next_release_can_be_read_in_a_minute() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    title = text.partition("\n## ")[2].partition("\n")[0]
    version, _, state = title.partition(" ")
    if state == "(unreleased)":
        assert "**Answers**" in highlights(text, version)


@pytest.mark.parametrize(
    ("changelog", "problem"),
    [
        (CHANGELOG.replace("0.3.0", "0.4.0"), "does not begin with"),
        (CHANGELOG.replace("(unreleased)", "(2026-11-01)"), "does not begin with"),
        ("# Changelog\n", "does not begin with"),
        (CHANGELOG.replace("Faster.", ""), "0 lines"),
        (CHANGELOG.replace("Faster.", "line\n" * 40), "40 lines"),
    ],
)
def test_a_changelog_that_says_nothing_or_too_much_is_no_release(
    changelog: str, problem: str
) -> None:
    with pytest.raises(CannotRelease, match=problem):
        highlights(changelog, "0.3.0")


def test_uncommitted_changes_or_a_bad_version_stop_the_release(checkout: Path) -> None:
    with pytest.raises(CannotRelease, match="is no version"):
        cut(checkout, "next", TODAY)
    (checkout / "new.txt").touch()
    with pytest.raises(CannotRelease, match="has changes"):
        cut(checkout, "0.3.0", TODAY)


def test_a_version_that_has_a_tag_is_not_released_again(checkout: Path) -> None:
    git(checkout, "tag", "v0.3.0")
    with pytest.raises(CannotRelease, match=r"v0\.3\.0 exists"):
        cut(checkout, "0.3.0", TODAY)


def released(checkout: Path, python: Path) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "release.cut", "0.3.0"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=checkout, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_a_release_is_dated_built_committed_and_tagged(checkout: Path, tools: Path) -> None:
    completed = released(checkout, tools)
    assert completed.returncode == 0, completed.stderr
    assert "git push" in completed.stdout
    assert {file.name for file in (checkout / "dist").iterdir()} == {
        "thing-0.3.0.tar.gz",
        "thing-0.3.0-py3-none-any.whl",
    }
    assert 'version = "0.3.0"' in (checkout / "pyproject.toml").read_text(encoding="utf-8")
    changelog = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## 0\.3\.0 \(\d{4}-\d\d-\d\d\)$", changelog, re.MULTILINE)
    assert git(checkout, "status", "--porcelain") == ""
    assert git(checkout, "log", "-1", "--format=%s") == "release: 0.3.0\n"
    assert git(checkout, "tag", "--list", "--format=%(contents)").strip() == "0.3.0\n\nFaster."


@pytest.mark.slow
def test_after_a_failed_build_the_checkout_is_as_it_was(checkout: Path, tools: Path) -> None:
    broken = PROJECT.replace("py-modules = []", "py-modules = 1")
    (checkout / "pyproject.toml").write_text(broken, encoding="utf-8")
    git(checkout, "commit", "-q", "-a", "-m", "break the build")
    assert released(checkout, tools).returncode != 0
    assert git(checkout, "status", "--porcelain") == ""
    assert git(checkout, "tag") == ""
