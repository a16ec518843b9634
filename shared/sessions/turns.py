r"""An answered turn -> its two messages as they are stored; stored messages -> as they may be read now.

The text of a stored answer ends with the list of its sources, which a client can parse or leave:

    We chose Firestore [N1].

    Sources:
    - [N1] API meeting (2026-01-15) note:abc123#abc123_001

One line a source: the label, the note's title on one line, the day it was written (UTC), and ids of note and chunk,
percent-encoded, so that the line ends in an address without blanks. `LINE` reads it. A title is shown as Markdown
here, so it is sanitized.

Read later, a changed note makes its citations stale, and a deleted one takes its text. A sentence that cites a deleted
note is that note's text, often word for word: it is withdrawn too. What is stored stays as it was answered; deleting
the session deletes it.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from shared.answering.pieces import split
from shared.markdown.neutralize import neutralize_line
from shared.markdown.sanitize import sanitize
from shared.model.answers import Answer, Usage
from shared.model.index import IndexRecord
from shared.model.questions import Question
from shared.model.sessions import Message, Role, Session, StoredCitation

HEADING = "Sources:"
UNTITLED = "untitled"
DELETED = "deleted note"

LINE = re.compile(r"- \[(?P<label>N\d+)\] (?P<title>.*) \((?P<day>\d{4}-\d\d-\d\d)\) note:(?P<note>\S+)#(?P<chunk>\S+)")

_LIST = re.compile(rf"\n\n{HEADING}\n(?:- \[N\d+\] [^\n]*\n?)*\Z")
WITHDRAWN = "[…]"
"""Replaces a sentence whose note was deleted."""
_MARKER = re.compile(r"\[(N\d+)\]")
_TEXTS = ("snippet", "quote", "title", "folder", "path", "headingPath")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question that has been asked and is about to be answered."""

    question: Question
    """With what the session and the request set, and then with what earlier turns leave to be understood."""
    asked_at: datetime
    session: Session | None = None
    """None: it belongs to no session."""
    max_history: int = 0
    """How many of the session's messages it may refer to."""
    usage: Usage = field(default_factory=Usage)
    """Cost of making the question whole."""

    @property
    def session_id(self) -> str | None:
        return None if self.session is None else self.session.session_id


def messages_of(turn: Turn, answer: Answer, body: Mapping[str, Any], now: datetime) -> tuple[Message, Message]:
    question = turn.question
    turn_id = f"{time.time_ns():016x}{secrets.token_hex(8)}"  # by time: turns of one millisecond stay in their order
    shown: list[Mapping[str, Any]] = body["citations"]
    meta: Mapping[str, Any] = body["meta"]
    if meta.get("refusal"):  # its nearest notes are no part of the conversation: their text would outlive them
        meta = {**meta, "refusal": {**meta["refusal"], "nearest": []}}
    request_id = meta["requestId"]
    revisions = {each.label: each.passage.chunk.note_revision for each in answer.citations}
    asked = Message(
        message_id=f"{turn_id}1",
        role=Role.USER,
        text=question.asked or question.text,
        created_at=turn.asked_at,
        request_id=request_id,
        standalone=question.text if question.asked else "",
        as_of=question.now,
    )
    answered = Message(
        message_id=f"{turn_id}2",
        role=Role.ASSISTANT,
        text=with_sources(answer.text, shown),
        created_at=now,
        request_id=request_id,
        citations=tuple(StoredCitation(each["noteId"], revisions[each["cid"]], each) for each in shown),
        claims=tuple(body.get("claims", ())),
        meta=meta,
    )
    return asked, answered


def with_sources(answer: str, citations: Iterable[Mapping[str, Any]]) -> str:
    """Answer and the citations' JSON objects -> the text that is stored. Without citations: the answer itself."""
    lines = []
    for each in citations:
        title = sanitize(neutralize_line(str(each.get("title") or UNTITLED)))
        note, chunk = quote(str(each["noteId"]), safe=""), quote(str(each["chunkId"]), safe="")
        lines.append(f"- [{each['cid']}] {title} ({str(each['createdAt'])[:10]}) note:{note}#{chunk}")
    return "\n".join([f"{answer}\n", HEADING, *lines]) if lines else answer


def without_sources(text: str) -> str:
    """The answer alone."""
    return _LIST.sub("", text)


def as_read_now(message: Message, live: Mapping[str, IndexRecord]) -> Message:
    """`live`: the records of those cited notes that still exist."""
    citations = tuple(replace(each, shown=_shown(each, live)) for each in message.citations)
    gone = {str(each.shown["cid"]) for each in citations if each.note_id not in live}
    if not gone:
        return replace(message, citations=citations)
    answer = _without_sentences(without_sources(message.text), gone)
    listed = [{**each.shown, "title": DELETED} if each.note_id not in live else each.shown for each in citations]
    # The places of its claims are those of the whole answer, and their quotes are the note's text.
    return replace(message, citations=citations, claims=(), text=with_sources(answer, listed))


def _shown(citation: StoredCitation, live: Mapping[str, IndexRecord]) -> Mapping[str, Any]:
    record = live.get(citation.note_id)
    if record is None:
        texts = dict.fromkeys((name for name in _TEXTS if name in citation.shown), "")
        return {**citation.shown, **texts, "stale": True}
    edited = record.note_revision != citation.note_revision
    return {**citation.shown, "stale": edited or citation.shown.get("stale", False)}


def _without_sentences(answer: str, labels: Collection[str]) -> str:
    """Each sentence that cites one of `labels` gives way to its markers."""
    shown = []
    for piece in split(answer):
        cited = list(dict.fromkeys(_MARKER.findall(piece.text)))
        gone = any(label in labels for label in cited)
        markers = "".join(f"[{label}]" for label in cited)
        shown.append(f"{piece.opening}{piece.lead}{WITHDRAWN} {markers}" if gone else piece.whole)
    return "".join(shown)
