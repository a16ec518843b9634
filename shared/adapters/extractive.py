"""The writer that needs no model: it answers in the notes' own sentences, or says that they hold no answer.

Whether they do is decided by the best passage's evidence: how much of the question it covers, plus how similar it is.
Coverage weighs the question's stems: identifiers 4, names 2, words that only say what kind of thing is asked ("cost",
"name", "decide") 0.25, others 1. One setting for all of these, measured over the best eight passages of 1,200
characters, share refused with vectors / without (questions of their own collection; of another or without its notes):

    chats (LoCoMo sessions)   own 0.02 / 0.03   other 0.89 / 0.87
    chats, a turn a note      own 0.03 / 0.05   other 0.89 / 0.89
    abstracts (SciFact)       own 0.04 / 0.14   other 0.98 / 0.91
    meetings (QMSum)          own 0.26 / 0.17   other 0.81 / 0.71

Near misses whose words all stand there are not told apart: claims whose own abstract was taken away 0.10 / 0.34,
questions that swap two speakers 0.04 / 0.06. That takes a writing model.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from shared.domain import Draft, Piece, Prompt, Scores, Source, TimeRange
from shared.text.general_words import general
from shared.text.inert import inert
from shared.text.languages import detect
from shared.text.plain import plain
from shared.text.sentences import sentences
from shared.text.terms import content_words, stems

MODEL = "extractive"

NO_ANSWER = "The notes do not hold an answer to this question."
NO_NOTES = (
    "I don't have enough information to answer this: no writing model is available, and these are not your notes."
)

LEAST_EVIDENCE = 0.7
"""Coverage in [0, 1] plus similarity above chance in [0, 1]."""
LEAST_COVERAGE = 0.45
"""The same where no passage has a vector."""
IDENTIFIER_WEIGHT, PART_WEIGHT = 4.0, 0.5
"""Of `ERR_CONN_42` and of its parts `err`, `conn`, `42`, which `ERR_CONN_43` shares."""
NAME_WEIGHT = 2.0
GENERAL_WEIGHT = 0.25

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
_END = re.compile(r"(?<=\w)[.!?…。！？]\Z|(?<=[)\]\"'”’»%])[.!?…。！？]\Z")
_NUMBER_BONUS = 0.15
_AROUND = timedelta(days=31)
_OWN_SHARE = 0.3
"""A sentence is read under its title and headings: what it covers with them counts more than what it covers alone.
(Chats: 33% of the expected answers' words stand in ours, 26% with the sentence alone.)"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the question asks for: each stem's weight; the language to stem in."""

    weights: Mapping[str, float]
    lang: str
    overview: TimeRange | None
    """Set when nothing but a time is named ("what happened last week?"): what was written then is the answer, or
    within a month of it, when a wider search brought that."""
    number: bool

    def coverage(self, found: Iterable[str]) -> float:
        """The share of the asked weight that `found` holds, in [0, 1]."""
        total = sum(self.weights.values())
        return sum(self.weights.get(stem, 0.0) for stem in found) / total if total else 0.0


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as it stands in its note. `place` is its source's, `position` its own in there, both from 0."""

    markdown: str
    label: str
    place: int
    position: int
    score: float


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
        asked = _asked(prompt)
        vectors = any(source.passage.scores.similarity > 0 for source in prompt.sources)
        least = LEAST_EVIDENCE if vectors else LEAST_COVERAGE
        offered = [
            sentence for place, source in enumerate(prompt.sources) for sentence in _read(source, place, asked, least)
        ]
        return _choose(offered) or [NO_ANSWER]


def _asked(prompt: Prompt) -> _Asked:
    analysis = prompt.analysis
    lang = analysis.lang if analysis else detect(prompt.question)
    wanted = analysis.stems if analysis else stems(prompt.question, lang)
    weights = {stem: GENERAL_WEIGHT if stem in general(lang) else 1.0 for stem in wanted}
    weights |= {stem: weight for stem, weight in _names(prompt.question, lang) if stem in weights}
    time = analysis.time if analysis else None
    return _Asked(
        weights=weights,
        lang=lang,
        overview=_widened(time.range) if time and set(weights.values()) <= {GENERAL_WEIGHT} else None,
        number=_NUMBER_ASKED.search(prompt.question) is not None,
    )


def _widened(named: TimeRange) -> TimeRange:
    return TimeRange(named.start and named.start - _AROUND, named.end and named.end + _AROUND)


def _names(question: str, lang: str) -> Iterator[tuple[str, float]]:
    """Stems of names (capitalised inside the question, or with an underscore) and identifiers, with their weights."""
    for _, start, end in content_words(question, lang):
        word = question[start:end]
        if any(map(str.isdigit, word)) and any(map(str.isalpha, word)):
            whole, *parts = stems(word, lang) or [word]
            yield from ((part, PART_WEIGHT) for part in parts)
            yield whole, IDENTIFIER_WEIGHT
        elif (start > 0 and word[0].isupper()) or "_" in word:
            yield from ((stem, NAME_WEIGHT) for stem in stems(word, lang))


def _read(source: Source, place: int, asked: _Asked, least: float) -> Iterator[_Sentence]:
    """The sentences of a passage with their scores; none if its evidence, in [0, 2], is below `least`."""
    chunk = source.passage.chunk
    header = frozenset(stems("\n".join((chunk.title, chunk.heading_path, chunk.path, *chunk.tags)), asked.lang))
    spans = [(start, end, frozenset(stems(chunk.text[start:end], asked.lang))) for start, end in sentences(chunk.text)]
    evidence = asked.coverage(header.union(*(own for _, _, own in spans))) + _above_chance(source.passage.scores)
    if not (asked.overview.contains(chunk.created_at) if asked.overview else evidence >= least):
        return
    position = 0
    for start, end, own in spans:
        if _is_heading(chunk.text, start):
            continue
        markdown = chunk.text[start:end]
        score = _NUMBER_BONUS if asked.number and any(map(str.isdigit, markdown)) else 0.0
        if asked.overview:  # the first sentences of many passages, all of a single one
            score += 1.0 + asked.coverage(own) - 0.06 * position - 0.03 * place
        else:
            score += evidence + _OWN_SHARE * asked.coverage(own) + (1 - _OWN_SHARE) * asked.coverage(own | header)
        yield _Sentence(markdown, source.label, place, position, score)
        position += 1


def _is_heading(text: str, start: int) -> bool:
    """Headings say what follows; they are read with it and never quoted."""
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith("#")


def _above_chance(scores: Scores) -> float:
    """Calibrated similarity, whose 0.5 is that of unrelated texts, as 0 to 1."""
    return max(0.0, 2.0 * scores.similarity - 1.0)


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
