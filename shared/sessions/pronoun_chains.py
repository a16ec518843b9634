"""What one pronoun after the other leaves behind of a question that an earlier step made whole.

Who is responsible for that (launch date Aurora)?
Has it been tested?     it: the same thing; what was asked of it is done with       -> (launch date Aurora)
When did she start?     she: the one who was asked for, and what she does is named  -> (responsible Aurora)
"""

from __future__ import annotations

import re

from shared.sessions.follow_up_words import Words
from shared.sessions.new_subjects import asked_in, names_in
from shared.text.terms import content_words

_WHO = re.compile(r"\b(?:who|whom|wer|wen|wem|quién|quiénes|qui)\b", re.IGNORECASE)


def left_behind(text: str, before: str, words: Words, lang: str, *, thing: bool) -> set[str]:
    """The words of `before` that `text` does not carry. `thing`: it points at a thing, else at a person.

    Empty where no step has added anything to `before`.
    """
    own, _, added = before.partition(" (")
    if not added:
        return set()
    pattern = words.pointing if thing else words.person
    now, earlier = ({found[0].lower() for found in pattern.finditer(each)} for each in (text, own))
    if now & earlier:
        return _content(own, lang)
    if earlier:
        return asked_in(own, words, lang, names=False)
    names = names_in(added, words, lang, anywhere=True)
    return _content(added, lang) - names if names and not thing and _WHO.search(own) else set()


def _content(text: str, lang: str) -> set[str]:
    return {text[start:end] for _, start, end in content_words(text, lang)}
