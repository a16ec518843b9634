"""The product's settings: one frozen value, read once from a mapping. Nothing else reads the environment.

Each field has its default, its parser and its meaning; docs/settings.md is checked against them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from shared.errors import SettingsError
from shared.settings import parse
from shared.settings.parse import check

LOCAL_TENANT = "local"
"""Tenant used when authentication is off."""
CHAT_MODEL, EMBEDDING_MODEL = "gemini-3.5-flash-lite", "gemini-embedding-2"
"""Gemini's models in use unless others are set."""
RANKING, CHECK_GROUNDING = "ranking", "check-grounding"
"""Names of Google's services in MODEL_PRICES."""
DEPLOYED_LIMITS: Mapping[str, float] = {
    "daily_chat_limit": 200,
    "daily_search_limit": 1000,
    "daily_embed_tokens": 2_000_000,
    "daily_project_usd": 20.0,
}
"""Defaults where K_SERVICE is set: accounts are free there, and a stranger's questions are the operator's bill."""


def _setting(default: Any, parse: Callable[[str], Any], *, variable: str = "") -> Any:  # noqa: ANN401 - a field's default has the field's type
    return field(default=default, metadata={"variable": variable, "parse": parse})


def variable_of(setting: Field[Any]) -> str:
    """The environment variable: the field's name in capitals, unless it has one of its own."""
    variable: str = setting.metadata["variable"]
    return variable or setting.name.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every field has a default: no environment at all is a working laptop product."""

    store: str = _setting("embedded", parse.one_of("firestore", "embedded"))
    """Where notes and index live. Default `firestore` where K_SERVICE or FIRESTORE_EMULATOR_HOST is set; `embedded`
    never starts where K_SERVICE is.
    """
    home: Path = _setting(Path("~/.aurora").expanduser(), parse.path, variable="AURORA_HOME")
    """Folder of the embedded store."""
    project: str | None = _setting(None, str, variable="GOOGLE_CLOUD_PROJECT")
    """Google Cloud project of Firestore and Auth."""
    firestore_database: str = _setting("(default)", parse.database)
    """The project's database that holds everything; one of its own leaves others alone."""
    location: str = _setting("global", str, variable="GOOGLE_CLOUD_LOCATION")
    """Vertex AI location."""
    gemini_api_key: str | None = _setting(None, parse.key)
    """Gemini API key: embeds and writes."""
    use_vertexai: bool = _setting(False, parse.flag, variable="GOOGLE_GENAI_USE_VERTEXAI")
    """Gemini through Vertex AI and the project instead of a key."""
    gemini_base_url: str | None = _setting(None, parse.address)
    """Another address that speaks Gemini's REST protocol (a proxy)."""
    openai_base_url: str | None = _setting(None, parse.address)
    """Any OpenAI-compatible server, Ollama included; used when no Gemini is set."""
    openai_api_key: str | None = _setting(None, parse.key)
    """Key of the server at OPENAI_BASE_URL."""
    chat_model: str | None = _setting(None, parse.model)
    """Writing model. Default `gemini-3.5-flash-lite`; required with OPENAI_BASE_URL."""
    chat_models: tuple[str, ...] = _setting((), parse.each(parse.model))
    """Further models that a session or a request may choose, comma separated."""
    session_defaults: tuple[tuple[str, bool | int | float | str], ...] = _setting((), parse.session_defaults)
    """Settings of new sessions, like `topK=8,maxHistory=40`, comma separated."""
    chat_temperature: float = _setting(0.3, parse.number(0, 2))
    """Sent only to models that take a temperature."""
    chat_timeout_ms: int = _setting(30_000, parse.whole(100, 540_000))
    """Longest wait for the writing model, milliseconds."""
    request_timeout_seconds: int | None = _setting(None, parse.whole(1, 3600))
    """When the host ends a request, seconds; a CHAT_TIMEOUT_MS that does not fit stops the start."""
    chat_max_query_length: int = _setting(2000, parse.whole(1, 20_000))
    """Longest question, characters."""
    retrieval_top_k: int = _setting(30, parse.whole(1, 300))
    """Most chunks a leg brings to the pool."""
    retrieval_rerank_to: int = _setting(8, parse.whole(1, 12))
    """Chunks the writer gets."""
    retrieval_window_days: int = _setting(90, parse.whole(1, 36_500))
    """Window of the recent leg, days."""
    weight_vector: float = _setting(0.6, parse.number(0, 1), variable="RETRIEVAL_WEIGHT_VECTOR")
    """Weight of the vector part."""
    weight_keyword: float = _setting(0.25, parse.number(0, 1), variable="RETRIEVAL_WEIGHT_KEYWORD")
    """Weight of the keyword part."""
    weight_recency: float = _setting(0.15, parse.number(0, 1), variable="RETRIEVAL_WEIGHT_RECENCY")
    """Weight of the recency part."""
    half_life_days: float = _setting(180.0, parse.number(0.01, 36_500), variable="RETRIEVAL_HALF_LIFE_DAYS")
    """Age at which the recency part halves, days."""
    rrf_k: int = _setting(60, parse.whole(1, 1000), variable="RETRIEVAL_RRF_K")
    """Constant of reciprocal rank fusion."""
    bm25_k1: float = _setting(1.2, parse.number(0, 10), variable="RETRIEVAL_BM25_K1")
    """How soon further occurrences of a word stop counting (BM25)."""
    bm25_b: float = _setting(0.75, parse.number(0, 1), variable="RETRIEVAL_BM25_B")
    """How much a passage's length counts (BM25)."""
    reranker: str = _setting("none", parse.one_of("none", "vertex", "cross_encoder"))
    """Orders the best passages again: Vertex AI's ranking service in the project, or a local cross-encoder."""
    reranker_model: str | None = _setting(None, str)
    """`cross_encoder`: the model's folder or name on the hub; `vertex`: default `semantic-ranker-default@latest`."""
    judge: str = _setting("offline", parse.one_of("offline", "model", "check_grounding"))
    """Who judges whether passages back the answer: rules on this machine, the writing model in a second call, or
    Google's check-grounding service.
    """
    support_policy: str = _setting("flag", parse.one_of("flag", "strict"))
    """What happens to claims that nothing backs: `flag` marks their citations, `strict` removes them."""
    check_grounding_base_url: str | None = _setting(None, parse.address)
    """Another address that speaks the check-grounding protocol (a proxy)."""
    embedding_model: str | None = _setting(None, parse.model)
    """Default `gemini-embedding-2` with Gemini; with OPENAI_BASE_URL a model there. Else one on this machine: a folder,
    or a name on the model hub like `intfloat/multilingual-e5-small`, fetched once; default `all-MiniLM-L6-v2`.
    """
    embedding_model_before: str | None = _setting(None, parse.model)
    """After a change of EMBEDDING_MODEL the model of before: it answers until a tenant's notes have new vectors."""
    embedding_unrelated: float | None = _setting(None, parse.number(-1, 1))
    """Mean cosine of a question with passages that have nothing to do with it. `aurora doctor --calibrate` measures
    both on the notes. Default: as measured of the model, else estimated from the newest notes.
    """
    embedding_alike: float | None = _setting(None, parse.number(-1, 1))
    """Cosine that counts in full: a note's with its own title, at its best."""
    embedding_dim: int = _setting(768, parse.whole(1, 2048))
    """Dimensions asked of the embedding model."""
    embedding_batch_size: int = _setting(10, parse.whole(1, 100))
    """Texts in one embedding call."""
    sweep_workers: int = _setting(8, parse.whole(1, 64))
    """Notes that the function `reconcile` indexes side by side; each waits for the database or the model."""
    auth: str = _setting("firebase", parse.one_of("firebase", "emulator", "none"))
    """Who may call. `emulator` and `none` never start where K_SERVICE is set; `aurora dev` uses `none`."""
    check_revoked: bool = _setting(False, parse.flag)
    """Firebase is asked at each request whether the account is still there, enabled and signed in; else a token is good
    for the hour it was issued for.
    """
    auth_emulator_host: str | None = _setting(None, str, variable="FIREBASE_AUTH_EMULATOR_HOST")
    """`HOST:PORT` of an Auth emulator, which CHECK_REVOKED then asks."""
    auth_certificates_url: str = _setting(
        "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", parse.address
    )
    """Where the certificates of Firebase ID tokens are fetched."""
    app_check: str = _setting("off", parse.one_of("off", "warn", "enforce"))
    """Requests without a valid Firebase App Check token: `warn` logs them, `enforce` refuses them. Without effect
    unless `AUTH` is `firebase`.
    """
    daily_chat_limit: int | None = _setting(None, parse.limit(1, 10**9))
    """Answers a tenant and UTC day; then 429. Default 200 where K_SERVICE is set, else none; 0: none."""
    daily_search_limit: int | None = _setting(None, parse.limit(1, 10**9))
    """Searches a tenant and UTC day; then 429. Default 1000 where K_SERVICE is set, else none; 0: none."""
    daily_embed_tokens: int | None = _setting(None, parse.limit(10_000, 10**12))
    """Tokens (estimated) embedded a tenant and UTC day, at least 10000; then notes wait for vectors and questions do
    without. Default 2000000 where K_SERVICE is set, else none; 0: none.
    """
    daily_project_usd: float | None = _setting(None, parse.limit(0.01, 1e9))
    """USD that models and document reads may cost all tenants together a UTC day; then questions and searches are 429
    and notes wait for vectors. Default 20 where K_SERVICE is set, else none; 0: none.
    """
    model_prices: tuple[tuple[str, float, float], ...] = _setting((), parse.prices)
    """`MODEL=READ/WRITTEN`, comma separated: USD per million tokens of models whose list price is not known, which
    DAILY_PROJECT_USD needs; `MODEL=READ` for one that embeds, and for `ranking` and `check-grounding`.
    """
    allowed_origins: tuple[str, ...] = _setting((), parse.origins)
    """Web origins that may call, comma separated."""
    template_folders: tuple[Path, ...] = _setting((), parse.each(parse.path))
    """Folders of reasoning templates, comma separated. Default: the ten that are shipped in `templates/`."""
    template_threshold: float | None = _setting(None, parse.number(0, 1))
    """Least similarity of a template that `auto` or a search finds. Default: it must stand out from the others."""
    otel_endpoint: str | None = _setting(None, parse.address, variable="OTEL_EXPORTER_OTLP_ENDPOINT")
    """Base address of an OpenTelemetry collector that takes OTLP over HTTP; needs the extra `otel`."""
    log_level: str = _setting("INFO", parse.one_of("DEBUG", "INFO", "WARNING", "ERROR"))
    """Least level that is logged."""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Settings:
        """Raises SettingsError naming the first bad variable. An empty value counts as not set."""
        values: dict[str, Any] = {}
        for each in fields(cls):
            if given := env.get(variable_of(each)):
                try:
                    values[each.name] = each.metadata["parse"](given)
                except ValueError as problem:
                    raise SettingsError(variable_of(each), str(problem)) from None
        if "store" not in values and (env.get("K_SERVICE") or env.get("FIRESTORE_EMULATOR_HOST")):
            values["store"] = "firestore"
        deployed = bool(env.get("K_SERVICE"))
        settings = cls(**({**DEPLOYED_LIMITS, **values} if deployed else values))
        check(settings, deployed=deployed)
        return settings

    @property
    def uses_gemini(self) -> bool:
        """Whether Gemini embeds and writes; else it is the server at OPENAI_BASE_URL, or this machine."""
        return bool(self.gemini_api_key or self.use_vertexai)

    @property
    def embeds_here(self) -> bool:
        """Whether texts are embedded on this machine."""
        return not self.uses_gemini and not (self.openai_base_url and self.embedding_model)

    @property
    def billed_models(self) -> tuple[str, ...]:
        """The hosted models in use, by the names that MODEL_PRICES gives them."""
        used: list[str | None] = []
        if self.uses_gemini:
            used = [self.chat_model or CHAT_MODEL, self.embedding_model or EMBEDDING_MODEL, self.embedding_model_before]
        elif self.openai_base_url:
            used = [self.chat_model, self.embedding_model, self.embedding_model_before]
        used += [RANKING if self.reranker == "vertex" else None]
        used += [CHECK_GROUNDING if self.judge == "check_grounding" else None]
        return tuple(model for model in (*used, *self.chat_models) if model)
