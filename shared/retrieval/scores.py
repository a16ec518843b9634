"""Step 3. Candidates -> scores: `0.6 x vector + 0.25 x keyword + 0.15 x recency`, or reciprocal rank fusion.

Pure: the same pool gives the same scores in the same order, whatever order its candidates come in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from shared.language.terms import content_words, stems
from shared.markdown.file import ALIAS
from shared.model.index import IndexedChunk
from shared.model.questions import TimeRange
from shared.model.retrieval import (
    UNKNOWN_CALIBRATION,
    UNRELATED,
    Candidate,
    CosineCalibration,
    RetrievalMode,
    Scored,
    Scores,
)
from shared.retrieval.bm25 import bm25, idf, in_letters
from shared.retrieval.candidates import Pool
from shared.retrieval.legs import Search
from shared.retrieval.options import RetrievalOptions
from shared.retrieval.places import weigher

DAY = timedelta(days=1)
MIN_NEARNESS_HALF_LIFE = timedelta(days=7)
"""A week beside "on 3 May" is near, a week beside an hour is still not far."""
FULL_MATCH = 0.6
"""Of what the question's stems tell together (idf), what a passage must hold to count as its full match. With less an
accident counts as a match where the question's words are not in the notes; with all of it, turns of chats rank worse.
"""
SHORT, LONG = 60, 80
"""Stems: a note's first chunk of up to SHORT counts wholly as a short note, one of LONG or more not at all."""
LEXICAL = 0.3
"""How far a short note's vector part is lifted towards a greater keyword part: few words make a poor vector."""
ROUNDING = 1e-6
"""Stores compute cosines in single precision: an unread one may exceed the leg's last by this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """How candidates of one question are scored.

    vector   where the cosine lies between that of an unrelated chunk and that of an answer, clipped to [0, 1]; 0
             without a vector. In a short note LEXICAL of the way to its keyword part, where that is more
    keyword  BM25 divided by the best of the pool, or if that is more by FULL_MATCH of what an average chunk with every
             stem of the question would have: the best accident among words that are hardly there is no match. Where
             the embedder does not speak the question's language, the mean of that by stems and by runs of letters
    recency  0.5^(age / half-life) x relevance, where relevance is the other two parts at their weights, in [0, 1]:
             freshness orders what is relevant and lifts nothing else. When the question names a time: how near the
             note's date lies to it, 1 inside, alone: the time is part of what was asked. When nothing matched
             and the newest notes stand in: the freshness alone.

    Where `context` names a better passage for a candidate, all its parts lie on the way to those of that passage.
    """

    options: RetrievalOptions
    mode: RetrievalMode
    now: datetime
    named: TimeRange | None
    """The time the question names, as named: not widened."""
    calibration: CosineCalibration
    keyword: Mapping[str, float]
    """Chunk id -> keyword part."""
    titled: frozenset[str] = frozenset()
    """Chunk ids of notes whose title the question names: see `titled`."""
    only_then: bool = True
    """Whether it asks for that time alone."""
    weigh: Callable[[IndexedChunk], float] = lambda _: 1.0
    """What a chunk's score is multiplied by, in (0, 1]."""
    context: Mapping[str, tuple[Scores, float]] = field(default_factory=dict)
    """Chunk id -> parts of another candidate, and how far towards them, in (0, 1]: see `shared.retrieval.context`."""
    words: tuple[str, ...] = ()
    """Words of the question whose letters count beside their stems: the embedder does not speak its language."""

    @classmethod
    def of(cls, search: Search, pool: Pool) -> Formula:
        """How the pool of this search is scored."""
        question, analysis, embedder = search.question, search.analysis, search.embedder
        spoken = embedder is None or embedder.languages is None or analysis.lang in embedder.languages
        words = () if spoken else tuple(word for word, _, _ in content_words(analysis.subject, analysis.lang))
        options = search.options
        if words:  # what vectors and words count is exchanged
            by_vector, by_keyword = options.weight_vector, options.weight_keyword
            options = replace(options, weight_vector=by_keyword, weight_keyword=by_vector)
        return cls(
            options=options,
            mode=pool.mode(question.strategy),
            now=question.now,
            named=analysis.time.range if analysis.time else None,
            only_then=analysis.time is not None and analysis.time.restricts,
            calibration=(embedder.calibration if embedder else None) or UNKNOWN_CALIBRATION,
            keyword=keyword_parts(pool, search.options, words=words),
            titled=titled([each.chunk for each in pool.candidates], analysis.stems, analysis.lang),
            weigh=weigher(search.places),
            words=words,
        )

    def score(self, candidate: Candidate, cosine: float | None) -> Scored:
        """As if its cosine were `cosine`, in [-1, 1]; None: it has no vector."""
        chunk, vector, similarity = candidate.chunk, 0.0, 0.0
        keyword, short = self.keyword[chunk.chunk_id], shortness(chunk)
        if cosine is not None:
            vector, similarity = self.calibration.vector_part(cosine), self.calibration.similarity(cosine)
            if not self.words:
                vector += LEXICAL * short * max(0.0, keyword - vector)
        recency = self._recency(chunk.created_at, vector, keyword)
        if chunk.chunk_id in self.titled:
            vector, keyword, recency = 1.0, 1.0, recency if self.named else 1.0
        parts = Scores(vector=vector, keyword=keyword, recency=recency, similarity=similarity)
        score = sum(self.shares(candidate, parts))
        better, lift = self.context.get(chunk.chunk_id, (parts, 0.0))
        if 0 < score < sum(self.shares(candidate, better)):
            parts = Scores(
                vector=(1 - lift) * vector + lift * better.vector,
                keyword=(1 - lift) * keyword + lift * better.keyword,
                recency=(1 - lift) * recency + lift * better.recency,
                similarity=similarity,
            )
            score = sum(self.shares(candidate, parts))
        return Scored(chunk, score, parts)

    def shares(self, candidate: Candidate, parts: Scores) -> tuple[float, float, float]:
        """What the vector, the keyword and the recency part add to the candidate's score."""
        options, weight = self.options, self.weigh(candidate.chunk)
        if self.mode is RetrievalMode.RRF:  # reciprocal rank fusion, Cormack, Clarke and Buettcher, 2009
            ranks = (candidate.vector_rank, candidate.keyword_rank)
            by_vector, by_keyword = (0.0 if rank is None else weight / (options.rrf_k + rank) for rank in ranks)
            return by_vector, by_keyword, 0.0
        return (
            weight * options.weight_vector * parts.vector,
            weight * options.weight_keyword * parts.keyword,
            weight * options.weight_recency * parts.recency,
        )

    def speaks_of(self, passage: Scored) -> bool:
        """Whether it relates to the question: by a word, by its time, or by more likeness than unrelated texts."""
        in_time = self.named is not None and self.only_then and self.named.contains(passage.chunk.created_at)
        return in_time or passage.scores.keyword > 0 or passage.scores.similarity > UNRELATED

    def _recency(self, created: datetime, vector: float, keyword: float) -> float:
        freshness = 0.5 ** (max(0.0, (self.now - created) / DAY) / self.options.half_life_days)
        if self.mode is RetrievalMode.RECENT:
            return float(freshness)
        if self.named is not None:
            return nearness(created, self.named)
        weights = self.options.weight_vector + self.options.weight_keyword
        if weights == 0:
            return float(freshness)
        relevance = (self.options.weight_vector * vector + self.options.weight_keyword * keyword) / weights
        return float(freshness * relevance)


def shortness(chunk: IndexedChunk) -> float:
    """1 for a short note, 0 for other chunks."""
    return min(1.0, max(0.0, (LONG - chunk.length) / (LONG - SHORT))) if chunk.position == 0 else 0.0


def titled(chunks: Iterable[IndexedChunk], asked: Sequence[str], lang: str) -> frozenset[str]:
    """Ids of the first chunks of notes whose title, or other name, is what is asked for: it holds all stems of the
    question, which are at least half of its own. Such a chunk is a full match whatever its age: "Who is Priya?", *Priya
    Raman*.
    """
    wanted = set(asked)
    if not wanted:
        return frozenset()
    found = set()
    for chunk in chunks:
        if chunk.position == 0:
            aliases = (line.removeprefix(ALIAS) for line in chunk.properties if line.startswith(ALIAS))
            names = [set(stems(name, lang)) for name in (chunk.title, *aliases)]
            if any(wanted <= own and len(own) <= 2 * len(wanted) for own in names):
                found.add(chunk.chunk_id)
    return frozenset(found)


def keyword_parts(
    pool: Pool, options: RetrievalOptions, others: Sequence[IndexedChunk] = (), *, words: Sequence[str] = ()
) -> Mapping[str, float]:
    """Chunk id -> BM25 in [0, 1], see `Formula`; all 0 when nothing matches. `others`: chunks outside the pool,
    measured by the same best. `words`: of the question, if their letters count as much as their stems.
    """
    size, chunks = len(pool.candidates), [*(candidate.chunk for candidate in pool.candidates), *others]
    measured = [(chunks, pool.frequencies, pool.stats)]
    if words:
        measured.append(in_letters(words, chunks, size))
    parts: dict[str, float] = {}
    for read, frequencies, stats in measured:
        scores = bm25(read, frequencies, stats, k1=options.bm25_k1, b=options.bm25_b)
        # BM25 counts a stem that stands once in a chunk of average length by its idf.
        asked = sum(idf(frequencies, stats).values())
        best = max(FULL_MATCH * asked, *scores[:size], 0.0) or 1.0
        for chunk, score in zip(read, scores, strict=True):
            parts[chunk.chunk_id] = parts.get(chunk.chunk_id, 0.0) + min(1.0, score / best) / len(measured)
    return parts


def nearness(when: datetime, named: TimeRange) -> float:
    """1 inside the range; outside it halves with every length of the range, a week at least, in distance.

    A range open on one side has no length and halves every 30 days.
    """
    if named.contains(when):
        return 1.0
    if named.start is None or named.end is None:
        half_life = 30 * DAY
    else:
        half_life = max(named.end - named.start, MIN_NEARNESS_HALF_LIFE)
    before = named.start - when if named.start is not None and when < named.start else timedelta(0)
    after = when - named.end if named.end is not None and when >= named.end else timedelta(0)
    return float(0.5 ** (max(before, after) / half_life))


def rank(
    pool: Pool, formula: Formula, *, threshold: float, head: int = 0
) -> tuple[tuple[Scored, ...], tuple[str, ...]]:
    """Every candidate that matches and passes the threshold, best first, of equals the newer, then by chunk id; and
    the chunks whose unread vectors may change the first `head` of these, the likeliest first. None: they are exact.

    An unread vector counts as none, and its cosine lies in [-1, ceiling]. Scores grow with the cosine, so whoever's
    best possible score is less than the `head`-th greatest of all worst possible scores cannot come into the head, and
    its vector need not be read (the threshold algorithm of Fagin, Lotem and Naor, 2003). Those read raise the bar for
    the rest.
    """
    ceiling = min(1.0, pool.ceiling + ROUNDING)
    passing, certain, possible = list[Scored](), list[float](), list[Scored]()
    for candidate in pool.candidates:
        scored = formula.score(candidate, candidate.cosine)
        # A chunk without a vector has no similarity to judge; a keyword it shares with the question speaks for it.
        by_keyword = candidate.cosine is None and scored.scores.keyword > 0
        passes = scored.scores.similarity >= threshold or by_keyword
        if scored.score > 0 and passes:
            passing.append(scored)
        is_unread = candidate.chunk.chunk_id in pool.unread
        if passes and not (is_unread and threshold > 0):
            certain.append(scored.score)
        if is_unread and head:
            best = formula.score(candidate, ceiling)
            # It may also turn out to have no vector, and then a keyword suffices.
            if best.score > 0 and (best.scores.similarity >= threshold or by_keyword):
                possible.append(best)
    certain.sort(reverse=True)
    floor = certain[head - 1] if len(certain) >= head > 0 else 0.0
    able = sorted((scored for scored in possible if scored.score >= floor), key=best_first_key)
    return tuple(sorted(passing, key=best_first_key)), tuple([scored.chunk.chunk_id for scored in able])


def best_first_key(scored: Scored) -> tuple[float, float, str]:
    """Of equal scores the newer, as of two notes with the title that is asked for."""
    return -scored.score, -scored.chunk.created_at.timestamp(), scored.chunk.chunk_id
