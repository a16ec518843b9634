"""The folders of this machine and the files that notes came from, for whoever uses `aurora dev`: the page, an app.

1. A note is saved, deleted or restored through the API: its file follows at once where its folder's files are written.
2. A new note of a vault gets a file in the folder of that vault whose files are written.
3. `GET /notes/{id}:file` says which file a note has and who has changed since, with `?text` also what the file says;
   `PUT` decides for the whole folder whether files are written, or which side stays where both have changed.
4. `GET /documents/{id}` gives the PDF that a note came from to the browser's own reader, and with `?image=` an image of
   the note's folder, by its path or its name alone. Nothing else of the folder is served.
5. `GET /folders` lists the folders that were indexed into this home, and the notes and files in them that were both
   changed; `POST` indexes one more, by its path, which is followed from then on.
"""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from werkzeug.security import safe_join
from werkzeug.utils import send_file
from werkzeug.wrappers import Request, Response

from cli.product.page import error_reply, json_of, reply_with, with_resource
from cli.sync.comparison import Comparison
from cli.sync.conflicts import open_conflicts, settle, sides_of
from cli.sync.destinations import LocalDestination
from cli.sync.files import why_unwritable
from cli.sync.importing import Import
from cli.sync.manifest import Known, Manifest, Read
from cli.sync.merging import Choice, Merge, Side, merge_of
from cli.sync.vault_choice import choose_vault
from shared.errors import Conflict, InvalidArgument, NotFound

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_STATES = {
    Comparison.AGREED: "same",
    Comparison.SETTLED: "same",
    Comparison.FILE_NEWS: "file",
    Comparison.NOTE_NEWS: "note",
    Comparison.CONFLICT: "both",
}
_FILE = re.compile(r"(?:/api)?/notes/([^/]+):file", re.DOTALL)
_NOTE = re.compile(r"(?:/api)?/notes/([^/]+)", re.DOTALL)
_MAKES_A_NOTE = re.compile(r"(?:/api)?/(?:notes:import|trash/[^/]+:restore)")
_DOCUMENT = re.compile(r"/documents/(.*)", re.DOTALL)
IMAGES = {
    **{f".{kind}": f"image/{kind}" for kind in ("png", "jpeg", "gif", "webp", "avif")},
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
}
MAX_BODY, MAX_FOLDER = 1000, 10_000
"""Bytes of a decision, and of the path of a folder."""
_HEADERS = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",  # no other page shows it as its own
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_IMAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
"""Opened by itself, an image runs nothing."""


def with_note_files(site: WSGIApplication, files: FolderFiles) -> WSGIApplication:
    """`site`, whose notes have files."""

    def served(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        asked = _FILE.fullmatch(request.path)
        if asked and request.method in {"GET", "PUT"}:
            note_id = asked[1]
            return reply_with(lambda: _answered(request, files, note_id))(environ, start_response)
        opened = _DOCUMENT.fullmatch(request.path)
        if opened and request.method in {"GET", "HEAD"}:
            return _document(request, files, opened[1])(environ, start_response)
        written = _NOTE.fullmatch(request.path) if request.method in {"PUT", "DELETE"} else None
        if not written and not (request.method == "POST" and _MAKES_A_NOTE.fullmatch(request.path)):
            return site(environ, start_response)
        reply = Response.from_app(site, environ, buffered=True)
        if reply.status_code < 300:
            saved = {} if written else json.loads(reply.get_data())
            files.follow(written[1] if written else str(saved.get("note", saved)["noteId"]))
        return reply(environ, start_response)

    return served


def _answered(request: Request, files: FolderFiles, note_id: str) -> Mapping[str, object]:
    if request.method == "PUT":
        body = json_of(request, most=MAX_BODY)
        try:
            wanted = Side(body["take"]) if "take" in body else body["writeBack"]
        except (ValueError, TypeError, KeyError):
            wanted = None
        match wanted:
            case Side() as side:
                files.settle(note_id, side)
            case bool() as write:
                files.decide(note_id, write=write)
                files.follow(note_id)
            case _:
                raise InvalidArgument("writeBack", "true or false, or take: file or note")
    return files.origin(note_id, with_text="text" in request.args)


def _document(request: Request, files: FolderFiles, note_id: str) -> Response:
    image = request.args.get("image")
    file = files.pdf(note_id) if image is None else files.image(note_id, image)
    if file is None:
        what = "came from no PDF that is in its folder" if image is None else f"has no image {image!r} in its folder"
        return error_reply(NotFound(f"note {note_id!r} {what}"))
    kind = IMAGES.get(file.suffix.lower(), "application/pdf")
    response = send_file(file, request.environ, mimetype=kind, download_name=file.name)
    response.headers.update(_HEADERS if image is None else _HEADERS | _IMAGE_HEADERS)
    return response


def with_folders(site: WSGIApplication, destination: LocalDestination) -> WSGIApplication:
    """`site`, whose home can be given folders."""

    def listed(_: Request) -> dict[str, object]:
        folders, conflicts = Manifest.of(destination.home).folders(destination.name), open_conflicts(destination)
        return {
            "folders": [
                {"folder": str(each.source.root), "vault": each.source.vault, "there": each.source.root.is_dir()}
                for each in folders
            ],
            "conflicts": [
                {"noteId": each.note_id, "path": each.last.path, "reason": each.reason} for each in conflicts
            ],
        }

    def added(request: Request) -> dict[str, object]:
        """What indexing it did. Its vectors follow. Raises InvalidArgument."""
        try:
            folder = Path(json_of(request, most=MAX_FOLDER)["folder"]).expanduser()
            usable = folder.is_absolute() and folder.is_dir()
        except (ValueError, TypeError, KeyError, RuntimeError, OSError):
            usable = False
        if not usable:
            raise InvalidArgument("folder", "the whole path of a folder on this machine, like ~/notes")
        found = choose_vault(Manifest.of(destination.home), destination.name, folder, None)
        return {**Import(destination, found.root, found.vault).run(vectors=False).as_json(), "told": found.remark}

    return with_resource(site, "/folders", {"GET": listed, "POST": added})


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files by what the imports of this home have written down, of one tenant's notes."""

    destination: LocalDestination

    def origin(self, note_id: str, *, with_text: bool = False) -> Mapping[str, object]:
        """`folder` and, below it, `path` of the note's file; `writeBack`: whether saving the note writes it, null: not
        decided; `state`: `same`, or who has changed since: `note`, `file`, `both`; `obsidian`: whether the folder is a
        vault of Obsidian. Without a file `folder` is null, and `reason` says why it has none although files of its
        vault are written, else null. `with_text`: `text` of the note that the file makes now; null: the file is gone.
        """
        found = self._found(note_id)
        if found is None:
            held = self.destination.read(note_id)
            reason = None if held is None else self._reason(held.note.vault, held.note.path)
            return {"folder": None, "reason": reason, **({"text": None} if with_text else {})}
        replaced = self.destination.replaced().get(note_id, "")
        sides = sides_of(self.destination, found[0], note_id, found[1], replaced=replaced)
        text = {"text": sides.file.draft.text if sides.file else None} if with_text else {}
        root = sides.folder.source.root
        return {
            "folder": str(root),
            "path": sides.last.path,
            "writeBack": sides.folder.write_back,
            "state": _STATES[sides.state],
            "obsidian": (root / ".obsidian").is_dir(),
            **text,
        }

    def pdf(self, note_id: str) -> Path | None:
        """The PDF that a note of today came from; None: it came from none, or its folder does not hold that any more,
        not even as a link that leads out of it.
        """
        found = self._found(note_id)
        notes = self.destination
        if found is None or not notes.app.store.live_records(notes.tenant_id, [note_id]):
            return None
        root = found[0].source.root.resolve()
        file = (root / found[1].path).resolve()
        return file if file.suffix.lower() == ".pdf" and file.is_relative_to(root) and file.is_file() else None

    def image(self, note_id: str, name: str) -> Path | None:
        """An image in the folder of a note of today: beside the note's file, at a path below the folder, or, where
        `name` is no path, the first of that name; None: there is none.
        """
        found = self._found(note_id)
        if found is None or Path(name).suffix.lower() not in IMAGES:
            return None
        root = found[0].source.root.resolve()
        beside = (root / found[1].path).parent
        there = [safe_join(str(folder), name) for folder in (beside, root)]
        anywhere = () if "/" in name else root.rglob(glob.escape(name))
        with suppress(OSError, ValueError):  # no file system has such a name: it is too long, or has a NUL
            for file in chain((Path(each).resolve() for each in there if each), (each.resolve() for each in anywhere)):
                if file.is_relative_to(root) and file.is_file():
                    return file
        return None

    def decide(self, note_id: str, *, write: bool) -> None:
        """Remember for its whole folder whether files are written when their notes are saved. Raises NotFound."""
        self._manifest.write_back(self._origin(note_id)[0].source, wanted=write)

    def settle(self, note_id: str, side: Side) -> None:
        """That side stays where note and file were both changed; the other goes into the trash. Raises NotFound."""
        folder, last = self._origin(note_id)
        taken = settle(self.destination, folder, note_id, last, side)
        if reason := taken.failed or taken.conflict:
            raise Conflict(reason)

    def follow(self, note_id: str) -> None:
        """The note was saved or deleted: its file becomes the same, where its folder's files are written and the file
        has not changed too. What cannot be written stays as it is, and `origin` says so.
        """
        found = self._found(note_id)
        if found is not None:
            known, last = found
            file = known.source.root / last.path
            if known.write_back and known.source.root.is_dir():
                self._merge(known, {note_id: last}).join(note_id, file if file.exists() else None)
            return
        held = self.destination.read(note_id)
        folder = None if held is None else self._folder_for(held.note.vault, held.note.path)
        if held and folder and not why_unwritable(folder.source.root, held.note.path):
            with suppress(Conflict, OSError):  # there is such a file, or the disk does not take it: `_reason` says so
                self._merge(folder, {}).create(note_id, held.note.path)

    def _folder_for(self, vault: str, path: str) -> Known | None:
        """The folder in which a new note of the vault gets its file: the one whose files are written, of several the
        one that has the note's folder.
        """
        written = self._written(vault)
        top, _, below = path.partition("/")
        having = [each for each in written if below and (each.source.root / top).is_dir()]
        chosen = written if len(written) == 1 else having
        return chosen[0] if len(chosen) == 1 else None

    def _written(self, vault: str) -> list[Known]:
        folders = self._manifest.folders(self.destination.name)
        return [
            each for each in folders if each.write_back and each.source.vault == vault and each.source.root.is_dir()
        ]

    def _reason(self, vault: str, path: str) -> str | None:
        """Why a note has no file; None: no files of its vault are written."""
        if not self._written(vault):
            return None
        if not path:
            return "it has no path, so it is not written to a file"
        folder = self._folder_for(vault, path)
        if folder is None:
            return f"several folders of vault {vault} are written, so it is not written to a file"
        if why := why_unwritable(folder.source.root, path):
            return f"its path is {why}, so it is not written to a file"
        return f"{folder.source.root / path} cannot be written, or is there already with another text"

    def _merge(self, known: Known, before: Mapping[str, Read]) -> Merge:
        return merge_of(self.destination, known.source, Choice(write_back=True), before)

    @property
    def _manifest(self) -> Manifest:
        return Manifest.of(self.destination.home)

    def _found(self, note_id: str) -> tuple[Known, Read] | None:
        """The folder and the file of a note that was read at least once."""
        found = self._manifest.origin(self.destination.name, note_id)
        return found if found and found[1].path and found[1].file else None

    def _origin(self, note_id: str) -> tuple[Known, Read]:
        """Raises NotFound."""
        found = self._found(note_id)
        if found is None:
            raise NotFound(f"note {note_id!r} came from no folder of this machine")
        return found
