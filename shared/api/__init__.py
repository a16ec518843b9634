"""Values -> the JSON objects clients read, and their types: one file a resource, streams included.

Used by every front door, so that `/chat`, `aurora ask --json` and tools print the same thing; `/openapi.json` describes
them. Nothing here reads or writes anything.

Instants are RFC 3339 in UTC (`2026-01-15T10:30:00.000Z`); offsets count UTF-16 units of the note's text; scores and
similarities lie in [0, 1]. Objects may gain fields; none is ever taken away.

An `answer` is Markdown in which nothing acts: no image, no HTML outside code, no link to an address that neither the
question nor a source holds. Everything else that comes from notes (`snippet`, `quote`, `title`, `headingPath`, `path`,
`vault`, `folder`, tags, names) is data, to the letter: clients show it as text, never as Markdown or HTML.
"""
