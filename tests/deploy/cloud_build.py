"""Cloud Build's part in a build: unpack its source, put its substitutions in, run its steps in their order."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

JSON = dict[str, Any]
STEP_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Ran:
    """A step that has ended."""

    step: str
    code: int
    said: str
    """Standard output and errors."""


def unpack(archive: bytes, folder: Path) -> Path:
    """The folder, with the files of a .tgz in it."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as content:
        content.extractall(folder, filter="data")
    return folder


def substituted(value: Any, substitutions: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON in, the same JSON out
    """Every `$NAME` and `${NAME}` in its place, `$$` as `$`. Raises KeyError for a name that nobody gave."""
    if isinstance(value, str):
        variable = re.compile(r"\$\$|\$(\w+)|\$\{(\w+)\}")
        return variable.sub(
            lambda match: substitutions[match[1] or match[2]] if match[0] != "$$" else "$", value
        )
    if isinstance(value, list):
        return [substituted(element, substitutions) for element in value]
    if isinstance(value, dict):
        return {name: substituted(element, substitutions) for name, element in value.items()}
    return value


def run(
    build: JSON,
    folder: Path,
    environment: Mapping[str, str],
    instead: Callable[[JSON], Ran | None] = lambda _step: None,
) -> list[Ran]:
    """The steps in `folder`, each as soon as those that it waits for are done; after a failure no more begin.

    `instead`: does a step in this process, or returns None.
    """
    futures: dict[str, Future[Ran]] = {}
    with ThreadPoolExecutor(len(build["steps"])) as pool:
        for step in build["steps"]:
            earlier = [futures[name] for name in step.get("waitFor", futures) if name in futures]
            futures[step["id"]] = pool.submit(
                _after, earlier, _runner(build, step, folder, environment, instead)
            )
    return [future.result() for future in futures.values()]


def _after(earlier: list[Future[Ran]], run_step: Callable[[], Ran]) -> Ran:
    failed = next((future.result() for future in earlier if future.result().code), None)
    return failed or run_step()


def _runner(
    build: JSON,
    step: JSON,
    folder: Path,
    environment: Mapping[str, str],
    instead: Callable[[JSON], Ran | None],
) -> Callable[[], Ran]:
    variables = dict(
        pair.split("=", 1) for pair in (*build["options"].get("env", ()), *step.get("env", ()))
    )

    def run_step() -> Ran:
        if ran := instead(step):
            return ran
        ended = subprocess.run(
            [step["entrypoint"], *step["args"]],
            cwd=folder,
            env={**environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=STEP_SECONDS,
            check=False,
        )
        return Ran(step["id"], ended.returncode, ended.stdout)

    return run_step
