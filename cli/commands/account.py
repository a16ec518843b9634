"""`aurora export` and `aurora erase`: everything that is kept of somebody, out of the product or out of the world."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import click

from cli.options import USAGE, Place, anywhere, can_be_asked, counted, fail
from functions.client import Json
from shared.errors import AuroraError

CONFIRMATION = "erase everything"
END, ERROR = "end", "error"
_NOUNS = {
    "unreadableNote": "unreadable note",
    "trashedNote": "deleted or replaced note",
    "feedback": "rating",
    "usage": "usage day",
}
"""Type of an export's line -> what a person calls it, where that is another word."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@anywhere
def export(place: Place, file: Path | None) -> None:
    """Write everything that is kept of you to FILE, or to standard output: one JSON object a line.

    FILE is written whole or not at all.
    """
    with place.client() as client, closing(client.lines("/me:export")) as lines:
        if file is None:
            for line in _checked(lines, Counter()):
                click.echo(line)
            return
        counts, fresh = Counter[str](), file.with_name(f"{file.name}.part")
        try:
            with fresh.open("w", encoding="utf-8") as out:
                out.writelines(f"{line}\n" for line in _checked(lines, counts))
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
    lines_written = counted_lines({kind: count for kind, count in sorted(counts.items()) if kind != END})
    place.tell({"file": str(file), "counts": dict(counts)}, f"{lines_written or 'nothing'} written to {file}")


def _checked(lines: Iterator[str], counts: Counter[str]) -> Iterator[str]:
    """The lines, counted by type. Raises AuroraError if the last of them is not the end."""
    kind = ""
    for line in filter(None, lines):
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
def erase(place: Place, *, yes: bool) -> None:
    """Erase everything that is kept of you: notes, index, sessions, templates. The files you indexed stay."""
    if not yes:
        if not can_be_asked():
            fail("nobody can be asked whether to erase everything: --yes answers", USAGE)
        question = f"Everything will be gone. Type `{CONFIRMATION}` to go on"
        if click.prompt(question, default="", show_default=False).strip() != CONFIRMATION:
            fail("nothing was erased", USAGE)
    with place.client() as client:
        receipt = client.send("DELETE", "/me", {"confirm": CONFIRMATION})
    place.tell(receipt, "\n".join(("erased:", *(f"  {kind}: {count}" for kind, count in receipt["erased"].items()))))


def counted_lines(counts: Mapping[str, int]) -> str:
    """Lines of an export, by type: `2 notes, 1 session`; empty where there are none."""
    return ", ".join(counted(count, _NOUNS.get(kind, kind)) for kind, count in counts.items())
