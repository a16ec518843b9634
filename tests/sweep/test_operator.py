"""A model that only the operator can mend is an outage: no note pays for it, and after the repair all are due."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from shared.adapters.gemini import GeminiEmbedder, GeminiWriter
from shared.adapters.openai import OpenAIEmbedder, OpenAIWriter
from shared.errors import ModelMisconfigured
from shared.indexing.pipeline import Indexer
from shared.model.index import IndexStatus
from shared.model.notes import NoteKey
from shared.ports.models import Embedder, Writer
from shared.ports.stores import Store
from tests.adapters.models.waiting import PROMPT
from tests.indexing.world import TENANT, Clock, on_both_stores, record_of
from tests.servers import gemini as gemini_replies
from tests.servers.gemini import GeminiServer
from tests.servers.openai import OpenAIServer
from tests.servers.openai import error as openai_error
from tests.servers.scripted import Reply, ScriptedServer
from tests.sweep.samples import put_notes, sweep, sweep_to_the_end

NOTES = 12
EVERY = timedelta(minutes=5)
GEMINI = [
    gemini_replies.error(400, "INVALID_ARGUMENT", gemini_replies.error_info("API_KEY_INVALID")),
    gemini_replies.error(401, "UNAUTHENTICATED"),
    gemini_replies.error(403, "PERMISSION_DENIED"),
    gemini_replies.error(404, "NOT_FOUND"),
]
OPENAI = [
    openai_error(401, "invalid_api_key"),
    openai_error(402, "payment_required"),
    openai_error(403, "unsupported_country"),
    openai_error(404, "model_not_found"),
]


@pytest.fixture(params=["gemini", "openai"])
def server(request: pytest.FixtureRequest) -> Iterator[ScriptedServer]:
    with GeminiServer() if request.param == "gemini" else OpenAIServer() as running:
        yield running


def _models(server: ScriptedServer, model: str) -> tuple[Embedder, Writer]:
    if isinstance(server, GeminiServer):
        return (
            GeminiEmbedder(
                model=model,
                api_key="k",
                base_url=server.url,
                dimension=8,
            ),
            GeminiWriter(model=model, api_key="k", base_url=server.url),
        )
    assert isinstance(server, OpenAIServer)
    return (
        OpenAIEmbedder(
            model=model,
            base_url=server.base_url,
            api_key="k",
            dimension=8,
        ),
        OpenAIWriter(
            model=model,
            base_url=server.base_url,
            api_key="k",
        ),
    )


def _answering(reply: Reply) -> Callable[[object], Reply]:
    return lambda _: reply


@pytest.mark.parametrize(
    ("store", "kind"),
    [
        *(("embedded", kind) for kind in range(4)),
        ("firestore", 0),
    ],  # what a model says is no store's matter
    indirect=["store"],
)
def test_while_only_the_operator_can_mend_the_model_notes_wait_and_then_all_are_due(
    store: Store,
    clock: Clock,
    server: ScriptedServer,
    kind: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    refusals = GEMINI if isinstance(server, GeminiServer) else OPENAI
    embedder, _ = _models(server, f"model-{kind}-{type(server).__name__}-{type(store).__name__}")
    note_ids = put_notes(store, NOTES)
    well = server.answer
    server.answer = _answering(refusals[kind])
    for _ in range(6):
        report = sweep(store, embedder, clock, workers=4)
        assert report.indexed == 0
        assert report.failed == 0
        clock.now += EVERY
    for note_id in note_ids:
        record = record_of(store, note_id)
        assert record.status == IndexStatus.PENDING
        assert record.attempts == 0
    errors = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(errors) == 1
    assert (
        len(server.requests) <= 6 * 4
    )  # each call asks a model that refuses it no more than once a worker
    server.answer = well
    reports = sweep_to_the_end(store, embedder, clock)
    assert sum(report.indexed for report in reports) == NOTES


@on_both_stores
def test_while_the_dimension_is_not_the_models_notes_wait_and_then_all_are_due(
    store: Store, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    note_ids = put_notes(store, NOTES)
    with OpenAIServer(dimension=6) as server:
        model = f"of-six-{type(store).__name__}"
        wrong, right = (
            OpenAIEmbedder(
                model=model,
                base_url=server.base_url,
                api_key="k",
                dimension=dimension,
            )
            for dimension in (8, 6)
        )
        for _ in range(6):
            report = sweep(store, wrong, clock)
            assert report.indexed == 0
            assert report.failed == 0
            clock.now += EVERY
        assert len(server.requests) == 6, "one a call"
        for note_id in note_ids:
            record = record_of(store, note_id)
            assert record.status == IndexStatus.PENDING
            assert record.attempts == 0
        errors = [record.message for record in caplog.records if record.levelname == "ERROR"]
        assert len(errors) == 1
        assert "set EMBEDDING_DIM=6" in errors[0]
        reports = sweep_to_the_end(store, right, clock)
    assert sum(report.indexed for report in reports) == NOTES


def test_a_refused_key_costs_a_writer_one_request_and_says_why(server: ScriptedServer) -> None:
    refusals = GEMINI if isinstance(server, GeminiServer) else OPENAI
    _, writer = _models(server, "writes")
    for refusal in refusals:
        server.answer = _answering(refusal)
        requests_before = len(server.requests)
        with pytest.raises(ModelMisconfigured, match=r"^writes: "):
            writer.write(PROMPT)
        with pytest.raises(ModelMisconfigured, match=r"^writes: "):
            list(writer.stream(PROMPT))
        assert len(server.requests) == requests_before + 2


def test_notes_that_are_refused_themselves_are_still_failed(
    store: Store, clock: Clock, server: ScriptedServer
) -> None:
    embedder, _ = _models(server, "refuses")
    put_notes(store, 1)
    server.answer = _answering(Reply(status=400, body={"error": {"code": 400, "status": "WHY"}}))
    indexer = Indexer(store=store, embedder=embedder, clock=clock)
    assert indexer.index(NoteKey(TENANT, "n00")).action == "failed"
    assert record_of(store, "n00").attempts == 1
