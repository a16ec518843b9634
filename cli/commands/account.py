"""`aurora export` and `aurora erase`: everything that is kept of a person, written to a file or
erased.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import click

from cli.options import USAGE, CommandContext, anywhere, can_be_asked, counted, fail
from cli.terminal import echo_json_text, prompt
from functions.client import Json
from shared.errors import AuroraError

CONFIRMATION = "erase everything"
END = "end"
ERROR = "error"
_NOUNS = {
    "unreadableNote": "unreadable note",
    "unreadable": "unreadable document",
    "trashedNote": "deleted or replaced note",
    "feedback": "rating",
    "usage": "usage day",
}
"""Type of an export's line -> word that people use for it, if that is another one."""


@click.command()
@click.argument(
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    required=False,
)
@anywhere
def export(context: CommandContext, file: Path | None) -> None:
    """Write everything that is stored about you to FILE, or to standard output: one JSON object a line.

    FILE is written whole or not at all.
    """
    counts = Counter[str]()
    with context.client() as client, closing(client.lines("/me:export")) as lines:
        checked_lines = _checked(lines, counts)
        if file is None:
            for line in checked_lines:
                echo_json_text(line)
            return
        _write(file, checked_lines)

    written = {
        "file": str(file),
        "counts": dict(counts),
    }
    objects = dict(sorted(counts.items()))
    objects.pop(END, None)
    summary = counted_lines(objects) or "nothing"
    context.tell(written, f"{summary} written to {file}")


def _write(file: Path, lines: Iterable[str]) -> None:
    """Writes lines to a file, which changes when the last of them has come.

    Raises OSError with the name of the file if it cannot be written there.
    """
    part = file.with_name(f"{file.name}.part")
    try:
        out = part.open("w", encoding="utf-8")
    except OSError as error:  # it names the part, which the caller does not know
        raise OSError(error.errno, error.strerror, str(file)) from error

    try:
        with out:
            for line in lines:
                out.write(f"{line}\n")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _checked(lines: Iterator[str], counts: Counter[str]) -> Iterator[str]:
    """Yields the lines of an export and counts them by type.

    Raises AuroraError if the last of them is not the end.
    """
    kind = ""
    for line in lines:
        if not line:
            continue
        row: Json = json.loads(line)
        kind = row["type"]
        if kind == ERROR:
            raise AuroraError(f"the export broke off: {row['error']['message']}")
        counts[kind] += 1
        yield line

    if kind != END:
        raise AuroraError("the export broke off")


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@anywhere
def erase(context: CommandContext, *, yes: bool) -> None:
    """Erase everything that is stored about you: notes, index, sessions, templates. The files you
    indexed stay.
    """
    if not yes:
        _ask_whether_to_erase()
    with context.client() as client:
        receipt = client.send("DELETE", "/me", {"confirm": CONFIRMATION})

    lines = ["erased:"]
    for kind, count in receipt["erased"].items():
        lines.append(f"  {kind}: {count}")
    context.tell(receipt, "\n".join(lines))


def _ask_whether_to_erase() -> None:
    """Ends the command unless a person types the confirmation."""
    if not can_be_asked():
        fail("there is no terminal to ask whether to erase everything: --yes confirms it", USAGE)
    answer = prompt(f"Everything will be deleted. Type `{CONFIRMATION}` to continue")
    if answer.strip() != CONFIRMATION:
        fail("nothing was erased", USAGE)


def counted_lines(counts: Mapping[str, int]) -> str:
    """Returns the counts of an export's lines, like `2 notes, 1 session`; empty if there are none."""
    parts = []
    for kind, count in counts.items():
        noun = _NOUNS.get(kind, kind)
        parts.append(counted(count, noun))
    return ", ".join(parts)
