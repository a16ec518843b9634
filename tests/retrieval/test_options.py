"""Settings become options."""

from __future__ import annotations

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.firestore import FirestoreStore
from shared.retrieval.options import BILLED_POSTINGS, UNBILLED_POSTINGS, RetrievalOptions
from shared.settings import Settings


def test_every_setting_of_retrieval_arrives() -> None:
    settings = Settings(
        leg_size=7,
        rerank_to=3,
        window_days=11,
        weight_vector=0.5,
        weight_keyword=0.3,
        weight_recency=0.2,
        half_life_days=5.0,
        rrf_k=9,
    )
    options = RetrievalOptions.from_settings(settings, index_version="v", billed=False)
    assert options.leg_size == 7
    assert options.rerank_to == 3
    assert options.window_days == 11
    assert options.weight_vector == 0.5
    assert options.weight_keyword == 0.3
    assert options.weight_recency == 0.2
    assert options.half_life_days == 5.0
    assert options.rrf_k == 9


def test_only_billed_postings_are_counted_closely() -> None:
    budgets = {
        store: RetrievalOptions.from_settings(
            Settings(), index_version="v", billed=store.bills_reads
        ).posting_budget
        for store in (FirestoreStore, EmbeddedStore)
    }
    assert budgets == {FirestoreStore: BILLED_POSTINGS, EmbeddedStore: UNBILLED_POSTINGS}
