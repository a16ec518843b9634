"""Question, vaults and folders -> the passages that answer it, from the folders in which to look
for them.

1. offered_folders   the folders that the caller names, and the others of the vaults searched
2. rank_folders      the others in one list, by a model or by the passages in them that match best
3. weigh_folders     named ones first, each next one 0.1 lighter; none chosen: the vaults as a whole
4. retrieve          one search in these folders
"""

from __future__ import annotations

from dataclasses import replace

from shared.folders.ranking import rank_folders
from shared.folders.scope import (
    FolderRanking,
    FolderScope,
    VaultFolders,
    offered_folders,
    weigh_folders,
)
from shared.model.answers import Usage
from shared.model.notes import Folder
from shared.model.questions import Question
from shared.model.retrieval import ChosenBy, Retrieved
from shared.ports.models import Writer
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.pipeline import Retriever
from shared.tracing import StepTimer

MATCHING = 15
"""Best passages whose folders are ranked if no model ranks them. On Firestore each note among them costs two reads, and
from the tenth folder on all weigh the same.
"""


def retrieve_from_folders(
    question: Question,
    scope: FolderScope,
    retriever: Retriever,
    options: RetrievalOptions,
    ranker: Writer | None,
) -> tuple[Retrieved, Usage]:
    """Returns the passages with the ranked folders as `weighted_folders`, and the usage of the model that
    ranked them.

    Raises NotFound naming a vault or folder, StoreUnavailable if no vault answers; an unavailable model is no error.

    ranker: None to rank folders by the passages in them that match best, which costs a second
        search.
    """
    timer = StepTimer()
    all_folders = retriever.store.folders(question.tenant_id)
    offered = offered_folders(scope, all_folders)

    ranking = FolderRanking((), ChosenBy.MODEL)
    failed_vaults: set[str] = set()
    if offered.rest and ranker is not None:
        ranking = rank_folders(question.text, offered.vaults, offered.rest, ranker)
    elif offered.rest:
        matching = _best_matching(question, offered, retriever, options)
        ranking = FolderRanking(_folders_of(matching, offered), ChosenBy.MATCH)
        failed_vaults.update(matching.failed_vaults)
    weighted_folders = weigh_folders(offered, ranking)
    timer.end("folders")

    retrieved = retriever.retrieve(
        question,
        options=options,
        weighted_folders=weighted_folders,
    ).retrieved
    failed_vaults.update(retrieved.failed_vaults)
    retrieved = replace(
        retrieved,
        timings_ms={**retrieved.timings_ms, "folders": timer.timings_ms["folders"]},
        failed_vaults=tuple(sorted(failed_vaults)),
    )
    return retrieved, ranking.usage


def _best_matching(
    question: Question,
    offered: VaultFolders,
    retriever: Retriever,
    options: RetrievalOptions,
) -> Retrieved:
    """Searches all the vaults for the passages that match best, at half the cost in postings."""
    nothing_ranked = FolderRanking((), ChosenBy.MATCH)
    everywhere = weigh_folders(replace(offered, named=()), nothing_ranked)
    wide = replace(
        options,
        leg_size=MATCHING,
        posting_budget=options.posting_budget // 2,
        max_chunks=MATCHING,
        max_characters=None,
        rerank_from=0,
    )
    question = replace(question, top_k=MATCHING)
    return retriever.retrieve(question, options=wide, weighted_folders=everywhere).retrieved


def _folders_of(retrieved: Retrieved, offered: VaultFolders) -> tuple[Folder, ...]:
    """Returns the folders of the passages that may be ranked, in the order of the passages."""
    rankable = set(offered.rest)
    for vault in offered.vaults:
        root = Folder(vault, "")  # a note in no folder lies there
        rankable.add(root)

    folders: dict[Folder, None] = {}
    for passage in retrieved.selected:
        folder = Folder(passage.chunk.vault, passage.chunk.folder)
        if folder in rankable:
            folders.setdefault(folder)
    return tuple(folders)
