r"""An answered turn -> its two messages as they are stored; stored messages -> as they may be read
now.

The text of a stored answer ends with the list of its sources, which a client can parse or leave:

    We chose Firestore [N1].

    Sources:
    - [N1] API meeting (2026-01-15) note:abc123#abc123_001

One line a source: the label, the note's title on one line, the day it was written (UTC), and ids of
note and chunk, percent-encoded, so that the line ends in an address without blanks. `LINE` reads
it. A title is shown as Markdown here, so it is sanitized.

Read later, a changed note makes its citations stale, and a deleted one takes its text. A sentence
that cites a deleted note is that note's text, often word for word: it is withdrawn too. What is
stored stays as it was answered; deleting the session deletes it.
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
from shared.model.answers import StoredAnswer, Usage
from shared.model.questions import Question
from shared.model.sessions import Message, Role, Session, StoredCitation
from shared.ports.freshness import Freshness, NoteRevision

HEADING = "Sources:"
UNTITLED = "untitled"
DELETED = "deleted note"

LINE = re.compile(
    r"- \[(?P<label>N\d+)\] (?P<title>.*) \((?P<day>\d{4}-\d\d-\d\d)\) note:(?P<note>\S+)#(?P<chunk>\S+)",
)

_LIST = re.compile(rf"\n\n{HEADING}\n(?:- \[N\d+\] [^\n]*\n?)*\Z")
WITHDRAWN = "[…]"
"""Replaces a sentence whose note was deleted."""
_MARKER = re.compile(r"\[(N\d+)\]")
_TEXTS = ("snippet", "quote", "title", "folder", "path", "headingPath")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question that has been asked and is about to be answered."""

    question: Question
    """The question with the settings of session and request; later rewritten to stand alone."""
    asked_at: datetime
    session: Session | None = None
    """Session of the turn; None if it belongs to no session."""
    max_history: int = 0
    """Messages of the session that the question may refer to, at most."""
    usage: Usage = field(default_factory=Usage)
    """Cost of rewriting the question."""

    @property
    def session_id(self) -> str | None:
        if self.session is None:
            return None
        return self.session.session_id


def messages_of(turn: Turn, answer: StoredAnswer, now: datetime) -> tuple[Message, Message]:
    """Returns the question's message and the answer's as they are stored."""
    question = turn.question
    # The id begins with the time: turns of one millisecond stay in their order.
    turn_id = f"{time.time_ns():016x}{secrets.token_hex(8)}"
    meta = answer.meta
    refusal = meta.get("refusal")
    if refusal:
        # The nearest notes are no part of the conversation: their text would outlive them.
        meta = {**meta, "refusal": {**refusal, "nearest": []}}

    request_id = meta["requestId"]
    standalone = ""
    if question.asked:
        standalone = question.text
    question_message = Message(
        message_id=f"{turn_id}1",
        role=Role.USER,
        text=question.own_words,
        created_at=turn.asked_at,
        request_id=request_id,
        standalone=standalone,
        as_of=question.now,
    )

    citations = [citation.shown for citation in answer.citations]
    answer_message = Message(
        message_id=f"{turn_id}2",
        role=Role.ASSISTANT,
        text=with_sources(answer.text, citations),
        created_at=now,
        request_id=request_id,
        citations=answer.citations,
        claims=answer.claims,
        meta=meta,
    )
    return question_message, answer_message


def with_sources(answer: str, citations: Iterable[Mapping[str, Any]]) -> str:
    """Adds the list of sources to an answer, as it is stored; without citations the answer stays as
    it is.

    citations: their JSON objects.
    """
    lines = []
    for citation in citations:
        label = citation["cid"]
        title = citation.get("title") or UNTITLED
        title = sanitize(neutralize_line(str(title)))
        created_at = str(citation["createdAt"])
        day = created_at[:10]

        note_id = str(citation["noteId"])
        chunk_id = str(citation["chunkId"])
        note = quote(note_id, safe="")
        chunk = quote(chunk_id, safe="")
        lines.append(f"- [{label}] {title} ({day}) note:{note}#{chunk}")

    if not lines:
        return answer
    listed = "\n".join(lines)
    return f"{answer}\n\n{HEADING}\n{listed}"


def without_sources(text: str) -> str:
    """Removes the list of sources from a stored answer."""
    return _LIST.sub("", text)


def cited_revisions(message: Message) -> list[NoteRevision]:
    """Returns the notes that the message cites, each at the revision that was read."""
    return [(citation.note_id, citation.note_revision) for citation in message.citations]


def as_read_now(message: Message, states: Mapping[NoteRevision, Freshness]) -> Message:
    """Returns the message with citations as they are now, and without the text of deleted notes.

    states: state of each note that the message cites.
    """
    citations = []
    listed = []
    deleted_labels = set()
    for citation in message.citations:
        state = states[citation.note_id, citation.note_revision]
        current_citation = citation_now(citation, state)
        citations.append(current_citation)
        shown = current_citation.shown
        if state is Freshness.DELETED:
            deleted_labels.add(str(shown["cid"]))
            shown = {**shown, "title": DELETED}
        listed.append(shown)
    if not deleted_labels:
        return replace(message, citations=tuple(citations))

    answer = _without_sentences(without_sources(message.text), deleted_labels)
    # Places of claims are those of the full answer, and their quotes are the note's text.
    return replace(
        message,
        citations=tuple(citations),
        claims=(),
        text=with_sources(answer, listed),
    )


def citation_now(citation: StoredCitation, state: Freshness) -> StoredCitation:
    """Returns a citation as it is now; without the note's texts if the note was deleted."""
    shown = dict(citation.shown)
    if state is Freshness.DELETED:
        for name in _TEXTS:
            if name in shown:
                shown[name] = ""

    # It may have been stale when it was answered.
    was_stale = shown.get("stale", False)
    shown["stale"] = was_stale or state is not Freshness.CURRENT
    return replace(citation, shown=shown)


def _without_sentences(answer: str, labels: Collection[str]) -> str:
    """Replaces each sentence that cites one of `labels` by its markers."""
    texts = []
    for piece in split(answer):
        cited_labels = dict.fromkeys(_MARKER.findall(piece.text))
        if cited_labels.keys().isdisjoint(labels):
            texts.append(piece.whole)
            continue

        markers = "".join([f"[{label}]" for label in cited_labels])
        texts.append(f"{piece.opening}{piece.lead}{WITHDRAWN} {markers}")
    return "".join(texts)
