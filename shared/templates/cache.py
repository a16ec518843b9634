"""The templates of the configured folders, as this process has read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # an App holds a cache before anything is read into it
    from shared.model.templates import StoredTemplate
    from shared.templates.files import TemplateFiles


@dataclass(slots=True)
class FolderCache:
    """Templates of the configured folders with their vectors, in this process. Whoever uses it holds `lock`."""

    state: str = ""
    """State of the folders when they were read."""
    files: TemplateFiles | None = None
    """Content of the folders; None until they have been read."""
    stored: tuple[StoredTemplate, ...] = ()
    lock: Lock = field(default_factory=Lock)
