"""Step 6. Pieces of a draft -> checked pieces: markers of offered sources alone, text sanitized, statements judged.

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
    Source,
    Statement,
    SupportState,
    Usage,
    Verdict,
)
from shared.model.retrieval import RefusalReason
from shared.ports.models import Judge

_QUOTE_MARKS = re.compile(r"\n[ \t>]*>[ \t]*(?:[-*+][ \t])?")
_BLOCK_MARKS = ("`", "~", "|", ">", "#")
"""Signs with which a block of Markdown begins that has a mark."""
_OFFLINE = OfflineJudge()


@dataclass(frozen=True, slots=True)
class SupportPolicy:
    """Policy by which answers are checked."""

    judge: Judge = field(default_factory=OfflineJudge)
    strict: bool = False
    """True: a piece that nothing backs is not shown; otherwise it is only marked."""


NOTHING_BEFORE = DraftPiece("", "", "")
"""Opening and lead where no piece was left out."""

Group = tuple[int, ...]
"""Numbers of sources that are read together."""


@dataclass(slots=True, kw_only=True)
class _Judged:
    """A piece with the verdicts on what it says. Numbers are those under which the writer was offered the sources."""

    piece: DraftPiece
    markers: Markers
    statement: str
    """The piece without markers, on one line; empty where it holds no word."""
    numbers: Group
    """Offered sources that it cites, each once."""
    judged_by: Group
    """Sources by which it is judged: all that it cites, or under a strict policy all offered. Empty if it is not
    judged.
    """
    needs_support: bool
    """False for headings, lead-ins, questions, "Yes." and "the notes do not say"."""
    verdicts: dict[Group, Verdict] = field(default_factory=dict)
    """Sources that were read together -> verdict."""
    start: int = 0
    """Offset in the answer at which it is shown, in UTF-16 units, like `end`."""
    end: int = 0

    @property
    def is_unsupported(self) -> bool:
        """True if it was judged and its sources do not back it."""
        if not self.judged_by:
            return False
        return self.verdicts[self.judged_by].support.state is SupportState.UNSUPPORTED

    @property
    def groups(self) -> list[Group]:
        """Groups of sources that are asked for: all, each alone, and all but each."""
        groups = [self.judged_by]
        for number in self.numbers:
            alone = (number,)
            others = self.without(number)
            groups += [alone, others]
        return [group for group in dict.fromkeys(groups) if group]

    @property
    def supporting_groups(self) -> set[Group]:
        """Groups of sources that support what it says."""
        supporting = set()
        for group, verdict in self.verdicts.items():
            if verdict.support.state is SupportState.SUPPORTED:
                supporting.add(group)
        return supporting

    def without(self, number: int) -> Group:
        """Returns the cited sources but one."""
        others = [cited for cited in self.numbers if cited != number]
        return tuple(others)


class Checker:
    """Checks one answer.

    sources: the sources that the writer was offered. Without any (plain chat) nothing is judged.
    texts: texts whose web addresses the answer may link to.
    notice: text that is put before the first piece.
    with_citations: False to show no markers.
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
        """Text that has been shown."""
        self.claims: list[Claim] = []
        """Claims that have been shown, in order."""
        self.removed: dict[str, None] = {}
        """Labels that were not offered, in order, normalised (`[n07]` -> `N7`)."""
        self.usage = Usage()
        """Cost of judging."""
        self._sources = {int(source.label[1:]): source for source in sources}
        self._sanitizer = Sanitizer(texts)
        self._policy = policy
        self._notice = notice
        self._with_citations = with_citations
        self._judges_later = not isinstance(policy.judge, OfflineJudge)
        """True while the policy's judge, if it is another than the offline one, has not judged yet."""
        self._labels: dict[int, int] = {}
        """Number of each cited source -> the number under which it is shown."""
        self._shown: list[_Judged] = []
        self._carried = NOTHING_BEFORE
        """Opening and lead of pieces that were not shown; the next piece takes them over."""
        self._units = 0

    @property
    def stands(self) -> bool:
        """True if a cited source supports a claim at least in part; without sources, if anything is shown."""
        if not self._sources:
            return bool(self.text)
        for judged in self._shown:
            if judged.numbers and not judged.is_unsupported:
                return True
        return False

    def check(self, drafts: Iterable[DraftPiece]) -> Iterator[CheckedPiece]:
        """Yields each piece as soon as it is checked."""
        batches: Iterable[Sequence[DraftPiece]] = ((draft,) for draft in drafts)
        judge: Judge = _OFFLINE
        if self._policy.strict and self._judges_later:
            # This judge decides what is shown and is called once, so it needs the whole answer first.
            batches = [tuple(drafts)]
            judge = self._policy.judge
            self._judges_later = False
        for batch in batches:
            for judged in self._judge(batch, judge):
                checked = self._show(judged)
                if checked is not None:
                    yield checked

    def reason_to_refuse(self) -> RefusalReason | None:
        """Returns the reason why the shown text cannot stand as the answer; None if it can.

        Asks the policy's judge if it has not judged yet.
        """
        text = " ".join([judged.statement for judged in self._shown])
        cites = any(judged.numbers for judged in self._shown)
        reason = reason_to_refuse(text, cites=cites)
        if reason is not None:
            return reason
        if self._judges_later:
            self._judges_later = False
            self._judge_again()
        if not self.stands:
            return RefusalReason.UNSUPPORTED_CLAIMS
        return None

    def _judge_again(self) -> None:
        """Replaces the offline judge's verdicts on the shown pieces by those of the policy's judge."""
        shown_pieces = [judged.piece for judged in self._shown]
        judged_again = self._judge(shown_pieces, self._policy.judge)
        self.claims = []
        for judged, earlier in zip(judged_again, self._shown, strict=True):
            judged.start = earlier.start
            judged.end = earlier.end
            claim = self._claim(judged)
            if claim is not None:
                self.claims.append(claim)
        self._shown = judged_again

    def citations(self) -> tuple[Citation, ...]:
        """Returns one citation for each source, in the order of their first use.

        A citation has the support of the claim that the source backs least, and the quote of the one it backs best.
        """
        citations_by_label: dict[str, list[Citation]] = {}
        for claim in self.claims:
            for citation in claim.citations:
                same_source = citations_by_label.setdefault(citation.label, [])
                same_source.append(citation)
        citations = []
        for same_source in citations_by_label.values():
            best_first = sorted(same_source, key=_support_score, reverse=True)
            best = best_first[0]
            least = best_first[-1]
            citation = replace(best, support=least.support)
            citations.append(citation)
        return tuple(citations)

    def grounding(self) -> Grounding | None:
        """Measures the citations as ALCE does (Gao et al. 2023, arXiv 2305.14627), with our judge.

        A citation is precise if its sentence is supported, and either it alone supports the sentence or the others do not
        support it without this one. Returns None if nothing is stated.
        """
        precise: list[bool] = []
        recalled: list[bool] = []
        for judged in self._shown:
            if not judged.needs_support:
                continue
            supporting = judged.supporting_groups
            is_supported = judged.numbers in supporting
            recalled.append(is_supported)
            for number in judged.numbers:
                supports_alone = (number,) in supporting
                is_needed = judged.without(number) not in supporting
                matters = supports_alone or is_needed
                precise.append(is_supported and matters)
        if not recalled:
            return None
        precision = 0.0
        if precise:
            precision = fmean(precise)
        return Grounding(precision=precision, recall=fmean(recalled))

    def _judge(self, pieces: Sequence[DraftPiece], judge: Judge) -> list[_Judged]:
        """Has pieces judged in one call: each by all its sources together, by each source alone and by all but each."""
        judged_pieces = [self._read(piece) for piece in pieces]

        # 1. Each statement with each group of its sources, once.
        statements: dict[tuple[str, Group], Statement] = {}
        for judged in judged_pieces:
            for group in judged.groups:
                key = (judged.statement, group)
                if key in statements:
                    continue
                chunks = [self._sources[number].passage.chunk for number in group]
                statements[key] = Statement(judged.statement, tuple(chunks))
        if not statements:
            return judged_pieces

        # 2. All of them in one call.
        judgement = judge.judge(tuple(statements.values()))
        self.usage += judgement.usage
        verdicts = dict(zip(statements, judgement.verdicts, strict=True))
        for judged in judged_pieces:
            for group in judged.groups:
                judged.verdicts[group] = verdicts[judged.statement, group]
        return judged_pieces

    def _read(self, piece: DraftPiece) -> _Judged:
        """Reads the statement and the citations of a piece, and notes labels that were not offered as removed."""
        # 1. What it says.
        markers = read_markers(piece.text)
        without_markers = markers.written({})
        without_quote_marks = _QUOTE_MARKS.sub("\n", without_markers)
        statement = " ".join(without_quote_marks.split())
        if not any(map(str.isalnum, statement)):
            statement = ""

        # 2. What it cites.
        offered_numbers: list[int] = []
        for number in markers.numbers(self._sources):
            if number in self._sources:
                offered_numbers.append(number)
            else:
                self.removed[f"N{number}"] = None
        numbers: Group = ()
        if statement:
            numbers = tuple(offered_numbers)

        # 3. By which sources it is judged.
        judged_by = numbers
        is_bare_statement = statement != "" and not numbers
        if is_bare_statement and self._policy.strict:
            judged_by = tuple(self._sources)
        return _Judged(
            piece=piece,
            markers=markers,
            statement=statement,
            numbers=numbers,
            judged_by=judged_by,
            needs_support=bool(numbers) or _needs_support(statement, piece),
        )

    def _show(self, judged: _Judged) -> CheckedPiece | None:
        """Shows a piece; None if nothing is left of it, or nothing backs it and the policy is strict."""
        # 1. Its text, with labels that count the sources in the order of their first use.
        text_before = self._carried_over(judged.piece)
        is_withheld = self._policy.strict and judged.needs_support and judged.is_unsupported
        text = ""
        new_numbers: list[int] = []
        labels: Mapping[int, int] = {}
        if not is_withheld:
            new_numbers = self._number_sources(judged)
            if self._with_citations and judged.statement:
                labels = self._labels
            text = judged.markers.written(labels)
        if not text.strip():
            self._carried = text_before
            return None
        self._carried = NOTHING_BEFORE

        # 2. The headings and marks above it, and the notice above the first piece.
        markers_before = read_markers(text_before.whole)
        written_before = markers_before.written(labels)
        if not self.text:
            written_before = self._with_notice(written_before.lstrip(), text)
        whole_text = self._append(judged, written_before, text)

        # 3. Its claim. A piece brings only the citations of sources that no earlier piece cited.
        claim = self._claim(judged)
        if claim is None:
            return CheckedPiece(whole_text)
        self.claims.append(claim)
        new_citations: list[Citation] = []
        for number, citation in zip(judged.numbers, claim.citations, strict=True):
            if number in new_numbers:
                new_citations.append(citation)
        return CheckedPiece(whole_text, claim, tuple(new_citations))

    def _append(self, judged: _Judged, before: str, text: str) -> str:
        """Adds a piece, and what stands before it, to the shown text; returns what was added, made safe."""
        safe_before = self._sanitizer.feed(before)
        safe_text = self._sanitizer.feed(text)
        added_text = safe_before + safe_text
        self.text += added_text
        judged.start = self._units + utf16_units(safe_before)
        judged.end = judged.start + utf16_units(safe_text)
        self._units = judged.end
        self._shown.append(judged)
        return added_text

    def _number_sources(self, judged: _Judged) -> list[int]:
        """Gives a label to the sources that no piece cited before, and returns their numbers."""
        new_numbers = []
        for number in judged.numbers:
            if number not in self._labels:
                self._labels[number] = len(self._labels) + 1
                new_numbers.append(number)
        return new_numbers

    def _carried_over(self, piece: DraftPiece) -> DraftPiece:
        """Returns the opening and lead of a piece, with those of earlier pieces that were not shown.

        Their lead is taken over only if the piece goes on in their line.
        """
        carried = self._carried
        starts_new_line = "\n" in piece.opening + piece.lead
        if starts_new_line:
            opening = piece.opening or carried.opening
            lead = piece.lead
        else:
            opening = carried.opening or piece.opening
            lead = carried.lead or piece.lead
        return DraftPiece(opening, lead, "")

    def _with_notice(self, text_before: str, text: str) -> str:
        """Puts the notice before the first piece, with an empty line between it and a block of Markdown."""
        notice = self._notice
        is_block = text_before != "" or text.startswith(_BLOCK_MARKS)
        notice_goes_on = notice != "" and not notice.endswith("\n")
        if is_block and notice_goes_on:
            notice += "\n\n"
        return notice + text_before

    def _claim(self, judged: _Judged) -> Claim | None:
        """Returns the claim of a piece; None if it states nothing, or if no citations are wanted."""
        if not self._with_citations or not self._sources or not judged.needs_support:
            return None
        support = None
        if judged.numbers:
            support = judged.verdicts[judged.numbers].support
        citations = [self._citation(judged, number) for number in judged.numbers]
        return Claim(
            start=judged.start,
            end=judged.end,
            support=support,
            citations=tuple(citations),
        )

    def _citation(self, judged: _Judged, number: int) -> Citation:
        """Returns the citation of one source, with the quote that backs the piece best."""
        verdict = judged.verdicts[number,]
        passage = self._sources[number].passage
        start, end = verdict.spans[0]
        return Citation(
            label=f"N{self._labels[number]}",
            passage=passage,
            quote_start=passage.chunk.start + start,
            quote_end=passage.chunk.start + end,
            quote=passage.chunk.text[start:end],
            support=verdict.support,
        )


def _needs_support(statement: str, piece: DraftPiece) -> bool:
    """Reports whether a piece without citations states something that needs backing."""
    word_count = len(statement.split())
    if word_count < 3 or statement.endswith((":", "?")):
        return False
    if HEADING.match(piece.text):
        return False
    return not admits_not_knowing(statement)


def _support_score(citation: Citation) -> float:
    if citation.support is None:
        return 0.0
    return citation.support.score
