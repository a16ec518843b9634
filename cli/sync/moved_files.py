"""Files that were moved inside their folder while their notes were changed elsewhere: the notes go with them.

A note's id is made of its path, so that a moved file is another note. Where somebody has changed or deleted the note
that it was, that stays so under the new path, instead of a second note beside the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from cli.sync.comparison import digest_of
from cli.sync.folder import FileNote, digest_of_file, relative
from cli.sync.merging import Merge
from shared.errors import Conflict, NotFound
from shared.notes.service import NoteDraft


def with_moves(merge: Merge, files: Mapping[str, Path]) -> Merge:
    """Knowing of each such file as if it had been read at its new place. `files`: those that are there, by note id."""
    before = dict(merge.begun.before)
    for new, old in _pairs(merge, files).items():
        path = relative(merge.root, files[new])
        with suppress(Conflict):  # there is a note at the new path
            if _carried(merge, old, new, path):
                before[new] = replace(before[old], path=path, seen=None)
                del before[old]
    return replace(merge, begun=replace(merge.begun, before=before))


def _pairs(merge: Merge, files: Mapping[str, Path]) -> dict[str, str]:
    """New id -> old id, of files that are unlike all others."""
    begun = merge.begun
    gone = {note_id: read.file for note_id, read in begun.before.items() if note_id not in files and read.file}
    if not gone:
        return {}
    known = begun.before.keys() | begun.foreign
    fresh = {note_id: digest_of_file(file) for note_id, file in files.items() if note_id not in known}
    counts, places = Counter(gone.values()), {digest: note_id for note_id, digest in gone.items()}
    seen = Counter(fresh.values())
    return {
        note_id: places[digest]
        for note_id, digest in fresh.items()
        if digest in places and counts[digest] == seen[digest] == 1
    }


def _carried(merge: Merge, old: str, new: str, path: str) -> bool:
    """Whether somebody has changed or deleted the note, so that it had to be. Raises Conflict."""
    last, held = merge.begun.before[old], merge.destination.read(old)
    if held is not None:
        if digest_of(held.note) == last.note:
            return False
        elsewhere = held.note.path != last.path
        draft = replace(NoteDraft.of(held.note), path=held.note.path if elsewhere else path)
        merge.destination.save(
            FileNote(note_id=new, draft=draft, modified=datetime.now(UTC), digest="", problem=None), ""
        )  # as if a file said what the note does
    merge.manifest.record(merge.source, new, replace(last, path=path, seen=None))
    if held is not None:
        with suppress(NotFound):
            merge.destination.remove(old, held.revision)
    merge.manifest.drop(merge.source, old)
    return True
