"""Question and a name in it -> what is asked about the name, in the words of the question: `Marek's phone number`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shared.answering.asked import AskedWord, only_asks
from shared.answering.names import Name
from shared.answering.owners import end_of_owner, owned_words, words_of_genitive
from shared.language.vocabulary import vocabulary

MAX_SUBJECT = 120
"""Longest text of a missing subject, in characters."""


def subject_in_words(
    sentence: str,
    name: Name,
    others: Sequence[AskedWord],
    *,
    lang: str,
    is_named: bool,
) -> str:
    """Returns what is asked about a name: `Marek's phone number`, `Priya allergic to peanuts`, `Priya (allergies)`.

    is_named: True if a passage contains the name. Otherwise nothing is known of it, and only the name is returned.
    """
    if name.owns:
        end = _end_of_owned(sentence, name, others)
        return _shortened(sentence[name.start : end])

    name_alone = sentence[name.start : name.end]
    belonging = words_of_genitive(sentence, name.start, others, lang)
    asked_words = belonging or without_request(sentence, others, lang)
    if not asked_words or not is_named:
        return _shortened(name_alone)

    # As the sentence puts it, unless its verb stands between: "What allergies does Priya have?"
    first_word = asked_words[0]
    last_word = asked_words[-1]
    start = min(name.start, first_word.start)
    end = max(name.end, last_word.end)
    text = sentence[start:end]
    is_at_an_end = name.start == start or name.end == end
    is_one_phrase = is_at_an_end and "," not in text
    if is_one_phrase and not _has_verb_of_question(text, lang):
        return _shortened(text)
    phrases = ", ".join(_neighbours_joined(sentence, asked_words))
    return _shortened(f"{name_alone} ({phrases})")


def what_belongs(
    sentence: str,
    name: Name,
    others: Sequence[AskedWord],
    lang: str,
) -> list[AskedWord]:
    """Returns the words for what belongs to a name, by an ending or a preposition: `Marek's phone`, `phone of Marek`."""
    if name.owns:
        return owned_words(sentence, name.end, others)
    return words_of_genitive(sentence, name.start, others, lang)


def _end_of_owned(sentence: str, name: Name, others: Sequence[AskedWord]) -> int:
    """Returns where the words for what a name owns end, or else the name with its ending."""
    end_of_name = end_of_owner(sentence, name.end)
    owned = owned_words(sentence, name.end, others)
    if not owned:
        owned = _word_behind_another(sentence, end_of_name, others)
    if not owned:
        return end_of_name
    return owned[-1].end


def _word_behind_another(sentence: str, end: int, others: Sequence[AskedWord]) -> list[AskedWord]:
    """Returns the word that follows one which was not searched for: `name` in `Ana's last name`."""
    for word in others:
        if word.start <= end:
            continue
        words_between = sentence[end : word.start].split()
        if len(words_between) == 1:
            return [word]
    return []


def without_request(sentence: str, words: Sequence[AskedWord], lang: str) -> list[AskedWord]:
    """Leaves out the words that only ask: `give me`, `can you show us`."""
    asking = vocabulary(lang).asking
    telling_words = [word for word in words if not only_asks(word, lang)]
    if asking is None or not asking.asker:
        return telling_words
    request = re.match(
        rf"\W*(?:(?:{asking.verbs})\s+\w+\s+)?\w+\s+(?:{asking.asker})\b",
        sentence,
        re.IGNORECASE,
    )
    if request is None:
        return telling_words
    end_of_request = request.end()
    return [word for word in telling_words if word.start >= end_of_request]


def _has_verb_of_question(text: str, lang: str) -> bool:
    """Reports whether a text holds an auxiliary or another verb that forms questions."""
    asking = vocabulary(lang).asking
    if asking is None:
        return False
    patterns = filter(None, (asking.verbs, asking.past, asking.present))
    any_verb = "|".join(patterns)
    verb = re.compile(any_verb, re.IGNORECASE)
    words = text.split()
    return any(map(verb.fullmatch, words))


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


def _shortened(text: str) -> str:
    if len(text) <= MAX_SUBJECT:
        return text
    beginning = text[:MAX_SUBJECT]
    return f"{beginning.rstrip()}…"
