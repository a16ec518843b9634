"""A change of the embedding model, during which no question is answered worse.

1. A note that is embedded again keeps its vectors of the previous model: each chunk holds two, its own by the new
   model and a second one by the previous.
2. Its record names the new index version when all new vectors are there.
3. Until no record of the tenant names another version, the previous model's vectors answer its questions.
4. A text that is new meanwhile is first indexed by the previous model, then by the new one. Only then its second
   vectors are of the new model, which the note's unchanged chunks may have already.
5. After the change, a full sweep writes the notes without second vectors.
"""

from __future__ import annotations

from shared.indexing.state import IndexProblem, IndexState
from shared.model.index import IndexRecord
from shared.ports.stores import Store


def is_changing(tenant_id: str, *, store: Store, index_version: str) -> bool:
    """Reports whether notes of the tenant still wait for vectors of this index version."""
    return store.count_outdated(tenant_id, index_version) > 0


def has_new_text(state: IndexState) -> bool:
    """Reports whether the index does not hold the note's text by any model."""
    if state.fault is not None:
        return False
    return state.problem in (IndexProblem.MISSING, IndexProblem.STALE)


def version_until_embedded(state: IndexState, record: IndexRecord, second_version: str) -> str:
    """Returns the index version that the note's record names until all vectors of the new one are there."""
    if state.problem is IndexProblem.OUTDATED and second_version:
        return record.index_version
    return state.index_version
