"""The writer that needs no model: it answers in the notes' own sentences, or says that they hold no answer.

Whether they do is decided by the best passage's evidence (`shared.evidence`). Near misses whose words all
stand there are not told apart: that takes a writing model.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace

from shared.domain import Draft, Piece, Prompt, Source
from shared.evidence import Asked, asked_by
from shared.text.inert import inert
from shared.text.plain import plain
from shared.text.sentences import sentences
from shared.text.terms import stems

MODEL = "extractive"

NO_ANSWER = "The notes do not hold an answer to this question."
NO_NOTES = (
    "I don't have enough information to answer this: no writing model is available, and these are not your notes."
)

MAX_SENTENCES = 5
MAX_CHARACTERS = 700
MAX_SENTENCE = 320
KEPT_SHARE = 0.75
"""A further sentence scores at least this share of the best one."""

_NUMBER_ASKED = re.compile(
    r"\b(?:when|how (?:much|many|long|far|high|old|often|big)|what (?:time|date|price|number|temperature|budget)"
    r"|wann|wie ?(?:viele?n?|lange?|weit|hoch|alt|oft|teuer)|cuándo|cuánt[oa]s?|quand|combien|quelle (?:heure|date))\b",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[^\s.!?…。！？])[.!?…。！？]\Z")
_NUMBER_BONUS = 0.15
_OWN_SHARE = 0.3
"""A sentence is read under its title and headings: what it covers with them counts more than what it covers alone.
(Chats: 33% of the expected answers' words stand in ours, 26% with the sentence alone.)"""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as it stands in its note. `place` is its source's, `position` its own in there, both from 0."""

    markdown: str
    label: str
    place: int
    position: int
    score: float

    @property
    def has_digit(self) -> bool:
        return any(map(str.isdigit, self.markdown))


class ExtractiveWriter:
    """Answers with the best sentences of the sources, each followed by its citation. Deterministic; never fails."""

    model = MODEL

    def write(self, prompt: Prompt) -> Draft:
        """At most five sentences and about 700 characters, the best source's first, each source's in its order."""
        return Draft("".join(piece.text for piece in self.stream(prompt)), MODEL)

    def stream(self, prompt: Prompt) -> Generator[Piece]:
        """The same, sentence by sentence."""
        for place, sentence in enumerate(self._sentences(prompt)):
            yield Piece(f" {sentence}" if place else sentence)

    def _sentences(self, prompt: Prompt) -> list[str]:
        if not prompt.sources:
            return [NO_NOTES]
        asked = asked_by(prompt)
        least = asked.least(vectors=any(source.passage.scores.similarity > 0 for source in prompt.sources))
        wants_number = _NUMBER_ASKED.search(prompt.question) is not None
        offered = [
            replace(sentence, score=sentence.score + _NUMBER_BONUS * (wants_number and sentence.has_digit))
            for place, source in enumerate(prompt.sources)
            for sentence in _read(source, place, asked, least)
        ]
        return _choose(offered) or [NO_ANSWER]


def _read(source: Source, place: int, asked: Asked, least: float) -> Iterator[_Sentence]:
    """The sentences of a passage with their scores; none if its evidence, in [0, 2], is below `least`."""
    chunk = source.passage.chunk
    header = frozenset(stems("\n".join((chunk.title, chunk.heading_path, chunk.path, *chunk.tags)), asked.lang))
    spans = [(start, end, frozenset(stems(chunk.text[start:end], asked.lang))) for start, end in sentences(chunk.text)]
    overview = asked.overview
    evidence = asked.evidence(header.union(*(own for _, _, own in spans)), source.passage.scores, chunk.created_at)
    if not (overview.contains(chunk.created_at) if overview else evidence >= least):
        return
    position = 0
    for start, end, own in spans:
        if _is_heading(chunk.text, start):
            continue
        if overview:  # the first sentences of many passages, all of a single one
            score = 1.0 + asked.coverage(own) - 0.06 * position - 0.03 * place
        else:
            score = evidence + _OWN_SHARE * asked.coverage(own) + (1 - _OWN_SHARE) * asked.coverage(own | header)
        yield _Sentence(chunk.text[start:end], source.label, place, position, score)
        position += 1


def _is_heading(text: str, start: int) -> bool:
    """Headings say what follows; they are read with it and never quoted."""
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith("#")


def _tidy(sentence: str) -> str:
    """One line without Markdown, at most `MAX_SENTENCE` characters; empty when no letter is in it."""
    text = plain(inert(sentence)).rstrip(":;,- ")
    if not any(map(str.isalpha, text)):
        return ""
    if len(text) <= MAX_SENTENCE:
        return text
    cut = text[:MAX_SENTENCE]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _choose(offered: Iterable[_Sentence]) -> list[str]:
    """The best sentences, cited, each text once, within the limits; in the order of their sources' best."""
    ranked = sorted(offered, key=lambda sentence: (-sentence.score, sentence.place, sentence.position))
    chosen: dict[str, _Sentence] = {}
    room = MAX_CHARACTERS
    for sentence in ranked:
        if sentence.score < KEPT_SHARE * ranked[0].score or len(chosen) == MAX_SENTENCES:
            break
        text = _tidy(sentence.markdown)
        if text and text not in chosen and (len(text) <= room or not chosen):
            chosen[text] = sentence
            room -= len(text)
    places = list(dict.fromkeys(sentence.place for sentence in chosen.values()))
    in_order = sorted(chosen.items(), key=lambda item: (places.index(item[1].place), item[1].position))
    return [_cited(text, sentence.label) for text, sentence in in_order]


def _cited(text: str, label: str) -> str:
    """`We chose Firestore.` -> `We chose Firestore [N1].`"""
    end = _END.search(text)
    return f"{text[: end.start()] if end else text} [{label}]{end[0] if end else '.'}"
