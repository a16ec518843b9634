"""Processor times of the parts of a question that wait for no store and no model: milliseconds, the median of many runs."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from time import thread_time
from types import MappingProxyType
from typing import Any

from bench import figure
from shared.answering.checking import Checker, SupportPolicy
from shared.answering.pieces import DraftPiece, split
from shared.judging.passages import read_passage
from shared.judging.support import read_claim
from shared.language.sentences import sentences
from shared.model.answers import Source
from shared.model.index import IndexedChunk, Vector
from shared.model.questions import Question
from shared.model.retrieval import (
    Candidate,
    CorpusStats,
    CosineCalibration,
    RetrievalMode,
    Scored,
    Scores,
)
from shared.ports.freshness import Freshness, NoteRevision
from shared.retrieval.analysis import analyse
from shared.retrieval.candidates import Pool
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.scores import Formula, keyword_parts
from shared.retrieval.selection import best_first, select

NOTES = Path(__file__).parents[1] / "examples" / "notes"
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
DIMENSION = 768
STEMS = tuple(f"stem{number}" for number in range(8))
PASSAGES = 8
"""Sources of the answer whose support is judged, cold."""
SENTENCES = 10
"""Sentences of that answer."""
LENGTH = 1100
"""Characters of a source, about 256 tokens."""
QUESTIONS = (
    "What did I decide last week about the API?",
    "Which open questions about the migration to Firestore did Maria raise in the meeting on 3 May 2026?",
    "Was haben wir letzten Monat über die Kosten der Datenbank beschlossen?",
)


class _MemoryIndex:
    """Answers at once, so that only the ranking is measured."""

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        self._vectors = vectors

    def vectors(self, chunk_ids: Sequence[str]) -> Mapping[str, Vector]:
        return {chunk_id: self._vectors[chunk_id] for chunk_id in chunk_ids}

    def current(self, revisions: Collection[NoteRevision]) -> Mapping[NoteRevision, Freshness]:
        return dict.fromkeys(revisions, Freshness.CURRENT)


def run(*, small: bool = False) -> dict[str, Any]:
    """Figures with their targets; see `bench.__main__`."""
    runs = 101
    runs_of_support = 51
    if small:
        runs = 5
        runs_of_support = 3
    pool, index = _pool(random.Random(7))
    analyses = _median_ms(_analyse_questions, runs)
    selection = _median_ms(lambda: _select(pool, index), runs)
    sources = _sources()
    pieces = split(_answer(sources))
    support = _median_ms(lambda: _judged(sources, pieces), runs_of_support)
    return {
        "analysis of a question": figure(analyses / len(QUESTIONS), "ms", 1.0),
        "scoring and selection of 90 candidates": figure(selection, "ms", 8.0),
        f"support and quotes of {SENTENCES} sentences over {PASSAGES} sources": figure(
            support,
            "ms",
            12.0,
        ),
    }


def _analyse_questions() -> None:
    for text in QUESTIONS:
        analyse(Question("t", text, NOW))


def _select(pool: Pool, index: _MemoryIndex) -> tuple[Scored, ...]:
    formula = Formula(
        options=RetrievalOptions(),
        mode=RetrievalMode.WEIGHTED,
        now=NOW,
        named=None,
        calibration=CosineCalibration(0.1, 0.6),
        keyword=keyword_parts(pool, RetrievalOptions()),
    )
    passages = best_first(pool, formula, index, threshold=0.0, head=12)
    return select(passages, limit=8, max_characters=12_000)


def _pool(dice: random.Random) -> tuple[Pool, _MemoryIndex]:
    """90 chunks of a thousand characters; the vector leg brought the first 30."""
    query = _unit([dice.gauss(0, 1) for _ in range(DIMENSION)])
    chunks = [_chunk(number, dice) for number in range(90)]
    vectors = {chunk.chunk_id: _near(query, dice) for chunk in chunks}
    chunks_by_vector = chunks[:30]
    chunks_by_words = chunks[30:]
    candidates = []
    for place, chunk in enumerate(chunks_by_vector):
        cosine = 0.3 - place / 300
        candidates.append(Candidate(chunk, cosine, place + 1))
    for place, chunk in enumerate(chunks_by_words):
        candidates.append(Candidate(chunk, None, keyword_rank=place + 1))

    frequencies = {}
    for place, stem in enumerate(STEMS):
        frequencies[stem] = 3 + 40 * place
    pool = Pool(
        tuple(candidates),
        query,
        frozenset(chunk.chunk_id for chunk in chunks_by_words),
        0.2,
        frequencies,
        CorpusStats(10_000, 120.0, "1"),
    )
    return pool, _MemoryIndex(vectors)


def _chunk(number: int, dice: random.Random) -> IndexedChunk:
    text = " ".join("".join(dice.choices("abcdefghij", k=5)) for _ in range(166))
    terms = {stem: dice.randint(1, 3) for stem in dice.sample(STEMS, 3)}
    return _whole_note(
        number,
        text,
        when=NOW - timedelta(days=dice.uniform(0, 700)),
        terms=terms,
    )


def _whole_note(
    number: int,
    text: str,
    *,
    when: datetime = NOW,
    terms: Mapping[str, int] = MappingProxyType({}),
) -> IndexedChunk:
    """The whole of a note."""
    return IndexedChunk(
        chunk_id=f"n{number:02d}_000",
        note_id=f"n{number:02d}",
        position=0,
        title="A note",
        heading_path="",
        text=text,
        start=0,
        end=len(text),
        utf16_start=0,
        created_at=when,
        updated_at=when,
        vault="default",
        path="",
        tags=(),
        scopes=("v:default",),
        terms=terms,
        length=120,
        text_hash="h",
        index_version="v",
        note_revision="r1",
    )


def _near(query: Vector, dice: random.Random) -> Vector:
    return _unit([0.2 * value + dice.gauss(0, 1 / math.sqrt(DIMENSION)) for value in query])


def _unit(values: Sequence[float]) -> Vector:
    length = math.hypot(*values)
    return array("f", [value / length for value in values])


def _median_ms(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = thread_time()
        work()
        seconds = thread_time() - start
        times.append(1000 * seconds)

    return median(times)


def _judged(sources: Sequence[Source], pieces: Sequence[DraftPiece]) -> None:
    read_passage.cache_clear()
    read_claim.cache_clear()
    checker = Checker(sources, (), policy=SupportPolicy())
    list(checker.check(pieces))
    checker.citations()


def _sources() -> tuple[Source, ...]:
    """The sample notes, one after the other, cut into passages; from the start again where they do not suffice."""
    bodies = []
    for file in sorted(NOTES.rglob("*.md")):
        _, _, body = file.read_text(encoding="utf-8").split("---", 2)
        bodies.append(body)

    text = "\n\n".join(bodies)
    starts = range(0, len(text) - LENGTH, LENGTH)
    cuts = [text[start : start + LENGTH] for start in starts]
    sources = []
    for number in range(PASSAGES):
        cut = cuts[number % len(cuts)]
        passage = Scored(
            _whole_note(number, cut),
            0.8,
            Scores(0.5, 0.5, 0.5, 0.8),
        )
        sources.append(Source(f"N{number + 1}", passage))

    return tuple(sources)


def _answer(sources: Sequence[Source]) -> str:
    """Sentences of the passages, each cited with its own and one other."""
    answer = []
    for number in range(SENTENCES):
        source = number % PASSAGES
        other_source = 5 * number % PASSAGES
        text = sources[source].passage.chunk.text
        spans = sentences(text)
        start, end = spans[(3 * number) % len(spans)]
        words = text[start:end].split()
        sentence = " ".join(words).rstrip(".")
        answer.append(f"{sentence} [N{source + 1}][N{other_source + 1}].")

    return " ".join(answer)
