"""Question, vaults and folders -> the passages that answer it, from the folders in which to look for them.

named folders -> ranked folders -> a weight by place -> each searched on its own -> one ranking
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

from shared.folders.choice import Offer, Wish, by_match, lay_out, offers
from shared.folders.ranking import FolderRanking, rank_folders
from shared.model.answers import Usage
from shared.model.notes import Folder
from shared.model.questions import Question
from shared.model.retrieval import ChosenBy, Place, Retrieved
from shared.ports.models import Embedder, Reranker, Writer
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import RetrievalStore, Trail, retrieve
from shared.tracing.steps import StepTimer

__all__ = ["FolderSearch", "Wish", "retrieve_from_folders"]

MATCHING = 15
"""Passages by whose folders the rest are ranked where no model does. On Firestore each note among them costs two reads,
and from the tenth folder on all weigh the same."""


@dataclass(frozen=True, slots=True)
class FolderSearch:
    """What was found; its `places` are the ranked folders. `usage`: of the model that ranked them."""

    retrieved: Retrieved
    usage: Usage


def retrieve_from_folders(
    question: Question,
    wish: Wish,
    *,
    store: RetrievalStore,
    embedder: Embedder | None,
    options: RetrievalOptions,
    pool: Executor,
    ranker: Writer | None,
    reranker: Reranker | None = None,
) -> FolderSearch:
    """`ranker` None: folders are ranked by the passages in them that match best, which costs a second search.

    Raises NotFound naming a vault or folder, StoreUnavailable when no vault answers; a model that is away is no error.
    """
    search = partial(retrieve, store=store, embedder=embedder, options=options, pool=pool)
    timer = StepTimer()
    offered = offers(wish, store.folders(question.tenant_id))
    if ranker is None:
        half = options.posting_budget // 2
        wide = replace(options, leg_size=MATCHING, posting_budget=half, max_chunks=MATCHING, max_characters=None)
        rankings = _matched(question, offered, partial(search, options=wide))
    else:
        rankings = _ranked(question, offered, ranker, pool)
    places = tuple(place for offer, each in zip(offered, rankings, strict=True) for place in lay_out(offer, each))
    timer.end("folders")
    found = search(question, places=places, reranker=reranker).retrieved
    timings = {**found.timings_ms, "folders": timer.timings_ms["folders"]}
    return FolderSearch(replace(found, timings_ms=timings), sum((each.usage for each in rankings), start=Usage()))


def _ranked(question: Question, offered: Sequence[Offer], ranker: Writer, pool: Executor) -> list[FolderRanking]:
    """All vaults at the same time."""
    calls = [pool.submit(rank_folders, question.text, each.vault, each.rest, ranker) for each in offered]
    return [call.result() for call in calls]


def _matched(question: Question, offered: Sequence[Offer], search: partial[Trail]) -> list[FolderRanking]:
    """Whoever has nothing to rank needs no search."""
    if not any(offer.rest for offer in offered):
        return [FolderRanking((), ChosenBy.MATCH) for _ in offered]
    everywhere = tuple(
        Place(vault=offer.vault, folder="", weight=1.0, chosen_by=ChosenBy.WHOLE_VAULT) for offer in offered
    )
    found = search(replace(question, top_k=MATCHING), places=everywhere).retrieved
    folders = [Folder(passage.chunk.vault, passage.chunk.folder) for passage in found.selected]
    return [by_match(offer, folders) for offer in offered]
