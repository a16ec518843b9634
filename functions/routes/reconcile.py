"""POST to the reconcile function: repair what events missed, a bounded number of notes a call."""

from __future__ import annotations

from datetime import timedelta

from pydantic import Field

from functions.http.bodies import Body, parse
from functions.http.calls import Call, Reply
from shared.api.notes import ReconcileJson
from shared.api.values import shown
from shared.sweep.reconcile import reconcile
from shared.tracing import measure

BUDGET = 20_000
"""Notes a call looks at, unless it says otherwise."""
WITHIN = timedelta(seconds=270)
"""How long a call begins notes: the next one comes 300 s after this one did, and the function may run for 540 s."""


class ReconcileBody(Body):
    """The request; an empty body is `{}`."""

    full: bool = Field(default=False, description="true or false")
    dry_run: bool = Field(default=False, description="true or false")
    budget: int = Field(default=BUDGET, ge=1, le=100_000, description="a whole number of notes from 1 to 100000")


def run(call: Call) -> Reply:
    body = parse(call.body or b"{}", ReconcileBody)
    report = reconcile(call.app.indexer, within=WITHIN, workers=call.app.settings.sweep_workers, **body.model_dump())
    reply = shown(ReconcileJson, report)
    measure({"reconcile": reply})
    return Reply(reply)
