"""Routes of the functions `api` and `chat`: tables without Flask, for callers in this process too."""

from __future__ import annotations

from functions.http.calls import HEALTH, Route

NOTE_LIMIT = 1024 * 1024
"""Bytes of a note's body."""

API = (
    Route("GET", "/", "overview:show", public=True),
    Route("GET", "/notes", "notes:list_all"),
    Route("POST", "/notes:import", "notes:import_file", limit=NOTE_LIMIT),
    Route("GET", "/notes/{note_id}:indexStatus", "notes:index_status"),
    Route("GET", "/notes/{note_id}:links", "notes:links"),
    Route("GET", "/notes/{note_id}:related", "notes:related_notes"),
    Route("PUT", "/notes/{note_id}", "notes:put", limit=NOTE_LIMIT),
    Route("GET", "/notes/{note_id}", "notes:get"),
    Route("DELETE", "/notes/{note_id}", "notes:delete"),
    Route("GET", "/trash", "trash:list_all"),
    Route("POST", "/trash", "trash:put", limit=NOTE_LIMIT),
    Route("POST", "/trash/{trash_id}:restore", "trash:restore"),
    Route("GET", "/trash/{trash_id}", "trash:get"),
    Route("DELETE", "/trash/{trash_id}", "trash:delete"),
    Route("GET", "/index:coverage", "coverage:index_coverage", group="notes"),
    Route("POST", "/search", "search:search"),
    Route("POST", "/search:explain", "explain:explain", group="search"),
    Route("POST", "/ask", "ask:ask"),
    Route("GET", "/templates", "templates:list_all"),
    Route("POST", "/templates:search", "templates:search"),
    Route("PUT", "/templates/{template_id}", "templates:put"),
    Route("GET", "/templates/{template_id}", "templates:get"),
    Route("DELETE", "/templates/{template_id}", "templates:delete"),
    Route("POST", "/sessions", "sessions:create"),
    Route("POST", "/sessions:import", "sessions:import_session", limit=NOTE_LIMIT),
    Route("GET", "/sessions", "sessions:list_all"),
    Route("GET", "/sessions/{session_id}", "sessions:get"),
    Route("PATCH", "/sessions/{session_id}", "sessions:patch"),
    Route("DELETE", "/sessions/{session_id}", "sessions:delete"),
    Route("GET", "/sessions/{session_id}/messages", "sessions:messages"),
    Route("POST", "/mcp", "mcp:exchange"),
    Route("POST", "/feedback", "account:submit_feedback"),
    Route("GET", "/me:export", "account:export"),
    Route("GET", "/me:quality", "account:show_quality"),
    Route("DELETE", "/me", "account:erase"),
    Route("GET", "/tenant:export", "account:export_tenant"),
    Route("DELETE", "/tenant", "account:erase_tenant"),
    Route("POST", "/graphql", "graphql:answer"),
    Route("GET", "/graphql/schema", "graphql:show", public=True),
    Route("GET", "/openapi.json", "openapi:show", public=True),
    HEALTH,
    # An alias for probes. Cloud Run keeps paths that end in z for itself: it is reached under other hosts only.
    Route("GET", "/healthz", "overview:healthz", public=True),
)

CHAT = (Route("POST", "/", "chat:ask", callable=True), HEALTH)
