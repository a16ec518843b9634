"""What front doors ask of templates: those of the folders, read-only and alike for all, beside each tenant's own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Literal

from shared.errors import InvalidArgument, ModelRefused, ModelUnavailable, NotFound, PortContractError
from shared.model.retrieval import UNKNOWN_CALIBRATION
from shared.model.templates import StoredTemplate, Template, TemplateMatch
from shared.ports.models import Embedder
from shared.ports.stores import TemplateStore
from shared.templates.files import TemplateFiles, check, read_folders, state_of
from shared.templates.ranking import fallback, is_current, rank, with_vectors

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class FolderCache:
    """The process's templates of the configured folders, with their vectors. Safe between threads."""

    _state: str = ""
    _found: TemplateFiles = field(default_factory=lambda: TemplateFiles((), ()))
    _stored: tuple[StoredTemplate, ...] = ()
    _lock: Lock = field(default_factory=Lock)

    def read(self, folders: Sequence[Path]) -> TemplateFiles:
        """Reads the files again only when one of them has changed."""
        state = state_of(folders)
        with self._lock:
            if state != self._state:
                self._found = read_folders(folders)
                for problem in self._found.problems:
                    _log.warning("no template: %s: %s", problem.path, problem.reason)
                known = {each.template: each for each in self._stored}
                self._stored = tuple(known.get(each, StoredTemplate(each)) for each in self._found.templates)
                self._state = state
            return self._found

    def embedded(self, folders: Sequence[Path], embedder: Embedder | None) -> tuple[StoredTemplate, ...]:
        """The templates with their vectors, embedded once; without where the model is away."""
        self.read(folders)
        with self._lock:
            self._stored = _all_current(self._stored, embedder)
            return self._stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The templates of all tenants. A tenant's own takes the place of a file's of the same id. Safe between threads."""

    store: TemplateStore
    folders: tuple[Path, ...]
    embedder_of: Callable[[str], Embedder | None]
    """At a tenant's expense."""
    files: FolderCache
    threshold: float | None = None
    """Least similarity of a template that is found; None: it must stand out from the rest."""

    def index(self, tenant_id: str) -> TemplateFiles:
        """What the configured folders hold, with vectors for what is new in them."""
        found = self.files.read(self.folders)
        self.files.embedded(self.folders, self.embedder_of(tenant_id))
        return found

    def save(self, tenant_id: str, template: Template) -> None:
        """Create or replace a tenant's own. The same again writes nothing; only a text that is new is embedded.

        Raises InvalidArgument naming the field that is not as it must be.
        """
        check(template)
        embedder = self.embedder_of(tenant_id)
        try:
            held = self.store.get_template(tenant_id, template.template_id)
        except InvalidArgument:  # an app wrote nonsense there, which is about to be replaced
            held = None
        if held is not None and held.template == template and (embedder is None or is_current(held, embedder)):
            return
        moved = StoredTemplate(template) if held is None else replace(held, template=template)
        if embedder is None or not is_current(moved, embedder):
            moved = StoredTemplate(template)
        self.store.put_templates(tenant_id, _all_current([moved], embedder))

    def get(self, tenant_id: str, template_id: str) -> Template:
        """Raises NotFound."""
        stored = self.store.get_template(tenant_id, template_id)
        found = stored.template if stored is not None else self._shipped().get(template_id)
        if found is None:
            raise NotFound(f"no template {template_id!r}")
        return found

    def all(self, tenant_id: str) -> tuple[Template, ...]:
        """By id."""
        own = {each.template.template_id: each.template for each in self.store.templates(tenant_id)}
        return tuple(template for _, template in sorted((self._shipped() | own).items()))

    def delete(self, tenant_id: str, template_id: str) -> None:
        """Raises NotFound where the tenant has none of its own; a file's of the same id comes back."""
        if not self.store.delete_template(tenant_id, template_id):
            shipped = " of your own; the shipped one is read-only" if template_id in self._shipped() else ""
            raise NotFound(f"no template {template_id!r}{shipped}")

    def search(self, tenant_id: str, query: str, *, top_k: int) -> tuple[TemplateMatch, ...]:
        """At most `top_k` for a query, best first; the chain of thought where none is near. Never empty.

        Without an embedder, or while it is away, none is near.
        """
        embedder = self.embedder_of(tenant_id)
        stored = self._embedded(tenant_id, embedder)
        if embedder is None or not stored:
            return (fallback(stored),)
        try:
            vector = embedder.embed_query(query)
        except (ModelUnavailable, ModelRefused) as away:
            _log.warning("choosing no template by similarity: %s", away.message)
            return (fallback(stored),)
        current = [each for each in stored if is_current(each, embedder)]
        calibration = embedder.calibration or UNKNOWN_CALIBRATION
        near = rank(current, vector, top_k=top_k, calibration=calibration, threshold=self.threshold)
        return near or (fallback(stored),)

    def ready(self, tenant_id: str) -> bool:
        """Whether a search finds every template by similarity."""
        embedder = self.embedder_of(tenant_id)
        stored = (*self.files.embedded(self.folders, embedder), *self.store.templates(tenant_id))
        return embedder is not None and all(is_current(each, embedder) for each in stored)

    def refresh(self, tenant_id: str, template_id: str) -> Literal["unchanged", "embedded", "gone"]:
        """Give a tenant's template the vector of what it says now, whatever happened to it.

        Writing the vector calls for this again, and then there is nothing left to do: the key that is written with it
        says of which text and model it is. A slow writer's stale vector is found by its key in the same way.
        Raises InvalidArgument for a template that cannot be read, ModelUnavailable, ModelRefused, PortContractError.
        """
        embedder = self.embedder_of(tenant_id)
        stored = self.store.get_template(tenant_id, template_id)
        if stored is None:
            return "gone"
        if embedder is None or is_current(stored, embedder):
            return "unchanged"
        (fresh,) = with_vectors([stored.template], embedder)
        return "embedded" if self._save_vector(tenant_id, fresh) else "gone"

    def _shipped(self) -> dict[str, Template]:
        return {each.template_id: each for each in self.files.read(self.folders).templates}

    def _embedded(self, tenant_id: str, embedder: Embedder | None) -> tuple[StoredTemplate, ...]:
        """All of a tenant's, with their vectors as far as they can be had now; new ones of its own are written back."""
        shipped = {each.template.template_id: each for each in self.files.embedded(self.folders, embedder)}
        own = self.store.templates(tenant_id)
        current = _all_current(own, embedder)
        for before, now in zip(own, current, strict=True):
            if before != now:
                self._save_vector(tenant_id, now)
        return tuple((shipped | {each.template.template_id: each for each in current}).values())

    def _save_vector(self, tenant_id: str, fresh: StoredTemplate) -> bool:
        """False: the template is gone."""
        if fresh.vector is None or fresh.vector_key is None:
            return False
        return self.store.put_template_vector(tenant_id, fresh.template.template_id, fresh.vector, fresh.vector_key)


def _all_current(stored: Sequence[StoredTemplate], embedder: Embedder | None) -> tuple[StoredTemplate, ...]:
    """In their order, each with the vector of what it says now; as it is where the vector cannot be had now."""
    if embedder is None:
        return tuple(stored)
    stale = [each.template for each in stored if not is_current(each, embedder)]
    fresh: dict[str, StoredTemplate] = {}
    try:
        for each in with_vectors(stale, embedder):
            fresh[each.template.template_id] = each
    except (ModelUnavailable, ModelRefused, PortContractError) as away:
        _log.warning("templates stay without vectors for now: %s", away.message)
    return tuple(fresh.get(each.template.template_id, each) for each in stored)
