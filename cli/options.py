"""What all commands share: where the notes live, whose they are, how results are printed, how errors end."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from shared.app import App
from shared.bootstrap import LOCAL_TENANT, build
from shared.errors import AuroraError, InvalidArgument
from shared.settings import Settings

OK, FAILED, USAGE, NOTHING = 0, 1, 2, 3
"""Exit codes: done; something failed; the command line is wrong; nothing found, or no answer in the notes."""


@dataclass(frozen=True, slots=True)
class Place:
    """Whose notes, where, and whether a program reads the output."""

    home: Path | None
    """None: AURORA_HOME or its default."""
    tenant_id: str
    as_json: bool

    def settings(self, **more: str) -> Settings:
        """From the environment, with this place's home and `more` on top. Nobody signs in on a command line."""
        env = {**os.environ, "AUTH": "none", **more}
        if self.home is not None:
            env["AURORA_HOME"] = str(self.home)
        return Settings.from_env(env)

    @contextmanager
    def app(self) -> Iterator[App]:
        """The product, closed afterwards."""
        app = build(self.settings(), tenant=self.tenant_id)
        try:
            yield app
        finally:
            close(app)


def close(app: App) -> None:
    """Release its threads and files."""
    app.pool.shutdown()
    app.store.close()


def common(command: Callable[..., None]) -> Callable[..., None]:
    """`--home`, `--tenant` and `--json`, before or after the command's name; the command gets them as `place`."""

    @click.option("--home", type=click.Path(path_type=Path, file_okay=False), help="Folder of the embedded store.")
    @click.option("--tenant", help=f"Whose notes.  [default: {LOCAL_TENANT}]")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
    @click.pass_context
    @functools.wraps(command)
    def with_place(
        context: click.Context, /, home: Path | None, tenant: str | None, *, as_json: bool, **options: object
    ) -> None:
        outer: Mapping[str, Any] = context.find_object(dict) or {}
        place = Place(
            home or outer.get("home"),
            tenant or outer.get("tenant") or LOCAL_TENANT,
            as_json or bool(outer.get("as_json")),
        )
        with errors_as_one_line():
            command(place, **options)

    return with_place


@contextmanager
def errors_as_one_line() -> Iterator[None]:
    """An error of ours is told in one line and ends the command; a wrong value is a usage error."""
    try:
        yield
    except InvalidArgument as error:
        fail(error.message, USAGE)
    except AuroraError as error:
        fail(error.message)
    except OSError as error:
        fail(f"{error.strerror}: {error.filename}" if error.filename else str(error))


def fail(message: str, code: int = FAILED) -> None:
    """End the command."""
    click.echo(f"aurora: {' '.join(message.split())}", err=True)
    sys.exit(code)


def print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
