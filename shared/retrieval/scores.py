"""Step 3. Candidates -> scores: `0.6 x vector + 0.25 x keyword + 0.15 x recency`, or reciprocal rank fusion.

Pure: the same pool gives the same scores in the same order, whatever order its candidates come in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from shared.language.forms import NO_FORMS, OwnForms
from shared.language.terms import content_words, stems_as
from shared.markdown.file import aliases_in
from shared.model.index import IndexedChunk
from shared.model.questions import TimeHint, TimeRange
from shared.model.retrieval import (
    UNKNOWN_CALIBRATION,
    UNRELATED,
    Analysis,
    Candidate,
    CorpusStats,
    CosineCalibration,
    RetrievalMode,
    Scored,
    Scores,
)
from shared.ports.models import Embedder
from shared.retrieval.bm25 import bm25, idf
from shared.retrieval.candidates import Pool, mentions_time
from shared.retrieval.char_ngrams import ngram_corpus
from shared.retrieval.folder_weights import weigher
from shared.retrieval.legs import LegRunner
from shared.retrieval.options import RetrievalOptions

DAY = timedelta(days=1)
MIN_NEARNESS_HALF_LIFE = timedelta(days=7)
"""A week beside "on 3 May" is near, a week beside an hour is still not far."""
FULL_MATCH = 0.6
"""Share of the idf of the question's stems together that a passage must hold to count as a full match. With less, an
accident counts as a match where the question's words are not in the notes; with all of it, turns of chats rank worse.
"""
SHORT = 60
"""Stems up to which a note's first chunk counts wholly as a short note."""
LONG = 80
"""Stems from which a note's first chunk is no short note at all."""
LEXICAL = 0.3
"""Share of the way that a short note's vector part is lifted towards a greater keyword part: few words make a poor
vector."""
ROUNDING = 1e-6
"""Excess of an unread cosine over the leg's last: stores compute cosines in single precision."""


@dataclass(frozen=True, slots=True)
class Lift:
    """A better passage towards which a candidate's parts are lifted: see `shared.retrieval.context`."""

    scores: Scores
    """Parts of the better passage."""
    share: float
    """Share of the way towards them, in (0, 1]."""

    def applied_to(self, parts: Scores) -> Scores:
        """Returns the parts moved towards those of the better passage; the similarity stays."""
        rest = 1 - self.share

        def between(part: float, better: float) -> float:
            return rest * part + self.share * better

        return Scores(
            vector=between(parts.vector, self.scores.vector),
            keyword=between(parts.keyword, self.scores.keyword),
            recency=between(parts.recency, self.scores.recency),
            similarity=parts.similarity,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """Scores the candidates of one question.

    vector   where the cosine lies between that of an unrelated chunk and that of an answer, clipped to [0, 1]; 0
             without a vector. In a short note LEXICAL of the way to its keyword part, where that is more
    keyword  BM25 divided by the best of the pool, or if that is more by FULL_MATCH of what an average chunk with every
             stem of the question would have: the best accident among words that are hardly there is no match. Where
             the embedder does not speak the question's language, the mean of that by stems and by runs of letters
    recency  0.5^(age / half-life) x relevance, where relevance is the other two parts at their weights, in [0, 1]:
             freshness orders what is relevant and lifts nothing else. When the question names a time: how near the
             note's date lies to it, 1 inside, alone: the time is part of what was asked. When nothing matched
             and the newest notes stand in: the freshness alone.

    Where `lifts` names a better passage for a candidate, all its parts lie on the way to those of that passage.
    """

    options: RetrievalOptions
    mode: RetrievalMode
    now: datetime
    named: TimeRange | None
    """The time the question names, as named: not widened. None if it only orders and reaches up to now, as "recently"
    does: then freshness orders."""
    calibration: CosineCalibration
    keyword: Mapping[str, float]
    """Chunk id -> keyword part."""
    title_matches: frozenset[str] = frozenset()
    """Ids of chunks of notes whose title the question names: see `find_title_matches`."""
    only_then: bool = True
    """True if the question asks for notes of a time and nothing else."""
    searched: TimeRange | None = None
    """The time in which notes were searched: wider than `named` where that holds none. None if that is any time."""
    weigh: Callable[[IndexedChunk], float] = lambda _: 1.0
    """Factor of a chunk's score, in (0, 1]."""
    lifts: Mapping[str, Lift] = field(default_factory=dict)
    """Chunk id -> lift towards another candidate."""
    other_time_chunks: frozenset[str] = frozenset()
    """Ids of chunks of other times that mention the named time: they count as written then."""
    ngram_words: tuple[str, ...] = ()
    """Words of the question whose runs of letters count beside their stems: the embedder does not speak its language."""

    @classmethod
    def of(cls, legs: LegRunner, pool: Pool) -> Formula:
        """Returns how the pool of a search is scored."""
        question = legs.question
        analysis = legs.analysis
        embedder = legs.embedder
        options = legs.options
        ngram_words: tuple[str, ...] = ()
        if not _speaks(embedder, analysis.lang):
            words = content_words(analysis.subject, analysis.lang)
            ngram_words = tuple(word for word, _, _ in words)
        if ngram_words:  # likeness says little, so vectors and words exchange their weights
            options = replace(
                options,
                weight_vector=options.weight_keyword,
                weight_keyword=options.weight_vector,
            )

        calibration = None
        if embedder is not None:
            calibration = embedder.calibration
        chunks = [candidate.chunk for candidate in pool.candidates]
        named = _named_range(analysis.time, question.now)
        restricts = analysis.time is not None and analysis.time.restricts
        return cls(
            options=options,
            mode=pool.mode(question.strategy),
            now=question.now,
            named=named,
            only_then=restricts,
            searched=pool.restriction.created,
            calibration=calibration or UNKNOWN_CALIBRATION,
            keyword=keyword_parts(pool, legs.options, ngram_words=ngram_words),
            title_matches=find_title_matches(chunks, analysis),
            weigh=weigher(legs.weighted_folders),
            other_time_chunks=_mentioning(named if restricts else None, chunks),
            ngram_words=ngram_words,
        )

    def score(self, candidate: Candidate, cosine: float | None) -> Scored:
        """Scores a candidate with `cosine`, in [-1, 1], in place of its own; None means without a vector."""
        chunk = candidate.chunk
        parts = self._parts(chunk, cosine)
        score = sum(self.shares(candidate, parts))

        lift = self.lifts.get(chunk.chunk_id)
        if lift is not None and score > 0:
            # Only a passage that scores more by the same formula lifts it.
            score_of_better = sum(self.shares(candidate, lift.scores))
            if score < score_of_better:
                parts = lift.applied_to(parts)
                score = sum(self.shares(candidate, parts))
        return Scored(chunk, score, parts)

    def _parts(self, chunk: IndexedChunk, cosine: float | None) -> Scores:
        """Computes the parts of a chunk's score, before other candidates lift it."""
        keyword = self.keyword[chunk.chunk_id]
        vector = 0.0
        similarity = 0.0
        if cosine is not None:
            vector = self.calibration.vector_part(cosine)
            similarity = self.calibration.similarity(cosine)
            if not self.ngram_words and keyword > vector:
                share = LEXICAL * shortness(chunk)
                vector += share * (keyword - vector)
        recency = self._recency(chunk, vector, keyword)

        if chunk.chunk_id in self.title_matches:
            vector = 1.0
            keyword = 1.0
            if self.named is None:
                recency = 1.0
        return Scores(
            vector=vector,
            keyword=keyword,
            recency=recency,
            similarity=similarity,
        )

    def shares(self, candidate: Candidate, parts: Scores) -> tuple[float, float, float]:
        """Returns what the vector, the keyword and the recency part add to the candidate's score."""
        weight = self.weigh(candidate.chunk)
        if self.mode is RetrievalMode.RRF:
            by_vector = self._reciprocal_rank(candidate.vector_rank)
            by_keyword = self._reciprocal_rank(candidate.keyword_rank)
            return weight * by_vector, weight * by_keyword, 0.0

        options = self.options
        return (
            weight * options.weight_vector * parts.vector,
            weight * options.weight_keyword * parts.keyword,
            weight * options.weight_recency * parts.recency,
        )

    def _reciprocal_rank(self, rank: int | None) -> float:
        """Returns a leg's share in reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009)."""
        if rank is None:
            return 0.0
        return 1.0 / (self.options.rrf_k + rank)

    def is_related(self, passage: Scored) -> bool:
        """Reports whether a passage relates to the question: by a word, its time, or more likeness than unrelated texts."""
        scores = passage.scores
        if scores.keyword > 0 or scores.similarity > UNRELATED:
            return True
        if self.searched is None or not self.only_then:
            return False
        return self.searched.contains(passage.chunk.created_at)

    def _recency(self, chunk: IndexedChunk, vector: float, keyword: float) -> float:
        """Computes the recency part: nearness to the named time, otherwise freshness times the candidate's relevance."""
        only_recent = self.mode is RetrievalMode.RECENT
        if self.named is not None and not only_recent:
            if chunk.chunk_id in self.other_time_chunks:
                return 1.0
            return nearness(chunk.created_at, self.named)

        options = self.options
        age_days = max(0.0, (self.now - chunk.created_at) / DAY)
        half_lives = age_days / options.half_life_days
        freshness = float(0.5**half_lives)
        weight = options.weight_vector + options.weight_keyword
        if only_recent or weight == 0:
            return freshness

        weighted = options.weight_vector * vector
        weighted += options.weight_keyword * keyword
        relevance = weighted / weight
        return freshness * relevance


def _named_range(time: TimeHint | None, now: datetime) -> TimeRange | None:
    """Returns the range to which notes should be near; None if freshness counts instead."""
    if time is None:
        return None
    end = time.range.end
    reaches_now = end is None or end > now
    if reaches_now and not time.restricts:
        return None
    return time.range


def _mentioning(named: TimeRange | None, chunks: Iterable[IndexedChunk]) -> frozenset[str]:
    """Returns the ids of chunks that mention the named time and were written at another one."""
    if named is None:
        return frozenset()
    found: list[str] = []
    for chunk in chunks:
        if not named.contains(chunk.created_at) and mentions_time(chunk, named):
            found.append(chunk.chunk_id)
    return frozenset(found)


def _speaks(embedder: Embedder | None, lang: str) -> bool:
    """Reports whether the embedder speaks a language; without an embedder nothing is missing."""
    if embedder is None or embedder.languages is None:
        return True
    return lang in embedder.languages


def shortness(chunk: IndexedChunk) -> float:
    """Returns 1 for a short note, 0 for other chunks, and what lies between for a note of SHORT to LONG stems."""
    if chunk.position != 0:
        return 0.0
    if chunk.length <= SHORT:
        return 1.0
    if chunk.length >= LONG:
        return 0.0
    return (LONG - chunk.length) / (LONG - SHORT)


def find_title_matches(chunks: Iterable[IndexedChunk], analysis: Analysis) -> frozenset[str]:
    """Returns the ids of the first chunks of notes that the question asks for by title or alias.

    Such a title holds all stems of the question, and these are at least half of its own stems. The chunk is a full
    match, however old it is: "Who is Priya?", *Priya Raman*.
    """
    question_stems = set(analysis.stems)
    if not question_stems:
        return frozenset()
    longest_name = 2 * len(question_stems)

    matches: set[str] = set()
    for chunk in chunks:
        if chunk.position != 0:
            continue
        for name in (chunk.title, *aliases_in(chunk.properties)):
            name_stems = stems_as(name, analysis)
            if question_stems <= name_stems and len(name_stems) <= longest_name:
                matches.add(chunk.chunk_id)
                break
    return frozenset(matches)


def keyword_parts(
    pool: Pool,
    options: RetrievalOptions,
    others: Sequence[IndexedChunk] = (),
    *,
    ngram_words: Sequence[str] = (),
) -> Mapping[str, float]:
    """Computes the keyword part of each chunk, see `Formula`; all 0 when nothing matches.

    others: chunks outside the pool, measured by the same best. ngram_words: words of the question, if their runs of
    letters count as much as their stems.
    """
    pool_size = len(pool.candidates)
    chunks = [*(candidate.chunk for candidate in pool.candidates), *others]
    by_stems = _normalised_bm25(
        chunks,
        pool.frequencies,
        pool.stats,
        options,
        pool_size=pool_size,
        forms=pool.forms,
    )
    if not ngram_words:
        return by_stems

    corpus = ngram_corpus(ngram_words, chunks, pool_size=pool_size)
    by_ngrams = _normalised_bm25(
        corpus.chunks,
        corpus.frequencies,
        corpus.stats,
        options,
        pool_size=pool_size,
    )
    means = {}
    for chunk_id, part_by_stems in by_stems.items():
        means[chunk_id] = part_by_stems / 2 + by_ngrams[chunk_id] / 2
    return means


def _normalised_bm25(
    chunks: Sequence[IndexedChunk],
    frequencies: Mapping[str, int],
    stats: CorpusStats,
    options: RetrievalOptions,
    *,
    pool_size: int,
    forms: OwnForms = NO_FORMS,
) -> dict[str, float]:
    """Divides BM25 by the best of the pool, or by a full match if that is more: chunk id -> [0, 1]."""
    scores = bm25(
        chunks,
        frequencies,
        stats,
        k1=options.bm25_k1,
        b=options.bm25_b,
        forms=forms,
    )

    # BM25 counts a stem that stands once in a chunk of average length by its idf.
    weights = idf(frequencies, stats)
    full_match = FULL_MATCH * sum(weights.values())
    best = max(full_match, *scores[:pool_size], 0.0) or 1.0

    parts = {}
    for chunk, score in zip(chunks, scores, strict=True):
        parts[chunk.chunk_id] = min(1.0, score / best)
    return parts


def nearness(moment: datetime, named: TimeRange) -> float:
    """Returns 1 inside the range; outside, the value halves with each half-life of distance from the range.

    The half-life is the length of the range, but at least a week. For a range that is open on one side it is 30 days.
    """
    if named.contains(moment):
        return 1.0

    start = named.start
    end = named.end
    if start is None or end is None:
        half_life = 30 * DAY
    else:
        half_life = max(end - start, MIN_NEARNESS_HALF_LIFE)

    distance = timedelta(0)
    if start is not None and moment < start:
        distance = start - moment
    elif end is not None and moment >= end:
        distance = moment - end
    half_lives = distance / half_life
    return float(0.5**half_lives)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates that match and pass the threshold, ranked by the vectors that were read."""

    passages: tuple[Scored, ...]
    """Best first; see `best_first_key`."""
    contenders: tuple[str, ...]
    """Ids of chunks whose unread vectors may change the head, the likeliest first. If empty, the head is exact."""


def rank(pool: Pool, formula: Formula, *, threshold: float, head: int = 0) -> Ranking:
    """Ranks every candidate that matches and passes the threshold, and finds the vectors that may change the first `head`.

    A candidate whose vector was not read is scored without one.
    """
    passing: list[Scored] = []
    worst_scores: list[float] = []
    unread: list[Candidate] = []
    for candidate in pool.candidates:
        scored = formula.score(candidate, candidate.cosine)
        passes = _passes(scored, candidate, threshold)
        if passes and scored.score > 0:
            passing.append(scored)

        is_unread = candidate.chunk.chunk_id in pool.unread
        may_fail_threshold = is_unread and threshold > 0
        if passes and not may_fail_threshold:
            worst_scores.append(scored.score)
        if is_unread:
            unread.append(candidate)

    contenders: tuple[str, ...] = ()
    if unread and head > 0:
        ceiling = min(1.0, pool.ceiling + ROUNDING)
        best_possible = _best_possible(unread, formula, ceiling, threshold)
        contenders = _contenders(best_possible, worst_scores, head)

    passing.sort(key=best_first_key)
    return Ranking(tuple(passing), contenders)


def _passes(scored: Scored, candidate: Candidate, threshold: float) -> bool:
    """Reports whether a candidate is similar enough; one without a vector passes if it shares a keyword."""
    if candidate.cosine is None and scored.scores.keyword > 0:
        return True
    return scored.scores.similarity >= threshold


def _best_possible(
    unread: Iterable[Candidate],
    formula: Formula,
    ceiling: float,
    threshold: float,
) -> list[Scored]:
    """Scores candidates by the best vector that each can have, and leaves out those that cannot pass with it.

    ceiling: the greatest cosine of a vector that was not read.
    """
    best_possible: list[Scored] = []
    for candidate in unread:
        best = formula.score(candidate, ceiling)
        # It may also turn out to have no vector, and then a keyword suffices.
        if best.score > 0 and _passes(best, candidate, threshold):
            best_possible.append(best)
    return best_possible


def _contenders(
    best_possible: Sequence[Scored],
    worst_scores: Iterable[float],
    head: int,
) -> tuple[str, ...]:
    """Returns the ids of unread chunks that may come into the head, the likeliest first.

    Scores grow with the cosine. So a chunk whose best possible score is less than the `head`-th greatest of all worst
    possible scores cannot come into the head, and its vector need not be read (the threshold algorithm of Fagin, Lotem
    and Naor, 2003). Each vector that is read raises this bar for the others.

    best_possible: unread chunks with the greatest score that each can have.
    worst_scores: the least score that each chunk can have.
    """
    if not best_possible:
        return ()
    greatest_first = sorted(worst_scores, reverse=True)
    floor = 0.0
    if len(greatest_first) >= head:
        floor = greatest_first[head - 1]
    contenders = [scored for scored in best_possible if scored.score >= floor]
    contenders.sort(key=best_first_key)
    return tuple([scored.chunk.chunk_id for scored in contenders])


def best_first_key(scored: Scored) -> tuple[float, float, str]:
    """Returns the sort key that puts the best score first; of equal scores, the newer note and then the lower chunk id."""
    chunk = scored.chunk
    newest_first = -chunk.created_at.timestamp()
    return -scored.score, newest_first, chunk.chunk_id
