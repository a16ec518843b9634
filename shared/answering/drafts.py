"""Prompt -> draft, from whichever writer can: nothing fails because a model is away."""

from __future__ import annotations

import logging
import re
from dataclasses import replace

from shared.domain import Draft, Prompt
from shared.errors import ModelRefused, ModelUnavailable
from shared.ports import Writer
from shared.text.sentences import sentences

log = logging.getLogger(__name__)

_COMPLETE = re.compile(r"[.!?…。！？][\"'”’»)\]*_`]*(?:\s*\[[^\[\]]*\])*\Z")
_UNCLOSED = re.compile(r"\[[^\[\]]*\Z")
_CUT = " …"
_NOT_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BROKEN_MARKER = re.compile(r"\s*[\[【][Nn]?\d*\Z")


def write_draft(prompt: Prompt, *, writer: Writer, fallback: Writer) -> Draft:
    """The writer's draft; the fallback's where the writer is away, refuses, or writes nothing.

    A draft that stopped at the model's limit loses its unfinished last sentence and ends in an ellipsis. Control
    characters, and a marker that breaks off at the end, are no part of any draft.
    """
    try:
        draft = writer.write(prompt)
    except (ModelUnavailable, ModelRefused) as problem:
        log.warning("%s did not write (%s); %s answers", writer.model, type(problem).__name__, fallback.model)
        return fallback.write(prompt)
    if not draft.text.strip():
        log.warning("%s wrote nothing; %s answers", writer.model, fallback.model)
        return replace(fallback.write(prompt), usage=draft.usage)
    text = _BROKEN_MARKER.sub("", _NOT_TEXT.sub("", draft.text))
    return replace(draft, text=_without_last_piece(text) if draft.truncated else text)


def _without_last_piece(text: str) -> str:
    complete = text.rstrip()
    if _COMPLETE.search(complete):
        return complete + _CUT
    spans = sentences(complete)
    kept = complete[: spans[-1][0]].rstrip() if spans else ""
    return (kept or _UNCLOSED.sub("", complete).rstrip()) + _CUT
