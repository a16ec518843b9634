"""One file and its note brought together: the news of either goes to the other, what is news on both sides waits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from cli.converting import kind_of
from cli.sync.comparison import Comparison, agree, compare, conflict_reason, digest_of, reading_of
from cli.sync.destinations import Destination, Held, Listed, seen
from cli.sync.files import content_of, create_file, move_file, remove_file, replace_file, unsaid, why_unwritable
from cli.sync.folder import FileNote, Skipped, Unchanged, digest_of_bytes, ignore_rules, read, relative
from cli.sync.manifest import Begun, Manifest, Read, Source
from cli.sync.report import Taken
from shared.errors import AuroraError, Conflict, NotFound
from shared.model.notes import Note
from shared.notes.service import NoteDraft

ATTEMPTS = 3
"""How often a file and its note are looked at when somebody changes them meanwhile."""
TAKEN = "another folder has put a note at this path of the vault: index this one with --vault NAME"


class Side(StrEnum):
    """What stays of a file and its note that were both changed."""

    FILE = "file"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person has decided beforehand."""

    write_back: bool = False
    """Whether a note that was changed elsewhere goes into its file."""
    take: Side | None = None
    """Which side stays where both were changed; the other goes into the trash. None: both stay."""


UNDECIDED = Choice()


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both as they are now. None: there is none."""

    path: str
    """Path of the file, below its folder."""
    file: FileNote | None
    held: Held | None

    @property
    def note(self) -> Note | None:
        return self.held.note if self.held else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What all files of one import share. Used by several threads at once."""

    destination: Destination
    source: Source
    root: Path
    """The folder as it was named."""
    choice: Choice
    manifest: Manifest
    begun: Begun
    listed: Mapping[str, Listed]
    """Every note by its id."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """Id of a note in whose place another file was imported -> when; only where files are written."""
    added: Mapping[str, datetime] = field(default_factory=dict)
    """Path -> when git first knew the file, of a folder with files that are new here."""

    def settled(self, note_id: str) -> bool:
        """Whether there is nothing new of the note."""
        return note_id in self.begun.foreign or self._is_untouched(note_id)

    def _is_untouched(self, note_id: str) -> bool:
        last, listed = self.begun.before.get(note_id), self.listed.get(note_id)
        if last is None or last.seen is None or listed is None or listed.seen != last.seen:
            return False
        return not self.choice.write_back or self._goes_to(last.path, listed.vault, listed.path) is None

    def _goes_to(self, path: str, vault: str, wanted: str) -> str | None:
        """Where the file at `path` is to lie now that its note is at `wanted`; None: where it is."""
        same = not wanted or wanted == path or vault != self.source.vault
        return None if same or why_unwritable(self.root, wanted) or (self.root / wanted).exists() else wanted

    def join(self, note_id: str, file: Path | None) -> Taken:
        """`file` None: it is not there any more. What goes wrong with one file is reported, and the others go on."""
        last = self.begun.before.get(note_id)
        path = relative(self.root, file) if file else last.path if last else ""
        if note_id in self.begun.foreign:
            return Taken(path, Skipped(path, TAKEN, missed=True))
        for _ in range(ATTEMPTS):
            found = None if file is None else self._read(note_id, path, file)
            if isinstance(found, Skipped):
                if note_id not in self.listed and (last is None or last.note is None):
                    self.manifest.drop(self.source, note_id)  # it is no note, and never was
                return Taken(path, found)
            try:
                return self._joined(note_id, path, found)
            except Conflict as error:  # somebody has changed one of them in this moment
                problem = error.message
            except AuroraError as error:
                return Taken(path, found, note_id, failed=error.message)
            except OSError as error:
                return Taken(path, found, note_id, failed=f"{error.strerror}: {error.filename}")
        reason = problem if problem.startswith("path: ") else "it is being changed right now: index again"
        return Taken(path, found, note_id, conflict=reason)

    def create(self, note_id: str, path: str) -> Taken:
        """The file of a note that came from none. Raises Conflict if there is a file at this path."""
        return self._note_taken(note_id, _Pair(path, None, self.destination.read(note_id)))

    def _read(self, note_id: str, path: str, file: Path) -> FileNote | Skipped | Unchanged:
        last = self.begun.before.get(note_id)
        known = last.file if last and self._is_untouched(note_id) else None
        found = read(self.root, file, self.source.vault, known)
        if not isinstance(found, FileNote):
            return found
        if found.dated == "file" and path in self.added:
            found = replace(found, modified=self.added[path], dated="git")
        return replace(found, note_id=note_id)

    def _joined(self, note_id: str, path: str, file: FileNote | Unchanged | None) -> Taken:
        """Raises Conflict, other AuroraErrors and OSError."""
        last = self.begun.before.get(note_id)
        if isinstance(file, Unchanged) or (file and last and self._is_untouched(note_id) and _was_read(last, file)):
            return self._followed(note_id, path, file)
        pair = self._moved(note_id, _Pair(path, file, self.destination.read(note_id)))
        path, file = pair.path, pair.file
        replaced = self.replaced.get(note_id, "")
        how = compare(last, file, pair.note, replaced)
        if how is Comparison.CONFLICT:  # another import may have read it since this one began
            how = compare(self.manifest.read(self.source, note_id), file, pair.note, replaced)
        match how:
            case Comparison.AGREED | Comparison.SETTLED:
                taken = self._settled(note_id, pair, last)
            case Comparison.FILE_NEWS:
                taken = self._file_taken(note_id, pair)
            case Comparison.CONFLICT:
                taken = self._decided(note_id, pair)
            case Comparison.NOTE_NEWS if self.choice.write_back and not (pair.note and kind_of(path)):
                taken = self._note_taken(note_id, pair)
            case Comparison.NOTE_NEWS if pair.note is None:
                taken = Taken(path, file, None, kept="deleted elsewhere, and stays so; --write-back removes the file")
            case Comparison.NOTE_NEWS:  # of a file that was converted the note is only the text
                written = "no text can be written into such a file" if kind_of(path) else "--write-back writes the file"
                taken = replace(self._followed(note_id, path, file), kept=f"changed elsewhere, and stays so; {written}")
        return taken

    def _moved(self, note_id: str, pair: _Pair) -> _Pair:
        """The pair with its file moved to the path that the note has now, where files are written."""
        if not self.choice.write_back or pair.file is None or pair.note is None:
            return pair
        wanted = self._goes_to(pair.path, pair.note.vault, pair.note.path)
        if wanted is None:
            return pair
        move_file(self.root / pair.path, self.root / wanted, was=pair.file.digest)
        found = read(self.root, self.root / wanted, self.source.vault)
        if not isinstance(found, FileNote):
            raise Conflict("the file was changed meanwhile")
        last = self.begun.before.get(note_id)
        if last is not None:
            self.manifest.record(self.source, note_id, replace(last, path=wanted, seen=None))
        return _Pair(wanted, replace(found, note_id=note_id), pair.held)

    def _settled(self, note_id: str, pair: _Pair, last: Read | None) -> Taken:
        """Nothing to do but to know it the next time."""
        if pair.file is None or pair.note is None:
            self.manifest.drop(self.source, note_id)
            return Taken(pair.path, None)
        now = _read(pair.path, pair.file, pair.note)
        if now != last and agree(pair.file, pair.note):
            self.manifest.record(self.source, note_id, now)
        return self._followed(note_id, pair.path, pair.file)

    def _followed(self, note_id: str, path: str, file: FileNote | Unchanged | None) -> Taken:
        """There is a note, and the index follows it."""
        return Taken(path=path, file=file, note_id=note_id, followed=self.destination.index(note_id))

    def _file_taken(self, note_id: str, pair: _Pair) -> Taken:
        """The note becomes what the file says."""
        file, held = pair.file, pair.held
        if file is None:
            removed = False
            with suppress(NotFound):  # somebody else has deleted it
                self.destination.remove(note_id, held.revision if held else "")
                removed = True
            self.manifest.drop(self.source, note_id)
            return Taken(pair.path, None, removed=removed, ignored=self._ignores(pair))
        self.manifest.intend(self.source, note_id, reading_of(file.draft))
        placed = file  # a note that was moved elsewhere stays where it is
        if held is not None:
            placed = replace(file, draft=replace(file.draft, path=held.note.path, vault=held.note.vault))
        note = self.destination.save(placed, held.revision if held else "")
        self.manifest.record(self.source, note_id, _read(pair.path, file, note))
        return replace(self._followed(note_id, pair.path, file), saved=True)

    def _ignores(self, pair: _Pair) -> bool:
        """Whether a rule of the folder is why there is no file."""
        return pair.file is None and (self.root / pair.path).exists() and ignore_rules(self.root).match_file(pair.path)

    def _note_taken(self, note_id: str, pair: _Pair) -> Taken:
        """The file becomes what the note says."""
        file = self.root / pair.path
        if pair.note is None:
            if pair.file is not None and kind_of(pair.path):
                return Taken(pair.path, pair.file, None, kept="deleted elsewhere, and stays so; its file stays too")
            if pair.file is not None:
                self.destination.discard(note_id, pair.file.dated_draft)
                remove_file(file, was=pair.file.digest)
            self.manifest.drop(self.source, note_id)
            return Taken(pair.path, None, written=pair.file is not None)
        raw = b"" if pair.file is None else file.read_bytes()
        content = content_of(raw, pair.note, pair.path)
        changed = pair.file is None or digest_of_bytes(content) != pair.file.digest
        if pair.file is None:
            create_file(file, content)
        elif changed:
            replace_file(file, content, was=pair.file.digest)
        written = read(self.root, file, self.source.vault)
        if not isinstance(written, FileNote) or written.digest != digest_of_bytes(content):
            raise Conflict("somebody else has written the file")
        now, missing = _read(pair.path, written, pair.note), unsaid(content, pair.note, pair.path, raw)
        reason = None
        if missing:  # the note stays news, so that no change of the file takes away what it says beyond it
            now = Read(path=pair.path, file=written.digest, note=reading_of(written.draft))
            why = f" ({written.problem})" if written.problem else ""
            reason = (
                f"its {' and '.join(missing)} cannot be written into the file{why}, and stay in the note; "
                "mend the file, then --take note or --take file decides"
            )
        self.manifest.record(self.source, note_id, now)
        return replace(self._followed(note_id, pair.path, written), written=changed, conflict=reason)

    def _decided(self, note_id: str, pair: _Pair) -> Taken:
        """Where both have changed: what a person has said beforehand; what does not stay goes into the trash. A note
        whose file is ignored from now on is no file's any more.
        """
        if self.choice.take is not Side.FILE and self._ignores(pair):
            self.manifest.drop(self.source, note_id)
            return Taken(pair.path, None, ignored=True, kept="changed elsewhere, and stays; its file is ignored")
        match self.choice.take:
            case Side.FILE:
                if pair.note is not None and pair.file is not None:
                    self.destination.discard(note_id, NoteDraft.of(pair.note))
                return self._file_taken(note_id, pair)
            case Side.NOTE if pair.note is None or not kind_of(pair.path):
                if pair.file is not None and pair.note is not None:
                    self.destination.discard(note_id, pair.file.dated_draft)
                return self._note_taken(note_id, pair)
        reason = conflict_reason(pair.path, pair.file, pair.note)
        return Taken(pair.path, pair.file, note_id if pair.note else None, conflict=reason)


def merge_of(destination: Destination, source: Source, choice: Choice, before: Mapping[str, Read]) -> Merge:
    """For files that are named one by one. `before`: by note id, as they were last read."""
    return Merge(
        destination=destination,
        source=source,
        root=source.root,
        choice=choice,
        manifest=Manifest.of(destination.home),
        begun=Begun(before, frozenset()),
        listed={},
        replaced=destination.replaced(),
    )


def _read(path: str, file: FileNote, note: Note) -> Read:
    reading = reading_of(file.draft) if agree(file, note) else None
    return Read(path=path, file=file.digest, note=digest_of(note), seen=seen(note), reading=reading)


def _was_read(last: Read, file: FileNote) -> bool:
    """Whether the file is as it was, and says the same."""
    return (last.file, last.reading) == (file.digest, reading_of(file.draft))
