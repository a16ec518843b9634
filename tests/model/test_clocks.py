"""A clock that was ahead once: what it stored counts as never, wherever a stored moment is compared with now."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from shared.model.clocks import TOLERANCE, is_ahead, is_running

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)

COMPARED = {
    "shared/model/clocks.py:is_ahead": "the rule",
    "shared/model/clocks.py:is_running": "the rule",
    "shared/indexing/records.py:waiting_for_budget": "the sweep has asked `is_due`",
    "shared/indexing/records.py:is_due": "asks `is_ahead` first",
    "shared/sweep/reconcile.py:_is_full_due": "`_believable` has asked `is_ahead`",
    "shared/sweep/repair.py:is_over": "a moment of this call",
    "shared/account/daily.py:_left": "a moment of this process; one after now is stale",
    "shared/account/daily.py:is_used_up": "an amount",
    "shared/account/daily.py:_has_added": "an amount",
    "shared/account/caches.py:get": "a monotonic clock",
    "shared/adapters/firebase/signed_tokens.py:check_times": "a token's moments, not stored here",
    "shared/adapters/firebase/signed_tokens.py:named": "a monotonic clock",
    "shared/adapters/firebase/signed_tokens.py:_needs_fetch": "a monotonic clock",
    "shared/adapters/remote.py:stream_with_deadline": "a monotonic clock",
    "shared/adapters/sdk_errors.py:reported": "a monotonic clock",
    "shared/adapters/firestore/ownership.py:check": "a monotonic clock",
    "shared/adapters/retry.py:_is_too_late": "a monotonic clock",
    "shared/notes/service.py:trash": "text is kept rather than lost",
    "shared/notes/service.py:trashed": "text is kept rather than lost",
    "shared/times/series.py:asked_of_series": "a note that is to come is neither the last nor the first one",
    "shared/retrieval/scores.py:_named_range": "the end of a range that the question names, not stored",
    "functions/http/events.py:_is_old": "an event's moment by the platform's clock",
    "functions/http/streams.py:wait": "a monotonic clock",
}
"""Function -> why a moment after now cannot stop it for good."""


def _compares(path: Path) -> Iterator[str]:
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Compare) and _reads_the_clock(node):
                yield f"{path.relative_to(ROOT)}:{function.name}"


def _reads_the_clock(compare: ast.Compare) -> bool:
    names = {node.id for node in ast.walk(compare) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(compare) if isinstance(node, ast.Attribute)}
    is_ordered = any(
        isinstance(operator, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for operator in compare.ops
    )
    return is_ordered and bool(names & {"now", "clock", "_clock"})


def test_every_place_that_compares_a_moment_with_now_is_known() -> None:
    """A new one is added here with the reason why a stored moment after now does not stop it for good."""
    files = [*ROOT.glob("shared/**/*.py"), *ROOT.glob("functions/**/*.py")]
    assert {place for path in files for place in _compares(path)} == COMPARED.keys()


@pytest.mark.parametrize("ahead", [timedelta(), -MINUTE, TOLERANCE])
def test_moments_up_to_the_tolerance_have_happened(ahead: timedelta) -> None:
    assert not is_ahead(NOW + ahead, NOW)


def test_moments_beyond_the_tolerance_have_not() -> None:
    assert is_ahead(NOW + TOLERANCE + MINUTE, NOW)


@pytest.mark.parametrize(
    ("left", "runs"),
    [
        (-MINUTE, False),
        (MINUTE, True),
        (2 * MINUTE, True),
        (timedelta(days=365), False),
    ],
)
def test_a_term_runs_no_longer_than_its_length(left: timedelta, *, runs: bool) -> None:
    assert is_running(NOW + left, NOW, length=2 * MINUTE) is runs
    assert not is_running(None, NOW, length=MINUTE)
