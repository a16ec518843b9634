"""Somebody who writes, edits and deletes a few notes, from one seed."""

from __future__ import annotations

import random
from datetime import timedelta

from shared.model.notes import Note, NoteKey
from shared.ports.stores import Store
from tests.indexing.world import START, TENANT

NOTES = 40
WORDS = (
    "amber",
    "bridge",
    "candle",
    "door",
    "engine",
    "forest",
    "garden",
    "harbour",
    "island",
    "jacket",
    "kettle",
)


class Author:
    """No content is written twice, so no revision of a note ever comes back."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - repeatable is the point
        self.sections: dict[str, list[str]] = {}
        self.written = 0

    def act(self, store: Store) -> NoteKey:
        """Create, edit or delete one note; which."""
        note_id = f"n{self.random.randrange(NOTES):02d}"
        sections = self.sections.get(note_id)
        if sections is not None and self.random.random() < 0.15:
            del self.sections[note_id]
            store.delete_note(TENANT, note_id)
        else:
            self.sections[note_id] = self._edited(sections) if sections else self._new()
            store.put_note(TENANT, self._note(note_id))
        return NoteKey(TENANT, note_id)

    def _new(self) -> list[str]:
        return [self._section() for _ in range(self.random.randint(1, 9))]

    def _edited(self, sections: list[str]) -> list[str]:
        edited = list(sections)
        place = self.random.randrange(len(edited))
        match self.random.randrange(4):
            case 0:
                edited.insert(place, self._section())
            case 1 if len(edited) > 1:
                del edited[place]
            case 2:
                self.random.shuffle(edited)
            case _:
                edited[place] = self._section()
        return edited

    def _section(self) -> str:
        self.written += 1
        words = self.random.choices(WORDS, k=self.random.randint(80, 220))
        return f"## Part {self.written}\n\n" + " ".join(words) + "."

    def _note(self, note_id: str) -> Note:
        self.written += 1
        folder = self.random.choice(["", "work/", "home/garden/"])
        return Note(
            note_id=note_id,
            title=self.random.choice(["Plan", "Diary"]),
            text="\n\n".join([*self.sections[note_id], f"Version {self.written}"]),
            created_at=START,
            updated_at=START + timedelta(seconds=self.written),
            path=f"{folder}{note_id}.md",
            tags=tuple(self.random.sample(["red", "blue", "green"], k=2)),
        )
