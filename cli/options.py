"""What all commands share: where the notes live, whose they are, how results are printed, how errors end."""

from __future__ import annotations

import functools
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.environment import HOME, environment, remarks
from cli.product.running import find_running
from shared.errors import AuroraError, InvalidArgument
from shared.model.limits import ID, is_id
from shared.settings import LOCAL_TENANT, Settings

if TYPE_CHECKING:
    from functions.client import ApiClient
    from shared.app import App

OK, FAILED, USAGE, NOTHING = 0, 1, 2, 3
"""Exit codes: done; something failed; the command line is wrong; nothing found, or no answer in the notes."""
INTERRUPTED = 130
"""Ctrl-C, as shells have it."""
_REMARKED = "cli.options.remarked"


@dataclass(frozen=True, slots=True)
class Place:
    """Whose notes, where, and whether a program reads the output."""

    home: Path | None
    """None: AURORA_HOME or its default."""
    tenant_id: str
    as_json: bool
    server: str | None = None
    """Address of a deployed product; None: the notes are on this machine."""
    token: str | None = None
    """Who calls that server: a Firebase ID token."""

    def settings(self, **more: str) -> Settings:
        """From the environment and the home's `.env`, with this place's home and `more` on top. Nobody signs in on a
        command line, and what is logged elsewhere is said by the command itself.
        """
        env = {"LOG_LEVEL": "ERROR", **environment(self.home), **more}
        if self.home is not None:
            env[HOME] = str(self.home)
        settings = Settings.from_env(env)
        return settings if "AUTH" in more else replace(settings, auth="none")

    def tell(self, value: object, said: str) -> None:
        """Print the value for a program, or what a person is to read."""
        click.echo(json.dumps(value, ensure_ascii=False, indent=2) if self.as_json else said)

    @contextmanager
    def app(self) -> Iterator[App]:
        """The product, closed afterwards."""
        from cli.sync.destinations import forget  # noqa: PLC0415 - the product takes half a second
        from shared.bootstrap import build  # noqa: PLC0415

        settings, logger = self.settings(), logging.getLogger("shared")
        with ExitStack() as stack:
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(settings.log_level)
            app = build(settings, on_erase=partial(forget, settings), tenant=self.tenant_id)
            stack.callback(close, app)
            yield app

    @contextmanager
    def client(self) -> Iterator[ApiClient]:
        """The product's routes, on this machine or on the server: commands cannot tell which."""
        running = None if self.server else find_running(self.settings(), self.tenant_id)
        address = self.server or (running.address if running else None)
        if address is None:
            with self.lasting_client() as client:
                yield client
            return
        from cli.remote import reaching  # noqa: PLC0415 - for those who have a server

        token, models = (None, running.models) if running else (self.token, None)
        with reaching(address, token, models) as remote:
            yield remote

    @contextmanager
    def lasting_client(self) -> Iterator[ApiClient]:
        """`client`, for a command that may outlast a product that runs in this home."""
        if self.server is not None:
            with self.client() as client:
                yield client
            return
        from functions.client import InProcessClient  # noqa: PLC0415 - as in `app`
        from shared.bootstrap import use  # noqa: PLC0415
        from shared.ports.access import Identity  # noqa: PLC0415

        with self.app() as app:
            use(app)
            yield InProcessClient(Identity(self.tenant_id, self.tenant_id))


def parts_in_use(app: App) -> str:
    """In one line."""
    settings = app.settings
    store = f"Firestore ({settings.project})" if settings.store == "firestore" else f"embedded store ({settings.home})"
    vectors = f"embedder {app.embedder.model}" if app.embedder else "no embedder: keyword and recency search only"
    offline = "" if settings.uses_gemini or settings.openai_base_url else "; offline, no key is set"
    return f"{store}, {vectors}, writer {app.model}{offline}"


def close(app: App) -> None:
    """Release its threads and files."""
    app.pool.shutdown()
    app.store.close()


Command = Callable[..., None]


def common(command: Command) -> Command:
    """`--home`, `--tenant` and `--json`, before or after the command's name; the command gets them as `place`."""
    return _with_place(command, remote=False)


def anywhere(command: Command) -> Command:
    """`common`, for a command that also works on a server: `--server` and `--token`."""
    with_options = click.option("--server", metavar="URL", help="A deployed product.  [env var: AURORA_SERVER]")
    with_token = click.option("--token", help="Firebase ID token of who calls it.  [env var: AURORA_TOKEN]")
    return with_options(with_token(_with_place(command, remote=True)))


def _with_place(command: Command, *, remote: bool) -> Command:
    @click.option("--home", type=click.Path(path_type=Path, file_okay=False), help="Folder of the embedded store.")
    @click.option("--tenant", help=f"Whose notes.  [default: {LOCAL_TENANT}]")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
    @click.pass_context
    @functools.wraps(command)
    def with_place(context: click.Context, /, **options: Any) -> None:  # noqa: ANN401 - click's options
        outer: Mapping[str, Any] = context.find_object(dict) or {}
        given = {name: options.pop(name, None) or outer.get(name) for name in ("home", "tenant", "server", "token")}
        if given["server"] and not remote:
            raise click.UsageError("this command works on this machine's notes only, without --server")
        if given["server"] and given["tenant"]:
            raise click.UsageError("--tenant: on a server the token says whose notes they are")
        place = Place(
            home=given["home"],
            tenant_id=given["tenant"] or LOCAL_TENANT,
            as_json=options.pop("as_json") or bool(outer.get("as_json")),
            server=given["server"] or (os.environ.get("AURORA_SERVER") if remote else None) or None,
            token=given["token"] or os.environ.get("AURORA_TOKEN") or None,
        )
        if not is_id(place.tenant_id):
            raise click.UsageError(f"--tenant: expected {ID}, got {place.tenant_id!r}")
        with errors_as_one_line():
            if not context.meta.get(_REMARKED):  # a group has its own turn before its command's
                context.meta[_REMARKED] = True
                for remark in remarks(place.home):
                    click.echo(f"aurora: {remark}", err=True)
            command(place, **options)

    return with_place


@contextmanager
def errors_as_one_line() -> Iterator[None]:
    """An error of ours is one line on standard error and ends the command; a wrong value is a usage error. A reader who
    has left, like `head`, ends it quietly.
    """
    try:
        yield
        sys.stdout.flush()
    except InvalidArgument as error:
        fail(error.message, USAGE)
    except AuroraError as error:
        fail(error.message)
    except BrokenPipeError:  # what Python would still flush at its end goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except OSError as error:
        fail(f"{error.strerror}: {error.filename}" if error.filename else str(error))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def can_be_asked() -> bool:
    """Whether somebody sits at standard input."""
    return sys.stdin.isatty()


def fail(message: str, code: int = FAILED) -> None:
    """End the command."""
    click.echo(f"aurora: {' '.join(message.split())}", err=True)
    sys.exit(code)


def print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def counted(count: int, noun: str) -> str:
    """`1 note`, `2 notes`, `10,000 sample notes`: of nouns that take an s."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
