"""`python -m bench [NAME ...] [--small] [--chunks N]`: run the benches, print a table, write bench/out/bench.json.

`--chunks` is the size of the embedded bench's store, in place of 10,000 and 100,000; it may be given several times.
`--small` runs every bench on little data, to show that it still runs: only counts are held to their targets then, not
times, sizes and ratios. Exits with 1 if a figure misses its target or a bench fails; the other benches still run.

Each bench module has `run(*, small) -> dict[str, figure]`; a figure is a dict with `value` or `ratio`, `unit`, and
where a target exists `target` and `ok`. Ratios compare two things measured in turn in the same run.
"""

from __future__ import annotations

import argparse
import importlib
import json
import platform
import sys
import traceback
from pathlib import Path
from typing import Any

BENCHES = ("retrieval", "embedded", "firestore", "cold_start", "hot_documents", "streams")
OUT = Path(__file__).parent / "out" / "bench.json"


def main(arguments: list[str]) -> int:
    """Run the named benches, all by default."""
    asked = _parser().parse_args(arguments)
    unknown = sorted(set(asked.names) - set(BENCHES))
    if unknown:
        sys.exit(f"no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}")
    results: dict[str, Any] = {}
    failed = []
    for name in asked.names or BENCHES:
        options = {"sizes": tuple(asked.chunks)} if name == "embedded" and asked.chunks else {}
        try:
            results[name] = importlib.import_module(f"bench.{name}").run(small=asked.small, **options)
        except Exception:  # noqa: BLE001 - the other benches still run; the exit code tells
            traceback.print_exc()
            failed.append(name)
            continue
        for figure, measured in results[name].items():
            if asked.small and _is_measured(measured):
                measured.pop("ok", None)
            if measured.get("ok") is False:
                failed.append(f"{name}: {figure}")
            print(f"{name:12} {figure:52} {_line(measured)}", flush=True)
    if not asked.small:
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text(json.dumps({"python": platform.python_version(), "benches": results}, indent=2) + "\n")
        print(f"written to {OUT.relative_to(Path.cwd())}" if OUT.is_relative_to(Path.cwd()) else f"written to {OUT}")
    for each in failed:
        print(f"FAILED {each}", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    parser.add_argument("--chunks", type=int, action="append", help="size of the embedded bench's store")
    parser.add_argument("--small", action="store_true", help="little data: whether the benches run, and their counts")
    return parser


def _is_measured(figure: dict[str, Any]) -> bool:
    """Whether it has a unit of time or size, and so says little on little data."""
    return bool(figure.get("unit")) or "ratio" in figure


def _line(measured: dict[str, Any]) -> str:
    shown = measured.get("ratio", measured.get("value"))
    verdict = {True: "ok", False: "FALLS SHORT", None: ""}[measured.get("ok")]
    unit = "x" if "ratio" in measured else measured.get("unit", "")
    number = f"{shown:.3g}" if isinstance(shown, float) else str(shown)
    return f"{number:>10} {unit:10} target {measured.get('target', '-')!s:10} {verdict}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
