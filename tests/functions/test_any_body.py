"""Whatever is sent, the answer is JSON and never our fault."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functions.world import World

FIELDS = (
    "message", "query", "timeZone", "now", "filters", "topK", "k", "threshold", "strategy", "useNotes", "requestId",
    "tenantId", "stream", "template", "title", "text", "tags", "path", "vault", "createdAt", "lang",
    "name", "content", "keywords", "domain",
    "question", "vaults", "folders", "noteIds",
)  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from(
        [
            "2026-11-21",
            "2026-11-21T10:00:00Z",
            "UTC",
            "Europe/Berlin",
            "weighted",
            "rrf",
            "alice",
            "a/b",
        ]
    ),
)
FILTERS = st.dictionaries(
    st.sampled_from(
        ["vaults", "folders", "tags", "createdAfter", "createdBefore", "windowDays", "x"]
    ),
    st.one_of(SCALARS, st.lists(SCALARS, max_size=3)),
    max_size=4,
)
BODIES = st.dictionaries(
    st.sampled_from(FIELDS), st.one_of(SCALARS, FILTERS, st.lists(SCALARS, max_size=3)), max_size=6
)
REQUESTS = st.sampled_from(
    [
        ("chat", "POST", "/chat"),
        ("api", "POST", "/search"),
        ("api", "POST", "/search:explain"),
        ("api", "POST", "/ask"),
        ("api", "PUT", "/notes/n1"),
        ("reconcile", "POST", "/"),
        ("api", "POST", "/templates:search"),
        ("api", "PUT", "/templates/t1"),
    ]
)


def _sent(world: World, request: tuple[str, str, str], body: bytes) -> None:
    response = world.call(*request, body)
    assert response.status_code in {200, 400, 403, 404, 413}
    if response.mimetype == "text/event-stream":  # as `"stream": true` asks for
        assert "INTERNAL" not in response.text
    else:
        assert isinstance(response.get_json(), dict)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    request=REQUESTS,
    body=BODIES,
    asked=st.text(min_size=1, max_size=60),
)
def test_no_json_is_answered_with_500(
    world: World, request: tuple[str, str, str], body: dict[str, Any], asked: str
) -> None:
    _sent(world, request, json.dumps(body).encode())
    valid_bodies = {
        "/chat": {"message": asked},
        "/search": {"query": asked},
        "/search:explain": {"query": asked},
        "/ask": {"question": asked},
        "/notes/n1": {"title": asked, "text": asked},
        "/templates:search": {"query": asked},
        "/templates/t1": {"name": asked, "content": asked},
    }
    _sent(world, request, json.dumps({**body, **valid_bodies.get(request[2], {})}).encode())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(request=REQUESTS, body=st.binary(max_size=200))
def test_no_bytes_are_answered_with_500(
    world: World, request: tuple[str, str, str], body: bytes
) -> None:
    _sent(world, request, body)
