"""POST to the reconcile function: repair what events missed, a bounded number of notes a call."""

from __future__ import annotations

from datetime import timedelta

from pydantic import Field

from functions.http.bodies import Body, parse
from functions.http.calls import Call, Reply
from shared.api.notes import reconcile_json
from shared.sweep.reconcile import reconcile
from shared.tracing import measure, reads_so_far

BUDGET = 20_000
"""Notes a call looks at, unless it says otherwise."""
WITHIN = timedelta(seconds=270)
"""Time in which a call begins notes: the next one comes 300 s after this one did, and the function may run for 540 s."""


class ReconcileBody(Body):
    """The request; an empty body is `{}`."""

    full: bool = Field(default=False, description="true or false")
    dry_run: bool = Field(default=False, description="true or false")
    budget: int = Field(
        default=BUDGET,
        ge=1,
        le=100_000,
        description="a whole number of notes from 1 to 100000",
    )


def run(call: Call) -> Reply:
    """Runs one sweep and returns its report."""
    app = call.app
    body = parse(call.body or b"{}", ReconcileBody)
    try:
        report = reconcile(
            app.indexer,
            within=WITHIN,
            workers=app.settings.sweep_workers,
            full=body.full,
            dry_run=body.dry_run,
            budget=body.budget,
        )
    finally:
        if app.project_budget is not None:
            app.project_budget.add_reads(reads_so_far() or 0)
    reply = reconcile_json(report)
    measure({"reconcile": reply})
    return Reply(reply)
