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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import functions_framework
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from cli.commands.index import tell_news
from cli.commands.token import minted
from cli.diagnosis.checks import foreign_notes, mend_of_languages
from cli.options import (
    FOLDER,
    USAGE,
    CommandContext,
    close,
    common,
    counted,
    fail,
    parts_in_use,
    with_options,
)
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
from desktop.product.routing import by_first_segment, by_last_segment
from desktop.product.running import Announcement, Running, announced, digest_of, models_of
from desktop.product.sample import dated
from desktop.product.secret import HEADER, LEAST_LENGTH, WAIVED, new_secret, with_secret_beyond
from desktop.product.store import TEMPLATE_TRIGGER, DevStore, StoreChoice, dev_store, polling
from desktop.product.suite import PROJECT
from desktop.product.trigger import Trigger, delivery, posting
from functions.http import log
from shared import __name__ as shared_package
from shared.app import App
from shared.bootstrap import build, use
from shared.errors import AuroraError
from shared.indexing.records import LEASE
from shared.settings import Settings, shipped
from shared.sweep.reconcile import reconcile

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

RECONCILE_SECONDS = 300.0
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - a name for what a person asked for
BEYOND_LEASE = 2.0
"""Seconds."""
RECONCILE_BUDGET = 5000
SAMPLE_VAULT = "default"
QUESTION = "What did we decide at the API meeting?"

_logger = logging.getLogger(f"{shared_package}.dev")


_with_dev_options = with_options(
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=PORT,
        show_default=True,
        help="0: any free one.",
    ),
    click.option(
        "--store",
        type=click.Choice(["embedded", "emulator"]),
        default="embedded",
        show_default=True,
    ),
    click.option(
        "--emulator-port",
        type=click.IntRange(0, 65535),
        default=0,
        help="0: any free one.",
    ),
    click.option(
        "--emulator-data",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder that keeps its documents.",
    ),
    click.option(
        "--listen",
        default=HOST,
        show_default=True,
        help="Address; 0.0.0.0 inside a container.",
    ),
    click.option(
        "--secret",
        envvar="AURORA_DEV_SECRET",
        help="Secret that other machines must send with AUTH=emulator; `none` if something else keeps them out."
        "  [default: a new one; env var: AURORA_DEV_SECRET]",
    ),
    click.option(
        "--browser/--no-browser",
        default=True,
        help="Open the address, when started from a terminal.",
    ),
    click.option(
        "--sample",
        type=FOLDER,
        is_flag=False,
        flag_value=str(shipped.SAMPLE_NOTES),
        help="Notes to load the first time; without a folder the sample notes.",
    ),
    click.option(
        "--watch/--no-watch",
        "follows",
        default=True,
        help="Follow the folders that were indexed.",
    ),
    click.option(
        "--model",
        help="Writing model: of a server on this machine like Ollama, or of the configured service.",
    ),
)


@click.command()
@_with_dev_options
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
    **options: Any,  # noqa: ANN401 - click's options
) -> None:
    """Run the whole product on this machine, for this machine only. Ctrl-C ends it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with suppress(KeyboardInterrupt), ExitStack() as stack:
        # 1. An address, a store and the product on it.
        listener = stack.enter_context(_listening(listen, port))
        _, bound_port = listener.getsockname()
        address = f"http://localhost:{bound_port}"
        trigger = Trigger()
        store_choice = StoreChoice(
            kind=options["store"],
            port=options["emulator_port"],
            data=options["emulator_data"],
        )
        store = stack.enter_context(dev_store(store_choice, os.environ, functions_port=bound_port))
        writing: Mapping[str, str] = {}
        if model:
            writing = writing_with(model, context.settings(), os.environ)
        app = stack.enter_context(_product(context, store, trigger, writing))
        _check_exposure(app.settings, listen)
        secret = _secret_beyond(app.settings, listen, secret)
        if sample:
            _load_sample(app, context, sample)

        # 2. Its page and functions. Where people sign in, the folders of this machine and its model are not theirs.
        everybody_is_one = app.settings.auth == "none"
        page_config = {
            **store.page,
            "files": everybody_is_one,
            "writes": app.writer is not None,
        }
        log.configure(app.settings.log_level)
        choice = ModelChoice(app, page_config)
        destination = LocalDestination(app, context.tenant_id, indexes=False)
        site = _site(choice, store, trigger, stack, destination=destination)
        guarded_site = _guarded(site, app.settings, listen, secret)
        server = _server(guarded_site, listener)

        # 3. The index follows every save, and the folders that were indexed.
        waits = reconcile_waits()
        stack.enter_context(_reconciling(app, trigger, context.tenant_id, waits))
        stack.callback(trigger.stop)
        trigger.start()
        if options["follows"] and everybody_is_one:
            stack.enter_context(following_all(destination, tell_news))
        choice.announcement = stack.enter_context(_found_by_commands(context, app, address))

        # 4. Where it is.
        _tell_other_machines(listen, bound_port, secret)
        _greet(app, store, address, context.tenant_id)
        if browser and sys.stdout.isatty():
            webbrowser.open(address)
        server.serve_forever()


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yields a socket of our own, so that a taken port is reported plainly and port 0 is known before anything starts."""
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
                f"port {port} cannot be used on {host} ({reason}): "
                "stop the program that uses it, or choose another with --port",
            )
        listener.listen(128)
        yield listener


def _server(site: WSGIApplication, listener: socket.socket) -> BaseWSGIServer:
    """Returns a server of the site on a socket that listens already."""
    host, port = listener.getsockname()
    return make_server(
        host,
        port,
        with_request_lines(site),
        threaded=True,
        request_handler=_Quiet,
        fd=listener.fileno(),
    )


def _check_exposure(settings: Settings, listen: str) -> None:
    """Ends the command where anybody could read and change the notes: other machines, or every page in a browser."""
    if settings.auth == "none" and listen not in LOOPBACK:
        fail(
            f"--listen {listen}: with AUTH=none every machine that reaches it could read and change the notes; "
            "AUTH=firebase makes people sign in, AUTH=emulator asks other machines for a secret that it prints",
        )

    if settings.auth != "firebase" and "*" in settings.allowed_origins:
        fail(
            f"ALLOWED_ORIGINS=*: with AUTH={settings.auth} every web page could read and change the notes; "
            "name pages, or AUTH=firebase makes people sign in",
        )


def _secret_beyond(settings: Settings, listen: str, chosen: str | None) -> str | None:
    """Returns the token that other machines must bring, as anybody can make an emulator's; None if they need none."""
    if settings.auth != "emulator" or listen in LOOPBACK or chosen == WAIVED:
        return None
    if not chosen:
        return new_secret()
    fits_a_header = chosen.isascii() and chosen.isprintable()
    if len(chosen) < LEAST_LENGTH or not fits_a_header:
        fail(f"--secret: expected {LEAST_LENGTH} or more ASCII characters, or {WAIVED}", USAGE)
    return chosen


def _guarded(
    site: WSGIApplication,
    settings: Settings,
    listen: str,
    secret: str | None,
) -> WSGIApplication:
    """Returns the site for those who may reach it.

    secret: the token that other machines must bring.
    """
    local = only_from_this_machine(site, settings.allowed_origins)
    if secret is not None:
        return with_secret_beyond(
            local,
            site,
            secret=secret,
            folder=shipped.PAGE,
            allowed_origins=settings.allowed_origins,
        )

    if settings.auth == "firebase" and listen not in LOOPBACK:
        return site  # people sign in, under whatever name the machine has for them
    return local


def _found_by_commands(
    context: CommandContext,
    app: App,
    address: str,
) -> AbstractContextManager[Announcement | None]:
    """Lets commands of this home ask this process, where their own product would answer the same."""
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
    """Yields the App of this process, on that store.

    writing: the settings of a model that was asked for.
    """
    overrides = {
        "AUTH": "none",
        "LOG_LEVEL": "WARNING",
        **store.settings,
        **writing,
    }
    # What somebody has set wins over our defaults, but not over where the store is.
    variables = environment(context.home)
    for name in ("AUTH", "LOG_LEVEL"):
        value = variables.get(name)
        if value:
            overrides[name] = value

    settings = context.settings(**overrides)
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
    """Returns every deployed function through its own host, under the paths it has in the cloud."""
    app = choice.app
    on_note_write = _host("on_note_write")
    on_template_write = _host("on_template_write")
    trigger.deliver = delivery(on_note_write)
    trigger.words = lambda key: not app.indexer.index(key, words_only=True).waiting

    # Neither the scheduler nor events bring a token: in the cloud their callers need a role.
    functions: dict[str, WSGIApplication] = {
        "chat": _host("chat"),
        "reconcile": for_this_machine_alone(_host("reconcile")),
    }
    if store.follow:
        handlers = {
            "notes": trigger.enqueue_path,
            "templates": posting(on_template_write),
        }
        suite = store.follow
        stack.enter_context(polling(suite.project, handlers, database=suite.database))
    elif app.settings.store == "firestore":
        # The emulator posts its events below this path.
        events = by_last_segment({TEMPLATE_TRIGGER: on_template_write}, on_note_write)
        functions["functions"] = for_this_machine_alone(events)

    site = by_first_segment(functions, _host("api"))
    if choice.config["files"]:
        site = with_note_files(site, FolderFiles(destination))
        site = with_folders(site, FollowedFolders(destination))
        site = with_model_choice(site, choice)

    return with_page(site, shipped.PAGE, choice.config)


def _host(function: str) -> WSGIApplication:
    """Returns a deployed function behind the framework that serves it in the cloud."""
    host: WSGIApplication = functions_framework.create_app(  # type: ignore[no-untyped-call]
        function,
        str(shipped.FUNCTIONS),
    )
    return host


class _Quiet(WSGIRequestHandler):
    """`with_request_lines` tells of requests, when they have ended."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Logs nothing."""

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - werkzeug's name
        """Logs a malformed request, whose text may hold anything."""
        del type
        now = datetime.now().astimezone()
        echo(f"{now:%H:%M:%S} {message % args}", err=True)


def reconcile_waits() -> Iterator[float]:
    """Yields the seconds before each pass: now, when the last lease of a process that was killed has
    run out, and then every five minutes, as the scheduler does.
    """
    yield 0.0
    yield LEASE.total_seconds() + BEYOND_LEASE
    while True:
        yield RECONCILE_SECONDS


@contextmanager
def _reconciling(
    app: App,
    trigger: Trigger,
    tenant_id: str,
    waits: Iterable[float],
) -> Iterator[None]:
    """Brings what is new in the template folders, and what an earlier process left undone, to the
    trigger at these times.
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
    """Loads sample notes once only: not again when somebody has deleted or erased them, and not into a space that has notes.

    What a start that died has begun is brought to its end. Their vectors follow by the trigger.
    """
    sample = dated(sample, app.settings.home, datetime.now(UTC).date())
    task = Import(
        LocalDestination(app, context.tenant_id),
        sample,
        SAMPLE_VAULT,
    )
    folders = task.manifest().folders(task.destination.name)
    began_before = next((folder for folder in folders if folder.source == task.source), None)
    if began_before is not None and began_before.finished:
        return
    if began_before is None:
        if _has_notes(app, context.tenant_id):
            return
        if app.store.last_erasure(context.tenant_id):
            echo(f"everything was erased here, so the sample is not loaded: aurora index {sample}")
            return

    report = task.run(vectors=False)
    echo(f"loaded {counted(report.notes, 'sample note')} from {sample}")


def _has_notes(app: App, tenant_id: str) -> bool:
    """Reports whether a tenant has any note."""
    first_page = app.notes.page(
        tenant_id,
        limit=1,
        token=None,
        vault=None,
    )
    return bool(first_page.items)


def _foreign_notes(app: App, tenant_id: str) -> str | None:
    """Returns `foreign_notes`, and None if the notes cannot be read: no greeting may end the product."""
    try:
        return foreign_notes(app, tenant_id)
    except Exception as error:  # noqa: BLE001 - its message may hold what a damaged file says
        message = type(error).__name__
        if isinstance(error, AuroraError):
            message = error.message
        echo(f"not all notes can be read ({message}): aurora doctor says more", err=True)
        return None


def _tell_other_machines(listen: str, port: int, secret: str | None) -> None:
    """Prints how other machines reach the product, if they do."""
    if listen not in LOOPBACK:
        echo(f"listens on {listen}, for other machines too")
    if secret is None:
        return
    host = listen
    if listen == ANY_ADDRESS:
        host = socket.gethostname()
    echo(f"other machines open http://{host}:{port}/#secret={secret}")
    echo(f"their programs send {HEADER}: {secret}, or a token of aurora token --secret")


def _greet(
    app: App,
    store: DevStore,
    address: str,
    tenant_id: str,
) -> None:
    """Prints where the product is, what it is made of, and a question to try."""
    echo(f"Aurora Notes on {address}  (Ctrl-C ends it)")
    echo(parts_in_use(app))
    if not app.writer:
        server = answering(os.environ)
        if server:
            echo(f"a model server answers at {server}: aurora dev --model NAME writes with it")

    foreign = _foreign_notes(app, tenant_id)
    if foreign:
        echo(f"{foreign}; {mend_of_languages(app.settings.home)}")
    for line in store.variables:
        echo(line)
    if store.advice:
        echo(store.advice)

    token_header = ""
    if app.settings.auth == "emulator":
        token = minted(tenant_id, app.settings.project or PROJECT)
        token_header = f"-H 'Authorization: Bearer {token}' "

    json_header = "-H 'Content-Type: application/json'"
    body = f'{{"message": "{QUESTION}"}}'
    echo(f"try: curl -s {address}/chat {token_header}{json_header} -d '{body}'")
