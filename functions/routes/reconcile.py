"""POST to the reconcile function: repair what events missed, a bounded number of notes a call."""

from __future__ import annotations

from pydantic import Field

from functions.http import log
from functions.http.bodies import Body, parse
from functions.http.calls import Call, Reply
from shared.api.notes import reconcile_json
from shared.sweep.reconcile import reconcile

BUDGET = 500
"""Notes a call looks at, unless it says otherwise."""


class ReconcileBody(Body):
    """The request; an empty body is `{}`."""

    full: bool = Field(default=False, description="true or false")
    dry_run: bool = Field(default=False, description="true or false")
    budget: int = Field(default=BUDGET, ge=1, le=100_000, description="a whole number of notes from 1 to 100000")


def run(call: Call) -> Reply:
    body = parse(call.body or b"{}", ReconcileBody)
    report = reconcile_json(reconcile(call.app.indexer, budget=body.budget, full=body.full, dry_run=body.dry_run))
    log.measure({"reconcile": report})
    return Reply(report)
