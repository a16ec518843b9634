"""Types of answers: prompt, draft, citations, support, events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from shared.model.index import IndexedChunk
from shared.model.retrieval import RefusalReason, Retrieved, Scored
from shared.model.sessions import StoredCitation
from shared.model.templates import TemplateMatch


@dataclass(frozen=True, slots=True)
class Source:
    """A passage offered to the writer under a label (`N1`)."""

    label: str
    passage: Scored


@dataclass(frozen=True, slots=True)
class Prompt:
    """Input of a writer. `sources` are the passages that the text may cite; empty for plain chat."""

    system: str
    user: str
    question: str
    sources: tuple[Source, ...]
    schema: Mapping[str, object] | None = None
    """JSON schema of the reply, for models that can be held to one; None for prose."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources used by one answer: billed tokens, and documents read."""

    input_tokens: int = 0
    output_tokens: int = 0
    reads: int | None = None
    """Billed reads of documents by the whole request; None if they are not counted."""

    def __add__(self, other: Usage) -> Usage:
        """Adds up the tokens of both."""
        input_tokens = self.input_tokens + other.input_tokens
        output_tokens = self.output_tokens + other.output_tokens
        return Usage(input_tokens, output_tokens, self.reads)


@dataclass(frozen=True, slots=True)
class Draft:
    """Text of a writer, unchecked. `truncated` is True if the model stopped at its limit."""

    text: str
    model: str
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Delta:
    """The next part of a draft as a model streams it."""

    text: str
    usage: Usage | None = None
    """Usage billed for the draft so far; None if it is not known yet."""
    truncated: bool = False
    """True in the last part if the model stopped at its limit or the connection broke."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A label in the answer and the passage it points at."""

    label: str
    passage: Scored
    quote_start: int
    """Code points into the note's text, like the chunk's."""
    quote_end: int
    quote: str
    support: Support | None = None
    """Support by the passage alone; None if it was not judged."""
    stale: bool = False
    """True if the note has changed since."""


class SupportState(StrEnum):
    """Degree to which a passage supports the text that cites it."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    QUOTED = "quoted"
    """The text is the note's own, and no judge has said whether it answers."""


@dataclass(frozen=True, slots=True)
class Support:
    """A judge's verdict. `score` in [0, 1]; the judge's own thresholds turn it into the state."""

    state: SupportState
    score: float

    @classmethod
    def graded(cls, score: float, *, supported: float, partial: float) -> Support:
        """Returns the verdict of a score. `supported` and `partial` are the least scores of these states."""
        if score >= supported:
            return cls(SupportState.SUPPORTED, score)
        if score >= partial:
            return cls(SupportState.PARTIAL, score)
        return cls(SupportState.UNSUPPORTED, score)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer to be judged, and the passages that must support it together."""

    text: str
    passages: tuple[IndexedChunk, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Degree to which the passages of a statement, read together, support it."""

    support: Support
    spans: tuple[tuple[int, int], ...]
    """For each passage the sentence that supports most of the statement, as `[start, end)` in code points of its text."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdicts, one a statement, in order; and what they cost."""

    verdicts: tuple[Verdict, ...]
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer that states something, with what backs it."""

    start: int
    """UTF-16 units into the answer's text, like `end`."""
    end: int
    support: Support | None
    """Support by all cited passages, read together; None if it cites nothing."""
    citations: tuple[Citation, ...] = ()
    """In order, each with the quote and the support for this sentence."""


@dataclass(frozen=True, slots=True)
class CheckedPiece:
    """The next of an answer to be shown: one whole piece, its markers checked, its text sanitized, its claim judged."""

    text: str
    claim: Claim | None = None
    """The claim made; None if the text states nothing, or the question wants no citations."""
    cited: tuple[Citation, ...] = ()
    """Sources that are cited here for the first time."""


@dataclass(frozen=True, slots=True)
class Grounding:
    """Citation quality of one answer (ALCE, Gao et al. 2023), each in [0, 1]."""

    precision: float
    """Share of the citations that matter: without them their sentence would be backed less."""
    recall: float
    """Share of the factual sentences that are fully backed by what they cite."""


@dataclass(frozen=True, slots=True)
class Quote:
    """The sentences of a passage that come nearest to a question: the note's text from `start` to `end`."""

    passage: Scored
    start: int
    """Code points into the note's text, like the chunk's."""
    end: int
    lines: tuple[str, ...]
    """Lines of Markdown that read well, a table's row with what its columns are called."""
    nearness: float
    """Nearness to the question, in [0, 1]."""
    continues: bool = False
    """True if it goes on with the table or list of the quote before it, from another passage of that note."""
    dated: bool = False
    """True if the note's day is shown whatever was asked: another quote states the same thing differently."""

    @property
    def text(self) -> str:
        """The note's own text."""
        chunk = self.passage.chunk
        start = self.start - chunk.start
        end = self.end - chunk.start
        return chunk.text[start:end]


class AnswerKind(StrEnum):
    """Origin of an answer's text."""

    WRITTEN = "written"
    """A model's, or our own fixed ones: a refusal says so itself, with every model."""
    QUOTED = "quoted"
    """The notes': the passages nearest to the question, unjudged whether they answer it."""
    GENERAL = "general"
    """A model's general knowledge, because the notes do not hold the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The checked answer. `refusal` is None if the question is answered, or if passages of the notes are quoted."""

    text: str
    model: str
    citations: tuple[Citation, ...] = ()
    """In the order of the first marker, each with the support of the claim that it backs least."""
    claims: tuple[Claim, ...] = ()
    """In order."""
    refusal: RefusalReason | None = None
    localized_reason: str = ""
    """The reason in the language of the question."""
    reason_lang: str = "en"
    """Language of `localized_reason`: English where the question's has no words for it."""
    retrieved: Retrieved | None = None
    """Result of the search; None if the notes were not used."""
    usage: Usage = field(default_factory=Usage)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    removed_labels: tuple[str, ...] = ()
    """Labels the writer made up, as they stood."""
    template: TemplateMatch | None = None
    """Template whose steps the writer was asked to follow."""
    grounding: Grounding | None = None
    """Result of the judging; None if nothing was judged."""
    kind: AnswerKind = AnswerKind.WRITTEN
    writer_problem: str = ""
    """Why the writing model did not write this, for people. Empty if it did, or if there is no writing model."""
    nothing_about: str = ""
    """The named thing about which no quote says what is asked. Empty if the quotes may say it, or if nothing is quoted.
    """
    nearest: tuple[Quote, ...] = ()
    """With a refusal: what comes nearest in the notes, one passage each."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Retrieval is done; at most once, before any piece."""

    retrieved: Retrieved


class RetractReason(StrEnum):
    """Why all that was shown is withdrawn."""

    WRITER_FAILED = "writer_failed"
    """The writer broke off before anything that can be shown; the notes are quoted instead."""
    REFUSED = "refused"
    """The draft as a whole cannot stand: nothing in it is cited, what it cites backs nothing, or a note is gone."""


@dataclass(frozen=True, slots=True)
class Retracted:
    """All that was shown is withdrawn."""

    reason: RetractReason


AnswerEvent: TypeAlias = "Searched | CheckedPiece | Retracted | Answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer as its caller gets it, and as a session or a repeat of the request keeps it."""

    text: str
    citations: tuple[StoredCitation, ...]
    claims: tuple[Mapping[str, Any], ...]
    """JSON objects of the API, like `meta` and `references`."""
    meta: Mapping[str, Any]
    references: tuple[Mapping[str, Any], ...] | None = None
    """Passages that the answer was written from; None if the caller's route does not list them."""


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """First event of a turn, before anything is searched."""

    request_id: str
    session_id: str | None


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """Last event of a turn."""

    answer: StoredAnswer
    is_repeat: bool = False
    """True if an earlier request got this answer: no other event of the turn comes before."""


TurnEvent: TypeAlias = "TurnStarted | Searched | CheckedPiece | Retracted | TurnEnded"
