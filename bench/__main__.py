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

BENCHES = (
    "retrieval",
    "embedded",
    "firestore",
    "cold_start",
    "cold_question",
    "command",
    "hot_documents",
    "streams",
    "indexing_memory",
)
OUT = Path(__file__).parent / "out" / "bench.json"
VERDICTS = {True: "ok", False: "FALLS SHORT", None: ""}


def main(arguments: list[str]) -> int:
    """Runs the named benches, all by default."""
    options = _parser().parse_args(arguments)
    unknown = sorted(set(options.names) - set(BENCHES))
    if unknown:
        names = ", ".join(unknown)
        benches = ", ".join(BENCHES)
        sys.exit(f"no bench {names}; there are {benches}")

    results: dict[str, Any] = {}
    failed = []
    for name in options.names or BENCHES:
        try:
            figures = _run(name, options)
        except Exception:  # noqa: BLE001 - the other benches still run; the exit code tells
            traceback.print_exc()
            failed.append(name)
            continue
        results[name] = figures
        for title, figure in figures.items():
            if options.small and _is_measured(figure):
                figure.pop("ok", None)  # times and sizes say nothing on little data
            if figure.get("ok") is False:
                failed.append(f"{name}: {title}")
            line = _line(figure)
            print(f"{name:12} {title:52} {line}", flush=True)

    if not options.small:
        _write(results)
    for failure in failed:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failed else 0


def _run(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Runs one bench and returns its figures."""
    bench = importlib.import_module(f"bench.{name}")
    figures: dict[str, Any]
    if name == "embedded" and options.chunks:
        figures = bench.run(small=options.small, sizes=tuple(options.chunks))
    else:
        figures = bench.run(small=options.small)
    return figures


def _write(results: dict[str, Any]) -> None:
    """Writes the figures to OUT."""
    content = {
        "python": platform.python_version(),
        "benches": results,
    }
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(content, indent=2) + "\n")
    path = OUT
    if OUT.is_relative_to(Path.cwd()):
        path = OUT.relative_to(Path.cwd())
    print(f"written to {path}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=", ".join(BENCHES),
    )
    parser.add_argument(
        "--chunks",
        type=int,
        action="append",
        help="size of the embedded bench's store",
    )
    parser.add_argument(
        "--small",
        action="store_true",
        help="little data: whether the benches run, and their counts",
    )
    return parser


def _is_measured(figure: dict[str, Any]) -> bool:
    """Reports whether a figure has a unit of time or size, or is a ratio of such figures."""
    return bool(figure.get("unit")) or "ratio" in figure


def _line(figure: dict[str, Any]) -> str:
    """Returns a figure with its target and verdict, in columns."""
    value = figure.get("value")
    unit = figure.get("unit", "")
    if "ratio" in figure:
        value = figure["ratio"]
        unit = "x"
    number = str(value)
    if isinstance(value, float):
        number = f"{value:.3g}"

    target = figure.get("target", "-")
    meets_target = figure.get("ok")
    verdict = VERDICTS[meets_target]
    return f"{number:>10} {unit:10} target {target!s:10} {verdict}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
