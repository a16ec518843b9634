"""Answers and searches -> figures for the request's log line, without a word of a note or a caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from shared.account.prices import usd
from shared.api.answers import GroundingJson
from shared.api.search import timings_json
from shared.api.values import shown
from shared.app import App
from shared.language.lengths import estimated_tokens
from shared.model.answers import Answer
from shared.model.retrieval import Retrieved
from shared.tracing import measure


def measure_answer(app: App, answer: Answer, *, follow_up: bool) -> None:
    found = answer.retrieved
    measure(
        {
            **(_of_retrieval(found) if found else {}),
            "model": answer.model,
            "followUp": follow_up,
            "answerKind": answer.kind.value,
            "refusal": answer.refusal.value if answer.refusal else None,
            "timingsMs": timings_json({**(found.timings_ms if found else {}), **answer.timings_ms}),
            "citations": len(answer.citations),
            "citationsRemoved": len(answer.removed_labels),
            "support": dict(Counter(each.support.state.value for each in answer.citations if each.support)),
            "grounding": shown(GroundingJson, answer.grounding) if answer.grounding else None,
            "tokens": {"input": answer.usage.input_tokens, "output": answer.usage.output_tokens},
            "reads": answer.usage.reads,
            "usd": usd(answer.usage, answer.model),
            "caches": _caches(app),
        }
    )


def measure_search(app: App, found: Retrieved) -> None:
    measure({**_of_retrieval(found), "timingsMs": timings_json(found.timings_ms), "caches": _caches(app)})


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


def _caches(app: App) -> Mapping[str, Any]:
    """Hits and misses of this instance so far."""
    caches = {"questions": app.questions, "results": app.results}
    return {name: {"hits": cache.hits, "misses": cache.misses} for name, cache in caches.items() if cache is not None}
