"""Writes the hashes into requirements.txt: those of the wheels that Cloud Functions installs.

python .ci/hashes.py [NAME==VERSION ...]   with other versions of these packages, or packages that are new

pip asks its index, downloads no package, and takes the wheel for Linux on x86-64 and the Python of cloudbuild.yaml.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements.txt"
PLATFORMS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_17_x86_64",
    "manylinux2014_x86_64",
    "manylinux_2_5_x86_64",
    "manylinux1_x86_64",
)
PIN = re.compile(r"^([\w.-]+)==([^\s\\]+)", re.MULTILINE)


def main(changes: list[str]) -> None:
    text = REQUIREMENTS.read_text(encoding="utf-8")
    heading = text.splitlines()[0]
    pins = dict(PIN.findall(text))
    for change in changes:
        name, _, version = change.partition("==")
        pins = {known: old for known, old in pins.items() if known.lower() != name.lower()}
        pins[name] = version
    lines = [heading]
    hashes = wheel_hashes(pins, deployed_python())
    for name in sorted(pins, key=str.lower):
        lines.append(f"{name}=={pins[name]} \\")
        lines.append(f"    --hash=sha256:{hashes[normalized(name)]}")
    REQUIREMENTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def deployed_python() -> str:
    """The version that functions run on: `python313` in cloudbuild.yaml is 3.13."""
    found = re.search(r"python(\d)(\d+)", (ROOT / "cloudbuild.yaml").read_text(encoding="utf-8"))
    if found is None:
        sys.exit("cloudbuild.yaml names no Python")
    return f"{found[1]}.{found[2]}"


def wheel_hashes(pins: dict[str, str], python: str) -> dict[str, str]:
    """By normalized name. Ends the program where a package has no such wheel."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "wanted.txt")
        wanted.write_text("".join(f"{name}=={version}\n" for name, version in pins.items()))
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps"]
        command += ["--ignore-installed", "--only-binary=:all:", f"--python-version={python}"]
        command += [f"--platform={platform}" for platform in PLATFORMS]
        command += [f"--target={folder}/none", f"--report={report}", f"--requirement={wanted}"]
        done = subprocess.run(command, check=False)  # noqa: S603 - our own words
        if done.returncode:
            sys.exit(done.returncode)
        chosen = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {
        normalized(package["metadata"]["name"]): package["download_info"]["archive_info"]["hashes"][
            "sha256"
        ]
        for package in chosen
    }


def normalized(name: str) -> str:
    """As indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main(sys.argv[1:])
