"""Stored messages -> as they may be read now: a changed note makes its citations stale, a deleted one takes its text.

A sentence of an answer that cites a deleted note is that note's text, often word for word: it is withdrawn too.
What is stored stays as it was answered; deleting the session deletes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from shared.answering.pieces import split
from shared.model.index import IndexRecord
from shared.model.sessions import Message, StoredCitation
from shared.sessions.source_list import DELETED, with_sources, without_sources

WITHDRAWN = "[…]"
"""Stands where a sentence stood whose note was deleted."""
_MARKER = re.compile(r"\[(N\d+)\]")
_TEXTS = ("snippet", "quote", "title", "folder", "path", "headingPath")


def as_read_now(messages: Iterable[Message], live: Mapping[str, IndexRecord]) -> tuple[Message, ...]:
    """`live`: the records of those cited notes that still exist."""
    return tuple(_as_read_now(message, live) if message.citations else message for message in messages)


def cited_notes(messages: Iterable[Message]) -> list[str]:
    """Ids of all notes they cite, each once."""
    return list(dict.fromkeys(citation.note_id for message in messages for citation in message.citations))


def _as_read_now(message: Message, live: Mapping[str, IndexRecord]) -> Message:
    citations = tuple(replace(each, shown=_shown(each, live)) for each in message.citations)
    gone = {str(each.shown["cid"]) for each in citations if each.note_id not in live}
    if not gone:
        return replace(message, citations=citations)
    answer = _without_sentences(without_sources(message.text), gone)
    listed = [{**each.shown, "title": DELETED} if each.note_id not in live else each.shown for each in citations]
    return replace(message, citations=citations, text=with_sources(answer, listed))


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
