"""How each language asks, by closed classes of words: what opens a question, what tells past from duty.

Verbs of no language are listed but auxiliaries and modals; Spanish tells its past by endings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class AskingWords:
    """One language's words, lower case, as alternatives of a regular expression."""

    questions: str
    """Question words, at the start of a clause that asks or behind one word (`at what point`)."""
    verbs: str
    """Verbs with which a question or a command begins."""
    past: str
    """Auxiliaries and endings of the past."""
    duty: str
    """What the person may, can or must do."""
    genitive: str
    """What makes a time an attribute of a thing."""


WORDS: Mapping[str, AskingWords] = {
    "en": AskingWords(
        questions=r"who|whom|whose|what|when|where|which|why|how",
        verbs=r"did|was|were|had|has|have|is|are|am|may|can|could|should|must|do|does|will|would|shall|show|list|find|"
        r"summari[sz]e|tell",
        past=r"did|was|were|had|has|have",
        duty=r"(?:may|can|could|should|shall|must|do|am|will|would|need) (?:i|we)",
        genitive=r"of|from",
    ),
    "de": AskingWords(
        questions=r"wer|wen|wem|wessen|was|wann|wo|woher|wohin|welche[rnms]?|warum|wieso|wie|worüber|wofür|womit",
        verbs=r"hat|habe|haben|war|waren|wurden?|ist|sind|darf|dürfen|kann|können|muss|müssen|soll|sollen|zeige?|nenne?|"
        r"finde?|fasse?",
        past=r"hat|habe|haben|hatten?|war|waren|wurden?|stand",
        duty=r"(?:darf|dürfen|kann|können|könnte|muss|müssen|soll|sollen|sollte|brauche|bin) (?:ich|wir|man)",
        genitive=r"von|vom|aus|des",
    ),
    "es": AskingWords(
        questions=r"quién|quien|qué|cuándo|dónde|cuál(?:es)?|cuánt[oa]s?|cómo",
        verbs=r"enséñame|muestra|muéstrame|resume|busca",
        past=r"ha|he|hemos|han|había|fue|fueron|era|eran|estuv\w+|\w+(?:é|ó|aron|ieron|amos|imos)",
        duty=r"puedo|podemos|debo|debemos|tengo que|tenemos que|hay que|se puede",
        genitive=r"del?",
    ),
    "fr": AskingWords(
        questions=r"qui|que|quoi|quand|où|quel(?:le)?s?|pourquoi|comment|combien|qu['’]\w+",
        verbs=r"est-ce|puis-je|dois-je|peut-on|faut-il|ai-je|avons-nous|a-t-\w+|montre|résume|trouve",
        past=r"ai|a|as|avons|avez|ont|avait|était|étions|étaient|est-il venu|a-t",
        duty=r"puis-je|dois-je|peut-on|doit-on|faut-il|(?:je|on) (?:peux|peut|dois|doit)|nous (?:pouvons|devons)",
        genitive=r"de|du|d['’]",
    ),
}


@dataclass(frozen=True, slots=True)
class Asking:
    """A language's words as expressions."""

    opening: re.Pattern[str]
    """Matches where a clause begins that asks."""
    past: re.Pattern[str]
    duty: re.Pattern[str]
    genitive: re.Pattern[str]
    """At the end of what stands before a time."""


@cache
def asking(lang: str) -> Asking:
    """The language's expressions, made on first use; those of English for a language without words."""
    words = WORDS.get(lang, WORDS["en"])
    return Asking(
        opening=re.compile(rf"\s*¿|\s*(?:(?:\w+\s)?(?:{words.questions})|{words.verbs})(?!\w)", re.IGNORECASE),
        past=_whole(words.past),
        duty=_whole(words.duty),
        genitive=re.compile(rf"\w\s+(?:{words.genitive})\s*(?:the|der|dem|la|le|l['’])?\s*\Z", re.IGNORECASE),
    )


def _whole(alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)
