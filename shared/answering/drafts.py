"""Prompt -> draft, from whichever writer can, as it is being written: nothing fails because a model is away."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

from shared.answering.source_lists import without_source_list
from shared.domain import Draft, Prompt, Usage
from shared.errors import AuroraError, ModelRefused, ModelUnavailable
from shared.ports import Writer
from shared.text.inert import UNSEEN
from shared.text.sentences import sentences
from shared.text.skeleton import NOTHING, PAD, skeleton

log = logging.getLogger(__name__)

LONGEST_DRAFT = 100_000
"""Characters; a writer that goes on is stopped there, as at a limit of its own."""

_COMPLETE = re.compile(r"[.!?…。！？][\"'”’»)\]*_`]*(?:\s*\[[^\[\]]*\])*\Z")
_UNCLOSED = re.compile(r"\[[^\[\]]*\Z")
_CUT = " …"
_NOT_TEXT = re.compile(rf"{UNSEEN}|[\x0b\x0c\r]")
_BROKEN_MARKER = re.compile(rf"\s*+{PAD}*+\[[{PAD}{NOTHING}]*+[Nn]?[\d{PAD}{NOTHING}]*+\Z")
"""In the skeleton of a draft."""


@dataclass(frozen=True, slots=True)
class Restart:
    """What was written so far counts no more: another writer begins from the start."""


def write_draft(prompt: Prompt, *, writer: Writer, fallback: Writer) -> Generator[str | Restart | Draft]:
    """The text as it comes (empty: nothing new), and at last the finished draft.

    The fallback writes where the writer is away, refuses, breaks off or writes nothing; what the writer has cost is
    counted all the same. A draft that stopped at a limit loses its unfinished last sentence and ends in an ellipsis.
    Control and invisible characters, a marker that breaks off at the end, and a list of sources there are no part of
    any draft.
    """
    attempt = yield from _attempt(prompt, writer)
    if attempt.problem is None and attempt.draft.text.strip():
        yield _finished(attempt.draft)
        return
    log.warning("%s; %s answers", _told(attempt), fallback.model)
    yield Restart()
    instead = yield from _attempt(prompt, fallback)
    if instead.problem:
        raise instead.problem
    yield _finished(replace(instead.draft, usage=attempt.draft.usage + instead.draft.usage))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What a writer wrote, and the problem at which it stopped; None: it came to its end."""

    draft: Draft
    problem: AuroraError | None = None


def _attempt(prompt: Prompt, writer: Writer) -> Generator[str, None, _Attempt]:
    texts: list[str] = []
    usage, truncated, room = Usage(), False, LONGEST_DRAFT
    problem: AuroraError | None = None
    try:
        with closing(writer.stream(prompt)) as pieces:
            for piece in pieces:
                usage, truncated = piece.usage or usage, truncated or piece.truncated
                texts.append(_NOT_TEXT.sub("", piece.text)[:room])
                room -= len(texts[-1])
                yield texts[-1]
                if not room:
                    truncated = True
                    break
    except (ModelUnavailable, ModelRefused) as error:
        problem = error
    return _Attempt(Draft("".join(texts), writer.model, usage, truncated), problem)


def _told(attempt: _Attempt) -> str:
    if attempt.problem is None:
        return f"{attempt.draft.model} wrote nothing"
    how = "broke off" if attempt.draft.text else "did not write"
    return f"{attempt.draft.model} {how} ({type(attempt.problem).__name__})"


def _finished(draft: Draft) -> Draft:
    broken = _BROKEN_MARKER.search(skeleton(draft.text))
    text = draft.text[: broken.start()] if broken else draft.text
    return replace(draft, text=without_source_list(_without_last_piece(text) if draft.truncated else text))


def _without_last_piece(text: str) -> str:
    complete = text.rstrip()
    if _COMPLETE.search(complete):
        return complete + _CUT
    spans = sentences(complete)
    kept = complete[: spans[-1][0]].rstrip() if spans else ""
    return (kept or _UNCLOSED.sub("", complete).rstrip()) + _CUT
