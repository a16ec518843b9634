"""The words by which a question leans on an earlier one, in four languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Words:
    """Regular expressions, matched without regard to case."""

    opening: re.Pattern[str]
    """How a question begins that goes on from another: "and what about"."""
    asks_the_same: re.Pattern[str]
    """The openings after which only what is new is named: "what about"."""
    pointing: re.Pattern[str]
    """Words for things: what they point at stands elsewhere, or before them in the question itself."""
    person: re.Pattern[str]
    """The same for people."""
    empty: frozenset[str]
    """Content words that name no subject: "other", "much", "explain"."""
    glue: frozenset[str]
    """Articles and prepositions: what a fragment ("for the garden?") may hold beside its content."""
    determiners: frozenset[str]
    before_time: tuple[str, ...]
    """What makes a bare month or weekday a time."""
    between: str
    """Two days into a range that the grammar of times reads."""
    before: str
    """The same, open at the start."""


_CLAUSE = re.compile(
    r"[,;:.]|\b(?:and|but|because|when|if|und|aber|weil|wenn|y|pero|porque|cuando|et|mais|quand)\b", re.IGNORECASE
)
"""Where one part of a question ends and the next begins."""

_SURELY_ENGLISH = re.compile(r"\b(?:the|did|does|do|is|are|what|where|when|how|why|which|who)\b", re.IGNORECASE)


def _words(
    opening: str, asks_the_same: str, pointing: str, person: str, *, empty: str, glue: str, determiners: str,
    before_time: str, between: str, before: str,
) -> Words:  # fmt: skip
    def starts(pattern: str) -> re.Pattern[str]:
        return re.compile(rf"[\s¿¡]*(?:{pattern})(?!\w)[\s,:]*", re.IGNORECASE)

    return Words(
        starts(opening),
        starts(asks_the_same),
        re.compile(pointing, re.IGNORECASE),
        re.compile(rf"\b(?:{person})\b", re.IGNORECASE),
        frozenset(empty.split()),
        frozenset(f"{glue} {determiners}".split()),
        frozenset(determiners.split()),
        tuple(before_time.split()),
        between,
        before,
    )


def clause_ends(text: str) -> bool:
    """Whether a clause ends in it."""
    return _CLAUSE.search(text) is not None


def goes_on_in_another(text: str, previous: str, lang: str) -> bool:
    """Whether it opens like a follow-up in another language than `lang`, the one that `previous` was taken to be in.

    English is also what is said of a text too short to tell: it counts where an English word is there.
    """
    if words_of(lang).opening.match(text):
        return False
    if lang == "en" and not _SURELY_ENGLISH.search(previous):
        return False
    return any(words.opening.match(text) for words in _TABLE.values())


@cache
def words_of(lang: str) -> Words:
    """English for a language without a table."""
    return _TABLE.get(lang, _TABLE["en"])


_TABLE = {
    "en": _words(
        r"(?:and|or|but|so|also|then|ok(?:ay)?|well)(?:,? (?:what|how) about)?|(?:what|how) about|same (?:question )?for",
        r"(?:(?:and|or|but|so|ok(?:ay)?|well),? )?(?:(?:what|how) about|same (?:question )?for)",
        r"\b(?:it(?!(?:'s|’s)? (?:worth|possible|true|raining|time|like to))|its|they|them|theirs?|these|those|"
        r"(?:the|that|this|which|another|other|first|second|third|last|next|older|newer|cheaper) ones?|another|"
        r"the (?:other|same|former|latter|first|second|rest)|else|others?|"
        r"this(?= (?:one|too|again|for|mean|cost|happen|work)|\s*[?.!]|$)|"
        r"(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )there(?!'s|’s| is| are| was| were)|"
        r"that(?=\s*[?.!]|$|\s+(?:one|day|time|place|for|mean|cost|happen|work|end|go|down|up|again|too|to|into|in)\b)|"
        r"(?<=is )that|(?<=was )that|(?<=about )that|(?<=after )that|(?<=before )that|(?<=with )that)(?!\w)",
        r"he|she|him|her|his|hers|himself|herself",
        empty="much many more most other others one ones else same second first third last next long often far big old "
        "detail details explain elaborate continue example exactly sure really anything something everything "
        "tell say mean please also again yes ok okay well former latter rest another thing things happen happened",
        glue="for in on at with without about from of to by during since before after and or but then only",
        determiners="the a an my our your his her its their this that these those any some",
        before_time="in on",
        between="between {} and {}",
        before="before {}",
    ),
    "de": _words(
        r"(?:und|oder|aber|auch|dann|ok(?:ay)?|also)(?:,? (?:was ist (?:mit|bei)|wie (?:ist|war) es (?:mit|bei)|"
        r"wie sieht es (?:mit|bei|für)))?|was ist (?:mit|bei)|wie (?:ist|war) es (?:mit|bei)|wie sieht es (?:mit|bei)",
        r"(?:(?:und|oder|aber|ok(?:ay)?),? )?(?:was ist (?:mit|bei)|wie (?:ist|war) es (?:mit|bei)|wie sieht es (?:mit|bei))",
        r"\b(?:(?<!gibt )(?<!gab )(?<!geht )(?<!ging )es(?! (?:gibt|gab|geht|um))|davon|damit|dafür|dazu|darüber|dabei|"
        r"daran|darauf|danach|davor|darin|dort|dorthin|jene[rsnm]?|dies(?:e[rsnm]?)?|"
        r"(?:de[rmns]|die|das|einen?|eine[rm]?) (?:andere[nrs]?|gleiche[n]?|erste[n]?|zweite[n]?|letzte[n]?)|"
        r"d(?:er|as|ie|en|em)selben?|andere[rns]?|sonst|das(?=\s*[?.!]|$|\s+(?:war|ist|hat|kostet|kostete|heißt)\b)|"
        r"(?<=war )das|(?<=ist )das|(?<=heißt )das|(?<=kostet )das|(?<=kostete )das)(?!\w)",
        r"er|ihn|ihm|ihr|ihnen|sie|sein|seine[rnms]?|ihre[rnms]?",
        empty="viel viele mehr andere anderen anderer anderes anderem gleiche gleichen erste ersten zweite zweiten letzte "
        "letzten lange oft weit groß alt genau genauer einzelheiten details beispiel erklär erkläre erklären weiter "
        "erzähl sag meinst bitte wirklich sonst etwas alles nochmal ja ok okay sache",
        glue="für in im an am mit ohne über von vom zu zum zur bei beim aus auf nach seit vor und oder aber dann nur",
        determiners="der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner unser unsere "
        "dein deine ihr ihre sein seine dies diese dieser dieses diesen diesem",
        before_time="im am",
        between="zwischen {} und {}",
        before="vor {}",
    ),
    "es": _words(
        r"(?:y|e|o|pero|también|entonces|vale)(?:,? (?:qué (?:tal|hay de|hay del|pasa con)))?|qué (?:tal|hay de|hay del|pasa con)",
        r"(?:(?:y|o|pero),? )?qué (?:tal|hay de|hay del|pasa con)",
        r"\b(?:eso|esto|aquello|allí|allá|ahí|es[ae]s?|esos|aquel(?:la|los|las)?|lo mismo|l[ao]s? mism[ao]s?|el mismo|"
        r"(?:el|la|los|las|un|una) ?otr[ao]s?|otr[ao]s?|(?:el|la) (?:primer[ao]|segund[ao]|últim[ao])|lo(?! que)(?= \w+[éóíáaeo]\b)|"
        r"más)(?!\w)",
        r"él|ella|ellos|ellas|le|les",
        empty="otro otra otros otras mismo misma más mucho mucha primero primera segundo segunda último última tiempo "
        "detalle detalles explica explicar ejemplo exactamente seguro algo todo dime decir favor también sí vale cosa",
        glue="para en con sin sobre de del a al por desde antes durante y o pero entonces solo",
        determiners="el la los las un una unos unas mi mis nuestro nuestra tu su sus este esta estos estas ese esa esos esas",
        before_time="en el",
        between="entre {} y {}",
        before="antes de {}",
    ),
    "fr": _words(
        r"(?:et|ou|mais|aussi|alors|ok)(?:,? (?:qu['’]en est-il (?:de la|de l['’]|du|des|de)|quid (?:de la|du|des|de)))?|"
        r"qu['’]en est-il (?:de la|de l['’]|du|des|de)|quid (?:de la|du|des|de)",
        r"(?:(?:et|ou|mais),? )?(?:qu['’]en est-il (?:de la|de l['’]|du|des|de)|quid (?:de la|du|des|de))",
        r"(?<!y a)-t-(?:il|elle)s?\b|(?<!est-)(?<!qu)\b(?:ça|cela|ceci|celui(?:-ci|-là)?|celles?(?:-ci|-là)?|ceux(?:-ci|-là)?|là-bas|là|"
        r"l['’]autre|les autres|d['’]autres?|autres?|l[ea] mêmes?|les mêmes|l[ea] (?:premi(?:er|ère)|second[e]?|deuxième|dernier)|"
        r"c['’](?:est|était)(?! que)|(?<=quand )l['’](?=ai|as|a\b|avons)|(?<=où )l['’](?=ai|as|a\b|avons)|"
        r"\ben(?= (?:est|était|sera|sont|étaient|ai|as|a|avons|avez|ont|avait|aura)\b)|"
        r"(?<=combien )l['’](?=ai|as|a\b|avons)|(?<=pourquoi )l['’](?=ai|as|a\b|avons))",
        r"elle|elles|lui|leur|eux",
        empty="autre autres même mêmes plus beaucoup premier première second seconde deuxième dernier dernière longtemps "
        "détail détails explique expliquer exemple exactement sûr chose tout dis dire encore aussi oui ok",
        glue="pour en dans avec sans sur de du des d à au aux par depuis avant pendant et ou mais alors "
        "seulement chez l",
        determiners="le la les l un une mon ma mes notre nos ton ta son sa ses leur leurs ce cet cette ces",
        before_time="en le",
        between="entre {} et {}",
        before="avant {}",
    ),
}
