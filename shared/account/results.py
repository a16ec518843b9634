"""A cache of search results, good while the tenant's index stands still."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from shared.account.caches import Cache
from shared.errors import StoreUnavailable
from shared.model.index import IndexRecord
from shared.model.questions import QUOTES, Question
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

    def key(self, question: Question, settings: Hashable) -> Hashable | None:
        """Taken before searching: what is indexed meanwhile belongs to a later revision. None: the store is away, and
        the search says what it went without.
        """
        try:
            return _asked(question), settings, self.store.stats(question.tenant_id).revision
        except StoreUnavailable:
            return None

    def find(self, tenant_id: str, key: Hashable) -> Retrieved | None:
        """What was found for the same key within the same minute."""
        started = time.perf_counter()
        kept = self.kept.peek(key)
        if kept is None:
            return None
        revisions = {each.chunk.note_id: each.chunk.note_revision for each in (*kept.selected, *kept.nearest)}
        live = self.store.live_records(tenant_id, sorted(revisions))
        if not all(note_id in live and live[note_id].note_revision == at for note_id, at in revisions.items()):
            return None
        return replace(kept, timings_ms={"retrieval": 1000 * (time.perf_counter() - started)})

    def keep(self, key: Hashable, found: Retrieved) -> None:
        with_vectors = found.mode in (RetrievalMode.WEIGHTED, RetrievalMode.RRF)
        without = found.failed_vaults or found.failed_legs or (found.reranked is not None and found.reranked.failure)
        if found.refusal is None and with_vectors and not without:
            self.kept.put(key, found)


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
        quotes=QUOTES,
    )
