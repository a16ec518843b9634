"""GET /index:coverage: how far the index follows the notes."""

from __future__ import annotations

from functions.http.calls import Call, Reply, operation
from shared.api.coverage import CoverageJson, coverage_json
from shared.indexing.coverage import measure_coverage


@operation(reply=CoverageJson)
def index_coverage(call: Call) -> Reply:
    """Counts of the notes that are indexed, and of those that are still to be embedded again."""
    app = call.app
    coverage = measure_coverage(
        app.store,
        call.tenant_id,
        index_version=app.index_version,
        previous_version=app.previous_index_version,
    )
    return Reply(coverage_json(coverage))
