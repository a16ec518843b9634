"""Settings: defaults without an environment, and an error that names the variable and what it expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.errors import SettingsError
from shared.settings import Settings
from shared.settings.parse import RETIRED_MODELS


def test_no_environment_at_all_is_a_working_laptop_product() -> None:
    settings = Settings.from_env({})
    assert settings.store == "embedded"
    assert settings.auth == "firebase"
    assert settings.gemini_api_key is None


def test_a_project_in_somebodys_shell_does_not_send_a_try_out_to_production() -> None:
    assert Settings.from_env({"GOOGLE_CLOUD_PROJECT": "prod"}).store == "embedded"


@pytest.mark.parametrize("variable", ["K_SERVICE", "FIRESTORE_EMULATOR_HOST"])
def test_firestore_is_the_store_where_the_platform_says_so(variable: str) -> None:
    assert Settings.from_env({variable: "x", "GOOGLE_CLOUD_PROJECT": "p"}).store == "firestore"


def test_beside_an_emulator_the_embedded_store_may_be_asked_for() -> None:
    assert (
        Settings.from_env({"FIRESTORE_EMULATOR_HOST": "x", "STORE": "embedded"}).store == "embedded"
    )


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (
            {"STORE": "embedded"},
            "STORE: expected firestore where K_SERVICE is set, got 'embedded': a function's disk",
        ),
        (
            {"RERANKER": "cross_encoder", "RERANKER_MODEL": "m"},
            "RERANKER: expected none or vertex where K_SERVICE is",
        ),
        (
            {"EMBEDDING_MODEL": "m"},
            "EMBEDDING_MODEL: expected GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI or OPENAI_",
        ),
    ],
)
def test_settings_that_a_function_cannot_keep_or_run_stop_its_start(
    env: dict[str, str], expected: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(
            {
                "K_SERVICE": "chat",
                "GOOGLE_CLOUD_PROJECT": "p",
                **env,
            }
        )
    assert raised.value.message.startswith(expected)


def test_a_deployment_has_limits_unless_they_are_taken_away_by_name() -> None:
    names = (
        "daily_chat_limit",
        "daily_search_limit",
        "daily_embed_tokens",
        "daily_index_writes",
        "daily_project_usd",
    )
    deployed = {
        "K_SERVICE": "chat",
        "GOOGLE_CLOUD_PROJECT": "p",
        "GEMINI_API_KEY": "k",
    }

    def limits(env: dict[str, str]) -> list[float | None]:
        return [getattr(Settings.from_env(env), name) for name in names]

    assert limits({}) == [None] * 5, (
        "what this machine answers bills nothing, or the person who asks"
    )
    assert limits(deployed) == [200, 1000, 2_000_000, 50_000, 20.0]
    assert limits({**deployed, **{name.upper(): "0" for name in names}}) == [None] * 5
    assert limits(
        {
            **deployed,
            "DAILY_CHAT_LIMIT": "7",
            "DAILY_PROJECT_USD": "2.5",
        }
    ) == [
        7,
        1000,
        2_000_000,
        50_000,
        2.5,
    ]


def test_values_are_parsed() -> None:
    env = {
        "AURORA_HOME": "/x",
        "ALLOWED_ORIGINS": "https://a.example, https://b.example",
        "RETRIEVAL_TOP_K": "10",
    }
    settings = Settings.from_env(env)
    assert settings.home == Path("/x")
    assert settings.allowed_origins == ("https://a.example", "https://b.example")
    assert settings.leg_size == 10


LIMIT = "0 for no limit, or a "
PRICES = "MODEL=READ/WRITTEN in USD per million tokens, like my-model=0.30/2.50; got "
WRONG_PRICES = [
    ("m=1/2, n", "n"),
    ("m=1/2/3", "m=1/2/3"),
    ("m=-1", "m=-1"),
]


def test_an_empty_value_counts_as_not_set() -> None:
    assert Settings.from_env({"CHAT_MODEL": "", "EMBEDDING_DIM": ""}).embedding_dim == 768


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (
            {"DAILY_CHAT_LIMIT": "-1"},
            f"DAILY_CHAT_LIMIT: {LIMIT}whole number from 1 to 1000000000, got '-1'",
        ),
        (
            {"DAILY_EMBED_TOKENS": "9"},
            f"DAILY_EMBED_TOKENS: {LIMIT}whole number from 10000 to 1000000000000, got '9'",
        ),
        (
            {"DAILY_PROJECT_USD": "nan"},
            f"DAILY_PROJECT_USD: {LIMIT}number from 0.01 to 1000000000.0, got 'nan'",
        ),
        (
            {"SESSION_DEFAULTS": "topK=99"},
            "SESSION_DEFAULTS: for topK a whole number from 1 to 20, got '99'",
        ),
        ({"SESSION_DEFAULTS": "useNotes=maybe"}, "SESSION_DEFAULTS: for useNotes true or false"),
        (
            {"SESSION_DEFAULTS": "whenNotInNotes=x"},
            "SESSION_DEFAULTS: for whenNotInNotes one of refuse, general, got 'x'",
        ),
        (
            {"SESSION_DEFAULTS": "strategy=magic"},
            "SESSION_DEFAULTS: for strategy one of weighted, rrf, got 'magic'",
        ),
        *(
            ({"MODEL_PRICES": prices}, f"MODEL_PRICES: {PRICES}'{got}'")
            for prices, got in WRONG_PRICES
        ),
        ({"STORE": "mysql"}, "STORE: one of firestore, embedded, got 'mysql'"),
        ({"EMBEDDING_DIM": "4096"}, "EMBEDDING_DIM: a whole number from 1 to 2048, got '4096'"),
        ({"EMBEDDING_DIM": "many"}, "EMBEDDING_DIM: a whole number from 1 to 2048, got 'many'"),
        ({"CHAT_TEMPERATURE": "nan"}, "CHAT_TEMPERATURE: a number from 0 to 2, got 'nan'"),
        ({"GOOGLE_GENAI_USE_VERTEXAI": "maybe"}, "GOOGLE_GENAI_USE_VERTEXAI: true or false"),
        (
            {"RETRIEVAL_WEIGHT_VECTOR": "0.7"},
            "RETRIEVAL_WEIGHT_*: three weights that sum to 1, got 1.1",
        ),
        ({"STORE": "firestore"}, "GOOGLE_CLOUD_PROJECT: a project id when STORE is firestore"),
        (
            {"OPENAI_BASE_URL": "http://x/v1"},
            "CHAT_MODEL: a model of the server at OPENAI_BASE_URL",
        ),
        ({"JUDGE": "nobody"}, "JUDGE: one of offline, model, got 'nobody'"),
        (
            {"JUDGE": "model"},
            "JUDGE: offline where no writing model is configured",
        ),
        ({"SUPPORT_POLICY": "lenient"}, "SUPPORT_POLICY: one of flag, strict, got 'lenient'"),
        ({"RERANKER": "vertex"}, "GOOGLE_CLOUD_PROJECT: a project id when RERANKER is vertex"),
        (
            {"GOOGLE_GENAI_USE_VERTEXAI": "1"},
            "GOOGLE_CLOUD_PROJECT: a project id when GOOGLE_GENAI_USE_VERTEXAI is set",
        ),
        ({"K_SERVICE": "chat"}, "GOOGLE_CLOUD_PROJECT: a project id when STORE is firestore"),
        (
            {"RERANKER": "cross_encoder"},
            "RERANKER_MODEL: folder or name of a model when RERANKER is cross_encoder",
        ),
        (
            {"EMBEDDING_ALIKE": "0.8"},
            "EMBEDDING_ALIKE: a number above EMBEDDING_UNRELATED, both or neither",
        ),
        (
            {"EMBEDDING_UNRELATED": "0.8", "EMBEDDING_ALIKE": "0.7"},
            "EMBEDDING_ALIKE: a number above EMBEDDING_UNRELATED, both or neither",
        ),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL: one of DEBUG, INFO, WARNING, ERROR, got 'LOUD'"),
    ],
)
def test_a_bad_value_stops_the_start_and_names_the_variable(
    env: dict[str, str], expected: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(env)
    variable, _, expected_rest = expected.partition(": ")
    assert raised.value.variable == variable
    assert raised.value.message == f"{variable}: expected {expected_rest}"


ADDRESSES = (
    "GEMINI_BASE_URL",
    "OPENAI_BASE_URL",
    "AUTH_CERTIFICATES_URL",
)


@pytest.mark.parametrize("variable", [*ADDRESSES, "OTEL_EXPORTER_OTLP_ENDPOINT"])
@pytest.mark.parametrize(
    "address", ["ftp://127.0.0.1", "http://[", "127.0.0.1:11434", "http://", "http://a:b/", "x"]
)
def test_an_invalid_address_stops_the_start(variable: str, address: str) -> None:
    with pytest.raises(
        SettingsError, match=f"^{variable}: expected an address like https://host/path"
    ):
        Settings.from_env({variable: address})


@pytest.mark.parametrize(
    "origin",
    ["https://a.example/", "a.example", "https://", "https://A.example", "http://a:b", "null"],
)
def test_an_origin_that_no_browser_sends_stops_the_start(origin: str) -> None:
    with pytest.raises(SettingsError, match=r"^ALLOWED_ORIGINS: expected origins like"):
        Settings.from_env({"ALLOWED_ORIGINS": f"https://b.example,{origin}"})


def test_every_origin_that_a_browser_or_a_web_view_sends_is_one() -> None:
    named = "https://a.example,http://localhost:5173,http://[::1]:8080,capacitor://localhost,*"
    assert Settings.from_env({"ALLOWED_ORIGINS": named}).allowed_origins == tuple(named.split(","))


@pytest.mark.parametrize("variable", ["GEMINI_API_KEY", "OPENAI_API_KEY"])
@pytest.mark.parametrize("key", ["two words", "ключ", "line\nbreak"])
def test_a_key_that_no_header_can_carry_stops_the_start_and_is_not_told(
    variable: str, key: str
) -> None:
    with pytest.raises(
        SettingsError, match=f"^{variable}: expected a key of visible ASCII characters$"
    ):
        Settings.from_env({variable: key})


def test_the_line_end_of_a_secrets_file_is_no_part_of_the_key() -> None:
    assert Settings.from_env({"GEMINI_API_KEY": "abc\n"}).gemini_api_key == "abc"


@pytest.mark.parametrize("auth", ["none", "emulator"])
def test_no_auth_and_emulator_auth_never_start_where_they_are_deployed(auth: str) -> None:
    with pytest.raises(SettingsError, match="AUTH: expected firebase where K_SERVICE is set"):
        Settings.from_env(
            {
                "AUTH": auth,
                "K_SERVICE": "chat",
                "GOOGLE_CLOUD_PROJECT": "p",
            }
        )


@pytest.mark.parametrize("model", sorted(RETIRED_MODELS))
def test_a_retired_model_names_its_successor(model: str) -> None:
    with pytest.raises(SettingsError, match=RETIRED_MODELS[model]):
        Settings.from_env({"CHAT_MODEL": model})


def test_a_question_that_would_outlast_its_request_stops_the_start() -> None:
    """Three waits for a model, and half a minute for the rest."""
    within = {"REQUEST_TIMEOUT_SECONDS": "120", "CHAT_TIMEOUT_MS": "30000"}
    assert Settings.from_env(within).chat_timeout_ms == 30_000
    with pytest.raises(SettingsError, match=r"CHAT_TIMEOUT_MS.*at most 30000.*got 30001"):
        Settings.from_env({**within, "CHAT_TIMEOUT_MS": "30001"})
