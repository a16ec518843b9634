"""What a writing model will be asked by `aurora eval`: shown beforehand, and agreed to where it is paid for."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from cli.options import USAGE, can_be_asked, counted, fail
from cli.product.loopback import LOOPBACK
from shared.account.prices import LOOKED_UP, usd
from shared.app import App
from shared.model.answers import Usage

PROMPT_TOKENS, ANSWER_TOKENS = 3_500, 2_048
"""In one answer: 12,000 characters of sources and the rules; what a model may write at most, its thoughts included."""


def agree(app: App, answers: int, *, yes: bool) -> None:
    """Says what `answers` come to at most, in tokens and money. Where the model is on another machine, ends the command
    unless somebody says that it may go on, or has by `yes`; then nothing has been asked of anybody.
    """
    if app.ranker is None or not answers:
        return
    address = app.settings.openai_base_url
    is_here = not app.settings.uses_gemini and address is not None and urlsplit(address).hostname in LOOPBACK
    most = Usage(answers * PROMPT_TOKENS, answers * ANSWER_TOKENS)
    tokens = f"{most.input_tokens:,} tokens of prompts and {most.output_tokens:,} of answers"
    dollars = usd(most, app.ranker.model)
    if is_here:
        cost = "for nothing"
    elif dollars is None:
        cost = "price unknown"
    else:
        cost = f"USD {dollars:.2f} by the list prices of {LOOKED_UP}"
    click.echo(f"{counted(answers, 'answer')} by {app.ranker.model}: at most about {tokens}, {cost}", err=True)
    if yes or is_here:
        return
    if not can_be_asked():
        fail(f"nobody can be asked whether to pay for {answers} answers: --yes answers", USAGE)
    if not click.confirm("Ask the model?", default=False, err=True):
        fail("nothing was asked", USAGE)
