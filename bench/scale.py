"""`python -m bench.scale > docs/scale.md`: what saving and asking cost on Google Cloud, and which limit is met first.

Nothing is measured here. Reads are the bounds that the tests hold the adapter's own counter to, index entries follow
firestore.indexes.json, rates follow cloudbuild.yaml; what people do and how long a note is, is assumed, and said.
"""

from __future__ import annotations

import inspect
import math
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from bench.reads import vector_reads
from functions.routes.reconcile import BUDGET, WITHIN
from shared.account.prices import LOOKED_UP, MODELS, READ
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.documents import SHARDS, chunk_fields, note_fields, place_key
from shared.adapters.firestore.protocol import put
from shared.indexing.chunking import chunk
from shared.indexing.wanted import wanted_chunks
from shared.language.languages import detect
from shared.model.notes import Folder, Note
from shared.settings import CHAT_MODEL as MODEL
from shared.settings import EMBEDDING_MODEL, Settings
from tests.servers.firestore_indexes import VECTOR as VECTOR_FIELD
from tests.servers.firestore_indexes import IndexFile
from tests.servers.firestore_limits import cost

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPrice:
    """A price that Google lists, and where."""

    of: str
    each: float
    """USD."""
    amount: int = 1_000_000
    """Unit of the price: so many documents or tokens, or one GiB and month."""
    source: str


FIRESTORE = "https://cloud.google.com/firestore/pricing"
GEMINI = "https://ai.google.dev/gemini-api/docs/pricing"
CLOUD_RUN = "https://cloud.google.com/run/pricing"
PRICES = (
    ListPrice(of="documents read (multi-region)", each=READ, amount=100_000, source=FIRESTORE),
    ListPrice(of="documents written (multi-region)", each=0.18 / 100_000, amount=100_000, source=FIRESTORE),
    ListPrice(of="GiB kept for a month (multi-region)", each=0.18, amount=1, source=FIRESTORE),
    ListPrice(of=f"tokens embedded ({EMBEDDING_MODEL})", each=MODELS[EMBEDDING_MODEL].read, source=GEMINI),
    ListPrice(of=f"tokens read ({MODEL})", each=MODELS[MODEL].read, source=GEMINI),
    ListPrice(of=f"tokens written ({MODEL})", each=MODELS[MODEL].written, source=GEMINI),
    ListPrice(of="vCPU seconds of Cloud Run, while it serves", each=24 / 1_000_000, source=CLOUD_RUN),
    ListPrice(of="GiB seconds of Cloud Run's memory", each=2.5 / 1_000_000, source=CLOUD_RUN),
    ListPrice(of="requests to Cloud Run", each=0.40 / 1_000_000, source=CLOUD_RUN),
)
_, WRITE, GIB_MONTH, EMBED, MODEL_IN, MODEL_OUT, VCPU_SECOND, GIB_SECOND, REQUEST = (price.each for price in PRICES)

READS_OF_QUESTION, READS_AT_A_TIME = 125, 150
"""At most, beside the vector search, where no time restricts it and where one does. A test holds the counter to it."""
CHUNKS_OF_NOTE = 5
TOKENS_OF_CHUNK = 330
"""256, 15% repeated, and the header."""
BATCH = 10
QUESTION_TOKENS, PROMPT_TOKENS, ANSWER_TOKENS = 20, 3800, 200
"""A prompt holds at most 12,000 characters of passages, the rules and the question."""
TENANT = f"projects/p/databases/(default)/documents/tenants/{'t' * 28}"
VECTOR = array("f", bytes(4 * 768))
"""Of the default dimension."""

WORDS_OF_CHUNK = 256 * 4 * 85 // 100 // 6
"""What a chunk adds: 256 tokens of four bytes, of which 15% repeat the chunk before, in words of five letters."""
WORDS_A_DAY = 1_000
"""A person who writes much: a novel of 90,000 words in three months."""
MEMORY_GIB = 0.5
WARM_MINUTES = 15
"""How long Cloud Run may keep an instance that serves nobody, by its documentation at most."""

CHUNKS = (1_000, 10_000, 100_000, 1_000_000)
TENANTS = (10, 10_000, 1_000_000)
TENANT_CHUNKS, QUESTIONS_A_DAY, NOTES_A_DAY = 1_000, 5, 3
PEAK = 5
"""Times the average."""
SECONDS_OF_CHAT, SECONDS_OF_INDEXING = 3.0, 3.0
NOTES_OF_TENANT = TENANT_CHUNKS // CHUNKS_OF_NOTE
SECONDS_OF_READ = 0.02
"""Of one document, from a function in the database's region; assumed."""
READ_SECONDS: float = inspect.signature(FirestoreStore).parameters["read_seconds"].default
SECONDS_OF_MENDING = 1.1
"""Of one note whose chunks are embedded again; assumed."""
READS_OF_SWEEP = 6
"""A note a day: its name, its record's name, and both again when they are compared. A test counts them."""
WORKERS = Settings().sweep_workers
MANY_WORKERS = 32
SWEEPS_A_DAY = 86_400 // 300
"""By the schedule in cloudbuild.yaml."""
HOT_WRITES = 500
"""A second, to one index whose field grows with time: Firestore's advice, no hard limit."""


@dataclass(frozen=True, slots=True)
class Price:
    """USD, by what it is paid for."""

    documents: float = 0.0
    search: float = 0.0
    embedding: float = 0.0
    model: float = 0.0
    compute: float = 0.0

    @property
    def total(self) -> float:
        return self.documents + self.search + self.embedding + self.model + self.compute


def compute(seconds: float) -> float:
    """USD of Cloud Run for a request that an instance serves alone; side by side they share its seconds."""
    return seconds * (VCPU_SECOND + MEMORY_GIB * GIB_SECOND) + REQUEST


def question(chunks: int) -> Price:
    """Of one question to a tenant with so many chunks, no filter narrowing the search."""
    return Price(
        documents=READS_OF_QUESTION * READ,
        search=vector_reads(chunks) * READ,
        embedding=QUESTION_TOKENS * EMBED,
        model=PROMPT_TOKENS * MODEL_IN + ANSWER_TOKENS * MODEL_OUT,
        compute=compute(SECONDS_OF_CHAT),
    )


def writes_of_note() -> int:
    """The note, each chunk with its words and again with its vector, the record at the start and after each batch."""
    return 1 + 2 * CHUNKS_OF_NOTE + 1 + -(-CHUNKS_OF_NOTE // BATCH)


READS_OF_NOTE = 2 + 1 + 1 + 2
"""Its record and itself, a query for chunks that finds none, its folder, and both again when it is done.

The folder has other notes. A test counts these reads and writes.
"""


def note() -> Price:
    """Of saving a new note."""
    documents = writes_of_note() * WRITE + READS_OF_NOTE * READ
    embedding = CHUNKS_OF_NOTE * TOKENS_OF_CHUNK * EMBED
    return Price(documents=documents, embedding=embedding, compute=compute(SECONDS_OF_INDEXING))


def vector_bytes() -> int:
    """Of the entries in all vector indexes of one chunk, in a folder and with two tags, by the documented sizes."""
    name = f"{TENANT}/chunks/{'n' * 20}_000"
    place = place_key(Folder("default", "work"))
    fields = {"month": "2026-11", "day": "2026-11-01", "place": place, "tags": ("a", "b"), "embedding": VECTOR}
    indexes = IndexFile()
    every = cost(indexes, put(name, fields).update)[1]
    indexes.composites = [each for each in indexes.composites if each.fields[-1][1] != VECTOR_FIELD]
    return every - cost(indexes, put(name, fields).update)[1]


@cache
def stored() -> tuple[int, int]:
    """Index entries and bytes of a chunk without those of vectors: its document, the entries of its words, its share
    of the note. The mean over the strangers' notes in examples/, by the documented sizes.
    """
    indexes, now = IndexFile(), datetime(2026, 11, 1, tzinfo=UTC)
    entries = size = count = 0
    for number, file in enumerate(sorted((ROOT / "examples/strangers/notes").rglob("*.md"))):
        text = file.read_text(encoding="utf-8")
        note = Note(f"{number:020d}", file.stem, text, now, now, path=f"{file.parent.name}/{file.name}")
        lang = detect(text)
        chunks = wanted_chunks(note, chunk(text, lang=lang), lang=lang, revision="0" * 16, index_version="v")
        size += cost(indexes, put(f"{TENANT}/notes/{note.note_id}", note_fields(note)).update)[1]
        for each in chunks:
            fields = {**chunk_fields("t" * 28, each), "embedded": "v"}
            found = cost(indexes, put(f"{TENANT}/chunks/{each.chunk_id}", fields).update)
            entries, size, count = entries + found[0], size + found[1], count + 1
    return entries // count, size // count


def instances(function: str) -> int:
    """How many requests of a function are served at once, by cloudbuild.yaml."""
    build = (ROOT / "cloudbuild.yaml").read_text()
    step = build[build.index(f"- id: {function}\n") :]
    found = [re.search(rf"--{name}=(\d+)", step) for name in ("concurrency", "max-instances")]
    first, second = (int(each[1]) for each in found if each)
    return first * second


def month(tenants: int) -> float:
    """USD of so many tenants, the daily sweep and everything that is stored included."""
    a_day = QUESTIONS_A_DAY * question(TENANT_CHUNKS).total + NOTES_A_DAY * note().total
    storage = gib(TENANT_CHUNKS) * GIB_MONTH
    return tenants * (30 * (a_day + sweep()) + storage) + 30 * SWEEPS_A_DAY * REQUEST


def gib(chunks: int) -> float:
    """Everything that is stored of a tenant."""
    return chunks * (vector_bytes() + stored()[1]) / 2**30


def cold(tenants: int) -> float:
    """How many questions a day find no warm instance, where they come evenly and by chance: none came just before."""
    a_day = tenants * QUESTIONS_A_DAY
    return a_day * math.exp(-WARM_MINUTES * a_day / 1440)


def sweep() -> float:
    """USD a day of looking at every note of a tenant."""
    seconds = 2 * SECONDS_OF_READ * NOTES_OF_TENANT / WORKERS
    return NOTES_OF_TENANT * READS_OF_SWEEP * READ + seconds * (VCPU_SECOND + MEMORY_GIB * GIB_SECOND)


READS_OF_CHANGE = 2 + 2 * CHUNKS_OF_NOTE + 2
"""Of embedding a note again: its record and itself, its chunks, their vectors, and the first two again. A test counts
them, and that it writes what saving does but for the note."""


def model_change() -> float:
    """USD of embedding every note of a tenant again."""
    documents = READS_OF_CHANGE * READ + (writes_of_note() - 1) * WRITE
    embedding = CHUNKS_OF_NOTE * TOKENS_OF_CHUNK * EMBED
    run = SECONDS_OF_MENDING / WORKERS * (VCPU_SECOND + MEMORY_GIB * GIB_SECOND)
    return NOTES_OF_TENANT * (documents + embedding + run)


def swept_notes(seconds: float, workers: int = WORKERS) -> int:
    """How many notes a day the sweep gets through where one takes so many seconds of one worker."""
    by_time = WITHIN.total_seconds() * workers / seconds
    return int(SWEEPS_A_DAY * min(by_time, BUDGET / 2))


def rates(tenants: int) -> tuple[float, float]:
    """Questions and notes a second at the busiest."""
    return tuple(PEAK * tenants * each / 86_400 for each in (QUESTIONS_A_DAY, NOTES_A_DAY))  # type: ignore[return-value]


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _usd(amount: float) -> str:
    return f"{amount:.5f}" if amount < 1 else f"{amount:,.0f}"


def _prices() -> Iterator[Sequence[str]]:
    for price in PRICES:
        what = price.of if price.amount == 1 else f"{price.amount:,} {price.of}"
        yield [what, f"{price.each * price.amount:.2f}", f"<{price.source}>", LOOKED_UP]


def _questions() -> Iterator[Sequence[str]]:
    for chunks in CHUNKS:
        price = question(chunks)
        search, share = f"{vector_reads(chunks):,}", f"{price.documents / price.total:.0%}"
        run = _usd(price.compute)
        yield [f"{chunks:,}", search, _usd(price.search), _usd(price.model), run, _usd(price.total), share]


def _sizes() -> Iterator[Sequence[str]]:
    for chunks in CHUNKS[1:]:
        words = chunks * WORDS_OF_CHUNK
        years = f"{words / WORDS_A_DAY / 365:,.0f}"
        scanned = chunks * 8 * len(VECTOR) / 2**30
        rate = f"{chunks / READ_SECONDS:,.0f} ({scanned:,.2f} GiB)"
        month = f"{gib(chunks) * GIB_MONTH:,.2f}"
        made = f"{chunks * (TOKENS_OF_CHUNK * EMBED + 2 * WRITE):,.2f}"
        yield [
            f"{chunks:,}",
            f"{words:,}",
            years,
            f"{gib(chunks):,.1f}",
            month,
            made,
            f"{vector_reads(chunks):,}",
            rate,
        ]


def _tenants() -> Iterator[Sequence[str]]:
    for tenants in TENANTS:
        asked, saved = rates(tenants)
        share = f"{cold(tenants) / (tenants * QUESTIONS_A_DAY):.0%}"
        yield [
            f"{tenants:,}",
            f"{asked:,.2f}",
            f"{saved:,.2f}",
            f"{cold(tenants):,.0f} ({share})",
            _usd(month(tenants)),
        ]


def page() -> str:
    """The whole of docs/scale.md."""
    return "\n".join((_introduction(), _a_question(), _a_note(), _one_tenant(), _many_tenants(), _limits()))


def _introduction() -> str:
    return f"""# What it costs and where it stops

Made by `python -m bench.scale`; change that and not this page. USD by Google's list prices, without what is free. Cloud
Run is counted as if each request had an instance to itself; side by side they share it, and cost less:

{_table(["for", "USD", "source", "looked up"], _prices())}
"""


def _a_question() -> str:
    head = [
        "chunks of the tenant",
        "reads of the search",
        "its price",
        "the model",
        "Cloud Run",
        "a question",
        "documents",
    ]
    return f"""## A question

At most {READS_OF_QUESTION} documents read ({READS_AT_A_TIME} where the question names a time; a test counts them; twice
as many where a misspelled word is searched again as the notes have it),
{QUESTION_TOKENS} tokens embedded, about {PROMPT_TOKENS:,} read and {ANSWER_TOKENS} written by the model. The vector
search reads its whole index, a read for each 100 chunks; a filter for a folder, a tag or a month narrows it. An answer
takes {SECONDS_OF_CHAT:.0f} s (assumed). "Documents" is the share that reading documents has in the price.

{_table(head, _questions())}
"""


def _a_note() -> str:
    return f"""## A saved note

Of {CHUNKS_OF_NOTE} chunks: {READS_OF_NOTE} reads, {writes_of_note()} writes (each chunk twice: with its words, which
are found at once, and with its vector), {CHUNKS_OF_NOTE * TOKENS_OF_CHUNK:,} tokens embedded: {_usd(note().total)}.
However many chunks the tenant has, it costs the same. A chunk with two tags takes {vector_bytes() / 1024:,.0f}
KiB in vector indexes and {stored()[1] / 1024:,.0f} KiB otherwise: itself, its share of the note and
{stored()[0]} index entries, nearly all of them of its words (the mean over the strangers' notes in examples/).
"""


def _one_tenant() -> str:
    head = ["chunks", "words", "years of writing", "GiB", "USD a month", "USD to index", "reads of a search",
            "entries a second"]  # fmt: skip
    return f"""## How large one tenant gets

A chunk adds about {WORDS_OF_CHUNK} words, so somebody who writes {WORDS_A_DAY:,} words a day, and keeps them all, needs
centuries for the last row; a team of a hundred such people, or an archive that is imported, gets there.

{_table(head, _sizes())}

"GiB" and "USD a month" are all that is stored; "USD to index" is the first time, or after a change of the
embedding model. The vector index is flat: exact, nothing to tune, and each search reads all of it, in money
("reads of a search") and in time. Google documents no time for it and the emulator's says nothing of
production, so the table turns the question round: "entries a second" is how fast the index must be read for the
search to end within the deadline of {READ_SECONDS:.0f} s that one request to Firestore has. Slower than that,
the leg falls silent: the answer comes from words and time alone, the log has a warning,
`meta.retrieval.failedLegs` names `vector`. `timingsMs.candidates` in the log
tells long before how near that is. A vault, a folder, a tag or a month in the question narrows the search to
what it names.

Another engine would enter where nothing else has to know of it:

1. **The port.** `SearchStore.nearest` (`shared/ports/stores.py`) is the only place that asks for neighbours:
   tenant, vector, restriction, index version in, chunks with their cosine out. The contract tests of the stores
   say what it promises.
2. **The outbox.** Vectors are written in the same commit that moves the note's record (`Store.apply`). An
   engine beside Firestore takes them from a document of that commit, so that none is lost and none is sent that
   was not committed.
3. **The repair.** The sweep compares notes with records and indexes again what differs; what an engine lost
   while it was away is one more thing that a record can say.

No such engine is here: nobody has asked for one, and Vertex AI Vector Search or AlloyDB with ScaNN run, and
cost, also while nobody asks.
"""


def _many_tenants() -> str:
    looked_at, mended = swept_notes(2 * SECONDS_OF_READ), swept_notes(SECONDS_OF_MENDING)
    faster, notes = swept_notes(SECONDS_OF_MENDING, MANY_WORKERS), 10_000 * NOTES_OF_TENANT
    return f"""## Many tenants

Each with {TENANT_CHUNKS:,} chunks, {QUESTIONS_A_DAY} questions and {NOTES_A_DAY} saved notes a day, the busiest second
{PEAK} times the average.

{_table(["tenants", "questions a second", "notes a second", "cold a day", "a month"], _tenants())}

"Cold" are questions that find no instance because none came in the {WARM_MINUTES} minutes before, which is how
long Cloud Run may keep one (at night more are, by day fewer); with few tenants most are, and wait for a start
([measured](measured.md)). `--min-instances=1` on `chat` keeps one for about
{30 * 86_400 * (VCPU_SECOND / 10 + MEMORY_GIB * GIB_SECOND):,.0f} a month (an idle vCPU is a tenth of the
price).

The sweep looks at every note once a day: {READS_OF_SWEEP} reads each, {_usd(10_000 * sweep())} a day for 10,000 such
tenants, which the month includes. It looks at {WORKERS} notes side by side for {WITHIN.total_seconds():.0f} s of every
call, which is enough for {looked_at:,} notes a day at {SECONDS_OF_READ * 1000:.0f} ms a read: about
{looked_at // NOTES_OF_TENANT:,} such tenants. After a change of the embedding model, or where every event was lost,
it embeds {mended:,} notes a day at {SECONDS_OF_MENDING} s a note. `SWEEP_WORKERS={MANY_WORKERS}` makes it
{faster:,}, as far as the model's quota goes: 10,000 tenants' {notes:,} notes are found and embedded in
{24 * notes / faster:.0f} hours ([simulated](../tests/sweep/test_pace.py)) for {_usd(10_000 * model_change())},
and twice the vectors until then, while
[the model of before answers](operate.md#another-embedding-model).
"""


def _limits() -> str:
    chat, index = instances("chat") / SECONDS_OF_CHAT, instances("on-note-write") / SECONDS_OF_INDEXING
    asking = int(chat * 86_400 / PEAK / QUESTIONS_A_DAY)
    saving, everybody = (int(rate * 86_400 / PEAK / NOTES_A_DAY) for rate in (index, HOT_WRITES))
    return f"""## Which limit is met first

- **One tenant: the price and time of the vector search.** It grows with the tenant's chunks, as the first table
  shows: from about {_crossing():,} chunks it costs more than the model does. Then narrow it (questions within a vault
  or a folder), or put another engine behind [the port](#how-large-one-tenant-gets). The other legs stay on Firestore.
- **One tenant's import: 500 writes a second** to a collection whose indexed field grows with time, as `createdAt` of
  new notes does (Firestore's advice, no hard limit). on-note-write as deployed makes at most
  {2 * CHUNKS_OF_NOTE * index:.0f}.
- **All tenants: how many requests are served at once.** `chat` serves {instances("chat")} and on-note-write
  {instances("on-note-write")}, by [cloudbuild.yaml](../cloudbuild.yaml), to bound the bill. If an answer and a note
  take {SECONDS_OF_CHAT:.0f} s each, that is enough for {asking:,} such tenants asking and
  {saving:,} saving. Raise `--max-instances`, and with it the model's quota of tokens a minute, which is
  the project's own.
- **Then the database: about {HOT_WRITES} saved notes a second of all tenants together**, {everybody:,} such tenants:
  `updatedAt` of notes grows with time and has one index over all tenants (Firestore's advice, no hard limit). By it the
  sweep finds within minutes what no event told of. It has no shards because apps write notes themselves and know of
  none: a note without one would never be found. Nor can the sweep ask tenant by tenant: who has changed something is
  told by events alone, and those that were lost are what it looks for. Without the index a lost event is noticed by the
  daily sweep. Tenants can be spread over several databases (100 a project) by the tenant's id.
- **Then records that are being indexed: about {HOT_WRITES * len(SHARDS) // 2:,} saved notes a second of all tenants
  together.** Only a record that is unfinished is in the index over all tenants by `indexedAt`, in one of {len(SHARDS)}
  shards that each take {HOT_WRITES} writes a second; a saved note enters it and leaves it. Tenants share nothing else
  that grows with time.
"""


def _crossing() -> int:
    """Chunks from which the vector search costs more than the model."""
    return round(question(0).model / READ) * 100


if __name__ == "__main__":
    print(page(), end="")
