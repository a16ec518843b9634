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
    for line in UPLOADED.read_text(encoding="utf-8").splitlines():
        if line.startswith("!/") and not line.endswith("/"):
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
        digest = hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        listing.update(f"{digest}  {name}\n".encode())
    return listing.hexdigest()[:40]


if __name__ == "__main__":
    print(source())
