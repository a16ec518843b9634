"""Finds the Firebase emulators that run already, and their project.

They are named by the variables that Firebase's own tools set, or found at the suite's hub, which writes its address
into a file of the temporary folder: `hub-PROJECT.json`.
"""

from __future__ import annotations

import json
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.product.emulator import answers
from shared.adapters.firestore.connection import DEFAULT_DATABASE
from shared.errors import OperatorError

PROJECT = "demo-aurora"
"""Default; emulators take any name, and `demo-` ones never reach a real project."""
_HUB_SECONDS = 2
START_SECONDS = 30.0
"""Seconds for which an emulator that is named is awaited: somebody may have started it a moment ago."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The emulators that run. Addresses are `HOST:PORT`, as in FIRESTORE_EMULATOR_HOST; None for one that does not run."""

    project: str
    firestore: str | None
    auth: str | None
    database: str = DEFAULT_DATABASE


def running(
    env: Mapping[str, str],
    *,
    hubs: Path | None = None,
    seconds: float = START_SECONDS,
) -> Suite:
    """Returns the emulators that `env` names, else those of a hub.

    hubs: folder in which hubs leave their files; None takes the system's temporary folder.
    seconds: how long an emulator that `env` names is awaited.

    Raises OperatorError if an emulator that `env` names does not answer, or several hubs run and
    `env` names the project of none.
    """
    project = env.get("GOOGLE_CLOUD_PROJECT") or env.get("GCLOUD_PROJECT")
    hub = _hub(_hubs(hubs or Path(tempfile.gettempdir())), project)
    return Suite(
        project=hub.project,
        firestore=_address_in(env, "FIRESTORE_EMULATOR_HOST", seconds) or hub.firestore,
        auth=_address_in(env, "FIREBASE_AUTH_EMULATOR_HOST", seconds) or hub.auth,
        database=env.get("FIRESTORE_DATABASE") or DEFAULT_DATABASE,
    )


def _address_in(env: Mapping[str, str], variable: str, seconds: float) -> str | None:
    """Returns the address of an emulator that `env` names, once it answers: it may be starting.

    Raises OperatorError if none answers.
    """
    host = env.get(variable)
    if not host:
        return None
    deadline = time.monotonic() + seconds
    while not answers(host):
        if time.monotonic() >= deadline:
            raise OperatorError(f"{variable}: no emulator answers at {host}")
        time.sleep(0.2)

    return host


def _hub(suites: Mapping[str, Suite], project: str | None) -> Suite:
    """Returns the suite of the project, or the only one; without a hub, one in which nothing runs."""
    if project:
        return suites.get(project, Suite(project, None, None))
    if len(suites) > 1:
        raise OperatorError(
            f"GOOGLE_CLOUD_PROJECT: emulators of several projects run, one of {', '.join(suites)} expected",
        )
    return next(iter(suites.values()), Suite(PROJECT, None, None))


def _hubs(folder: Path) -> dict[str, Suite]:
    """Returns the emulators of each hub that answers, by project."""
    suites = {}
    for file in sorted(folder.glob("hub-*.json")):
        try:
            origin = json.loads(file.read_text(encoding="utf-8"))["origins"][0]
            with urllib.request.urlopen(f"{origin}/emulators", timeout=_HUB_SECONDS) as reply:  # noqa: S310
                emulators: Mapping[str, Any] = json.loads(reply.read())
        except (OSError, ValueError, LookupError, TypeError):
            continue
        project = file.stem.removeprefix("hub-")
        suites[project] = Suite(
            project=project,
            firestore=_address(emulators.get("firestore")),
            auth=_address(emulators.get("auth")),
        )

    return suites


def _address(emulator: Mapping[str, Any] | None) -> str | None:
    return f"{emulator['host']}:{emulator['port']}" if emulator else None
