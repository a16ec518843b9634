"""Chunker and embedder -> the index version: what a note's chunks and vectors were made by."""

from __future__ import annotations

from shared.ports.models import Embedder

CHUNKER_VERSION = "md10"
"""Raise it with every change of what `chunking.chunk` returns for some text, or of what a store keeps of it. Only texts
that are cut differently are embedded again.
"""
BY_STRUCTURE = "markdown"
"""Name of the chunker that the product uses, which the version leaves out."""
NO_EMBEDDER = ":none:0"
"""End of an index version without an embedder."""


def index_version(embedder: Embedder | None, chunker: str = BY_STRUCTURE) -> str:
    """Returns `chunker:model:dimension`; without an embedder the model is `none` and the dimension 0.

    chunker: name of the chunker.
    """
    version = CHUNKER_VERSION
    if chunker != BY_STRUCTURE:
        version = f"{version}-{chunker}"
    if embedder is None:
        return f"{version}{NO_EMBEDDER}"
    return f"{version}:{embedder.model}:{embedder.dimension}"
