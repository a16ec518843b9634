"""Templates for the front doors: the read-only ones of the folders, the same for all, and each tenant's own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from shared.errors import (
    InvalidArgument,
    ModelRefused,
    ModelUnavailable,
    NotFound,
    PortContractError,
)
from shared.model.documents import TEMPLATES
from shared.model.index import Vector
from shared.model.retrieval import UNKNOWN_CALIBRATION
from shared.model.templates import MAX_TEMPLATES, StoredTemplate, Template, TemplateMatch
from shared.ports.documents import DocumentStore
from shared.ports.models import Embedder
from shared.templates.cache import FolderCache
from shared.templates.files import TemplateFiles, check, read_folders, state_of
from shared.templates.ranking import choose, fallback, has_current_vector, nearest, with_vectors

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The templates of all tenants. A tenant's own takes the place of a file's of the same id. Safe
    between threads.
    """

    store: DocumentStore
    folders: tuple[Path, ...]
    embedder_of: Callable[[str], Embedder | None]
    """Returns the embedder that works at a tenant's expense."""
    files: FolderCache
    threshold: float | None = None
    """Least similarity of a template that is found. If None, it must exceed that of unrelated texts, and a chosen
    template must also stand out from dissimilar ones.
    """

    def index(self, tenant_id: str) -> TemplateFiles:
        """Returns the content of the configured folders, after embedding what is new in them."""
        files = _read(self.files, self.folders)
        _embedded(self.files, self.folders, self.embedder_of(tenant_id))
        return files

    def save(self, tenant_id: str, template: Template) -> None:
        """Creates or replaces a tenant's own template. Raises InvalidArgument naming the field that
        breaks a limit.

        An unchanged template is not written again, and only a new text is embedded.
        """
        check(template)
        embedder = self.embedder_of(tenant_id)
        try:
            stored = self.store.get(tenant_id, TEMPLATES, template.template_id).value
        except InvalidArgument:  # an app wrote nonsense there, which is about to be replaced
            stored = None

        changed = StoredTemplate(template)
        if stored is not None and embedder is not None:
            with_old_vector = replace(stored, template=template)
            if has_current_vector(with_old_vector, embedder):
                changed = with_old_vector

        is_unchanged = stored is not None and stored.template == template
        needs_vector = embedder is not None and not has_current_vector(changed, embedder)
        if is_unchanged and not needs_vector:
            return

        (current,) = _all_current([changed], embedder)
        self.store.put(tenant_id, TEMPLATES, current)

    def get(self, tenant_id: str, template_id: str) -> Template:
        """Returns a tenant's own template, else the folders' one of that id. Raises NotFound."""
        stored = self.store.get(tenant_id, TEMPLATES, template_id).value
        if stored is not None:
            return stored.template

        template = self._shipped().get(template_id)
        if template is None:
            raise NotFound(f"no template {template_id!r}")
        return template

    def path_of(self, template: Template) -> str | None:
        """Returns the file of a template, relative to its folder; None for a tenant's own."""
        template_id = template.template_id
        if self._shipped().get(template_id) != template:
            return None
        files = _read(self.files, self.folders)
        return files.paths.get(template_id)

    def all(self, tenant_id: str) -> tuple[Template, ...]:
        """Returns all templates of a tenant, sorted by id."""
        templates = self._shipped()
        for stored in self._own(tenant_id):
            template = stored.template
            templates[template.template_id] = template

        by_id = [templates[template_id] for template_id in sorted(templates)]
        return tuple(by_id)

    def delete(self, tenant_id: str, template_id: str) -> None:
        """Deletes a tenant's own template; a file's of the same id comes back. Raises NotFound
        without one of its own.
        """
        if self.store.delete(tenant_id, TEMPLATES, template_id):
            return
        hint = ""
        if template_id in self._shipped():
            hint = " of your own; the shipped one is read-only"
        raise NotFound(f"no template {template_id!r}{hint}")

    def search(self, tenant_id: str, query: str, *, top_k: int) -> tuple[TemplateMatch, ...]:
        """Returns at most `top_k` templates for a query, best first, and never none.

        The chain of thought comes back where none is near, without an embedder, and while it is
        away.
        """
        embedder = self.embedder_of(tenant_id)
        library = self._library(tenant_id, embedder)
        vector = _query_vector(query, embedder)
        if embedder is None or vector is None:
            return (library.fallback,)

        matches = nearest(
            library.searchable(embedder),
            vector,
            top_k=top_k,
            calibration=embedder.calibration or UNKNOWN_CALIBRATION,
            threshold=self.threshold,
        )
        return matches or (library.fallback,)

    def choose(self, tenant_id: str, question: str) -> TemplateMatch:
        """Returns the template for answering a question: the nearest one if it stands out, else the chain of thought."""
        embedder = self.embedder_of(tenant_id)
        library = self._library(tenant_id, embedder)
        vector = _query_vector(question, embedder)
        if embedder is None or vector is None:
            return library.fallback

        chosen = choose(
            library.searchable(embedder),
            vector,
            calibration=embedder.calibration or UNKNOWN_CALIBRATION,
            threshold=self.threshold,
        )
        return chosen or library.fallback

    def ready(self, tenant_id: str) -> bool:
        """Reports whether a search finds every template by similarity."""
        embedder = self.embedder_of(tenant_id)
        shipped = _embedded(self.files, self.folders, embedder)
        own = self._own(tenant_id)
        if embedder is None:
            return False
        library = (*shipped, *own)
        return all(has_current_vector(stored, embedder) for stored in library)

    def refresh(self, tenant_id: str, template_id: str) -> Literal["unchanged", "embedded", "gone"]:
        """Gives a tenant's template the vector of its current text.

        Writing the vector triggers this again, and then there is nothing left to do: the key stored with the vector
        says which text and model it is from. A stale vector from a slow writer is recognised by its key in the same
        way. Raises InvalidArgument for a template that cannot be read, ModelUnavailable, ModelRefused,
        PortContractError.
        """
        embedder = self.embedder_of(tenant_id)
        stored = self.store.get(tenant_id, TEMPLATES, template_id).value
        if stored is None:
            return "gone"
        if embedder is None or has_current_vector(stored, embedder):
            return "unchanged"

        (fresh,) = with_vectors([stored.template], embedder)
        if not self._save_vector(tenant_id, fresh):
            return "gone"
        return "embedded"

    def _own(self, tenant_id: str) -> tuple[StoredTemplate, ...]:
        """Returns the templates that a tenant has written, sorted by id."""
        return self.store.listing(tenant_id, TEMPLATES, limit=MAX_TEMPLATES).items

    def _shipped(self) -> dict[str, Template]:
        """Returns the templates of the folders by their ids."""
        templates = _read(self.files, self.folders).templates
        return {template.template_id: template for template in templates}

    def _library(self, tenant_id: str, embedder: Embedder | None) -> _Library:
        """Returns all templates of a tenant, with the vectors that the model can give now.

        New vectors of the tenant's own templates are stored.
        """
        shipped = _embedded(self.files, self.folders, embedder)
        own = self._own(tenant_id)
        current = _all_current(own, embedder)
        for stored, fresh in zip(own, current, strict=True):
            if stored != fresh:
                self._save_vector(tenant_id, fresh)
        return _Library(shipped, current)

    def _save_vector(self, tenant_id: str, fresh: StoredTemplate) -> bool:
        """Writes the vector of a template. Returns False if the template is gone."""
        if fresh.vector is None or fresh.vector_key is None:
            return False

        changes = {
            "vector": fresh.vector,
            "vector_key": fresh.vector_key,
        }
        template_id = fresh.template.template_id
        return self.store.change(tenant_id, TEMPLATES, template_id, changes)


def _read(cache: FolderCache, folders: Sequence[Path]) -> TemplateFiles:
    """Returns the content of the folders; reads the files again only when one of them has changed."""
    state = state_of(folders)
    with cache.lock:
        if cache.files is None or state != cache.state:
            cache.files = read_folders(folders)
            for problem in cache.files.problems:
                _log.warning("no template: %s: %s", problem.path, problem.reason)
            previous = {stored.template: stored for stored in cache.stored}
            stored_templates = []
            for template in cache.files.templates:
                stored = previous.get(template, StoredTemplate(template))
                stored_templates.append(stored)
            cache.stored = tuple(stored_templates)
            cache.state = state
        return cache.files


def _embedded(
    cache: FolderCache,
    folders: Sequence[Path],
    embedder: Embedder | None,
) -> tuple[StoredTemplate, ...]:
    """Returns the templates of the folders with their vectors, embedded once; without vectors if the model is unavailable."""
    _read(cache, folders)
    with cache.lock:
        cache.stored = _all_current(cache.stored, embedder)
        return cache.stored


@dataclass(frozen=True, slots=True)
class _Library:
    """The templates of one tenant."""

    shipped: tuple[StoredTemplate, ...]
    own: tuple[StoredTemplate, ...]

    def searchable(self, embedder: Embedder) -> list[StoredTemplate]:
        """Returns the templates with a current vector. A tenant's own template replaces a shipped one with the same id."""
        by_id: dict[str, StoredTemplate] = {}
        for stored in (*self.shipped, *self.own):
            template_id = stored.template.template_id
            by_id[template_id] = stored

        searchable = []
        for stored in by_id.values():
            if has_current_vector(stored, embedder):
                searchable.append(stored)
        return searchable

    @property
    def fallback(self) -> TemplateMatch:
        """The chain of thought."""
        return fallback(self.shipped, self.own)


def _query_vector(query: str, embedder: Embedder | None) -> Vector | None:
    """Embeds a query; None without an embedder, or if it is unavailable."""
    if embedder is None:
        return None
    try:
        return embedder.embed_query(query)
    except (ModelUnavailable, ModelRefused) as error:
        _log.warning("choosing no template by similarity: %s", error.message)
        return None


def _all_current(
    stored: Sequence[StoredTemplate],
    embedder: Embedder | None,
) -> tuple[StoredTemplate, ...]:
    """Returns the templates in their order, each with the vector of its current text.

    A template whose vector cannot be made now stays as it is.
    """
    if embedder is None:
        return tuple(stored)
    stale = []
    for candidate in stored:
        if not has_current_vector(candidate, embedder):
            stale.append(candidate.template)

    fresh_by_id: dict[str, StoredTemplate] = {}
    try:
        for fresh in with_vectors(stale, embedder):
            template_id = fresh.template.template_id
            fresh_by_id[template_id] = fresh
    except (ModelUnavailable, ModelRefused, PortContractError) as error:
        _log.warning("templates stay without vectors for now: %s", error.message)

    current = []
    for candidate in stored:
        template_id = candidate.template.template_id
        current.append(fresh_by_id.get(template_id, candidate))
    return tuple(current)
