"""The value types, in the order in which data flows: note -> chunks -> index; question -> candidates -> answer.

All are frozen. Offsets count Unicode code points of the note's text unless a name says `utf16`
(only the wire does). Datetimes are timezone-aware.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeAlias

Vector: TypeAlias = "array[float]"
"""A unit-length embedding, typecode "f": four bytes a dimension, readable by numpy without a copy."""


# -- Saving a note ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NoteKey:
    """Which note, in whose space."""

    tenant_id: str
    note_id: str


@dataclass(frozen=True, slots=True)
class Note:
    """A note as its owner wrote it. `text` is Markdown, at most 900,000 UTF-8 bytes."""

    note_id: str
    title: str
    text: str
    created_at: datetime
    updated_at: datetime
    vault: str = "default"
    path: str = ""
    """Like `projects/api/meeting.md`; the folder is its directory. Empty: the vault's root."""
    tags: tuple[str, ...] = ()
    lang: str | None = None
    """ISO 639-1, or 639-3; None: detected from the text."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One slice of a note: `text == note.text[start:end]`. `position` counts from 0."""

    position: int
    heading_path: str
    """`# Meetings > ## Standup`; empty above the first heading."""
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with everything the stores keep of it but its vector."""

    chunk_id: str
    """noteId + `_` + position in at least three digits."""
    note_id: str
    position: int
    title: str
    heading_path: str
    text: str
    start: int
    end: int
    utf16_start: int
    """`start` in UTF-16 units: with it and `text` any offset can be given to clients without the whole note."""
    created_at: datetime
    updated_at: datetime
    vault: str
    path: str
    tags: tuple[str, ...]
    scopes: tuple[str, ...]
    """One token each for the vault, every ancestor folder and every tag; see `shared.model.scopes`."""
    terms: Mapping[str, int]
    """Stem -> how often it stands in header and text. Read back by a search, it holds only the stems asked for."""
    length: int
    """Sum of all term counts, the document length of BM25."""
    text_hash: str
    """Of exactly the text that was embedded (header and slice)."""
    index_version: str
    note_revision: str

    @property
    def folder(self) -> str:
        """The directory of `path`; empty for the vault's root."""
        return self.path.rpartition("/")[0]


class IndexStatus(StrEnum):
    """How far the index has followed a note."""

    INDEXED = "indexed"
    PENDING = "pending_embeddings"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """What the index holds of one note (`index/{noteId}`)."""

    note_revision: str
    status: IndexStatus
    chunk_count: int
    index_version: str
    indexed_at: datetime
    error: str | None = None
    attempts: int = 0
    """Failed attempts at this revision."""
    lease_until: datetime | None = None
    """Until when one worker may be embedding this revision; None: nobody is."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record and the store's opaque token of it, for compare-and-set. `record` None: there is none."""

    record: IndexRecord | None
    token: str | None


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """What the indexer needs to know of a chunk that is already stored."""

    chunk_id: str
    text_hash: str
    index_version: str
    note_revision: str
    has_vector: bool


@dataclass(frozen=True, slots=True)
class ChunkPut:
    """A whole chunk to write. `vector` None: it is to be embedded later."""

    chunk: IndexedChunk
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class IndexChange:
    """One step of a note's index from one state to the next, applied if the record is still `expected`.

    A store that cannot apply it in one commit guards each with the record and writes `record` last,
    so a reader that compares `note_revision` with the record's never sees two revisions at once.
    """

    note_id: str
    expected: str | None
    """Token of the record this was computed from; None: there must be none."""
    record: IndexRecord | None
    """The record afterwards; None: removed."""
    put: tuple[ChunkPut, ...] = ()
    patch: tuple[IndexedChunk, ...] = ()
    """Chunks whose stored vector stays: everything else is overwritten."""
    vectors: tuple[tuple[str, Vector], ...] = ()
    """Chunk id -> the vector to add to a stored chunk."""
    remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of a tenant's notes are in which state. `missing`: notes without a record."""

    notes: int
    indexed: int
    pending: int
    failed: int
    missing: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that notes use. `folder` empty: the vault's root."""

    vault: str
    folder: str


# -- Reasoning templates ------------------------------------------------------------------------

AUTO = "auto"
"""In `Question.template`: choose by similarity. So no template has this id."""


@dataclass(frozen=True, slots=True)
class TemplateKey:
    """Which template, in whose space."""

    tenant_id: str
    template_id: str


@dataclass(frozen=True, slots=True)
class Template:
    """The steps along which an answer is laid out, and what tells for which questions. No field is None."""

    template_id: str
    """The file's name without its ending."""
    name: str
    content: str
    """The steps as Markdown."""
    domain: str = "general"
    complexity: str = "moderate"
    methodology: str = "sequential"
    keywords: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class StoredTemplate:
    """A template with its embedding, if it has one."""

    template: Template
    vector: Vector | None = None
    vector_key: str | None = None
    """Of which text, in which vector space, `vector` is; another than the current one: the vector is stale."""


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """A template and its calibrated similarity to a question in [0, 1]; None: the caller named it."""

    template: Template
    score: float | None


# -- Asking -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Half-open `[start, end)`; None is open."""

    start: datetime | None
    end: datetime | None

    def contains(self, when: datetime) -> bool:
        return (self.start is None or self.start <= when) and (self.end is None or when < self.end)


@dataclass(frozen=True, slots=True)
class TimeHint:
    """A time that the question names."""

    range: TimeRange
    phrase: str
    days: int | None
    """How far back from now it may reach, in days, rounded up; None: open at the start."""
    restricts: bool = True
    """Whether only notes of then are asked for; else notes near to it come first."""


class Strategy(StrEnum):
    """How legs become one ranking."""

    WEIGHTED = "weighted"
    RRF = "rrf"


@dataclass(frozen=True, slots=True)
class Filters:
    """What the caller restricts the search to. Empty tuples restrict nothing."""

    vaults: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """`folder` or `vault/folder`, each with everything below it."""
    tags: tuple[str, ...] = ()
    created_after: datetime | None = None
    created_before: datetime | None = None
    window_days: int | None = None


class ChosenBy(StrEnum):
    """Why a folder is searched."""

    CALLER = "caller"
    MODEL = "model"
    MATCH = "match"
    """No model ranks folders here: its passages match best."""
    ORDER = "order"
    """The model did not say: every folder in its order."""
    WHOLE_VAULT = "whole_vault"
    """No folder was chosen."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with everything below it, and what a score is multiplied by that a passage reaches there."""

    vault: str
    folder: str
    """Empty: the whole vault."""
    weight: float
    """In (0, 1]."""
    chosen_by: ChosenBy


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of a conversation and what was answered, without markers and list of sources."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its options, as the caller asked it."""

    tenant_id: str
    text: str
    """What is searched for and answered: in a conversation with everything that earlier turns left to be understood."""
    now: datetime
    zone: str = "UTC"
    """IANA name: in which day and week "last Monday" is meant."""
    filters: Filters = field(default_factory=Filters)
    top_k: int | None = None
    """1-20; None: the setting."""
    threshold: float = 0.0
    """Least calibrated similarity, 0-1."""
    strategy: Strategy = Strategy.WEIGHTED
    use_notes: bool = True
    include_citations: bool = True
    template: str | None = None
    """Id of the reasoning template to answer along; AUTO: the most similar; None: none."""
    asked: str | None = None
    """The person's own words where `text` says more than they did ("and in March?"); None: `text` is what they said."""
    history: tuple[Exchange, ...] = ()
    """Earlier turns of the conversation, oldest first."""
    system_prompt: str = ""
    """How the person wants to be answered, in their own words."""
    model: str | None = None
    """Which of the allowed models writes; None: the configured one."""
    max_context_tokens: int | None = None
    """What the writer reads at most, estimated: wishes, history, sources and question together; None: no limit."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """A question taken apart."""

    keywords: tuple[str, ...]
    """Content words in lower case, in order, each once; shown to the caller."""
    stems: tuple[str, ...]
    """What the keyword leg scores: stems without those of the time phrase, each once, in order."""
    time: TimeHint | None
    lang: str
    subject: str = ""
    """The question without its time phrase."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """What every leg must obey."""

    created: TimeRange | None = None
    scopes: tuple[frozenset[str], ...] = ()
    """A chunk must share a token with each of these sets."""

    def allows(self, chunk: IndexedChunk) -> bool:
        in_time = self.created is None or self.created.contains(chunk.created_at)
        return in_time and all(group.intersection(chunk.scopes) for group in self.scopes)


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """What BM25 needs to know of a tenant's chunks."""

    chunk_count: int
    average_length: float
    revision: str
    """Changes whenever any chunk of the tenant changes; key for caches."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk that the vector leg brought, with its cosine in [-1, 1]."""

    chunk: IndexedChunk
    cosine: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk in the pool, with what each leg knows of it. Ranks count from 1; None: that leg did not bring it."""

    chunk: IndexedChunk
    cosine: float | None
    vector_rank: int | None = None
    keyword_rank: int | None = None
    recent_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """The parts of a score, each in [0, 1], as they entered it."""

    vector: float
    keyword: float
    recency: float
    similarity: float
    """Cosine calibrated by the embedder's constant; what thresholds compare with."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What an embedder's cosines of a question with a chunk mean."""

    unrelated: float
    """Mean of those with chunks that have nothing to do with the question."""
    alike: float
    """A high quantile of those with the chunk that answers it; greater than `unrelated`."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its final score in [0, 1]."""

    chunk: IndexedChunk
    score: float
    scores: Scores


class RetrievalMode(StrEnum):
    """How the passages were found; `meta.retrieval.strategy`."""

    WEIGHTED = "hybrid_reranked"
    RRF = "hybrid_rrf"
    KEYWORD_RECENCY = "keyword_recency"
    RECENT = "recent_notes"
    NONE = "none"


class RefusalReason(StrEnum):
    """Why there is no answer from the notes."""

    NO_NOTES = "no_notes"
    NO_CANDIDATES = "no_candidates"
    BELOW_THRESHOLD = "below_threshold"
    TIME_RANGE_EMPTY = "time_range_empty"
    UNSUPPORTED_CLAIMS = "unsupported_claims"
    INDEX_PENDING = "index_pending"


@dataclass(frozen=True, slots=True)
class Reranked:
    """A reranker was asked. `failure` None: the order is its; else the order is that of the scores, and why."""

    model: str
    failure: str | None


class Leg(StrEnum):
    """One of the searches of a question."""

    VECTOR = "vector"
    KEYWORD = "keyword"
    RECENT = "recent"


@dataclass(frozen=True, slots=True)
class SilentLeg:
    """A search of the question failed; the others answered. `reason` holds nothing of notes."""

    leg: Leg
    reason: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What retrieval found, best first; or why it found nothing."""

    analysis: Analysis
    selected: tuple[Scored, ...]
    """What the writer gets: at most 12 chunks and 12,000 characters."""
    nearest: tuple[Scored, ...]
    """The best candidates even if none was good enough, without those that have nothing to do with the question; shown
    with a refusal.
    """
    refusal: RefusalReason | None
    mode: RetrievalMode
    candidate_count: int
    range_used: TimeRange | None
    """The range that was applied, after widening; None: none."""
    widened: str | None
    """Which step widened a range in which nothing was written, or nothing that speaks of the question ("7 days around",
    "any time"); None: not widened."""
    timings_ms: Mapping[str, float]
    places: tuple[Place, ...] = ()
    """Where was looked, each with its weight; empty: everywhere alike."""
    silent_vaults: tuple[str, ...] = ()
    """Vaults that were to be searched and did not answer."""
    silent_then: bool = False
    """Widened though notes were written in the time named: none of them speaks of the question, others do."""
    reranked: Reranked | None = None
    """None: nobody was asked."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Stem of the question -> how much it tells among the tenant's chunks (idf), above 0."""
    silent_legs: tuple[SilentLeg, ...] = ()
    """What was searched without."""
    by_words: bool = False
    """Whether words say more than likeness: the embedder does not speak the question's language."""


# -- Answering ----------------------------------------------------------------------------------


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
    """Tokens billed for one answer."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


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
    """The model stopped at its limit; with the last piece."""


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
    """A model's, or the fixed ones of a refusal."""
    QUOTED = "quoted"
    """The notes': the passages nearest to the question, and nobody says that they answer it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The checked answer. `refusal` None: it is answered from the notes, or passages of them are quoted."""

    text: str
    citations: tuple[Citation, ...]
    refusal: RefusalReason | None
    model: str
    retrieved: Retrieved | None
    """None: the notes were not used."""
    usage: Usage
    timings_ms: Mapping[str, float]
    removed_labels: tuple[str, ...] = ()
    """Labels the writer made up, as they stood."""
    template: TemplateMatch | None = None
    """What the writer was asked to lay the answer out along."""
    grounding: Grounding | None = None
    """None: not judged, or nothing to judge."""
    kind: AnswerKind = AnswerKind.WRITTEN
    nearest: tuple[Quote, ...] = ()
    """With a refusal: what comes nearest in the notes, one passage each."""


# -- What happens while an answer comes about; the last thing is the Answer itself. The text shown at any time is all
# -- Tokens so far, less what was withdrawn; at the end it equals `Answer.text`.


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
    """The check of the whole draft changed it: an unfinished sentence, a list of sources, an unsupported claim."""


@dataclass(frozen=True, slots=True)
class Retracted:
    """What was shown from `start` on (code points) is withdrawn."""

    start: int
    reason: RetractReason = RetractReason.REVISED


AnswerEvent: TypeAlias = "Searched | Token | Cited | Retracted | Answer"


# -- Sessions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """How the questions of one session are answered, unless a request says otherwise."""

    use_notes: bool = True
    top_k: int = 5
    """1-20."""
    threshold: float = 0.0
    """Least calibrated similarity, 0-1."""
    include_citations: bool = True
    system_prompt: str = ""
    """How the person wants to be answered; at most 2,000 characters."""
    model: str = ""
    """One of the allowed models; empty: the configured one."""
    max_context_tokens: int = 4000
    """500-32,000, estimated; see `Question.max_context_tokens`."""
    max_history: int = 20
    """How many earlier messages a question may refer to, 0-200."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsPatch:
    """Some of the settings; None: left as it is."""

    use_notes: bool | None = None
    top_k: int | None = None
    threshold: float | None = None
    include_citations: bool | None = None
    system_prompt: str | None = None
    model: str | None = None
    """Empty: back to the configured one."""
    max_context_tokens: int | None = None
    max_history: int | None = None


SETTING_NAMES: Mapping[str, str] = {
    "use_notes": "useNotes",
    "top_k": "topK",
    "threshold": "threshold",
    "include_citations": "includeCitations",
    "system_prompt": "systemPrompt",
    "model": "model",
    "max_context_tokens": "maxContextTokens",
    "max_history": "maxHistory",
}
"""Setting -> its name in JSON and in stored documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation."""

    session_id: str
    created_at: datetime
    updated_at: datetime
    """When it was last renamed, set or answered in."""
    title: str = ""
    """As its owner named it; empty: not named."""
    first_question: str = ""
    """Shortened; what an unnamed session is called. Empty: nothing was asked yet."""
    message_count: int = 0
    settings: SessionSettings = field(default_factory=SessionSettings)

    @property
    def shown_title(self) -> str:
        return self.title or self.first_question


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class StoredCitation:
    """A citation as it was answered, and of which revision of its note."""

    note_id: str
    note_revision: str
    shown: Mapping[str, Any]
    """The JSON object that the caller got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a session. In one session ids of the same instant sort as the messages were said."""

    message_id: str
    role: Role
    text: str
    """Of an answer with citations: it ends with the list of its sources (`shared.sessions.source_list`)."""
    created_at: datetime
    request_id: str = ""
    """Of the turn, which its question and its answer share; empty: stored before messages had one."""
    standalone: str = ""
    """Of a question: what was searched for, if that is more than its text."""
    as_of: datetime | None = None
    """Of a question: from which moment its "last week" was meant."""
    citations: tuple[StoredCitation, ...] = ()
    meta: Mapping[str, Any] | None = None
    """The JSON object that the caller got with the answer."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a listing that goes from the newest to the oldest stands: the last item given."""

    moment: datetime
    item_id: str


# -- What else a tenant owns --------------------------------------------------------------------


class Rating(StrEnum):
    """What somebody thought of an answer."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Feedback:
    """A rating, a remark or a click on a citation. Ids and the caller's own words: nothing of a note."""

    feedback_id: str
    """Made of request, message and citation: the same thing rated again replaces what was said first."""
    request_id: str
    created_at: datetime
    message_id: str | None = None
    """Of a session's message; None: the answer to a single question."""
    rating: Rating | None = None
    """None: none given, or taken back."""
    comment: str = ""
    citation: str | None = None
    """Label of the citation (`N1`) that was clicked or is meant; None: the whole answer."""


class Spending(StrEnum):
    """What a day's budget counts."""

    ANSWERS = "answers"
    EMBEDDED_TOKENS = "embeddedTokens"


@dataclass(frozen=True, slots=True)
class DayUsage:
    """What a tenant has spent on one UTC day; only what has a limit is counted."""

    day: date
    answers: int = 0
    embedded_tokens: int = 0
    """Estimated, see `shared.language.estimates`."""


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """What is kept of a request by its `requestId`, so that a repeat gets the same answer."""

    fingerprint: str
    """Of the request's body: the same id with another one is a conflict."""
    expires_at: datetime
    lease_until: datetime | None
    """Until when one worker may be answering it; None: `answer` is there."""
    answer: str | None = None
    """The reply as JSON."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Id -> revision that was read, of the notes whose text may stand in the answer: when one of them is gone, so is
    the answer; one of another revision makes its citations stale. "": read before revisions were kept.
    """


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request's record and the store's opaque token of it, for compare-and-set. `record` None: there is none."""

    record: AnsweredRequest | None
    token: str | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure removed: kind (`notes`, `chunks`, …) -> how many. Kinds of which there was nothing are absent."""

    erased: Mapping[str, int]
