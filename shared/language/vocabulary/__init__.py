"""Every word of every language, once: a file a language, each with a `VOCABULARY` of what is listed here.

Plain data: what a table means is said where it is read (`language`, `times`, `judging`, `sessions`, `answering`). A
language is added by its file alone, which is found by its name, an ISO 639-1 code, and loaded when it is first asked
for; `tests/language/test_vocabulary.py` says what it must hold.

Lists are words with blanks between them. Patterns are alternatives of a regular expression, without a group around
them, and match whole words; everything is lower case and matches in any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How it asks, by closed classes of words: what opens a question, what tells past from duty. Patterns.

    No verbs are listed but auxiliaries and modals; a language may tell its past by endings.
    """

    questions: str = ""
    """Question words, at the start of a clause that asks or behind one word (`at what point`)."""
    verbs: str = ""
    """Verbs with which a question or a command begins."""
    past: str = ""
    """Auxiliaries and endings of the past."""
    present: str = ""
    """What is so now, or as a habit: forms of `be`."""
    duty: str = ""
    """What the person may, can or must do."""
    everything: str = ""
    """A list: words that beside a time alone ask for all that was written then: `what happened`, `summarise`."""
    genitive: str = ""
    """What makes a time an attribute of a thing."""
    articles: str = ""
    """Words that may stand between it and the time."""
    possessive: str = ""
    """What does the same behind the time: `last week's`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to name a time. `kind`: a key of `times.resolvers.RESOLVERS`, whose function says which named groups it
    reads; `weak`: needs a preposition before it, unless it is a weekday that stands by itself.

    In its pattern `{unit}`, `{n}`, `{most}`, `{nth}`, `{weekday}`, `{weekend}`, `{month}`, `{season}`, `{feast}`,
    `{decade}` and `{year}` stand for the language's words, `{period}` for a unit longer than a day, a weekday, weekend,
    month or season, a blank for any white space.
    """

    kind: str
    pattern: str
    weak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How it names times. Forms of one word are alternatives with `|` between them, the usual one first."""

    units: Mapping[str, str] = field(default_factory=dict)
    """`day`, `week`, `month`, `quarter`, `half`, `year` -> its forms."""
    weekend: str = ""
    """A pattern."""
    weeks: str = ""
    """A pattern: words before the number of a week, or behind it."""
    quarter_letters: str = "q"
    half_letters: str = "h"
    """Each a letter beside the number of a quarter or half: `Q2 2024`."""
    month_first: bool = False
    """Whether `7/4` is the fourth of July where the zone is American or unknown."""
    fortnights: str = ""
    """Forms of a unit of two weeks."""
    weekdays: tuple[str, ...] = ()
    """Forms of each, Monday first."""
    months: tuple[str, ...] = ()
    """Forms of each that mean it in any sentence, January first. The first form is written in dates."""
    short_months: Mapping[str, int] = field(default_factory=dict)
    """What means a month only beside a day or a year. Read in texts of every language, so none is a word of another."""
    verbs_as_months: str = ""
    """A list: those of the months that are verbs, too."""
    seasons: tuple[str, str, str, str] = ("", "", "", "")
    """Forms of each, spring first."""
    feasts: Mapping[str, str] = field(default_factory=dict)
    """Days, as `times.calendar.feast` reads them -> its forms."""
    decades: tuple[str, ...] = ()
    """Forms of the twenties to the nineties; empty: those of `tens`."""
    numbers: tuple[str, ...] = ()
    """Forms of one to twelve."""
    tens: tuple[str, ...] = ()
    """Twenty to ninety."""
    more_numbers: Mapping[str, int] = field(default_factory=dict)
    tens_join: str = ""
    """Text between ten and one where the ten comes first: `twenty-one`. Empty: they are not read."""
    few: str = ""
    """Numbers that name none: `several`."""
    ordinals: tuple[str, ...] = ()
    """Forms of the first, the second and so on as far as the rules name them, without the last."""
    rules: tuple[Rule, ...] = ()
    prepositions: str = ""
    """What makes a weak match a time, directly before it."""
    articles: str = ""
    """Words that may stand between what precedes a time and the time, besides those that the patterns name."""
    attributes_follow: str = ""
    """Words directly before a weekday that make it one of something: `my Friday`, `the first Monday`."""
    operators: Mapping[str, str] = field(default_factory=dict)
    """`since`, `after`, `before`, `until`, `by`, `more than`, `within` -> pattern directly before a time. `by` is
    `until` where the time is no bare weekday or month.
    """
    behind: Mapping[str, str] = field(default_factory=dict)
    """`since`, `until`, `included`, or `from`, which means `since` where the time has `between` before it -> pattern
    directly behind a time: `onwards`.
    """
    unread: str = ""
    """Connectives directly before a time whose days no range can say: `except`. Beside one a time only orders."""
    on_days: str = ""
    """What makes two numbers with a slash a day, directly before them."""
    distances: tuple[Rule, ...] = ()
    """What makes `before` and `after` a distance from a time, directly before them."""
    ordinal_days: tuple[Rule, ...] = ()
    """What names one day, weekend or week of a time, directly before it: `the first Monday of`."""
    named: str = ""
    """Behind which a word is spoken of and does not speak, directly before it: `spell Wednesday`."""
    named_parts: str = ""
    """Things that bear names of days, months and quarters, directly before one: `column Q1`."""
    between: str = ""
    """What opens a range, directly before its first end."""
    joiners: str = ""
    """Words between the two ends of a range."""
    links: str = ""
    """Words between two times that are one, a comma aside: `March of last year`. The day of the note follows
    `said`."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """One of `times.calendar.PARTS` -> pattern directly before a time."""
    eras: str = ""
    """Words beside a year of another era, which no note has: `44 BC`. A pattern."""
    hyphened: str = ""
    """A list: what a hyphen may join to a time: `mid-March`."""
    names_are_lower_case: bool = False
    """Whether a capital makes a name of a weekday or month."""
    day_endings: str = ""
    """What a day's number ends with: `3rd`."""
    date_links: str = ""
    """Words between the parts of a date: `3rd of May`."""
    in_a_month: str = ""
    """The preposition that makes a month a time."""
    from_to: str = "{} – {}"
    """Two days, each `{}`, as one range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """How it goes on from one question to the next. Patterns."""

    at_length: str
    """What opens a question that goes on."""
    shortly: str
    """Prepositions that do, with little behind them."""
    things: str
    """What points at a thing that was named before."""
    people: str
    """What points at a person."""
    empty: str
    """A list: content words that name nothing."""
    clauses: str
    """What begins another clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What its statements are compared by. `scales` are read in texts of every language."""

    negations: str
    """A list."""
    half_negations: str = ""
    """A list: words that deny only with one of the others."""
    negated_verbs: str = ""
    """A pattern: verbs that hold their negation."""
    negates_before: bool
    """Whether a negation denies the words before it, too, since the verb may come first."""
    only: str
    """What makes a negation before it none (`not only`). A pattern."""
    contrasts: str
    """At which the reach of a negation ends. A pattern."""
    affirmations: str
    """A list: words that state nothing."""
    scales: Mapping[str, float]
    """Words for large numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What answers are read by, and what they say in it. But for `nearest`, they are read in answers of every language:
    a word that is also a common one elsewhere (Italian `so`) does harm there.
    """

    nearest: str
    """Heading of passages that are quoted because nothing answers."""
    of_then: str
    """Heading of all notes of a time that was asked for."""
    newest: str
    """Says that of these only the newest `{count}` were read."""
    general: str
    """Heading of an answer from general knowledge."""
    widened: tuple[str, str]
    """Say that a search for `{time}` went on `{days}` days around, or in notes of any time."""
    refusals: Mapping[str, str]
    """Reason of a refusal -> the sentence shown."""
    conjunctions: str
    """A list: words between two citation markers."""
    sources: str
    """Headings of a list of sources. A pattern."""
    knowing: str
    """Pattern of words for notes and knowing: with a denial in one sentence they admit that the notes do not say."""
    denials: str
    """A pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalk:
    """What a message says that asks nothing of the notes, and what is answered. The first three are patterns of whole
    messages in lower case without punctuation.
    """

    greetings: str
    thanks: str
    product: str
    """Questions about the product itself."""
    hello: str
    welcome: str
    help: str
    """What the product does, and what can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What is known of one language. Without its groups it works with words alone: stems, search, dates in digits."""

    stop_words: str = ""
    """A list: words too common to tell one note from another. Question words are among them: they ask, and a note
    seldom answers with them. Single letters of contractions need no entry, since words leave them out."""
    spellings: tuple[str, ...] = ()
    """Letters that speak for it among the languages in Latin letters, each as much as one stop word."""
    stop_pairs: str = ""
    """A list: pairs of letters that spell endings, in a script without blanks."""
    abbreviations: str = ""
    """A list: abbreviations whose dot ends no sentence, without it. Known in texts of every language."""
    closing_abbreviations: str = ""
    """A list: those that also end sentences: their dot is a bound, unless a digit follows."""
    titles: str = ""
    """A list: those of the latter that a name follows where they begin with a capital: `St. Paul`."""
    closing_initials: str = ""
    """A list: the same of initials, without their dots: `U.S.`"""
    letter_words: str = ""
    """A list: capital letters that are words and no initials."""
    nouns_are_capitalised: bool = False
    """Whether a capital inside a sentence says nothing of a name."""
    asking: Asking | None = None
    times: Times | None = None
    follow_ups: FollowUps | None = None
    facts: Facts | None = None
    answers: Answers | None = None
    small_talk: SmallTalk | None = None

    @property
    def words_alone(self) -> bool:
        return self.times is None


@cache
def languages() -> tuple[str, ...]:
    """Codes of the languages with a file, sorted."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


@cache
def vocabulary(lang: str) -> Vocabulary:
    """ISO 639-1 code -> its vocabulary, loaded on first use; an empty one where there is no file."""
    if lang not in languages():
        return Vocabulary()
    found: Vocabulary = import_module(f"{__name__}.{lang}").VOCABULARY
    return found


def vocabularies() -> tuple[Vocabulary, ...]:
    """Every language's vocabulary, for texts whose language is unknown or mixed."""
    return tuple(map(vocabulary, languages()))


def conjunctions() -> tuple[str, ...]:
    """Words that stand between two citation markers, in every language, the longest first."""
    words = {word for each in vocabularies() if each.answers for word in each.answers.conjunctions.split()}
    return tuple(sorted(words, key=lambda word: (-len(word), word)))
