"""`python -m bench [NAME ...] [--chunks N]`: run the benches, print a table, write bench/out/bench.json.

`--chunks` is the size of the embedded bench's store, in place of 10,000 and 100,000; it may be given several times.

Each bench module has `run() -> dict[str, figure]`; a figure is a dict with `value`, `unit`, and where a target
exists `target` and `ok`. Ratios compare two things measured in turn in the same run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
from pathlib import Path
from typing import Any

BENCHES = (
    "retrieval", "support", "embedded", "firestore", "cold_start", "bill", "chunk_cost", "hot_documents", "streams",
)  # fmt: skip
OUT = Path(__file__).parent / "out" / "bench.json"


def main(arguments: list[str]) -> None:
    """Run the named benches, all by default."""
    wish = _parser().parse_args(arguments)
    unknown = sorted(set(wish.names) - set(BENCHES))
    if unknown:
        sys.exit(f"no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    results: dict[str, Any] = {}
    for name in wish.names or BENCHES:
        options = {"sizes": tuple(wish.chunks)} if name == "embedded" and wish.chunks else {}
        results[name] = importlib.import_module(f"bench.{name}").run(**options)
        for figure, measured in results[name].items():
            print(f"{name:12} {figure:52} {_line(measured)}", flush=True)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"python": platform.python_version(), "benches": results}, indent=2) + "\n")
    print(f"written to {OUT.relative_to(Path.cwd())}" if OUT.is_relative_to(Path.cwd()) else f"written to {OUT}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--chunks", type=int, action="append", help="size of the embedded bench's store")
    return parser


def _line(measured: Any) -> str:  # noqa: ANN401 - JSON
    if not isinstance(measured, dict):
        return str(measured)
    shown = measured.get("ratio", measured.get("value"))
    verdict = {True: "ok", False: "FALLS SHORT", None: ""}[measured.get("ok")]
    unit = "x" if "ratio" in measured else measured.get("unit", "")
    number = f"{shown:.3g}" if isinstance(shown, float) else str(shown)
    return f"{number:>10} {unit:10} target {measured.get('target', '-')!s:10} {verdict}"


if __name__ == "__main__":
    main(sys.argv[1:])
