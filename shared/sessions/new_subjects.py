"""What of an earlier question stays when the next one names another subject: what was asked, not of what.

By rule: a noun stands after an article, a preposition or "how many", alone or in a row of content words; what stands
elsewhere is the verb or the one who did it.
"""

from __future__ import annotations

import re

from shared.sessions.follow_up_words import Words
from shared.text.terms import content_words

_WORD = re.compile(r"[\w'’-]+")
_MANY = frozenset(
    {"many", "much", "which", "what", "cuántos", "cuántas", "wieviele", "viele", "welche", "welcher", "welches"}
    | {"quel", "quelle", "quels", "quelles"}
)
_TOPIC = frozenset(
    {"about", "on", "over", "regarding", "über", "zu", "zum", "zur", "für", "wegen", "sobre", "sur", "concernant"}
)
"""After these a name is the subject and not a place or a person who speaks."""
_LATE_VERBS = {
    "en": r"(?:cost|say|said|mean|work|start|end|take|last|happen|begin|go|leave|arrive|depart|open|close|finish|weigh|"
    r"recommend|suggest|decide|write|wrote|tell|told|mention|ask|want|need|like|plan|agree|run|fail|break)s?\b",
    "de": r"[a-zäöüß]+\b(?!\s+[A-ZÄÖÜ])",
    "es": r"\w+[éíó]\b|cuestan?\b|costaron\b",
    "fr": r"coûtent?\b|coûté\b|dit\b",
}
"""Verbs that may follow their noun at once: "the raised beds cost". German writes nouns with a capital."""


def asked_of_any(before: str, words: Words, lang: str, *, names: bool) -> set[str]:
    """The content words of `before` that go with another subject too; with `names`, also its places and people.

    A question that an earlier step made whole, "And pricing (decide)?", is asked by what it adds in brackets only
    where its own words ask nothing.
    """
    own, _, added = before.partition(" (")
    return asked_in(own, words, lang, names=names) or asked_in(added, words, lang, names=names)


def asked_in(text: str, words: Words, lang: str, *, names: bool) -> set[str]:
    """The same of a text without brackets."""
    kept, in_noun, end_before = set[str](), False, 0
    verb = re.compile(_LATE_VERBS.get(lang, r"(?!)"))
    for word, start, end in content_words(text, lang):
        spoken = _WORD.findall(text[:start])
        last = spoken[-1].lower().rstrip("'’") if spoken else ""
        row = in_noun and not text[end_before:start].strip(" -")
        in_noun = row or last in words.glue | _MANY or text[start - 1 : start] in {"'", "’"}
        end_before = end
        name = bool(spoken) and text[start].isupper() and last not in words.determiners | _TOPIC and not row
        if word in words.empty:
            continue
        if (name and names) or (verb.match(text, start) and last not in words.determiners):
            kept.add(text[start:end])
            in_noun = False
        elif not in_noun and not name:
            kept.add(text[start:end])
    return kept


def names_in(text: str, words: Words, lang: str, *, anywhere: bool = False) -> set[str]:
    """Capitalised words without an article before them: `Elena`, not `the API`; German nouns mostly have one.

    `anywhere`: at the start too, where a question begins with a capital.
    """
    found = set()
    for _, start, end in content_words(text, lang):
        before = _WORD.findall(text[:start])
        has_article = bool(before) and before[-1].lower() in words.determiners
        if text[start].isupper() and not has_article and (before or anywhere):
            found.add(text[start:end])
    return found
