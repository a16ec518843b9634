"""The model that writes, as it is chosen on the page: tried first, then kept in the home's `.env`, on this machine.

1. `GET /settings:model` says what writes now, and whether the environment has decided that, which nothing here changes.
2. `PUT /settings:model` tries what it is given with one word, and keeps it only if that worked. Keys are never shown.

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

from werkzeug.wrappers import Request

from cli.environment import environment
from cli.product.page import json_of, with_resource
from cli.product.running import Announcement, models_of, without_userinfo
from shared.account import prices
from shared.app import App
from shared.bootstrap import use, with_models
from shared.errors import Conflict, InvalidArgument, OperatorError, SettingsError
from shared.model.answers import Prompt
from shared.settings import CHAT_MODEL, Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

NAMES = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "CHAT_MODEL")
"""What a choice decides, all of it."""
GEMINI = "https://generativelanguage.googleapis.com/v1beta/openai"
FIELDS = dict(zip(NAMES, ("address", "key", "model"), strict=True))
"""Variable -> how the request names it."""
MAX_BODY = 4000
MAX_VALUE = 1000
GREETING = Prompt(system="Answer with one word.", user="Say hello.", question="hello", sources=())
KINDS: Mapping[str, Mapping[str, str]] = {"none": {}, "gemini": {"address": GEMINI, "model": CHAT_MODEL}, "openai": {}}
"""Values of fields that are left empty."""
REQUIRED: Mapping[str, tuple[str, ...]] = {"none": (), "gemini": ("key",), "openai": ("address", "model")}


@dataclass(slots=True)
class ModelChoice:
    """The model of a running product."""

    app: App
    config: dict[str, object]
    """What the page reads at its start: `writes`, whether a model writes."""
    announcement: Announcement | None = None
    """By which commands of this home find this product; None: they do not ask it."""
    _choosing: Lock = field(default_factory=Lock)

    def current(self) -> Mapping[str, object]:
        """The model that writes: `kind`, `model`, `address` without what may stand before the host; `fixed`: the
        variable of the environment that decides it, else null.
        """
        settings, writer = self.app.settings, self.app.writer
        address = settings.openai_base_url or ""
        is_gemini = settings.uses_gemini or address == GEMINI
        fixed = "GEMINI_API_KEY or GOOGLE_GENAI_USE_VERTEXAI" if settings.uses_gemini else None
        return {
            "kind": "none" if writer is None else "gemini" if is_gemini else "openai",
            "model": writer.model if writer else None,
            "address": without_userinfo(address) or None,
            "fixed": fixed or next((name for name in NAMES if os.environ.get(name)), None),
        }

    def choose(self, wanted: Mapping[str, str]) -> Mapping[str, object]:
        """Try the variables, keep them and write with them from now on; `seconds` of the try. Raises Conflict where the
        environment decides or other settings do not go with the variables, InvalidArgument, and what the model raises:
        then all stays as it was.
        """
        with self._choosing:
            if fixed := self.current()["fixed"]:
                raise Conflict(f"{fixed} is set, which decides what writes: unset it and start aurora dev again")
            try:
                chosen = Settings.from_env({name: value for name, value in wanted.items() if value})
            except SettingsError as error:
                raise InvalidArgument(FIELDS.get(error.variable, "model"), error.message) from error
            try:
                self._check(wanted)
                model = {name.lower(): getattr(chosen, name.lower()) for name in NAMES}
                settings = replace(self.app.settings, **model)
                prices.check(settings)
                changed = with_models(self.app, settings)
            except OperatorError as error:
                raise Conflict(error.message) from error
            begun = time.monotonic()
            if changed.writer:
                changed.writer.write(GREETING)
            seconds = time.monotonic() - begun
            home = self.app.settings.home
            keep(home / ".env", wanted)
            self.app = changed
            self.config["writes"] = changed.writer is not None
            use(changed)
            if self.announcement is not None:
                self.announcement.change(Settings.from_env(environment(home)), models_of(changed))
            return {**self.current(), "seconds": round(seconds, 1)}

    def _check(self, wanted: Mapping[str, str]) -> None:
        """Whether the next start reads the variables, and embeds as this one does. Raises Conflict, OperatorError."""
        now = self.app.settings
        started = {"AUTH": now.auth, "STORE": now.store, "GOOGLE_CLOUD_PROJECT": now.project or ""}
        later = Settings.from_env({**environment(now.home), **started, **wanted})
        if _embedding(later) != _embedding(now):
            raise Conflict("EMBEDDING_MODEL is set: with this choice, notes would be embedded by another model")


def _embedding(settings: Settings) -> tuple[object, ...]:
    """What decides the vectors of a text."""
    address = None if settings.embeds_here else settings.openai_base_url
    return settings.uses_gemini, address, settings.embedding_model, settings.embedding_dim


def keep(file: Path, wanted: Mapping[str, str]) -> None:
    """Write the variables into the file at once, empty ones out of it; its other lines stay. Its owner alone may
    read it.
    """
    from dotenv import set_key, unset_key  # noqa: PLC0415 - for who chooses a model

    file = file.resolve()  # a link stays one
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".env.", dir=file.parent)  # of mode 0600
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(file.read_bytes() if file.exists() else b"")
        for variable, value in wanted.items():
            if value:
                set_key(fresh, variable, value)
            else:
                unset_key(fresh, variable)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def with_model_choice(site: WSGIApplication, choice: ModelChoice) -> WSGIApplication:
    """`site`, whose model can be chosen."""
    methods = {"GET": lambda _: choice.current(), "PUT": lambda request: choice.choose(_wanted(request))}
    return with_resource(site, "/settings:model", methods)


def _wanted(request: Request) -> dict[str, str]:
    """The variables that the request means, those that are not named empty. Raises InvalidArgument."""
    body = json_of(request, most=MAX_BODY)
    kind = body.get("kind") if isinstance(body, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidArgument("kind", f"one of {', '.join(KINDS)}")
    wanted = dict.fromkeys(NAMES, "")
    for variable, name in FIELDS.items() if kind != "none" else ():
        value = body.get(name) or KINDS[kind].get(name, "")
        if not isinstance(value, str) or len(value) > MAX_VALUE or not value.isprintable():
            raise InvalidArgument(name, f"one line of at most {MAX_VALUE} characters")
        if name in REQUIRED[kind] and not value.strip():
            raise InvalidArgument(name, "not empty")
        wanted[variable] = value.strip()
    return wanted
