"""`TemplateStore` on one tenant's file."""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from shared.model.index import Vector
from shared.model.templates import StoredTemplate, Template
from shared.ports.tenants import MOST_TEMPLATES

_COLUMNS = "body, vector, vector_key"


def all_of(db: sqlite3.Connection) -> tuple[StoredTemplate, ...]:
    found = db.execute(f"SELECT {_COLUMNS} FROM templates ORDER BY template_id LIMIT ?", (MOST_TEMPLATES,))
    return tuple(_stored(*row) for row in found)


def get(db: sqlite3.Connection, template_id: str) -> StoredTemplate | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM templates WHERE template_id = ?", (template_id,)).fetchone()
    return None if row is None else _stored(*row)


def put(db: sqlite3.Connection, templates: Sequence[StoredTemplate]) -> None:
    db.executemany(
        f"INSERT OR REPLACE INTO templates ({_COLUMNS}, template_id) VALUES (?, ?, ?, ?)",
        [
            (json.dumps(asdict(each.template)), _blob(each.vector), each.vector_key, each.template.template_id)
            for each in templates
        ],
    )


def put_vector(db: sqlite3.Connection, template_id: str, vector: Vector, vector_key: str) -> bool:
    statement = "UPDATE templates SET vector = ?, vector_key = ? WHERE template_id = ?"
    return db.execute(statement, (_blob(vector), vector_key, template_id)).rowcount > 0


def delete(db: sqlite3.Connection, template_id: str) -> bool:
    return db.execute("DELETE FROM templates WHERE template_id = ?", (template_id,)).rowcount > 0


def read_shelf(db: sqlite3.Connection) -> Mapping[str, str]:
    return dict(db.execute("SELECT template_id, revision FROM shelf").fetchall())


def write_shelf(db: sqlite3.Connection, shelf: Mapping[str, str]) -> None:
    db.execute("DELETE FROM shelf")
    db.executemany("INSERT INTO shelf (template_id, revision) VALUES (?, ?)", shelf.items())


def _blob(vector: Vector | None) -> bytes | None:
    return None if vector is None else vector.tobytes()


def _stored(body: str, vector: bytes | None, vector_key: str | None) -> StoredTemplate:
    fields = json.loads(body)
    template = Template(**{**fields, "keywords": tuple(fields["keywords"])})
    return StoredTemplate(template, None if vector is None else array("f", vector), vector_key)
