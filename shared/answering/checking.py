"""Pieces of a draft -> checked pieces: markers of offered sources alone, text sanitized, what is said judged. Step 6.

What a model wrote is shown as a `CheckedPiece` or not at all. Labels are counted in the order in which they are read.

A claim is judged with all it cites together, with each passage alone and with all but each, in one call of the judge.
The offline judge decides what is shown; where the policy names another one, that one judges the whole answer once it is
written and its verdicts take the place. Under the strict policy what nothing backs is not shown; where another judge is
to decide that, nothing is shown before it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from shared.answering.markers import read_markers
from shared.answering.pieces import DraftPiece
from shared.answering.refusals import admits_not_knowing
from shared.judging.support import OfflineJudge
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
from shared.ports.models import Judge

_HEADING = re.compile(r"#{1,6}[ \t]")
_QUOTE_MARKS = re.compile(r"\n[ \t>]*>[ \t]*(?:[-*+][ \t])?")
_OFFLINE = OfflineJudge()


@dataclass(frozen=True, slots=True)
class SupportPolicy:
    """How answers are checked. `strict`: what nothing backs is not shown; else it is only marked."""

    judge: Judge = field(default_factory=OfflineJudge)
    strict: bool = False

    @property
    def offline(self) -> bool:
        return isinstance(self.judge, OfflineJudge)


@dataclass(slots=True)
class _Judged:
    """A piece with the verdicts on what it says. Numbers are those under which the writer was offered the sources."""

    piece: DraftPiece
    said: str
    """What the piece says: without markers, on one line; empty where it holds no word."""
    numbers: tuple[int, ...]
    """The offered ones that it cites, each once."""
    verdicts: Mapping[tuple[int, ...], Verdict]
    """By the passages read together."""

    @property
    def together(self) -> SupportState | None:
        """None: it cites nothing, and nobody judged it by all that was offered."""
        verdict = self.verdicts.get(self.numbers) or next(iter(self.verdicts.values()), None)
        return verdict.support.state if verdict else None

    @property
    def states(self) -> bool:
        """Whether it says something that is to be backed: headings, lead-ins, questions, "Yes." and what says that the
        notes hold no answer do not.
        """
        if self.numbers:
            return True
        opens = _HEADING.match(self.piece.text) or self.said.endswith((":", "?"))
        return len(self.said.split()) > 2 and not opens and not admits_not_knowing(self.said)

    def matters(self, number: int) -> bool:
        """Whether a citation is precise: its sentence is supported, by it alone or else not without it."""
        rest = self.verdicts.get(_others(self.numbers, number))
        alone = self.verdicts[number,]
        return _holds(self.verdicts[self.numbers]) and (_holds(alone) or rest is None or not _holds(rest))


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
        self._sources = {int(source.label[1:]): source for source in sources}
        self._sanitizer = Sanitizer(texts)
        self._policy, self._notice, self._with_citations = policy, notice, with_citations
        self._labels: dict[int, int] = {}
        """Number -> the one under which it is shown."""
        self._removed: dict[str, None] = {}
        self._shown: list[tuple[_Judged, int, int]] = []
        """With where what it says begins and ends."""
        self._carried = DraftPiece("", "", "")
        """A piece that was not shown leaves its opening and, within a line, its lead to the next one."""
        self._texts: list[str] = []
        self._units = 0
        self.usage = Usage()
        """What judging has cost."""

    @property
    def text(self) -> str:
        """What was shown."""
        return "".join(self._texts)

    @property
    def removed(self) -> tuple[str, ...]:
        """Labels that were not offered, each once, in order, normalised (`[n07]` -> `N7`)."""
        return tuple(self._removed)

    @property
    def said(self) -> str:
        """What the draft said, without markers and what our own words stand before it."""
        return " ".join(judged.said for judged, _, _ in self._shown)

    @property
    def cites(self) -> bool:
        """Whether any claim cites a source that was offered."""
        return any(judged.numbers for judged, _, _ in self._shown)

    @property
    def stands(self) -> bool:
        """Whether what is cited supports a claim, if only in part; without sources, whether anything is shown."""
        if not self._sources:
            return bool(self._texts)
        return any(judged.numbers and judged.together is not SupportState.UNSUPPORTED for judged, _, _ in self._shown)

    def check(self, drafts: Iterable[DraftPiece]) -> Iterator[CheckedPiece]:
        """Each piece as soon as it is checked."""
        policy = self._policy
        at_once = policy.strict and not policy.offline
        for batch in [tuple(drafts)] if at_once else ((draft,) for draft in drafts):
            for judged in self._judge(batch, policy.judge if at_once else _OFFLINE):
                if policy.strict and judged.states and judged.together is SupportState.UNSUPPORTED:
                    self._carry(judged.piece)
                elif shown := self._show(judged):
                    yield shown

    def judge_again(self) -> None:
        """Ask the judge that the policy names, if it has not judged already."""
        if not self._policy.offline and not self._policy.strict and self._shown:
            again = self._judge([judged.piece for judged, _, _ in self._shown], self._policy.judge)
            self._shown = [(judged, at, end) for judged, (_, at, end) in zip(again, self._shown, strict=True)]

    def claims(self) -> tuple[Claim, ...]:
        """What is stated, in order."""
        if not self._sources or not self._with_citations:
            return ()
        return tuple(self._claim(*each) for each in self._shown if each[0].states)

    def citations(self) -> tuple[Citation, ...]:
        """One a source, by first use: with the support for the claim that it backs least, and the quote that carries
        most of the one that it backs best.
        """
        found: dict[str, list[Citation]] = {}
        for claim in self.claims():
            for citation in claim.citations:
                found.setdefault(citation.label, []).append(citation)
        ranked = (sorted(each, key=lambda one: -one.support.score if one.support else 0.0) for each in found.values())
        return tuple(replace(each[0], support=each[-1].support) for each in ranked)

    def grounding(self) -> Grounding | None:
        """As in ALCE (Gao et al. 2023, arXiv 2305.14627), by our judge. None: nothing is stated."""
        stated = [judged for judged, _, _ in self._shown if judged.states]
        if not stated:
            return None
        matters = [judged.matters(number) for judged in stated for number in judged.numbers]
        supported = [bool(judged.numbers) and judged.together is SupportState.SUPPORTED for judged in stated]
        return Grounding(precision=fmean(matters) if matters else 0.0, recall=fmean(supported))

    def _judge(self, pieces: Sequence[DraftPiece], judge: Judge) -> list[_Judged]:
        offered = tuple(self._sources)
        read: list[tuple[DraftPiece, str, tuple[int, ...]]] = []
        asked: dict[tuple[str, tuple[int, ...]], Statement] = {}
        for piece in pieces:
            markers = read_markers(piece.text)
            said = " ".join(_QUOTE_MARKS.sub("\n", markers.written({})).split())
            named = markers.numbers(offered)
            self._removed |= {f"N{number}": None for number in named if number not in self._sources}
            is_claim = any(map(str.isalnum, said))
            numbers = tuple(number for number in named if is_claim and number in self._sources)
            groups = _groups(numbers) if numbers else (offered,) if self._policy.strict and is_claim and offered else ()
            for group in groups:
                asked[said, group] = Statement(said, tuple(self._sources[each].passage.chunk for each in group))
            read.append((piece, said if is_claim else "", numbers))
        judgement = judge.judge(tuple(asked.values())) if asked else Judgement(())
        self.usage += judgement.usage
        found: dict[str, dict[tuple[int, ...], Verdict]] = {}
        for (said, group), verdict in zip(asked, judgement.verdicts, strict=True):
            found.setdefault(said, {})[group] = verdict
        return [
            _Judged(piece=piece, said=said, numbers=numbers, verdicts=found.get(said, {}))
            for piece, said, numbers in read
        ]

    def _carry(self, piece: DraftPiece) -> None:
        """Keep the opening and, within a line, the lead of a piece that is not shown."""
        opening, lead = self._placed(piece)
        self._carried = DraftPiece(opening, lead, "")

    def _placed(self, piece: DraftPiece) -> tuple[str, str]:
        if "\n" in f"{piece.opening}{piece.lead}":
            return piece.opening or self._carried.opening, piece.lead
        return self._carried.opening or piece.opening, self._carried.lead or piece.lead

    def _show(self, judged: _Judged) -> CheckedPiece | None:
        """None: nothing is left of it."""
        new = [number for number in judged.numbers if number not in self._labels]
        self._labels |= {number: len(self._labels) + at for at, number in enumerate(new, start=1)}
        labels = self._labels if self._with_citations and judged.said else {}
        text = read_markers(judged.piece.text).written(labels)
        if not text.strip():
            self._carry(judged.piece)
            return None
        opening, lead = self._placed(judged.piece)
        self._carried = DraftPiece("", "", "")
        before = read_markers(f"{opening}{lead}").written(labels)
        if not self._texts:
            before = before.lstrip()
            is_block = before or text.startswith(("`", "~", "|", ">", "#"))
            ends_line = not self._notice or self._notice.endswith("\n")
            before = f"{self._notice}\n\n{before}" if is_block and not ends_line else f"{self._notice}{before}"
        before, start = self._add(before), self._units
        text, end = self._add(text), self._units
        self._shown.append((judged, start, end))
        claimed = self._claim(judged, start, end) if self._with_citations and self._sources and judged.states else None
        cited = tuple(self._citation(judged, number) for number in new) if self._with_citations else ()
        return CheckedPiece(f"{before}{text}", claimed, cited)

    def _add(self, text: str) -> str:
        shown = self._sanitizer.feed(text)
        self._texts.append(shown)
        self._units += len(shown.encode("utf-16-le", "surrogatepass")) // 2
        return shown

    def _claim(self, judged: _Judged, start: int, end: int) -> Claim:
        support = judged.verdicts[judged.numbers].support if judged.numbers else None
        return Claim(
            start=start,
            end=end,
            support=support,
            citations=tuple(self._citation(judged, number) for number in judged.numbers),
        )

    def _citation(self, judged: _Judged, number: int) -> Citation:
        verdict, passage = judged.verdicts[number,], self._sources[number].passage
        start, end = verdict.spans[0]
        return Citation(
            label=f"N{self._labels[number]}",
            passage=passage,
            quote_start=passage.chunk.start + start,
            quote_end=passage.chunk.start + end,
            quote=passage.chunk.text[start:end],
            support=verdict.support,
        )


def _groups(numbers: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """What a claim cites: all, each alone, and all but each."""
    yield numbers
    if len(numbers) > 1:
        for number in numbers:
            yield (number,)
            yield _others(numbers, number)


def _others(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    return tuple(other for other in numbers if other != number)


def _holds(verdict: Verdict) -> bool:
    return verdict.support.state is SupportState.SUPPORTED
