"""`python -m bench.scale > docs/scale.md`: what saving and asking cost on Google Cloud, and which limit is met first.

Nothing is measured here. Reads are the bounds that the tests hold the adapter's own counter to, index entries follow
firestore.indexes.json, rates follow cloudbuild.yaml; what people do and how long a note is, is assumed, and said.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from functions.routes.reconcile import BUDGET, WITHIN, WORKERS
from shared.account.prices import EMBEDDED, FIRESTORE, MODELS, ListPrice
from shared.account.prices import READ as READ_PRICE
from shared.adapters.firestore.documents import SHARDS, place_key
from shared.adapters.firestore.protocol import put
from shared.adapters.firestore.reads import vector_reads
from shared.model.notes import Folder
from tests.servers.firestore_indexes import VECTOR as VECTOR_FIELD
from tests.servers.firestore_indexes import IndexFile
from tests.servers.firestore_limits import cost

ROOT = Path(__file__).resolve().parents[1]

(MODEL,) = MODELS
PRICES = (
    READ_PRICE,
    ListPrice(of="documents written (multi-region)", usd=0.18, amount=100_000, source=FIRESTORE),
    ListPrice(of="GiB kept for a month (multi-region)", usd=0.18, amount=1, source=FIRESTORE),
    EMBEDDED,
    *MODELS[MODEL],
)
READ, WRITE, GIB_MONTH, EMBED, MODEL_IN, MODEL_OUT = (price.each for price in PRICES)

READS_OF_QUESTION, READS_AT_A_TIME = 125, 150
"""At most, beside the vector search, where no time restricts it and where one does. A test holds the counter to it."""
CHUNKS_OF_NOTE = 5
TOKENS_OF_CHUNK = 330
"""256, 15% repeated, and the header."""
BATCH = 10
QUESTION_TOKENS, PROMPT_TOKENS, ANSWER_TOKENS = 20, 3800, 200
"""A prompt holds at most 12,000 characters of passages, the rules and the question."""
VECTOR = array("f", bytes(4 * 768))
"""Of the default dimension."""

CHUNKS = (1_000, 10_000, 100_000, 1_000_000)
TENANTS = (10, 10_000, 1_000_000)
TENANT_CHUNKS, QUESTIONS_A_DAY, NOTES_A_DAY = 1_000, 5, 3
PEAK = 5
"""Times the average."""
SECONDS_OF_CHAT, SECONDS_OF_INDEXING = 3.0, 3.0
NOTES_OF_TENANT = TENANT_CHUNKS // CHUNKS_OF_NOTE
SECONDS_OF_READ = 0.02
"""Of one document, from a function in the database's region; assumed."""
SECONDS_OF_MENDING = 1.1
"""Of one note whose chunks are embedded again; assumed."""
READS_OF_SWEEP = 6
"""A note a day: its name, its record's name, and both again when they are compared. A test counts them."""
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

    @property
    def total(self) -> float:
        return self.documents + self.search + self.embedding + self.model


def question(chunks: int) -> Price:
    """Of one question to a tenant with so many chunks, no filter narrowing the search."""
    return Price(
        documents=READS_OF_QUESTION * READ,
        search=vector_reads(chunks) * READ,
        embedding=QUESTION_TOKENS * EMBED,
        model=PROMPT_TOKENS * MODEL_IN + ANSWER_TOKENS * MODEL_OUT,
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
    return Price(documents=documents, embedding=CHUNKS_OF_NOTE * TOKENS_OF_CHUNK * EMBED)


def vector_bytes() -> int:
    """Of the entries in all vector indexes of one chunk, in a folder and with two tags, by the documented sizes."""
    name = f"projects/p/databases/(default)/documents/tenants/{'t' * 28}/chunks/{'n' * 20}_000"
    place = place_key(Folder("default", "work"))
    fields = {"month": "2026-11", "day": "2026-11-01", "place": place, "tags": ("a", "b"), "embedding": VECTOR}
    indexes = IndexFile()
    every = cost(indexes, put(name, fields).update)[1]
    indexes.composites = [each for each in indexes.composites if each.fields[-1][1] != VECTOR_FIELD]
    return every - cost(indexes, put(name, fields).update)[1]


def instances(function: str) -> int:
    """How many requests of a function are served at once, by cloudbuild.yaml."""
    build = (ROOT / "cloudbuild.yaml").read_text()
    step = build[build.index(f"- id: {function}\n") :]
    found = [re.search(rf"--{name}=(\d+)", step) for name in ("concurrency", "max-instances")]
    first, second = (int(each[1]) for each in found if each)
    return first * second


def month(tenants: int) -> float:
    """USD of so many tenants, the daily sweep and the storage of vectors included."""
    a_day = QUESTIONS_A_DAY * question(TENANT_CHUNKS).total + NOTES_A_DAY * note().total
    storage = TENANT_CHUNKS * vector_bytes() / 2**30 * GIB_MONTH
    return tenants * (30 * (a_day + sweep()) + storage)


def sweep() -> float:
    """USD a day of looking at every note of a tenant."""
    return NOTES_OF_TENANT * READS_OF_SWEEP * READ


def swept_notes(seconds: float) -> int:
    """How many notes a day the sweep gets through where one takes so many seconds of one worker."""
    by_time = WITHIN.total_seconds() * WORKERS / seconds
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
        yield [what, f"{price.usd:.2f}", f"<{price.source}>", price.looked_up]


def _questions() -> Iterator[Sequence[str]]:
    for chunks in CHUNKS:
        price = question(chunks)
        search, share = f"{vector_reads(chunks):,}", f"{price.documents / price.total:.0%}"
        gib = f"{chunks * vector_bytes() / 2**30:,.1f}"
        yield [f"{chunks:,}", search, _usd(price.search), _usd(price.model), _usd(price.total), share, gib]


def _tenants() -> Iterator[Sequence[str]]:
    for tenants in TENANTS:
        asked, saved = rates(tenants)
        yield [f"{tenants:,}", f"{asked:,.2f}", f"{saved:,.2f}", _usd(month(tenants))]


def page() -> str:
    """The whole of docs/scale.md."""
    return "\n".join((_introduction(), _a_question(), _a_note(), _many_tenants(), _limits()))


def _introduction() -> str:
    return f"""# What it costs and where it stops

Made by `python -m bench.scale`; change that and not this page. USD by Google's list prices, without what is free, and
without Cloud Run:

{_table(["for", "USD", "source", "looked up"], _prices())}
"""


def _a_question() -> str:
    head = ["chunks of the tenant", "reads of the search", "its price", "the model", "a question", "documents", "GiB"]
    return f"""## A question

At most {READS_OF_QUESTION} documents read ({READS_AT_A_TIME} where the question names a time; a test counts them),
{QUESTION_TOKENS} tokens embedded, about {PROMPT_TOKENS:,} read and {ANSWER_TOKENS} written by the model. The vector
search reads its whole index, a read for each 100 chunks; a filter for a folder, a tag or a month narrows it.
"Documents" is the share that reading documents has in the price of the question, "GiB" what the tenant's vectors take
in all their indexes.

{_table(head, _questions())}
"""


def _a_note() -> str:
    return f"""## A saved note

Of {CHUNKS_OF_NOTE} chunks: {READS_OF_NOTE} reads, {writes_of_note()} writes (each chunk twice: with its words, which
are found at once, and with its vector), {CHUNKS_OF_NOTE * TOKENS_OF_CHUNK:,} tokens embedded: {_usd(note().total)}.
However many chunks the tenant has, it costs the same. A chunk with two tags takes
{vector_bytes() / 1024:,.0f} KiB in vector indexes.
"""


def _many_tenants() -> str:
    looked_at, mended = swept_notes(2 * SECONDS_OF_READ), swept_notes(SECONDS_OF_MENDING)
    return f"""## Many tenants

Each with {TENANT_CHUNKS:,} chunks, {QUESTIONS_A_DAY} questions and {NOTES_A_DAY} saved notes a day, the busiest second
{PEAK} times the average.

{_table(["tenants", "questions a second", "notes a second", "a month"], _tenants())}

The sweep looks at every note once a day: {READS_OF_SWEEP} reads each, {_usd(10_000 * sweep())} a day for 10,000 such
tenants, which the month includes. It looks at {WORKERS} notes side by side for {WITHIN.total_seconds():.0f} s of every
call, which is enough for {looked_at:,} notes a day at {SECONDS_OF_READ * 1000:.0f} ms a read: about
{looked_at // NOTES_OF_TENANT:,} such tenants. After a change of the embedding model it embeds {mended:,} notes a day
at {SECONDS_OF_MENDING} s a note; words find the others until then.
"""


def _limits() -> str:
    chat, index = instances("chat") / SECONDS_OF_CHAT, instances("on-note-write") / SECONDS_OF_INDEXING
    asking = int(chat * 86_400 / PEAK / QUESTIONS_A_DAY)
    saving, everybody = (int(rate * 86_400 / PEAK / NOTES_A_DAY) for rate in (index, HOT_WRITES))
    return f"""## Which limit is met first

- **One tenant: the price and time of the vector search.** It grows with the tenant's chunks, as the first table
  shows: from about {_crossing():,} chunks it costs more than the model does. Then narrow it (questions within a vault
  or a folder), or put an index behind the port's `nearest` that does not read everything: Vertex AI Vector Search, or
  AlloyDB with ScaNN. The other legs stay on Firestore.
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
