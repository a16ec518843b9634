"""What the product on this machine needs, part by part: there, missing, or not working."""

from __future__ import annotations

import importlib.util
import os
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cli.environment import environment
from cli.options import Place, close, counted, parts_in_use
from cli.product import emulator
from cli.product.loopback import HOST, PORT
from cli.product.model_choice import GREETING
from cli.product.model_servers import answering, places
from cli.product.running import find_running, found
from cli.sync.destinations import local_name
from cli.sync.folder import Skipped, read, walk
from cli.sync.manifest import Known, Manifest
from shared.adapters.embedded.files import file_name
from shared.api.notes import CoverageJson
from shared.api.values import shown
from shared.app import App
from shared.bootstrap import build
from shared.errors import AuroraError, OperatorError
from shared.language.languages import detect
from shared.language.vocabulary import languages, vocabulary
from shared.model.account import DayUsage
from shared.model.retrieval import Restriction
from shared.ports.models import Writer

MAX_DAYS = 10_000
MAX_NAMED = 5
"""Files that are named one by one."""
NEWEST = 60
"""Chunks in which the language of the notes is looked for."""
MANY_LANGUAGES = "intfloat/multilingual-e5-small"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One part: `ok`, `missing` (the product runs without it) or `failed` (it does not)."""

    part: str
    verdict: str
    detail: str
    mend: str = ""
    """The command that mends it."""


def examined(place: Place) -> list[Verdict]:
    """Every part of the product that runs with this place's settings."""
    try:
        app = build(place.settings(), tenant=place.tenant_id)
    except AuroraError as error:
        return [Verdict("settings", "failed", error.message), _emulator()]
    origins = ", ".join(app.settings.allowed_origins)
    try:
        return [
            Verdict("settings", "ok", parts_in_use(app)),
            Verdict("auth", "ok", _auth(environment(place.home))),
            Verdict("origins", "ok", origins or "none: only the product's own page may call from a browser"),
            tried("budgets", lambda: _budgets(app, place.tenant_id)),
            tried("store", lambda: _store(app, place.tenant_id)),
            _embedder(app, place.tenant_id),
            _writer(app.writer, app.model),
            _models(app, environment(place.home)),
            _languages(app, place.tenant_id),
            tried("folders", lambda: _folders(app, place.tenant_id)),
            *_files(app, place.tenant_id),
            Verdict("running", "ok", _running(place)),
            _mcp(),
            _emulator(),
        ]
    finally:
        close(app)


def tried(part: str, check: Callable[[], str]) -> Verdict:
    """`check` says what it found, or raises."""
    try:
        return Verdict(part, "ok", check())
    except AuroraError as error:
        return Verdict(part, "failed", " ".join(error.message.split()))
    except OSError as error:
        return Verdict(part, "failed", str(error))


def _store(app: App, tenant_id: str) -> str:
    """Raises OperatorError if there is no store yet, and its file could not be made."""
    if is_begun(app, tenant_id):
        return coverage_in_words(shown(CoverageJson, app.indexer.coverage(tenant_id)), f" of {tenant_id}")
    file = _file(app, tenant_id)
    nearest = next(folder for folder in file.parents if folder.exists())
    if not nearest.is_dir():
        raise OperatorError(f"{file} cannot be made: {nearest} is no folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise OperatorError(f"{file} cannot be made: {nearest} may not be written to")
    return f"no notes of {tenant_id} yet"


def coverage_in_words(coverage: Mapping[str, Any], whose: str = "") -> str:
    """How far the index has followed the notes."""
    behind = {"failed": "failed", "waiting for vectors": "pendingEmbeddings", "not indexed": "missing"}
    behind["of an earlier model or version"] = "outdated"
    indexed = f"{counted(coverage['notes'], 'note')}{whose}, {coverage['indexed']} indexed"
    return ", ".join((indexed, *(f"{coverage[name]} {what}" for what, name in behind.items() if coverage.get(name))))


def is_begun(app: App, tenant_id: str) -> bool:
    """An embedded store is made by its first use; looking at it must not be that."""
    return app.settings.store != "embedded" or _file(app, tenant_id).exists()


def _file(app: App, tenant_id: str) -> Path:
    return app.settings.home / "tenants" / file_name(tenant_id)


def _embedder(app: App, tenant_id: str) -> Verdict:
    embedder = app.embedder
    if embedder is None:
        return Verdict("embedder", "missing", "search by keyword and recency only; pip install -e '.[local]'")

    def check() -> str:
        own = app.embedder_of(tenant_id) if is_begun(app, tenant_id) else None
        known, found = embedder.calibration, own.calibration if own else None
        cosines = "what its cosines mean is estimated from the first two notes on"
        if known:
            cosines = f"cosines {known.baseline:.2f} (unrelated) to {known.match:.2f} (alike)"
        elif found:
            cosines = (
                f"cosines {found.baseline:.2f} (unrelated) to {found.match:.2f} (alike), estimated from your notes"
            )
        return f"{embedder.model}, {len(embedder.embed_query('hello'))} dimensions; {cosines}"

    return tried("embedder", check)


def _writer(writer: Writer | None, model: str) -> Verdict:
    """Writes a word: that costs next to nothing and finds bad keys and unknown models."""
    if writer is None:
        return Verdict("writer", "ok", f"{model}: passages are quoted; GEMINI_API_KEY or OPENAI_BASE_URL gives a model")
    return tried("writer", lambda: writer.write(GREETING).model)


def _known(app: App, tenant_id: str) -> tuple[Known, ...]:
    return Manifest.of(app.settings.home).folders(local_name(app.settings, tenant_id))


def _folders(app: App, tenant_id: str) -> str:
    """Raises OperatorError if one has gone, or its import was broken off."""
    known = _known(app, tenant_id)
    odd = [f"{each.source.root} is gone" for each in known if not each.source.root.is_dir()]
    present = [each for each in known if each.source.root.is_dir()]
    odd += [f"{each.source.root} was not indexed to its end" for each in present if not each.finished]
    if odd:
        raise OperatorError(f"{'; '.join(odd)}: run aurora index on it, or aurora folders move or forget")
    named = (f"{each.source.root} ({counted(each.notes, 'note')} in vault {each.source.vault})" for each in known)
    return ", ".join(named) or "none indexed yet"


def _files(app: App, tenant_id: str) -> Iterator[Verdict]:
    """For each folder that is there: what in it is no note, as it is now."""
    for each in _known(app, tenant_id):
        root = each.source.root
        if not root.is_dir():
            continue
        found = (entry if isinstance(entry, Skipped) else read(root, entry, each.source.vault) for entry in walk(root))
        unfit = [place for place in found if isinstance(place, Skipped)]
        missed = [place for place in unfit if place.missed]
        reasons = Counter(place.reason for place in unfit if not place.missed)
        details = [f"{place.path}: {place.reason}" for place in missed[:MAX_NAMED]]
        details += [f"{len(missed) - MAX_NAMED} more"] if len(missed) > MAX_NAMED else []
        details += [f"{count} {reason}" for reason, count in reasons.items()]
        yield Verdict("files", "missing" if missed else "ok", f"{root}: {'; '.join(details) or 'all are notes'}")


def _auth(env: Mapping[str, str]) -> str:
    """Who may call `aurora dev`; commands are whoever runs them."""
    asked = env.get("AUTH") or "none"
    who = {"none": "aurora dev takes every program of this machine for its user", "firebase": "a deployment's default"}
    return f"{asked}: {who[asked]}" if asked in who else asked


def _budgets(app: App, tenant_id: str) -> str:
    """What is used up today of each limit."""
    today = DayUsage(datetime.now(UTC).date())
    if is_begun(app, tenant_id):
        days = app.store.list_usage(tenant_id, limit=MAX_DAYS, token=None).items
        today = next((each for each in days if each.day == today.day), today)
    limits = (
        (today.answers, app.settings.daily_chat_limit, "answers"),
        (today.searches, app.settings.daily_search_limit, "searches"),
        (today.embedded_tokens, app.settings.daily_embed_tokens, "tokens embedded"),
    )
    used_up = [f"{used} of {limit} {what} today" for used, limit, what in limits if limit]
    return ", ".join(used_up) or "no daily limits"


def _models(app: App, env: Mapping[str, str]) -> Verdict:
    """Servers on this machine that could write."""
    server = answering(env)
    if server is None:
        return Verdict("models", "ok" if app.writer else "missing", f"no model server at {' or '.join(places(env))}")
    how = "" if app.writer else ": aurora dev --model NAME writes with it"
    return Verdict("models", "ok", f"{server}{how}")


def _running(place: Place) -> str:
    """A product in this home; else whether one could start at the port that it takes unless another is named."""
    running, ours = found(place.settings().home), find_running(place.settings(), place.tenant_id)
    if running is not None:
        others = "" if ours else ", for another tenant or with other settings: commands do not ask it"
        return f"aurora dev at {running.address}{others}"
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, PORT))
        except OSError:
            return f"nothing; port {PORT} is taken by another program: aurora dev --port 0 takes a free one"
    return f"nothing; port {PORT} is free for aurora dev"


def _languages(app: App, tenant_id: str) -> Verdict:
    """Which are known whole; every other works with words alone: its times, follow-ups and negations are not read."""
    alone = [lang for lang in languages() if vocabulary(lang).words_alone]
    whole = ", ".join(lang for lang in languages() if lang not in alone)
    known = f"{whole}; words alone, without times and negations: {', '.join(alone)} and any other"
    if is_begun(app, tenant_id) and (foreign := foreign_notes(app, tenant_id)):
        return Verdict("languages", "missing", f"{foreign}; read: {known}", mend=mend_of_languages(app.settings.home))
    return Verdict("languages", "ok", known)


def foreign_notes(app: App, tenant_id: str) -> str | None:
    """That most of the newest notes are in a language which the embedder does not speak; None: they are not."""
    spoken = app.embedder.languages if app.embedder else None
    if app.embedder is None or spoken is None:
        return None
    newest = app.store.recent(tenant_id, limit=NEWEST, stems=(), restriction=Restriction())
    common = Counter(detect(chunk.text) for chunk in newest).most_common(1)
    if not common or common[0][0] in spoken:
        return None
    return f"most notes are in {common[0][0]}, which {app.embedder.model} does not speak: words alone find them"


def mend_of_languages(home: Path) -> str:
    """The command that gives a home an embedder of many languages: fetched once, and every note embedded again."""
    return f"echo EMBEDDING_MODEL={MANY_LANGUAGES} >> {home / '.env'} && aurora reconcile --full"


def _mcp() -> Verdict:
    if importlib.util.find_spec("mcp") is None:
        return Verdict("mcp", "missing", "only for `aurora mcp` and /mcp; pip install -e '.[mcp]'")
    return Verdict("mcp", "ok", f"SDK {version('mcp')}")


def _emulator() -> Verdict:
    try:
        return Verdict("emulator", "ok", f"{emulator.find_java()}, {emulator.find_jar(os.environ)}")
    except AuroraError as error:
        return Verdict("emulator", "missing", f"only for `aurora dev --store emulator` and tests: {error.message}")
