"""`aurora model`: the model that writes, shown, listed, chosen and tried as on the page."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Mapping
from typing import Any, Literal

import click

from cli.options import CommandContext, can_be_asked, common
from cli.terminal import echo
from desktop.product.running import find_running

PATH = "/settings:model"
"""Route of a running product's page."""
EXAMPLES = """\b
aurora model                     the one that writes now
aurora model --list              what Ollama on this machine has
aurora model llama3.2            one of those
aurora model --gemini            Gemini; asks for the key
aurora model NAME --address URL  any other server
"""
"""Shown below the options; `\\b` keeps the lines as they are."""


@click.command(epilog=EXAMPLES)
@click.argument("name", required=False)
@click.option(
    "--gemini",
    is_flag=True,
    help="Gemini, with a key; without NAME its usual model.",
)
@click.option(
    "--address",
    default="",
    help="Address of a server with OpenAI's interface.  [default: one on this machine]",
)
@click.option(
    "--key",
    "needs_key",
    is_flag=True,
    help="Ask for the server's key, which is not shown; without a terminal it is read from standard input.",
)
@click.option(
    "--none",
    "without",
    is_flag=True,
    help="No model: answers are quotes.",
)
@click.option(
    "--list",
    "lists",
    is_flag=True,
    help="List the server's models and choose none.",
)
@common
def model(context: CommandContext, /, name: str | None, **options: Any) -> None:  # noqa: ANN401 - click's options
    """Show the model that writes, or choose one: it is tried with one word, and kept in the home's
    `.env` if that worked.
    """
    without_model = options["without"]
    with_gemini = options["gemini"]
    lists = options["lists"]

    body: dict[str, object] = {
        "kind": "openai",
        "address": options["address"],
        "model": name or "",
    }
    if without_model:
        body = {"kind": "none"}
    elif with_gemini:
        body["kind"] = "gemini"

    is_choice = name or with_gemini or without_model
    is_about_a_server = options["address"] or options["needs_key"]
    if is_about_a_server and not is_choice and not lists:
        raise click.UsageError(
            "expected the NAME of a model of that server; --list lists them",
        )

    chooses_gemini = with_gemini and not lists
    if options["needs_key"] or chooses_gemini:
        body["key"] = _read_key()

    if lists:
        models = _send(context, "POST", body)
        _show_models(context, models)
        return

    if not is_choice:
        current = _send(context, "GET", {})
        context.tell(current, _in_words(current))
        return

    if body["kind"] == "openai" and not body["address"]:
        body["address"] = _server_here(context)
    chosen = _send(context, "PUT", body)
    outcome = _in_words(chosen)
    if not without_model:
        outcome += f"; it answered within {chosen['seconds']} s"
    context.tell(chosen, outcome)


def _send(
    context: CommandContext,
    method: Literal["GET", "POST", "PUT"],
    body: Mapping[str, object],
) -> Mapping[str, Any]:
    """Asks the product that runs in this home, which then writes with the new model at once, else one in this process."""
    running = find_running(context.settings(), context.tenant_id)
    if running is not None:
        from desktop.client.remote import reaching  # noqa: PLC0415 - for those whose product runs

        with reaching(running.address, None, running.models) as remote:
            return remote.send(method, PATH, body or None)

    from desktop.product.model_choice import ModelChoice  # noqa: PLC0415 - the product takes half a second

    with context.app() as app:
        choice = ModelChoice(app, {})
        if method == "GET":
            return choice.current()
        if method == "POST":
            return choice.models(body)
        return choice.choose(choice.variables(body))


def _server_here(context: CommandContext) -> str:
    """Returns the address of the model server on this machine; raises UsageError if none answers."""
    address = _send(context, "POST", {"kind": "openai"})["address"]
    if address is None:
        raise click.UsageError(
            "no model server answers on this machine: start one, or name its --address",
        )
    return str(address)


def _read_key() -> str:
    """Reads the key, which a command line would show to everybody on the machine."""
    if can_be_asked():
        return getpass.getpass("key (not shown): ")
    return sys.stdin.readline().strip()


def _show_models(context: CommandContext, listed: Mapping[str, Any]) -> None:
    if context.as_json or not listed["models"]:
        address = listed["address"] or "this machine"
        context.tell(listed, f"no models at {address}")
        return
    for name in listed["models"]:
        echo(name)


def _in_words(current: Mapping[str, Any]) -> str:
    """Describes the model that writes."""
    model = current["model"]
    if model is None:
        return "no model writes: answers are quotes"
    address = current["address"]
    if address is not None:
        model = f"{model} at {address}"
    sentence = f"{model} writes"
    variable = current["fixed"]
    if variable is not None:
        sentence = f"{sentence}, as {variable} says"
    return sentence
