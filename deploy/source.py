"""Computes the hash of the deployed files: label `source` of each function, with which the build compares its source.

    python3 deploy/source.py    of this checkout

As in a build: find . -type f ! -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-40
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
UPLOADED = ROOT / "deploy/build.gcloudignore"


def uploaded() -> Iterator[str]:
    """Yields the path of every file that is uploaded, as the `!` lines of build.gcloudignore name them."""
    text = UPLOADED.read_text(encoding="utf-8")
    for line in text.splitlines():
        names_files = line.startswith("!/") and not line.endswith("/")
        if not names_files:
            continue
        pattern = line[2:].replace("**", "**/*")
        for path in ROOT.glob(pattern):
            if path.is_file():
                yield f"./{path.relative_to(ROOT).as_posix()}"


def source() -> str:
    """Returns the hash, 40 hexadecimal digits."""
    names = [name for name in set(uploaded()) if not name.endswith(".pyc")]
    names.sort(key=str.encode)
    listing = hashlib.sha256()
    for name in names:
        content = (ROOT / name).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        line = f"{digest}  {name}\n"
        listing.update(line.encode())

    return listing.hexdigest()[:40]


if __name__ == "__main__":
    print(source())
