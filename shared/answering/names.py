"""Question and passages -> the named person or thing about which the passages do not say what is asked.

A word of the question counts as (part of) a name in these cases:

1. It has a capital letter inside the sentence that asks, or it owns what follows ("Marek's phone number").
2. The notes write it with a capital letter inside their sentences and never in small letters.
3. It belongs to a title or an alias of a note. A title of one word counts if the text of the notes has that word, too:
   `Marek` may be a name, `Recipes` above a list is none. In a language in which all nouns have capitals, only owners
   and the words of titles of several words count.

The passages do not say what is asked if none of them names the name. They do not either if no note that names it holds
anything else that is asked, while another note holds all of it. (If what is asked is one phrase, the other notes may
hold it together.) Words that no passage holds are ignored. What is asked about an owner is what it owns; about another
name, all other words of the sentence.

So a name in a story that has nothing to do with the question does not count, and neither does an answer in other words:
if other notes state a number, a number of similar length in a note that names the name may be the answer, and if they
state none, one common word is too little evidence unless the name owns it. If the sentence has other names that the
notes speak of, only an owner counts.

Answerable questions for which a missing subject was reported: handbooks in English, German and Spanish 0 of 95, pages
of strangers 0 of 29, sample notes 0 of 50, chats 0 of 1018.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shared.answering.asked import AskedWord, asked_words, only_asks
from shared.judging.quantities import blanked
from shared.language.sentences import sentences
from shared.language.terms import stems_as
from shared.language.vocabulary import vocabulary, words_of_all
from shared.language.words import fold
from shared.markdown.file import aliases_in
from shared.model.index import IndexedChunk
from shared.model.retrieval import Retrieved, Scored
from shared.times.dates import days_in

MAX_SUBJECT = 120
"""Longest text of a missing subject, in characters."""

_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
_OWNS = re.compile(r"['’](?:s\b|(?=\s))")
_GENITIVE = "s"
"""Ending of an owner in a language in which all nouns have capitals; an owner without an article is a name there."""
_NOUN_BEHIND = re.compile(" (.)")
"""First letter of the word that follows an owner."""
_IN_A_SENTENCE = re.compile(r"[\w,;)] \Z")
_DIGITS = re.compile(r"\d(?:[ .,/()-]?\d)*")
"""A number as people write it: `0113 496 0188`."""
_ASKS = re.compile(r"[?？؟][\"'”’)]*\Z")


@dataclass(frozen=True, slots=True)
class MissingSubject:
    """A named person or thing about which no passage says what is asked."""

    text: str
    """What no passage says, in the words of the question: `Marek's phone number`; the name alone if no passage has it.
    """
    note_ids: frozenset[str]
    """Notes that contain the name."""


@dataclass(frozen=True, slots=True)
class _Name:
    """Neighbouring words that make up a name."""

    words: tuple[AskedWord, ...]
    is_written_as_one: bool
    """True if the question writes it as a name, False if only the notes do."""
    owns: bool
    """True if it owns what follows it."""

    @property
    def start(self) -> int:
        return self.words[0].start

    @property
    def end(self) -> int:
        return self.words[-1].end


def missing_subject(question: str, retrieved: Retrieved) -> MissingSubject | None:
    """Returns the first name in the question about which no passage says what is asked; None if there is no such name."""
    if retrieved.notes_read is not None or not retrieved.selected:
        return None
    sentence = _asking_sentence(question)
    words = asked_words(sentence, retrieved.analysis)
    names = _names_with_notes(sentence, words, retrieved)
    for name, naming in names:
        has_other_names = any(notes for other, notes in names if other is not name)
        if has_other_names and not name.owns:
            continue  # they may speak of it in other words: "Who goes to Canada with James?"
        other_words = [word for word in words if word not in name.words]
        if not naming:
            is_missing = name.is_written_as_one
        else:
            demanded: Sequence[AskedWord] = other_words
            if name.owns:
                demanded = _owned_words(sentence, name, other_words) or other_words
            is_missing = _is_said_of_others(retrieved, name, naming, demanded)
        if is_missing:
            text = _phrase(
                sentence,
                name,
                other_words,
                lang=retrieved.analysis.lang,
                is_named=bool(naming),
            )
            return MissingSubject(text, naming)
    return None


def notes_with_all_names(question: str, retrieved: Retrieved, *, limit: int) -> frozenset[str]:
    """Returns the ids of the notes that contain every name in the question; none if there is no name in it.

    If more than `limit` notes do, only those whose title or alias has the names. In a language in which all nouns have
    capitals only names that own something count: other nouns are too often names.
    """
    if retrieved.notes_read is not None or not retrieved.selected:
        return frozenset()
    sentence = _asking_sentence(question)
    words = asked_words(sentence, retrieved.analysis)
    only_owners = vocabulary(retrieved.analysis.lang).nouns_are_capitalised
    names: list[_Name] = []
    notes_by_name: list[frozenset[str]] = []
    for name, notes in _names_with_notes(sentence, words, retrieved):
        if name.owns or not only_owners:
            names.append(name)
            notes_by_name.append(notes)
    if not names:
        return frozenset()

    naming = frozenset.intersection(*notes_by_name)
    if len(naming) <= limit:
        return naming
    chunks = [passage.chunk for passage in retrieved.selected]
    titled = {chunk.note_id for chunk in chunks if all(_is_titled(chunk, name) for name in names)}
    return naming & titled


def _names_with_notes(
    sentence: str,
    words: Sequence[AskedWord],
    retrieved: Retrieved,
) -> list[tuple[_Name, frozenset[str]]]:
    """Returns the names among the words, each with the ids of the notes that have a passage with it."""
    named: list[tuple[_Name, frozenset[str]]] = []
    for name in _names(sentence, words, retrieved):
        named.append((name, _notes_that_name(name, retrieved.selected)))
    return named


def _notes_that_name(name: _Name, passages: Sequence[Scored]) -> frozenset[str]:
    """Returns the ids of the notes that have a passage with the name."""
    note_ids: set[str] = set()
    for passage in passages:
        if _speaks_of(passage.chunk, name):
            note_ids.add(passage.chunk.note_id)
    return frozenset(note_ids)


def _asking_sentence(question: str) -> str:
    """Returns the last sentence that is a question, otherwise the last one."""
    asking_sentence = question
    is_question = False
    for start, end in sentences(question):
        sentence = question[start:end]
        if _ASKS.search(sentence):
            is_question = True
            asking_sentence = sentence
        elif not is_question:
            asking_sentence = sentence
    return asking_sentence


def _names(sentence: str, words: Sequence[AskedWord], retrieved: Retrieved) -> Iterator[_Name]:
    """Yields the names among the words, in order. Neighbouring words are one name unless the first one owns the next."""
    previous: _Name | None = None
    for name in _words_of_names(sentence, words, retrieved):
        if previous is None:
            previous = name
            continue
        are_neighbours = not sentence[previous.end : name.start].strip()
        if not are_neighbours or previous.owns:
            yield previous
            previous = name
            continue
        previous = _Name(
            words=(*previous.words, *name.words),
            is_written_as_one=previous.is_written_as_one or name.is_written_as_one,
            owns=name.owns,
        )
    if previous is not None:
        yield previous


def _words_of_names(
    sentence: str,
    words: Sequence[AskedWord],
    retrieved: Retrieved,
) -> Iterator[_Name]:
    """Yields each word that is a name: written with a capital in the question, or as a name in the notes."""
    lang = retrieved.analysis.lang
    capitals_tell = not vocabulary(lang).nouns_are_capitalised
    capitalised_words = _capitalised_inside(sentence, words)
    names_in_notes = _names_in_notes(
        retrieved.selected,
        _folded(words),
        _folded(capitalised_words),
        capitals_tell=capitals_tell,
    )
    capitals_stand_out = capitals_tell and _has_small_letters(sentence)
    abbreviations = words_of_all("abbreviations")
    for word in words:
        folded_word = fold(word.text)
        if not word.text.isalpha() or folded_word in abbreviations:
            continue
        owns = _is_owner(sentence, word, lang)
        is_written_as_one = owns
        if capitals_stand_out and word in capitalised_words:
            is_written_as_one = True
        if is_written_as_one or folded_word in names_in_notes:
            yield _Name(words=(word,), is_written_as_one=is_written_as_one, owns=owns)


def _capitalised_inside(sentence: str, words: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the capitalised words, except a word that opens the sentence."""
    first_letter = _LETTERS.search(sentence)
    if first_letter is None:
        return []
    start = first_letter.start()
    return [word for word in words if word.start > start and _is_capitalised(word.text)]


def _folded(words: Iterable[AskedWord]) -> frozenset[str]:
    return frozenset([fold(word.text) for word in words])


def _has_small_letters(sentence: str) -> bool:
    """Reports whether a sentence has small letters after its first letter. A query in capitals alone is not a sentence."""
    first_letter = _LETTERS.search(sentence)
    if first_letter is None:
        return False
    behind_first_letter = first_letter.start() + 1
    runs = _LETTERS.findall(sentence, behind_first_letter)
    return any(run[0].islower() for run in runs)


def _is_capitalised(word: str) -> bool:
    """Reports whether a word begins with a capital letter and has small letters, unlike an abbreviation."""
    has_small_letter = any(map(str.islower, word))
    return has_small_letter and word[0].isupper()


def _is_owner(sentence: str, word: AskedWord, lang: str) -> bool:
    """Reports whether a capitalised word is written as the owner of what follows."""
    if not _is_capitalised(word.text):
        return False
    if _OWNS.match(sentence, word.end):
        return True

    # The genitive of a name, where all nouns have capitals: `Annas Budget`.
    language = vocabulary(lang)
    if not language.nouns_are_capitalised or not word.text.endswith(_GENITIVE):
        return False
    noun_behind = _NOUN_BEHIND.match(sentence, word.end)
    if noun_behind is None or not noun_behind[1].isupper():
        return False
    owner = fold(word.text).removesuffix(_GENITIVE)
    if word.stems == (owner,):
        return True

    # Otherwise the letter may be its own: `im Haus`. Other nouns have an article behind a verb.
    words_before = sentence[: word.start].split()
    if not words_before or language.asking is None:
        return False
    verb = re.fullmatch(language.asking.verbs, words_before[-1], re.IGNORECASE)
    return verb is not None


def _names_in_notes(
    passages: Sequence[Scored],
    asked: frozenset[str],
    with_capital: frozenset[str],
    *,
    capitals_tell: bool,
) -> frozenset[str]:
    """Returns the folded words that the passages write as names and never in small letters.

    A title whose words are all in the question is a name. Of other titles only words count that the question
    capitalises too: `new` does not ask for the note "New Year".

    asked: folded words of the question.
    with_capital: those of them that have a capital letter and do not open the sentence.
    """
    capitalised_words, small_words = _words_by_case(passages, capitals_tell=capitals_tell)
    title_words = _title_words(passages, asked, with_capital, capitals_tell=capitals_tell)
    names = capitalised_words | title_words
    return frozenset(names - small_words)


def _words_by_case(
    passages: Iterable[Scored],
    *,
    capitals_tell: bool,
) -> tuple[set[str], set[str]]:
    """Returns the folded words with a capital inside a sentence, more than once, and those in small letters."""
    capitals = Counter[str]()
    small_words: set[str] = set()
    for passage in passages:
        text = passage.chunk.text
        for match in _LETTERS.finditer(text):
            word = match[0]
            if word[0].islower():
                small_words.add(fold(word))
            elif capitals_tell and _is_capitalised(word):
                start = match.start()
                signs_before = text[max(0, start - 2) : start]
                if _IN_A_SENTENCE.search(signs_before):
                    capitals[fold(word)] += 1
    capitalised_words = {word for word, count in capitals.items() if count >= 2}
    return capitalised_words, small_words


def _title_words(
    passages: Sequence[Scored],
    asked: frozenset[str],
    with_capital: frozenset[str],
    *,
    capitals_tell: bool,
) -> set[str]:
    """Returns the folded words of the titles and aliases that the question names; see `_names_in_notes`."""
    names: set[str] = set()
    for passage in passages:
        own_title = passage.chunk.title
        for title in (own_title, *aliases_in(passage.chunk.properties)):
            title_words = title.split()
            is_one_noun = len(title_words) == 1 and not capitals_tell
            if is_one_noun or not all(map(_is_part_of_name, title_words)):
                continue
            folded_words = frozenset(map(fold, title_words))
            is_asked_whole = folded_words <= asked
            if len(title_words) == 1 and title == own_title:
                is_asked_whole = is_asked_whole and _is_in_a_text(title, passages)
            if is_asked_whole:
                names |= folded_words
            else:
                names |= folded_words & with_capital
    return names


def _is_in_a_text(word: str, passages: Iterable[Scored]) -> bool:
    """Reports whether the text of a passage, titles and headings aside, has a word."""
    for passage in passages:
        written_words = map(fold, _LETTERS.findall(passage.chunk.text))
        if fold(word) in written_words:
            return True
    return False


def _is_part_of_name(word: str) -> bool:
    return word.isalpha() and _is_capitalised(word)


def _speaks_of(chunk: IndexedChunk, name: _Name) -> bool:
    """Reports whether a passage, its headings or the names of its note hold every word of a name."""
    texts = (chunk.title, chunk.heading_path, chunk.path, chunk.text, *chunk.properties)
    written_words = _folded_words_in(texts)
    for word in name.words:
        has_stems = all(chunk.terms.get(stem) for stem in word.stems)
        if not has_stems and _spellings(word, name).isdisjoint(written_words):
            return False
    return True


def _is_titled(chunk: IndexedChunk, name: _Name) -> bool:
    """Reports whether the title of a chunk's note, or its aliases, hold every word of a name."""
    written_words = _folded_words_in((chunk.title, *aliases_in(chunk.properties)))
    return not any(_spellings(word, name).isdisjoint(written_words) for word in name.words)


def _folded_words_in(texts: Iterable[str]) -> set[str]:
    return set(map(fold, _WORD.findall(" ".join(texts))))


def _spellings(word: AskedWord, name: _Name) -> set[str]:
    """Returns a word of a name as a note may write it, folded: an owner also without its ending."""
    folded_word = fold(word.text)
    if name.owns:
        return {folded_word, folded_word.removesuffix(_GENITIVE)}
    return {folded_word}


def _is_said_of_others(
    retrieved: Retrieved,
    name: _Name,
    naming: frozenset[str],
    words: Sequence[AskedWord],
) -> bool:
    """Reports whether only notes without the name hold what is asked about it.

    naming: ids of the notes that contain the name.
    words: what is asked about it.
    """
    asked_stems: set[str] = set()
    for word in words:
        asked_stems.update(word.stems)

    # 1. The notes that name it hold none of it.
    other_chunks: list[IndexedChunk] = []
    naming_chunks: list[IndexedChunk] = []
    for passage in retrieved.selected:
        if passage.chunk.note_id not in naming:
            other_chunks.append(passage.chunk)
            continue
        naming_chunks.append(passage.chunk)
        if passage.chunk.stems_among(asked_stems):
            return False

    # 2. Another note holds all of it. Words that no passage holds are left aside: they tell none of them apart.
    stems_of_others = [chunk.stems_among(asked_stems) for chunk in other_chunks]
    known_stems = set().union(*stems_of_others)
    if not known_stems:
        return False
    # Words of one phrase, known or not, say one thing, which different notes may say in part.
    is_one_phrase = _are_neighbours(words)
    if not is_one_phrase and known_stems not in stems_of_others:
        return False

    # 3. A note that names it may answer in other words: by a number as long, or where one word is asked.
    sentences_about = _sentences_about(known_stems, other_chunks, retrieved)
    stated_length = _longest_number(sentences_about)
    if stated_length > 0:
        length_in_naming = _longest_number(_lines(naming_chunks))
        return 2 * length_in_naming <= stated_length
    known_words = [word for word in words if known_stems.issuperset(word.stems)]
    return name.owns or len(known_words) > 1


def _are_neighbours(words: Sequence[AskedWord]) -> bool:
    """Reports whether the words stand side by side, with a single blank between them."""
    for word, following in pairwise(words):
        if word.end + 1 != following.start:
            return False
    return True


def _sentences_about(
    asked_stems: set[str],
    chunks: Iterable[IndexedChunk],
    retrieved: Retrieved,
) -> list[str]:
    """Returns the sentences and properties that hold the most of what is asked."""
    analysis = retrieved.analysis
    best: list[str] = []
    best_weight = 0.0
    for line in _lines(chunks):
        shared_stems = asked_stems & stems_as(line, analysis.lang, analysis.renamed)
        weight = sum(retrieved.weights.get(stem, 0.0) for stem in shared_stems)
        if weight > best_weight:
            best_weight = weight
            best = []
        if shared_stems and weight == best_weight:
            best.append(line)
    return best


def _lines(chunks: Iterable[IndexedChunk]) -> Iterator[str]:
    """Yields the properties and the sentences of some chunks."""
    for chunk in chunks:
        yield from chunk.properties
        for start, end in sentences(chunk.text):
            yield chunk.text[start:end]


def _longest_number(lines: Iterable[str]) -> int:
    """Returns the number of digits of the longest number in some lines, 0 without a number. Dates do not count."""
    longest = 0
    for line in lines:
        without_days = blanked(line, days_in(line))
        for number in _DIGITS.findall(without_days):
            digit_count = sum(map(str.isdigit, number))
            longest = max(longest, digit_count)
    return longest


def _phrase(
    sentence: str,
    name: _Name,
    others: Sequence[AskedWord],
    *,
    lang: str,
    is_named: bool,
) -> str:
    """Returns what is asked about a name: `Marek's phone number`, `Priya allergic to peanuts`, `Priya (allergies)`.

    is_named: True if a passage contains the name. Otherwise nothing is known of it, and only the name is returned.
    """
    if name.owns:
        end = _end_of_owner(sentence, name)
        owned = _owned_words(sentence, name, others) or _word_behind_another(sentence, end, others)
        if owned:
            end = owned[-1].end
        return _shortened(sentence[name.start : end])

    name_alone = sentence[name.start : name.end]
    others = _without_request(sentence, name, others, lang)
    if not others or not is_named:
        return _shortened(name_alone)

    # As the sentence puts it, unless its verb stands between: "What allergies does Priya have?"
    start = min(name.start, others[0].start)
    end = max(name.end, others[-1].end)
    text = sentence[start:end]
    is_at_an_end = name.start == start or name.end == end
    if is_at_an_end and "," not in text and not _has_verb_of_question(text, lang):
        return _shortened(text)
    asked = ", ".join(_neighbours_joined(sentence, others))
    return _shortened(f"{name_alone} ({asked})")


def _without_request(
    sentence: str,
    name: _Name,
    others: Sequence[AskedWord],
    lang: str,
) -> list[AskedWord]:
    """Leaves out the words that only ask: `give me`, `show`; if a name that ends the sentence is a genitive (`number of
    Marek`), all words but those that it belongs to.
    """
    asking = vocabulary(lang).asking
    words = [word for word in others if not only_asks(word, lang)]
    if asking is None or not asking.asker or not asking.genitive:
        return words

    request = re.match(rf"\W*\w+\s+(?:{asking.asker})\b", sentence, re.IGNORECASE)
    if request is not None:
        words = [word for word in words if word.start >= request.end()]

    genitive = re.compile(rf"\s(?:{asking.genitive})\s?", re.IGNORECASE)
    end = name.start
    belonging: list[AskedWord] = []
    for word in reversed(words):
        between = sentence[word.end : end]
        is_neighbour = bool(belonging) and between == " "
        if not is_neighbour and not genitive.fullmatch(between):
            break
        belonging.insert(0, word)
        end = word.start
    return belonging or words


def _has_verb_of_question(text: str, lang: str) -> bool:
    """Reports whether a text holds an auxiliary or another verb that forms questions."""
    asking = vocabulary(lang).asking
    if asking is None:
        return False
    patterns = filter(None, (asking.verbs, asking.past, asking.present))
    verb = re.compile("|".join(patterns), re.IGNORECASE)
    return any(map(verb.fullmatch, text.split()))


def _neighbours_joined(sentence: str, words: Sequence[AskedWord]) -> list[str]:
    """Returns words as the sentence writes them; words with a single blank between them are joined."""
    phrases: list[str] = []
    previous_end = -1
    for word in words:
        between = sentence[previous_end : word.start]
        if phrases and between == " ":
            phrases[-1] += f" {word.text}"
        else:
            phrases.append(word.text)
        previous_end = word.end
    return phrases


def _owned_words(sentence: str, name: _Name, others: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the words directly behind an owner, which are what it owns."""
    end = _end_of_owner(sentence, name)
    owned: list[AskedWord] = []
    for word in others:
        between = sentence[end : word.start]
        if between == " ":
            owned.append(word)
            end = word.end
    return owned


def _word_behind_another(sentence: str, end: int, others: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the word that follows one which was not searched for: `name` in `Ana's last name`."""
    for word in others:
        words_between = sentence[end : word.start].split()
        if word.start > end and len(words_between) == 1:
            return [word]
    return []


def _end_of_owner(sentence: str, name: _Name) -> int:
    """Returns where a name ends, including its ending as an owner."""
    owns = _OWNS.match(sentence, name.end)
    if owns is None:
        return name.end
    return owns.end()


def _shortened(text: str) -> str:
    if len(text) <= MAX_SUBJECT:
        return text
    beginning = text[:MAX_SUBJECT]
    return f"{beginning.rstrip()}…"
