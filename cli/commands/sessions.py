"""`aurora sessions`: the conversations that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from cli.options import CommandContext, anywhere, counted
from cli.showing import console, show_list
from cli.suggestions import SuggestingGroup
from cli.terminal import echo_json
from desktop.client.pages import address, pages

if TYPE_CHECKING:
    from functions.client import Json


@click.group(cls=SuggestingGroup)
def sessions() -> None:
    """List, show, rename and delete conversations; `aurora chat --session ID` goes on with one."""


@sessions.command("list")
@click.option(
    "--query",
    default="",
    help="Only those whose title holds these words.",
)
@anywhere
def list_all(context: CommandContext, query: str) -> None:
    """Every session, last changed first."""
    with context.client() as client:
        filters = {"query": query} if query else {}
        listed_sessions: list[Json] = []
        for page in pages(client, "/sessions", filters):
            listed_sessions.extend(page["sessions"])
    show_list(context, "sessions", listed_sessions, _line, empty="no sessions")


def _line(session: Json) -> Text:
    """Returns the line of a session in the list."""
    time = session["updatedAt"][:16].replace("T", " ")
    messages = counted(session["messageCount"], "message")
    return Text(f"{session['sessionId']}  {time}  {messages:>13}  {session['title']}")


@sessions.command()
@click.argument("session_id", metavar="ID")
@anywhere
def show(context: CommandContext, session_id: str) -> None:
    """The messages of a session, oldest first."""
    with context.client() as client:
        session = client.send("GET", address("sessions", session_id))
        newest_first = list(pages(client, f"{address('sessions', session_id)}/messages"))
        messages: list[Json] = []
        for page in reversed(newest_first):
            messages.extend(page["messages"])
    if context.as_json:
        echo_json({**session, "messages": messages})
        return
    out = console()
    out.print(Text(session["title"] or session["sessionId"], "bold"))
    for message in messages:
        if message["role"] == "user":
            out.print(Text(f"\n› {message['text']}", "cyan"))
        else:
            out.print(Text(message["text"], ""))


@sessions.command()
@click.argument("session_id", metavar="ID")
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
@click.argument("session_id", metavar="ID")
@anywhere
def delete(context: CommandContext, session_id: str) -> None:
    """Delete a session with its messages."""
    with context.client() as client:
        client.send("DELETE", address("sessions", session_id))
    context.tell({"deleted": session_id}, f"deleted {session_id}")
