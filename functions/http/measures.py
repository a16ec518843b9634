"""Answers and searches -> figures for the request's log line, without a word of a note or a caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from functions.http import log as _log
from functions.http.calls import current_app
from shared.account.prices import usd
from shared.api.answers import GroundingJson
from shared.api.search import timings_json
from shared.api.values import shown
from shared.language.lengths import estimated_tokens
from shared.model.answers import Answer
from shared.model.retrieval import Retrieved


def measure_answer(answer: Answer) -> None:
    """Into the request's log line."""
    found = answer.retrieved
    timings = {**(found.timings_ms if found else {}), **answer.timings_ms}
    _log.measure(
        {
            **(_of_retrieval(found) if found else {}),
            "model": answer.model,
            "answerKind": answer.kind.value,
            "refusal": answer.refusal.value if answer.refusal else None,
            "timingsMs": timings_json(timings),
            "citations": len(answer.citations),
            "citationsRemoved": len(answer.removed_labels),
            "support": dict(Counter(each.support.state.value for each in answer.citations if each.support)),
            "grounding": shown(GroundingJson, answer.grounding) if answer.grounding else None,
            "tokens": {"input": answer.usage.input_tokens, "output": answer.usage.output_tokens},
            "reads": answer.usage.reads,
            "usd": usd(answer.usage, answer.model),
            "caches": _caches(),
        }
    )


def measure_search(found: Retrieved) -> None:
    """Into the request's log line."""
    _log.measure({**_of_retrieval(found), "timingsMs": timings_json(found.timings_ms), "caches": _caches()})


def _of_retrieval(found: Retrieved) -> Mapping[str, Any]:
    texts = [each.chunk.text for each in found.selected]
    similarities = [each.scores.similarity for each in found.selected]
    return {
        "retrieval": found.mode.value,
        "candidates": found.candidate_count,
        "chunks": len(texts),
        "meanSimilarity": round(fmean(similarities), 4) if similarities else None,
        "contextCharacters": sum(map(len, texts)),
        "contextTokens": sum(map(estimated_tokens, texts)),
        "widened": found.widened is not None,
    }


def _caches() -> Mapping[str, Any]:
    """Hits and misses of this instance so far."""
    app = current_app()
    kept = {"questions": app.questions.hits}
    if app.results is not None:
        kept["results"] = app.results.hits
    return {name: {"hits": hits.hits, "misses": hits.misses} for name, hits in kept.items()}
