"""A public collection -> labelled pairs of a claim and a passage, to measure judges of support by.

Supported are the claims of the collection with a passage relevant to them (`claims`; that is the collection's word, not
ours), and sentences of its passages with every fifth content word or so left out (`sentences`). Against both stand:

    other     a passage drawn at random
    nearest   the passage nearest by BM25 of those that are not relevant: often it outranks the relevant one
    number    a number that the passage holds, altered
    name      a name (capital letters inside the sentence, or an acronym) of the passage, taken from another claim
    negation  "not" put in after the first auxiliary verb, or a verb in -s made "does not"; where there is one, it goes

The same collection always gives the same pairs. Pairs can also be read from a file of one JSON object a line:
`id`, `kind` (`supported`, or what is wrong), `claim`, `passage`, maybe `title` and `writtenAt` (RFC 3339); pairs of one
claim share what stands before the slash of their ids.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zlib import crc32

from evaluation.collection import UNDATED, read_collection
from shared.errors import InvalidArgument
from shared.language.sentences import sentences
from shared.language.terms import content_words, stems
from shared.model.index import IndexedChunk
from shared.model.retrieval import CorpusStats
from shared.retrieval.bm25 import bm25
from shared.times.dates import parse_instant

SUPPORTED = "supported"
DROPPED = 0.25
"""Share of a sentence's plain content words that a claim made of it leaves out."""
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)?(?![\w,]|\.\d)")
_NAME = re.compile(r"(?<=\s)(?:[A-Z][A-Za-z0-9-]*[A-Za-z0-9]|[a-z]+[A-Z][A-Za-z0-9]*)\b")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|may|might|will|would|has|have|had|does|do|did|should|must)\b(?! not)"
)
_NOT = re.compile(r"\s(?:do|does|did)?\s?not\b|\b(?:no|never)\s")
_VERB = re.compile(
    r"\b(increase|decrease|reduce|induce|inhibit|cause|lead|promote|require|affect|improve|regulate|play|enhance|prevent|"
    r"protect|allow|contain|show|provide|activate|suppress|express|bind|produce|raise|lower|support|drive|mediate|trigger|result)s\b"
)


@dataclass(frozen=True, slots=True)
class Pair:
    """`kind`: `supported`, or how it came about. `source`: where its claim is from."""

    pair_id: str
    source: str
    kind: str
    claim: str
    passage: IndexedChunk

    @property
    def supported(self) -> bool:
        return self.kind == SUPPORTED

    @property
    def claim_id(self) -> str:
        """Shared with what was altered of the same claim."""
        return self.pair_id.rpartition("/")[0]

    @property
    def held_out(self) -> bool:
        """By the claim, so that no claim is in both halves."""
        return crc32(self.claim_id.encode()) % 2 == 1


def read_pairs(file: Path) -> tuple[Pair, ...]:
    """Raises InvalidArgument naming the line, OSError."""
    found = []
    for count, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            written = parse_instant(row["writtenAt"]) if "writtenAt" in row else UNDATED
            passage = _passage(str(row["id"]), row.get("title", ""), row["passage"], written)
            found.append(
                Pair(pair_id=str(row["id"]), source=file.stem, kind=row["kind"], claim=row["claim"], passage=passage)
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            expected = "an object with the fields id, kind, claim, passage"
            raise InvalidArgument(f"{file}:{count}", expected) from error
    return tuple(found)


def pairs_of(folder: Path, *, sentences_wanted: int = 300) -> tuple[Pair, ...]:
    """All pairs of a collection, two halves of about the same size. Raises InvalidArgument for a bad line, OSError."""
    collection = read_collection(folder)
    passages = {name: _passage(name, note.title, note.text, UNDATED) for name, note in collection.notes.items()}
    claims = [
        (f"claims-{question.question_id}", question.text.strip(), tuple(question.relevant))
        for question in collection.questions
        if not question.text.rstrip().endswith("?")
    ]
    claims += _sentence_claims(passages, sentences_wanted)
    library = _Library(
        tuple(passages.values()), sorted({name for _, claim, _ in claims for name in _NAME.findall(claim)})
    )
    return tuple(pair for name, claim, relevant in claims for pair in _pairs(name, claim, relevant, library))


def _sentence_claims(passages: Mapping[str, IndexedChunk], wanted: int) -> list[tuple[str, str, tuple[str, ...]]]:
    """One a passage; every other one holds a number, where there are enough."""
    found: dict[bool, list[tuple[str, str, tuple[str, ...]]]] = {True: [], False: []}
    for name, chunk in sorted(passages.items(), key=lambda each: crc32(each[0].encode())):
        dice = random.Random(name)  # noqa: S311 - the same claims every time
        texts = [chunk.text[start:end] for start, end in sentences(chunk.text)]
        fitting = [text for text in texts if 8 <= len(text.split()) <= 40]
        numbered = [text for text in fitting if _NUMBER.search(text)]
        if fitting:
            claim = _thinned(dice.choice(numbered or fitting), dice)
            found[bool(numbered)].append((f"sentences-{name}", claim, (name,)))
    half = wanted // 2
    return [*found[True][:half], *found[False][: wanted - half], *found[True][half:]][:wanted]


def _thinned(sentence: str, dice: random.Random) -> str:
    """Without some of its content words; names, numbers and negations stay."""
    kept, end = [], 0
    for word, start, stop in content_words(sentence, "en"):
        if word.isalpha() and sentence[start:stop].islower() and dice.random() < DROPPED:
            kept.append(sentence[end:start])
            end = stop
    return " ".join("".join([*kept, sentence[end:]]).split())


def _pairs(name: str, claim: str, relevant: Sequence[str], library: _Library) -> Iterator[Pair]:
    dice = random.Random(name)  # noqa: S311 - the same pairs every time
    source, passage = name.partition("-")[0], library.passages[relevant[0]]
    yield Pair(pair_id=f"{name}/{SUPPORTED}", source=source, kind=SUPPORTED, claim=claim, passage=passage)
    yield Pair(
        pair_id=f"{name}/other", source=source, kind="other", claim=claim, passage=library.any(dice, besides=relevant)
    )
    nearest = library.nearest(claim, besides=relevant)
    if nearest:
        yield Pair(pair_id=f"{name}/nearest", source=source, kind="nearest", claim=claim, passage=nearest)
    for kind, altered in _altered(claim, passage.text, library.names, dice):
        yield Pair(pair_id=f"{name}/{kind}", source=source, kind=kind, claim=altered, passage=passage)


class _Library:
    """Passages, by BM25 over an inverted file, and the names that stand in any claim."""

    def __init__(self, chunks: Sequence[IndexedChunk], names: Sequence[str]) -> None:
        self.passages = {chunk.note_id: chunk for chunk in chunks}
        self.names = names
        self._having: dict[str, list[IndexedChunk]] = {}
        for chunk in chunks:
            for stem in chunk.terms:
                self._having.setdefault(stem, []).append(chunk)
        total = sum(chunk.length for chunk in chunks)
        self._stats = CorpusStats(len(chunks), total / max(1, len(chunks)), "1")

    def any(self, dice: random.Random, *, besides: Sequence[str]) -> IndexedChunk:
        return self.passages[dice.choice([name for name in self.passages if name not in besides])]

    def nearest(self, text: str, *, besides: Sequence[str]) -> IndexedChunk | None:
        """None: no other passage shares a word with it."""
        frequencies = {stem: len(self._having.get(stem, ())) for stem in dict.fromkeys(stems(text, "en"))}
        near = {chunk.note_id: chunk for stem in frequencies for chunk in self._having.get(stem, ())}
        others = [chunk for name, chunk in near.items() if name not in besides]
        scores = bm25(others, frequencies=frequencies, stats=self._stats, k1=1.2, b=0.75)
        ranked = sorted(zip(scores, others, strict=True), key=lambda each: (-each[0], each[1].note_id))
        return ranked[0][1] if ranked else None


def _altered(claim: str, passage: str, names: Sequence[str], dice: random.Random) -> Iterator[tuple[str, str]]:
    numbers = [found for found in _NUMBER.finditer(claim) if _stands(found[0], passage)]
    if numbers:
        number = dice.choice(numbers)
        yield "number", _put(claim, number, _other_number(number[0], passage, dice))
    named = [found for found in _NAME.finditer(claim) if _stands(found[0], passage)]
    others = [name for name in names if name not in passage and name not in claim]
    if named and others:
        yield "name", _put(claim, dice.choice(named), dice.choice(others))
    negated = _negated(claim)
    if negated:
        yield "negation", negated


def _negated(claim: str) -> str | None:
    if found := _NOT.search(claim):
        return _put(claim, found, " ")
    if found := _AUXILIARY.search(claim):
        return _put(claim, found, f"{found[0]} not")
    if found := _VERB.search(claim):
        return _put(claim, found, f"does not {found[1]}")
    return None


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?![\w]|\.\d)", text) is not None


def _other_number(number: str, passage: str, dice: random.Random) -> str:
    """Of about the same size, and nowhere in the passage: one digit is another, or else one more follows."""
    altered = number
    for _ in range(20):
        at = dice.choice([place for place, sign in enumerate(number) if sign.isdigit()])
        altered = number[:at] + dice.choice([sign for sign in "123456789" if sign != number[at]]) + number[at + 1 :]
        if not _stands(altered, passage):
            return altered
    return f"{altered}{dice.randint(11, 99)}"


def _put(claim: str, found: re.Match[str], other: str) -> str:
    return f"{claim[: found.start()]}{other}{claim[found.end() :]}"


def _passage(name: str, title: str, text: str, written: datetime) -> IndexedChunk:
    counted: dict[str, int] = {}
    listed = stems(f"{title}\n{text}", "en")
    for stem in listed:
        counted[stem] = counted.get(stem, 0) + 1
    return IndexedChunk(
        chunk_id=f"{name}_000", note_id=name, position=0, title=title, heading_path="", text=text, start=0,
        end=len(text), utf16_start=0, created_at=written, updated_at=written, vault="default", path="", tags=(),
        scopes=(), terms=counted, length=len(listed), text_hash="", index_version="", note_revision="",
    )  # fmt: skip
