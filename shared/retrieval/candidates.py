"""Step 2. Analysis and restriction -> the pool: nearest vectors, keyword matches and newest chunks, at the same time.

A range in which nothing was written is widened in steps; filters never are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from operator import attrgetter
from zoneinfo import ZoneInfo

from shared.language.forms import NO_FORMS, OwnForms, own_forms
from shared.model.index import IndexedChunk, Vector, dot_product
from shared.model.questions import Question, Strategy, TimeHint, TimeRange
from shared.model.retrieval import (
    WIDENING,
    Candidate,
    CorpusStats,
    Neighbour,
    Restriction,
    RetrievalMode,
    VectorMatches,
)
from shared.retrieval.analysis import within
from shared.retrieval.bm25 import bm25, idf
from shared.retrieval.folder_weights import Part, parts_of
from shared.retrieval.legs import KeywordMatches, LegRunner
from shared.retrieval.options import RetrievalOptions
from shared.times.references import refers_to

MIN_LEG = 10
"""Fewest chunks that are asked of each part, however many parts share the limit of a search."""
EXCLUDED_FACTOR = 8
"""Factor by which more chunks are asked for if nearly all that a leg brought are of excluded notes."""
MAX_OTHER_TIME = 30
"""Chunks of other times that are looked at because they may mention the time that is asked for, the newest."""
OTHER_TIME_SHARE = 8
"""What part of the postings left over is spent on them: where postings are billed, four and as many vectors at most, or
twelve and no vectors without an embedder."""
MAX_NEIGHBOURS = 1000
"""Chunks that every store can bring in one search."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates in the order of their chunk ids, each once, and what is needed to score them."""

    candidates: tuple[Candidate, ...]
    query: Vector | None
    """The question's embedding; None without an embedder, or if it is unavailable."""
    unread: frozenset[str]
    """Ids of chunks whose vectors have not been read yet, and may not exist. Their `cosine` is None."""
    ceiling: float
    """Greatest cosine that an unread vector can have: the vector leg would have found a greater one."""
    frequencies: Mapping[str, int]
    """Stem of the question -> number of the tenant's chunks that contain it."""
    stats: CorpusStats
    failed_vaults: frozenset[str] = frozenset()
    """Vaults whose search failed, if each vault is searched on its own."""
    restriction: Restriction = field(default_factory=Restriction)
    """The restriction that every candidate obeys."""
    forms: OwnForms = NO_FORMS
    """Forms of the question's plurals, which count more than verbs of their stems."""
    widened: str | None = None
    """Name of the step that widened the restriction, a key of WIDENING; None if it was not widened."""

    def mode(self, strategy: Strategy) -> RetrievalMode:
        """Decides how the candidates are ranked, from what the legs brought."""
        if not self.candidates:
            return RetrievalMode.NONE
        if all(_is_recent_only(candidate) for candidate in self.candidates):
            return RetrievalMode.RECENT
        if self.query is None:
            return RetrievalMode.KEYWORD_RECENCY
        if strategy is Strategy.RRF:
            return RetrievalMode.RRF
        return RetrievalMode.WEIGHTED


def _is_recent_only(candidate: Candidate) -> bool:
    """Reports whether only the recent leg brought a candidate."""
    return candidate.vector_rank is None and candidate.keyword_rank is None


def find_candidates(legs: LegRunner, allowed: Restriction, hint: TimeHint | None) -> Pool:
    """Gathers candidates from the time that the question asks about, or from around it if nothing was written then.

    Raises as `gather`.
    """
    if hint is None or not hint.restricts:
        return gather(legs, allowed)
    restriction = within(allowed, hint.range)
    matches = legs.match(restriction)
    other_time_chunks = _other_time_chunks(legs, allowed, hint.range, matches)
    corpus_is_empty = matches.stats.chunk_count == 0
    finds_words = matches.chunks or other_time_chunks
    if finds_words or corpus_is_empty or legs.newest(restriction, 1):
        pool = gather(legs, restriction, matches)
        return _with_other_time_chunks(legs, pool, other_time_chunks, matches)

    # Nothing was written then.
    widened = _step_with_notes(legs, allowed, hint.range, matches)
    if widened is not None:
        step, wider, wider_matches = widened
        pool = gather(legs, wider, wider_matches)
        return replace(pool, widened=step)
    pool = gather(legs, restriction, matches)
    return replace(pool, restriction=allowed)


def _step_with_notes(
    legs: LegRunner,
    allowed: Restriction,
    time_range: TimeRange,
    matches: KeywordMatches,
) -> tuple[str, Restriction, KeywordMatches] | None:
    """Returns the first step of widening in which a note has a word of the question, or else the first with notes; None if
    no step has any. Returned are its name, its restriction and its keyword matches.

    Notes that the question excludes do not count as having a word.
    """
    excluded_notes = frozenset(legs.question.filters.without_notes)
    first_with_notes: tuple[str, Restriction, KeywordMatches] | None = None
    for step, days in WIDENING.items():
        wider_range = _widened(time_range, days, legs.question)
        wider = within(allowed, wider_range)
        if not legs.newest(wider, 1):
            continue
        wider_matches = legs.match(wider, matches)
        found = (step, wider, wider_matches)
        if any(chunk.note_id not in excluded_notes for chunk in wider_matches.chunks):
            return found
        if first_with_notes is None:
            first_with_notes = found
    return first_with_notes


def _other_time_chunks(
    legs: LegRunner,
    allowed: Restriction,
    time_range: TimeRange,
    matches: KeywordMatches,
) -> list[IndexedChunk]:
    """Returns chunks written at other times that mention the range and say more of the question than its own chunks.

    They hold the rarest of the question's words that no chunk of the range holds, and by idf more of the question's
    words than each chunk of the range. Notes that the question excludes count for neither.

    matches: what the keyword leg has brought of the range.
    """
    weights = idf(matches.frequencies, matches.stats)
    excluded_notes = frozenset(legs.question.filters.without_notes)

    def weight_of(stems: Iterable[str]) -> float:
        return sum(weights[stem] for stem in stems)

    stems_of_chunks = [
        chunk.stems_among(weights)
        for chunk in matches.chunks
        if chunk.note_id not in excluded_notes
    ]
    greatest_weight_in_range = max(map(weight_of, stems_of_chunks), default=0.0)
    rarest = _rarest_missing(matches.frequencies, frozenset().union(*stems_of_chunks))
    limit = min(MAX_OTHER_TIME, matches.unspent // OTHER_TIME_SHARE)
    if rarest is None or limit == 0:
        return []

    found: list[IndexedChunk] = []
    for chunk in legs.postings(rarest, limit, allowed):
        if time_range.contains(chunk.created_at) or chunk.note_id in excluded_notes:
            continue
        weight = weight_of(chunk.stems_among(weights))
        if weight > greatest_weight_in_range and mentions_time(chunk, time_range):
            found.append(chunk)
    return found


def _rarest_missing(frequencies: Mapping[str, int], present: Collection[str]) -> str | None:
    """Returns the rarest stem that some chunk holds and that is not present; None if there is no such stem."""
    missing = [stem for stem in frequencies if frequencies[stem] and stem not in present]
    return min(missing, key=lambda stem: (frequencies[stem], stem), default=None)


def mentions_time(chunk: IndexedChunk, time_range: TimeRange) -> bool:
    """Reports whether a chunk, its headings or its note's title name a time in the range."""
    texts = (chunk.title, chunk.heading_path, chunk.text)
    return refers_to("\n".join(texts), time_range, chunk.created_at)


def _with_other_time_chunks(
    legs: LegRunner,
    pool: Pool,
    other_time_chunks: Sequence[IndexedChunk],
    matches: KeywordMatches,
) -> Pool:
    """Adds chunks that mention the time that was asked for, with their vectors: no leg has looked there.

    They are ranked as keyword matches, among themselves: each says more than every match of that time. Chunks of vaults
    whose search failed are left out.
    """
    eligible = [chunk for chunk in other_time_chunks if chunk.vault not in pool.failed_vaults]
    if not eligible:
        return pool
    vectors: Mapping[str, Vector] = {}
    if pool.query is not None:
        vectors = legs.vectors([chunk.chunk_id for chunk in eligible])
    query = list(pool.query or ())
    candidates = {candidate.chunk.chunk_id: candidate for candidate in pool.candidates}
    ranked = _best_matches(eligible, matches, legs.options, pool.forms)
    for rank, chunk in enumerate(ranked, start=1):
        cosine = None
        if chunk.chunk_id in vectors:
            cosine = dot_product(query, vectors[chunk.chunk_id])
        candidates[chunk.chunk_id] = Candidate(chunk, cosine, keyword_rank=rank)
    by_id = sorted(candidates)
    return replace(pool, candidates=tuple(candidates[chunk_id] for chunk_id in by_id))


def _widened(time_range: TimeRange, days: int | None, question: Question) -> TimeRange | None:
    """Moves both bounds of a range outwards by a number of days, the end no further than the end of today.

    An open side stays open. Returns None if `days` is None.
    """
    if days is None:
        return None
    margin = timedelta(days=days)
    start = time_range.start
    if start is not None:
        start -= margin
    end = time_range.end
    if end is not None:
        end = min(end + margin, _end_of_today(question))
    return TimeRange(start, end)


def _end_of_today(question: Question) -> datetime:
    """Returns the midnight that ends the day of the question, in its zone."""
    zone = ZoneInfo(question.zone)
    today = question.now.astimezone(zone).date()
    tomorrow = today + timedelta(days=1)
    return datetime.combine(tomorrow, time(), zone)


def gather(
    legs: LegRunner,
    restriction: Restriction,
    matches: KeywordMatches | None = None,
) -> Pool:
    """Gathers at most three times `leg_size` candidates.

    matches: chunks that the keyword leg has already brought.

    A part of the folders whose search fails brings nothing of its vaults, which `failed_vaults` names, unless no vault
    is left. A failing leg brings nothing; `legs.failures` holds it. Raises its failure if nothing was found at all,
    since the leg may have held it.
    """
    options = legs.options
    excluded_notes = frozenset(legs.question.filters.without_notes)
    recent_search = legs.executor.submit(
        legs.recent,
        restriction,
        min(options.newest, options.leg_size),
    )
    vector_leg = _VectorLeg(legs, restriction, excluded_notes)
    if matches is None:
        matches = legs.match(restriction)
    nearest = vector_leg.results()

    def is_eligible(chunk: IndexedChunk) -> bool:
        return chunk.note_id not in excluded_notes and chunk.vault not in nearest.failed_vaults

    forms = own_forms(legs.analysis.subject, legs.analysis.lang)
    eligible_matches = list(filter(is_eligible, matches.chunks))
    matching = _best_matches(eligible_matches, matches, options, forms)

    # The newest notes stand in where neither leg brings anything.
    recent = recent_search.result()
    if not nearest.neighbours and not matching and restriction.created is None:
        limit = options.leg_size
        if excluded_notes:
            limit *= EXCLUDED_FACTOR
        recent = legs.recent(restriction, limit) or legs.newest(restriction, limit)
    eligible_recent = list(filter(is_eligible, recent))[: options.leg_size]

    candidates = _union(nearest.neighbours, matching, eligible_recent)
    if not candidates and legs.failures:
        first_failure, *_ = legs.failures.values()
        raise first_failure
    return Pool(
        candidates=candidates,
        query=legs.query(),
        unread=_unread(candidates, nearest),
        ceiling=nearest.ceiling or 0.0,
        frequencies=matches.frequencies,
        stats=matches.stats,
        failed_vaults=nearest.failed_vaults,
        restriction=restriction,
        forms=forms,
    )


@dataclass(frozen=True, slots=True)
class Nearest:
    """Neighbours that the vector leg brought from all parts together."""

    neighbours: tuple[Neighbour, ...]
    """Each chunk once, best first, of equal cosines by chunk id."""
    ceiling: float | None
    """The greatest cosine that any other vector can have; None if there are no other vectors."""
    failed_vaults: frozenset[str]
    """Vaults of the parts whose search failed."""


_Search = Future[VectorMatches | None]
"""Search of a part; it brings None if it fails."""


class _VectorLeg:
    """The vector leg over all parts of the folders. The searches begin when it is made."""

    def __init__(
        self,
        legs: LegRunner,
        restriction: Restriction,
        excluded_notes: frozenset[str],
    ) -> None:
        self._legs = legs
        self._excluded_notes = excluded_notes
        self._parts = parts_of(legs.weighted_folders, restriction)
        leg_size = legs.options.leg_size
        share_of_part = leg_size // len(self._parts)
        self._limit = min(leg_size, max(MIN_LEG, share_of_part))
        self._searches = self._submit(self._limit)

    def results(self) -> Nearest:
        """Waits for the searches, and searches for more if nearly all neighbours are of excluded notes."""
        nearest = self._merged(self._searches)
        eligible = self._eligible(nearest)
        has_enough = len(eligible) >= min(MIN_LEG, len(nearest.neighbours))
        has_all = nearest.ceiling is None
        if has_enough or has_all:
            return replace(nearest, neighbours=eligible)

        larger_limit = min(EXCLUDED_FACTOR * self._limit, MAX_NEIGHBOURS)
        limit = max(self._limit, larger_limit)
        nearest = self._merged(self._submit(limit))
        eligible = self._eligible(nearest)
        leg_size = self._legs.options.leg_size
        if len(eligible) <= leg_size:
            return replace(nearest, neighbours=eligible)
        best_left_out = eligible[leg_size]
        return replace(
            nearest,
            neighbours=eligible[:leg_size],
            ceiling=best_left_out.cosine,
        )

    def _submit(self, limit: int) -> list[_Search]:
        """Begins the search of each part."""
        legs = self._legs
        searches = []
        for part in self._parts:
            search = legs.executor.submit(legs.nearest, part.restriction, limit)
            searches.append(search)
        return searches

    def _merged(self, searches: Sequence[_Search]) -> Nearest:
        """Waits for the searches of all parts and merges what they bring."""
        brought = [search.result() for search in searches]
        return merge_parts(self._parts, brought)

    def _eligible(self, nearest: Nearest) -> tuple[Neighbour, ...]:
        """Returns the neighbours that are not of excluded notes."""
        excluded = self._excluded_notes
        neighbours = nearest.neighbours
        return tuple(
            neighbour for neighbour in neighbours if neighbour.chunk.note_id not in excluded
        )


def merge_parts(
    parts: Sequence[Part],
    brought: Sequence[VectorMatches | None],
) -> Nearest:
    """Merges what the vector leg brought from each part, None where its search failed.

    Where no vault is left all of whose parts answered, any vector that is read may be the nearest: the ceiling is 1.
    """
    failed_vaults: set[str] = set()
    for part, matches in zip(parts, brought, strict=True):
        if matches is None:
            failed_vaults |= part.vaults
    if None in brought and all(part.vaults <= failed_vaults for part in parts):
        return Nearest((), 1.0, frozenset())

    merged: dict[str, Neighbour] = {}
    ceilings: list[float] = []
    for matches in brought:
        if matches is None:
            continue
        for neighbour in matches.neighbours:
            chunk = neighbour.chunk
            if chunk.vault not in failed_vaults:
                merged[chunk.chunk_id] = neighbour
        if matches.ceiling is not None:
            ceilings.append(matches.ceiling)

    best_first = sorted(merged.values(), key=attrgetter("place"))
    return Nearest(
        neighbours=tuple(best_first),
        ceiling=max(ceilings, default=None),
        failed_vaults=frozenset(failed_vaults),
    )


def _best_matches(
    chunks: Sequence[IndexedChunk],
    matches: KeywordMatches,
    options: RetrievalOptions,
    forms: OwnForms,
) -> list[IndexedChunk]:
    """Returns the best chunks of the keyword leg by BM25, at most a leg's size."""
    scores = bm25(
        chunks,
        matches.frequencies,
        matches.stats,
        k1=options.bm25_k1,
        b=options.bm25_b,
        forms=forms,
    )

    def best_first_key(scored_chunk: tuple[IndexedChunk, float]) -> tuple[float, str]:
        chunk, score = scored_chunk
        return -score, chunk.chunk_id

    scored_chunks = zip(chunks, scores, strict=True)
    ranked = sorted(scored_chunks, key=best_first_key)
    return [chunk for chunk, _ in ranked[: options.leg_size]]


def _unread(candidates: Sequence[Candidate], nearest: Nearest) -> frozenset[str]:
    """Returns the candidates whose vectors were not read; none if the vector leg returned all vectors there are."""
    if nearest.ceiling is None:
        return frozenset()
    candidate_ids = {candidate.chunk.chunk_id for candidate in candidates}
    brought_ids = {neighbour.chunk.chunk_id for neighbour in nearest.neighbours}
    return frozenset(candidate_ids - brought_ids)


def _union(
    neighbours: Sequence[Neighbour],
    matching: Sequence[IndexedChunk],
    recent: Sequence[IndexedChunk],
) -> tuple[Candidate, ...]:
    """Returns each chunk once, in the order of chunk ids, with its rank in each leg."""
    nearest = [neighbour.chunk for neighbour in neighbours]
    vector_ranks = _ranks(nearest)
    keyword_ranks = _ranks(matching)
    recent_ranks = _ranks(recent)
    cosines = {neighbour.chunk.chunk_id: neighbour.cosine for neighbour in neighbours}
    chunks = {chunk.chunk_id: chunk for chunk in (*recent, *matching, *nearest)}
    candidates = []
    for chunk_id in sorted(chunks):
        candidate = Candidate(
            chunk=chunks[chunk_id],
            cosine=cosines.get(chunk_id),
            vector_rank=vector_ranks.get(chunk_id),
            keyword_rank=keyword_ranks.get(chunk_id),
            recent_rank=recent_ranks.get(chunk_id),
        )
        candidates.append(candidate)
    return tuple(candidates)


def _ranks(chunks: Sequence[IndexedChunk]) -> dict[str, int]:
    """Numbers the chunks from 1: chunk id -> rank."""
    ranked_chunks = enumerate(chunks, start=1)
    return {chunk.chunk_id: rank for rank, chunk in ranked_chunks}
