"""What is written from passages, and how it was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from shared.model.index import IndexedChunk
from shared.model.retrieval import RefusalReason, Retrieved, Scored
from shared.model.templates import TemplateMatch


@dataclass(frozen=True, slots=True)
class Source:
    """A passage offered to the writer under a label (`N1`)."""

    label: str
    passage: Scored


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a writer gets. `sources`: what the text may cite; none: plain chat."""

    system: str
    user: str
    question: str
    sources: tuple[Source, ...]
    schema: Mapping[str, object] | None = None
    """JSON schema of the reply, for models that can be held to one; None: prose."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one answer has used: tokens that models bill, and documents."""

    input_tokens: int = 0
    output_tokens: int = 0
    reads: int | None = None
    """Billed reads of documents, of the whole request; None: nobody has counted."""

    def __add__(self, other: Usage) -> Usage:
        """The tokens of both."""
        tokens = self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        return Usage(*tokens, reads=self.reads)


@dataclass(frozen=True, slots=True)
class Draft:
    """What the writer wrote, unchecked. `truncated`: the model stopped at its limit."""

    text: str
    model: str
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False
    answers: bool | None = None
    """Whether the writer says that the sources answer, if only in part; None: it does not say."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The next part of a draft as it is being written. Empty text: still at work, nothing new."""

    text: str
    usage: Usage | None = None
    """What was billed for the draft up to here; None: not told yet."""
    truncated: bool = False
    """The model stopped at its limit, or the connection went before it had ended; with the last piece."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A label that stands in the answer and the passage it points at."""

    label: str
    passage: Scored
    quote_start: int
    """Code points into the note's text, like the chunk's."""
    quote_end: int
    quote: str
    support: Support | None = None
    """How far the passage backs the sentences that cite it; None: not judged."""
    stale: bool = False
    """Whether the note reads differently by now."""


class SupportState(StrEnum):
    """How far a passage backs what is said with its label."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    QUOTED = "quoted"
    """The text is the note's own, and nobody judged whether it answers."""


@dataclass(frozen=True, slots=True)
class Support:
    """A judge's verdict. `score` in [0, 1]; the judge's own thresholds turn it into the state."""

    state: SupportState
    score: float

    @classmethod
    def graded(cls, score: float, *, supported: float, partial: float) -> Support:
        """By the least scores of the two better states."""
        if score >= supported:
            return cls(SupportState.SUPPORTED, score)
        return cls(SupportState.PARTIAL if score >= partial else SupportState.UNSUPPORTED, score)


@dataclass(frozen=True, slots=True)
class Statement:
    """What is to be judged: one sentence of an answer, and the passages that are to back it, together."""

    text: str
    passages: tuple[IndexedChunk, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How far the passages of a statement back it, read together."""

    support: Support
    spans: tuple[tuple[int, int], ...]
    """For each passage `[start, end)`, in code points of its text, of the sentence that carries most of it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdicts, one a statement, in order; and what they cost."""

    verdicts: tuple[Verdict, ...]
    usage: Usage = field(default_factory=Usage)


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
    """The same as lines of Markdown that read well, of a table's row with what its columns are called."""
    nearness: float
    """To the question, in [0, 1]."""

    @property
    def text(self) -> str:
        """As it stands in the note."""
        chunk = self.passage.chunk
        return chunk.text[self.start - chunk.start : self.end - chunk.start]


class AnswerKind(StrEnum):
    """Where an answer's words come from."""

    WRITTEN = "written"
    """A model's, or our own fixed ones: a refusal says so itself, whoever was asked."""
    QUOTED = "quoted"
    """The notes': the passages nearest to the question, and nobody says that they answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The checked answer. `refusal` None: it is answered from the notes, or passages of them are quoted."""

    text: str
    model: str
    citations: tuple[Citation, ...] = ()
    refusal: RefusalReason | None = None
    retrieved: Retrieved | None = None
    """None: the notes were not used."""
    usage: Usage = field(default_factory=Usage)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    removed_labels: tuple[str, ...] = ()
    """Labels the writer made up, as they stood."""
    template: TemplateMatch | None = None
    """What the writer was asked to lay the answer out along."""
    grounding: Grounding | None = None
    """None: not judged, or nothing to judge."""
    kind: AnswerKind = AnswerKind.WRITTEN
    nearest: tuple[Quote, ...] = ()
    """With a refusal: what comes nearest in the notes, one passage each."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Retrieval is done; at most once, before any token."""

    retrieved: Retrieved


@dataclass(frozen=True, slots=True)
class Token:
    """Checked text to show next; never ends inside a marker, never holds one that was not offered.

    Empty: nothing new, a sign that the writer is still at work.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Cited:
    """The first marker of a source was just shown. The Answer's own citation is the final word on quote and support."""

    citation: Citation


class RetractReason(StrEnum):
    """Why text is withdrawn that was shown already."""

    WRITER_FAILED = "writer_failed"
    """The writer broke off; another one answers from the start."""
    REFUSED = "refused"
    """The draft as a whole cannot stand: nothing in it is cited, or what it cites backs nothing."""
    REVISED = "revised"
    """What came later changed it: an unfinished sentence, a list of sources, an unsupported claim."""


@dataclass(frozen=True, slots=True)
class Retracted:
    """What was shown from `start` on (code points) is withdrawn."""

    start: int
    utf16_start: int
    """The same in UTF-16 units."""
    reason: RetractReason


AnswerEvent: TypeAlias = "Searched | Token | Cited | Retracted | Answer"
