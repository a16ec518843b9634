"""Notes about people, and what a search for a question finds of them."""

from __future__ import annotations

from dataclasses import replace

from shared.language.terms import stems
from shared.model.retrieval import Retrieved, Scored
from tests.answering.samples import passage, retrieved


def note(text: str, note_id: str, title: str = "", *, aliases: tuple[str, ...] = ()) -> Scored:
    scored = passage(
        text,
        note_id=note_id,
        title=title,
        path=f"{note_id}.md",
    )
    return replace(scored, chunk=replace(scored.chunk, properties=aliases))


PRIYA = note(
    "Platform lead. Phone number: 5512. Her birthday is 4 March.",
    "priya",
    "Priya Raman",
    aliases=("alias: Pri",),
)
MAREK = note("Met Marek at the conference. He plays the cello, as Marek says.", "marek")
ELENA = note("At the table Elena is allergic to peanuts.", "elena", "Team")
NOTES = (PRIYA, MAREK, ELENA)


def asked(text: str, *notes: Scored, lang: str = "en") -> Retrieved:
    """Build a retrieval as the search returns it: each chunk has only those of its terms that the question asks for."""
    retrieval = retrieved(text=text, lang=lang)
    selected = []
    for scored in notes:
        chunk = scored.chunk
        chunk_stems = stems(f"{chunk.title} {chunk.text}", lang)
        terms = {
            stem: chunk_stems.count(stem)
            for stem in retrieval.analysis.stems
            if stem in chunk_stems
        }
        selected.append(replace(scored, chunk=replace(chunk, terms=terms)))
    weights = dict.fromkeys(retrieval.analysis.stems, 1.0)
    return replace(retrieval, selected=tuple(selected), weights=weights)
