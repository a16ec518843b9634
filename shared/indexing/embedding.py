"""Texts that wait for vectors -> their vectors in the index, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from shared.errors import (
    EmbeddingQuotaExceeded,
    ModelRefused,
    ModelUnavailable,
    PortContractError,
)
from shared.indexing.records import finished, leased, postponed, refused
from shared.indexing.writing import NoteWriter
from shared.model.index import IndexRecord
from shared.ports.models import Embedder


@dataclass(frozen=True, slots=True)
class Embedded:
    """Result of embedding a note's texts."""

    record: IndexRecord
    """The record as written last."""
    texts: int
    """Texts that were embedded."""


def embed_texts(
    waiting_texts: Mapping[str, Sequence[str]],
    record: IndexRecord,
    *,
    embedder: Embedder,
    writer: NoteWriter,
    index_version: str,
    clock: Callable[[], datetime],
) -> Embedded:
    """Embeds texts and writes each batch at once: a worker that is killed here loses at most one batch.

    waiting_texts: text -> ids of the chunks that share it.

    The last batch leaves the record `indexed`, a refusal or a broken promise `failed`. Raises ModelUnavailable,
    having left it `pending_embeddings` without lease, and Conflict as soon as anybody else has written.
    """
    remaining_texts = iter(waiting_texts)
    embedded = 0
    while batch := tuple(islice(remaining_texts, embedder.batch_size)):
        try:
            vectors = embedder.embed_documents(batch)
        except ModelUnavailable as outage:
            now = clock()
            due_at = _resumes_at(outage, now)
            writer.write_record(postponed(record, now, error=outage.message, due_at=due_at))
            raise
        except (ModelRefused, PortContractError) as refusal:
            record = refused(record, clock(), error=refusal.message)
            record = replace(record, index_version=index_version)
            writer.write_record(record)
            break
        embedded += len(batch)
        now = clock()
        if embedded == len(waiting_texts):
            record = finished(record, now, index_version)
        else:
            record = leased(record, now)
        chunk_vectors = []
        for text, vector in zip(batch, vectors, strict=True):
            chunk_vectors += [(chunk_id, vector) for chunk_id in waiting_texts[text]]
        writer.write_record(record, vectors=chunk_vectors)
    return Embedded(record, embedded)


def _resumes_at(outage: ModelUnavailable, now: datetime) -> datetime | None:
    """Returns when a budget that is used up is there again, or None if nobody knows when the model is back."""
    if isinstance(outage, EmbeddingQuotaExceeded) and outage.retry_after is not None:
        return now + timedelta(seconds=outage.retry_after)
    return None
