"""A template -> its embedded text and vector; templates and a question's vector -> the best, or the fallback."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from operator import mul
from statistics import fmean, pstdev

from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration
from shared.model.templates import StoredTemplate, Template, TemplateMatch
from shared.ports.models import Embedder, embed

CONTENT_READ = 1000
"""Characters of the steps that are embedded."""
STANDS_OUT = 1.8
"""How many standard deviations above the mean of all templates the cosine of one lies that is found: the highest bar in
steps of 0.05 at which the shipped templates' own keywords, as questions, find theirs in 0.8 of 94 cases. It was not
chosen on questions: of 27 that ask for a template 20 get theirs and 1 another, of 130 plain ones to a stranger's
handbook 0.35 get one in place of the chain of thought (with 1.7 22, 1 and 0.46; with 1.9 19, 1 and 0.29)."""
MIN_LIBRARY = 5
"""Templates from which on one can stand out so far. Of fewer those count that pass MIN_SIMILARITY."""
MIN_SIMILARITY = 0.65
"""Below it a template has little to do with the question."""
FALLBACK_SCORE = 0.5
"""Similarity of unrelated texts: the chain of thought suits everything a little."""

FALLBACKS = ("chain-of-thought", "bot-chain-of-thought")
"""Ids, the first that there is."""
CHAIN_OF_THOUGHT = Template(
    template_id="chain-of-thought",
    name="Chain of thought",
    content="""\
1. **What is asked**: say in one sentence what the question wants to know.
2. **What the notes say**: list the facts that bear on it, in the order in which they build on each other.
3. **What follows**: go from fact to fact, one step a line, and say where two notes disagree.
4. **Answer**: give the conclusion in one or two sentences.
5. **What stays open**: name what would be needed to be sure; leave this out when nothing is missing.""",
    complexity="simple",
    methodology="step-by-step",
    keywords=("think", "reason", "step by step", "explain", "work out", "why"),
    description="Think a question through step by step, from the facts in the notes to the conclusion.",
)
"""Built in, so that there is always one; a tenant's own of this id takes its place."""


def embedded_text(template: Template) -> str:
    """Name, description, keywords, methodology and the beginning of the steps."""
    named = (template.name, template.description, ", ".join(template.keywords), template.methodology)
    return "\n".join(filter(None, (*named, template.content[:CONTENT_READ])))


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

    Raises ModelUnavailable, ModelRefused and PortContractError; what was given before that is good.
    """
    for start in range(0, len(templates), embedder.batch_size):
        batch = templates[start : start + embedder.batch_size]
        vectors = embed([embedded_text(each) for each in batch], embedder)
        for template, vector in zip(batch, vectors, strict=True):
            yield StoredTemplate(template, vector, vector_key(template, embedder))


def rank(
    stored: Sequence[StoredTemplate],
    query: Vector,
    *,
    top_k: int,
    calibration: CosineCalibration,
    threshold: float | None = None,
) -> tuple[TemplateMatch, ...]:
    """At most `top_k`, best first; none if none stands out from the rest. Scores are similarities in [0, 1].

    `threshold`: least similarity, in place of that rule.
    """
    cosines = [(sum(map(mul, query, each.vector)), each.template) for each in stored if each.vector is not None]
    cosines.sort(key=lambda pair: (-pair[0], pair[1].template_id))
    best = [TemplateMatch(template, calibration.similarity(cosine)) for cosine, template in cosines[:top_k]]
    if threshold is None and len(cosines) >= MIN_LIBRARY:
        values = [cosine for cosine, _ in cosines]
        bar = fmean(values) + STANDS_OUT * pstdev(values)
        return tuple(match for match, cosine in zip(best, values, strict=False) if cosine >= bar > values[-1])
    least = MIN_SIMILARITY if threshold is None else threshold
    return tuple(match for match in best if match.score is not None and match.score >= least)


def fallback(stored: Sequence[StoredTemplate]) -> TemplateMatch:
    """The tenant's or the folders' chain of thought, under either of its ids, or the one that is built in."""
    own = {each.template.template_id: each.template for each in stored}
    found = next((own[name] for name in FALLBACKS if name in own), CHAIN_OF_THOUGHT)
    return TemplateMatch(found, FALLBACK_SCORE)
