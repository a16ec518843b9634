"""Answers and searches -> figures for the request's log line, without a word of a note or a caller."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

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
    measure_search(app, found)
    measure(
        {
            "model": answer.model,
            "followUp": follow_up,
            "answerKind": answer.kind.value,
            "refusal": answer.refusal.value if answer.refusal else None,
            "timingsMs": timings_json({**(found.timings_ms if found else {}), **answer.timings_ms}),
            "citations": len(answer.citations),
            "citationsRemoved": len(answer.removed_labels),
            "support": dict(Counter([each.support.state.value for each in answer.citations if each.support])),
            "grounding": shown(GroundingJson, answer.grounding) if answer.grounding else None,
            "tokens": {"input": answer.usage.input_tokens, "output": answer.usage.output_tokens},
            "reads": answer.usage.reads,
            "usd": usd(answer.usage, answer.model),
        }
    )


def measure_search(app: App, found: Retrieved | None) -> None:
    """Figures of a search, if there was one, and the hits and misses of this instance's caches so far."""
    caches = {"questions": app.questions, "results": app.results}
    measure(
        {
            "caches": {
                name: {"hits": each.hits, "misses": each.misses} for name, each in caches.items() if each is not None
            }
        }
    )
    if found is None:
        return
    texts = [each.chunk.text for each in found.selected]
    similarities = [each.scores.similarity for each in found.selected]
    measure(
        {
            "retrieval": found.mode.value,
            "candidates": found.candidate_count,
            "chunks": len(texts),
            "meanSimilarity": round(fmean(similarities), 4) if similarities else None,
            "contextCharacters": sum(map(len, texts)),
            "contextTokens": sum(map(estimated_tokens, texts)),
            "widened": found.widened is not None,
            "timingsMs": timings_json(found.timings_ms),
        }
    )
