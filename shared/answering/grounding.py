"""A draft whose markers hold -> its citations with their quotes and support, and how well the whole is grounded.

The end of step 6. Every sentence that cites is judged with all it cites together and with each passage alone, all of an
answer in one call of the judge.

A citation's support is that of its passage alone for the sentence that it backs least: one sentence that leans on a
passage which does not hold it is what a reader must be warned of. Its quote is the passage's sentence that carries the
most of the sentence that it backs best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from shared.answering.claims import Claim
from shared.answering.refusals import admits_not_knowing
from shared.domain import Citation, Grounding, Source, Statement, SupportState, Verdict
from shared.ports import Judge


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence of the answer with what was found. `alone`: label -> verdict on that passage by itself."""

    claim: Claim
    together: Verdict | None
    """None: it cites nothing."""
    alone: Mapping[str, Verdict]
    rest: Mapping[str, Verdict]
    """Label -> verdict without that passage; of sentences that cite at least two."""

    @property
    def supported(self) -> bool:
        return self.together is not None and self.together.support.state is SupportState.SUPPORTED

    @property
    def unsupported(self) -> bool:
        """Judged, and nothing that it cites backs it."""
        return self.together is not None and self.together.support.state is SupportState.UNSUPPORTED

    def matters(self, label: str) -> bool:
        """Whether the citation is precise: its sentence is supported, and by it alone or not without it."""
        if not self.supported:
            return False
        alone, rest = self.alone[label], self.rest.get(label)
        return alone.support.state is SupportState.SUPPORTED or rest is None or (
            rest.support.state is not SupportState.SUPPORTED
        )  # fmt: skip


def judge_claims(claims: Sequence[Claim], sources: Sequence[Source], judge: Judge) -> tuple[Judged, ...]:
    """One a claim, in order. `sources`: those that the labels of the claims name."""
    passages = {source.label: source.passage.chunk for source in sources}
    asked = list(dict.fromkeys((claim.text, labels) for claim in claims for labels in _groups(claim.labels)))
    statements = [Statement(text, tuple(passages[label] for label in labels)) for text, labels in asked]
    verdicts = dict(zip(asked, judge.judge(statements) if statements else (), strict=True))

    def judged(claim: Claim) -> Judged:
        labels = claim.labels
        alone = {label: verdicts[claim.text, (label,)] for label in labels}
        rest = {label: verdicts[claim.text, _without(labels, label)] for label in labels if len(labels) > 1}
        return Judged(claim, verdicts[claim.text, labels] if labels else None, alone, rest)

    return tuple(map(judged, claims))


def cite(judged: Sequence[Judged], sources: Sequence[Source]) -> tuple[Citation, ...]:
    """One citation a source, in order. Each source is cited by a claim, or its quote is the whole passage."""
    return tuple(_citation(source, [each.alone[source.label] for each in judged if source.label in each.alone]) for source in sources)


def grounding_of(judged: Sequence[Judged]) -> Grounding | None:
    """As in ALCE (Gao et al. 2023, arXiv 2305.14627), by our judge. None: no sentence states anything.

    Sentences that say what the notes do not hold, and headings, state nothing.
    """
    factual = [each for each in judged if each.claim.labels or states_something(each.claim)]
    if not factual:
        return None
    matters = [each.matters(label) for each in factual for label in each.claim.labels]
    return Grounding(precision=fmean(matters) if matters else 0.0, recall=fmean(each.supported for each in factual))


def states_something(claim: Claim) -> bool:
    """Whether an uncited sentence owes a citation."""
    return len(claim.text.split()) > 2 and not claim.text.endswith((":", "?")) and not claim.heading and not admits_not_knowing(claim.text)


def _citation(source: Source, verdicts: Sequence[Verdict]) -> Citation:
    chunk = source.passage.chunk
    if not verdicts:
        return Citation(source.label, source.passage, chunk.start, chunk.end, chunk.text)
    best = max(verdicts, key=lambda verdict: verdict.support.score)
    worst = min(verdicts, key=lambda verdict: verdict.support.score)
    start, end = best.spans[0]
    return Citation(
        source.label, source.passage, chunk.start + start, chunk.start + end, chunk.text[start:end], worst.support
    )


def _groups(labels: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What a sentence cites: all, each alone, and all but each."""
    if labels:
        yield labels
        for label in labels:
            yield (label,)
            if len(labels) > 2:
                yield _without(labels, label)


def _without(labels: tuple[str, ...], label: str) -> tuple[str, ...]:
    return tuple(other for other in labels if other != label)
