"""Asks for known vulnerabilities of every pinned package: constraints.txt, of which requirements.txt is deployed.

    python3 .ci/audit.py PIP_AUDIT [OPTION]...    path of the tool, and options of its own

Exits with 1 for a finding that .ci/audit-exceptions does not except, and only then: where nobody could be asked, it
says of which packages. A line of the exceptions: an id, the last day on which it holds, and why.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
EXCEPTIONS = ROOT / ".ci/audit-exceptions"


def excepted(today: date) -> dict[str, str]:
    """Id -> its line, of exceptions that still hold. Raises ValueError for a line that is none."""
    held = {}
    for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            if not (found := re.fullmatch(r"(\S+) (\d{4}-\d{2}-\d{2}) (\S.*)", line)):
                raise ValueError(f"{EXCEPTIONS.name}: expected ID YYYY-MM-DD REASON, got {line!r}")
            if date.fromisoformat(found[2]) >= today:
                held[found[1]] = line
    return held


def main(tool: list[str]) -> int:
    asked = [
        *tool,
        "-r",
        str(ROOT / "constraints.txt"),
        "--no-deps",
        "--disable-pip",
        "--progress-spinner",
        "off",
    ]
    done = subprocess.run([*asked, "--format", "json"], capture_output=True, text=True, check=False)  # noqa: S603 - the tool that .ci/run names
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(
            f"audit: nobody could be asked: {done.stderr.strip().rpartition(chr(10))[2] or done.returncode}"
        )
        return 0
    unasked = [each["name"] for each in packages if "skip_reason" in each]
    held, found = excepted(datetime.now(UTC).date()), 0
    for package in packages:
        for each in package.get("vulns", ()):
            ids = {each["id"], *each.get("aliases", ())}
            said = f"{package['name']} {package['version']}: {each['id']}"
            if known := sorted(ids & held.keys()):
                print(f"audit: {said}, excepted: {held[known[0]]}")
            else:
                found += 1
                print(
                    f"audit: {said}; fixed in {', '.join(each.get('fix_versions', ())) or 'no version'}",
                    file=sys.stderr,
                )
    print(
        f"audit: {len(packages) - len(unasked)} of {len(packages)} packages asked for, {found} findings"
    )
    if unasked:
        print(
            f"audit: nobody could be asked about {', '.join(unasked[:5])}{' …' if unasked[5:] else ''}"
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
