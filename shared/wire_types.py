"""The JSON objects clients read, as types: `shared.wire` makes them, `/openapi.json` describes them.

Instants are RFC 3339 in UTC (`2026-01-15T10:30:00.000Z`); offsets count UTF-16 units of the note's text; scores and
similarities lie in [0, 1]. Objects may gain fields; none is ever taken away.

An `answer` is Markdown in which nothing acts: no image, no HTML outside code, no link to an address that neither the
question nor a source holds. Everything else that comes from notes (`snippet`, `quote`, `title`, `headingPath`, `path`,
`vault`, `folder`, tags, names) is data, to the letter: clients show it as text, never as Markdown or HTML.
"""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic describes typing's own only from Python 3.12 on


class SpanJson(TypedDict):
    """Half-open `[start, end)` into the note's text."""

    start: int
    end: int


class ScoresJson(TypedDict):
    """The parts of a score as they entered it, and the similarity that thresholds compare with."""

    vector: float
    keyword: float
    recency: float
    similarity: float


class ResultJson(TypedDict):
    """A passage that was found."""

    noteId: str
    chunkId: str
    title: str
    vault: str
    path: str
    headingPath: str
    createdAt: str
    snippet: str
    span: SpanJson
    score: float
    scores: ScoresJson


class SupportJson(TypedDict):
    """How far the cited passage backs the sentences that cite it. `quoted`: they are the note's own, and nobody judged
    whether they answer; the score is then how near they lie to the question.
    """

    state: Literal["supported", "partial", "unsupported", "quoted"]
    score: float


class CitationJson(TypedDict):
    """A label in the answer and the exact passage it points at. `support` null: not judged; `stale`: the note has
    changed since it was read; of a deleted one the texts are empty.
    """

    cid: str
    noteId: str
    chunkId: str
    createdAt: str
    snippet: str
    score: float
    title: str
    vault: str
    path: str
    folder: str
    headingPath: str
    position: int
    span: SpanJson
    quote: str
    scores: ScoresJson
    support: SupportJson | None
    stale: bool


class TimeRangeJson(TypedDict):
    """The time a question was understood to name. `start` and `end` null: open; `widened` null: not widened;
    `restricts` false: notes near to it come first, and none is left out.
    """

    start: str | None
    end: str | None
    phrase: str
    zone: str
    days: int | None
    widened: str | None
    restricts: bool


class QueryJson(TypedDict):
    """A question taken apart."""

    keywords: list[str]
    timeRange: TimeRangeJson | None


class RerankerJson(TypedDict):
    """The reranker that was asked. `failure` null: the order is its."""

    model: str
    failure: str | None


class SilentLegJson(TypedDict):
    """A search that failed, and why."""

    leg: str
    reason: str


class RetrievalJson(TypedDict):
    """How the passages were found. `reranker` null: none is configured."""

    k: int
    strategy: str
    candidateCount: int
    rerankCount: int
    timeMs: int
    reranker: RerankerJson | None
    silentLegs: list[SilentLegJson]


class NearestJson(ResultJson):
    """A passage that came near. `quote`: what of it lies nearest to the question, as it stands in the note at
    `quoteSpan`; `snippet`: the same as it reads best.
    """

    quote: str
    quoteSpan: SpanJson


class RefusalJson(TypedDict):
    """Why there is no answer from the notes, and the notes that came nearest."""

    reason: str
    nearest: list[NearestJson]


class ChosenTemplateJson(TypedDict):
    """The template the writer was given. `score` null: the caller named it."""

    id: str
    name: str
    score: float | None


class UsageJson(TypedDict):
    """Tokens billed."""

    inputTokens: int
    outputTokens: int


class GroundingJson(TypedDict):
    """Share of the citations that matter, and of the factual sentences that are fully supported by what they cite."""

    precision: float
    recall: float


class AnswerMetaJson(TypedDict):
    """How an answer came about. `answerKind`: `written`, or `quoted` where no model wrote and passages of the notes are
    quoted, which nobody says answer. `removedCitations`: labels the writer made up, as they stood in its draft.
    """

    model: str
    answerKind: Literal["written", "quoted"]
    retrieval: RetrievalJson
    requestId: str
    sessionId: str | None
    offsetUnit: Literal["utf16"]
    query: QueryJson | None
    refusal: RefusalJson | None
    grounding: GroundingJson | None
    removedCitations: list[str]
    template: ChosenTemplateJson | None
    usage: UsageJson
    timings: dict[str, float]


class AnswerJson(TypedDict):
    """An answer whose every label points at a passage it was written from."""

    answer: str
    citations: list[CitationJson]
    meta: AnswerMetaJson


class StartJson(TypedDict):
    """The first event of a stream; it comes before anything is looked for."""

    requestId: str
    sessionId: str | None


class SourcesJson(TypedDict):
    """The passages that the writer is given; none with a refusal."""

    sources: list[ResultJson]


class TokenJson(TypedDict):
    """The next words of the answer. A marker like `[N1]` is never cut in two."""

    text: str


RetractJson = TypedDict("RetractJson", {"from": int, "reason": str})
"""The answer's text from this UTF-16 offset on is taken back, and why."""


class ReferenceJson(TypedDict):
    """A passage that an answer was written from."""

    vault: str
    relPath: str
    headingPath: str
    chunkIndex: int
    noteId: str
    chunkId: str
    title: str


class PlaceJson(TypedDict):
    """A folder that was searched, and what scores there were multiplied by."""

    vault: str
    folder: str
    weight: float
    chosenBy: str


class AskMetaJson(AnswerMetaJson):
    """The same, and where was looked."""

    folders: list[PlaceJson]
    silentVaults: list[str]


class AskJson(TypedDict):
    """An answer from chosen folders."""

    answer: str
    references: list[ReferenceJson]
    citations: list[CitationJson]
    meta: AskMetaJson


class SearchMetaJson(TypedDict):
    """How passages were found."""

    retrieval: RetrievalJson
    requestId: str
    offsetUnit: Literal["utf16"]
    query: QueryJson
    timings: dict[str, float]


class SearchJson(TypedDict):
    """Passages, best first."""

    results: list[ResultJson]
    meta: SearchMetaJson


class LegJson(TypedDict):
    """What one leg knows of a passage: rank from 1 (null: it did not bring it), part, weight, and what both add."""

    rank: int | None
    score: float
    weight: float
    adds: float


class VectorLegJson(LegJson):
    """`cosine` null: no vector was compared."""

    cosine: float | None
    similarity: float


class KeywordLegJson(LegJson):
    """`stems`: which of the question's stand in the passage."""

    bm25: float
    stems: list[str]


class RecencyLegJson(LegJson):
    """The age of the passage's note."""

    ageDays: float


class LegsJson(TypedDict):
    """The three legs of a score."""

    vector: VectorLegJson
    keyword: KeywordLegJson
    recency: RecencyLegJson


class ExplainedPassageJson(ResultJson):
    """A passage and what became of it. `reason` null: it is in the result."""

    inResult: bool
    reason: str | None
    detail: str | None
    candidate: bool
    rank: int | None
    mergedInto: str | None
    legs: LegsJson


class IndexStatusJson(TypedDict):
    """How far the index has followed a note. `missing`: it has not seen it; `current`: it holds this very text."""

    noteId: str
    status: Literal["missing", "indexed", "pending_embeddings", "failed"]
    current: bool
    chunkCount: int
    indexVersion: NotRequired[str]
    noteRevision: NotRequired[str]
    indexedAt: NotRequired[str]
    attempts: NotRequired[int]
    error: NotRequired[str | None]


class ExplainedNoteJson(TypedDict):
    """A note and what became of its passages."""

    noteId: str
    inResult: bool
    reason: str | None
    detail: str | None
    chunkCount: int
    chunks: list[ExplainedPassageJson]
    index: IndexStatusJson


class ExplainMetaJson(SearchMetaJson):
    """The same, and what was asked of every passage."""

    threshold: float
    legSize: int


class ExplainJson(TypedDict):
    """How a search saw each note in question."""

    notes: list[ExplainedNoteJson]
    results: list[ResultJson]
    meta: ExplainMetaJson


class ListedNoteJson(TypedDict):
    """A note in a list."""

    noteId: str
    title: str
    createdAt: str
    updatedAt: str
    vault: str
    path: str
    tags: list[str]
    lang: str | None


class NoteJson(ListedNoteJson):
    """A note. `revision` changes with whatever a person can change of it, and with nothing else."""

    text: str
    revision: str


class OriginJson(TypedDict):
    """The file that a note came from. `folder` null: it cannot be reached from here, and stays as it is.

    `writeBack`: whether saving the note writes it; null: nobody was asked yet. `state`: who has changed since both were
    the same; null: that cannot be seen from here.
    """

    folder: str | None
    path: str
    writeBack: bool | None
    state: Literal["same", "note", "file", "both"] | None


class OpenNoteJson(NoteJson):
    """A note and where it came from. `origin` null: from no file."""

    origin: OriginJson | None


class NotesJson(TypedDict):
    """A page of notes by id. `nextPageToken` null: it was the last."""

    notes: list[ListedNoteJson]
    nextPageToken: str | None


class ImportedJson(TypedDict):
    """A Markdown file as the note it became. `problem` null: nothing is odd about the file."""

    note: ListedNoteJson
    problem: str | None


class ListedTemplateJson(TypedDict):
    """A reasoning template in a list."""

    templateId: str
    name: str
    domain: str
    complexity: str
    methodology: str
    keywords: list[str]
    description: str


class TemplateJson(ListedTemplateJson):
    """A reasoning template."""

    content: str


class TemplatesJson(TypedDict):
    """All templates by id. `ready`: every one of them is found by similarity."""

    templates: list[ListedTemplateJson]
    ready: bool


class TemplateMatchJson(TemplateJson):
    """A template and its similarity to a question."""

    score: float | None


class TemplateMatchesJson(TypedDict):
    """Templates, the most similar first; never empty."""

    templates: list[TemplateMatchJson]


class CoverageJson(TypedDict):
    """How many of a tenant's notes are in which state."""

    notes: int
    indexed: int
    pendingEmbeddings: int
    failed: int
    missing: int


class FeedbackJson(TypedDict):
    """What was said of an answer. `messageId` null: it was no session's; `citation` null: the whole answer is meant."""

    feedbackId: str
    requestId: str
    messageId: str | None
    rating: str | None
    comment: str
    citation: str | None
    createdAt: str


class ReceiptJson(TypedDict):
    """What was erased: kind -> how many; kinds of which there was nothing are absent."""

    erased: dict[str, int]


class ReconcileJson(TypedDict):
    """What one reconcile found and did; of a dry run, what it would embed. `complete` false: call again."""

    examined: int
    found: dict[str, int]
    indexed: int
    deleted: int
    failed: int
    postponed: int
    texts: int
    tokens: int
    complete: bool
    dryRun: bool


ErrorDetailJson = TypedDict(
    "ErrorDetailJson",
    {"@type": NotRequired[str], "reason": str, "domain": str, "metadata": NotRequired[dict[str, str]]},
)
"""`metadata` names the `field` that was bad and what was `expected`. Callables get no `@type`."""


class ErrorStatusJson(TypedDict):
    """`status` is Google's canonical name of the error."""

    code: int
    status: str
    message: str
    details: list[ErrorDetailJson]


class ErrorJson(TypedDict):
    """A Google JSON error."""

    error: ErrorStatusJson


class SessionSettingsJson(TypedDict):
    """How a session's questions are answered. `model` null: the configured one."""

    useNotes: bool
    topK: int
    threshold: float
    includeCitations: bool
    systemPrompt: str
    model: str | None
    maxContextTokens: int
    maxHistory: int


class SessionJson(TypedDict):
    """A conversation."""

    sessionId: str
    title: str
    createdAt: str
    updatedAt: str
    messageCount: int
    settings: SessionSettingsJson


class SessionsJson(TypedDict):
    """One page of sessions, last changed first. `nextPageToken` null: the last one."""

    sessions: list[SessionJson]
    nextPageToken: str | None


class MessageJson(TypedDict):
    """One message. `citations` and `meta` are those of the answer; `meta` null: it is a question.

    A question and its answer have one `requestId`, for turns of two clients may mingle; null: an older message.
    """

    messageId: str
    requestId: str | None
    role: Literal["user", "assistant"]
    text: str
    createdAt: str
    citations: list[CitationJson]
    meta: AnswerMetaJson | None


class MessagesJson(TypedDict):
    """One page of messages in the order of time; the first page holds the newest."""

    messages: list[MessageJson]
    nextPageToken: str | None


class NoteLineJson(NoteJson):
    """A note, as a line of an export."""

    type: Literal["note"]


class TemplateLineJson(TemplateJson):
    """A template, as a line of an export."""

    type: Literal["template"]


class SessionLineJson(SessionJson):
    """A conversation, as a line of an export; its messages follow."""

    type: Literal["session"]


class MessageLineJson(MessageJson):
    """A message, as a line of an export."""

    type: Literal["message"]
    sessionId: str


class FeedbackLineJson(FeedbackJson):
    """What was said of an answer, as a line of an export."""

    type: Literal["feedback"]


class UsageLineJson(TypedDict):
    """What was spent on one day (UTC), as a line of an export."""

    type: Literal["usage"]
    day: str
    answers: int
    embeddedTokens: int


class EndLineJson(TypedDict):
    """The last line of an export: how many there were of each type. Without it the export was cut off."""

    type: Literal["end"]
    counts: dict[str, int]


class ErrorLineJson(ErrorJson):
    """The last line of an export that failed half-way."""

    type: Literal["error"]


class GraphQLErrorJson(TypedDict):
    """What went wrong. `path` leads to the field in which it did; it is absent where the document is what is wrong.
    `extensions` holds `code` and `reason` as REST has them, and the bad `field`.
    """

    message: str
    path: NotRequired[list[str | int]]
    extensions: dict[str, str]


class GraphQLJson(TypedDict):
    """What was asked for, by the names of its fields. `data` null: nothing could be had; absent: nothing was run."""

    data: NotRequired[dict[str, object] | None]
    errors: NotRequired[list[GraphQLErrorJson]]
