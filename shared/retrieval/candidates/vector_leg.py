"""The vector leg: the nearest chunks, looked for in each part of what is searched at the same time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

from shared.errors import BrokenPromise, ModelRefused, ModelUnavailable
from shared.model.index import IndexedChunk, Vector
from shared.model.retrieval import Neighbour, Restriction
from shared.ports.models import Embedder

logger = logging.getLogger(__name__)

LEAST_LEG = 10
"""Chunks brought from a part at least, however many parts share what a search may read."""

Embed: TypeAlias = "Callable[[], Vector | None]"
Look: TypeAlias = "Callable[[Vector, Restriction, int], tuple[Neighbour, ...] | None]"
"""Query, restriction, limit -> the nearest that it allows, best first; None: the search failed."""


def query_vector(text: str, embedder: Embedder | None) -> Vector | None:
    """None without an embedder and when it is away, refuses or lies: keywords and recency still find notes."""
    if embedder is None:
        return None
    try:
        return embedder.embed_query(text)
    except (ModelUnavailable, ModelRefused) as error:
        logger.warning("searching without the question's embedding: %s", error.message)
    except BrokenPromise as error:
        logger.error("searching without the question's embedding: %s", error.message)  # noqa: TRY400 - no bug of ours
    return None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what is searched in which the leg looks on its own, and the vaults that it belongs to."""

    restriction: Restriction
    vaults: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Near:
    """What all parts brought together."""

    query: Vector | None
    neighbours: tuple[Neighbour, ...]
    """Each chunk once, best first."""
    ceiling: float | None
    """The greatest cosine that a vector which was not brought can have; None: there are no more."""
    silent_vaults: frozenset[str]
    """Vaults of the parts whose search failed."""

    def of_answering_vaults(self, chunks: Iterable[IndexedChunk]) -> tuple[IndexedChunk, ...]:
        """Those that lie in no silent vault."""
        return tuple(chunk for chunk in chunks if chunk.vault not in self.silent_vaults)


@dataclass(frozen=True, slots=True)
class _Found:
    """What one part brought. `query` None: the question has no vector."""

    query: Vector | None
    neighbours: tuple[Neighbour, ...] = ()
    ceiling: float | None = None
    failed: bool = False


class VectorLeg:
    """Looks in `parts` for about `size` chunks in all."""

    def __init__(self, parts: Sequence[Part], size: int) -> None:
        self._parts = parts
        self._wanted = min(size, max(LEAST_LEG, size // len(parts)))

    def start(self, embed: Embed, look: Look, executor: Executor) -> list[Future[_Found]]:
        """`embed` is called once, by the first part whose turn it is."""
        once = _Once(embed)
        return [executor.submit(self._look, part, once, look) for part in self._parts]

    def end(self, searches: Sequence[Future[_Found]]) -> Near:
        """Where no vault is left all of whose parts answered, nothing is near as far as anybody knows: any vector that
        is read may be the nearest.
        """
        found = [search.result() for search in searches]
        silent = {vault for part, one in zip(self._parts, found, strict=True) if one.failed for vault in part.vaults}
        if any(one.failed for one in found) and all(part.vaults <= silent for part in self._parts):
            return Near(query=found[0].query, neighbours=(), ceiling=1.0, silent_vaults=frozenset())
        neighbours = _best_first(each for one in found for each in one.neighbours if each.chunk.vault not in silent)
        ceiling = max((one.ceiling for one in found if one.ceiling is not None), default=None)
        return Near(query=found[0].query, neighbours=neighbours, ceiling=ceiling, silent_vaults=frozenset(silent))

    def _look(self, part: Part, embed: Embed, look: Look) -> _Found:
        query = embed()
        if query is None:
            return _Found(None)
        neighbours = look(query, part.restriction, self._wanted)
        if neighbours is None:
            return _Found(query, failed=True)
        full = len(neighbours) >= self._wanted
        return _Found(query, neighbours, neighbours[-1].cosine if full else None)


class _Once:
    """A call that is made by whoever comes first; the others wait for it, and it is already running."""

    def __init__(self, call: Embed) -> None:
        self._call = call
        self._lock = Lock()
        self._made: list[Vector | None] = []

    def __call__(self) -> Vector | None:
        with self._lock:
            if not self._made:
                self._made.append(self._call())
            return self._made[0]


def _best_first(neighbours: Iterable[Neighbour]) -> tuple[Neighbour, ...]:
    """Each once, though parts may overlap; equals by chunk id."""
    each = {neighbour.chunk.chunk_id: neighbour for neighbour in neighbours}
    return tuple(sorted(each.values(), key=lambda neighbour: (-neighbour.cosine, neighbour.chunk.chunk_id)))
