"""The reasoning templates: `tenants/{tenant}/templates/{template}`, which apps also read and write themselves."""

from __future__ import annotations

import json
import logging
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from shared.adapters.firestore import names
from shared.adapters.firestore.documents import Fields
from shared.adapters.firestore.requests.connection import Connection
from shared.adapters.firestore.requests.protocol import change, plain, protocol, put
from shared.adapters.firestore.requests.queries import KEY, Order, Query
from shared.adapters.firestore.writing.packing import packed
from shared.adapters.firestore.writing.sizes import Indexes, Weight, document_weight
from shared.errors import InvalidArgument
from shared.model.index import Vector
from shared.model.templates import StoredTemplate, Template
from shared.ports.tenants import MOST_TEMPLATES

_SHELF = ("settings", "templateShelf")
"""Where the shelf lies: collection and id. Its field `files` is JSON, for ids may be what field names may not."""

_log = logging.getLogger(__name__)


class Templates:
    """`shared.ports.tenants.TemplateStore` on Firestore."""

    _connection: Connection

    def templates(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        """One that an app wrote with a wrong type is left out, with a warning in the log."""
        query = Query(collection="templates", order=(Order(KEY),), limit=MOST_TEMPLATES)
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
        writes = [
            _put(self._connection.name(tenant_id, "templates", each.template.template_id), each) for each in templates
        ]
        for batch in packed(((write, _weight(write)) for write in writes), Weight(0, 0)):
            self._connection.commit(batch)

    def put_template_vector(self, tenant_id: str, template_id: str, vector: Vector, vector_key: str) -> bool:
        fields = _vector_fields(vector, vector_key)
        return self._connection.holds([change(self._connection.name(tenant_id, "templates", template_id), fields)])

    def delete_template(self, tenant_id: str, template_id: str) -> bool:
        write = protocol().Write(delete=self._connection.name(tenant_id, "templates", template_id))
        write.current_document.exists = True
        return self._connection.holds([write])

    def read_shelf(self, tenant_id: str) -> Mapping[str, str]:
        found = self._connection.read(self._connection.name(tenant_id, *_SHELF))
        shelf: dict[str, str] = {} if found is None else json.loads(found.fields["files"].string_value)
        return shelf

    def write_shelf(self, tenant_id: str, shelf: Mapping[str, str]) -> None:
        name = self._connection.name(tenant_id, *_SHELF)
        self._connection.commit([put(name, {"files": json.dumps(dict(shelf))})])


def stored_of(document: Any) -> StoredTemplate:  # noqa: ANN401
    """Apps write templates too: what they left out gets its default, an embedding that is no vector counts as none.

    Raises InvalidArgument naming the field that has a wrong type.
    """
    template_id = names.last(document.name)
    fields = Fields(document.fields)
    template = Template(
        template_id=template_id,
        name=fields.text("name", template_id),
        content=fields.text("content", ""),
        domain=fields.text("domain", "general"),
        complexity=fields.text("complexity", "moderate"),
        methodology=fields.text("methodology", "sequential"),
        keywords=fields.texts("keywords"),
        description=fields.text("description", ""),
    )
    vector = plain(document.fields["embedding"]) if "embedding" in document.fields else None
    return StoredTemplate(template, vector if isinstance(vector, array) else None, fields.text("vectorKey", "") or None)


def _put(name: str, stored: StoredTemplate) -> Any:  # noqa: ANN401
    template = stored.template
    fields: dict[str, object] = {
        "name": template.name,
        "content": template.content,
        "domain": template.domain,
        "complexity": template.complexity,
        "methodology": template.methodology,
        "keywords": template.keywords,
        "description": template.description,
    }
    if stored.vector is not None and stored.vector_key is not None:
        fields |= _vector_fields(stored.vector, stored.vector_key)
    return put(name, fields)


def _weight(write: Any) -> Weight:  # noqa: ANN401
    """Of the template and the one it replaces, which is taken to weigh the same. They have no index entries."""
    own = document_weight(write.update, Indexes(single=(), composite=()))
    return own + own


def _vector_fields(vector: Vector, vector_key: str) -> Mapping[str, object]:
    return {"embedding": vector, "vectorKey": vector_key}
