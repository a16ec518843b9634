"""A checked answer -> the same as its notes are by now: edited ones make citations stale, deleted ones take them along.

The index follows a saved note after a moment, a long one after seconds, and a model writes for seconds; until then
answers quote what the notes said before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from shared.answering.citing.citations import check_citations
from shared.answering.citing.claims import find_claims
from shared.answering.citing.removal import without
from shared.answering.refusals import refused
from shared.errors import Unavailable
from shared.model.answers import Answer, Citation, Source
from shared.model.retrieval import RefusalReason

log = logging.getLogger(__name__)


def as_notes_are(answer: Answer, revisions_of: Callable[[Sequence[str]], Mapping[str, str]]) -> Answer:
    """`revisions_of`: note ids -> the revision each has now, empty for one that is gone. A store that is away leaves
    the answer as it is.
    """
    cited = list(dict.fromkeys(map(_note_of, answer.citations)))
    try:
        now = revisions_of(cited) if cited else {}
    except Unavailable as problem:
        log.warning("an answer was given whose notes could not be looked at again (%s)", type(problem).__name__)
        return answer
    marked = (replace(each, stale=_revision_of(each) != now[_note_of(each)]) for each in answer.citations)
    gone = frozenset(note_id for note_id, revision in now.items() if not revision)
    answer = replace(answer, citations=tuple(marked))
    return _without_notes(answer, gone) if gone else answer


def _without_notes(answer: Answer, gone: frozenset[str]) -> Answer:
    """Without the sentences that cite one of these; a refusal where none is left that cites another."""
    kept = {each.passage.chunk.chunk_id: each for each in answer.citations if _note_of(each) not in gone}
    labels = {each.label for each in answer.citations if _note_of(each) in gone}
    spans = [(claim.start, claim.end) for claim in find_claims(answer.text) if labels.intersection(claim.labels)]
    left = check_citations(without(answer.text, spans), [Source(each.label, each.passage) for each in kept.values()])
    citations = tuple(replace(kept[each.passage.chunk.chunk_id], label=each.label) for each in left.used)
    if citations:
        return replace(answer, text=left.text, citations=citations, grounding=None)
    reason, found = RefusalReason.NO_CANDIDATES, answer.retrieved
    if found is not None:
        found = replace(found, nearest=tuple(each for each in found.nearest if each.chunk.note_id not in gone))
    return refused(replace(answer, retrieved=found), reason)


def _note_of(citation: Citation) -> str:
    return citation.passage.chunk.note_id


def _revision_of(citation: Citation) -> str:
    return citation.passage.chunk.note_revision
