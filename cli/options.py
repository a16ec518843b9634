"""Shared parts of all commands: where the notes are, whose they are, how results and errors are
printed.
"""

from __future__ import annotations

import functools
import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.terminal import echo, echo_json
from desktop.product.environment import HOME, environment, remarks
from desktop.product.running import find_running
from shared import __name__ as shared_package
from shared.errors import AuroraError, InvalidArgument
from shared.model.limits import ID, is_id
from shared.settings import LOCAL_TENANT, Settings

if TYPE_CHECKING:
    from functions.client import ApiClient
    from shared.app import App

OK = 0
"""Exit code: done."""
FAILED = 1
"""Exit code: something failed."""
USAGE = 2
"""Exit code: the command line is wrong."""
NOTHING = 3
"""Exit code: nothing found, or no answer in the notes."""
INTERRUPTED = 130
"""Exit code: ended by Ctrl-C, the number that shells give it."""
_REMARKED = "cli.options.remarked"
"""Key in click's `meta`: the remarks on the environment are printed."""
_LOGGED_BY_ADAPTERS = "shared.adapters.sdk_errors"
"""Logger of problems that operators read, like a model that is set up wrongly. Commands print these
in words of their own.
"""


@dataclass(frozen=True, slots=True)
class CommandContext:
    """Options of every command: where the notes are, whose they are, and who reads the output."""

    home: Path | None
    """Folder of the embedded store; None is AURORA_HOME or its default."""
    tenant_id: str
    as_json: bool
    """True if a program reads the output."""
    server: str | None = None
    """Address of a deployed product; None if the notes are on this machine."""
    token: str | None = None
    """Firebase ID token of the person who calls that server."""

    def settings(self, **overrides: str) -> Settings:
        """Returns the settings of the environment and the home's `.env`, with this home.

        overrides: variables that win over both.

        Nobody signs in on a command line, and commands print themselves what is logged elsewhere.
        """
        variables = {"LOG_LEVEL": "ERROR", **environment(self.home), **overrides}
        if self.home is not None:
            variables[HOME] = str(self.home)
        settings = Settings.from_env(variables)
        if "AUTH" in overrides:
            return settings
        return replace(settings, auth="none")

    def tell(self, value: object, sentence: str) -> None:
        """Prints the value for a program, or the sentence for a person."""
        if self.as_json:
            echo_json(value)
        else:
            echo(sentence)

    @contextmanager
    def app(self) -> Iterator[App]:
        """Yields the product, and closes it afterwards."""
        from shared.bootstrap import build  # noqa: PLC0415 - the product takes half a second

        settings = self.settings()
        levels: dict[str, int | str] = {
            shared_package: settings.log_level,
            _LOGGED_BY_ADAPTERS: logging.CRITICAL,
        }
        with ExitStack() as stack:
            for name, level in levels.items():
                logger = logging.getLogger(name)
                stack.callback(logger.setLevel, logger.level)
                logger.setLevel(level)
            app = build(
                settings,
                on_erase=partial(_forget_folders, settings),
                tenant=self.tenant_id,
            )
            stack.callback(close, app)
            yield app

    @contextmanager
    def client(self) -> Iterator[ApiClient]:
        """Yields the product's routes: commands cannot tell whether they are on this machine.

        They are those of the server, else of a product that runs in this home, else of one in this
        process.
        """
        if self.server:
            from desktop.client.remote import reaching  # noqa: PLC0415 - for those who have a server

            with reaching(self.server, self.token) as remote:
                yield remote
            return

        running = find_running(self.settings(), self.tenant_id)
        if running is None:
            with self.lasting_client() as client:
                yield client
            return

        from desktop.client.remote import reaching  # noqa: PLC0415 - as above

        with reaching(running.address, None, running.models) as remote:
            yield remote

    @contextmanager
    def lasting_client(self) -> Iterator[ApiClient]:
        """Yields the product's routes for a command that may outlast a product that runs in this
        home.
        """
        if self.server is not None:
            with self.client() as client:
                yield client
            return

        gc.set_threshold(250_000)  # what is loaded now stays: as in main.py
        from functions.client import InProcessClient  # noqa: PLC0415 - as in `app`
        from shared.bootstrap import use  # noqa: PLC0415
        from shared.ports.access import Identity  # noqa: PLC0415

        with self.app() as app:
            use(app)
            yield InProcessClient(Identity(self.tenant_id, self.tenant_id))


def _forget_folders(settings: Settings, tenant_id: str) -> None:
    """Forgets which folders a tenant's notes came from."""
    from desktop.folders.destinations import forget  # noqa: PLC0415 - only an erasure needs it

    forget(settings, tenant_id)


def parts_in_use(app: App) -> str:
    """Returns one line that names the product's store, embedder and writer."""
    settings = app.settings
    store = f"embedded store ({settings.home})"
    if settings.store == "firestore":
        store = f"Firestore ({settings.project})"
    vectors = "no embedder: keyword and recency search only"
    if app.embedder:
        vectors = f"embedder {app.embedder.model}"
    line = f"{store}, {vectors}, writer {app.model}"
    if settings.uses_gemini or settings.openai_base_url:
        return line
    return f"{line}; offline, no key is set"


def close(app: App) -> None:
    """Releases the threads and files of a product."""
    app.pool.shutdown()
    app.store.close()


FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
"""Type of an argument or option that names a file to read."""
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
"""Type of one that names a folder that is there."""

Command = TypeVar("Command", bound=Callable[..., Any])


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Returns a decorator that gives a command these options, in the order in which `--help` lists
    them.
    """

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_with_common_options = with_options(
    click.option(
        "--home",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder of the embedded store.",
    ),
    click.option("--tenant", help=f"Whose notes.  [default: {LOCAL_TENANT}]"),
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print JSON for a program to read.",
    ),
)
_with_server_options = with_options(
    click.option(
        "--server",
        metavar="URL",
        help="A deployed product.  [env var: AURORA_SERVER]",
    ),
    click.option(
        "--token",
        help="Firebase ID token of the person who calls it.  [env var: AURORA_TOKEN]",
    ),
)


def common(command: Command) -> Callable[..., None]:
    """Gives a command `--home`, `--tenant` and `--json`, before or after its name.

    The command gets them as its first argument, a `CommandContext`.
    """
    return _with_common_options(_with_context(command, remote=False))


def anywhere(command: Command) -> Callable[..., None]:
    """Gives a command that also works on a server `--server` and `--token` beside the `common`
    options.
    """
    local = _with_common_options(_with_context(command, remote=True))
    return _with_server_options(local)


def _with_context(command: Command, *, remote: bool) -> Callable[..., None]:
    """Gives a command its context.

    remote: the command also works on a server.
    """

    @click.pass_context
    @functools.wraps(command)
    def with_context(
        click_context: click.Context,
        /,
        **options: Any,  # noqa: ANN401 - click's options
    ) -> None:
        context = _context_of(click_context, options, remote=remote)
        with errors_as_one_line():
            _print_remarks(click_context, context)
            command(context, **options)

    return with_context


def _context_of(
    click_context: click.Context,
    options: dict[str, Any],
    *,
    remote: bool,
) -> CommandContext:
    """Takes the options of every command from a command's options; those before its name stand in.

    Raises click.UsageError for options that do not go together.
    """
    group_options: Mapping[str, Any] = click_context.find_object(dict) or {}
    home = options.pop("home", None) or group_options.get("home")
    tenant = options.pop("tenant", None) or group_options.get("tenant")
    server = options.pop("server", None) or group_options.get("server")
    token = options.pop("token", None) or group_options.get("token")
    as_json = options.pop("as_json") or group_options.get("as_json")

    if server and not remote:
        raise click.UsageError("this command works on this machine's notes only, without --server")
    if server and tenant:
        raise click.UsageError("--tenant: on a server the token says whose notes they are")
    if remote and not server:
        server = os.environ.get("AURORA_SERVER")
    if not token:
        token = os.environ.get("AURORA_TOKEN")
    tenant_id = tenant or LOCAL_TENANT
    if not is_id(tenant_id):
        raise click.UsageError(f"--tenant: expected {ID}, got {tenant_id!r}")
    return CommandContext(
        home=home,
        tenant_id=tenant_id,
        as_json=bool(as_json),
        server=server or None,
        token=token or None,
    )


def _print_remarks(click_context: click.Context, context: CommandContext) -> None:
    """Prints the remarks on the environment once: a group has its own turn before its command's."""
    if click_context.meta.get(_REMARKED):
        return
    click_context.meta[_REMARKED] = True
    for remark in remarks(context.home):
        echo(f"aurora: {remark}", err=True)


@contextmanager
def errors_as_one_line() -> Iterator[None]:
    """Ends the command with one line on standard error if there is an error of ours.

    A wrong value is a usage error. A reader that has left, like `head`, ends the command quietly.
    """
    try:
        yield
        sys.stdout.flush()
    except InvalidArgument as error:
        fail(error.message, USAGE)
    except AuroraError as error:
        fail(error.message)
    except BrokenPipeError:
        # Python still flushes standard output at its end: that goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except OSError as error:
        if error.filename:
            fail(f"{error.strerror}: {error.filename}")
        fail(str(error))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def can_be_asked() -> bool:
    """Reports whether a person can type an answer on standard input."""
    return sys.stdin.isatty()


def fail(message: str, code: int = FAILED) -> None:
    """Ends the command with a message on standard error and an exit code."""
    echo(f"aurora: {' '.join(message.split())}", err=True)
    sys.exit(code)


def counted(count: int, noun: str) -> str:
    """Returns `1 note`, `2 notes` or `10,000 sample notes`, of a noun whose plural ends in s."""
    ending = "" if count == 1 else "s"
    return f"{count:,} {noun}{ending}"
