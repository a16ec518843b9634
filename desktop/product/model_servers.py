"""Finds servers on this machine that speak OpenAI's interface, at the addresses where they listen by default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from desktop.client.local import LOOPBACK
from desktop.client.remote import BrokenOff, Request, on_this_machine, over_the_network
from shared.errors import InvalidArgument, OperatorError
from shared.settings import Settings

OLLAMA_PORT = 11434
LM_STUDIO_PORT = 1234
ANSWERS_WITHIN = 0.5
"""Seconds to wait; a server on this machine lists its models at once."""
LISTS_WITHIN = 5.0
"""Seconds to wait for a server that a person has named."""
MAX_NAMED = 5
_LATEST = ":latest"
"""Tag that Ollama adds to a name without one."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """Server that answers, with at least one model."""

    base_url: str
    models: tuple[str, ...]

    def __str__(self) -> str:
        """Returns the address and the first models."""
        more = ", …" if len(self.models) > MAX_NAMED else ""
        return f"{self.base_url} ({', '.join(self.models[:MAX_NAMED])}{more})"

    def has(self, model: str) -> bool:
        return model in self.models or f"{model}{_LATEST}" in self.models


def places(env: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the base addresses to try.

    Ollama's follows its own variable OLLAMA_HOST: like 127.0.0.1:11434, 0.0.0.0 (where it listens:
    this machine) or a whole address.
    """
    host = None
    port = None
    setting = env.get("OLLAMA_HOST", "")
    with suppress(ValueError):
        address = urlsplit(setting if "://" in setting else f"http://{setting}")
        port = address.port
        host = address.hostname

    if host in (None, "0.0.0.0", "::"):  # noqa: S104 - nothing listens there
        host = "127.0.0.1"
    ollama = f"http://{host}:{port or OLLAMA_PORT}/v1"
    return ollama, f"http://127.0.0.1:{LM_STUDIO_PORT}/v1"


def answering(env: Mapping[str, str]) -> ModelServer | None:
    """Returns the first server that answers and has a model."""
    for base_url in places(env):
        models = listed_models(base_url, "", within=ANSWERS_WITHIN)
        if models:
            return ModelServer(base_url, models)
    return None


def listed_models(base_url: str, key: str, *, within: float = LISTS_WITHIN) -> tuple[str, ...]:
    """Returns the names of a server's models; none if nobody answers there, or another program does.

    key: empty if the server asks for none.
    within: seconds of silence on this machine.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    request = Request(
        "GET",
        f"{base_url.rstrip('/')}/models",
        headers=headers,
    )
    try:
        address = urlsplit(base_url)
        is_near = address.scheme == "http" and address.hostname in LOOPBACK
        with ExitStack() as stack:
            if is_near:
                reply = stack.enter_context(on_this_machine(request, within))
            else:
                exchange = stack.enter_context(over_the_network())
                reply = stack.enter_context(exchange(request))
            if reply.status != 200:
                return ()
            content = json.loads(b"\n".join(reply.lines))
        # Gemini puts the kind of the resource before the name.
        return tuple(str(model["id"]).removeprefix("models/") for model in content["data"])
    except (BrokenOff, ValueError, KeyError, TypeError):
        return ()


def writing_with(model: str, settings: Settings, env: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings with which this model writes: at the server that is configured, else at one on this machine.

    Raises InvalidArgument for a model that the server does not have, OperatorError where none answers.
    """
    if settings.uses_gemini or settings.openai_base_url:
        return {"CHAT_MODEL": model}
    server = answering(env)
    if server is None:
        addresses = " or ".join(places(env))
        raise OperatorError(
            f"--model: no model server answers at {addresses}: start one, or set OPENAI_BASE_URL",
        )

    if not server.has(model):
        raise InvalidArgument("--model", f"a model of {server}")
    return {"OPENAI_BASE_URL": server.base_url, "CHAT_MODEL": model}
