"""The reasoning templates, in their tenant's file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence

from shared.adapters.embedded.documents import CODEC, insert
from shared.adapters.embedded.files import TenantFiles
from shared.model.index import Vector
from shared.model.templates import StoredTemplate, Template
from shared.ports.tenants import MAX_TEMPLATES

_COLUMNS = "body, vector, vector_key"


class Templates:
    """`shared.ports.tenants.TemplateStore`, a transaction a call."""

    _files: TenantFiles

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        with self._files.of(tenant_id).reading() as db:
            found = db.execute(f"SELECT {_COLUMNS} FROM templates ORDER BY template_id LIMIT ?", (MAX_TEMPLATES,))
            return tuple(_stored(*row) for row in found)

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        with self._files.of(tenant_id).reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM templates WHERE template_id = ?", (template_id,)).fetchone()
        return None if row is None else _stored(*row)

    def put_templates(self, tenant_id: str, stored: Sequence[StoredTemplate]) -> None:
        with self._files.of(tenant_id).writing() as db:
            for each in stored:
                key, body = each.template.template_id, json.dumps(CODEC.dump(each.template))
                row = {"template_id": key, "vector": _blob(each.vector), "vector_key": each.vector_key, "body": body}
                insert(db, "templates", row, replacing=True)

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        statement = "UPDATE templates SET vector = ?, vector_key = ? WHERE template_id = ?"
        with self._files.of(tenant_id).writing() as db:
            return db.execute(statement, (_blob(vector), vector_key, template_id)).rowcount > 0

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        with self._files.of(tenant_id).writing() as db:
            return db.execute("DELETE FROM templates WHERE template_id = ?", (template_id,)).rowcount > 0


def _blob(vector: Vector | None) -> bytes | None:
    return None if vector is None else vector.tobytes()


def _stored(body: str, vector: bytes | None, vector_key: str | None) -> StoredTemplate:
    template = CODEC.load(Template, json.loads(body))
    return StoredTemplate(template, None if vector is None else array("f", vector), vector_key)
