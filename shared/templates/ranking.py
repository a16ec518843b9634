"""Templates and a question's vector -> the most similar templates, or the chain of thought."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from shared.model.index import Vector
from shared.model.retrieval import Scale
from shared.model.templates import StoredTemplate, Template, TemplateMatch
from shared.retrieval.scoring.scale import calibrated

LEAST_SIMILARITY = 0.65
"""Calibrated; below it a template has little to do with the question."""
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


def rank(stored: Sequence[StoredTemplate], query: Vector, *, top_k: int, scale: Scale) -> tuple[TemplateMatch, ...]:
    """At most `top_k`, best first; none if none is near. Scores are calibrated, in [LEAST_SIMILARITY, 1]."""
    scored = [
        (calibrated(sum(map(mul, query, each.vector)), scale), each.template)
        for each in stored
        if each.vector is not None
    ]
    near = [pair for pair in scored if pair[0] >= LEAST_SIMILARITY]
    near.sort(key=lambda pair: (-pair[0], pair[1].template_id))
    return tuple(TemplateMatch(template, score) for score, template in near[:top_k])


def fallback(stored: Sequence[StoredTemplate]) -> TemplateMatch:
    """The tenant's chain of thought, or the one that is built in."""
    own = (each.template for each in stored if each.template.template_id == CHAIN_OF_THOUGHT.template_id)
    return TemplateMatch(next(own, CHAIN_OF_THOUGHT), FALLBACK_SCORE)
