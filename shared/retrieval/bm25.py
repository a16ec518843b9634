"""How well chunks match a question's words: Okapi BM25 (Robertson and Zaragoza, 2009) over stems, or over runs of
letters in languages that the embedder does not speak; and which words of the notes a misspelled word stands for.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from statistics import fmean

from shared.language.terms import MAX_TERM, content_words, stems
from shared.language.vocabulary import vocabulary
from shared.language.words import fold, folded_words, stop_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis, CorpusStats

RUN_LENGTH = 4
"""Letters of a run; a shorter word is one. With 3 or 5 German, Spanish and Russian questions rank slightly worse."""
MAX_RUNS = 200
"""Each is looked for in every candidate, 10 ms together. Longer questions name their subject within the first."""
MIN_MISSPELLED, MIN_PART = 6, 4
"""Letters of a word that may be misspelled, and of a part of a compound."""


def bm25(
    chunks: Sequence[IndexedChunk], frequencies: Mapping[str, int], stats: CorpusStats, *, k1: float, b: float
) -> tuple[float, ...]:
    """One score a chunk, at least 0, unbounded above. `frequencies`: stem -> chunks of the tenant that contain it.
    `k1`: how soon further occurrences of a stem stop counting; `b`: how much a chunk's length counts, 0 to 1.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), which stays positive for stems that stand in more than half of all chunks.
    """
    weights = {stem: weight for stem, weight in idf(frequencies, stats).items() if frequencies[stem] > 0}
    average = stats.average_length or 1.0
    scores = []
    for chunk in chunks:
        saturation = k1 * (1 - b + b * chunk.length / average)
        counts = ((weight, chunk.terms.get(stem, 0)) for stem, weight in weights.items())
        scores.append(sum(weight * count * (k1 + 1) / (count + saturation) for weight, count in counts if count))
    return tuple(scores)


def idf(frequencies: Mapping[str, int], stats: CorpusStats) -> dict[str, float]:
    """Stem -> how much it tells of a chunk that it stands there, above 0; the most for stems that stand nowhere."""
    # Counts and corpus figures are read at different moments, so a frequency can exceed the chunk count.
    total = max([stats.chunk_count, *frequencies.values()])
    return {stem: math.log(1 + (total - n + 0.5) / (n + 0.5)) for stem, n in frequencies.items()}


def in_letters(
    words: Iterable[str], chunks: Sequence[IndexedChunk], pool: int
) -> tuple[list[IndexedChunk], Mapping[str, int], CorpusStats]:
    """The chunks with runs of letters as their terms; of the first `pool` of them the frequency of each run, and the
    figures in place of the corpus. Stems miss what such a language joins and inflects (`Leihcomputer`, `Kinos`).
    """
    folded = map(folded_words, words)
    begins = ((word, at) for word in folded for at in range(max(1, len(word) - RUN_LENGTH + 1)))
    distinct = dict.fromkeys(word[at : at + RUN_LENGTH] for word, at in begins)
    runs = tuple(islice(distinct, MAX_RUNS))
    seen = list[IndexedChunk]()
    for chunk in chunks:
        text = folded_words(f"{chunk.title} {chunk.heading_path} {chunk.text}")
        counts = ((run, text.count(run)) for run in runs)
        seen.append(replace(chunk, terms={run: count for run, count in counts if count}, length=len(text)))
    frequencies = {run: sum(run in chunk.terms for chunk in seen[:pool]) for run in runs}
    average = fmean(chunk.length for chunk in seen[:pool]) if pool else 0.0
    return seen, frequencies, CorpusStats(pool, average, "")


def in_known_words(analysis: Analysis, frequencies: Mapping[str, int], chunks: Iterable[IndexedChunk]) -> Analysis:
    """The question with, in place of a word that no note holds, the words of `chunks` that it stands for: the commonest
    that differs by one letter; or, in a language that tells nouns by their capitals, its parts or a compound of it.
    `frequencies`: stem -> chunks of the tenant that contain it.
    """
    lang, unknown = analysis.lang, dict[str, list[str]]()
    for word in (fold(word) for word, _, _ in content_words(analysis.subject, lang)):
        own = stems(word, lang)
        if len(word) >= MIN_MISSPELLED and word.isalpha() and own and not any(frequencies.get(stem, 1) for stem in own):
            unknown[word] = own
    if not unknown:
        return analysis
    text = " ".join(f"{chunk.title} {chunk.heading_path} {chunk.text}" for chunk in chunks)
    written = Counter(re.findall(rf"[^\W\d_]{{{MIN_PART},{MAX_TERM}}}", text))
    counts = Counter[str]()
    for word, times in written.items():
        counts[fold(word)] += times
    nouns = {fold(word) for word in written if word[0].isupper()} if vocabulary(lang).nouns_are_capitalised else set()
    nouns -= stop_words(lang)
    known, read = dict.fromkeys(analysis.stems), dict[str, list[str]]()
    for word, own in unknown.items():
        if word in counts:  # it could not be counted, or its note is in another language
            continue
        near = [other for other in counts if -2 < len(word) - len(other) < 2 and _is_near(word, other)]
        meant = [max(near, key=lambda other: (counts[other], other))] if near else _parts(word, nouns)
        if meant:
            read[word] = meant
            known = {stem: None for stem in known if stem not in own}
            known |= dict.fromkeys(chain.from_iterable(stems(other, lang) for other in meant))
    words = chain.from_iterable(read.get(fold(word), [word]) for word in analysis.keywords)
    return replace(analysis, stems=tuple(known), keywords=tuple(dict.fromkeys(words))) if read else analysis


def _is_near(word: str, other: str) -> bool:
    """Of words whose lengths differ by at most one: whether one letter is left out, added or replaced, or two
    neighbours are swapped (Damerau's four mistakes).
    """
    at = next((at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), len(word))
    one, two = word[at:], other[at:]
    return two[1:] in (one, one[1:]) or one[1:] == two or (one[1::-1], one[2:]) == (two[:2], two[2:])


def _parts(word: str, nouns: Iterable[str]) -> list[str]:
    """The longest nouns with which it begins and ends, or the shortest compound that begins or ends with it."""
    within = [noun for noun in nouns if len(word) - len(noun) >= MIN_PART]
    beyond = [
        noun for noun in nouns if len(noun) - len(word) >= MIN_PART and noun.startswith(word) | noun.endswith(word)
    ]
    ends = [[noun for noun in within if word.startswith(noun)], [noun for noun in within if word.endswith(noun)]]
    longest = [max(each, key=len) for each in ends if each]
    return longest or sorted(beyond, key=lambda noun: (len(noun), noun))[:1]
