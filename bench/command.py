"""`aurora search` over the sample notes where no product runs: a process that starts, searches and ends.

Beside it runs the least that such a search must do: a process that loads the same model and embeds the question. Both
run in turns, so what the machine does besides falls on both. Their modules were compiled before, as pip and the first
start do it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench import figure, ratio_figure

ROOT = Path(__file__).resolve().parent.parent
NOTES = ROOT / "examples" / "notes"
ROUNDS = 9
QUESTION = "What did we decide at the API meeting?"
TARGET_MS = 800.0

LEAST = """
import sys
from shared.adapters.local.files import bundled
from shared.adapters.local.graphs import load_bundled_graph
import numpy as np

files = bundled()
tokens = files.tokenizer().encode(sys.argv[1])
session = load_bundled_graph(files)
rows = {
    "input_ids": tokens.ids,
    "attention_mask": tokens.attention_mask,
    "token_type_ids": tokens.type_ids,
}
inputs = {name: np.array([ids], dtype=np.int64) for name, ids in rows.items()}
(output, *_) = session.run(None, inputs)
assert output.shape[-1] == files.dimension
"""


@dataclass(frozen=True)
class _Run:
    """One process from its start to its end."""

    processor_seconds: float
    peak_bytes: int


def run(*, small: bool = False) -> dict[str, Any]:
    """Returns medians of both processes and their ratio; see `python -m bench`."""
    rounds = ROUNDS
    if small:
        rounds = 1
    with tempfile.TemporaryDirectory() as home:
        environment = _environment(home)
        aurora = [sys.executable, "-c", "from cli.main import main; main()"]
        search = [*aurora, "search", QUESTION]
        least = [sys.executable, "-c", LEAST, QUESTION]
        measured([*aurora, "index", str(NOTES)], environment)
        for command in (search, least):
            measured(command, environment)
        searches = []
        least_runs = []
        for _ in range(rounds):
            least_runs.append(measured(least, environment))
            searches.append(measured(search, environment))

    seconds = median(process.processor_seconds for process in searches)
    least_seconds = median(process.processor_seconds for process in least_runs)
    peak = median(process.peak_bytes for process in searches)
    return {
        "search: processor time": figure(seconds * 1000, "ms", TARGET_MS),
        "search: peak memory": figure(peak / 1e6, "MB"),
        "embedding the question alone: processor time": figure(least_seconds * 1000, "ms"),
        "search against embedding the question": ratio_figure(seconds / least_seconds),
    }


def _environment(home: str) -> dict[str, str]:
    """Returns the variables of the command: those of a person who has set none of ours."""
    names = ("PATH", "HOME", "LANG", "TMPDIR")
    variables = {name: os.environ[name] for name in names if name in os.environ}
    return {**variables, "PYTHONPATH": str(ROOT), "AURORA_HOME": home}


def measured(command: Sequence[str], environment: Mapping[str, str]) -> _Run:
    """Runs a command to its end. Raises CalledProcessError if it fails.

    A small process starts it: the kernel counts the memory of the one that starts a command among the command's own.
    """
    starter = [sys.executable, "-m", "bench.command", *command]
    process = subprocess.run(
        starter,
        check=True,
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    return _Run(**json.loads(process.stdout))


def _measure(command: Sequence[str]) -> _Run:
    """Runs a command to its end, without its output. Raises CalledProcessError if it fails."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return _Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


if __name__ == "__main__":
    print(json.dumps(asdict(_measure(sys.argv[1:]))))
