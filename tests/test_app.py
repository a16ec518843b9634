"""The App's behaviour beyond calling the paths."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.firebase.authentication import NoVerifier
from shared.app import App, Parts
from shared.bootstrap import assemble
from shared.errors import InvalidArgument
from shared.indexing.coverage import read_note_state
from shared.model.index import IndexStatus
from shared.model.notes import NoteKey
from shared.notes.service import NoteDraft
from shared.ports.stores import Store
from shared.settings import Settings
from tests.fakes import HashingEmbedder
from tests.indexing.world import TENANT, Clock, garbled_store, key


def app_on(store: Store, clock: Clock | None = None) -> App:
    parts = Parts(
        settings=Settings(),
        store=store,
        embedder=HashingEmbedder(),
        writer=None,
        verifier=NoVerifier(),
        pool=ThreadPoolExecutor(2),
        clock=clock or Clock(),
    )
    return assemble(parts)


def test_a_note_that_an_app_wrote_with_wrong_types_says_why_it_failed_and_is_mended_by_saving_it(
    embedded_store: EmbeddedStore,
) -> None:
    app = app_on(garbled_store(embedded_store, "n1"))
    embedded_store.put_note(
        TENANT, app_on(embedded_store).notes.save(TENANT, "n1", NoteDraft(title="T", text="Old."))
    )
    with pytest.raises(InvalidArgument):
        app.notes.get(TENANT, "n1")
    assert app.indexer.index(key()).action == "failed"
    state = read_note_state(app.indexer, NoteKey(TENANT, "n1"))
    assert state.current
    assert state.record is not None
    assert state.record.status is IndexStatus.FAILED
    assert state.record.error

    saved = app.notes.save(TENANT, "n1", NoteDraft(title="T", text="New."))
    assert embedded_store.get_note(TENANT, "n1") == saved


def test_the_same_content_again_writes_nothing_and_keeps_its_time(
    embedded_store: EmbeddedStore,
) -> None:
    clock = Clock()
    app = app_on(embedded_store, clock)
    first = app.notes.save(TENANT, "n1", NoteDraft(title="T", text="Text."))
    clock.advance(hours=1)
    assert app.notes.save(TENANT, "n1", NoteDraft(title="T", text="Text.")) == first


def test_what_cosines_mean_is_estimated_again_until_there_are_notes_to_tell_it(
    embedded_store: EmbeddedStore,
) -> None:
    app = app_on(embedded_store)
    embedder = HashingEmbedder()
    embedder.calibration = None
    app = assemble(replace(app, embedder=embedder))
    tenant_embedder = app.embedder_of(TENANT)
    assert tenant_embedder is not None
    calibration_before = tenant_embedder.calibration
    texts = (
        "The boat leaks.",
        "Tomatoes need water.",
        "Priya prefers trains.",
        "Floss twice a day.",
        "The API scales.",
    )
    calibrations = []
    for number, text in enumerate(texts):
        app.notes.save(TENANT, f"n{number}", NoteDraft(title="", text=text))
        app.indexer.index(key(f"n{number}"))
        calibrations.append(tenant_embedder.calibration)
    assert calibration_before is None
    assert calibrations[0] is None
    assert len({calibration for calibration in calibrations if calibration}) == 4
    embedded_store.erase(TENANT)
    assert tenant_embedder.calibration is calibrations[-1]
