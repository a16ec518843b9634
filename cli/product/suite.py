"""Firebase emulators that run already: which, and of which project.

They are named by the variables that Firebase's own tools set, or found at the suite's hub, which says of itself in a
file of the temporary folder where it listens: `hub-PROJECT.json`.
"""

from __future__ import annotations

import json
import tempfile
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli.product.emulator import answers
from shared.adapters.firestore.connection import DEFAULT_DATABASE
from shared.errors import OperatorError

PROJECT = "demo-aurora"
"""Default; emulators take any name, and `demo-` ones never reach a real project."""
_HUB_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Suite:
    """What runs. Addresses are `HOST:PORT`, as in FIRESTORE_EMULATOR_HOST."""

    project: str
    firestore: str | None
    auth: str | None
    database: str = DEFAULT_DATABASE


def running(env: Mapping[str, str], *, hubs: Path | None = None) -> Suite:
    """The emulators that `env` names, else those of a hub; an emulator named twice is the one of `env`.

    `hubs`: where hubs leave their files, None for the system's temporary folder. Raises OperatorError when an emulator
    that `env` names does not answer, or several hubs run and `env` says of none of them that it is meant.
    """
    named = env.get("GOOGLE_CLOUD_PROJECT") or env.get("GCLOUD_PROJECT")
    hub = _hub(_hubs(hubs or Path(tempfile.gettempdir())), named)
    firestore, auth = env.get("FIRESTORE_EMULATOR_HOST"), env.get("FIREBASE_AUTH_EMULATOR_HOST")
    for variable, host in (("FIRESTORE_EMULATOR_HOST", firestore), ("FIREBASE_AUTH_EMULATOR_HOST", auth)):
        if host and not answers(host):
            raise OperatorError(f"{variable}: no emulator answers at {host}")
    return Suite(
        project=named or hub.project,
        firestore=firestore or hub.firestore,
        auth=auth or hub.auth,
        database=env.get("FIRESTORE_DATABASE") or DEFAULT_DATABASE,
    )


def _hub(found: Mapping[str, Suite], named: str | None) -> Suite:
    """The one that is meant; of none, a suite in which nothing runs."""
    if named:
        return found.get(named, Suite(named, None, None))
    if len(found) > 1:
        raise OperatorError(
            f"GOOGLE_CLOUD_PROJECT: emulators of several projects run, one of {', '.join(found)} expected"
        )
    return next(iter(found.values()), Suite(PROJECT, None, None))


def _hubs(folder: Path) -> dict[str, Suite]:
    """Project -> what its hub says is running; files of hubs that are gone are passed over."""
    found = {}
    for file in sorted(folder.glob("hub-*.json")):
        try:
            origin = json.loads(file.read_text(encoding="utf-8"))["origins"][0]
            with urllib.request.urlopen(f"{origin}/emulators", timeout=_HUB_SECONDS) as reply:  # noqa: S310
                emulators: Mapping[str, Any] = json.loads(reply.read())
        except (OSError, ValueError, LookupError, TypeError):
            continue
        project = file.stem.removeprefix("hub-")
        firestore, auth = (_address(emulators.get(name)) for name in ("firestore", "auth"))
        found[project] = Suite(project=project, firestore=firestore, auth=auth)
    return found


def _address(emulator: Mapping[str, Any] | None) -> str | None:
    return f"{emulator['host']}:{emulator['port']}" if emulator else None
