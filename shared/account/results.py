"""A cache of search results, good while the tenant's index stands still."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from shared.account.caches import Cache
from shared.errors import StoreUnavailable
from shared.model.index import IndexRecord
from shared.model.questions import Question
from shared.model.retrieval import CorpusStats, RetrievalMode, Retrieved


class ResultStore(Protocol):
    """What it needs of a store."""

    def stats(self, tenant_id: str) -> CorpusStats: ...

    def live_records(self, tenant_id: str, note_ids: Sequence[str]) -> Mapping[str, IndexRecord]: ...


@dataclass(frozen=True, slots=True)
class SearchResults:
    """By tenant, question, settings and the revision of the tenant's index, so that any change of a note counts.

    A deletion is obeyed before the index has followed it: what was found is given again only while all its notes
    exist at the revisions that were found. Refusals are not kept, for they also speak of notes that wait to be
    indexed; nor is what was found without a model, a leg or a vault that usually answers.
    """

    store: ResultStore
    kept: Cache[Retrieved]

    def of(self, question: Question, settings: Hashable, search: Callable[[], Retrieved]) -> Retrieved:
        """What `search()` finds for the question, or has found within the same minute."""
        started = time.perf_counter()
        # Read before searching: what is indexed meanwhile belongs to a later revision.
        try:
            revision = self.store.stats(question.tenant_id).revision
        except StoreUnavailable:  # the search says what it went without
            return search()
        key = (_asked(question), settings, revision)
        kept = self.kept.peek(key)
        if kept is not None and self._is_live(question.tenant_id, kept):
            return replace(kept, timings_ms={"retrieval": 1000 * (time.perf_counter() - started)})
        found = search()
        if _is_whole(found):
            self.kept.put(key, found)
        return found

    def _is_live(self, tenant_id: str, kept: Retrieved) -> bool:
        revisions = {each.chunk.note_id: each.chunk.note_revision for each in (*kept.selected, *kept.nearest)}
        live = self.store.live_records(tenant_id, sorted(revisions))
        return all(note_id in live and live[note_id].note_revision == at for note_id, at in revisions.items())


def _asked(question: Question) -> Question:
    """Without what does not change what is found: what only the writer reads, and seconds: within a minute no day
    begins and no score moves visibly.
    """
    return replace(
        question,
        now=question.now.replace(second=0, microsecond=0),
        include_citations=True,
        template=None,
        asked=None,
        history=(),
        system_prompt="",
        model=None,
        max_context_tokens=None,
    )


def _is_whole(found: Retrieved) -> bool:
    with_vectors = found.mode in (RetrievalMode.WEIGHTED, RetrievalMode.RRF)
    without = found.failed_vaults or found.failed_legs or (found.reranked is not None and found.reranked.failure)
    return found.refusal is None and with_vectors and not without
