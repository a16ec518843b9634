"""`aurora sessions`: the conversations that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from cli.options import CommandContext, anywhere, counted
from cli.showing import as_read, console, show_list, time_in_words
from cli.suggestions import SuggestingGroup
from cli.terminal import echo_json
from desktop.client.pages import address, pages, rows_of

if TYPE_CHECKING:
    from functions.client import Json


@click.group(cls=SuggestingGroup)
def sessions() -> None:
    """List, show, rename and delete conversations; `aurora chat --session ID` goes on with one."""


_with_session = click.argument("session_id", metavar="ID")
"""Gives a command the id of a session."""


@sessions.command("list")
@click.option(
    "--query",
    default="",
    help="Only those whose title holds these words.",
)
@anywhere
def list_all(context: CommandContext, query: str) -> None:
    """Every session, last changed first."""
    filters = {}
    if query:
        filters["query"] = query
    with context.client() as client:
        rows = list(rows_of(client, "/sessions", "sessions", filters))
    show_list(context, "sessions", rows, _line, empty="no sessions")


def _line(session: Json) -> Text:
    """Returns the line of a session in the list."""
    messages = counted(session["messageCount"], "message")
    cells = (
        session["sessionId"],
        time_in_words(session["updatedAt"]),
        f"{messages:>13}",
        session["title"],
    )
    return Text("  ".join(cells))


@sessions.command()
@_with_session
@anywhere
def show(context: CommandContext, session_id: str) -> None:
    """The messages of a session, oldest first."""
    path = address("sessions", session_id)
    with context.client() as client:
        session = client.send("GET", path)
        newest_first = list(pages(client, f"{path}/messages"))

    messages: list[Json] = []
    for page in reversed(newest_first):
        messages.extend(page["messages"])
    if context.as_json:
        echo_json({**session, "messages": messages})
        return

    out = console()
    title = session["title"] or session["sessionId"]
    out.print(Text(title, "bold"))
    for message in messages:
        text = message["text"]
        if message["role"] == "user":
            out.print(Text(f"\n› {text}", "cyan"))
        else:
            out.print(Text(as_read(text), ""))


@sessions.command()
@_with_session
@click.argument("title")
@anywhere
def rename(context: CommandContext, session_id: str, title: str) -> None:
    """Give a session another title."""
    with context.client() as client:
        session = client.send(
            "PATCH",
            address("sessions", session_id),
            {"title": title},
        )
    context.tell(session, f"{session['sessionId']} is now called {session['title']}")


@sessions.command()
@_with_session
@anywhere
def delete(context: CommandContext, session_id: str) -> None:
    """Delete a session with its messages."""
    path = address("sessions", session_id)
    with context.client() as client:
        client.send("DELETE", path)
    context.tell({"deleted": session_id}, f"deleted {session_id}")
