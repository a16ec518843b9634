"""The steps in order: files into a tenant's templates, one template added or embedded again, a query to templates."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Literal

from shared.errors import BrokenPromise, InvalidArgument, ModelRefused, ModelUnavailable
from shared.model.templates import StoredTemplate, Template, TemplateKey, TemplateMatch
from shared.ports.models import Embedder
from shared.ports.tenants import TemplateStore
from shared.retrieval.calibration import UNKNOWN
from shared.templates.embedding import is_current, with_vectors
from shared.templates.folders import Problem, read_folders
from shared.templates.limits import check
from shared.templates.ranking import fallback, rank
from shared.templates.shelf import deliver

Refreshed = Literal["unchanged", "embedded", "gone"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TemplateReport:
    """What the folders hold, and what bringing it to a tenant changed."""

    count: int
    """Templates in the folders."""
    written: int
    removed: int
    problems: tuple[Problem, ...]
    kept: tuple[str, ...]
    """Ids of templates that were changed or deleted elsewhere, and stay so."""
    conflicts: tuple[str, ...]
    """Those of them whose files have changed too."""


def index(
    tenant_id: str, folders: Sequence[Path], *, store: TemplateStore, embedder: Embedder | None
) -> TemplateReport:
    """Bring all templates of the folders to a tenant. Again with the same files: nothing is embedded or written.

    A model that is away is no error: vectors follow with the first search, or by the trigger.
    """
    shelf = read_folders(folders)
    for problem in shelf.problems:
        _log.warning("no template: %s: %s", problem.path, problem.reason)
    before = store.read_shelf(tenant_id)
    held = store.templates(tenant_id) if before or shelf.templates else ()
    delivery = deliver(shelf, before, [each.template for each in held])
    if delivery.put:
        store.put_templates(tenant_id, _embedded(delivery.put, embedder))
    for template_id in delivery.remove:
        store.delete_template(tenant_id, template_id)
    if delivery.shelf != before:
        store.write_shelf(tenant_id, delivery.shelf)
    return TemplateReport(
        count=len(shelf.templates),
        written=len(delivery.put),
        removed=len(delivery.remove),
        problems=shelf.problems,
        kept=delivery.kept,
        conflicts=delivery.conflicts,
    )


def add(tenant_id: str, template: Template, *, store: TemplateStore, embedder: Embedder | None) -> None:
    """Create or replace. The same again writes nothing; only a text that is new is embedded.

    Raises InvalidArgument naming a field over its limit.
    """
    check(template)
    held = _held(tenant_id, template.template_id, store)
    if held is not None and held.template == template and (embedder is None or is_current(held, embedder)):
        return
    moved = None if held is None else replace(held, template=template)
    if moved is None or embedder is None or not is_current(moved, embedder):
        (moved,) = _embedded([template], embedder)
    store.put_templates(tenant_id, [moved])


def refresh(key: TemplateKey, *, store: TemplateStore, embedder: Embedder | None) -> Refreshed:
    """Give a template the vector of what it says now, whatever happened to it.

    Writing the vector calls for this again, and then there is nothing left to do: the key that is written with it
    says of which text and model it is. A slow writer's stale vector is found by its key in the same way.
    Raises InvalidArgument for a template that cannot be read, ModelUnavailable, ModelRefused, BrokenPromise.
    """
    stored = store.get_template(key.tenant_id, key.template_id)
    if stored is None:
        return "gone"
    if embedder is None or is_current(stored, embedder):
        return "unchanged"
    (fresh,) = with_vectors([stored.template], embedder)
    return "embedded" if _save_vector(key.tenant_id, fresh, store) else "gone"


def search(
    tenant_id: str, query: str, *, top_k: int, store: TemplateStore, embedder: Embedder | None
) -> tuple[TemplateMatch, ...]:
    """At most `top_k` templates for a query, best first; the chain of thought where none is near. Never empty.

    Without an embedder, or while it is away, none is near.
    """
    stored = store.templates(tenant_id)
    if embedder is None or not stored:
        return (fallback(stored),)
    try:
        vector = embedder.embed_query(query)
    except (ModelUnavailable, ModelRefused) as away:
        _log.warning("choosing no template by similarity: %s", away.message)
        return (fallback(stored),)
    current = _all_current(tenant_id, stored, store, embedder)
    near = rank(current, vector, top_k=top_k, calibration=embedder.calibration or UNKNOWN)
    return near or (fallback(stored),)


def ready(tenant_id: str, *, store: TemplateStore, embedder: Embedder | None) -> bool:
    """Whether a search finds every template by similarity."""
    return embedder is not None and all(is_current(each, embedder) for each in store.templates(tenant_id))


def _held(tenant_id: str, template_id: str, store: TemplateStore) -> StoredTemplate | None:
    try:
        return store.get_template(tenant_id, template_id)
    except InvalidArgument:  # an app wrote nonsense there, which is about to be replaced
        return None


def _all_current(
    tenant_id: str, stored: Sequence[StoredTemplate], store: TemplateStore, embedder: Embedder
) -> list[StoredTemplate]:
    """Those that have their vector, and those that could be given it now, which is written back."""
    current = [each for each in stored if is_current(each, embedder)]
    stale = [each.template for each in stored if not is_current(each, embedder)]
    fresh = [each for each in _embedded(stale, embedder) if each.vector is not None]
    for each in fresh:
        _save_vector(tenant_id, each, store)
    return current + fresh


def _embedded(templates: Sequence[Template], embedder: Embedder | None) -> list[StoredTemplate]:
    """Each with its vector, or without where it cannot be had now."""
    done: list[StoredTemplate] = []
    if embedder is not None:
        try:
            done.extend(with_vectors(templates, embedder))
        except (ModelUnavailable, ModelRefused, BrokenPromise) as away:
            _log.warning("templates stay without vectors for now: %s", away.message)
    return done + [StoredTemplate(each) for each in islice(templates, len(done), None)]


def _save_vector(tenant_id: str, fresh: StoredTemplate, store: TemplateStore) -> bool:
    """False: the template is gone."""
    if fresh.vector is None or fresh.vector_key is None:
        return False
    return store.put_template_vector(tenant_id, fresh.template.template_id, fresh.vector, fresh.vector_key)
