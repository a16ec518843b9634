"""Pools of every shape, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

from shared.model.retrieval import Candidate
from tests.retrieval.samples import candidate

Drawn = tuple[list[Candidate], set[str], float]
"""Candidates as they truly are, ids of those the vector leg did not bring, and the leg's last cosine."""
coarse = st.integers(-4, 10).map(lambda tenth: tenth / 10)
"""Few values, so that ties are common."""


@st.composite
def pools(draw: st.DrawFn) -> Drawn:
    ceiling = draw(coarse)
    candidates = []
    unread = set()
    for number in range(draw(st.integers(1, 24))):
        brought = draw(st.booleans())
        cosine = draw(
            coarse.filter(lambda value: value >= ceiling)
            if brought
            else st.one_of(st.none(), coarse)
        )
        if not brought and cosine is not None:
            cosine = min(cosine, ceiling)
        terms = {"api": draw(st.integers(0, 3)), "rest": 3}
        rank = draw(st.integers(1, 30)) if brought else None
        new_candidate = candidate(
            f"n{number:02d}",
            cosine,
            terms=terms,
            age=draw(st.sampled_from([0, 10, 100, 200, 300])),
            vector_rank=rank,
        )
        candidates.append(new_candidate)
        if not brought:
            unread.add(new_candidate.chunk.chunk_id)
    return candidates, unread, ceiling
