"""Checks of the parts that the product on this machine needs: there, missing, or not working."""

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

from cli.options import CommandContext, close, counted, parts_in_use
from desktop.client.local import HOST, PORT
from desktop.files.reading import FileNote, Skipped, Unchanged, read, walk
from desktop.folders.destinations import local_name
from desktop.folders.manifest import FollowedFolder, Manifest
from desktop.product import emulator
from desktop.product.environment import environment
from desktop.product.model_choice import GREETING
from desktop.product.model_servers import answering, places
from desktop.product.running import find_running, running_in
from shared.adapters.embedded import damage
from shared.adapters.embedded.files import file_name
from shared.adapters.extras import LOCAL_PACKAGES, install_command
from shared.api.coverage import coverage_json
from shared.app import App
from shared.bootstrap import build
from shared.errors import AuroraError, OperatorError
from shared.indexing.coverage import measure_coverage
from shared.language.languages import detect
from shared.language.vocabulary import languages, vocabulary
from shared.model.account import DayUsage
from shared.model.retrieval import Restriction
from shared.ports.models import Embedder, Writer

MAX_DAYS = 10_000
"""Days of usage that are read."""
MAX_NAMED = 5
"""Files and pages that are named one by one."""
NEWEST = 60
"""Newest chunks, by which the language of the notes is told."""
MANY_LANGUAGES = "intfloat/multilingual-e5-small"
"""Embedder of many languages."""


BEHIND = {
    "failed": "failed",
    "pendingEmbeddings": "waiting for vectors",
    "missing": "not indexed",
    "stale": "changed since they were indexed",
    "outdated": "of an earlier model or version",
}
"""Counts of the coverage's JSON -> the condition of those notes in words."""


@dataclass(frozen=True, slots=True)
class PartVerdict:
    """Verdict on a part: `ok`, `missing` (the product runs without it) or `failed` (it does not)."""

    part: str
    verdict: str
    detail: str
    mend: str = ""
    """Command that repairs the part; empty if there is none."""


def check_parts(context: CommandContext) -> list[PartVerdict]:
    """Returns a verdict on every part of the product that runs with these settings."""
    tenant_id = context.tenant_id
    try:
        app = build(context.settings(), tenant=tenant_id)
    except AuroraError as error:
        return [PartVerdict("settings", "failed", error.message), _emulator()]

    try:
        return [
            PartVerdict("settings", "ok", parts_in_use(app)),
            PartVerdict("auth", "ok", _auth(environment(context.home))),
            _origins(app),
            tried("budgets", lambda: _budgets(app, tenant_id)),
            tried("store", lambda: _store(app, tenant_id)),
            tried("disk", lambda: _disk(app, tenant_id)),
            _embedder(app, tenant_id),
            _writer(app.writer, app.model),
            _models(app, environment(context.home)),
            *tried_all("languages", lambda: [_languages(app, tenant_id)]),
            tried("folders", lambda: _folders(app, tenant_id)),
            *tried_all("files", lambda: list(_files(app, tenant_id))),
            PartVerdict("running", "ok", _running(context)),
            _mcp(),
            _emulator(),
        ]
    finally:
        close(app)


def _origins(app: App) -> PartVerdict:
    """Names the pages whose scripts may call the product from a browser."""
    origins = ", ".join(app.settings.allowed_origins)
    if not origins:
        origins = "none: only the product's own page may call from a browser"
    return PartVerdict("origins", "ok", origins)


def tried(part: str, check: Callable[[], str]) -> PartVerdict:
    """Returns the verdict `ok` with the detail that a check returns, or `failed` if it raises."""
    try:
        return PartVerdict(part, "ok", check())
    except AuroraError as error:
        return PartVerdict(
            part,
            "failed",
            " ".join(error.message.split()),
        )
    except OSError as error:
        return PartVerdict(part, "failed", str(error))
    except Exception as error:  # noqa: BLE001 - the other parts are told all the same; its text may be a note's
        return PartVerdict(
            part,
            "failed",
            f"an unexpected {type(error).__name__}",
        )


def tried_all(part: str, check: Callable[[], list[PartVerdict]]) -> list[PartVerdict]:
    """Returns the verdicts that a check returns, or one verdict `failed` if it raises."""
    verdicts: list[PartVerdict] = []

    def run() -> str:
        verdicts.extend(check())
        return ""

    outcome = tried(part, run)
    if outcome.verdict == "ok":
        return verdicts
    return [outcome]


def _disk(app: App, tenant_id: str) -> str:
    """Checks that every note and page is as it was written. Raises OperatorError if not."""
    if app.settings.store != "embedded":
        return "the database's own"
    file = _file(app, tenant_id)
    if not file.exists():
        return "nothing written yet"
    damages = damage.check(file)
    if damages.pages:
        lines = "; ".join(damages.pages[:MAX_NAMED])
        raise OperatorError(
            f"{file} is damaged ({lines}): save what can be read with aurora export, "
            "then restore a backup, or move the file away and import the export",
        )

    problems = "; ".join(_damaged_rows(damages))
    if problems:
        raise OperatorError(problems)
    return "every page and row is as it was written"


def _damaged_rows(damages: damage.Condition) -> Iterator[str]:
    """Yields how many rows are not as they were written, and what to do about each kind."""
    if damages.notes:
        notes = counted(damages.notes, "note")
        yield (
            f"{notes} damaged, aurora notes list names them: "
            "save them again, or delete them and restore earlier versions"
        )

    if damages.documents:
        counts = [f"{number} of {table}" for table, number in damages.documents.items()]
        documents = ", ".join(counts)
        yield (
            f"{documents} damaged: lists leave them out, aurora export names them; "
            "delete them or restore a backup"
        )

    if damages.derived:
        passages = counted(damages.derived, "passage")
        yield f"{passages} of the index damaged: aurora reconcile --full makes them again"


def _store(app: App, tenant_id: str) -> str:
    """Returns how many notes are indexed.

    Raises OperatorError if there is no store yet and its file could not be made.
    """
    if is_begun(app, tenant_id):
        coverage = measure_coverage(
            app.store,
            tenant_id,
            index_version=app.index_version,
            previous_version=app.previous_index_version,
        )
        return coverage_in_words(coverage_json(coverage), f" of {tenant_id}")

    file = _file(app, tenant_id)
    nearest = file.parent
    while not nearest.exists():
        nearest = nearest.parent

    problem = ""
    if not nearest.is_dir():
        problem = f"{nearest} is no folder"
    elif not os.access(nearest, os.W_OK | os.X_OK):
        problem = f"{nearest} may not be written to"
    if problem:
        raise OperatorError(f"{file} cannot be made: {problem}")
    return f"no notes of {tenant_id} yet"


def coverage_in_words(coverage: Mapping[str, Any], whose: str = "") -> str:
    """Returns how far the index has followed the notes."""
    notes = counted(coverage["notes"], "note")
    parts = [
        f"{notes}{whose}",
        f"{coverage['indexed']} indexed",
    ]
    for name, condition in BEHIND.items():
        count = coverage.get(name)
        if count:
            parts.append(f"{count} {condition}")

    return ", ".join(parts)


def is_begun(app: App, tenant_id: str) -> bool:
    """Reports whether there is a store. An embedded one is made by its first use, which a check
    must not be.
    """
    return app.settings.store != "embedded" or _file(app, tenant_id).exists()


def _file(app: App, tenant_id: str) -> Path:
    """Returns the path of the tenant's file in an embedded store."""
    return app.settings.home / "tenants" / file_name(tenant_id)


def _embedder(app: App, tenant_id: str) -> PartVerdict:
    """Embeds a word, and says what the cosines of the model mean."""
    embedder = app.embedder
    if embedder is None:
        return PartVerdict(
            "embedder",
            "missing",
            f"search by keyword and recency only; {install_command(LOCAL_PACKAGES)}",
        )

    def check() -> str:
        cosines = _cosines(app, embedder, tenant_id)
        dimensions = len(embedder.embed_query("hello"))
        return f"{embedder.model}, {dimensions} dimensions; {cosines}"

    return tried("embedder", check)


def _cosines(app: App, embedder: Embedder, tenant_id: str) -> str:
    """Returns which cosines mean that texts are unrelated or alike."""
    ending = ""
    calibration = embedder.calibration
    if not calibration and is_begun(app, tenant_id):
        calibrated_embedder = app.embedder_of(tenant_id)
        if calibrated_embedder:
            calibration = calibrated_embedder.calibration
            ending = ", estimated from your notes"

    if not calibration:
        return "the meaning of its cosines is estimated once there are two notes"
    unrelated = f"{calibration.baseline:.2f} (unrelated)"
    alike = f"{calibration.match:.2f} (alike)"
    return f"cosines {unrelated} to {alike}{ending}"


def _writer(writer: Writer | None, model: str) -> PartVerdict:
    """Lets the model write a word: that costs next to nothing and finds bad keys and unknown
    models.
    """
    if writer is None:
        return PartVerdict(
            "writer",
            "ok",
            f"{model}: passages are quoted; GEMINI_API_KEY or OPENAI_BASE_URL gives a model",
        )

    return tried("writer", lambda: writer.write(GREETING).model)


def _indexed_folders(app: App, tenant_id: str) -> tuple[FollowedFolder, ...]:
    """Returns the folders that were indexed."""
    return Manifest.of(app.settings.home).folders(local_name(app.settings, tenant_id))


def _folders(app: App, tenant_id: str) -> str:
    """Names the folders. Raises OperatorError if one has gone, or its import was broken off."""
    folders = _indexed_folders(app, tenant_id)
    gone = []
    unfinished = []
    descriptions = []
    for folder in folders:
        root = folder.source.root
        if not root.is_dir():
            gone.append(f"{root} is gone")
        elif not folder.finished:
            unfinished.append(f"{root} was not indexed completely")
        notes = counted(folder.notes, "note")
        descriptions.append(f"{root} ({notes} in vault {folder.source.vault})")

    problems = "; ".join(gone + unfinished)
    if problems:
        raise OperatorError(f"{problems}: run aurora index on it, or aurora folders move or forget")
    return ", ".join(descriptions) or "none indexed yet"


def _files(app: App, tenant_id: str) -> Iterator[PartVerdict]:
    """Yields a verdict for each folder that is there: which of its files are no notes now."""
    for folder in _indexed_folders(app, tenant_id):
        if folder.source.root.is_dir():
            yield _files_of(folder.source.root, folder.source.vault)


def _files_of(root: Path, vault: str) -> PartVerdict:
    """Reads every file of a folder, and names those that should be notes but are not."""
    missed = []
    ignored = Counter[str]()
    for entry in walk(root):
        outcome: FileNote | Skipped | Unchanged
        if isinstance(entry, Skipped):
            outcome = entry
        else:
            outcome = read(root, entry, vault)
        if not isinstance(outcome, Skipped):
            continue
        if outcome.missed:
            missed.append(f"{outcome.path}: {outcome.reason}")
        else:
            ignored[outcome.reason] += 1

    details = missed[:MAX_NAMED]
    if len(missed) > MAX_NAMED:
        details.append(f"{len(missed) - MAX_NAMED} more")
    for reason, count in ignored.items():
        details.append(f"{count} {reason}")
    listing = "; ".join(details) or "all are notes"
    verdict = "ok"
    if missed:
        verdict = "missing"
    return PartVerdict("files", verdict, f"{root}: {listing}")


def _auth(env: Mapping[str, str]) -> str:
    """Returns who may call `aurora dev`; commands act for the person who runs them."""
    auth = env.get("AUTH") or "none"
    if auth == "none":
        return f"{auth}: aurora dev treats every program on this machine as its user"
    if auth == "firebase":
        return f"{auth}: a deployment's default"
    return auth


def _budgets(app: App, tenant_id: str) -> str:
    """Returns how much of each limit is used up today."""
    usage = _usage_today(app, tenant_id)
    settings = app.settings
    limits = (
        (usage.answers, settings.daily_chat_limit, "answers"),
        (usage.searches, settings.daily_search_limit, "searches"),
        (usage.embedded_tokens, settings.daily_embed_tokens, "tokens embedded"),
        (usage.index_writes, settings.daily_index_writes, "documents written by the index"),
    )
    shares = []
    for used, limit, unit in limits:
        if limit:
            shares.append(f"{used} of {limit} {unit} today")
    return ", ".join(shares) or "no daily limits"


def _usage_today(app: App, tenant_id: str) -> DayUsage:
    """Returns what a tenant has used today."""
    today = datetime.now(UTC).date()
    if is_begun(app, tenant_id):
        days = app.store.list_usage(tenant_id, limit=MAX_DAYS, token=None)
        for usage in days.items:
            if usage.day == today:
                return usage
    return DayUsage(today)


def _models(app: App, env: Mapping[str, str]) -> PartVerdict:
    """Looks for a server on this machine that could write."""
    server = answering(env)
    if server is None:
        verdict = "missing"
        if app.writer:
            verdict = "ok"
        addresses = " or ".join(places(env))
        return PartVerdict(
            "models",
            verdict,
            f"no model server at {addresses}",
        )

    if app.writer:
        return PartVerdict("models", "ok", str(server))
    return PartVerdict(
        "models",
        "ok",
        f"{server}: aurora dev --model NAME writes with it",
    )


def _running(context: CommandContext) -> str:
    """Returns the address of a product that runs in this home, or whether the default port is free."""
    settings = context.settings()
    running = running_in(settings.home)
    if running is not None:
        line = f"aurora dev at {running.address}"
        if find_running(settings, context.tenant_id):
            return line
        return f"{line}, for another tenant or with other settings: commands do not use it"

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, PORT))
        except OSError:
            return f"nothing; port {PORT} is taken by another program: aurora dev --port 0 takes a free one"

    return f"nothing; port {PORT} is free for aurora dev"


def _languages(app: App, tenant_id: str) -> PartVerdict:
    """Names the languages that are understood.

    Every other one works with words alone: its times, follow-ups and negations are not read.
    """
    understood = []
    words_alone = []
    for language in languages():
        if vocabulary(language).has_words_alone:
            words_alone.append(language)
        else:
            understood.append(language)

    listing = ", ".join(words_alone)
    detail = (
        f"{', '.join(understood)}; "
        f"words alone, without times and negations: {listing} and any other"
    )
    if is_begun(app, tenant_id):
        foreign = foreign_notes(app, tenant_id)
        if foreign:
            return PartVerdict(
                "languages",
                "missing",
                f"{foreign}; read: {detail}",
                mend=mend_of_languages(app.settings.home),
            )

    return PartVerdict("languages", "ok", detail)


def foreign_notes(app: App, tenant_id: str) -> str | None:
    """Returns a remark if most of the newest notes are in a language that the embedder does not
    speak.

    None if they are not.
    """
    if app.embedder is None or app.embedder.languages is None:
        return None
    newest = app.store.recent(
        tenant_id,
        limit=NEWEST,
        stems=(),
        restriction=Restriction(),
    )
    counts = Counter(detect(chunk.text) for chunk in newest)
    if not counts:
        return None
    [(language, _)] = counts.most_common(1)
    if language in app.embedder.languages:
        return None
    return (
        f"most notes are in {language}, "
        f"which {app.embedder.model} does not speak: they are found by words alone"
    )


def mend_of_languages(home: Path) -> str:
    """Returns the command that gives a home an embedder of many languages.

    The model is fetched once, and every note embedded again.
    """
    return f"echo EMBEDDING_MODEL={MANY_LANGUAGES} >> {home / '.env'} && aurora reconcile --full"


def _mcp() -> PartVerdict:
    """Looks for the SDK of MCP."""
    if importlib.util.find_spec("mcp") is None:
        command = install_command("mcp")
        return PartVerdict("mcp", "missing", f"only for `aurora mcp` and /mcp; {command}")
    return PartVerdict("mcp", "ok", f"SDK {version('mcp')}")


def _emulator() -> PartVerdict:
    """Looks for Java and the emulator's program."""
    try:
        programs = f"{emulator.find_java()}, {emulator.find_jar(os.environ)}"
    except AuroraError as error:
        detail = f"only for `aurora dev --store emulator` and tests: {error.message}"
        return PartVerdict("emulator", "missing", detail)
    return PartVerdict("emulator", "ok", programs)
