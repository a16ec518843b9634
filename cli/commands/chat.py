"""`aurora chat`: questions and follow-ups; on a terminal each answer is shown while it is written."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from cli.commands.ask import answered, question_json
from cli.options import Place, anywhere, can_be_asked
from cli.pages import address
from cli.showing import console, show_answer, show_sources, tell_who_was_away
from functions.client import ApiClient, Json
from shared.api.stream import StreamEvent
from shared.errors import AuroraError, InvalidArgument, RequestError

PROMPT = "› "
NEW, HELP, ENDS = "/new", "/help", ("/exit", "/quit")
HELP_TEXT = (
    "A question, or a follow-up to the last answer. /new begins anew, /exit or Ctrl-D ends, Ctrl-C stops an answer."
)


@click.command()
@click.option("--session", "session_id", help="Go on with this session; `aurora sessions list` has them.")
@answered
@anywhere
def chat(place: Place, session_id: str | None, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Talk with your notes. Questions are read line by line, also from a pipe; --json prints one answer a line.

    The conversation is kept as a session, which later ones may go on with.
    """
    body = question_json(**options)
    with place.lasting_client() as client:
        if session_id is not None:
            client.send("GET", address("sessions", session_id))  # fails now, not after the first question
        talk = Conversation(client=client, place=place, body=body, session_id=session_id or "new")
        for line in _questions(asks=not place.as_json and can_be_asked()):
            talk.say(line)


@dataclass(slots=True)
class Conversation:
    """One session, seen from the terminal."""

    client: ApiClient
    place: Place
    body: Json
    session_id: str
    out: Console = field(default_factory=console)

    def say(self, line: str) -> None:
        """Answer one line. A request that is refused is reported and the conversation goes on. Raises what ends it."""
        if line == NEW:
            self.session_id = "new"
        elif line == HELP:
            self.out.print(HELP_TEXT)
        else:
            try:
                self._ask(line)
            except RequestError as error:
                click.echo(f"aurora: {error.message}", err=True)
            except KeyboardInterrupt:
                if not can_be_asked():
                    raise
                self.out.print(Text("\nstopped", "dim"))

    def _ask(self, question: str) -> None:
        asked = {**self.body, "message": question, "sessionId": self.session_id}
        with closing(self.client.events("/chat", asked)) as events:
            result = _result(events) if self.place.as_json else self._shown(events)
        if self.place.as_json:
            click.echo(json.dumps(result, ensure_ascii=False))
        self.session_id = result["meta"]["sessionId"] or self.session_id

    def _shown(self, events: Iterable[StreamEvent]) -> Json:
        """While it is written on a terminal; elsewhere, where nothing can be taken back, only what is final."""
        if self.out.file.isatty():
            try:
                result = _result(follow(event, self.out) for event in events)
            finally:
                self.out.print()
            show_sources(result, self.place)
        else:
            result = _result(events)
            show_answer(result, self.place)
        tell_who_was_away(result["meta"], self.client)
        return result


def follow(event: StreamEvent, out: Console) -> StreamEvent:
    """Print what an event brings to an answer's text on a terminal; the event itself. What was printed cannot be taken
    back: that all of it is withdrawn is said.
    """
    data: Json = dict(event.data)
    if event.name == "token":
        out.print(Text(data["text"]), end="")
        out.file.flush()
    elif event.name == "retract":
        out.print(Text(f"\n(withdrawn: {data['reason']})", "dim"))
    return event


def _result(events: Iterable[StreamEvent]) -> Json:
    """The authoritative answer. Raises AuroraError if the stream ended before."""
    for event in events:
        if event.name == "result":
            return dict(event.data)
    raise AuroraError("the answer broke off")


def _questions(*, asks: bool) -> Iterator[str]:
    """Lines that are not blank, until the input ends or a word ends it. `asks`: with a prompt and line editing."""
    if asks:
        with suppress(ImportError):  # there is none on Windows
            import readline  # noqa: F401, PLC0415 - `input` uses it once it is there
        click.echo(HELP_TEXT)
    while True:
        try:
            line = input(PROMPT) + "\n" if asks else sys.stdin.readline()
        except EOFError:
            return
        except UnicodeDecodeError as error:
            raise InvalidArgument("standard input", "UTF-8") from error
        if not line or line.strip() in ENDS:
            return
        if line.strip():
            yield line.strip()
