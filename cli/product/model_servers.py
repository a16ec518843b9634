"""Servers on this machine that speak OpenAI's interface, where they listen by default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from cli.remote import BrokenOff, Request, on_this_machine
from shared.errors import InvalidArgument, OperatorError
from shared.settings import Settings

OLLAMA_PORT, LM_STUDIO_PORT = 11434, 1234
ANSWERS_WITHIN = 0.5
"""Seconds; a server on this machine lists its models at once."""
MAX_NAMED = 5
_LATEST = ":latest"
"""What Ollama adds to a name that says no more."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """One that answers."""

    base_url: str
    models: tuple[str, ...]
    """At least one."""

    def __str__(self) -> str:
        """The address and the first models."""
        more = ", …" if len(self.models) > MAX_NAMED else ""
        return f"{self.base_url} ({', '.join(self.models[:MAX_NAMED])}{more})"

    def has(self, model: str) -> bool:
        return model in self.models or f"{model}{_LATEST}" in self.models


def places(env: Mapping[str, str]) -> tuple[str, ...]:
    """Base addresses; Ollama's as its own variable OLLAMA_HOST says: like 127.0.0.1:11434, 0.0.0.0 (where it listens:
    this machine) or a whole address.
    """
    host = env.get("OLLAMA_HOST", "")
    try:
        named = urlsplit(host if "://" in host else f"http://{host}")
        name, port = named.hostname, named.port
    except ValueError:
        name, port = None, None
    if name in (None, "0.0.0.0", "::"):  # noqa: S104 - nothing listens there
        name = "127.0.0.1"
    return (f"http://{name}:{port or OLLAMA_PORT}/v1", f"http://127.0.0.1:{LM_STUDIO_PORT}/v1")


def answering(env: Mapping[str, str]) -> ModelServer | None:
    """The first that answers and has a model."""
    for base_url in places(env):
        try:
            with on_this_machine(Request("GET", f"{base_url}/models"), ANSWERS_WITHIN) as received:
                content = json.loads(b"\n".join(received.lines)) if received.status == 200 else {}
            models = tuple(str(model["id"]) for model in content["data"])
        except (BrokenOff, ValueError, KeyError, TypeError):  # nobody answers, or somebody else
            continue
        if models:
            return ModelServer(base_url, models)
    return None


def writing_with(model: str, settings: Settings, env: Mapping[str, str]) -> dict[str, str]:
    """The settings with which this model writes: of what is configured, else of a server on this machine.

    Raises InvalidArgument for a model that the server does not have, OperatorError where none answers.
    """
    if settings.uses_gemini or settings.openai_base_url:
        return {"CHAT_MODEL": model}
    server = answering(env)
    if server is None:
        tried = " or ".join(places(env))
        raise OperatorError(f"--model: no model server answers at {tried}: start one, or set OPENAI_BASE_URL")
    if not server.has(model):
        raise InvalidArgument("--model", f"a model of {server}")
    return {"OPENAI_BASE_URL": server.base_url, "CHAT_MODEL": model}
