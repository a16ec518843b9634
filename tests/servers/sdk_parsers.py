"""Readers of our streams as clients have them, line by line, after the sources of Firebase's SDKs and the HTML standard.

Each takes the bytes of a reply and gives what the app sees. What an SDK drops silently is missing, what it throws at
is raised: `Unreadable`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = Any


class Unreadable(Exception):
    """The SDK gives up with an error of its own."""


@dataclass
class Received:
    """Messages that the app gets, then a result or an error."""

    messages: list[Json] = field(default_factory=list)
    result: Json = None
    error: Json = None

    def take(self, value: Json) -> None:
        """In the order in which the SDKs look."""
        if "result" in value:
            self.result = decoded(value["result"])
        elif "message" in value:
            self.messages.append(decoded(value["message"]))
        elif "error" in value:
            self.error = decoded(value["error"])


def decoded(value: Json) -> Json:
    """`@type` marks encoded longs; anything else behind it the decoders do not know (JavaScript throws)."""
    if isinstance(value, dict):
        if "@type" in value:
            raise Unreadable(value["@type"])
        return {name: decoded(member) for name, member in value.items()}
    return [decoded(element) for element in value] if isinstance(value, list) else value


def javascript(body: bytes) -> Received:
    """firebase-js-sdk, functions/src/service.ts: other lines are ignored, and so is JSON that does not parse."""
    received = Received()
    for line in body.decode().split("\n"):
        # JavaScript's `.` matches no line or paragraph separator.
        match = re.match(r"^data: ([^\n\r\u2028\u2029]*)$", line.strip())
        if match:
            try:
                received.take(json.loads(match[1]))
            except json.JSONDecodeError:
                continue
    return received


def android(body: bytes) -> Received:
    """firebase-android-sdk, PublisherStream.kt: an event ends at a blank line and must be a JSON object."""
    received = Received()
    event = ""
    for line in re.split(r"\r\n|\n|\r", body.decode())[:-1]:
        if line.startswith(("data:", "result:")):
            event += line.partition(":")[2].strip() + "\n"
        elif not line.strip():
            _take_event(event, received)
            event = ""
    return received


def _take_event(event: str, received: Received) -> None:
    try:
        received.take(json.loads(event))
    except json.JSONDecodeError as error:
        raise Unreadable(event) from error


def ios(body: bytes) -> Received:
    """firebase-ios-sdk, Functions.swift over `URLSession.AsyncBytes.lines`: every line that is not empty is data."""
    received = Received()
    for line in re.split("\r\n|[\n\r\v\f\x85\u2028\u2029]", body.decode()):
        if not line:
            continue
        if not line.startswith("data:"):
            raise Unreadable(line)
        _take_event(line.removeprefix("data:"), received)
    return received


def event_source(body: bytes) -> list[tuple[str, Json]]:
    """The HTML standard's event stream, as browsers' EventSource and SSE libraries read it: (name, data)."""
    events = []
    name = "message"
    data = list[str]()
    for line in re.split(r"\r\n|\n|\r", body.decode()):
        if not line and data:
            events.append((name, json.loads("\n".join(data))))
            name = "message"
            data = []
        elif line.startswith("event:"):
            name = line.removeprefix("event:").removeprefix(" ")
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
    return events
