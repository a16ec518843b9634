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
EXTRACTIVE = "extractive"
"""Name of the model whose answers quote the notes."""
CHAT_MODEL = "gemini-3.5-flash-lite"
"""Gemini's writing model unless another is set."""
EMBEDDING_MODEL = "gemini-embedding-2"
"""Gemini's embedding model unless another is set."""
RANKING = "ranking"
"""Names of Google's services in MODEL_PRICES."""
DEPLOYED_LIMITS: Mapping[str, float] = {
    "daily_chat_limit": 200,
    "daily_search_limit": 1000,
    "daily_embed_tokens": 2_000_000,
    "daily_index_writes": 50_000,
    "daily_project_usd": 20.0,
}
"""Defaults where K_SERVICE is set: accounts are free there, and a stranger's questions are the operator's bill."""


def _setting(default: Any, parse: Callable[[str], Any], *, variable: str = "") -> Any:  # noqa: ANN401 - a field's default has the field's type
    return field(default=default, metadata={"variable": variable, "parse": parse})


def variable_of(setting: Field[Any]) -> str:
    """Returns the environment variable: the field's name in capitals, unless it has one of its own."""
    variable: str = setting.metadata["variable"]
    return variable or setting.name.upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Settings of every search; `shared.retrieval.options` adds to them."""

    leg_size: int = _setting(30, parse.whole(1, 300), variable="RETRIEVAL_TOP_K")
    """Most passages that each of the three searches (vectors, words, most recent) adds to the candidates."""
    rerank_to: int = _setting(8, parse.whole(1, 12), variable="RETRIEVAL_RERANK_TO")
    """Passages that the writing model gets."""
    window_days: int = _setting(90, parse.whole(1, 36_500), variable="RETRIEVAL_WINDOW_DAYS")
    """Days that the search for the most recent notes looks back."""
    weight_vector: float = _setting(0.6, parse.number(0, 1), variable="RETRIEVAL_WEIGHT_VECTOR")
    """Weight of the vector score. The three weights sum to 1."""
    weight_keyword: float = _setting(0.25, parse.number(0, 1), variable="RETRIEVAL_WEIGHT_KEYWORD")
    """Weight of the keyword score."""
    weight_recency: float = _setting(0.15, parse.number(0, 1), variable="RETRIEVAL_WEIGHT_RECENCY")
    """Weight of the recency score."""
    half_life_days: float = _setting(
        180.0,
        parse.number(0.01, 36_500),
        variable="RETRIEVAL_HALF_LIFE_DAYS",
    )
    """Age in days at which the recency score halves."""
    rrf_k: int = _setting(60, parse.whole(1, 1000), variable="RETRIEVAL_RRF_K")
    """Constant k of reciprocal rank fusion (`strategy: rrf`)."""
    bm25_k1: float = _setting(1.2, parse.number(0, 10), variable="RETRIEVAL_BM25_K1")
    """BM25's k1: the higher, the more a repeated word counts."""
    bm25_b: float = _setting(0.75, parse.number(0, 1), variable="RETRIEVAL_BM25_B")
    """BM25's b: the higher, the less a long passage scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(RetrievalSettings):
    """Every field has a default: no environment at all is a working laptop product."""

    store: str = _setting("embedded", parse.one_of("firestore", "embedded"))
    """Store of notes and index. Default `firestore` where K_SERVICE or FIRESTORE_EMULATOR_HOST is set; `embedded` does
    not start where K_SERVICE is set.
    """
    home: Path = _setting(Path("~/.aurora").expanduser(), parse.path, variable="AURORA_HOME")
    """Folder of the embedded store. A new folder and its files are readable by their owner alone; an existing folder keeps
    its mode.
    """
    project: str | None = _setting(None, str, variable="GOOGLE_CLOUD_PROJECT")
    """Google Cloud project of Firestore and Auth."""
    firestore_database: str = _setting("(default)", parse.database)
    """Firestore database of the product. A database of its own keeps the product apart from other apps in the project."""
    function_prefix: str = _setting("", parse.prefix)
    """Prefix of the functions' names, and the deployment's name. A deployment indexes only a database that names it, or
    nobody, as its owner.
    """
    location: str = _setting("global", str, variable="GOOGLE_CLOUD_LOCATION")
    """Location of Vertex AI."""
    gemini_api_key: str | None = _setting(None, parse.key)
    """Gemini API key. With it Gemini writes answers and embeds notes."""
    use_vertexai: bool = _setting(False, parse.flag, variable="GOOGLE_GENAI_USE_VERTEXAI")
    """Uses Gemini through Vertex AI with the project's credentials instead of a key."""
    gemini_base_url: str | None = _setting(None, parse.address)
    """Address of a proxy that speaks Gemini's REST protocol."""
    openai_base_url: str | None = _setting(None, parse.address)
    """Address of any OpenAI-compatible server, Ollama included. Used if Gemini is not configured."""
    openai_api_key: str | None = _setting(None, parse.key)
    """Key of the server at OPENAI_BASE_URL."""
    chat_model: str | None = _setting(None, parse.model)
    """Writing model. Default `gemini-3.5-flash-lite`; required with OPENAI_BASE_URL."""
    chat_models: tuple[str, ...] = _setting((), parse.each(parse.model))
    """Further models that a session or a request may choose, comma separated."""
    session_defaults: tuple[tuple[str, bool | int | float | str], ...] = _setting(
        (),
        parse.session_defaults,
    )
    """Settings of new sessions, like `topK=8,maxHistory=40`, comma separated."""
    chat_temperature: float = _setting(0.3, parse.number(0, 2))
    """Sent only to models that take a temperature."""
    chat_timeout_ms: int = _setting(30_000, parse.whole(100, 540_000))
    """Longest wait for the writing model, in milliseconds."""
    request_timeout_seconds: int | None = _setting(None, parse.whole(1, 3600))
    """Seconds after which the host ends a request. The product does not start if CHAT_TIMEOUT_MS does not fit in."""
    chat_max_query_length: int = _setting(2000, parse.whole(1, 20_000))
    """Longest question, in characters."""
    reranker: str = _setting("none", parse.one_of("none", "vertex", "cross_encoder"))
    """Orders the best passages again: `vertex` by Vertex AI's ranking service, `cross_encoder` by a local model."""
    reranker_model: str | None = _setting(None, str)
    """Model of the reranker: for `cross_encoder` a folder or a name on the model hub; for `vertex` default
    `semantic-ranker-default@latest`.
    """
    judge: str = _setting("offline", parse.one_of("offline", "model"))
    """Judge of whether passages back the answer: `offline` by rules on this machine, `model` by a second call of the
    writing model.
    """
    support_policy: str = _setting("flag", parse.one_of("flag", "strict"))
    """Treatment of claims that nothing backs: `flag` marks their citations, `strict` removes the claims."""
    embedding_model: str | None = _setting(None, parse.model)
    """Embedding model. Default `gemini-embedding-2` with Gemini; with OPENAI_BASE_URL a model of that server. Otherwise a
    model on this machine: a folder, or a name on the model hub like `intfloat/multilingual-e5-small`, which is
    downloaded once; default `all-MiniLM-L6-v2`.
    """
    embedding_model_before: str | None = _setting(None, parse.model)
    """Previous embedding model, after a change of EMBEDDING_MODEL. It answers until a tenant's notes have new vectors."""
    embedding_unrelated: float | None = _setting(None, parse.number(-1, 1))
    """Mean cosine of a question with unrelated passages, at which the vector score is 0. `aurora doctor --calibrate`
    measures it and EMBEDDING_ALIKE on your notes. Default: measured for known models, else estimated from the newest
    notes.
    """
    embedding_alike: float | None = _setting(None, parse.number(-1, 1))
    """Cosine at which the vector score reaches 1."""
    embedding_dim: int = _setting(768, parse.whole(1, 2048))
    """Dimensions of the vectors that the embedding model is asked for."""
    embedding_batch_size: int = _setting(10, parse.whole(1, 100))
    """Texts in one embedding call."""
    sweep_workers: int = _setting(8, parse.whole(1, 64))
    """Notes that the function `reconcile` indexes at the same time."""
    auth: str = _setting("firebase", parse.one_of("firebase", "emulator", "none"))
    """Check of callers: `firebase` by ID token, `emulator` by the Auth emulator's, `none` not at all. `emulator` and `none`
    do not start where K_SERVICE is set; `aurora dev` uses `none`.
    """
    check_revoked: bool = _setting(False, parse.flag)
    """Asks Firebase at each request whether the account still exists, is enabled and signed in. Without it a token is
    valid until it expires, one hour after it was issued.
    """
    auth_emulator_host: str | None = _setting(None, str, variable="FIREBASE_AUTH_EMULATOR_HOST")
    """`HOST:PORT` of the Auth emulator that CHECK_REVOKED asks."""
    auth_certificates_url: str = _setting(
        "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
        parse.address,
    )
    """Address of the certificates that Firebase ID tokens are checked against."""
    app_check: str = _setting("off", parse.one_of("off", "warn", "enforce"))
    """Treatment of requests without a valid Firebase App Check token: `warn` logs them, `enforce` refuses them. Works
    with AUTH=firebase alone.
    """
    daily_chat_limit: int | None = _setting(None, parse.limit(1, 10**9))
    """Answers that a tenant gets in a UTC day; then 429. Default 200 where K_SERVICE is set, else none; 0: none."""
    daily_search_limit: int | None = _setting(None, parse.limit(1, 10**9))
    """Searches that a tenant makes in a UTC day; then 429. Default 1000 where K_SERVICE is set, else none; 0: none."""
    daily_embed_tokens: int | None = _setting(None, parse.limit(10_000, 10**12))
    """Tokens (estimated, at least 10000) that are embedded for a tenant in a UTC day; then notes wait for vectors and
    questions are searched without. Default 2000000 where K_SERVICE is set, else none; 0: none.
    """
    daily_index_writes: int | None = _setting(None, parse.limit(100, 10**12))
    """Documents (at least 100; two a passage) that the index writes for a tenant in a UTC day; then notes wait to be
    indexed. Default 50000 where K_SERVICE is set, else none; 0: none.
    """
    daily_project_usd: float | None = _setting(None, parse.limit(0.01, 1e9))
    """USD that models, document reads and the index's writes cost for all tenants together in a UTC day; then questions
    and searches get 429 and notes wait to be indexed. Default 20 where K_SERVICE is set, else none; 0: none.
    """
    model_prices: tuple[tuple[str, float, float], ...] = _setting((), parse.prices)
    """Prices that DAILY_PROJECT_USD needs, for models whose list price is not known: `MODEL=READ/WRITTEN` in USD per
    million tokens, comma separated; `MODEL=READ` for an embedding model and for `ranking`.
    """
    allowed_origins: tuple[str, ...] = _setting((), parse.origins)
    """Origins of web pages that may call, comma separated."""
    template_folders: tuple[Path, ...] = _setting((), parse.each(parse.path))
    """Folders of reasoning templates, comma separated. Default: the eleven that are shipped in `templates/`."""
    template_threshold: float | None = _setting(None, parse.number(0, 1))
    """Least similarity of a template that `auto` or a search finds. Default: above that of unrelated texts; `auto` also
    wants it to stand out from the others.
    """
    otel_endpoint: str | None = _setting(
        None,
        parse.address,
        variable="OTEL_EXPORTER_OTLP_ENDPOINT",
    )
    """Base address of an OpenTelemetry collector that takes OTLP over HTTP. Needs the extra `otel`."""
    log_level: str = _setting("INFO", parse.one_of("DEBUG", "INFO", "WARNING", "ERROR"))
    """Lowest level that is logged."""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Settings:
        """Reads the environment; an empty value counts as not set.

        Raises SettingsError naming the first bad variable.
        """
        is_deployed = bool(env.get("K_SERVICE"))
        values: dict[str, Any] = {}
        if is_deployed:
            values.update(DEPLOYED_LIMITS)
        if is_deployed or env.get("FIRESTORE_EMULATOR_HOST"):
            values["store"] = "firestore"
        for setting in fields(cls):
            variable = variable_of(setting)
            text = env.get(variable)
            if not text:
                continue
            try:
                values[setting.name] = setting.metadata["parse"](text)
            except ValueError as problem:
                raise SettingsError(variable, str(problem)) from None
        settings = cls(**values)
        check(settings, deployed=is_deployed)
        return settings

    @property
    def uses_gemini(self) -> bool:
        """Reports whether Gemini embeds and writes; else the server at OPENAI_BASE_URL does, or this machine."""
        return bool(self.gemini_api_key or self.use_vertexai)

    @property
    def embeds_here(self) -> bool:
        """Reports whether texts are embedded on this machine."""
        return not self.uses_gemini and not (self.openai_base_url and self.embedding_model)

    @property
    def billed_models(self) -> tuple[str, ...]:
        """Returns the hosted models in use, by their names in MODEL_PRICES."""
        chat_model = self.chat_model
        embedding_model = self.embedding_model
        if self.uses_gemini:
            chat_model = chat_model or CHAT_MODEL
            embedding_model = embedding_model or EMBEDDING_MODEL

        models: list[str | None] = []
        if self.uses_gemini or self.openai_base_url:
            models += [chat_model, embedding_model, self.embedding_model_before]
        if self.reranker == "vertex":
            models.append(RANKING)
        models.extend(self.chat_models)
        return tuple(filter(None, models))
