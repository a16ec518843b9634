"""The `aurora` command.

Exit codes: 0 done; 1 something failed; 2 the command line is wrong; 3 nothing found, or the notes hold no answer.
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.asking import ask, search
from cli.dev import dev
from cli.doctor import doctor
from cli.evaluating import evaluate
from cli.explaining import explain
from cli.indexing import demo, index, reconcile
from cli.templates import templates


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, help=__doc__)
@click.option("--home", type=click.Path(path_type=Path, file_okay=False), help="Folder of the embedded store.")
@click.option("--tenant", help="Whose notes.  [default: local]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
@click.version_option(package_name="aurora-notes")
@click.pass_context
def main(context: click.Context, home: Path | None, tenant: str | None, *, as_json: bool) -> None:
    """Keep what stands before the command's name, for the command."""
    context.obj = {"home": home, "tenant": tenant, "as_json": as_json}


for _command in (dev, demo, index, ask, search, explain, reconcile, evaluate, templates, doctor):
    main.add_command(_command)
