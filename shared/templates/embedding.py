"""A template -> the text that is embedded for it, the key of that text, and the vector."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from shared.indexing.vectors import embed
from shared.model.templates import StoredTemplate, Template
from shared.ports.models import Embedder

CONTENT_READ = 1000
"""Characters of the steps that are embedded."""


def embedded_text(template: Template) -> str:
    """Name, description, keywords, methodology and the beginning of the steps."""
    parts = (
        template.name,
        template.description,
        ", ".join(template.keywords),
        template.methodology,
        template.content[:CONTENT_READ],
    )
    return "\n".join(part for part in parts if part)


def vector_key(template: Template, embedder: Embedder) -> str:
    """Equal where the vector would be: the same text in the same vector space."""
    digest = hashlib.sha256(embedded_text(template).encode()).hexdigest()[:32]
    return f"{embedder.model}:{embedder.dimension}:{digest}"


def is_current(stored: StoredTemplate, embedder: Embedder) -> bool:
    """Whether it has the vector of what it says now."""
    right = stored.vector is not None and len(stored.vector) == embedder.dimension
    return right and stored.vector_key == vector_key(stored.template, embedder)


def with_vectors(templates: Sequence[Template], embedder: Embedder) -> Iterator[StoredTemplate]:
    """Each with its vector, in order, embedded batch by batch.

    Raises ModelUnavailable, ModelRefused and BrokenPromise; what was given before that is good.
    """
    for start in range(0, len(templates), embedder.batch_size):
        batch = templates[start : start + embedder.batch_size]
        vectors = embed([embedded_text(each) for each in batch], embedder)
        for template, vector in zip(batch, vectors, strict=True):
            yield StoredTemplate(template, vector, vector_key(template, embedder))
