"""Where `aurora dev` keeps notes: the embedded store, an emulator of its own, or emulators that run already."""

from __future__ import annotations

import _thread
import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from cli.product import emulator
from cli.product.suite import Suite, running
from shared.adapters.firestore.connection import DEFAULT_DATABASE, Connection
from shared.adapters.firestore.protocol import Query
from shared.errors import Conflict, OperatorError, StoreRefused, StoreUnavailable

ROOT = Path(__file__).resolve().parents[2]
TRIGGER, TEMPLATE_TRIGGER = "on-note-write", "on-template-write"
WEB_KEY = "emulated"
"""The Auth emulator takes any web key."""
POLL_SECONDS, MAX_POLL_SECONDS, POLL_SHARE, POLL_TAKES = 1.0, 10.0, 10, 10.0
"""Between two looks at an emulator that posts no events to us, or so many times what one took if that is longer, up to
the maximum; and the seconds that one may take.
"""
OnWrite: TypeAlias = Callable[[str], object]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """What was asked for."""

    kind: str
    """`embedded` or `emulator`."""
    port: int = 0
    """Port of an emulator of our own; 0: any free one."""
    data: Path | None = None
    """The folder in which it keeps its documents between runs; None: they are gone with it."""


@dataclass(frozen=True, slots=True)
class DevStore:
    """A store that is ready, and what follows from it."""

    settings: Mapping[str, str]
    """What it asks of the product's settings."""
    variables: tuple[str, ...] = ()
    """Lines like NAME=value, for the environment of other programs that are to use it."""
    page: Mapping[str, object] = field(default_factory=dict)
    """What the page's config.json says beside its file."""
    follow: Suite | None = None
    """Emulators that do not post events to us: their writes have to be listened for."""


@contextmanager
def dev_store(choice: StoreChoice, env: Mapping[str, str], *, functions_port: int) -> Iterator[DevStore]:
    """The store. Raises OperatorError for one that cannot be had, or options that cannot go together."""
    if choice.kind == "embedded":
        yield DevStore({"STORE": "embedded"})
        return
    suite = running(env)
    with ExitStack() as stack:
        if suite.firestore is None:
            suite = stack.enter_context(_own(choice, suite, functions_port=functions_port))
            yield _ready(suite, follow=None)
        else:
            if choice.port or choice.data:
                option = "--emulator-port" if choice.port else "--emulator-data"
                raise OperatorError(f"{option}: the emulator at {suite.firestore} runs already")
            yield _ready(suite, follow=suite)


@contextmanager
def _own(choice: StoreChoice, suite: Suite, *, functions_port: int) -> Iterator[Suite]:
    """An emulator under our rules that posts its events to us."""
    with emulator.start(port=choice.port, functions_port=functions_port, data=choice.data) as started:
        started.upload_rules(suite.project, (ROOT / "firestore.rules").read_text(encoding="utf-8"))
        started.register_trigger(suite.project, TRIGGER, database=suite.database)
        started.register_trigger(suite.project, TEMPLATE_TRIGGER, emulator.TEMPLATES, database=suite.database)
        with _lasting(started.process):
            try:
                yield replace(suite, firestore=started.host)
            finally:
                if choice.data and started.process.poll() is None:
                    started.save(suite.project, choice.data, suite.database)


@contextmanager
def _lasting(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """The block is interrupted when the process ends before it. Raises OperatorError then."""
    done = threading.Event()

    def wait() -> None:
        process.wait()
        if not done.is_set():
            _thread.interrupt_main()

    threading.Thread(target=wait, name="emulator", daemon=True).start()
    try:
        yield
    finally:
        done.set()
        if process.poll() is not None:
            raise OperatorError("the Firestore emulator has ended, and what it held and had not saved is gone")


def _ready(suite: Suite, *, follow: Suite | None) -> DevStore:
    assert suite.firestore is not None  # noqa: S101 - for the type checker
    os.environ["FIRESTORE_EMULATOR_HOST"] = suite.firestore  # where Google's clients look
    settings = {"STORE": "firestore", "GOOGLE_CLOUD_PROJECT": suite.project}
    variables = [f"FIRESTORE_EMULATOR_HOST={suite.firestore}", f"GOOGLE_CLOUD_PROJECT={suite.project}"]
    if suite.database != DEFAULT_DATABASE:
        variables.append(f"FIRESTORE_DATABASE={suite.database}")
    page: dict[str, object] = {}
    if suite.auth:
        settings["AUTH"] = "emulator"
        variables.append(f"FIREBASE_AUTH_EMULATOR_HOST={suite.auth}")
        page["firebase"] = {"apiKey": WEB_KEY, "emulator": f"http://{suite.auth}"}
    return DevStore(settings=settings, variables=tuple(variables), page=page, follow=follow)


@contextmanager
def polling(project: str, handlers: Mapping[str, OnWrite], *, database: str = DEFAULT_DATABASE) -> Iterator[None]:
    """`handlers`: collection -> what is called with the path of each document of a collection of that name, wherever it
    lies: first of all that are there, then of each that is made, changed or removed. Called by one thread, one document
    after the other. What passes (busy, away, too late) is tried again; after another refusal nothing is called any
    more, and reconciling finds what is missed.
    """
    stopped = threading.Event()
    connection = Connection(project, database=database, read_seconds=POLL_TAKES, write_seconds=0)
    thread = threading.Thread(target=_poll, args=(connection, handlers, stopped), name="polling", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _poll(connection: Connection, handlers: Mapping[str, OnWrite], stopped: threading.Event) -> None:
    known: dict[str, dict[str, object]] = {collection: {} for collection in handlers}
    is_away, wait, looked = False, 0.0, 0.0
    while not stopped.wait(wait):
        # The shorter of two looks counts: the first one of an emulator takes seconds, whatever it holds.
        before, looked = looked, 0.0
        try:
            for collection, on_write in handlers.items():
                began = time.monotonic()
                old, known[collection] = known[collection], _written(connection, collection)
                looked += time.monotonic() - began
                for path in {path for path, _ in old.items() ^ known[collection].items()}:
                    on_write(path)
            is_away = False
        except (StoreRefused, Conflict) as error:  # a conflict: the database is not there
            _log.warning("%s: writes are not followed any more as they happen", error.message)
            return
        except StoreUnavailable as error:
            if not is_away:
                _log.warning("%s: writes are followed again when it answers", error.message)
            is_away = True
        wait = min(max(POLL_SECONDS, POLL_SHARE * min(looked, before)), MAX_POLL_SECONDS)


def _written(connection: Connection, collection: str) -> dict[str, object]:
    """Path -> when it was last written, of every document of the collections of that name."""
    documents = connection.query(connection.root, Query(collection=collection, everywhere=True, fields=()))
    return {
        each.name.removeprefix(f"{connection.root}/"): (each.update_time.seconds, each.update_time.nanos)
        for each in documents
    }
