"""Settings -> adapters -> App: the only place that knows who answers behind which port.

Nothing is built at import; adapters import their SDKs on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from shared.account import prices
from shared.account.budgets import ProjectBudget
from shared.account.caches import Cache
from shared.account.metering import MeteredJudge, MeteredReranker, MeteredWriter
from shared.adapters import extras
from shared.answering.checking import SupportPolicy
from shared.answering.extractive import ExtractiveWriter
from shared.app import App
from shared.errors import ModelRefused, SettingsError
from shared.judging.model_judge import ModelJudge
from shared.judging.support import OfflineJudge
from shared.model.notes import NoteKey
from shared.model.retrieval import CosineCalibration
from shared.ports.access import Attester, Verifier
from shared.ports.models import Embedder, Judge, Reranker, Writer
from shared.ports.stores import Store
from shared.settings import CHECK_GROUNDING, LOCAL_TENANT, RANKING, Settings
from shared.tracing import RequestThreads, trace_with

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

LEG_THREADS = 32
"""Searches are waits on the store, three or more a question: enough threads for ten questions at once."""

RANKING_SECONDS = 8.0
"""Longest wait for a ranking of folders: searching all of them is better than waiting longer."""

JUDGING_SECONDS = 10.0
"""Longest wait for a judge that is a service: the offline one judges at once."""

_now = partial(datetime.now, UTC)
_process: list[App] = []
_building = Lock()


def app() -> App:
    """The process's App: what `use` plugged in, else built from the environment on the first call.

    Raises SettingsError at the first bad setting.
    """
    with _building:
        if not _process:
            _process.append(build(Settings.from_env(os.environ)))
        return _process[0]


def use(built: App) -> None:
    """Make `built` the process's App: the development server and tests bring their own."""
    with _building:
        _process[:] = [built]


def build(
    settings: Settings,
    *,
    on_write: Callable[[NoteKey], None] | None = None,
    on_erase: Callable[[str], None] | None = None,
    tenant: str = LOCAL_TENANT,
) -> App:
    """An App from settings. `on_write` hears of every note the embedded store saves (Firestore sends events itself),
    `on_erase` of every tenant that is erased.

    Raises SettingsError for what is asked for and not installed.
    """
    extras.check(settings)
    prices.check(settings)
    trace_with(_tracer(settings))
    hosted = _hosted_embedder(settings)
    local = _local_embedder(None, None) if hosted else _local_embedder(settings.embedding_model, _calibration(settings))
    embedder, extractive = hosted or local, ExtractiveWriter(local)
    before = None
    if settings.embedding_model_before:
        was = replace(
            settings, embedding_model=settings.embedding_model_before, embedding_unrelated=None, embedding_alike=None
        )
        before = _hosted_embedder(was) or _local_embedder(was.embedding_model, None, "EMBEDDING_MODEL_BEFORE")
    store = _store(settings, on_write)
    usd = settings.daily_project_usd
    budget = None if usd is None else ProjectBudget(store, _now, usd=usd)
    built = App(
        settings=settings,
        store=store,
        embedder=embedder,
        before=before,
        writer=None,
        extractive=extractive,
        verifier=_verifier(settings, tenant),
        attester=_attester(settings),
        pool=RequestThreads(LEG_THREADS, thread_name_prefix="leg"),
        clock=_now,
        reranker=_reranker(settings, budget),
        results=Cache() if settings.store == "embedded" else None,
        on_erase=on_erase,
        embedded_token_usd=prices.embedded_token_usd(hosted.model, settings) if hosted else 0.0,
        project_budget=budget,
    )
    return with_models(built, settings)


def with_models(app: App, settings: Settings) -> App:
    """The App with all that asks the writing model of these settings. Raises SettingsError."""
    patience, budget = settings.chat_timeout_ms / 1000, app.project_budget
    further = {model: _writer(settings, patience, budget, model) for model in settings.chat_models}
    return replace(
        app,
        settings=settings,
        writer=_writer(settings, patience, budget),
        writers={model: writer for model, writer in further.items() if writer},
        ranker=_writer(settings, min(patience, RANKING_SECONDS), budget),
        support=SupportPolicy(judge_of(settings, budget), strict=settings.support_policy == "strict"),
    )


def _tracer(settings: Settings) -> Tracer | None:
    if not settings.otel_endpoint:
        return None
    from shared.adapters.otel import SERVICE, tracer_provider  # noqa: PLC0415 - only where it is used

    return tracer_provider(settings.otel_endpoint).get_tracer(SERVICE)


def _store(settings: Settings, on_write: Callable[[NoteKey], None] | None) -> Store:
    if settings.store == "firestore":
        from shared.adapters.firestore import FirestoreStore  # noqa: PLC0415 - only where it is used

        return FirestoreStore(_project(settings), database=settings.firestore_database)
    from shared.adapters.embedded import EmbeddedStore  # noqa: PLC0415 - only where it is used

    return EmbeddedStore(settings.home, on_write=on_write)


def _hosted_embedder(settings: Settings) -> Embedder | None:
    """None: none is configured."""
    size, batch, calibration = settings.embedding_dim, settings.embedding_batch_size, _calibration(settings)
    if settings.uses_gemini:
        from shared.adapters import gemini  # noqa: PLC0415 - only where it is used

        model = settings.embedding_model or gemini.DEFAULT_EMBEDDING_MODEL
        return gemini.GeminiEmbedder(
            model=model, dimension=size, batch_size=batch, calibration=calibration, **_gemini_access(settings)
        )
    if not (settings.openai_base_url and settings.embedding_model):
        return None
    from shared.adapters import openai  # noqa: PLC0415 - only where it is used

    return openai.OpenAIEmbedder(
        model=settings.embedding_model,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key,
        dimension=size,
        batch_size=batch,
        calibration=calibration,
    )


def _local_embedder(
    model: str | None, calibration: CosineCalibration | None, setting: str = "EMBEDDING_MODEL"
) -> Embedder | None:
    """The model that `setting` names, or the one in the box, also beside a service, which would take too long for the
    sentences that are quoted. None: it is not installed, as in every function.
    """
    if not model and not extras.has_box():
        return None
    from shared.adapters.local import embedder  # noqa: PLC0415 - only where it is used

    try:
        return embedder.LocalEmbedder.of(model, calibration)
    except ModelRefused as error:
        raise SettingsError(setting, f"a model of sentence-transformers; {error.message}") from error


def _writer(
    settings: Settings, timeout: float, budget: ProjectBudget | None, chosen: str | None = None
) -> Writer | None:
    """`timeout` in seconds; `chosen`: another model than the configured one.

    None: no model is configured, the notes are quoted.
    """
    writer: Writer
    if settings.uses_gemini:
        from shared.adapters import gemini  # noqa: PLC0415 - only where it is used

        model, access = chosen or settings.chat_model or gemini.DEFAULT_CHAT_MODEL, _gemini_access(settings)
        writer = gemini.GeminiWriter(model=model, temperature=settings.chat_temperature, timeout=timeout, **access)
    elif settings.openai_base_url and settings.chat_model:
        from shared.adapters import openai  # noqa: PLC0415 - only where it is used

        model = chosen or settings.chat_model
        writer = openai.OpenAIWriter(
            model=model,
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            temperature=settings.chat_temperature,
            timeout=timeout,
        )
    else:
        return None
    return MeteredWriter(writer, budget, prices.price_of(model, settings)) if budget else writer


def _reranker(settings: Settings, budget: ProjectBudget | None) -> Reranker | None:
    if settings.reranker == "vertex":
        from shared.adapters.vertex.discovery_engine import DEFAULT_MODEL, VertexReranker  # noqa: PLC0415 - only where it is used

        ranking = VertexReranker(_project(settings), model=settings.reranker_model or DEFAULT_MODEL)
        return MeteredReranker(ranking, budget, prices.price_of(RANKING, settings)) if budget else ranking
    if settings.reranker == "cross_encoder":
        from shared.adapters.local import embedder, files  # noqa: PLC0415 - only where it is used

        try:
            return embedder.CrossEncoderReranker(files.named(settings.reranker_model or ""))
        except ModelRefused as error:
            raise SettingsError("RERANKER_MODEL", f"a cross-encoder; {error.message}") from error
    return None


def judge_of(settings: Settings, budget: ProjectBudget | None = None) -> Judge:
    """Who judges support, by the settings."""
    offline = OfflineJudge()
    if settings.judge == "check_grounding":
        from shared.adapters.vertex.discovery_engine import CheckGroundingJudge  # noqa: PLC0415 - only where it is used

        judge = CheckGroundingJudge(
            project=_project(settings), base_url=settings.check_grounding_base_url, fallback=offline
        )
        return MeteredJudge(judge, budget, prices.price_of(CHECK_GROUNDING, settings)) if budget else judge
    writer = _writer(settings, JUDGING_SECONDS, budget) if settings.judge == "model" else None
    return ModelJudge(writer, fallback=offline) if writer else offline


def _verifier(settings: Settings, tenant: str) -> Verifier:
    from shared.adapters.firebase import authentication as firebase_auth  # noqa: PLC0415 - only where it is used

    if settings.auth == "none":
        return firebase_auth.NoVerifier(tenant)
    project, accounts = _project(settings), None
    if settings.check_revoked:
        host = settings.auth_emulator_host if settings.auth == "emulator" else None
        accounts = firebase_auth.Accounts.emulated(project, host) if host else firebase_auth.Accounts(project)
    if settings.auth == "emulator":
        return firebase_auth.EmulatorVerifier(project, accounts=accounts)
    return firebase_auth.FirebaseVerifier(project, settings.auth_certificates_url, accounts=accounts)


def _attester(settings: Settings) -> Attester | None:
    """None: requests may come from any app, as where authentication is off."""
    if settings.app_check == "off" or settings.auth != "firebase":
        return None
    from shared.adapters.firebase import authentication as firebase_auth  # noqa: PLC0415 - only where it is used

    return firebase_auth.FirebaseAppCheck(_project(settings))


def _gemini_access(settings: Settings) -> dict[str, Any]:
    """Fields of `GeminiRemote`: Vertex AI by the project's own credentials where it is asked for, else the key."""
    return {
        "api_key": None if settings.use_vertexai else settings.gemini_api_key,
        "base_url": settings.gemini_base_url,
        "project": settings.project if settings.use_vertexai else None,
        "location": settings.location,
    }


def _project(settings: Settings) -> str:
    """Raises SettingsError if there is none."""
    if not settings.project:
        raise SettingsError("GOOGLE_CLOUD_PROJECT", "a project id: Firestore and Firebase Auth belong to one")
    return settings.project


def _calibration(settings: Settings) -> CosineCalibration | None:
    """What somebody has measured of the embedder; None: it is not set."""
    if settings.embedding_unrelated is None or settings.embedding_alike is None:
        return None
    return CosineCalibration(settings.embedding_unrelated, settings.embedding_alike)
