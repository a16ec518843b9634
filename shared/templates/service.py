"""What front doors ask of templates; those of the folders are brought to a tenant before anything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shared.errors import NotFound
from shared.model.templates import Template, TemplateKey, TemplateMatch
from shared.ports.models import Embedder
from shared.ports.tenants import TemplateStore
from shared.templates import pipeline
from shared.templates.folders import state_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """The templates of all tenants. Safe between threads."""

    store: TemplateStore
    folders: tuple[Path, ...]
    embedder_of: Callable[[str], Embedder | None]
    """At a tenant's expense."""
    delivered: dict[str, str]
    """Tenant -> state of the folders when this process last brought them there."""

    def index(self, tenant_id: str) -> pipeline.TemplateReport:
        """Bring all templates of the configured folders to the tenant."""
        state = state_of(self.folders)
        embedder = self.embedder_of(tenant_id)
        report = pipeline.index(tenant_id, self.folders, store=self.store, embedder=embedder)
        self.delivered[tenant_id] = state
        return report

    def save(self, tenant_id: str, template: Template) -> None:
        """Create or replace. Raises InvalidArgument naming the field that is not as it must be."""
        self._deliver(tenant_id)
        pipeline.add(tenant_id, template, store=self.store, embedder=self.embedder_of(tenant_id))

    def get(self, tenant_id: str, template_id: str) -> Template:
        """Raises NotFound."""
        self._deliver(tenant_id)
        stored = self.store.get_template(tenant_id, template_id)
        if stored is None:
            raise NotFound(f"no template {template_id!r}")
        return stored.template

    def all(self, tenant_id: str) -> tuple[Template, ...]:
        """By id."""
        self._deliver(tenant_id)
        return tuple(stored.template for stored in self.store.templates(tenant_id))

    def delete(self, tenant_id: str, template_id: str) -> None:
        """Raises NotFound. One that came from a folder stays away too."""
        self._deliver(tenant_id)
        if not self.store.delete_template(tenant_id, template_id):
            raise NotFound(f"no template {template_id!r}")

    def search(self, tenant_id: str, query: str, *, top_k: int) -> tuple[TemplateMatch, ...]:
        """The most similar, best first; the chain of thought where none is. Never empty."""
        self._deliver(tenant_id)
        embedder = self.embedder_of(tenant_id)
        return pipeline.search(tenant_id, query, top_k=top_k, store=self.store, embedder=embedder)

    def ready(self, tenant_id: str) -> bool:
        """Whether every template is found by similarity."""
        return pipeline.ready(tenant_id, store=self.store, embedder=self.embedder_of(tenant_id))

    def refresh(self, key: TemplateKey) -> pipeline.Refreshed:
        """Bring one template's vector to what the template says now."""
        return pipeline.refresh(key, store=self.store, embedder=self.embedder_of(key.tenant_id))

    def _deliver(self, tenant_id: str) -> None:
        """Once a process, and again when a file in the folders has changed."""
        if self.delivered.get(tenant_id) != state_of(self.folders):
            self.index(tenant_id)
