"""Stores of `aurora dev`: the embedded store, an emulator of its own, or emulators that run already."""

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

from desktop.product import emulator
from desktop.product.auth_emulator import INSTALL, auth_emulator, find_firebase
from desktop.product.suite import Suite, running
from shared.adapters.firestore.connection import DEFAULT_DATABASE, Connection
from shared.adapters.firestore.protocol import Query
from shared.errors import Conflict, OperatorError, StoreRefused, StoreUnavailable
from shared.settings import shipped

TEMPLATE_TRIGGER = "on-template-write"
WEB_KEY = "emulated"
"""Web key for the Auth emulator, which takes any."""
POLL_SECONDS = 1.0
"""Least seconds between two polls of an emulator that posts no events to us."""
MAX_POLL_SECONDS = 10.0
"""Most seconds between two polls."""
POLL_SHARE = 10
"""Pause between two polls, in multiples of the time that a poll takes."""
POLL_TIMEOUT = 10.0
"""Seconds that a poll may take."""
OnWrite: TypeAlias = Callable[[str], object]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """Options of `aurora dev` for its store."""

    kind: str
    """`embedded` or `emulator`."""
    port: int = 0
    """Port of an emulator of our own; 0: any free one."""
    data: Path | None = None
    """Folder in which the emulator keeps its documents between runs; None if they are lost with it."""


@dataclass(frozen=True, slots=True)
class DevStore:
    """A store that is ready, and the configuration that it needs."""

    settings: Mapping[str, str]
    """Settings of the product that the store decides."""
    variables: tuple[str, ...] = ()
    """Lines like NAME=value, for the environment of other programs that are to use it."""
    page: Mapping[str, object] = field(default_factory=dict)
    """Fields that the page's config.json gets beside those of its file."""
    follow: Suite | None = None
    """Emulators that do not post events to us: they are polled for writes."""
    advice: str = ""
    """Line that tells the user what is missing; empty if nothing is."""


@contextmanager
def dev_store(
    choice: StoreChoice,
    env: Mapping[str, str],
    *,
    functions_port: int,
) -> Iterator[DevStore]:
    """Yields the store. Raises OperatorError if it cannot be had, or the options exclude each other."""
    if choice.kind == "embedded":
        yield DevStore({"STORE": "embedded"})
        return

    suite = running(env)
    if suite.firestore is not None and (choice.port or choice.data):
        option = "--emulator-port" if choice.port else "--emulator-data"
        raise OperatorError(f"{option}: the emulator at {suite.firestore} runs already")

    with ExitStack() as stack:
        advice = ""
        if suite.auth is None and env.get("AUTH") == "emulator":
            firebase = find_firebase()
            if firebase is None:
                advice = f"nobody can sign in, aurora token makes tokens: {INSTALL} brings Auth"
            else:
                auth = auth_emulator(firebase, suite.project, data=choice.data)
                suite = replace(suite, auth=stack.enter_context(auth))
        if suite.firestore is not None:
            yield _dev_store(suite, suite.firestore, follow=suite, advice=advice)
            return
        started = _started_emulator(choice, suite, functions_port=functions_port)
        host = stack.enter_context(started)
        yield _dev_store(suite, host, follow=None, advice=advice)


@contextmanager
def _started_emulator(choice: StoreChoice, suite: Suite, *, functions_port: int) -> Iterator[str]:
    """Yields the address of an emulator under our rules that posts its events to us."""
    with emulator.start(
        port=choice.port,
        functions_port=functions_port,
        data=choice.data,
    ) as started:
        rules = shipped.RULES.read_text(encoding="utf-8")
        started.upload_rules(suite.project, rules)
        for name, document in emulator.TRIGGERS.items():
            started.register_trigger(suite.project, name, document, database=suite.database)
        with _interrupted_at_end_of(started.process):
            try:
                yield started.host
            finally:
                if choice.data and started.process.poll() is None:
                    started.save(suite.project, choice.data, suite.database)


@contextmanager
def _interrupted_at_end_of(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Interrupts the block if the process ends before it. Raises OperatorError then."""
    block_has_ended = threading.Event()

    def wait() -> None:
        process.wait()
        if not block_has_ended.is_set():
            _thread.interrupt_main()

    threading.Thread(target=wait, name="emulator", daemon=True).start()
    try:
        yield
    finally:
        block_has_ended.set()
        if process.poll() is not None:
            raise OperatorError(
                "the Firestore emulator has ended, and what it held and had not saved is gone",
            )


def _dev_store(
    suite: Suite,
    host: str,
    *,
    follow: Suite | None,
    advice: str,
) -> DevStore:
    """Returns the store in the emulator at `host`, to which Google's clients turn from now on."""
    os.environ["FIRESTORE_EMULATOR_HOST"] = host
    settings = {"STORE": "firestore", "GOOGLE_CLOUD_PROJECT": suite.project}
    variables = [
        f"FIRESTORE_EMULATOR_HOST={host}",
        f"GOOGLE_CLOUD_PROJECT={suite.project}",
    ]
    if suite.database != DEFAULT_DATABASE:
        variables.append(f"FIRESTORE_DATABASE={suite.database}")
    page: dict[str, object] = {}
    if suite.auth:
        settings["AUTH"] = "emulator"
        variables.append(f"FIREBASE_AUTH_EMULATOR_HOST={suite.auth}")
        page["firebase"] = {"apiKey": WEB_KEY, "emulator": f"http://{suite.auth}"}

    return DevStore(
        settings=settings,
        variables=tuple(variables),
        page=page,
        follow=follow,
        advice=advice,
    )


@contextmanager
def polling(
    project: str,
    handlers: Mapping[str, OnWrite],
    *,
    database: str = DEFAULT_DATABASE,
) -> Iterator[None]:
    """Calls handlers while the block runs, for every document first, then for each that is made,
    changed or removed.

    Called by one thread, one document after the other. An error that passes (busy, away, too late)
    is tried again; after another refusal nothing is called any more, and reconciling finds the rest.

    handlers: name of a collection -> function that takes the path of a document in a collection of
    that name, wherever it lies.
    """
    stopped = threading.Event()
    connection = Connection(
        project,
        database=database,
        read_seconds=POLL_TIMEOUT,
        write_seconds=0,
    )
    thread = threading.Thread(
        target=_poll,
        args=(connection, handlers, stopped),
        name="polling",
        daemon=True,
    )
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _poll(
    connection: Connection,
    handlers: Mapping[str, OnWrite],
    stopped: threading.Event,
) -> None:
    documents: dict[str, dict[str, object]] = {collection: {} for collection in handlers}
    is_away = False
    pause = 0.0
    seconds = 0.0
    while not stopped.wait(pause):
        previous_seconds = seconds
        seconds = 0.0
        try:
            for collection, on_write in handlers.items():
                began = time.monotonic()
                previous = documents[collection]
                documents[collection] = _write_times(connection, collection)
                seconds += time.monotonic() - began
                changes = previous.items() ^ documents[collection].items()
                for path in {path for path, _ in changes}:
                    on_write(path)
            is_away = False
        except (StoreRefused, Conflict) as error:  # a conflict: the database is not there
            _log.warning("%s: writes are not followed any more as they happen", error.message)
            return
        except StoreUnavailable as error:
            if not is_away:
                _log.warning("%s: writes are followed again when it answers", error.message)
            is_away = True
        # The shorter of two polls counts: the first one of an emulator takes seconds, whatever it holds.
        pause = max(POLL_SECONDS, POLL_SHARE * min(seconds, previous_seconds))
        pause = min(pause, MAX_POLL_SECONDS)


def _write_times(connection: Connection, collection: str) -> dict[str, object]:
    """Returns when each document of the collections of that name was last written, by its path."""
    query = Query(collection=collection, everywhere=True, fields=())
    times: dict[str, object] = {}
    for document in connection.query(connection.root, query):
        path = document.name.removeprefix(f"{connection.root}/")
        times[path] = (document.update_time.seconds, document.update_time.nanos)
    return times
