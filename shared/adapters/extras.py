"""What settings ask for that may not be there: packages, looked up at the start and not imported, and folders."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from shared.errors import SettingsError
from shared.settings import Settings


def check(settings: Settings) -> None:
    """Raises SettingsError naming the variable and what to install or to mend."""
    for variable, module, extra in asked(settings):
        if not _is_installed(module):
            expected = f"{module} to be installed (pip install -e '.[{extra}]', deployed: in requirements.txt)"
            raise SettingsError(variable, expected)
    for folder in settings.template_folders:
        if not folder.is_dir():
            raise SettingsError("TEMPLATE_FOLDERS", f"folders that can be read, got '{folder}'")


def asked(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """(variable, module, the extra that brings it)."""
    if settings.otel_endpoint:
        yield "OTEL_EXPORTER_OTLP_ENDPOINT", "opentelemetry.sdk", "otel"
        yield "OTEL_EXPORTER_OTLP_ENDPOINT", "opentelemetry.exporter.otlp.proto.http", "otel"
    if settings.reranker == "cross_encoder":
        yield "RERANKER", "onnxruntime", "local"
    if settings.embeds_here and settings.embedding_model:
        yield "EMBEDDING_MODEL", "onnxruntime", "local"
    if settings.openai_base_url and not settings.uses_gemini:
        yield "OPENAI_BASE_URL", "openai", "openai"


def _is_installed(module: str) -> bool:
    """Of a module inside packages, these are imported: they are empty, or nearly."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # one of those packages
        return False
