"""A checked draft and its sources -> citations with their quotes and support, how well the whole is grounded, and under
the strict policy the text without what nothing backs: the end of step 6.

Every sentence that cites is judged with all it cites together and with each passage alone, all in one call of the
judge.

A citation's support is that of its passage alone for the sentence that it backs least: one sentence that leans on a
passage which does not hold it is what a reader must be warned of. Its quote is the passage's sentence that carries most
of the sentence that it backs best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from shared.answering.citing.citations import Cited, check_citations
from shared.answering.citing.claims import Claim, find_claims
from shared.answering.citing.removal import without
from shared.answering.refusals import admits_not_knowing
from shared.judging.support import OfflineJudge
from shared.model.answers import (
    Citation,
    Grounding,
    Judgement,
    Source,
    Statement,
    Support,
    SupportState,
    Usage,
    Verdict,
)
from shared.ports.models import Judge


@dataclass(frozen=True, slots=True)
class Scrutiny:
    """How answers are checked. `strict`: what nothing backs is removed, not only marked."""

    judge: Judge = field(default_factory=OfflineJudge)
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text whose citations were judged."""

    text: str
    citations: tuple[Citation, ...]
    grounding: Grounding | None
    usage: Usage
    removed: int = 0
    """Sentences that the strict policy took away."""
    stands: bool = True
    """Whether what it cites supports a sentence of it, if only in part."""


def ground(cited: Cited, scrutiny: Scrutiny) -> Grounded:
    """What `cited` says is judged, and under the strict policy cut down to what is backed, renumbered by first use."""
    claims = find_claims(cited.text)
    judged, usage = _judged(claims, cited.used, scrutiny)
    kept = [each for each in judged if not (scrutiny.strict and each.unsupported)]
    gone = [each for each in judged if scrutiny.strict and each.unsupported]
    if gone:
        text = without(cited.text, [(each.claim.start, each.claim.end) for each in gone])
        cited = check_citations(text, cited.used)
    return Grounded(
        text=cited.text,
        citations=tuple(_cite(kept, cited.used)),
        grounding=_grounding(kept),
        usage=usage,
        removed=len(gone),
        stands=any(each.alone and not each.unsupported for each in kept),
    )


def first_citation(text: str, source: Source) -> Citation:
    """A source as the text that has just been written cites it, not yet judged: the quote alone."""
    claims = [claim for claim in find_claims(text) if source.label in claim.labels]
    judged, _ = _judged(claims, (source,), Scrutiny())
    return replace(next(_cite(judged, (source,))), support=None)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A sentence of the answer with what was found. Chunk ids name the passages: labels are counted anew later."""

    claim: Claim
    together: Verdict
    """By all it cites; of a sentence without citations, by all that the answer cites."""
    alone: Mapping[str, Verdict]
    """Chunk id -> by that passage alone. Empty: it cites nothing."""
    rest: Mapping[str, Verdict]
    """Chunk id -> by the others that it cites, where there are any."""

    @property
    def supported(self) -> bool:
        return bool(self.alone) and _holds(self.together)

    @property
    def unsupported(self) -> bool:
        """Whether it states something that nothing backs."""
        lost = self.together.support.state is SupportState.UNSUPPORTED
        return lost and (bool(self.alone) or _owes_citation(self.claim))

    def matters(self, chunk_id: str) -> bool:
        """Whether a citation is precise: its sentence is supported, by it alone or else not without it."""
        alone, rest = self.alone[chunk_id], self.rest.get(chunk_id)
        return self.supported and (_holds(alone) or rest is None or not _holds(rest))


def _judged(
    claims: Sequence[Claim], sources: Sequence[Source], scrutiny: Scrutiny
) -> tuple[tuple[_Judged, ...], Usage]:
    passages = {source.label: source.passage.chunk for source in sources}
    everything = tuple(passages)
    asked = dict.fromkeys(
        (claim.text, group)
        for claim in claims
        for group in _groups(tuple(label for label in claim.labels if label in passages))
    )
    if scrutiny.strict:
        asked |= dict.fromkeys((claim.text, everything) for claim in claims if not claim.labels and everything)
    statements = [Statement(text, tuple(passages[label] for label in group)) for text, group in asked]
    judgement = scrutiny.judge.judge(statements) if statements else Judgement(())
    verdicts = dict(zip(asked, judgement.verdicts, strict=True))

    def judged(claim: Claim) -> _Judged:
        labels = tuple(label for label in claim.labels if label in passages)
        ids = {label: passages[label].chunk_id for label in labels}
        return _Judged(
            claim=claim,
            together=verdicts.get((claim.text, labels or everything), _UNJUDGED),
            alone={ids[label]: verdicts[claim.text, (label,)] for label in labels},
            rest={ids[label]: verdicts[claim.text, _others(labels, label)] for label in labels if len(labels) > 1},
        )

    return tuple(map(judged, claims)), judgement.usage


def _groups(labels: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What a sentence cites: all, each alone, and all but each."""
    if labels:
        yield labels
        for label in labels:
            yield (label,)
            if len(labels) > 1:
                yield _others(labels, label)


def _others(labels: tuple[str, ...], label: str) -> tuple[str, ...]:
    return tuple(other for other in labels if other != label)


def _holds(verdict: Verdict) -> bool:
    return verdict.support.state is SupportState.SUPPORTED


def _cite(judged: Sequence[_Judged], sources: Sequence[Source]) -> Iterator[Citation]:
    """One citation a source, in order; the quote of one that no sentence cites is the whole passage."""
    for source in sources:
        chunk = source.passage.chunk
        verdicts = [each.alone[chunk.chunk_id] for each in judged if chunk.chunk_id in each.alone]
        verdicts.sort(key=lambda verdict: -verdict.support.score)
        start, end = verdicts[0].spans[0] if verdicts else (0, len(chunk.text))
        yield Citation(
            label=source.label,
            passage=source.passage,
            quote_start=chunk.start + start,
            quote_end=chunk.start + end,
            quote=chunk.text[start:end],
            support=verdicts[-1].support if verdicts else None,
        )


def _grounding(judged: Sequence[_Judged]) -> Grounding | None:
    """As in ALCE (Gao et al. 2023, arXiv 2305.14627), by our judge. None: no sentence states anything."""
    factual = [each for each in judged if each.alone or _owes_citation(each.claim)]
    if not factual:
        return None
    matters = [each.matters(chunk_id) for each in factual for chunk_id in each.alone]
    return Grounding(precision=fmean(matters) if matters else 0.0, recall=fmean(each.supported for each in factual))


def _owes_citation(claim: Claim) -> bool:
    """Whether a sentence without citation states something: headings, lead-ins, questions, "Yes." and what says that
    the notes hold no answer do not.
    """
    opens = claim.heading or claim.text.endswith((":", "?"))
    return len(claim.text.split()) > 2 and not opens and not admits_not_knowing(claim.text)


_UNJUDGED = Verdict(Support(SupportState.PARTIAL, 0.5), ())
