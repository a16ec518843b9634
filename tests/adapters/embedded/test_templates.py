"""Files from before there were templates."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from shared.adapters.embedded import EmbeddedStore
from shared.model.templates import StoredTemplate, Template
from tests.adapters.embedded.places import tenant_file
from tests.contracts.samples import TENANT, note


def test_a_file_from_before_the_templates_gets_their_tables(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    store.put_note(TENANT, note("n1"))
    store.close()
    db = sqlite3.connect(tenant_file(tmp_path, TENANT))
    db.executescript("DROP TABLE templates; DROP TABLE shelf")
    db.close()
    again = EmbeddedStore(tmp_path)
    assert again.templates(TENANT) == ()
    stored = StoredTemplate(Template("t", "T", "1."))
    again.put_templates(TENANT, [stored])
    assert again.templates(TENANT) == (stored,)
    assert again.get_note(TENANT, "n1") == note("n1")
    again.close()
