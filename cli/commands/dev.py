"""`aurora dev`: the deployed functions under one address on this machine, the index following every save."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import functions_framework
from werkzeug.serving import WSGIRequestHandler, make_server

from cli.commands.index import tell_news
from cli.commands.token import minted
from cli.diagnosis.checks import foreign_notes, mend_of_languages
from cli.options import USAGE, CommandContext, close, common, counted, fail, parts_in_use
from cli.terminal import echo
from desktop.client.local import HOST, LOOPBACK, PORT
from desktop.folders.destinations import LocalDestination, forget
from desktop.folders.followed import FollowedFolders, with_folders
from desktop.folders.importing import Import
from desktop.folders.note_files import FolderFiles, with_note_files
from desktop.folders.watching import following_all
from desktop.product.environment import environment
from desktop.product.loopback import (
    for_this_machine_alone,
    only_from_this_machine,
    with_request_lines,
)
from desktop.product.model_choice import ModelChoice, with_model_choice
from desktop.product.model_servers import answering, writing_with
from desktop.product.page import with_page
from desktop.product.ports import holder_of
from desktop.product.running import Announcement, Running, announced, digest_of, models_of
from desktop.product.sample import dated
from desktop.product.secret import HEADER, LEAST_LENGTH, WAIVED, new_secret, with_secret_beyond
from desktop.product.store import TEMPLATE_TRIGGER, DevStore, StoreChoice, dev_store, polling
from desktop.product.suite import PROJECT
from desktop.product.trigger import Trigger, delivery, posting
from shared import __name__ as shared_package
from shared.app import App
from shared.bootstrap import build, use
from shared.errors import AuroraError
from shared.indexing.records import LEASE
from shared.settings import Settings, shipped
from shared.sweep.reconcile import reconcile

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

RECONCILE_SECONDS = 300.0
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - a name for what a person asked for
BEYOND_LEASE = 2.0
"""Seconds."""
RECONCILE_BUDGET = 5000
SAMPLE_VAULT = "default"
QUESTION = "What did we decide at the API meeting?"

_logger = logging.getLogger(f"{shared_package}.dev")


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="0: any free one.",
)
@click.option(
    "--store",
    type=click.Choice(["embedded", "emulator"]),
    default="embedded",
    show_default=True,
)
@click.option(
    "--emulator-port",
    type=click.IntRange(0, 65535),
    default=0,
    help="0: any free one.",
)
@click.option(
    "--emulator-data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder that keeps its documents.",
)
@click.option(
    "--listen",
    default=HOST,
    show_default=True,
    help="Address; 0.0.0.0 inside a container.",
)
@click.option(
    "--secret",
    envvar="AURORA_DEV_SECRET",
    help="What other machines have to bring with AUTH=emulator; `none`: something else keeps them out."
    "  [default: a new one; env var: AURORA_DEV_SECRET]",
)
@click.option(
    "--browser/--no-browser",
    default=True,
    help="Open the address, when started from a terminal.",
)
@click.option(
    "--sample",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    is_flag=False,
    flag_value=str(shipped.SAMPLE_NOTES),
    help="Notes to load the first time; without a folder the sample notes.",
)
@click.option(
    "--watch/--no-watch",
    "follows",
    default=True,
    help="Follow the folders that were indexed.",
)
@click.option(
    "--model",
    help="The model that writes, of a server on this machine like Ollama, or of what is set.",
)
@common
def dev(
    context: CommandContext,
    /,
    *,
    port: int,
    listen: str,
    secret: str | None,
    sample: Path | None,
    browser: bool,
    model: str | None,
    **asked: Any,  # noqa: ANN401 - click's options
) -> None:
    """The whole product on this machine, for this machine only. Ctrl-C ends it."""
    stored = StoreChoice(
        kind=asked["store"],
        port=asked["emulator_port"],
        data=asked["emulator_data"],
    )
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.default_int_handler)
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        listener = stack.enter_context(_listening(listen, port))
        address = f"http://localhost:{listener.getsockname()[1]}"
        trigger = Trigger()
        store = stack.enter_context(
            dev_store(stored, os.environ, functions_port=listener.getsockname()[1])
        )
        writing = writing_with(model, context.settings(), os.environ) if model else {}
        app = stack.enter_context(_product(context, store, trigger, writing))
        _check_exposure(app.settings, listen)
        secret = _secret_beyond(app.settings, listen, secret)
        if sample:
            _load_sample(app, context, sample)
        choice = ModelChoice(
            app,
            {**store.page, "files": app.settings.auth == "none", "writes": app.writer is not None},
        )
        destination = LocalDestination(app, context.tenant_id, indexes=False)
        site = _site(choice, store, trigger, stack, destination=destination)
        local = only_from_this_machine(site, app.settings.allowed_origins)
        if secret is not None:
            site = with_secret_beyond(
                local,
                site,
                secret=secret,
                folder=shipped.PAGE,
                allowed_origins=app.settings.allowed_origins,
            )
        elif app.settings.auth != "firebase" or listen in LOOPBACK:
            site = local  # else people sign in, under whatever name the machine has for them
        site = with_request_lines(site)
        host, bound = listener.getsockname()
        server = make_server(
            host,
            bound,
            site,
            threaded=True,
            request_handler=_Quiet,
            fd=listener.fileno(),
        )
        stack.enter_context(_reconciling(app, trigger, context.tenant_id, reconcile_waits()))
        stack.callback(trigger.stop)
        trigger.start()
        if asked["follows"] and app.settings.auth == "none":  # as in `_site`
            stack.enter_context(following_all(destination, tell_news))
        choice.announcement = stack.enter_context(_found_by_commands(context, app, address))
        if listen not in LOOPBACK:
            echo(f"listens on {listen}, for other machines too")
        if secret is not None:
            host = socket.gethostname() if listen == ANY_ADDRESS else listen
            port = listener.getsockname()[1]
            echo(f"other machines open http://{host}:{port}/#secret={secret}")
            echo(f"their programs send {HEADER}: {secret}, or a token of aurora token --secret")
        _greet(app, store, address, context.tenant_id)
        if browser and sys.stdout.isatty():
            webbrowser.open(address)
        server.serve_forever()


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket of our own, so that a taken port is reported plainly and port 0 is known before anything starts."""
    with socket.socket() as listener:
        if os.name == "posix":  # elsewhere it would let two servers share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            holder = None
            if error.errno == errno.EADDRINUSE:
                holder = holder_of(port)
            reason = holder or error.strerror
            fail(
                f"port {port} cannot be had on {host} ({reason}): stop what uses it, or choose one with --port"
            )
        listener.listen(128)
        yield listener


def _check_exposure(settings: Settings, listen: str) -> None:
    """End the command where anybody could read and change the notes: other machines, or every page in a browser."""
    if settings.auth == "none" and listen not in LOOPBACK:
        fail(
            f"--listen {listen}: with AUTH=none every machine that reaches it could read and change the notes; "
            "AUTH=firebase makes people sign in, AUTH=emulator asks other machines for a secret that it prints"
        )
    if settings.auth != "firebase" and "*" in settings.allowed_origins:
        fail(
            f"ALLOWED_ORIGINS=*: with AUTH={settings.auth} every web page could read and change the notes; "
            "name pages, or AUTH=firebase makes people sign in"
        )


def _secret_beyond(settings: Settings, listen: str, chosen: str | None) -> str | None:
    """Returns the token that other machines must bring, as anybody can make an emulator's; None if they need none."""
    if settings.auth != "emulator" or listen in LOOPBACK or chosen == WAIVED:
        return None
    if chosen and (len(chosen) < LEAST_LENGTH or not chosen.isascii() or not chosen.isprintable()):
        fail(f"--secret: expected {LEAST_LENGTH} or more ASCII characters, or {WAIVED}", USAGE)
    return chosen or new_secret()


def _found_by_commands(
    context: CommandContext,
    app: App,
    address: str,
) -> AbstractContextManager[Announcement | None]:
    """Commands of this home ask this process, where their own product would answer the same."""
    if app.settings.auth != "none" or app.settings.store != "embedded":
        return nullcontext()
    plain = context.settings()
    if plain.store != "embedded":
        return nullcontext()
    running = Running(
        address=address,
        tenant=context.tenant_id,
        settings=digest_of(plain),
        models=models_of(app),
    )
    return announced(app.settings.home, running)


@contextmanager
def _product(
    context: CommandContext,
    store: DevStore,
    trigger: Trigger,
    writing: Mapping[str, str],
) -> Iterator[App]:
    """The App of this process, on that store. `writing`: the settings of a model that was asked for."""
    more = {"AUTH": "none", "LOG_LEVEL": "WARNING", **store.settings, **writing}
    # What somebody has set wins over our defaults, but not over where the store is.
    said = environment(context.home)
    more |= {name: said[name] for name in ("AUTH", "LOG_LEVEL") if said.get(name)}
    settings = context.settings(**more)
    app = build(
        settings,
        on_write=trigger.enqueue,
        on_erase=partial(forget, settings),
        tenant=context.tenant_id,
    )
    use(app)
    try:
        yield app
    finally:
        close(app)


def _site(
    choice: ModelChoice,
    store: DevStore,
    trigger: Trigger,
    stack: ExitStack,
    *,
    destination: LocalDestination,
) -> WSGIApplication:
    """Every deployed function through its own host, under the paths it has in the cloud."""
    app = choice.app
    chat, api, on_note_write, on_template_write, reconcile = (
        functions_framework.create_app(name, str(shipped.FUNCTIONS))  # type: ignore[no-untyped-call]
        for name in ("chat", "api", "on_note_write", "on_template_write", "reconcile")
    )
    trigger.deliver = delivery(on_note_write)
    trigger.words = lambda key: not app.indexer.index(key, words_only=True).waiting
    # Neither the scheduler nor events bring a token: in the cloud their callers need a role.
    functions: dict[str, WSGIApplication] = {
        "chat": chat,
        "reconcile": for_this_machine_alone(reconcile),
    }
    if suite := store.follow:
        handlers = {"notes": trigger.enqueue_path, "templates": posting(on_template_write)}
        stack.enter_context(polling(suite.project, handlers, database=suite.database))
    elif app.settings.store == "firestore":
        # The emulator posts its events below this path.
        functions["functions"] = for_this_machine_alone(
            _by_last_segment({TEMPLATE_TRIGGER: on_template_write}, on_note_write)
        )
    site = _by_first_segment(functions, api)
    if choice.config[
        "files"
    ]:  # where people sign in, the folders of this machine and its model are not theirs
        site = with_note_files(site, FolderFiles(destination))
        site = with_folders(site, FollowedFolders(destination))
        site = with_model_choice(site, choice)
    return with_page(site, shipped.PAGE, choice.config)


def _by_first_segment(
    functions: Mapping[str, WSGIApplication],
    rest: WSGIApplication,
) -> WSGIApplication:
    """Routes a path to the function that its first segment names, as Cloud Functions' shared host does.

    Firebase's SDKs that use an emulator call `/PROJECT/REGION/NAME`.
    """

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        names = environ.get("PATH_INFO", "").strip("/").split("/")
        name = names[2] if len(names) > 2 and names[2] in functions else names[0]
        return functions.get(name, rest)(environ, start_response)

    return site


def _by_last_segment(
    triggers: Mapping[str, WSGIApplication],
    rest: WSGIApplication,
) -> WSGIApplication:
    """Routes an event of the emulator to the function that the last segment of its path names."""

    def site(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return triggers.get(environ.get("PATH_INFO", "").rpartition("/")[2], rest)(
            environ, start_response
        )

    return site


class _Quiet(WSGIRequestHandler):
    """`with_request_lines` tells of requests, when they have ended."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - werkzeug's name
        """Tell of a request that is none, which may hold anything."""
        del type
        echo(f"{datetime.now().astimezone():%H:%M:%S} {message % args}", err=True)


def reconcile_waits() -> Iterator[float]:
    """Seconds before each pass: now, when the last lease of a process that was killed has run out, and then every five
    minutes, as the scheduler does.
    """
    return chain((0.0, LEASE.total_seconds() + BEYOND_LEASE), repeat(RECONCILE_SECONDS))


@contextmanager
def _reconciling(
    app: App,
    trigger: Trigger,
    tenant_id: str,
    waits: Iterable[float],
) -> Iterator[None]:
    """Bring what is new in the template folders, and what an earlier process left undone to the trigger, at these
    times.
    """
    stopped = threading.Event()

    def run() -> None:
        for wait in waits:
            if stopped.wait(wait):
                return
            try:
                app.templates.index(tenant_id)
                reconcile(
                    app.indexer,
                    budget=RECONCILE_BUDGET,
                    hand_over=trigger.enqueue,
                )
            except AuroraError as error:
                _logger.warning("reconcile: %s", error.message)

    thread = threading.Thread(target=run, name="reconcile", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _load_sample(app: App, context: CommandContext, sample: Path) -> None:
    """Once only: not again when somebody has deleted or erased them, and not into a space that has notes.

    What a start that died has begun is brought to its end. Their vectors follow by the trigger.
    """
    sample = dated(sample, app.settings.home, datetime.now(UTC).date())
    task = Import(LocalDestination(app, context.tenant_id), sample, SAMPLE_VAULT)
    folders = task.manifest().folders(task.destination.name)
    known = next((each for each in folders if each.source == task.source), None)
    if known and known.finished:
        return
    if (
        not known
        and app.notes.page(
            context.tenant_id,
            limit=1,
            token=None,
            vault=None,
        ).items
    ):
        return
    if not known and app.store.last_erasure(context.tenant_id):
        echo(f"everything was erased here, so the sample is not loaded: aurora index {sample}")
        return
    report = task.run(vectors=False)
    echo(f"loaded {counted(report.notes, 'sample note')} from {sample}")


def _foreign_notes(app: App, tenant_id: str) -> str | None:
    """Returns `foreign_notes`, and None if the notes cannot be read: no greeting may end the product."""
    try:
        return foreign_notes(app, tenant_id)
    except Exception as error:  # noqa: BLE001 - its message may hold what a damaged file says
        message = error.message if isinstance(error, AuroraError) else type(error).__name__
        echo(f"the notes cannot all be read ({message}): aurora doctor says more", err=True)
        return None


def _greet(app: App, store: DevStore, address: str, tenant_id: str) -> None:
    echo(f"Aurora Notes on {address}  (Ctrl-C ends it)")
    echo(parts_in_use(app))
    server = None if app.writer else answering(os.environ)
    if server:
        echo(f"a model server answers at {server}: aurora dev --model NAME writes with it")
    if foreign := _foreign_notes(app, tenant_id):
        echo(f"{foreign}; {mend_of_languages(app.settings.home)}")
    for line in store.variables:
        echo(line)
    if store.advice:
        echo(store.advice)
    body = f'{{"message": "{QUESTION}"}}'
    signed = ""
    if app.settings.auth == "emulator":
        signed = f"-H 'Authorization: Bearer {minted(tenant_id, app.settings.project or PROJECT)}' "
    echo(f"try: curl -s {address}/chat {signed}-H 'Content-Type: application/json' -d '{body}'")
