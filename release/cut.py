"""Cuts a release: `python -m release.cut VERSION`, or `make release VERSION=…`, which runs the checks and tests first.

1. The changelog's first section gets today's date in the place of `(unreleased)`.
2. pyproject.toml gets the version.
3. The wheel and the source archive are built into dist/.
4. Both files are committed, and the commit gets the tag `vVERSION` with the highlights as its message.

Nothing is pushed or uploaded. Where a step fails, both files are as they were.
"""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

CHANGELOG = Path("CHANGELOG.md")
PROJECT = Path("pyproject.toml")
VERSION = re.compile(r"\d+\.\d+\.\d+")
MOST_HIGHLIGHTS = 25
"""Lines before a section's first `###`; a person should read them all."""
_VERSION_LINE = re.compile(r'^version = ".*"$', re.MULTILINE)


class CannotRelease(Exception):
    """Says what is missing for a release, and what to do."""


def cut(root: Path, version: str, today: date) -> None:
    """Makes the release in a checkout. Raises CannotRelease, and CalledProcessError if a tool fails."""
    if not VERSION.fullmatch(version):
        raise CannotRelease(f"'{version}' is no version: write it like 1.2.3")
    if _git(root, "status", "--porcelain"):
        raise CannotRelease("the checkout has changes: commit them first")
    tag = f"v{version}"
    if _git(root, "tag", "--list", tag):
        raise CannotRelease(f"the tag {tag} exists: choose the next version")

    changelog_file = root / CHANGELOG
    changelog = changelog_file.read_text(encoding="utf-8")
    message = highlights(changelog, version)
    dated_changelog = changelog.replace(
        f"## {version} (unreleased)",
        f"## {version} ({today.isoformat()})",
        1,
    )
    project_file = root / PROJECT
    project = project_file.read_text(encoding="utf-8")
    numbered_project = _VERSION_LINE.sub(
        f'version = "{version}"',
        project,
        count=1,
    )
    try:
        changelog_file.write_text(dated_changelog, encoding="utf-8")
        project_file.write_text(numbered_project, encoding="utf-8")
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", "dist"]
        subprocess.run(
            build,
            cwd=root,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        _git(
            root,
            "commit",
            "-q",
            "-m",
            f"release: {version}",
            str(CHANGELOG),
            str(PROJECT),
        )
    except BaseException:
        changelog_file.write_text(changelog, encoding="utf-8")
        project_file.write_text(project, encoding="utf-8")
        raise

    _git(
        root,
        "tag",
        "--annotate",
        tag,
        "--cleanup=verbatim",
        "-m",
        f"{version}\n\n{message}",
    )


def highlights(changelog: str, version: str) -> str:
    """Returns what the changelog's section says before its first `###`.

    Raises CannotRelease if the first section is not this version's, says nothing, or says too much.
    """
    _, heading, after = changelog.partition("\n## ")
    section = after.partition("\n## ")[0]
    title, _, text = section.partition("\n")
    if not heading or title != f"{version} (unreleased)":
        raise CannotRelease(f"{CHANGELOG} does not begin with '## {version} (unreleased)'")

    before_details = text.partition("\n### ")[0]
    message = before_details.strip()
    count = len(message.splitlines())
    if not 1 <= count <= MOST_HIGHLIGHTS:
        raise CannotRelease(
            f"{CHANGELOG} has {count} lines of highlights: "
            f"write 1 to {MOST_HIGHLIGHTS}, and put details below '### Details'",
        )

    return message


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=root,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout.strip()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make release VERSION=1.2.3")
    try:
        cut(Path.cwd(), sys.argv[1], date.today())  # noqa: DTZ011 - the day of who releases
    except CannotRelease as problem:
        sys.exit(f"no release: {problem}")
    print(
        f"dist/ holds the release. Next: git push --follow-tags, then upload dist/*{sys.argv[1]}*",
    )
