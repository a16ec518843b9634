"""How far the index follows a tenant's notes."""

from __future__ import annotations

from typing_extensions import TypedDict

from shared.model.index import Coverage


class CoverageJson(TypedDict):
    """Numbers of a tenant's notes by state. `indexed`: as they are now; `stale`: indexed, and changed since, counted among
    the notes changed last (500 on one machine, 20 on Firestore). `outdated`: of another version than `indexVersion`,
    still to be embedded again; questions are answered by the vectors of `searchedVersion`.
    """

    notes: int
    indexed: int
    pendingEmbeddings: int
    failed: int
    missing: int
    stale: int
    outdated: int
    indexVersion: str
    searchedVersion: str


def coverage_json(coverage: Coverage) -> CoverageJson:
    """Returns the numbers of a tenant's notes by state."""
    return {
        "notes": coverage.notes,
        "indexed": coverage.indexed,
        "pendingEmbeddings": coverage.pending_embeddings,
        "failed": coverage.failed,
        "missing": coverage.missing,
        "stale": coverage.stale,
        "outdated": coverage.outdated,
        "indexVersion": coverage.index_version,
        "searchedVersion": coverage.searched_version,
    }
