"""`python -m bench.scale`: prints the tables of docs/scale.md, the price of saving and asking on Google Cloud.

Nothing is measured here. Reads are the bounds that the tests hold the adapter's own counter to, index entries follow
firestore.indexes.json, rates follow cloudbuild.yaml; the habits of people and the length of a note are assumed.
"""

from __future__ import annotations

import inspect
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from bench.indexing_memory import LIMIT as INSTANCE_MIB
from bench.indexing_memory import MEASURED
from bench.indexing_memory import WORKERS as WORKERS_OF_MEMORY
from bench.reads import vector_reads
from functions.routes.reconcile import BUDGET, WITHIN
from shared.account.prices import LOOKED_UP, MODELS, READ
from shared.adapters.firestore import FirestoreStore
from shared.adapters.firestore.documents import SHARDS, chunk_fields, folder_key, note_fields
from shared.adapters.firestore.protocol import put
from shared.indexing.chunking import chunk
from shared.indexing.diff import wanted_note
from shared.indexing.gate import LIMIT as GATE_BYTES
from shared.indexing.gate import PATIENCE
from shared.indexing.gate import SHORT as SHORT_BYTES
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
    ListPrice(
        of="documents read (multi-region)",
        each=READ,
        amount=100_000,
        source=FIRESTORE,
    ),
    ListPrice(
        of="documents written (multi-region)",
        each=0.18 / 100_000,
        amount=100_000,
        source=FIRESTORE,
    ),
    ListPrice(
        of="GiB kept for a month (multi-region)",
        each=0.18,
        amount=1,
        source=FIRESTORE,
    ),
    ListPrice(
        of=f"tokens embedded ({EMBEDDING_MODEL})",
        each=MODELS[EMBEDDING_MODEL].read,
        source=GEMINI,
    ),
    ListPrice(
        of=f"tokens read ({MODEL})",
        each=MODELS[MODEL].read,
        source=GEMINI,
    ),
    ListPrice(
        of=f"tokens written ({MODEL})",
        each=MODELS[MODEL].written,
        source=GEMINI,
    ),
    ListPrice(
        of="vCPU seconds of Cloud Run, while it serves",
        each=24 / 1_000_000,
        source=CLOUD_RUN,
    ),
    ListPrice(
        of="GiB seconds of Cloud Run's memory",
        each=2.5 / 1_000_000,
        source=CLOUD_RUN,
    ),
    ListPrice(
        of="requests to Cloud Run",
        each=0.40 / 1_000_000,
        source=CLOUD_RUN,
    ),
)
WRITE = PRICES[1].each
GIB_MONTH = PRICES[2].each
EMBED = PRICES[3].each
MODEL_IN = PRICES[4].each
MODEL_OUT = PRICES[5].each
VCPU_SECOND = PRICES[6].each
GIB_SECOND = PRICES[7].each
REQUEST = PRICES[8].each

READS_OF_QUESTION = 125
"""Most documents read beside the vector search, without a time in the question. A test holds the counter to it."""
READS_AT_A_TIME = 150
"""Most documents read where the question names a time."""
CHUNKS_OF_NOTE = 5
TOKENS_OF_CHUNK = 330
"""256, 15% repeated, and the header."""
BATCH = 10
QUESTION_TOKENS = 20
PROMPT_TOKENS = 3800
"""At most 12,000 characters of passages, the rules and the question."""
ANSWER_TOKENS = 200
TENANT = f"projects/p/databases/(default)/documents/tenants/{'t' * 28}"
VECTOR = array("f", bytes(4 * 768))
"""A vector of the default dimension."""

WORDS_OF_CHUNK = 256 * 4 * 85 // 100 // 6
"""Words that a chunk adds: 256 tokens of four bytes, of which 15% repeat the chunk before, in words of five letters."""
WORDS_A_DAY = 1_000
"""A person who writes much: a novel of 90,000 words in three months."""
MEMORY_GIB = 0.5
WARM_MINUTES = 15
"""Longest time that Cloud Run keeps an instance that serves nobody, by its documentation."""

CHUNKS = (1_000, 10_000, 100_000, 1_000_000)
TENANTS = (10, 10_000, 1_000_000)
TENANT_CHUNKS = 1_000
QUESTIONS_A_DAY = 5
NOTES_A_DAY = 3
PEAK = 5
"""Times the average."""
SECONDS_OF_CHAT = 3.0
SECONDS_OF_INDEXING = 3.0
NOTES_OF_TENANT = TENANT_CHUNKS // CHUNKS_OF_NOTE
SECONDS_OF_READ = 0.02
"""Time of reading one document from a function in the database's region; assumed."""
READ_SECONDS: float = inspect.signature(FirestoreStore).parameters["read_seconds"].default
SECONDS_OF_MENDING = 1.1
"""Time of embedding the chunks of one note again; assumed."""
READS_OF_SWEEP = 6
"""A note a day: its name, its record's name, and both again when they are compared. A test counts them."""
READS_OF_CALL = 8
"""Reads of a sweep with nothing to do, however much waits for a later time; one is of the database's owner, which an
instance believes for less than the time between two calls. A test counts them.
"""
READS_OF_TENANT = 3
"""A day: the tenant's first chunk, and two counts. A test counts them."""
WORKERS = Settings().sweep_workers
MANY_WORKERS = 32
SWEEPS_A_DAY = 86_400 // 300
"""By the schedule in cloudbuild.yaml."""
HOT_WRITES = 500
"""A second, to one index whose field grows with time: Firestore's advice, no hard limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Price in USD, by what it is paid for."""

    documents: float = 0.0
    search: float = 0.0
    embedding: float = 0.0
    model: float = 0.0
    compute: float = 0.0

    @property
    def total(self) -> float:
        return self.documents + self.search + self.embedding + self.model + self.compute


# -- prices


def instance_usd(seconds: float) -> float:
    """Returns USD of an instance of Cloud Run for so many seconds."""
    return seconds * (VCPU_SECOND + MEMORY_GIB * GIB_SECOND)


def question(chunks: int) -> Price:
    """Returns the price of one question to a tenant with so many chunks, no filter narrowing the search."""
    return Price(
        documents=READS_OF_QUESTION * READ,
        search=vector_reads(chunks) * READ,
        embedding=QUESTION_TOKENS * EMBED,
        model=PROMPT_TOKENS * MODEL_IN + ANSWER_TOKENS * MODEL_OUT,
        compute=instance_usd(SECONDS_OF_CHAT) + REQUEST,
    )


def writes_of_note() -> int:
    """Returns the documents written for a new note.

    They are the note, each chunk with its words and again with its vector, and the record: when a worker claims the
    note, with the words, and after each batch.
    """
    batches = math.ceil(CHUNKS_OF_NOTE / BATCH)
    return 1 + 2 * CHUNKS_OF_NOTE + 2 + batches


READS_OF_NOTE = 2 + 1 + 1 + 2
"""Its record and itself, a query for chunks that finds none, its folder, and both again when it is done.

The folder has other notes. A test counts these reads and writes.
"""


def note() -> Price:
    """Returns the price of saving a new note."""
    return Price(
        documents=writes_of_note() * WRITE + READS_OF_NOTE * READ,
        embedding=CHUNKS_OF_NOTE * TOKENS_OF_CHUNK * EMBED,
        compute=instance_usd(SECONDS_OF_INDEXING) + REQUEST,
    )


def vector_bytes() -> int:
    """Returns bytes of a chunk's entries in all vector indexes, in a folder and with two tags, by documented sizes."""
    fields = {
        "month": "2026-11",
        "day": "2026-11-01",
        "place": folder_key(Folder("default", "work")),
        "tags": ("a", "b"),
        "embedding": VECTOR,
    }
    document = put(f"{TENANT}/chunks/{'n' * 20}_000", fields).update
    indexes = IndexFile()
    _, with_vectors = cost(indexes, document)
    indexes.composites = [
        index for index in indexes.composites if index.fields[-1][1] != VECTOR_FIELD
    ]
    _, without_vectors = cost(indexes, document)
    return with_vectors - without_vectors


@cache
def stored() -> tuple[int, int]:
    """Returns index entries and bytes of a chunk without those of vectors, by the documented sizes.

    They are its document, the entries of its words and its share of the note: the mean over the strangers' notes.
    """
    indexes = IndexFile()
    now = datetime(2026, 11, 1, tzinfo=UTC)
    entries = size = count = 0
    for number, file in enumerate(sorted((ROOT / "examples/strangers/notes").rglob("*.md"))):
        text = file.read_text(encoding="utf-8")
        path = f"{file.parent.name}/{file.name}"
        note = Note(
            f"{number:020d}",
            file.stem,
            text,
            now,
            now,
            path=path,
        )
        lang = detect(text)
        wanted = wanted_note(
            note,
            chunk(text, lang=lang),
            lang=lang,
            revision="0" * 16,
            index_version="v",
        )
        document = put(f"{TENANT}/notes/{note.note_id}", note_fields(note)).update
        _, note_size = cost(indexes, document)
        size += note_size
        for wanted_chunk in wanted.chunks:
            fields = {**chunk_fields("t" * 28, wanted.indexed(wanted_chunk)), "embedded": "v"}
            document = put(f"{TENANT}/chunks/{wanted_chunk.chunk_id}", fields).update
            chunk_entries, chunk_size = cost(indexes, document)
            entries += chunk_entries
            size += chunk_size
            count += 1

    return entries // count, size // count


def gib(chunks: int) -> float:
    """Returns GiB of everything that is stored of a tenant."""
    _, size = stored()
    return chunks * (vector_bytes() + size) / 2**30


def sweep() -> float:
    """Returns USD a day of looking at every note of a tenant."""
    seconds = 2 * SECONDS_OF_READ * NOTES_OF_TENANT / WORKERS
    return NOTES_OF_TENANT * READS_OF_SWEEP * READ + instance_usd(seconds)


def month(tenants: int) -> float:
    """Returns USD a month of so many tenants, the daily sweep and everything that is stored included."""
    questions = QUESTIONS_A_DAY * question(TENANT_CHUNKS).total
    notes = NOTES_A_DAY * note().total
    a_day = questions + notes + sweep()
    storage = gib(TENANT_CHUNKS) * GIB_MONTH
    calls_of_sweep = 30 * SWEEPS_A_DAY * REQUEST
    return tenants * (30 * a_day + storage) + calls_of_sweep


READS_OF_CHANGE = 2 + 2 * CHUNKS_OF_NOTE + 2
"""Reads of embedding a note again: its record and itself, its chunks, their vectors, and the first two again.

A test counts them, and that it writes what saving does but for the note.
"""


def model_change() -> float:
    """Returns USD of embedding every note of a tenant again."""
    documents = READS_OF_CHANGE * READ + (writes_of_note() - 1) * WRITE
    embedding = CHUNKS_OF_NOTE * TOKENS_OF_CHUNK * EMBED
    return NOTES_OF_TENANT * (documents + embedding + instance_usd(SECONDS_OF_MENDING / WORKERS))


# -- rates


def instances(function: str) -> int:
    """Returns how many requests of a function are served at once, by cloudbuild.yaml."""
    build = (ROOT / "cloudbuild.yaml").read_text()
    step = build[build.index(f"- id: {function}\n") :]
    served = 1
    for option in ("concurrency", "max-instances"):
        value = re.search(rf"--{option}=(\d+)", step)
        assert value is not None, option
        served *= int(value[1])

    return served


def cold(tenants: int) -> float:
    """Returns how many questions a day find no warm instance, where they come evenly and by chance."""
    a_day = tenants * QUESTIONS_A_DAY
    return a_day * math.exp(-WARM_MINUTES * a_day / 1440)


def swept_notes(seconds: float, workers: int = WORKERS) -> int:
    """Returns how many notes a day the sweep gets through where one takes so many seconds of one worker."""
    in_time = WITHIN.total_seconds() * workers / seconds
    return int(SWEEPS_A_DAY * min(in_time, BUDGET / 2))


def tenants_served(rate: float, a_day: int) -> int:
    """Returns the tenants whose busiest second needs no more than `rate` requests, each tenant sending `a_day`."""
    return int(rate * 86_400 / PEAK / a_day)


# -- tables


def tables() -> dict[str, str]:
    """Returns the tables of docs/scale.md by their titles."""
    return {
        "Prices": _table(["for", "USD", "source", "looked up"], _prices()),
        "A question": _table(
            [
                "chunks of the tenant",
                "reads of the search",
                "its price",
                "the model",
                "Cloud Run",
                "a question",
                "documents",
            ],
            _questions(),
        ),
        "A saved note": _table(["what", "figure"], _note_figures()),
        "Memory": _table(
            ["notes", "1 worker", *(f"{count} workers" for count in WORKERS_OF_MEMORY[1:])],
            _memory(),
        ),
        "Bounds of memory": _table(["what", "figure"], _memory_figures()),
        "One tenant": _table(
            [
                "chunks",
                "words",
                "years of writing",
                "GiB",
                "USD a month",
                "USD to index",
                "reads of a search",
                "entries a second",
            ],
            _sizes(),
        ),
        "Many tenants": _table(
            ["tenants", "questions a second", "notes a second", "cold a day", "a month"],
            _tenants(),
        ),
        "The sweep": _table(["what", "figure"], _sweep_figures()),
        "Limits": _table(["what", "figure"], _limit_figures()),
    }


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(head)
    lines = []
    for cells in (head, rule, *rows):
        line = " | ".join(cells)
        lines.append(f"| {line} |")
    return "\n".join(lines)


def _usd(amount: float) -> str:
    if amount < 1:
        return f"{amount:.5f}"
    return f"{amount:,.0f}"


def _prices() -> Iterator[Sequence[str]]:
    for price in PRICES:
        unit = price.of
        if price.amount != 1:
            unit = f"{price.amount:,} {price.of}"
        usd = price.each * price.amount
        yield [
            unit,
            f"{usd:.2f}",
            f"<{price.source}>",
            LOOKED_UP,
        ]


def _questions() -> Iterator[Sequence[str]]:
    for chunks in CHUNKS:
        price = question(chunks)
        yield [
            f"{chunks:,}",
            f"{vector_reads(chunks):,}",
            _usd(price.search),
            _usd(price.model),
            _usd(price.compute),
            _usd(price.total),
            f"{price.documents / price.total:.0%}",
        ]


def _note_figures() -> Iterator[Sequence[str]]:
    entries, size = stored()
    tokens = CHUNKS_OF_NOTE * TOKENS_OF_CHUNK
    vector_kib = vector_bytes() / 1024
    kib = size / 1024
    yield ["documents read", str(READS_OF_NOTE)]
    yield ["documents written", str(writes_of_note())]
    yield ["tokens embedded", f"{tokens:,}"]
    yield ["USD", _usd(note().total)]
    yield ["KiB of a chunk with two tags in vector indexes", f"{vector_kib:,.0f}"]
    yield ["KiB of it otherwise, its share of the note included", f"{kib:,.0f}"]
    yield ["index entries of it, nearly all of its words", str(entries)]


def _memory() -> Iterator[Sequence[str]]:
    for (kind, size), figures in MEASURED.items():
        yield [f"{size // 1000} KB of {kind}", *map(str, figures)]


def _memory_figures() -> Iterator[Sequence[str]]:
    megabytes = GATE_BYTES / 1e6
    yield ["MiB of an instance", str(INSTANCE_MIB)]
    yield ["bytes above which a note is long", f"{SHORT_BYTES:,}"]
    yield [
        "MB of long notes at once in a process, and as much of short ones",
        f"{megabytes:.1f}",
    ]
    yield [
        "seconds that a note waits before a later call takes it",
        f"{PATIENCE:.0f}",
    ]


def _sizes() -> Iterator[Sequence[str]]:
    for chunks in CHUNKS[1:]:
        words = chunks * WORDS_OF_CHUNK
        years = words / WORDS_A_DAY / 365
        stored_gib = gib(chunks)
        scanned_gib = chunks * 8 * len(VECTOR) / 2**30
        usd_to_index = chunks * (TOKENS_OF_CHUNK * EMBED + 2 * WRITE)
        entries_a_second = chunks / READ_SECONDS
        yield [
            f"{chunks:,}",
            f"{words:,}",
            f"{years:,.0f}",
            f"{stored_gib:,.1f}",
            f"{stored_gib * GIB_MONTH:,.2f}",
            f"{usd_to_index:,.2f}",
            f"{vector_reads(chunks):,}",
            f"{entries_a_second:,.0f} ({scanned_gib:,.2f} GiB)",
        ]


def _tenants() -> Iterator[Sequence[str]]:
    for tenants in TENANTS:
        questions_a_second = PEAK * tenants * QUESTIONS_A_DAY / 86_400
        notes_a_second = PEAK * tenants * NOTES_A_DAY / 86_400
        share = cold(tenants) / (tenants * QUESTIONS_A_DAY)
        yield [
            f"{tenants:,}",
            f"{questions_a_second:,.2f}",
            f"{notes_a_second:,.2f}",
            f"{cold(tenants):,.0f} ({share:.0%})",
            _usd(month(tenants)),
        ]


def _sweep_figures() -> Iterator[Sequence[str]]:
    looked_at = swept_notes(2 * SECONDS_OF_READ)
    tenants_looked_at = looked_at // NOTES_OF_TENANT
    embedded = swept_notes(SECONDS_OF_MENDING)
    embedded_faster = swept_notes(SECONDS_OF_MENDING, MANY_WORKERS)
    yield ["reads of a note a day", str(READS_OF_SWEEP)]
    yield ["USD a day for 10,000 tenants", _usd(10_000 * sweep())]
    yield [f"notes a day that it looks at, {WORKERS} side by side", f"{looked_at:,}"]
    yield ["tenants that have so many notes", f"{tenants_looked_at:,}"]
    yield [f"notes a day that it embeds, at {SECONDS_OF_MENDING} s a note", f"{embedded:,}"]
    yield [f"the same with `SWEEP_WORKERS={MANY_WORKERS}`", f"{embedded_faster:,}"]

    notes = 10_000 * NOTES_OF_TENANT
    hours = 24 * notes / embedded_faster
    yield [
        f"hours to embed the {notes:,} notes of 10,000 tenants with it",
        f"{hours:.0f}",
    ]
    yield ["USD to embed them", _usd(10_000 * model_change())]

    idle_calls = SWEEPS_A_DAY * READS_OF_CALL * READ
    yield ["reads of a call with nothing to do", str(READS_OF_CALL)]
    yield ["USD a day of such calls", _usd(idle_calls)]
    yield [
        "reads a tenant and day of looking for chunks without a record",
        str(READS_OF_TENANT),
    ]

    idle_vcpu = VCPU_SECOND / 10
    kept_instance = 30 * 86_400 * (idle_vcpu + MEMORY_GIB * GIB_SECOND)
    yield ["USD a month of `--min-instances=1` on `chat`", f"{kept_instance:,.0f}"]


def _limit_figures() -> Iterator[Sequence[str]]:
    crossing = round(question(0).model / READ) * 100
    yield [
        "chunks from which the vector search costs more than the model",
        f"{crossing:,}",
    ]

    note_instances = instances("on-note-write")
    notes_a_second = note_instances / SECONDS_OF_INDEXING
    chunk_writes = 2 * CHUNKS_OF_NOTE * notes_a_second
    yield ["writes a second that on-note-write makes at most", f"{chunk_writes:.0f}"]

    chat_instances = instances("chat")
    questions_a_second = chat_instances / SECONDS_OF_CHAT
    yield ["questions that `chat` serves at once", str(chat_instances)]
    yield _tenants_for(questions_a_second, QUESTIONS_A_DAY)
    yield ["notes that on-note-write serves at once", str(note_instances)]
    yield _tenants_for(notes_a_second, NOTES_A_DAY)
    yield [
        "saved notes a second of all tenants, by the index over `updatedAt`",
        str(HOT_WRITES),
    ]
    yield _tenants_for(HOT_WRITES, NOTES_A_DAY)

    shards = len(SHARDS)
    record_notes = HOT_WRITES * shards // 3
    yield [
        f"saved notes a second of all tenants, by the {shards} shards of `dueAt`",
        f"{record_notes:,}",
    ]


def _tenants_for(rate: float, a_day: int) -> Sequence[str]:
    """Returns the row of how many tenants a rate is enough for."""
    tenants = tenants_served(rate, a_day)
    return ["tenants for whom that is enough", f"{tenants:,}"]


if __name__ == "__main__":
    for title, table in tables().items():
        print(f"{title}\n\n{table}\n")
