"""Serves the folders that this machine's notes follow, for the page of `aurora dev`.

1. `GET /folders` lists the folders, how far each that was just added has been read, the notes and files that were both
   changed, and the folders whose files are gone all at once; with `?progress` the folders alone.
2. `POST /folders` adds one more, by its path. It is read by a thread of its own and followed from then on.
3. `PUT /folders` says what becomes of the notes whose files are gone.
4. `DELETE /folders` stops following a folder. Its files stay; its notes stay or go into the trash.
5. `GET /folders:browse` lists the folders in a folder of this machine, so that one can be chosen.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from werkzeug.wrappers import Request

from desktop.files.reading import SUFFIXES
from desktop.folders.conflicts import open_conflicts
from desktop.folders.destinations import Destination, stop_following
from desktop.folders.gone import GoneAnswer
from desktop.folders.importing import NOTES, Import, answer_gone, open_questions
from desktop.folders.manifest import FolderSource, FollowedFolder, Manifest, Stopped
from desktop.folders.merging import ImportChoice
from desktop.folders.report import ImportReport
from desktop.folders.vault_choice import choose_vault
from desktop.product.page import Unusable, json_of, with_resource
from shared.errors import AuroraError, InvalidArgument, NotFound

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_logger = logging.getLogger(__name__)

MAX_FOLDER = 10_000
"""Bytes of the path of a folder."""
MAX_LISTED = 500
"""Folders that are listed of one folder."""
TOLD_SECONDS = 600.0
"""Seconds for which it is told what came of the first reading of a folder. Its notes change from then on."""
EXAMPLE = "write it from the beginning, like ~/notes"


@dataclass(slots=True)
class FolderReading:
    """First import of a folder that was added while the product runs."""

    task: Import
    remark: str | None
    """Explanation of the vault for a person; None if there is nothing to explain."""
    started: float = field(default_factory=time.monotonic)
    done: int = 0
    all: int | None = None
    """Number of files to read; None until the folder has been walked."""
    report: ImportReport | None = None
    """Report of the import; None until it has come to its end."""
    problem: str | None = None
    """Reason why the import failed; None if it did not."""
    ended: float | None = None
    """Time on the monotonic clock at which it has ended; None until then."""
    is_stopped: bool = False
    """True once nobody wants the folder any more."""
    thread: Thread | None = None

    @property
    def is_running(self) -> bool:
        return self.report is None and self.problem is None

    @property
    def is_told(self) -> bool:
        """True while it runs, some minutes longer, and as long as its problem is not solved."""
        if self.ended is None or self.problem is not None:
            return True
        return time.monotonic() - self.ended < TOLD_SECONDS

    def run(self) -> None:
        """Imports the folder; its vectors follow."""
        try:
            self.report = self.task.run(self._step, vectors=False)
        except Stopped:
            self.problem = "stopped"
        except AuroraError as error:
            self.problem = error.message
        except Exception as error:
            # The last door of a thread: nobody else would tell the page that the import has ended.
            _logger.exception("a folder was not read")
            self.problem = f"it could not be read: {type(error).__name__}"
        finally:
            self.ended = time.monotonic()

    def _step(self, what: str, done: int, all_files: int) -> None:
        """Notes the progress. Raises Stopped."""
        if self.is_stopped:
            raise Stopped
        if what == NOTES:
            self.done = done
            self.all = all_files

    def as_json(self) -> dict[str, object]:
        report = None
        if self.report is not None:
            report = self.report.as_json()
        until = self.ended
        if until is None:
            until = time.monotonic()
        return {
            "done": self.done,
            "of": self.all,
            "seconds": round(until - self.started, 1),
            "running": self.is_running,
            "report": report,
            "problem": self.problem,
            "told": self.remark,
        }


@dataclass(slots=True)
class FollowedFolders:
    """Folders of one home, and the readings of those that were added since the product started."""

    destination: Destination
    _readings: dict[FolderSource, FolderReading] = field(default_factory=dict)
    _turn: Lock = field(default_factory=Lock)

    @property
    def _manifest(self) -> Manifest:
        return Manifest.of(self.destination.home)

    def _followed(self) -> tuple[FollowedFolder, ...]:
        return self._manifest.folders(self.destination.name)

    def listed(self, *, with_questions: bool) -> dict[str, object]:
        """Returns the folders as JSON.

        with_questions: add what a person is asked about them, for which their notes are read.
        """
        readings = dict(self._readings)
        folders = []
        for folder in self._followed():
            folders.append(
                _row(
                    folder.source,
                    folder.notes,
                    readings.pop(folder.source, None),
                ),
            )
        # The manifest does not know a folder that is still being walked, or could not be read.
        for source, reading in readings.items():
            if reading.is_running or reading.problem not in (None, "stopped"):
                folders.append(_row(source, 0, reading))

        if not with_questions:
            return {"folders": folders}
        return {"folders": folders, "gone": self._gone(), "conflicts": self._conflicts()}

    def _gone(self) -> list[dict[str, object]]:
        questions = []
        for folder in self._followed():
            source = folder.source
            for question in open_questions(self._manifest, source):
                questions.append(
                    {
                        "folder": str(source.root),
                        "vault": source.vault,
                        "path": question.path,
                        "files": question.files,
                        "of": question.known,
                    },
                )

        return questions

    def _conflicts(self) -> list[dict[str, object]]:
        return [
            {"noteId": conflict.note_id, "path": conflict.last.path, "reason": conflict.reason}
            for conflict in open_conflicts(self.destination)
        ]

    def add(self, path: str) -> dict[str, object]:
        """Begins to read one more folder, or one that is followed already once more. Raises Unusable."""
        folder = checked_folder(path, self._followed())
        with self._turn:
            choice = choose_vault(self._manifest, self.destination.name, folder, None)
            task = Import(self.destination, choice.root, choice.vault)
            reading = self._readings.get(task.source)
            if reading is None or not reading.is_running:
                reading = FolderReading(task, choice.remark)
                reading.thread = Thread(target=reading.run, name="add-folder", daemon=True)
                self._readings[task.source] = reading
                reading.thread.start()

        return _row(task.source, 0, reading)

    def answer(self, names: tuple[object, object], path: str, gone: GoneAnswer) -> ImportReport:
        """Imports a folder after the answer about its files. Raises NotFound."""
        for folder in self._followed():
            source = folder.source
            if (str(source.root), source.vault) == names:
                choice = ImportChoice(write_back=bool(folder.write_back))
                task = Import(self.destination, source.root, source.vault, choice=choice)
                return answer_gone(task, path, gone)
        raise NotFound(f"no folder {names[0]!r} is followed into that vault")

    def stop(self, names: tuple[object, object], *, remove_notes: bool) -> int:
        """Stops following a folder and returns how many notes went into the trash. Raises NotFound."""
        with self._turn:
            known = {folder.source for folder in self._followed()} | self._readings.keys()
            for source in known:
                if (str(source.root), source.vault) == names:
                    self._end_reading(source)
                    return stop_following(
                        self.destination,
                        [source],
                        remove_notes=remove_notes,
                    )
        raise NotFound(f"no folder {names[0]!r} is followed into that vault")

    def _end_reading(self, source: FolderSource) -> None:
        reading = self._readings.pop(source, None)
        if reading is not None and reading.thread is not None:
            reading.is_stopped = True
            reading.thread.join()


def checked_folder(text: str, followed: Iterable[FollowedFolder]) -> Path:
    """Returns the folder at a path that a person wrote. Raises Unusable, which says what is wrong
    with it.
    """
    if not text.strip():
        raise Unusable("folder", f"The path of the folder is missing: {EXAMPLE}.")
    path = Path(text.strip())
    try:
        folder = path.expanduser()
    except RuntimeError:  # there is no such user
        folder = path

    if not folder.is_absolute():
        raise Unusable("folder", f"“{path}” is not a whole path: {EXAMPLE}.")
    try:
        is_there = folder.exists()
        is_folder = folder.is_dir()
    except (OSError, ValueError) as error:
        raise Unusable("folder", f"{folder} cannot be read: {error}.") from error

    if not is_there:
        raise Unusable("folder", f"There is no folder at {folder}.")
    if not is_folder:
        raise Unusable("folder", f"{folder} is a file. Choose the folder that it is in.")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise Unusable("folder", f"You may not read {folder}: its permissions do not allow it.")
    real = folder.resolve()
    for known in followed:
        outer = known.source.root
        if real != outer and real.is_relative_to(outer) and outer.is_dir():
            raise Unusable("folder", f"{folder} is followed already, as a part of {outer}.")

    return folder


def browsed(text: str, followed: Iterable[FollowedFolder]) -> dict[str, object]:
    """Returns the folders in a folder of this machine, as JSON; without a path, in the person's own.

    `notes`: number of Markdown files that lie in it directly. Hidden folders are left out.
    """
    folder = checked_folder(text or str(Path.home()), ())
    names = []
    notes = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir():
                names.append(entry.name)
            elif Path(entry.name).suffix.lower() in SUFFIXES:
                notes += 1

    names.sort(key=str.casefold)
    parent = str(folder.parent) if folder.parent != folder else None
    problem = None
    try:
        checked_folder(str(folder), followed)
    except Unusable as error:
        problem = error.message

    return {
        "folder": str(folder),
        "parent": parent,
        "folders": [{"name": name, "folder": str(folder / name)} for name in names[:MAX_LISTED]],
        "more": max(0, len(names) - MAX_LISTED),
        "notes": notes,
        "problem": problem,
    }


def _row(source: FolderSource, notes: int, reading: FolderReading | None) -> dict[str, object]:
    """Returns the JSON of a folder."""
    told = None
    if reading is not None and reading.is_told:
        told = reading.as_json()
    return {
        "folder": str(source.root),
        "vault": source.vault,
        "there": source.root.is_dir(),
        "notes": notes,
        "reading": told,
    }


def with_folders(site: WSGIApplication, folders: FollowedFolders) -> WSGIApplication:
    """Wraps `site`, so that folders can be added to its home, and taken from it."""
    browsing = with_resource(
        site,
        "/folders:browse",
        {"GET": lambda request: _browse(folders, request)},
    )
    methods = {
        "GET": lambda request: folders.listed(with_questions="progress" not in request.args),
        "POST": lambda request: folders.add(_body_of(request, "folder")["folder"]),
        "PUT": lambda request: _answer(folders, request),
        "DELETE": lambda request: _stop(folders, request),
    }
    return with_resource(browsing, "/folders", methods)


def _body_of(request: Request, name: str) -> dict[str, str]:
    """Returns a body whose field `name` is a text. Raises InvalidArgument."""
    body = json_of(request, most=MAX_FOLDER)
    if not isinstance(body, dict) or not isinstance(body.get(name), str):
        raise InvalidArgument(name, "a text")
    return body


def _browse(folders: FollowedFolders, request: Request) -> dict[str, object]:
    followed = Manifest.of(folders.destination.home).folders(folders.destination.name)
    try:
        return browsed(request.args.get("folder", ""), followed)
    except OSError as error:
        raise Unusable("folder", f"This folder cannot be read: {error.strerror}.") from error


def _answer(folders: FollowedFolders, request: Request) -> dict[str, object]:
    body = _body_of(request, "folder")
    try:
        answer = GoneAnswer(body["gone"])
    except (ValueError, KeyError):
        raise InvalidArgument("gone", "remove or keep") from None
    names = (body["folder"], body.get("vault"))
    return folders.answer(names, str(body.get("path", "")), answer).as_json()


def _stop(folders: FollowedFolders, request: Request) -> dict[str, object]:
    body = _body_of(request, "folder")
    decision = body.get("notes")
    if decision not in ("keep", "remove"):
        raise InvalidArgument("notes", "keep or remove")
    names = (body["folder"], body.get("vault"))
    removed = folders.stop(names, remove_notes=decision == "remove")
    return {"folder": body["folder"], "removed": removed}
