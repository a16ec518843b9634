"""Pieces of a draft -> checked pieces: markers of offered sources alone, text sanitized, what is said judged. Step 6.

What a model wrote is shown as a `CheckedPiece` or not at all. Labels are counted in the order in which they are read.

A claim is judged with all it cites together, with each passage alone and with all but each, in one call of the judge.
The offline judge decides what is shown; where the policy names another one, that one judges the whole answer once it is
written and its verdicts take the place. Under the strict policy what nothing backs is not shown; where another judge is
to decide that, nothing is shown before it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from shared.answering.markers import Markers, read_markers
from shared.answering.pieces import HEADING, DraftPiece
from shared.answering.refusals import admits_not_knowing, reason_to_refuse
from shared.judging.support import OfflineJudge
from shared.language.lengths import utf16_units
from shared.markdown.sanitize import Sanitizer
from shared.model.answers import (
    CheckedPiece,
    Citation,
    Claim,
    Grounding,
    Judgement,
    Source,
    Statement,
    SupportState,
    Usage,
    Verdict,
)
from shared.model.retrieval import RefusalReason
from shared.ports.models import Judge

_QUOTE_MARKS = re.compile(r"\n[ \t>]*>[ \t]*(?:[-*+][ \t])?")
_OFFLINE = OfflineJudge()


@dataclass(frozen=True, slots=True)
class SupportPolicy:
    """How answers are checked. `strict`: what nothing backs is not shown; else it is only marked."""

    judge: Judge = field(default_factory=OfflineJudge)
    strict: bool = False


@dataclass(slots=True, kw_only=True)
class _Judged:
    """A piece with the verdicts on what it says. Numbers are those under which the writer was offered the sources."""

    piece: DraftPiece
    markers: Markers
    said: str
    """What the piece says: without markers, on one line; empty where it holds no word."""
    numbers: tuple[int, ...]
    """Offered sources that it cites, each once."""
    verdicts: dict[tuple[int, ...], Verdict]
    """By the passages read together."""
    together: tuple[int, ...]
    """The passages that it is judged by: all that it cites, or under a strict policy all offered; empty: by none."""
    states: bool
    """Whether it needs backing: headings, lead-ins, questions, "Yes." and "the notes do not say" do not."""
    start: int = 0
    """UTF-16 units of the answer, like `end`; where it is shown."""
    end: int = 0

    @property
    def is_unsupported(self) -> bool:
        """Whether it was judged, and `together` does not back it."""
        return bool(self.together) and self.verdicts[self.together].support.state is SupportState.UNSUPPORTED


class Checker:
    """Checks one answer. `sources`: what its writer was offered; none: plain chat, nothing is judged. `texts` hold the
    addresses to which it may link. `notice` stands before the first piece. Without `with_citations` no marker is shown.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        texts: Sequence[str],
        *,
        policy: SupportPolicy,
        notice: str = "",
        with_citations: bool = True,
    ) -> None:
        self.text = ""
        """What was shown."""
        self.claims: list[Claim] = []
        """What is stated, in order."""
        self.removed: dict[str, None] = {}
        """Labels that were not offered, in order, normalised (`[n07]` -> `N7`)."""
        self.usage = Usage()
        """What judging has cost."""
        self._sources = {int(source.label[1:]): source for source in sources}
        self._sanitizer = Sanitizer(texts)
        self._policy, self._notice, self._with_citations = policy, notice, with_citations
        self._judges_later = not isinstance(policy.judge, OfflineJudge)
        """Whether the policy's judge has yet to judge."""
        self._labels: dict[int, int] = {}
        """Number -> the one under which it is shown."""
        self._shown: list[_Judged] = []
        self._carried = DraftPiece("", "", "")
        """A piece that was not shown leaves its opening and, within a line, its lead to the next one."""
        self._units = 0

    @property
    def stands(self) -> bool:
        """Whether what is cited supports a claim, if only in part; without sources, whether anything is shown."""
        if not self._sources:
            return bool(self.text)
        return any(each.numbers and not each.is_unsupported for each in self._shown)

    def check(self, drafts: Iterable[DraftPiece]) -> Iterator[CheckedPiece]:
        """Each piece as soon as it is checked."""
        at_once = self._policy.strict and self._judges_later
        self._judges_later = self._judges_later and not at_once
        for batch in [tuple(drafts)] if at_once else ((draft,) for draft in drafts):
            for judged in self._judge(batch, self._policy.judge if at_once else _OFFLINE):
                if shown := self._show(judged):
                    yield shown

    def reason_to_refuse(self) -> RefusalReason | None:
        """Why what was shown cannot stand as the answer; None: it can. Asks the policy's judge unless it has judged."""
        citing = [each for each in self._shown if each.numbers]
        if reason := reason_to_refuse(" ".join([each.said for each in self._shown]), cites=bool(citing)):
            return reason
        if self._judges_later:
            self._judges_later = False
            again = self._judge([each.piece for each in self._shown], self._policy.judge)
            for judged, before in zip(again, self._shown, strict=True):
                judged.start, judged.end = before.start, before.end
            self._shown, self.claims = again, [claim for judged in again if (claim := self._claim(judged))]
        return None if self.stands else RefusalReason.UNSUPPORTED_CLAIMS

    def citations(self) -> tuple[Citation, ...]:
        """One a source, by first use: the support for the claim it backs least, the quote for the one it backs best."""
        found: dict[str, list[Citation]] = {}
        for claim in self.claims:
            for citation in claim.citations:
                found.setdefault(citation.label, []).append(citation)
        ranked = [sorted(each, key=lambda one: -one.support.score if one.support else 0.0) for each in found.values()]
        return tuple([replace(each[0], support=each[-1].support) for each in ranked])

    def grounding(self) -> Grounding | None:
        """As in ALCE (Gao et al. 2023, arXiv 2305.14627), by our judge. None: nothing is stated.

        A citation is precise if its sentence is supported, and by it alone or else not without it.
        """
        precise, recalled = list[bool](), list[bool]()
        for judged in self._shown:
            if judged.states:
                backed = {
                    group
                    for group, verdict in judged.verdicts.items()
                    if verdict.support.state is SupportState.SUPPORTED
                }
                recalled.append(judged.numbers in backed)
                for number in judged.numbers:
                    rest = tuple([other for other in judged.numbers if other != number])
                    precise.append(judged.numbers in backed and ((number,) in backed or rest not in backed))
        return Grounding(precision=fmean(precise) if precise else 0.0, recall=fmean(recalled)) if recalled else None

    def _judge(self, pieces: Sequence[DraftPiece], judge: Judge) -> list[_Judged]:
        found: list[_Judged] = []
        asked: dict[tuple[str, tuple[int, ...]], list[_Judged]] = {}
        for piece in pieces:
            markers = read_markers(piece.text)
            said = " ".join(_QUOTE_MARKS.sub("\n", markers.written({})).split())
            said = said if any(map(str.isalnum, said)) else ""
            named = markers.numbers(self._sources)
            self.removed |= {f"N{number}": None for number in named if number not in self._sources}
            numbers = tuple([number for number in named if said and number in self._sources])
            is_lead = len(said.split()) < 3 or said.endswith((":", "?")) or HEADING.match(piece.text)
            states = bool(numbers) or not (is_lead or admits_not_knowing(said))
            together = numbers or (tuple(self._sources) if self._policy.strict and said else ())
            judged = _Judged(
                piece=piece, markers=markers, said=said, numbers=numbers, verdicts={}, together=together, states=states
            )
            found.append(judged)
            groups = [together]
            for number in numbers:  # each alone, and all but each
                groups += [(number,), tuple([other for other in numbers if other != number])]
            for group in filter(None, dict.fromkeys(groups)):
                asked.setdefault((said, group), []).append(judged)
        statements = [
            Statement(said, tuple([self._sources[number].passage.chunk for number in group])) for said, group in asked
        ]
        judgement = judge.judge(tuple(statements)) if statements else Judgement(())
        self.usage += judgement.usage
        for ((_, group), of), verdict in zip(asked.items(), judgement.verdicts, strict=True):
            for judged in of:
                judged.verdicts[group] = verdict
        return found

    def _show(self, judged: _Judged) -> CheckedPiece | None:
        """None: nothing is left of it, or nothing backs it and the policy is strict."""
        piece, carried, new = judged.piece, self._carried, list[int]()
        if "\n" in f"{piece.opening}{piece.lead}":
            opening, lead = piece.opening or carried.opening, piece.lead
        else:
            opening, lead = carried.opening or piece.opening, carried.lead or piece.lead
        text = ""
        if not (self._policy.strict and judged.states and judged.is_unsupported):
            new = [number for number in judged.numbers if number not in self._labels]
            self._labels |= {number: len(self._labels) + at for at, number in enumerate(new, start=1)}
            labels = self._labels if self._with_citations and judged.said else {}
            text = judged.markers.written(labels)
        if not text.strip():
            self._carried = DraftPiece(opening, lead, "")
            return None
        self._carried = DraftPiece("", "", "")
        before = read_markers(f"{opening}{lead}").written(labels)
        if not self.text:
            before = before.lstrip()
            is_block = before or text.startswith(("`", "~", "|", ">", "#"))
            ends_line = not self._notice or self._notice.endswith("\n")
            before = f"{self._notice}\n\n{before}" if is_block and not ends_line else f"{self._notice}{before}"
        before, text = self._sanitizer.feed(before), self._sanitizer.feed(text)
        self.text += before + text
        judged.start = self._units + utf16_units(before)
        judged.end = self._units = judged.start + utf16_units(text)
        self._shown.append(judged)
        claim = self._claim(judged)
        if claim is None:
            return CheckedPiece(f"{before}{text}")
        self.claims.append(claim)
        cited = [each for number, each in zip(judged.numbers, claim.citations, strict=True) if number in new]
        return CheckedPiece(f"{before}{text}", claim, tuple(cited))

    def _claim(self, judged: _Judged) -> Claim | None:
        """None: it states nothing, or no citation is wanted."""
        if not (self._with_citations and self._sources and judged.states):
            return None
        citations: list[Citation] = []
        for number in judged.numbers:
            verdict, passage = judged.verdicts[number,], self._sources[number].passage
            start, end = verdict.spans[0]
            citations.append(
                Citation(
                    label=f"N{self._labels[number]}",
                    passage=passage,
                    quote_start=passage.chunk.start + start,
                    quote_end=passage.chunk.start + end,
                    quote=passage.chunk.text[start:end],
                    support=verdict.support,
                )
            )
        support = judged.verdicts[judged.numbers].support if judged.numbers else None
        return Claim(start=judged.start, end=judged.end, support=support, citations=tuple(citations))
