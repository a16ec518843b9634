"""Chooses the model that writes, on the page: it is tried first, then stored in the home's `.env`, on this machine.

1. `GET /settings:model` names the model that writes now, and the variable of the environment that has decided it, if
   there is one: nothing here changes that.
2. `POST /settings:model` lists the models of the server that a choice names; without an address, of one that answers on
   this machine.
3. `PUT /settings:model` tries a model with one word, and stores it only if that worked. Keys are never shown.

Gemini is reached by its OpenAI-compatible address: notes go on being embedded on this machine, and only the passages of
a question leave it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from desktop.product.environment import environment
from desktop.product.model_servers import answering, listed_models
from desktop.product.page import Unusable, json_of, with_resource
from desktop.product.running import Announcement, models_of, without_userinfo
from shared.account import prices
from shared.adapters.private import make_private_folder
from shared.app import App
from shared.bootstrap import use, with_models
from shared.errors import Conflict, InvalidArgument, OperatorError, SettingsError
from shared.model.answers import Prompt
from shared.settings import CHAT_MODEL, Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

NAMES = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CHAT_MODEL")
"""Variables that a choice decides, all of them."""
GEMINI = "https://generativelanguage.googleapis.com"
GEMINI_PATH = "/v1beta/openai"
"""Path of Gemini's OpenAI-compatible interface, also behind GEMINI_BASE_URL."""
FIELDS = {"OPENAI_BASE_URL": "address", "OPENAI_API_KEY": "key", "CHAT_MODEL": "model"}
"""Fields of a request by the variables that they set."""
MAX_BODY = 4000
MAX_VALUE = 1000
GREETING = Prompt(
    system="Answer with one word.",
    user="Say hello.",
    question="hello",
    sources=(),
)
KINDS: Mapping[str, Mapping[str, str]] = {
    "none": {},
    "gemini": {"model": CHAT_MODEL},
    "openai": {},
}
"""Kinds of choice, with the values of fields that are left empty."""
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "gemini": ("key",),
    "openai": ("address", "model"),
}
MISSING = {
    "key": "The API key is missing.",
    "address": "The address of the server is missing.",
    "model": "The name of the model is missing.",
}
"""What the page says of a field that must not be empty."""


@dataclass(slots=True)
class ModelChoice:
    """The model of a running product."""

    app: App
    config: dict[str, object]
    """Fields that the page reads at its start; `writes` is true if a model writes."""
    announcement: Announcement | None = None
    """Record by which commands of this home find this product; None if they do not ask it."""
    _choosing: Lock = field(default_factory=Lock)

    def current(self) -> Mapping[str, object]:
        """Returns the model that writes, as JSON: `kind`, `model`, `address` without name and password
        before the host; `fixed` is the variable of the environment that decides it, else null.
        """
        writer = self.app.writer
        address = self.app.settings.openai_base_url or ""
        return {
            "kind": self._kind(),
            "model": writer.model if writer else None,
            "address": without_userinfo(address) or None,
            "fixed": self._deciding_variable(),
        }

    def _kind(self) -> str:
        settings = self.app.settings
        if self.app.writer is None:
            return "none"
        if settings.uses_gemini or settings.openai_base_url == self.gemini:
            return "gemini"
        return "openai"

    @property
    def gemini(self) -> str:
        """Address of Gemini's OpenAI-compatible interface."""
        base = self.app.settings.gemini_base_url or GEMINI
        return base.rstrip("/") + GEMINI_PATH

    def models(self, body: object) -> Mapping[str, object]:
        """Returns the `models` of the server that a request's JSON names and its `address`; null if none
        answers on this machine and no address is named. Raises InvalidArgument.
        """
        kind = _kind_of(body)
        address = _value_of(body, "address")
        key = _value_of(body, "key")
        if kind == "gemini":
            address = self.gemini
        elif not address:
            server = answering(os.environ)
            if server is None:
                return {"address": None, "models": []}
            return {"address": server.base_url, "models": list(server.models)}

        settings = self.app.settings
        if not key and address == settings.openai_base_url:
            key = settings.openai_api_key or ""
        return {"address": address, "models": list(listed_models(address, key))}

    def variables(self, body: object) -> dict[str, str]:
        """Returns the variables that a request's JSON sets, empty where it does not. Raises InvalidArgument."""
        kind = _kind_of(body)
        variables = dict.fromkeys(NAMES, "")
        if kind == "none":
            return variables
        for variable, name in FIELDS.items():
            value = _value_of(body, name) or KINDS[kind].get(name, "")
            if kind == "gemini" and name == "address":
                value = self.gemini
            if name in REQUIRED[kind] and not value:
                raise Unusable(name, MISSING[name])
            variables[variable] = value

        return variables

    def _deciding_variable(self) -> str | None:
        """Returns the variable of the environment that decides the model; None if there is none."""
        if self.app.settings.uses_gemini:
            return "GEMINI_API_KEY or GOOGLE_GENAI_USE_VERTEXAI"
        return next((name for name in NAMES if os.environ.get(name)), None)

    def choose(self, variables: Mapping[str, str]) -> Mapping[str, object]:
        """Tries a model, stores its variables and writes with it from now on. Returns `current` with
        the `seconds` of the trial.

        Raises Conflict where the environment decides or other settings exclude the variables,
        InvalidArgument, and the model's own errors: then all stays as it was.
        """
        with self._choosing:
            deciding = self._deciding_variable()
            if deciding:
                raise Conflict(
                    f"{deciding} is set, which decides what writes: unset it and start aurora dev again",
                )
            app = self._app_with(variables)
            started = time.monotonic()
            if app.writer:
                app.writer.write(GREETING)
            seconds = time.monotonic() - started
            home = app.settings.home
            store_variables(home / ".env", variables)
            self.app = app
            self.config["writes"] = app.writer is not None
            use(app)
            if self.announcement is not None:
                self.announcement.change(Settings.from_env(environment(home)), models_of(app))
            return {**self.current(), "seconds": round(seconds, 1)}

    def _app_with(self, variables: Mapping[str, str]) -> App:
        """Returns the product with the model that the variables name. Raises Conflict, InvalidArgument."""
        try:
            chosen = Settings.from_env({name: value for name, value in variables.items() if value})
        except SettingsError as error:
            raise InvalidArgument(FIELDS.get(error.variable, "model"), error.message) from error

        try:
            self._check_next_start(variables)
            settings = replace(
                self.app.settings,
                openai_base_url=chosen.openai_base_url,
                openai_api_key=chosen.openai_api_key,
                chat_model=chosen.chat_model,
            )
            prices.check(settings)
            return with_models(self.app, settings)
        except OperatorError as error:
            raise Conflict(error.message) from error

    def _check_next_start(self, variables: Mapping[str, str]) -> None:
        """Raises OperatorError if the next start could not read the variables, Conflict if it would
        embed notes in another way.
        """
        current = self.app.settings
        options = {
            "AUTH": current.auth,
            "STORE": current.store,
            "GOOGLE_CLOUD_PROJECT": current.project or "",
        }
        later = Settings.from_env({**environment(current.home), **options, **variables})
        if _embedding(later) != _embedding(current):
            raise Conflict(
                "EMBEDDING_MODEL is set: with this choice, notes would be embedded by another model",
            )


def _embedding(settings: Settings) -> tuple[object, ...]:
    """Returns the settings on which the vectors of a text depend."""
    address = None if settings.embeds_here else settings.openai_base_url
    return settings.uses_gemini, address, settings.embedding_model, settings.embedding_dim


def store_variables(file: Path, variables: Mapping[str, str]) -> None:
    """Writes the variables into the file at once, and removes the empty ones; its other lines stay.
    Only its owner may read the file.
    """
    from dotenv import set_key, unset_key  # noqa: PLC0415 - for those who choose a model

    file = file.resolve()  # a link stays one
    make_private_folder(file.parent)
    descriptor, name = tempfile.mkstemp(prefix=".env.", dir=file.parent)  # of mode 0600
    new_file = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if file.exists():
                stream.write(file.read_bytes())
        for variable, value in variables.items():
            if value:
                set_key(new_file, variable, value)
            else:
                unset_key(new_file, variable)
        new_file.replace(file)
    finally:
        new_file.unlink(missing_ok=True)


def with_model_choice(site: WSGIApplication, choice: ModelChoice) -> WSGIApplication:
    """Wraps `site`, so that its model can be chosen."""
    methods = {
        "GET": lambda _: choice.current(),
        "POST": lambda request: choice.models(json_of(request, most=MAX_BODY)),
        "PUT": lambda request: choice.choose(choice.variables(json_of(request, most=MAX_BODY))),
    }
    return with_resource(site, "/settings:model", methods)


def _kind_of(body: object) -> str:
    """Returns the kind of choice of a request. Raises InvalidArgument."""
    kind = body.get("kind") if isinstance(body, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidArgument("kind", f"one of {', '.join(KINDS)}")
    return kind


def _value_of(body: object, name: str) -> str:
    """Returns a field of a request without blanks around it; empty if it is missing. Raises InvalidArgument."""
    value = (isinstance(body, dict) and body.get(name)) or ""
    if not isinstance(value, str) or len(value) > MAX_VALUE or not value.isprintable():
        raise InvalidArgument(name, f"one line of at most {MAX_VALUE} characters")
    return value.strip()
