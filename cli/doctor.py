"""`aurora doctor`: is everything there that the product needs, and what is missing."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import click

from cli import emulator
from cli.deployment import examine, require_checkout
from cli.destinations import local_name
from cli.google_project import GoogleProject
from cli.manifest import Manifest
from cli.options import FAILED, Place, close, common, print_json
from shared.adapters.embedded.files import file_name
from shared.app import App
from shared.bootstrap import build
from shared.errors import AuroraError, OperatorError
from shared.indexing.pipeline import index_version
from shared.model.answers import Prompt
from shared.ports.models import Embedder, Writer
from shared.retrieval.scoring.scale import measured


@dataclass(frozen=True, slots=True)
class Verdict:
    """One part: `ok`, `missing` (the product runs without it) or `failed` (it does not)."""

    part: str
    verdict: str
    detail: str


@click.command()
@click.option("--project", help="Check what is deployed in this Google Cloud project instead.")
@click.option("--calibrate", is_flag=True, help="Measure the embedder on the notes and print the two settings instead.")
@common
def doctor(place: Place, project: str | None, *, calibrate: bool) -> None:
    """Check settings, store, embedder, writer, indexed folders, MCP and emulator. Exit code 1: something has failed."""
    if calibrate:
        if project is not None:
            raise click.UsageError("--calibrate looks at the notes of this machine's settings, without --project")
        _calibrate(place)
        return
    if project is not None:
        _tell_of(project, as_json=place.as_json)
        return
    verdicts = _examined(place)
    if place.as_json:
        print_json([asdict(verdict) for verdict in verdicts])
    else:
        for verdict in verdicts:
            click.echo(f"{verdict.verdict:8} {verdict.part:10} {verdict.detail}")
    if any(verdict.verdict == "failed" for verdict in verdicts):
        sys.exit(FAILED)


def _calibrate(place: Place) -> None:
    """Raises OperatorError without an embedder or with too few notes, EmbeddingsSpent, and what the embedder raises."""
    with place.app() as app:
        if not _is_begun(app, place.tenant_id):
            raise OperatorError(f"no notes of {place.tenant_id} yet to measure the embedder on: run aurora index")
        embedder = app.embedder_of(place.tenant_id)
        if embedder is None:
            raise OperatorError("there is no embedder to measure: pip install 'aurora-notes[local]'")
        version = index_version(embedder, app.chunker)
        scale = measured(place.tenant_id, store=app.store, embedder=embedder, index_version=version)
    found = {"EMBEDDING_UNRELATED": round(scale.unrelated, 3), "EMBEDDING_ALIKE": round(scale.alike, 3)}
    if place.as_json:
        print_json(found)
    else:
        for variable, cosine in found.items():
            click.echo(f"{variable}={cosine:g}")


def _tell_of(project: str, *, as_json: bool) -> None:
    """Raises OperatorError without credentials."""
    require_checkout()
    findings = examine(GoogleProject(project))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for each in findings:
            click.echo(f"{each.verdict:8} {each.part:10} {each.detail}".rstrip())
            if each.mend:
                click.echo(f"{'':20}{each.mend}")
    if any(each.verdict == "failed" for each in findings):
        sys.exit(FAILED)


def _examined(place: Place) -> list[Verdict]:
    try:
        app = build(place.settings(), tenant=place.tenant_id)
    except AuroraError as error:
        return [Verdict("settings", "failed", error.message), _emulator()]
    try:
        return [
            Verdict("settings", "ok", app.notice),
            _tried("store", lambda: _store(app, place.tenant_id)),
            _embedder(app.embedder),
            _writer(app.writer, app.model),
            _tried("folders", lambda: _folders(app, place.tenant_id)),
            _mcp(),
            _emulator(),
        ]
    finally:
        close(app)


def _tried(part: str, check: Callable[[], str]) -> Verdict:
    """`check` says what it found, or raises."""
    try:
        return Verdict(part, "ok", check())
    except AuroraError as error:
        return Verdict(part, "failed", " ".join(error.message.split()))
    except OSError as error:
        return Verdict(part, "failed", str(error))


def _store(app: App, tenant_id: str) -> str:
    if not _is_begun(app, tenant_id):
        return _room(_file(app, tenant_id), tenant_id)
    coverage = app.coverage(tenant_id)
    told = f"{coverage.notes} notes of {tenant_id}, {coverage.indexed} indexed"
    behind = {"failed": coverage.failed, "waiting for vectors": coverage.pending, "not indexed": coverage.missing}
    return ", ".join((told, *(f"{count} {what}" for what, count in behind.items() if count)))


def _is_begun(app: App, tenant_id: str) -> bool:
    """An embedded store is made by its first use; looking at it must not be that."""
    return app.settings.store != "embedded" or _file(app, tenant_id).exists()


def _file(app: App, tenant_id: str) -> Path:
    return app.settings.home / "tenants" / file_name(tenant_id)


def _room(file: Path, tenant_id: str) -> str:
    """Raises OperatorError if the file could not be made."""
    nearest = next(folder for folder in file.parents if folder.exists())
    if not nearest.is_dir():
        raise OperatorError(f"{file} cannot be made: {nearest} is no folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise OperatorError(f"{file} cannot be made: {nearest} may not be written to")
    return f"no notes of {tenant_id} yet"


def _embedder(embedder: Embedder | None) -> Verdict:
    if embedder is None:
        return Verdict("embedder", "missing", "search by keyword and recency only; pip install 'aurora-notes[local]'")
    return _tried("embedder", lambda: f"{embedder.model}, {len(embedder.embed_query('hello'))} dimensions")


def _writer(writer: Writer | None, model: str) -> Verdict:
    """Writes a word: that costs next to nothing and finds bad keys and unknown models."""
    if writer is None:
        return Verdict("writer", "ok", f"{model}: passages are quoted; GEMINI_API_KEY or OPENAI_BASE_URL gives a model")
    prompt = Prompt("Answer with one word.", "Say hello.", "hello", ())
    return _tried("writer", lambda: writer.write(prompt).model)


def _folders(app: App, tenant_id: str) -> str:
    """Raises OperatorError if one has gone, or its import was broken off."""
    known = Manifest.of(app.settings.home).folders(local_name(app.settings, tenant_id))
    odd = [f"{each.source.root} is gone" for each in known if not each.source.root.is_dir()]
    odd += [
        f"{each.source.root} was not indexed to its end"
        for each in known
        if each.source.root.is_dir() and not each.finished
    ]
    if odd:
        raise OperatorError(f"{'; '.join(odd)}: run aurora index on it, or aurora folders move or forget")
    return ", ".join(str(each.source.root) for each in known) or "none indexed yet"


def _mcp() -> Verdict:
    if importlib.util.find_spec("mcp") is None:
        return Verdict("mcp", "missing", "only for `aurora mcp` and /mcp; pip install 'aurora-notes[mcp]'")
    return Verdict("mcp", "ok", f"SDK {version('mcp')}")


def _emulator() -> Verdict:
    try:
        return Verdict("emulator", "ok", f"{emulator.find_java()}, {emulator.find_jar(os.environ)}")
    except AuroraError as error:
        return Verdict("emulator", "missing", f"only for `aurora dev --store emulator` and tests: {error.message}")
