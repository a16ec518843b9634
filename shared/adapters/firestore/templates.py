"""The reasoning templates: `tenants/{tenant}/templates/{template}`, which apps also read and write themselves."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from shared.adapters.firestore.connection import Connection, last
from shared.adapters.firestore.documents import CODEC
from shared.adapters.firestore.protocol import KEY, Order, Query, change, delete, put, values_of
from shared.errors import InvalidArgument
from shared.model.index import Vector
from shared.model.templates import StoredTemplate, Template
from shared.ports.tenants import MAX_TEMPLATES

BATCH = 50
"""Templates written by one commit: the longest, with its vector, weighs 50 KB, and none has index entries."""

_log = logging.getLogger(__name__)


class Templates:
    """`shared.ports.tenants.TemplateStore` on Firestore."""

    _connection: Connection

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        """One that an app wrote with a wrong type is left out, with a warning in the log."""
        query = Query(collection="templates", order=(Order(KEY),), limit=MAX_TEMPLATES)
        documents = self._connection.query(self._connection.tenant(tenant_id), query)
        found = []
        for document in documents:
            try:
                found.append(stored_of(document))
            except InvalidArgument as bad:
                _log.warning("a template of tenant %s left out: %s", tenant_id, bad.message)
        return tuple(found)

    def get_template(self, tenant_id: str, template_id: str) -> StoredTemplate | None:
        found = self._connection.read(self._connection.name(tenant_id, "templates", template_id))
        return None if found is None else stored_of(found)

    def put_templates(self, tenant_id: str, templates: Sequence[StoredTemplate]) -> None:
        for start in range(0, len(templates), BATCH):
            batch = templates[start : start + BATCH]
            names = (self._connection.name(tenant_id, "templates", each.template.template_id) for each in batch)
            self._connection.commit([put(name, _fields(each)) for name, each in zip(names, batch, strict=True)])

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        name = self._connection.name(tenant_id, "templates", template_id)
        return self._connection.try_commit([change(name, {"embedding": vector, "vectorKey": vector_key})])

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        name = self._connection.name(tenant_id, "templates", template_id)
        return self._connection.try_commit([delete(name, existing=True)])


def stored_of(document: Any) -> StoredTemplate:  # noqa: ANN401
    """Apps write templates too: what they left out gets its default, an embedding that is no vector counts as none.

    Raises InvalidArgument naming the field that has a wrong type.
    """
    template_id, fields = last(document.name), values_of(document)
    held = {name: value for name, value in fields.items() if value is not None}
    template = CODEC.load(Template, {"name": template_id, "content": "", **held}, template_id=template_id)
    vector, key = fields.get("embedding"), fields.get("vectorKey")
    return StoredTemplate(
        template, vector if isinstance(vector, array) else None, key if isinstance(key, str) else None
    )


def _fields(stored: StoredTemplate) -> Mapping[str, object]:
    fields = CODEC.dump(stored.template, "template_id")
    if stored.vector is None or stored.vector_key is None:
        return fields
    return {**fields, "embedding": stored.vector, "vectorKey": stored.vector_key}
