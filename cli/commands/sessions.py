"""`aurora sessions`: the conversations that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from cli.options import Place, anywhere, counted, print_json
from cli.pages import address, pages
from cli.showing import console, show_list

if TYPE_CHECKING:
    from functions.client import Json


@click.group()
def sessions() -> None:
    """List, show, rename and delete conversations; `aurora chat --session ID` goes on with one."""


@sessions.command("list")
@click.option("--query", default="", help="Only those whose title holds these words.")
@anywhere
def list_all(place: Place, query: str) -> None:
    """Every session, last changed first."""
    with place.client() as client:
        asked = {"query": query} if query else {}
        found = [session for page in pages(client, "/sessions", asked) for session in page["sessions"]]

    def line(each: Json) -> Text:
        day = each["updatedAt"][:16].replace("T", " ")
        return Text(f"{each['sessionId']}  {day}  {counted(each['messageCount'], 'message'):>13}  {each['title']}")

    show_list(place, "sessions", found, line, empty="no sessions")


@sessions.command()
@click.argument("session_id", metavar="ID")
@anywhere
def show(place: Place, session_id: str) -> None:
    """The messages of a session, oldest first."""
    with place.client() as client:
        session = client.send("GET", address("sessions", session_id))
        newest_first = list(pages(client, f"{address('sessions', session_id)}/messages"))
        messages = [message for page in reversed(newest_first) for message in page["messages"]]
    if place.as_json:
        print_json({**session, "messages": messages})
        return
    out = console()
    out.print(Text(session["title"] or session["sessionId"], "bold"))
    for message in messages:
        asked = message["role"] == "user"
        out.print(Text(f"\n› {message['text']}" if asked else message["text"], "cyan" if asked else ""))


@sessions.command()
@click.argument("session_id", metavar="ID")
@click.argument("title")
@anywhere
def rename(place: Place, session_id: str, title: str) -> None:
    """Give a session another title."""
    with place.client() as client:
        session = client.send("PATCH", address("sessions", session_id), {"title": title})
    place.tell(session, f"{session['sessionId']} is now called {session['title']}")


@sessions.command()
@click.argument("session_id", metavar="ID")
@anywhere
def delete(place: Place, session_id: str) -> None:
    """Delete a session with its messages."""
    with place.client() as client:
        client.send("DELETE", address("sessions", session_id))
    place.tell({"deleted": session_id}, f"deleted {session_id}")
