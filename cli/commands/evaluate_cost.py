"""Estimates the cost of the answers that `aurora eval` asks of a model, and asks for consent where it is paid for."""

from __future__ import annotations

from urllib.parse import urlsplit

from cli.options import USAGE, can_be_asked, counted, fail
from cli.terminal import confirm, echo
from desktop.client.local import LOOPBACK
from shared.account.prices import LOOKED_UP, usd
from shared.app import App
from shared.model.answers import Usage

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
    address = app.settings.openai_base_url
    is_here = False
    if address is not None and not app.settings.uses_gemini:
        is_here = urlsplit(address).hostname in LOOPBACK
    usage = Usage(answers * PROMPT_TOKENS, answers * ANSWER_TOKENS)
    tokens = f"{usage.input_tokens:,} tokens of prompts and {usage.output_tokens:,} of answers"
    dollars = usd(usage, model)
    if is_here:
        cost = "for nothing"
    elif dollars is None:
        cost = "price unknown"
    else:
        cost = f"USD {dollars:.2f} by the list prices of {LOOKED_UP}"
    echo(f"{counted(answers, 'answer')} by {model}: at most about {tokens}, {cost}", err=True)
    if yes or is_here:
        return
    if not can_be_asked():
        fail(f"nobody can be asked whether to pay for {answers} answers: --yes answers", USAGE)
    if not confirm("Ask the model?", err=True):
        fail("nothing was asked", USAGE)
