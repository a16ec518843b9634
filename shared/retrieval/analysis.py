"""Question -> analysis: its keywords, its stems, the time it names, its language."""

from __future__ import annotations

from collections.abc import Sequence

from shared.language.languages import detect
from shared.language.terms import content_words, stems
from shared.model.questions import Question
from shared.model.retrieval import Analysis
from shared.times.phrases import find_time

MAX_STEMS = 16
"""Stems that are looked up and scored. Each costs the store a count, and a question that names more names its
subject within the longest of them: long words are rare words."""


def analyse(question: Question) -> Analysis:
    """Keywords are every content word of the question; stems leave out those of the time phrase, which says when the
    note was written and not what stands in it.
    """
    lang = detect(question.text)
    found = find_time(question.text, now=question.now, zone=question.zone, lang=lang)
    subject = question.text if found is None else f"{question.text[: found.start]} {question.text[found.end :]}"
    return Analysis(
        keywords=tuple(dict.fromkeys(word for word, _, _ in content_words(question.text, lang))),
        stems=_longest(tuple(dict.fromkeys(stems(subject, lang)))),
        time=None if found is None else found.hint,
        lang=lang,
        subject=subject,
    )


def _longest(distinct: Sequence[str]) -> tuple[str, ...]:
    """At most `MAX_STEMS` of them, in their order; of equal length the earlier ones."""
    kept = set(sorted(distinct, key=len, reverse=True)[:MAX_STEMS])
    return tuple(stem for stem in distinct if stem in kept)
