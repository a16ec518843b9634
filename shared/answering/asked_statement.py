"""Question -> which statement it asks for, where notes state one thing differently: of when, of whom, of what kind."""

from __future__ import annotations

from dataclasses import dataclass

from shared.answering.kinds import AskedKinds
from shared.answering.named_notes import NamedNotes
from shared.answering.tense import Tense, tense_of
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import Retrieved


@dataclass(frozen=True, slots=True)
class AskedStatement:
    """A statement that a question asks for, told from others about the same thing."""

    tense: Tense
    kinds: AskedKinds
    named: NamedNotes
    """The notes with the names in the question. Others speak of another."""

    @classmethod
    def of(cls, question: Question, retrieved: Retrieved, named: NamedNotes) -> AskedStatement:
        """Reads a question."""
        return cls(
            tense=tense_of(question, retrieved),
            kinds=AskedKinds.of(retrieved.analysis),
            named=named,
        )

    def may_be_in(self, chunk: IndexedChunk, first: IndexedChunk) -> bool:
        """Reports whether a passage may speak of the person or thing that is asked about, as the first one does."""
        if not self.named.may_speak_of_them(chunk.note_id):
            return False
        return not self.kinds.is_about_another(chunk, first)
