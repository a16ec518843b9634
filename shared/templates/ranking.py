"""A template -> its embedded text and vector; templates and a question's vector -> the nearest, the
one that is chosen, or the fallback.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from statistics import fmean, pstdev

from shared.model.index import Vector, dot_product
from shared.model.retrieval import UNRELATED, CosineCalibration
from shared.model.templates import StoredTemplate, Template, TemplateMatch
from shared.ports.models import Embedder

CONTENT_READ = 1000
"""Characters of the steps that are embedded."""
STANDS_OUT = 1.8
"""Standard deviations above the mean of the library at which `choose` takes the nearest template:
the highest bar in steps of 0.05 at which the shipped templates' own keywords, as questions, find
theirs in 0.8 of 104 cases. It was not chosen on questions: of 30 that ask for a template 22 get
theirs and 2 another, of 130 plain ones to a stranger's handbook 0.19 get one in place of the chain
of thought. Without the floor of UNRELATED it were 23, 2 and 0.38."""
MIN_LIBRARY = 5
"""Least number of dissimilar templates among which one can stand out. With fewer, `choose` takes one above
MIN_SIMILARITY.
"""
MIN_SIMILARITY = 0.65
"""Below it a template has little to do with the question."""
TWIN = 0.85
"""Similarity of two templates from which on neither hides the other: the most alike of the shipped
ones have 0.76, one with a fifth of its text changed about 0.95."""
FALLBACK_SCORE = UNRELATED
"""The chain of thought suits everything a little."""

FALLBACKS = ("chain-of-thought", "bot-chain-of-thought")
"""Ids of the chain of thought, in the order in which they are looked for."""
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
    """Returns name, description, keywords, methodology and the beginning of the steps, those that
    are not empty.
    """
    keywords = ", ".join(template.keywords)
    beginning = template.content[:CONTENT_READ]
    parts = (
        template.name,
        template.description,
        keywords,
        template.methodology,
        beginning,
    )
    return "\n".join(filter(None, parts))


def vector_key(template: Template, embedder: Embedder) -> str:
    """Returns a key that is equal where the vector would be: the same text in the same vector
    space.
    """
    text = embedded_text(template)
    digest = hashlib.sha256(text.encode()).hexdigest()
    text_hash = digest[:32]
    return f"{embedder.model}:{embedder.dimension}:{text_hash}"


def has_current_vector(stored: StoredTemplate, embedder: Embedder) -> bool:
    """Reports whether the vector is one of the template's text in the embedder's vector space."""
    if stored.vector is None or len(stored.vector) != embedder.dimension:
        return False
    return stored.vector_key == vector_key(stored.template, embedder)


def with_vectors(templates: Sequence[Template], embedder: Embedder) -> Iterator[StoredTemplate]:
    """Yields each template with its vector, in order, embedded batch by batch.

    Raises ModelUnavailable, ModelRefused and PortContractError; templates yielded before that are
    good.
    """
    size = embedder.batch_size
    for start in range(0, len(templates), size):
        end = start + size
        batch = templates[start:end]
        texts = [embedded_text(template) for template in batch]
        vectors = embedder.embed_documents(texts)

        for template, vector in zip(batch, vectors, strict=True):
            key = vector_key(template, embedder)
            yield StoredTemplate(template, vector, key)


def nearest(
    stored: Sequence[StoredTemplate],
    query: Vector,
    *,
    top_k: int,
    calibration: CosineCalibration,
    threshold: float | None = None,
) -> tuple[TemplateMatch, ...]:
    """Returns at most `top_k` templates, best first; scores are similarities in [0, 1].

    threshold: least similarity; if None, that of unrelated texts.
    """
    matches = []
    for candidate in stored:
        if candidate.vector is None:
            continue
        cosine = dot_product(query, candidate.vector)
        similarity = calibration.similarity(cosine)
        if threshold is None:
            is_near = similarity > UNRELATED
        else:
            is_near = similarity >= threshold
        if is_near:
            matches.append(TemplateMatch(candidate.template, similarity))

    matches.sort(key=lambda match: (-(match.score or 0.0), match.template.template_id))
    best = matches[:top_k]
    return tuple(best)


def choose(
    stored: Sequence[StoredTemplate],
    query: Vector,
    *,
    calibration: CosineCalibration,
    threshold: float | None = None,
) -> TemplateMatch | None:
    """Returns the nearest template if it stands out from dissimilar ones, otherwise None.

    threshold: least similarity; if given, it alone decides.
    """
    matches = nearest(
        stored,
        query,
        top_k=1,
        calibration=calibration,
        threshold=threshold,
    )
    if not matches:
        return None
    (best,) = matches
    if threshold is not None:
        return best

    vectors: dict[str, Vector] = {}
    for candidate in stored:
        if candidate.vector is not None:
            vectors[candidate.template.template_id] = candidate.vector
    best_vector = vectors.pop(best.template.template_id)

    cosines = [dot_product(query, best_vector)]
    for vector in vectors.values():
        cosine_to_best = dot_product(vector, best_vector)
        likeness = calibration.similarity(cosine_to_best)
        if likeness < TWIN:
            cosine = dot_product(query, vector)
            cosines.append(cosine)

    if len(cosines) < MIN_LIBRARY:
        is_clear = best.score is not None and best.score >= MIN_SIMILARITY
    else:
        bar = fmean(cosines) + STANDS_OUT * pstdev(cosines)
        is_clear = cosines[0] >= bar > min(cosines)  # where all are alike none stands out
    if is_clear:
        return best
    return None


def fallback(
    shipped: Sequence[StoredTemplate],
    own: Sequence[StoredTemplate] = (),
) -> TemplateMatch:
    """Returns the chain of thought, under either of its ids: the tenant's own, else the folders',
    else the built-in one.
    """
    for library in (own, shipped):
        templates = {candidate.template.template_id: candidate.template for candidate in library}
        for template_id in FALLBACKS:
            template = templates.get(template_id)
            if template is not None:
                return TemplateMatch(template, FALLBACK_SCORE)

    return TemplateMatch(CHAIN_OF_THOUGHT, FALLBACK_SCORE)
