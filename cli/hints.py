"""What a person can do whose question found nothing, and who did not take part in an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.counts import counted
from cli.options import Place
from cli.product.running import Models, models_of
from cli.remote import HttpClient

if TYPE_CHECKING:
    from functions.client import ApiClient, Json

NOTHING_FOUND = "nothing found"
NO_NOTES, INDEX_PENDING, KEYWORD_RECENCY = "no_notes", "index_pending", "keyword_recency"
"""As `shared.model.retrieval` has them; whoever asks need not wait for the types behind the JSON."""


def hint_for(reason: str, place: Place) -> str:
    """Beside the sentence that an answer's refusal is; empty: that says it all."""
    if reason == NO_NOTES:
        return _no_notes(place)
    return _waiting(place) if reason == INDEX_PENDING else ""


def why_nothing(client: ApiClient, place: Place) -> str:
    """Of a search that brought nothing at all."""
    coverage = client.send("GET", "/index:coverage")
    if not coverage["notes"]:
        return _no_notes(place)
    if coverage["missing"]:
        waiting = f"of {counted(coverage['notes'], 'note')} {coverage['missing']} not indexed yet"
        return f"{NOTHING_FOUND}; {waiting}. {_waiting(place)}".rstrip()
    return NOTHING_FOUND


def _no_notes(place: Place) -> str:
    return f"There are no notes {_where(place)} yet: `aurora index FOLDER` brings a folder of Markdown."


def _where(place: Place) -> str:
    if place.server is not None:
        return f"on {place.server}"
    settings = place.settings()
    store = f"Firestore ({settings.project})" if settings.store == "firestore" else str(settings.home)
    return f"of tenant {place.tenant_id} in {store}"


def _waiting(place: Place) -> str:
    return "" if place.server else "`aurora reconcile` indexes them now."


def tell_who_was_away(meta: Json, client: ApiClient) -> None:
    """On standard error, of a product on this machine: the models that are set and did not answer."""
    models = client.models if isinstance(client, HttpClient) else _models_of_this_process()
    if models is None:
        return
    if models.writer and meta.get("model", "none") == models.quoter:
        _tell(f"{models.writer} did not write, quotes from the notes stand in for it")
    if models.embedder and meta["retrieval"]["strategy"] == KEYWORD_RECENCY:
        _tell(f"{models.embedder} did not answer: passages were found by their words alone")


def _models_of_this_process() -> Models:
    from shared.bootstrap import app  # noqa: PLC0415 - already loaded: it has answered

    return models_of(app())


def _tell(what: str) -> None:
    click.echo(f"aurora: {what}; `aurora doctor` says why", err=True)
