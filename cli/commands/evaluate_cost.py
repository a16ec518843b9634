"""Estimates the cost of the answers that `aurora eval` asks of a model, and asks for consent where it is paid for."""

from __future__ import annotations

from urllib.parse import urlsplit

from cli.options import USAGE, can_be_asked, counted, fail
from cli.terminal import confirm, echo
from desktop.client.local import LOOPBACK
from shared.account.prices import LOOKED_UP, usd
from shared.app import App
from shared.model.answers import Usage
from shared.settings import Settings

PROMPT_TOKENS = 3_500
"""Tokens of a prompt: 12,000 characters of sources, and the rules."""
ANSWER_TOKENS = 2_048
"""Most tokens of an answer, with the model's thoughts."""


def agree(app: App, answers: int, *, yes: bool) -> None:
    """Prints the highest cost of so many answers, in tokens and money. If the model is on another
    machine, ends the command unless a person agrees; then no model has been asked.

    yes: the person has agreed beforehand.
    """
    if app.ranker is None or not answers:
        return
    model = app.ranker.model
    is_free = _is_on_this_machine(app.settings)
    usage = Usage(
        answers * PROMPT_TOKENS,
        answers * ANSWER_TOKENS,
    )
    cost = "for nothing"
    if not is_free:
        cost = _cost_in_words(usage, model)
    tokens = f"{usage.input_tokens:,} tokens of prompts and {usage.output_tokens:,} of answers"
    subject = counted(answers, "answer")
    echo(f"{subject} by {model}: at most about {tokens}, {cost}", err=True)
    if yes or is_free:
        return
    if not can_be_asked():
        fail(
            f"there is no terminal to ask whether to pay for {subject}: --yes confirms it",
            USAGE,
        )
    if not confirm("Ask the model?", err=True):
        fail("nothing was asked", USAGE)


def _is_on_this_machine(settings: Settings) -> bool:
    """Reports whether the model that writes is served by this machine."""
    address = settings.openai_base_url
    if address is None or settings.uses_gemini:
        return False
    return urlsplit(address).hostname in LOOPBACK


def _cost_in_words(usage: Usage, model: str) -> str:
    """Returns the price of so many tokens of a model."""
    dollars = usd(usage, model)
    if dollars is None:
        return "price unknown"
    return f"USD {dollars:.2f} by the list prices of {LOOKED_UP}"
