"""The place of a tenant's file, for tests that look at it from outside or break it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from shared.adapters.embedded.files import file_name


def tenant_file(home: Path, tenant_id: str) -> Path:
    return home / "tenants" / file_name(tenant_id)


def flip(file: Path, table: str, text: str, mask: int = 0x80) -> None:
    """Change one byte of a text where it stands in a row of a table, in a file that nobody has open."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page_size,) = db.execute("PRAGMA page_size").fetchone()
        query = "SELECT pageno FROM dbstat WHERE name = ?"
        pages = {page - 1 for (page,) in db.execute(query, (table,))}
    content = bytearray(file.read_bytes())
    offset = content.find(text.encode())
    while offset // page_size not in pages:
        assert offset >= 0, f"no {text!r} in {table}"
        offset = content.find(text.encode(), offset + 1)
    content[offset + len(text) // 2] ^= mask
    file.write_bytes(content)
