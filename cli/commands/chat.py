"""`aurora chat`: questions and follow-ups; on a terminal each answer is shown while it is written."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from cli.commands.ask import answered, question_json
from cli.options import CommandContext, anywhere, can_be_asked
from cli.showing import (
    as_read,
    console,
    show_answer,
    show_sources,
    tell_who_was_away,
)
from cli.terminal import echo, echo_json
from desktop.client.pages import address
from functions.client import ApiClient, Json
from shared.api.stream import StreamEvent
from shared.errors import AuroraError, InvalidArgument, RequestError

PROMPT = "› "
NEW = "/new"
HELP = "/help"
ENDS = ("/exit", "/quit")
HELP_TEXT = (
    "A question, or a follow-up to the last answer. /new starts a new conversation, "
    "/exit or Ctrl-D ends, Ctrl-C stops an answer."
)


@click.command()
@click.option(
    "--session",
    "session_id",
    help="Continue this session; `aurora sessions list` lists them.",
)
@answered
@anywhere
def chat(context: CommandContext, session_id: str | None, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Talk with your notes. Questions are read line by line, also from a pipe; --json prints one
    answer a line.

    The conversation is kept as a session, which later ones may go on with.
    """
    body = question_json(**options)
    with context.lasting_client() as client:
        if session_id is not None:
            # An unknown session fails now, not after the first question.
            client.send("GET", address("sessions", session_id))
        conversation = ChatSession(
            client=client,
            context=context,
            body=body,
            session_id=session_id or "new",
        )
        for line in _questions(asks=not context.as_json and can_be_asked()):
            conversation.say(line)


@dataclass(slots=True)
class ChatSession:
    """Session, seen from the terminal."""

    client: ApiClient
    context: CommandContext
    body: Json
    """Options of every question."""
    session_id: str
    """`new` before the first answer."""
    out: Console = field(default_factory=console)

    def say(self, line: str) -> None:
        """Answers a line.

        A request that is refused is reported, and the conversation goes on. Raises what ends it.
        """
        if line == NEW:
            self.session_id = "new"
            return

        if line == HELP:
            self.out.print(HELP_TEXT)
            return

        try:
            self._ask(line)
        except RequestError as error:
            echo(f"aurora: {error.message}", err=True)
        except KeyboardInterrupt:
            if not can_be_asked():
                raise
            self.out.print(Text("\nstopped", "dim"))

    def _ask(self, question: str) -> None:
        """Asks a question, prints the answer and remembers its session."""
        body = {
            **self.body,
            "message": question,
            "sessionId": self.session_id,
        }
        with closing(self.client.events("/chat", body)) as events:
            if self.context.as_json:
                result = _result(events)
                echo_json(result, indent=None)
            else:
                result = self._shown(events)
        session_id = result["meta"]["sessionId"]
        if session_id:
            self.session_id = session_id

    def _shown(self, events: Iterable[StreamEvent]) -> Json:
        """Prints an answer and returns it.

        On a terminal it is printed while it is written. Elsewhere nothing can be taken back, and
        only the final answer is printed.
        """
        if self.out.file.isatty():
            try:
                result = _result(follow(event, self.out) for event in events)
            finally:
                self.out.print()
            show_sources(result, self.context)
        else:
            result = _result(events)
            show_answer(result, self.context)

        wants_general = "whenNotInNotes" in self.body
        tell_who_was_away(result["meta"], self.client, general=wants_general)
        return result


def follow(event: StreamEvent, out: Console) -> StreamEvent:
    """Prints what an event adds to an answer's text on a terminal, and returns the event.

    What was printed cannot be taken back: a remark says that all of it is withdrawn.
    """
    data: Json = dict(event.data)
    if event.name == "token":
        out.print(Text(as_read(data["text"])), end="")
        out.file.flush()
    elif event.name == "retract":
        out.print(Text(f"\n(withdrawn: {data['reason']})", "dim"))

    return event


def _result(events: Iterable[StreamEvent]) -> Json:
    """Returns the final answer. Raises AuroraError if the stream ends before it."""
    for event in events:
        if event.name == "result":
            return dict(event.data)
    raise AuroraError("the answer broke off")


def _questions(*, asks: bool) -> Iterator[str]:
    """Yields lines that are not blank, until the input or a word ends the conversation.

    asks: read with a prompt and line editing.
    """
    if asks:
        with suppress(ImportError):  # there is none on Windows
            import readline  # noqa: F401, PLC0415 - `input` uses it once it is there
        echo(HELP_TEXT)

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
