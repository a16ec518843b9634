"""Templates and a question's vector -> the most similar templates, or the chain of thought."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration
from shared.model.templates import StoredTemplate, Template, TemplateMatch
from shared.retrieval.calibration import UNRELATED, calibrated

LEAST_SIMILARITY = 0.65
"""Below it a template has little to do with the question."""
FULL = 2 / 3
"""Of the way from unrelated texts to equal ones, what counts as equal: a question is never as near to instructions as
to a note. Chosen on half of 194 plain questions to three sets of notes, of which 0.03 get a template so, on the other
half 0.06; of 27 that ask for one 9 get theirs and 2 another. With 1 it would be 1 and 1.
"""
FALLBACK_SCORE = 0.5
"""That of unrelated texts: the chain of thought suits everything a little."""

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


def rank(
    stored: Sequence[StoredTemplate], query: Vector, *, top_k: int, calibration: CosineCalibration
) -> tuple[TemplateMatch, ...]:
    """At most `top_k`, best first; none if none is near. Scores are in [LEAST_SIMILARITY, 1]."""
    cosines = [(sum(map(mul, query, each.vector)), each.template) for each in stored if each.vector is not None]
    cosines.sort(key=lambda pair: (-pair[0], pair[1].template_id))
    best = ((template, _similarity(cosine, calibration)) for cosine, template in cosines[:top_k])
    return tuple(TemplateMatch(template, score) for template, score in best if score >= LEAST_SIMILARITY)


def fallback(stored: Sequence[StoredTemplate]) -> TemplateMatch:
    """The tenant's chain of thought, or the one that is built in."""
    own = (each.template for each in stored if each.template.template_id == CHAIN_OF_THOUGHT.template_id)
    return TemplateMatch(next(own, CHAIN_OF_THOUGHT), FALLBACK_SCORE)


def _similarity(cosine: float, calibration: CosineCalibration) -> float:
    """In [0, 1], that of unrelated texts FALLBACK_SCORE."""
    return min(1.0, max(0.0, FALLBACK_SCORE + (calibrated(cosine, calibration) - UNRELATED) / FULL))
