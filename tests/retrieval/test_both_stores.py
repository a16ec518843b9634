"""Both stores answer alike over 300 notes: the same notes in the same order, with the same parts of their scores.

Not among the questions are restrictions that Firestore's filters cannot hold, whose legs may come back short there:
ranges open on one side.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest

from desktop.product.emulator import Emulator
from shared.adapters.embedded import EmbeddedStore
from shared.folders.retrieve import retrieve_from_folders
from shared.folders.scope import FolderScope
from shared.model.index import scope_token
from shared.model.questions import Filters, Question, Strategy
from shared.model.retrieval import Retrieved, Scores
from tests.contracts.samples import TENANT
from tests.emulated import patient_store
from tests.fakes import ScriptedWriter
from tests.retrieval.library import Library
from tests.retrieval.samples import NOW, days_ago

NOTES = 300
WORDS = ["".join(parts) for parts in product(("ba", "ko", "ri", "tu", "se"), repeat=3)]
"""125 words, drawn as natural ones are: the first stands in two of five notes, the last in one of twenty."""
COMMON = WORDS[:5]
MIDDLE = WORDS[40:45]
RARE = WORDS[-5:]
TOLERANCE = 1e-5
"""Cosines are computed in single precision by one store and in double by the other."""


@dataclass(frozen=True, slots=True)
class Both:
    embedded: Library
    firestore: Library


@pytest.fixture(scope="module")
def both(
    emulator: Emulator, firestore_host: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(8) as executor:
        patch.setenv("FIRESTORE_EMULATOR_HOST", firestore_host)
        embedded = EmbeddedStore(tmp_path_factory.mktemp("home"))
        firestore = patient_store("demo-both")
        libraries = Both(Library(embedded, executor), Library(firestore, executor))
        for library in (libraries.embedded, libraries.firestore):
            _furnish(library)
        yield libraries
        embedded.close()
        firestore.close()
        emulator.reset("demo-both")


def _furnish(library: Library) -> None:
    """One note every 17 hours, in two vaults and five folders, some of a series, some not embedded yet."""
    dice = random.Random(11)  # noqa: S311 - a reproducible corpus
    weights = [1 / (rank + 12) for rank in range(len(WORDS))]
    for number in range(NOTES):
        library.add(
            f"n{number:03d}",
            " ".join(dice.choices(WORDS, weights, k=dice.randint(4, 40))),
            created_at=days_ago(number // 3 * 2.125 if number % 10 < 3 else number * 0.7),
            vault=f"v{number % 2}",
            path=f"area{number % 5}/part {number}.md",
            tags=("odd",) if number % 7 == 0 else (),
            embedded=number % 9 != 0,
        )


def _ranking(found: Retrieved) -> list[str]:
    return [passage.chunk.chunk_id for passage in found.selected]


def _parts(scores: Scores) -> tuple[float, float, float, float]:
    return scores.vector, scores.keyword, scores.recency, scores.similarity


QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    (COMMON[0], {}),
    (RARE[0], {}),
    (f"{COMMON[0]} {RARE[1]}", {}),
    (f"What about {MIDDLE[0]} and {MIDDLE[1]}?", {}),
    (f"What about {' '.join(RARE)}?", {}),
    (f"Where is {' '.join(COMMON)}?", {}),
    (f"{MIDDLE[2]} {MIDDLE[3]} {COMMON[1]} {RARE[2]}", {"top_k": 12}),
    (f"{MIDDLE[2]} {RARE[2]}", {"strategy": Strategy.RRF}),
    (f"{COMMON[2]} {MIDDLE[4]}", {"strategy": Strategy.RRF, "top_k": 12}),
    (f"{MIDDLE[0]} {RARE[3]}", {"threshold": 0.6}),
    ("words that nobody wrote", {}),
    ("😀", {}),
    ("What about it?", {}),
    (f"{COMMON[3]} {RARE[0]} last week", {}),
    (f"{RARE[0]} {RARE[1]} last month", {}),
    (f"{MIDDLE[1]} in the last 20 days", {}),
    ("What happened last week?", {}),
    (f"{MIDDLE[1]} {MIDDLE[2]} in March 2019", {}),
    (f"{MIDDLE[0]} {RARE[4]}", {"filters": Filters(vaults=("v1",))}),
    (f"{COMMON[4]} {MIDDLE[3]}", {"filters": Filters(folders=("v0/area2",))}),
    (f"{COMMON[0]} {MIDDLE[3]}", {"filters": Filters(tags=("odd",))}),
    (
        f"{MIDDLE[0]} {MIDDLE[3]}",
        {"filters": Filters(created_after=days_ago(25), created_before=days_ago(2))},
    ),
    (
        f"{MIDDLE[4]}",
        {"filters": Filters(created_before=days_ago(100), created_after=days_ago(120))},
    ),
]


@pytest.mark.parametrize(("text", "question"), QUESTIONS)
def test_both_stores_rank_the_same_notes_alike(
    both: Both, text: str, question: dict[str, Any]
) -> None:
    _assert_alike(both.embedded.ask(text, **question), both.firestore.ask(text, **question))


def _assert_alike(one: Retrieved, other: Retrieved) -> None:
    assert _ranking(one) == _ranking(other)
    assert [_parts(passage.scores) for passage in one.selected] == [
        pytest.approx(_parts(passage.scores), abs=TOLERANCE) for passage in other.selected
    ]
    assert [passage.score for passage in one.selected] == pytest.approx(
        [passage.score for passage in other.selected], abs=TOLERANCE
    )
    assert one.mode == other.mode
    assert one.refusal == other.refusal
    assert one.range_used == other.range_used
    assert one.widened == other.widened


SCOPES: list[tuple[str, FolderScope, dict[str, Any]]] = [
    (f"What about {MIDDLE[0]} and {RARE[1]}?", FolderScope(), {}),
    (f"What about {MIDDLE[0]} and {RARE[1]}?", FolderScope(), {"threshold": 0.55}),
    (f"{COMMON[0]} {COMMON[1]} {COMMON[2]}", FolderScope(), {}),
    (f"{COMMON[0]} {MIDDLE[2]}", FolderScope(vaults=("v1",)), {}),
    (f"{COMMON[1]} {MIDDLE[3]}", FolderScope(folders=("area2",)), {}),
    (f"{MIDDLE[3]} {RARE[0]}", FolderScope(folders=("v0/area1", "area3")), {"top_k": 12}),
    (
        f"{RARE[2]} {RARE[3]}",
        FolderScope(vaults=("v0",), folders=("area4",)),
        {"strategy": Strategy.RRF},
    ),
    (f"{MIDDLE[1]} last month", FolderScope(), {}),
    (
        f"{MIDDLE[4]} {RARE[4]}",
        FolderScope(folders=("area0",)),
        {"filters": Filters(tags=("odd",))},
    ),
    ("words that nobody wrote", FolderScope(), {}),
]
RANKERS = {
    "by a model": '["area3", "area0", "area1"]',
    "by its failure": "I would look everywhere.",
    "by match": None,
}


def _ask(
    library: Library,
    text: str,
    scope: FolderScope,
    reply: str | None,
    **question: Any,  # noqa: ANN401 - Question's
) -> Retrieved:
    """`reply`: of the model that ranks folders; None where no model does."""
    full_question = Question(
        **{
            "tenant_id": TENANT,
            "text": text,
            "now": NOW,
            "top_k": 5,
            **question,
        }
    )
    ranker = None if reply is None else ScriptedWriter(reply)
    return retrieve_from_folders(
        full_question, scope, library.retriever(), library.options, ranker
    )[0]


@pytest.fixture
def thorough(both: Both) -> Iterator[Both]:
    """Both may read all postings of every word: within a folder Firestore finds words among the newest chunks that
    have them, so only then it must find what the embedded store does.
    """
    options_before = both.embedded.options
    for library in (both.embedded, both.firestore):
        library.options = replace(
            options_before,
            posting_budget=4 * NOTES,
            posting_budget_alone=4 * NOTES,
            vector_budget=None,
        )
    yield both
    for library in (both.embedded, both.firestore):
        library.options = options_before


@pytest.mark.parametrize(("text", "scope", "question"), SCOPES)
@pytest.mark.parametrize("ranked", RANKERS)
def test_both_stores_answer_from_the_same_folders_alike(
    thorough: Both, text: str, scope: FolderScope, question: dict[str, Any], ranked: str
) -> None:
    from_embedded, from_firestore = (
        _ask(library, text, scope, RANKERS[ranked], **question)
        for library in (thorough.embedded, thorough.firestore)
    )
    assert from_embedded.weighted_folders == from_firestore.weighted_folders
    _assert_alike(from_embedded, from_firestore)


@pytest.mark.parametrize(("text", "scope", "question"), SCOPES)
def test_with_fewer_postings_firestore_brings_nothing_from_elsewhere_and_the_same_vectors(
    both: Both, text: str, scope: FolderScope, question: dict[str, Any]
) -> None:
    reply = RANKERS["by a model"]
    from_embedded, from_firestore = (
        _ask(library, text, scope, reply, **question) for library in (both.embedded, both.firestore)
    )
    assert from_embedded.weighted_folders == from_firestore.weighted_folders
    tokens = {
        scope_token(folder.vault, folder.folder) for folder in from_firestore.weighted_folders
    }
    assert all(tokens.intersection(passage.chunk.scopes) for passage in from_firestore.selected)
    vectors = {
        passage.chunk.chunk_id: passage.scores.similarity for passage in from_embedded.selected
    }
    shared = [passage for passage in from_firestore.selected if passage.chunk.chunk_id in vectors]
    assert len(shared) >= len(from_embedded.selected) // 2
    assert [passage.scores.similarity for passage in shared] == pytest.approx(
        [vectors[passage.chunk.chunk_id] for passage in shared], abs=TOLERANCE
    )


def test_without_an_embedder_both_rank_alike(thorough: Both) -> None:
    rankings = []
    for library in (thorough.embedded, thorough.firestore):
        library.embedder = None
        rankings.append([_ranking(library.ask(text, **question)) for text, question in QUESTIONS])
        rankings[-1] += [
            _ranking(_ask(library, text, scope, None, **question))
            for text, scope, question in SCOPES
        ]
        library.embedder = library.writer
    assert rankings[0] == rankings[1]
    assert any(rankings[0])


def test_without_an_embedder_both_rank_alike_with_the_postings_they_may_read(both: Both) -> None:
    """Asked without a folder, vault or tag."""
    rankings = []
    for library in (both.embedded, both.firestore):
        library.embedder = None
        unfiltered = [(text, question) for text, question in QUESTIONS if "filters" not in question]
        rankings.append([_ranking(library.ask(text, **question)) for text, question in unfiltered])
        library.embedder = library.writer
    assert rankings[0] == rankings[1]
    assert any(rankings[0])
