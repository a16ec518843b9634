"""Makes labelled pairs of a claim and a passage from a public collection, to measure judges of support.

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
from typing import Any
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
    r"\b(is|are|was|were|can|could|may|might|will|would|has|have|had|does|do|did|should|must)\b(?! not)",
)
_NOT = re.compile(r"\s(?:do|does|did)?\s?not\b|\b(?:no|never)\s")
_VERB = re.compile(
    r"\b(increase|decrease|reduce|induce|inhibit|cause|lead|promote|require|affect|improve|regulate|play|enhance|prevent|"
    r"protect|allow|contain|show|provide|activate|suppress|express|bind|produce|raise|lower|support|drive|mediate|trigger|result)s\b",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim and a passage, with the label.

    kind: `supported`, or how the pair was made. source: where the claim is from.
    """

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
        """True for one half of the claims: no claim is in both halves."""
        return crc32(self.claim_id.encode()) % 2 == 1


def read_pairs(file: Path) -> tuple[Pair, ...]:
    """Reads the pairs of a file. Raises InvalidArgument naming the line, OSError."""
    pairs = []
    text = file.read_text(encoding="utf-8")
    for count, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
            pairs.append(_read_pair(row, file.stem))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            expected = "an object with the fields id, kind, claim, passage"
            raise InvalidArgument(f"{file}:{count}", expected) from error

    return tuple(pairs)


def _read_pair(row: Mapping[str, Any], source: str) -> Pair:
    """Returns the pair of a line. Raises ValueError, KeyError, TypeError, AttributeError."""
    pair_id = str(row["id"])
    written = UNDATED
    if "writtenAt" in row:
        written = parse_instant(row["writtenAt"])
    passage = _passage(
        pair_id,
        row.get("title", ""),
        row["passage"],
        written,
    )
    return Pair(
        pair_id=pair_id,
        source=source,
        kind=row["kind"],
        claim=row["claim"],
        passage=passage,
    )


def pairs_of(folder: Path, *, sentences_wanted: int = 300) -> tuple[Pair, ...]:
    """Returns all pairs of a collection, two halves of about the same size.

    Raises InvalidArgument for a bad line, OSError.
    """
    collection = read_collection(folder)
    passages = {}
    for name, note in collection.notes.items():
        passages[name] = _passage(
            name,
            note.title,
            note.text,
            UNDATED,
        )

    claims = []
    for question in collection.questions:
        text = question.text.strip()
        if text.endswith("?"):
            continue
        claim = _Claim(
            f"claims-{question.question_id}",
            text,
            tuple(question.relevant),
        )
        claims.append(claim)

    claims += _sentence_claims(passages, sentences_wanted)
    names: set[str] = set()
    for claim in claims:
        names.update(_NAME.findall(claim.text))

    library = _Library(tuple(passages.values()), sorted(names))
    pairs: list[Pair] = []
    for claim in claims:
        pairs.extend(_pairs(claim, library))

    return tuple(pairs)


@dataclass(frozen=True, slots=True)
class _Claim:
    name: str
    """Source and number, such as `claims-7`."""
    text: str
    relevant: tuple[str, ...]
    """Ids of the passages that support it."""


def _sentence_claims(passages: Mapping[str, IndexedChunk], count: int) -> list[_Claim]:
    """Makes a claim of a sentence of each passage; every other one holds a number, where there are enough."""
    with_number: list[_Claim] = []
    without_number: list[_Claim] = []
    shuffled_names = sorted(passages, key=lambda name: crc32(name.encode()))
    for name in shuffled_names:
        passage = passages[name].text
        fitting = []
        for start, end in sentences(passage):
            text = passage[start:end]
            if 8 <= len(text.split()) <= 40:
                fitting.append(text)
        if not fitting:
            continue

        numbered = [text for text in fitting if _NUMBER.search(text)]
        dice = random.Random(name)  # noqa: S311 - the same claims every time
        sentence = dice.choice(numbered or fitting)
        claim = _Claim(
            f"sentences-{name}",
            _thinned(sentence, dice),
            (name,),
        )
        if numbered:
            with_number.append(claim)
        else:
            without_number.append(claim)

    half = count // 2
    chosen = with_number[:half] + without_number[: count - half] + with_number[half:]
    return chosen[:count]


def _thinned(sentence: str, dice: random.Random) -> str:
    """Leaves out some content words of a sentence; names, numbers and negations stay."""
    parts = []
    end = 0
    for word, start, stop in content_words(sentence, "en"):
        is_plain = word.isalpha() and sentence[start:stop].islower()
        if is_plain and dice.random() < DROPPED:
            parts.append(sentence[end:start])
            end = stop

    parts.append(sentence[end:])
    words = "".join(parts).split()
    return " ".join(words)


def _pairs(claim: _Claim, library: _Library) -> Iterator[Pair]:
    """Yields the pairs of a claim: with a passage that supports it, with others, and altered."""
    dice = random.Random(claim.name)  # noqa: S311 - the same pairs every time
    source = claim.name.partition("-")[0]
    supporting = library.passages[claim.relevant[0]]

    def pair(kind: str, text: str, passage: IndexedChunk) -> Pair:
        return Pair(
            pair_id=f"{claim.name}/{kind}",
            source=source,
            kind=kind,
            claim=text,
            passage=passage,
        )

    yield pair(SUPPORTED, claim.text, supporting)
    other = library.any(dice, besides=claim.relevant)
    yield pair("other", claim.text, other)
    nearest = library.nearest(claim.text, besides=claim.relevant)
    if nearest:
        yield pair("nearest", claim.text, nearest)
    alterations = _altered(
        claim.text,
        supporting.text,
        library.names,
        dice,
    )
    for kind, altered in alterations:
        yield pair(kind, altered, supporting)


class _Library:
    """Passages, by BM25 over an inverted file, and the names that stand in any claim."""

    def __init__(self, chunks: Sequence[IndexedChunk], names: Sequence[str]) -> None:
        self.passages = {chunk.note_id: chunk for chunk in chunks}
        self.names = names
        self._by_stem: dict[str, list[IndexedChunk]] = {}
        for chunk in chunks:
            for stem in chunk.terms:
                self._by_stem.setdefault(stem, []).append(chunk)
        total_length = sum(chunk.length for chunk in chunks)
        mean_length = total_length / max(1, len(chunks))
        self._stats = CorpusStats(len(chunks), mean_length, "1")

    def any(self, dice: random.Random, *, besides: Sequence[str]) -> IndexedChunk:
        names = [name for name in self.passages if name not in besides]
        return self.passages[dice.choice(names)]

    def nearest(self, text: str, *, besides: Sequence[str]) -> IndexedChunk | None:
        """Returns the best passage beside some; None if no such passage shares a word with the text."""
        frequencies = {}
        chunks: dict[str, IndexedChunk] = {}
        for stem in dict.fromkeys(stems(text, "en")):
            with_stem = self._by_stem.get(stem, ())
            frequencies[stem] = len(with_stem)
            for chunk in with_stem:
                chunks[chunk.note_id] = chunk

        candidates = [chunk for name, chunk in chunks.items() if name not in besides]
        if not candidates:
            return None
        scores = bm25(
            candidates,
            frequencies=frequencies,
            stats=self._stats,
            k1=1.2,
            b=0.75,
        )
        ranked = sorted(
            zip(scores, candidates, strict=True),
            key=lambda scored: (-scored[0], scored[1].note_id),
        )
        _, best = ranked[0]
        return best


def _altered(
    claim: str,
    passage: str,
    names: Sequence[str],
    dice: random.Random,
) -> Iterator[tuple[str, str]]:
    """Yields (kind, text) of each way in which the claim can be made wrong."""
    numbers = [match for match in _NUMBER.finditer(claim) if _stands(match[0], passage)]
    if numbers:
        number = dice.choice(numbers)
        other_number = _other_number(number[0], passage, dice)
        yield "number", _put(claim, number, other_number)

    claim_names = [match for match in _NAME.finditer(claim) if _stands(match[0], passage)]
    foreign_names = [name for name in names if name not in passage and name not in claim]
    if claim_names and foreign_names:
        name = dice.choice(claim_names)
        foreign_name = dice.choice(foreign_names)
        yield "name", _put(claim, name, foreign_name)

    negated = _negated(claim)
    if negated:
        yield "negation", negated


def _negated(claim: str) -> str | None:
    """Returns the claim with its negation put in or taken out; None if it has no verb that is known."""
    negation = _NOT.search(claim)
    if negation:
        return _put(claim, negation, " ")
    auxiliary = _AUXILIARY.search(claim)
    if auxiliary:
        return _put(claim, auxiliary, f"{auxiliary[0]} not")
    verb = _VERB.search(claim)
    if verb:
        return _put(claim, verb, f"does not {verb[1]}")
    return None


def _stands(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(word)}(?![\w]|\.\d)", text) is not None


def _other_number(number: str, passage: str, dice: random.Random) -> str:
    """Returns a number of about the same size that is nowhere in the passage.

    One digit is another; where every such number stands in the passage, two more digits follow.
    """
    altered = number
    places = [place for place, sign in enumerate(number) if sign.isdigit()]
    for _ in range(20):
        place = dice.choice(places)
        other_digits = "123456789".replace(number[place], "")
        digit = dice.choice(other_digits)
        altered = number[:place] + digit + number[place + 1 :]
        if not _stands(altered, passage):
            return altered

    two_digits = dice.randint(11, 99)
    return f"{altered}{two_digits}"


def _put(claim: str, match: re.Match[str], text: str) -> str:
    return claim[: match.start()] + text + claim[match.end() :]


def _passage(
    name: str,
    title: str,
    text: str,
    written: datetime,
) -> IndexedChunk:
    terms = stems(f"{title}\n{text}", "en")
    counts: dict[str, int] = {}
    for stem in terms:
        counts[stem] = counts.get(stem, 0) + 1
    return IndexedChunk(
        chunk_id=f"{name}_000", note_id=name, position=0, title=title, heading_path="", text=text, start=0,
        end=len(text), utf16_start=0, created_at=written, updated_at=written, vault="default", path="", tags=(),
        scopes=(), terms=counts, length=len(terms), text_hash="", index_version="", note_revision="",
    )  # fmt: skip
