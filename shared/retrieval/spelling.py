"""Replaces a question's unknown words by words of the notes: a misspelled word, a compound or a part of one, a name that
the question's language stems otherwise than the notes' does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from shared.language.languages import detect
from shared.language.terms import MAX_TERM, content_words, stem_of, stems
from shared.language.vocabulary import vocabulary
from shared.language.words import fold, folded_words, is_one_edit, stop_words
from shared.model.index import IndexedChunk
from shared.model.retrieval import Analysis

MIN_MISSPELLED = 6
"""Letters of a word that may be misspelled."""
MIN_PART = 4
"""Letters of a part of a compound."""
MIN_NAME = 3
"""Letters of a word that another language may stem otherwise."""
_WORD = re.compile(rf"[^\W\d_]{{{MIN_PART},{MAX_TERM}}}")
_MID_SENTENCE = re.compile(r"(?<=[^\W_]\s)[^\W\d_]+")


def correct_spelling(
    analysis: Analysis,
    frequencies: Mapping[str, int],
    chunks: Iterable[IndexedChunk],
) -> Analysis:
    """Returns the question with its unknown words replaced by words of `chunks`; unchanged if there is none.

    A word that no note holds becomes the commonest word that differs by one letter. In a language that tells nouns by
    their capitals it may become its parts, or a compound of it. frequencies: stem -> chunks of the tenant that contain
    it.
    """
    unknown = _unknown_words(analysis, frequencies)
    if not unknown:
        return analysis

    written = _words_as_written(chunks)
    counts = Counter[str]()
    for word, count in written.items():
        counts[fold(word)] += count
    nouns = _nouns(written, analysis.lang)

    replacements: dict[str, list[str]] = {}
    for word in unknown:
        if word in counts:  # it could not be counted, or its note is in another language
            continue
        replacement = _most_frequent_neighbour(word, counts) or _compound_parts(word, nouns)
        if replacement:
            replacements[word] = replacement
    if not replacements:
        return analysis
    return _with_replacements(analysis, unknown, replacements)


def _nouns(words: Iterable[str], lang: str) -> set[str]:
    """Returns the folded words that begin with a capital letter, in a language whose nouns do; none in others."""
    if not vocabulary(lang).nouns_are_capitalised:
        return set()
    capitalised = {fold(word) for word in words if word[0].isupper()}
    return capitalised - stop_words(lang)


def name_as_in_notes(
    analysis: Analysis,
    frequencies: Mapping[str, int],
    chunks: Sequence[IndexedChunk],
) -> Analysis:
    """Returns the question with unknown words stemmed as in the notes that hold them; unchanged if there are none.

    Spanish takes the `s` of Helios for an ending, English does not. A name that none of `chunks` holds is searched for
    as English stems it.
    """
    words = _MID_SENTENCE.findall(analysis.subject)
    names = {fold(word) for word in words if word[0].isupper()}
    unknown = _unknown_words(analysis, frequencies, min_letters=MIN_NAME)
    renamed: dict[str, str] = {}
    for word, word_stems in unknown.items():
        if len(word_stems) > 1:
            continue
        lang = _language_of_notes(word, chunks)
        if lang is None and word in names:
            lang = "en"
        if lang is None:
            continue
        stem = word_stems[0]
        stem_in_notes = stem_of(word, lang)
        if stem_in_notes != stem:
            renamed[stem] = stem_in_notes
    if not renamed:
        return analysis

    new_stems = dict.fromkeys(renamed.get(stem, stem) for stem in analysis.stems)
    return replace(analysis, stems=tuple(new_stems), renamed=renamed)


def _language_of_notes(word: str, chunks: Iterable[IndexedChunk]) -> str | None:
    """Returns the language of the first chunk that holds a folded word; None if no chunk does."""
    escaped = re.escape(word)
    pattern = re.compile(rf"\b{escaped}\b")
    for chunk in chunks:
        text = f"{chunk.title}\n{chunk.heading_path}\n{chunk.text}"
        if text.isascii():
            folded = text.lower()  # which is all that folding does to it, and faster
        else:
            folded = folded_words(text)
        if pattern.search(folded):
            return detect(chunk.text)
    return None


def _unknown_words(
    analysis: Analysis,
    frequencies: Mapping[str, int],
    *,
    min_letters: int = MIN_MISSPELLED,
) -> dict[str, list[str]]:
    """Returns the longer words whose stems are in no chunk, each with its stems."""
    unknown: dict[str, list[str]] = {}
    for content_word, _, _ in content_words(analysis.subject, analysis.lang):
        word = fold(content_word)
        if len(word) < min_letters or not word.isalpha():
            continue

        word_stems = stems(word, analysis.lang)
        # A stem without a frequency was not counted, so it may well be known.
        is_known = any(frequencies.get(stem, 1) > 0 for stem in word_stems)
        if word_stems and not is_known:
            unknown[word] = word_stems
    return unknown


def _words_as_written(chunks: Iterable[IndexedChunk]) -> Counter[str]:
    """Counts the words of the chunks, capitals kept."""
    counts = Counter[str]()
    for chunk in chunks:
        text = f"{chunk.title} {chunk.heading_path} {chunk.text}"
        words = _WORD.findall(text)
        counts.update(words)
    return counts


def _with_replacements(
    analysis: Analysis,
    unknown: Mapping[str, Sequence[str]],
    replacements: Mapping[str, Sequence[str]],
) -> Analysis:
    """Returns the analysis with the stems and keywords of unknown words replaced."""
    new_stems = dict.fromkeys(analysis.stems)
    for word, replacement in replacements.items():
        for stem in unknown[word]:
            new_stems.pop(stem, None)
        for known_word in replacement:
            known_stems = stems(known_word, analysis.lang)
            new_stems |= dict.fromkeys(known_stems)

    new_keywords: dict[str, None] = {}
    for keyword in analysis.keywords:
        words = replacements.get(fold(keyword), [keyword])
        new_keywords |= dict.fromkeys(words)
    return replace(
        analysis,
        stems=tuple(new_stems),
        keywords=tuple(new_keywords),
    )


def _most_frequent_neighbour(word: str, counts: Mapping[str, int]) -> list[str]:
    """Returns the commonest word that differs by one letter; empty if there is none."""
    neighbours = []
    for other in counts:
        difference = len(word) - len(other)
        if abs(difference) <= 1 and is_one_edit(word, other):
            neighbours.append(other)
    if not neighbours:
        return []
    commonest = max(neighbours, key=lambda other: (counts[other], other))
    return [commonest]


def _compound_parts(word: str, nouns: Collection[str]) -> list[str]:
    """Returns the longest nouns with which a compound begins and ends, or the shortest compound of the word."""
    length = len(word)
    shorter = [noun for noun in nouns if length - len(noun) >= MIN_PART]
    first_parts = [noun for noun in shorter if word.startswith(noun)]
    last_parts = [noun for noun in shorter if word.endswith(noun)]
    parts = []
    if first_parts:
        parts.append(max(first_parts, key=len))
    if last_parts:
        parts.append(max(last_parts, key=len))
    if parts:
        return parts

    compounds = []
    for noun in nouns:
        contains_word = noun.startswith(word) or noun.endswith(word)
        if contains_word and len(noun) - length >= MIN_PART:
            compounds.append(noun)
    if not compounds:
        return []
    shortest = min(compounds, key=lambda noun: (len(noun), noun))
    return [shortest]
