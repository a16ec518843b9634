"""The hash of what is deployed: label `source` of each function, and what the build compares its source with.

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
    """The path of every file that is uploaded, as its `!` lines name them."""
    for line in UPLOADED.read_text(encoding="utf-8").splitlines():
        if line.startswith("!/") and not line.endswith("/"):
            found = ROOT.glob(line[2:].replace("**", "**/*"))
            yield from (f"./{each.relative_to(ROOT).as_posix()}" for each in found if each.is_file())


def source() -> str:
    """40 hexadecimal digits."""
    names = sorted((each for each in set(uploaded()) if not each.endswith(".pyc")), key=str.encode)
    lines = (f"{hashlib.sha256((ROOT / each).read_bytes()).hexdigest()}  {each}\n" for each in names)
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:40]


if __name__ == "__main__":
    print(source())
