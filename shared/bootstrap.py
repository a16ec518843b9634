"""Settings -> adapters -> App: the only place that knows which adapter stands behind which port.

Nothing is built at import; adapters import their SDKs on first use.

    app, use      the App of this process
    build         settings -> parts -> App
    assemble      parts -> services -> App
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from shared.account import index_writes, prices
from shared.account.budgets import Budgets, ProjectBudget
from shared.account.caches import Cache
from shared.account.metering import MeteredReranker, MeteredWriter
from shared.adapters import extras
from shared.app import App, Parts, judge_by, usage_store
from shared.errors import ModelRefused, SettingsError
from shared.model.notes import NoteKey
from shared.model.retrieval import CosineCalibration
from shared.ports.access import Attester, Verifier
from shared.ports.models import Embedder, Judge, Reranker, Writer
from shared.ports.stores import Store
from shared.settings import LOCAL_TENANT, RANKING, Settings
from shared.tracing import RequestThreads, trace_with

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

LEG_THREADS = 32
"""Threads for searches, which wait on the store, three or more a question: enough for ten questions at once."""

RANKING_SECONDS = 8.0
"""Longest wait for a ranking of folders: searching all of them is better than waiting longer."""

JUDGING_SECONDS = 10.0
"""Longest wait for a judge that is a service; the offline judge answers at once."""

_now = partial(datetime.now, UTC)
_process: list[App] = []
_building = Lock()


def app() -> App:
    """Returns the App of this process: the one given to `use`, else one built from the environment on the first call.

    Raises SettingsError at the first bad setting.
    """
    with _building:
        if not _process:
            _process.append(build(Settings.from_env(os.environ)))
        return _process[0]


def use(built: App) -> None:
    """Makes `built` the App of this process: the development server and tests bring their own."""
    with _building:
        _process[:] = [built]


def build(
    settings: Settings,
    *,
    on_write: Callable[[NoteKey], None] | None = None,
    on_erase: Callable[[str], None] | None = None,
    tenant: str = LOCAL_TENANT,
) -> App:
    """Builds an App from settings.

    on_write: called with every note that the embedded store saves (Firestore sends events itself).
    on_erase: called with every tenant that is erased.
    tenant: tenant of every request if authentication is off.

    Raises SettingsError for a part that is configured but not installed.
    """
    extras.check(settings)
    prices.check(settings)
    trace_with(_tracer(settings))

    hosted = _hosted_embedder(settings)
    if hosted is None:
        local = _local_embedder(settings.embedding_model, _calibration(settings))
        embedded_token_usd = 0.0
    else:
        local = _local_embedder(None, None)
        embedded_token_usd = prices.embedded_token_usd(hosted.model, settings)

    store = _store(settings, on_write)
    index_prices = index_writes.IndexPrices()
    if store.bills_reads:
        index_prices = index_writes.FIRESTORE

    project_budget = None
    if settings.daily_project_usd is not None:
        project_budget = ProjectBudget(store, _now, usd=settings.daily_project_usd)

    parts = Parts(
        settings=settings,
        store=store,
        embedder=hosted or local,
        previous_embedder=_previous_embedder(settings),
        writer=None,
        quoting_embedder=local,
        verifier=_verifier(settings, tenant),
        attester=_attester(settings),
        pool=RequestThreads(LEG_THREADS, thread_name_prefix="leg"),
        clock=_now,
        reranker=_reranker(settings, project_budget),
        results=Cache() if settings.store == "embedded" else None,
        on_erase=on_erase,
        embedded_token_usd=embedded_token_usd,
        index_prices=index_prices,
        project_budget=project_budget,
    )
    return with_models(parts, settings)


def with_models(parts: Parts, settings: Settings) -> App:
    """Returns the App of these parts with the writing models of `settings`. Raises SettingsError."""
    budget = parts.project_budget
    timeout = settings.chat_timeout_ms / 1000
    writers = {}
    for model in settings.chat_models:
        writer = _writer(settings, timeout, budget, model)
        if writer is not None:
            writers[model] = writer
    changed = replace(
        parts,
        settings=settings,
        writer=_writer(settings, timeout, budget),
        writers=writers,
        ranker=_writer(settings, min(timeout, RANKING_SECONDS), budget),
        judge=_judging_writer(settings, budget),
    )
    return assemble(changed)


def unless_erased(app: App, tenant_id: str, last_erasure: str) -> App:
    """Returns the App for work that began when `last_erasure` was the tenant's last erasure.

    What it saves after another erasure raises Erased.
    """
    return assemble(replace(app, store=app.store.unless_erased(tenant_id, last_erasure)))


def assemble(parts: Parts) -> App:
    """Returns the App of these parts.

    An App is itself a set of parts: `assemble(replace(app, writer=writer))` changes one. Raises SettingsError for
    SESSION_DEFAULTS that no session can have.
    """
    settings = parts.settings
    budgets = Budgets(
        store=usage_store(parts),
        clock=parts.clock,
        answers=settings.daily_chat_limit,
        searches=settings.daily_search_limit,
        embedded_tokens=settings.daily_embed_tokens,
        embedded_token_usd=parts.embedded_token_usd,
        project=parts.project_budget,
    )
    plugged_in = {part.name: getattr(parts, part.name) for part in fields(Parts)}
    app = App(**plugged_in, budgets=budgets)
    if settings.session_defaults:
        _ = app.sessions  # checks them
    return app


# -- adapters


def _tracer(settings: Settings) -> Tracer | None:
    if not settings.otel_endpoint:
        return None
    from shared.adapters.otel import SERVICE, tracer_provider  # noqa: PLC0415 - only where it is used

    return tracer_provider(settings.otel_endpoint).get_tracer(SERVICE)


def _store(settings: Settings, on_write: Callable[[NoteKey], None] | None) -> Store:
    if settings.store == "firestore":
        from shared.adapters.firestore import FirestoreStore  # noqa: PLC0415 - only where it is used

        return FirestoreStore(
            _project(settings),
            database=settings.firestore_database,
            deployment=settings.function_prefix,
        )
    from shared.adapters.embedded import EmbeddedStore  # noqa: PLC0415 - only where it is used

    return EmbeddedStore(settings.home, on_write=on_write)


def _previous_embedder(settings: Settings) -> Embedder | None:
    """Returns the embedder of EMBEDDING_MODEL_BEFORE; None if it is not set."""
    if not settings.embedding_model_before:
        return None
    previous_settings = replace(
        settings,
        embedding_model=settings.embedding_model_before,
        embedding_unrelated=None,
        embedding_alike=None,
    )
    hosted = _hosted_embedder(previous_settings)
    if hosted is not None:
        return hosted
    return _local_embedder(settings.embedding_model_before, None, "EMBEDDING_MODEL_BEFORE")


def _hosted_embedder(settings: Settings) -> Embedder | None:
    """Returns the embedder that is a service; None if none is configured."""
    if settings.uses_gemini:
        from shared.adapters import gemini  # noqa: PLC0415 - only where it is used

        return gemini.GeminiEmbedder(
            model=settings.embedding_model or gemini.DEFAULT_EMBEDDING_MODEL,
            dimension=settings.embedding_dim,
            batch_size=settings.embedding_batch_size,
            calibration=_calibration(settings),
            **_gemini_access(settings),
        )
    if not settings.openai_base_url or not settings.embedding_model:
        return None
    from shared.adapters import openai  # noqa: PLC0415 - only where it is used

    return openai.OpenAIEmbedder(
        model=settings.embedding_model,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        dimension=settings.embedding_dim,
        batch_size=settings.embedding_batch_size,
        calibration=_calibration(settings),
    )


def _local_embedder(
    model: str | None,
    calibration: CosineCalibration | None,
    setting: str = "EMBEDDING_MODEL",
) -> Embedder | None:
    """Returns the embedder that runs in this process; None if it is not installed, as in every function.

    model: model that the variable `setting` names; None for the bundled one. That one is loaded beside a service too,
    which would take too long for the sentences that are quoted.
    """
    if not model and not extras.has_bundled_model():
        return None
    from shared.adapters.local import embedder  # noqa: PLC0415 - only where it is used

    try:
        return embedder.LocalEmbedder.of(model, calibration)
    except ModelRefused as error:
        raise SettingsError(
            setting,
            f"a model of sentence-transformers; {error.message}",
        ) from error


def _writer(
    settings: Settings,
    timeout: float,
    budget: ProjectBudget | None,
    chosen_model: str | None = None,
) -> Writer | None:
    """Returns the writing model; None if none is configured and the notes are quoted.

    timeout: seconds.
    chosen_model: name of another model than the configured one.
    """
    writer: Writer
    if settings.uses_gemini:
        from shared.adapters import gemini  # noqa: PLC0415 - only where it is used

        model = chosen_model or settings.chat_model or gemini.DEFAULT_CHAT_MODEL
        writer = gemini.GeminiWriter(
            model=model,
            temperature=settings.chat_temperature,
            timeout=timeout,
            **_gemini_access(settings),
        )
    elif settings.openai_base_url and settings.chat_model:
        from shared.adapters import openai  # noqa: PLC0415 - only where it is used

        model = chosen_model or settings.chat_model
        writer = openai.OpenAIWriter(
            model=model,
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            temperature=settings.chat_temperature,
            timeout=timeout,
        )
    else:
        return None
    if budget is None:
        return writer
    return MeteredWriter(writer, budget, prices.price_of(model, settings))


def _reranker(settings: Settings, budget: ProjectBudget | None) -> Reranker | None:
    """Returns the reranker; None if none is configured."""
    if settings.reranker == "vertex":
        from shared.adapters.vertex.discovery_engine import DEFAULT_MODEL, VertexReranker  # noqa: PLC0415 - only where it is used

        model = settings.reranker_model or DEFAULT_MODEL
        reranker = VertexReranker(_project(settings), model=model)
        if budget is None:
            return reranker
        return MeteredReranker(reranker, budget, prices.price_of(RANKING, settings))
    if settings.reranker == "cross_encoder":
        from shared.adapters.local import embedder, files  # noqa: PLC0415 - only where it is used

        try:
            return embedder.CrossEncoderReranker(files.named(settings.reranker_model or ""))
        except ModelRefused as error:
            raise SettingsError("RERANKER_MODEL", f"a cross-encoder; {error.message}") from error
    return None


def judge_of(settings: Settings) -> Judge:
    """Returns the judge of support that the settings name, of a command that measures it alone."""
    return judge_by(_judging_writer(settings, None))


def _judging_writer(settings: Settings, budget: ProjectBudget | None) -> Writer | None:
    """Returns the model that judges support; None if the offline judge does."""
    if settings.judge != "model":
        return None
    return _writer(settings, JUDGING_SECONDS, budget)


def _verifier(settings: Settings, tenant: str) -> Verifier:
    from shared.adapters.firebase import authentication as firebase_auth  # noqa: PLC0415 - only where it is used

    if settings.auth == "none":
        return firebase_auth.NoVerifier(tenant)
    project = _project(settings)
    is_emulated = settings.auth == "emulator"
    accounts = None
    if settings.check_revoked:
        if is_emulated and settings.auth_emulator_host:
            accounts = firebase_auth.Accounts.emulated(project, settings.auth_emulator_host)
        else:
            accounts = firebase_auth.Accounts(project)
    if is_emulated:
        return firebase_auth.EmulatorVerifier(project, accounts=accounts)
    return firebase_auth.FirebaseVerifier(
        project,
        settings.auth_certificates_url,
        accounts=accounts,
    )


def _attester(settings: Settings) -> Attester | None:
    """Returns the verifier of App Check; None if requests may come from any app, as with authentication off."""
    if settings.app_check == "off" or settings.auth != "firebase":
        return None
    from shared.adapters.firebase import authentication as firebase_auth  # noqa: PLC0415 - only where it is used

    return firebase_auth.FirebaseAppCheck(_project(settings))


def _gemini_access(settings: Settings) -> dict[str, Any]:
    """Returns fields of `GeminiRemote`: Vertex AI by the project's own credentials if it is configured, else the key."""
    access: dict[str, Any] = {
        "api_key": settings.gemini_api_key,
        "base_url": settings.gemini_base_url,
        "project": None,
        "location": settings.location,
    }
    if settings.use_vertexai:
        access["api_key"] = None
        access["project"] = settings.project
    return access


def _project(settings: Settings) -> str:
    """Returns the project. Raises SettingsError if there is none."""
    if not settings.project:
        raise SettingsError(
            "GOOGLE_CLOUD_PROJECT",
            "a project id: Firestore and Firebase Auth belong to one",
        )
    return settings.project


def _calibration(settings: Settings) -> CosineCalibration | None:
    """Returns the measured calibration of the embedder; None if it is not set."""
    if settings.embedding_unrelated is None or settings.embedding_alike is None:
        return None
    return CosineCalibration(settings.embedding_unrelated, settings.embedding_alike)
