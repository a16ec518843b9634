"""The folders of this machine, as they are added on the page: indexed at once, and followed from then on.

`GET /folders` lists those that were indexed into this home, and the notes and files in them that were both changed;
`POST /folders` indexes one more, by its path.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from werkzeug.wrappers import Request

from cli.product.page import json_of, reply_with
from cli.sync.conflicts import open_conflicts
from cli.sync.destinations import LocalDestination
from cli.sync.importing import Import
from cli.sync.manifest import Manifest
from cli.sync.vault_choice import choose_vault
from shared.app import App
from shared.errors import InvalidArgument

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PATHS = frozenset({"/folders", "/api/folders"})
MAX_BODY = 10_000


def with_folders(site: WSGIApplication, app: App, tenant_id: str) -> WSGIApplication:
    """`site`, whose home can be given folders."""
    destination = LocalDestination(app, tenant_id, indexes=False)

    def served(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        if request.path not in PATHS or request.method not in {"GET", "POST"}:
            return site(environ, start_response)
        asks = request.method == "GET"
        reply = reply_with(lambda: _known(destination) if asks else _added(destination, _wanted(request)))
        return reply(environ, start_response)

    return served


def _known(destination: LocalDestination) -> dict[str, object]:
    known = Manifest.of(destination.home).folders(destination.name)
    return {
        "folders": [
            {"folder": str(each.source.root), "vault": each.source.vault, "there": each.source.root.is_dir()}
            for each in known
        ],
        "conflicts": [
            {"noteId": each.note_id, "path": each.last.path, "reason": each.reason}
            for each in open_conflicts(destination)
        ],
    }


def _added(destination: LocalDestination, folder: Path) -> dict[str, object]:
    """What indexing it did. Its vectors follow."""
    found = choose_vault(Manifest.of(destination.home), destination.name, folder, None)
    report = Import(destination, found.root, found.vault).run(vectors=False)
    return {**report.as_json(), "told": found.told}


def _wanted(request: Request) -> Path:
    """Raises InvalidArgument."""
    try:
        folder = Path(json_of(request, most=MAX_BODY)["folder"]).expanduser()
        usable = folder.is_absolute() and folder.is_dir()
    except (ValueError, TypeError, KeyError, RuntimeError, OSError):
        usable = False
    if not usable:
        raise InvalidArgument("folder", "the whole path of a folder on this machine, like ~/notes")
    return folder
