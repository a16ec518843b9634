"""Serves the files that notes came from, for users of `aurora dev`: the page, an app.

1. A note is saved, deleted or restored through the API: its file follows at once where its folder's files are written.
2. A new or restored note of a vault gets a file in the folder of that vault whose files are written. For a note that is
   restored this is recorded first: if the process dies before it writes the file, the next pass over the folder does.
3. `GET /notes/{id}:file` says which file a note has and which of them has changed since, with `?text` also what the file
   says; `PUT` decides for the whole folder whether files are written, or which side stays where both have changed.
4. `GET /documents/{id}` gives the PDF that a note came from to the browser's own reader, and with `?image=` an image of
   the note's folder, by its path or its name alone. Nothing else of the folder is served.
"""

from __future__ import annotations

import glob
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from werkzeug.security import safe_join
from werkzeug.utils import send_file
from werkzeug.wrappers import Request, Response

from desktop.files.writing import why_unwritable
from desktop.folders.comparison import Comparison
from desktop.folders.conflicts import file_and_note, settle
from desktop.folders.destinations import LocalDestination
from desktop.folders.manifest import FollowedFolder, Manifest, SyncedState
from desktop.folders.merging import ImportChoice, Merge, Side, merge_of
from desktop.product.page import error_reply, json_of, reply_with
from shared.errors import AuroraError, Conflict, InvalidArgument, NotFound

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_logger = logging.getLogger(__name__)

_STATES = {
    Comparison.AGREED: "same",
    Comparison.SETTLED: "same",
    Comparison.FILE_CHANGED: "file",
    Comparison.NOTE_CHANGED: "note",
    Comparison.CONFLICT: "both",
}
_FILE = re.compile(r"(?:/api)?/notes/([^/]+):file", re.DOTALL)
_NOTE = re.compile(r"(?:/api)?/notes/([^/]+)", re.DOTALL)
_IMPORT = re.compile(r"(?:/api)?/notes:import")
_RESTORE = re.compile(r"(?:/api)?/trash/([^/]+):restore")
_DOCUMENT = re.compile(r"/documents/(.*)", re.DOTALL)
IMAGES = {
    ".png": "image/png",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}
"""Media types of images, by the ending of the file's name."""
MAX_BODY = 1000
"""Bytes of a decision."""
_HEADERS = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",  # no other page shows it as its own
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}
"""Headers with which an image that is opened by itself runs nothing."""


def with_note_files(site: WSGIApplication, files: FolderFiles) -> WSGIApplication:
    """Wraps `site`, so that notes have files."""

    def wrapped(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        # Percent-encoded, as the API matches it: `/notes/a%3Afile` is the note `a:file`.
        path = _path_as_sent(request)
        file_route = _FILE.fullmatch(path)
        if file_route and request.method in {"GET", "PUT"}:
            note_id = unquote(file_route[1])
            reply = reply_with(lambda: _file_reply(request, files, note_id))
            return reply(environ, start_response)

        document_route = _DOCUMENT.fullmatch(request.path)
        if document_route and request.method in {"GET", "HEAD"}:
            return _document(request, files, document_route[1])(environ, start_response)

        note_route = _NOTE.fullmatch(path) if request.method in {"PUT", "DELETE"} else None
        is_post = request.method == "POST"
        restore_route = _RESTORE.fullmatch(request.path) if is_post else None
        is_import = is_post and _IMPORT.fullmatch(request.path)
        if not note_route and not restore_route and not is_import:
            return site(environ, start_response)

        expected_id = None
        if restore_route:
            with _problems_logged():
                expected_id = files.expect_restored(restore_route[1])
        response = Response.from_app(site, environ, buffered=True)
        with _problems_logged():
            if response.status_code < 300:
                files.follow(_changed_note(note_route, response))
            elif expected_id is not None:
                files.expect_no_more(expected_id)

        return response(environ, start_response)

    return wrapped


def _changed_note(note_route: re.Match[str] | None, response: Response) -> str:
    """Returns the id of the note that was saved or deleted, as the address or the reply names it."""
    if note_route:
        return unquote(note_route[1])
    body = json.loads(response.get_data())
    return str(body.get("note", body)["noteId"])


@contextmanager
def _problems_logged() -> Iterator[None]:
    """Logs what is wrong with a file, whose note is saved all the same."""
    try:
        yield
    except AuroraError as error:
        _logger.warning("the file of a note does not follow it: %s", error.message)
    except Exception as error:  # noqa: BLE001 - the same; its text may be the note's
        _logger.warning(
            "the file of a note does not follow it: an unexpected %s",
            type(error).__name__,
        )


def _path_as_sent(request: Request) -> str:
    raw = str(request.environ.get("RAW_URI", "")).partition("?")[0]
    return raw if raw.startswith("/") else quote(request.path, safe="/:")


def _file_reply(request: Request, files: FolderFiles, note_id: str) -> Mapping[str, object]:
    if request.method == "PUT":
        body = json_of(request, most=MAX_BODY)
        try:
            decision = Side(body["take"]) if "take" in body else body["writeBack"]
        except (ValueError, TypeError, KeyError):
            decision = None
        if isinstance(decision, Side):
            files.settle(note_id, decision)
        elif isinstance(decision, bool):
            files.decide(note_id, write=decision)
            files.follow(note_id)
        else:
            raise InvalidArgument("writeBack", "true or false, or take: file or note")

    return files.origin(note_id, with_text="text" in request.args)


def _document(request: Request, files: FolderFiles, note_id: str) -> Response:
    image = request.args.get("image")
    headers = _HEADERS
    if image is None:
        file = files.pdf(note_id)
        problem = "came from no PDF that is in its folder"
    else:
        file = files.image(note_id, image)
        problem = f"has no image {image!r} in its folder"
        headers = _HEADERS | _IMAGE_HEADERS

    if file is None:
        return error_reply(NotFound(f"note {note_id!r} {problem}"))
    media_type = IMAGES.get(file.suffix.lower(), "application/pdf")
    response = send_file(
        file,
        request.environ,
        mimetype=media_type,
        download_name=file.name,
    )
    response.headers.update(headers)
    return response


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files of one tenant's notes, as the imports of this home have recorded them."""

    destination: LocalDestination

    def origin(self, note_id: str, *, with_text: bool = False) -> Mapping[str, object]:
        """Returns the file of a note, as JSON.

        `folder` and, below it, `path` of the note's file; `writeBack`: true if saving the note
        writes it, null if that is not decided; `state`: `same`, or which has changed since: `note`,
        `file`, `both`; `obsidian`: true if the folder is a vault of Obsidian. Without a file
        `folder` is null, and `reason` says why it has none although files of its vault are written,
        else null.

        with_text: add the `text` of the note that the file makes now; null if the file is gone.
        """
        origin = self._find_origin(note_id)
        if origin is None:
            current = self.destination.read(note_id)
            reason = None
            if current is not None:
                reason = self._reason(current.note.vault, current.note.path)
            answer: dict[str, object] = {"folder": None, "reason": reason}
            if with_text:
                answer["text"] = None
            return answer

        folder, last = origin
        replaced = self.destination.replaced().get(note_id, "")
        pair = file_and_note(self.destination, folder, note_id, last, replaced=replaced)
        root = folder.source.root
        answer = {
            "folder": str(root),
            "path": last.path,
            "writeBack": folder.write_back,
            "state": _STATES[pair.state],
            "obsidian": (root / ".obsidian").is_dir(),
        }
        if with_text:
            answer["text"] = pair.file.draft.text if pair.file else None
        return answer

    def pdf(self, note_id: str) -> Path | None:
        """Returns the PDF that a note of today came from; None if it came from none, or its folder
        does not hold that any more, not even as a link that leads out of it.
        """
        origin = self._find_origin(note_id)
        notes = self.destination
        if origin is None or not notes.app.store.live_records(notes.tenant_id, [note_id]):
            return None

        folder, last = origin
        root = folder.source.root.resolve()
        file = (root / last.path).resolve()
        is_pdf = file.suffix.lower() == ".pdf"
        is_in_folder = file.is_relative_to(root) and file.is_file()
        if is_pdf and is_in_folder:
            return file
        return None

    def image(self, note_id: str, name: str) -> Path | None:
        """Returns an image in the folder of a note of today: beside the note's file, at a path below
        the folder, or, where `name` is no path, the first of that name; None if there is none.
        """
        origin = self._find_origin(note_id)
        if origin is None or Path(name).suffix.lower() not in IMAGES:
            return None
        folder, last = origin
        root = folder.source.root.resolve()
        # No file system has a name that is too long, or has a NUL.
        with suppress(OSError, ValueError):
            for place in _places_of_image(root, (root / last.path).parent, name):
                file = place.resolve()
                if file.is_relative_to(root) and file.is_file():
                    return file

        return None

    def decide(self, note_id: str, *, write: bool) -> None:
        """Records for the note's folder whether files are written when their notes are saved.

        Raises NotFound.
        """
        folder, _ = self._require_origin(note_id)
        self._manifest.write_back(folder.source, enabled=write)

    def settle(self, note_id: str, side: Side) -> None:
        """Keeps one side where note and file were both changed, and puts the other into the trash.

        Raises NotFound, Conflict.
        """
        folder, last = self._require_origin(note_id)
        outcome = settle(self.destination, folder, note_id, last, side)
        reason = outcome.failed or outcome.conflict
        if reason:
            raise Conflict(reason)

    def follow(self, note_id: str) -> None:
        """Makes the file of a note that was saved or deleted the same, where its folder's files are
        written and the file has not changed too. A file that cannot be written stays as it is, and
        `origin` says so.
        """
        origin = self._find_origin(note_id)
        if origin is not None:
            folder, last = origin
            file = folder.source.root / last.path
            # An import decides what becomes of the note if the file is gone.
            if folder.write_back and file.exists():
                self._merge(folder, {note_id: last}).join(note_id, file)
            return

        current = self.destination.read(note_id)
        if current is None:
            return
        path = current.note.path
        new_folder = self._folder_for(current.note.vault, path)
        if new_folder is None or why_unwritable(new_folder.source.root, path):
            return
        # If there is such a file, or the disk does not take it, `_reason` says so.
        try:
            self._merge(new_folder, {}).create(note_id, path)
        except Conflict:
            self.expect_no_more(note_id)
        except OSError:  # the next pass tries again
            return

    def expect_restored(self, trash_id: str) -> str | None:
        """Records that the note of an entry of the trash is about to be restored and to get a file,
        if it gets one and none is recorded. If the process dies before `follow`, the next pass over
        the folder writes the file. Returns the note's id; None if nothing is recorded.
        """
        destination = self.destination
        with suppress(NotFound, OSError):  # no such entry, or no file can have this name
            note = destination.app.notes.trashed(destination.tenant_id, trash_id).note
            is_recorded = self._manifest.origin(destination.name, note.note_id) is not None
            folder = self._folder_for(note.vault, note.path)
            if not note.path or is_recorded or folder is None:
                return None
            root = folder.source.root
            if why_unwritable(root, note.path) or (root / note.path).exists():
                return None
            state = SyncedState.before_both(note.path)
            self._manifest.record(folder.source, note.note_id, state)
            return note.note_id

        return None

    def expect_no_more(self, note_id: str) -> None:
        """Forgets that a note is to get a file."""
        origin = self._manifest.origin(self.destination.name, note_id)
        if origin is not None and origin[1].had_no_file:
            self._manifest.drop(origin[0].source, note_id)

    def _folder_for(self, vault: str, path: str) -> FollowedFolder | None:
        """Returns the folder in which a new note of the vault gets its file: the one whose files are
        written, of several the one that has the note's folder.
        """
        folders = self._written_folders(vault)
        if len(folders) > 1:
            top, _, below = path.partition("/")
            folders = [
                folder for folder in folders if below and (folder.source.root / top).is_dir()
            ]

        return folders[0] if len(folders) == 1 else None

    def _written_folders(self, vault: str) -> list[FollowedFolder]:
        """Returns the folders of the vault that are there and whose files are written."""
        return [
            folder
            for folder in self._manifest.folders(self.destination.name)
            if folder.write_back and folder.source.vault == vault and folder.source.root.is_dir()
        ]

    def _reason(self, vault: str, path: str) -> str | None:
        """Says why a note has no file; None if no files of its vault are written."""
        if not self._written_folders(vault):
            return None
        if not path:
            return "it has no path, so it is not written to a file"
        folder = self._folder_for(vault, path)
        if folder is None:
            return f"several folders of vault {vault} are written, so it is not written to a file"
        problem = why_unwritable(folder.source.root, path)
        if problem:
            return f"its path is {problem}, so it is not written to a file"
        file = folder.source.root / path
        with suppress(OSError):  # no file can have this name
            if file.exists():
                return f"{file} is there already with another text"
        return f"{file} could not be written yet"

    def _merge(self, folder: FollowedFolder, synced: Mapping[str, SyncedState]) -> Merge:
        return merge_of(
            self.destination,
            folder.source,
            ImportChoice(write_back=True),
            synced,
        )

    @property
    def _manifest(self) -> Manifest:
        return Manifest.of(self.destination.home)

    def _find_origin(self, note_id: str) -> tuple[FollowedFolder, SyncedState] | None:
        """Returns the folder and the file of a note that was read at least once."""
        origin = self._manifest.origin(self.destination.name, note_id)
        if origin is None:
            return None
        _, last = origin
        return origin if last.path and last.file_digest else None

    def _require_origin(self, note_id: str) -> tuple[FollowedFolder, SyncedState]:
        """Returns the folder and the file of a note. Raises NotFound."""
        origin = self._find_origin(note_id)
        if origin is None:
            raise NotFound(f"note {note_id!r} came from no folder of this machine")
        return origin


def _places_of_image(root: Path, folder: Path, name: str) -> Iterator[Path]:
    """Yields the places at which an image of a note may lie: in the note's folder, at a path below
    the root, and anywhere below the root if `name` is no path.
    """
    for parent in (folder, root):
        place = safe_join(str(parent), name)
        if place:
            yield Path(place)

    if "/" not in name:
        yield from root.rglob(glob.escape(name))
