"""The audit of pinned packages: the real pip-audit against a database of vulnerabilities on loopback."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.deploy.conftest import ROOT
from tests.missing import missing
from tests.servers.scripted import Reply, Request, ScriptedServer

ID = "GHSA-aaaa-bbbb-cccc"

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(120)]


def answer(request: Request) -> Reply:
    """A finding in Flask, as OSV describes one."""
    package = request.json()["package"]
    if package["name"].lower() != "flask":
        return Reply(body={})
    fixed = {
        "type": "ECOSYSTEM",
        "events": [
            {"introduced": "0"},
            {"fixed": "99.0"},
        ],
    }
    affected = {"package": package, "ranges": [fixed]}
    return Reply(
        body={
            "vulns": [
                {
                    "id": ID,
                    "details": "Made up.",
                    "affected": [affected],
                }
            ]
        }
    )


@pytest.fixture
def audit(tmp_path: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """The script in a checkout of two packages; its argument: the lines of the exceptions."""
    version = re.findall(r"pip-audit==([\d.]+)", (ROOT / ".ci/run").read_text())[0]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    tool = cache / f"aurora-tests/pip-audit-{version}/bin/pip-audit"
    if not tool.exists():
        missing(f"pip-audit {version} is not installed; .ci/run does it")
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/audit.py", tmp_path / ".ci")
    (tmp_path / "constraints.txt").write_text("Flask==3.1.3\nidna==3.20\n")
    with ScriptedServer(answer) as server:

        def run(exceptions: str = "", url: str = server.url) -> subprocess.CompletedProcess[str]:
            (tmp_path / ".ci/audit-exceptions").write_text(f"# why\n{exceptions}")
            command = [
                sys.executable,
                ".ci/audit.py",
                str(tool),
                "-s",
                "osv",
                "--osv-url",
                f"{url}/v1/query",
            ]
            return subprocess.run(
                command,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )

        yield run


Audit = Callable[..., subprocess.CompletedProcess[str]]


def test_a_finding_fails_and_is_named_with_the_version_that_mends_it(audit: Audit) -> None:
    completed = audit()
    assert completed.returncode == 1, completed.stdout + completed.stderr
    assert re.search(
        rf"audit: flask 3\.1\.3: {ID}; fixed in 99\.0", completed.stderr, re.IGNORECASE
    )
    assert "2 of 2 packages asked for, 1 findings" in completed.stdout


def test_an_exception_holds_until_its_day(audit: Audit) -> None:
    today = datetime.now(UTC).date()  # not of when this file was read: midnight may lie between
    in_time = audit(f"{ID} {today} not reached\n")
    over = audit(f"{ID} {today - timedelta(days=1)} not reached\n")
    assert in_time.returncode == 0
    assert over.returncode == 1
    assert f"excepted: {ID} {today} not reached" in in_time.stdout


def test_an_exception_without_a_day_or_a_reason_is_none(audit: Audit) -> None:
    completed = audit(f"{ID} 2099-01-01\n")
    assert completed.returncode == 1
    assert "expected ID YYYY-MM-DD REASON" in completed.stderr


def test_an_unreachable_advisory_service_is_reported_and_fails_nothing(audit: Audit) -> None:
    completed = audit(url="http://127.0.0.1:9")
    assert completed.returncode == 0
    assert "audit: nobody could be asked: " in completed.stdout
