"""Values that schemathesis puts where openapi.json names a format of ours. Loaded by it as its hooks."""

import schemathesis
from hypothesis import strategies as st

schemathesis.openapi.format("tenant-id", st.just("local"))
schemathesis.openapi.format(
    "iana-time-zone", st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu"])
)
schemathesis.openapi.format(
    "day-or-date-time", st.sampled_from(["2026-11-02", "2025-03-30T02:30:00+02:00"])
)
