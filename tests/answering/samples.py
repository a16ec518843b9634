"""Passages, questions and retrieval results for the answering steps, every field with a plain default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from shared.answering.checking import SupportPolicy
from shared.answering.extractive import ExtractiveWriter
from shared.answering.markers import read_markers
from shared.answering.pipeline import Writers, answer_events
from shared.language.terms import stems
from shared.model.answers import Answer, AnswerEvent, Quote, Source
from shared.model.index import IndexedChunk
from shared.model.questions import Question, TimeHint, TimeRange
from shared.model.retrieval import Analysis, RefusalReason, RetrievalMode, Retrieved, Scored, Scores
from shared.ports.models import Writer

NOW = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
WRITTEN = datetime(2026, 5, 8, 22, 30, tzinfo=UTC)
MONDAY, NEXT_MONDAY = datetime(2026, 11, 8, 23, tzinfo=UTC), datetime(2026, 11, 15, 23, tzinfo=UTC)
"""Midnights of Berlin."""
LAST_WEEK = TimeHint(TimeRange(MONDAY, NEXT_MONDAY), phrase="last week", days=10)


def passage(
    text: str,
    *,
    note_id: str = "abc",
    title: str = "",
    heading_path: str = "",
    path: str = "projects/api/meeting.md",
    start: int = 0,
    similarity: float = 0.8,
) -> Scored:
    chunk = IndexedChunk(
        chunk_id=f"{note_id}_000",
        note_id=note_id,
        position=0,
        title=title,
        heading_path=heading_path,
        text=text,
        start=start,
        end=start + len(text),
        utf16_start=start,
        created_at=WRITTEN,
        updated_at=WRITTEN,
        vault="default",
        path=path,
        tags=(),
        scopes=(),
        terms={},
        length=len(text.split()),
        text_hash="hash",
        index_version="v1",
        note_revision="r1",
    )
    return Scored(
        chunk,
        0.8,
        Scores(
            vector=0.5,
            keyword=1.0,
            recency=0.5,
            similarity=similarity,
        ),
    )


def sources(*texts: str) -> tuple[Source, ...]:
    """Labelled N1, N2, …"""
    return tuple(Source(f"N{number}", passage(text)) for number, text in enumerate(texts, start=1))


def question(
    text: str = "Which database did we choose?", *, zone: str = "Europe/Berlin"
) -> Question:
    return Question("tenant-a", text, NOW, zone=zone)


def retrieved(
    *selected: Scored,
    text: str = "Which database did we choose?",
    lang: str = "en",
    time: TimeHint | None = None,
    widened: str | None = None,
    refusal: RefusalReason | None = None,
) -> Retrieved:
    """Build a retrieval that analysed `text` (without its time phrase) and selected these passages."""
    distinct: Sequence[str] = tuple(dict.fromkeys(stems(text, lang)))
    return Retrieved(
        analysis=Analysis(tuple(distinct), tuple(distinct), time, lang, subject=text),
        selected=selected,
        nearest=selected,
        refusal=refusal,
        mode=RetrievalMode.WEIGHTED,
        candidate_count=len(selected),
        range_used=time.range if time and not widened else None,
        widened=widened,
        timings_ms={"total": 1.0},
    )


def asked_of(*passages: Scored, text: str = "Which database did we choose?") -> Retrieved:
    retrieval = retrieved(*passages, text=text)
    return replace(retrieval, weights=dict.fromkeys(retrieval.analysis.stems, 1.0))


def quotes(*passages: Scored, text: str = "Which database did we choose?") -> tuple[Quote, ...]:
    return ExtractiveWriter().quotes(question(text), asked_of(*passages, text=text))


class Cited(NamedTuple):
    """A text whose every marker points at one of `used`."""

    text: str
    used: tuple[Source, ...]
    removed: tuple[str, ...]


def check_citations(text: str, offered: Sequence[Source]) -> Cited:
    """A whole text with only offered labels, counted by first use."""
    by_number = {int(source.label[1:]): source for source in offered}
    markers = read_markers(text)
    named = markers.numbers(by_number)
    labels = {
        number: label
        for label, number in enumerate((marked for marked in named if marked in by_number), start=1)
    }
    used = tuple(Source(f"N{label}", by_number[number].passage) for number, label in labels.items())
    removed = tuple(f"N{number}" for number in named if number not in by_number)
    return Cited(markers.written(labels), used, removed)


def events_by(
    writer: Writer | None,
    found: Retrieved | None,
    asked: Question | None = None,
    policy: SupportPolicy | None = None,
) -> list[AnswerEvent]:
    """The events of one answer; words alone choose what is quoted."""
    writers = Writers(
        writer=writer, extractive=ExtractiveWriter(), policy=policy or SupportPolicy()
    )
    return list(answer_events(asked or question(), found, writers))


def answer_by(
    writer: Writer | None, found: Retrieved | None, asked: Question | None = None
) -> Answer:
    final = events_by(writer, found, asked)[-1]
    assert isinstance(final, Answer)
    return final
