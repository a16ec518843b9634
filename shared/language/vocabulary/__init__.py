"""Every word of every language, once: one file a language, each with a `VOCABULARY` of the types
below.

Plain data: the modules that read a table explain its use (`language`, `times`, `judging`,
`sessions`, `answering`). A language is added by its file alone, which is found by its name, an ISO
639-1 code, and loaded when it is first asked for; `tests/language/test_vocabulary.py` checks that
it is complete.

Lists are words with blanks between them. Patterns are alternatives of a regular expression, without
a group around them, and match whole words; everything is lower case and matches in any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Words of questions, by closed classes: openings, tenses, duties. Patterns, unless said
    otherwise.

    No verbs are listed but auxiliaries and modals; a language may mark its past by endings.
    """

    who_or_where: str = ""
    """Question words for a person or a place, at the start of a clause that asks or behind one word (`with whom`)."""
    questions: str = ""
    """Other question words, at the same places (`at what point`)."""
    amounts: str = ""
    """Question words for a number, an amount or a time of day: `how many`, `what time`."""
    moments: str = ""
    """Question words for a time, long or short: `when`."""
    verbs: str = ""
    """Verbs with which a question or a command begins."""
    past: str = ""
    """Auxiliaries and endings of the past."""
    participles: str = ""
    """Participles, also `have` where it is an infinitive: they tell no past behind `present` (`are we closed`, `does it
    have`), and what became of things behind bare nouns: `versions released`.
    """
    present: str = ""
    """Verbs for the present and for habits: forms of `be`."""
    former: str = ""
    """Words for what no longer holds: `the old password`, `where we used to meet`."""
    before: str = ""
    """Words for the time before something. Beside a verb of the past, or last, they ask for what no longer holds: `what did
    it cost before the move`.
    """
    duty: str = ""
    """Verbs for what the person may, can or must do."""
    writing: str = ""
    """List: words for notes, and for writing and showing them."""
    happening: str = ""
    """List: verbs that name nothing in particular: `what happened`."""
    happening_phrases: str = ""
    """Phrases like the words of `happening`, whose words alone may name something: `took place`."""
    fillers: str = ""
    """Words that name nothing where they stand: `all`, and verbs that only form a passive, `got` in `got released`."""
    asker: str = ""
    """Forms of the first person: pronouns, and endings where a verb needs none."""
    genitive: str = ""
    """Words before a time that make it an attribute of a thing: `the report of May`."""
    genitive_of_names: str = ""
    """Words between a thing and the name of its owner, without an article: `the birthday of Marek`."""
    authorship: str = ""
    """Words between a work and the name of its author: `books by Marek`."""
    names: str = ""
    """Words for a name: `the name of her wife` asks for the wife."""
    articles: str = ""
    """Words that may stand between `genitive` and the time."""
    possessive: str = ""
    """Endings of a time that make it an attribute: `last week's`."""
    first: str = ""
    """Words before the name of a series that ask for its oldest note: `the first meeting`."""
    last: str = ""
    """Words before the name of a series that ask for its newest note: `the last meeting`."""

    @property
    def everything(self) -> str:
        """List: words that beside a time alone ask for all that was written then."""
        return f"{self.writing} {self.happening}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to name a time."""

    kind: str
    """Key of `times.resolvers.RESOLVERS`; the function there documents the named groups that it
    reads.
    """
    pattern: str
    """Pattern in which a blank stands for any white space and names in braces for the language's
    words.

    These are `{unit}`, `{n}`, `{most}`, `{nth}`, `{weekday}`, `{weekend}`, `{month}`, `{season}`,
    `{feast}`, `{decade}`, `{year}`, and `{period}` for a unit longer than a day, a weekday,
    weekend, month or season.
    """
    weak: bool = False
    """True if it needs a preposition before it, unless it is a weekday that stands by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Words for times. Forms of one word are alternatives with `|` between them, the usual one
    first.
    """

    units: Mapping[str, str] = field(default_factory=dict)
    """Forms of `day`, `week`, `month`, `quarter`, `half`, `year`."""
    weekend: str = ""
    """Pattern of the weekend."""
    weeks: str = ""
    """Pattern of words before or behind the number of a week."""
    quarter_letters: str = "q"
    """Letters beside the number of a quarter: `Q2 2024`."""
    half_letters: str = "h"
    """Letters beside the number of a half-year: `H1 2024`."""
    month_first: bool = False
    """True if `7/4` is the fourth of July where the zone is American or unknown."""
    fortnights: str = ""
    """Forms of a unit of two weeks."""
    weekdays: tuple[str, ...] = ()
    """Forms of each weekday, Monday first."""
    months: tuple[str, ...] = ()
    """Forms of each month that mean it in any sentence, January first. The first form is written in
    dates.
    """
    date: str = "{day} {Month} {year}"
    """How a date is written: `{day}`, `{year}` and `{month}`, or `{Month}` with a capital."""
    short_months: Mapping[str, int] = field(default_factory=dict)
    """Words that mean a month (1 to 12) only beside a day or a year.

    They are read in texts of every language, so none is a word of another.
    """
    verbs_as_months: str = ""
    """List: forms of months that are verbs, too."""
    seasons: tuple[str, str, str, str] = ("", "", "", "")
    """Forms of each season, spring first."""
    feasts: Mapping[str, str] = field(default_factory=dict)
    """Forms of each feast; the key is its day, as `times.calendar.feast` reads it."""
    decades: tuple[str, ...] = ()
    """Forms of the twenties to the nineties; empty to use those of `tens`."""
    numbers: tuple[str, ...] = ()
    """Forms of one to twelve."""
    tens: tuple[str, ...] = ()
    """Forms of twenty to ninety."""
    more_numbers: Mapping[str, int] = field(default_factory=dict)
    """Other words for numbers."""
    tens_join: str = ""
    """Text between ten and one where the ten comes first: `twenty-one`. Empty if such numbers are
    not read.
    """
    few: str = ""
    """Words for a number that is not named: `several`."""
    ordinals: tuple[str, ...] = ()
    """Forms of the first, the second and so on as far as the rules name them, without the last."""
    rules: tuple[Rule, ...] = ()
    """Ways to name a time."""
    prepositions: str = ""
    """Words directly before a weak match that make it a time."""
    articles: str = ""
    """Words that may stand between a time and the word before it, besides those that the patterns
    name.
    """
    attributes_follow: str = ""
    """Words directly before a weekday that make it one of something: `my Friday`, `the first
    Monday`.
    """
    operators: Mapping[str, str] = field(default_factory=dict)
    """Patterns directly before a time, for `since`, `after`, `before`, `until`, `by`, `more than`,
    `within`.

    `by` is `until` where the time is no bare weekday or month.
    """
    behind: Mapping[str, str] = field(default_factory=dict)
    """Patterns directly behind a time (`onwards`), for `since`, `until`, `included` and `from`.

    `from` means `since` where the time has `between` before it.
    """
    unread: str = ""
    """Connectives directly before a time whose days no range can say: `except`. Beside one a time
    only orders.
    """
    on_days: str = ""
    """Words directly before two numbers with a slash that make them a day."""
    distances: tuple[Rule, ...] = ()
    """Rules directly before `before` and `after` that make them a distance from a time: `two days
    before`.
    """
    ordinal_days: tuple[Rule, ...] = ()
    """Rules directly before a time for one day, weekend or week of it: `the first Monday of`."""
    named: str = ""
    """Words directly before a name that is mentioned and not used: `spell Wednesday`."""
    named_parts: str = ""
    """Things that bear names of days, months and quarters, directly before one: `column Q1`."""
    between: str = ""
    """Words directly before the first end of a range that open it."""
    joiners: str = ""
    """Words between the two ends of a range."""
    links: str = ""
    """Words between two times that are one, a comma aside: `March of last year`.

    The day behind words of the group `said` is the day of a note: `as mentioned on`.
    """
    parts: Mapping[str, str] = field(default_factory=dict)
    """Patterns directly before a time, for each of `times.calendar.PARTS`."""
    eras: str = ""
    """Pattern of words beside a year of another era, which no note has: `44 BC`."""
    hyphened: str = ""
    """List: words that a hyphen may join to a time: `mid-March`."""
    names_are_lower_case: bool = False
    """True if weekdays and months are written in lower case, so that a capital makes a name of one.
    """
    day_endings: str = ""
    """Endings of a day's number: `3rd`."""
    date_links: str = ""
    """Words between the parts of a date: `3rd of May`."""
    in_a_month: str = ""
    """Preposition that makes a month a time."""
    from_to: str = "{} – {}"
    """Template of a range of two days, each `{}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """Words of questions that go on from the one before. Patterns, unless said otherwise."""

    at_length: str
    """Openings of a question that goes on."""
    shortly: str
    """Prepositions that open a question that goes on, with little behind them."""
    things: str
    """Words that point at a thing that was named before."""
    people: str
    """Words that point at a person."""
    empty: str
    """List: content words that name nothing."""
    clauses: str
    """Words that begin another clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWords:
    """Words by which statements are compared."""

    negations: str
    """List of negations."""
    half_negations: str = ""
    """List: words that deny only together with a negation."""
    negated_verbs: str = ""
    """Pattern of verbs that hold their negation."""
    negates_before: bool
    """True if a negation denies the words before it, too, since the verb may come first."""
    only: str
    """Pattern of words behind a negation that cancel it (`not only`)."""
    contrasts: str
    """Pattern of words at which the reach of a negation ends."""
    affirmations: str
    """List: words that state nothing."""
    replaces: str = ""
    """Pattern of a property's key whose value this note replaces: `supersedes`."""
    replaced: str = ""
    """Pattern of a property's key whose value replaces this note: `superseded_by`."""
    scales: Mapping[str, float]
    """Words for large numbers. Read in texts of every language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Words by which answers are read, and texts that answers contain.

    But for the texts, they are read in answers of every language: a word that is also a common one
    elsewhere (Italian `so`) does harm there.
    """

    nearest: str
    """Heading of passages that are quoted because nothing answers."""
    nearest_without: str
    """The same, of passages that hold none of these `{words}` of the question."""
    quoted: str
    """A `{word}` in quotation marks."""
    untitled: str
    """Stands above a quote of a note that has no title, no file and no heading."""
    nothing_about: str
    """Heading of passages that do not say what is asked, the `{subject}`: words of the question, in quotation marks."""
    of_then: str
    """Heading of all notes of a time that was asked for."""
    newest: str
    """Sentence for a time of which only the newest `{count}` notes were read."""
    general: str
    """Heading of an answer from general knowledge."""
    widened: tuple[str, str]
    """Sentences for a search for `{time}` that went on `{days}` days around, or in notes of any
    time.
    """
    refusals: Mapping[str, str]
    """Sentence shown for each reason of a refusal."""
    conjunctions: str
    """List: words between two citation markers."""
    sources: str
    """Pattern of headings of a list of sources."""
    knowing: str
    """Pattern of words for notes and knowing: with a denial in one sentence they admit that the
    notes do not say.
    """
    denials: str
    """Pattern of denials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalk:
    """Messages that ask nothing of the notes, and replies to them.

    Messages are patterns of a whole message in lower case without punctuation.
    """

    greetings: str
    """Messages that greet."""
    thanks: str
    """Messages that thank."""
    product: str
    """Questions about the product itself."""
    hello: str
    """Reply to a greeting."""
    welcome: str
    """Reply to thanks."""
    help: str
    """Reply to a question about the product: its abilities, and the questions it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words of one language. Without its groups it works with words alone: stems, search, dates
    in digits.
    """

    stop_words: str = ""
    """List: words too common to distinguish notes.

    Question words are among them: they ask, and a note seldom answers with them. Single letters of
    contractions need no entry, since words leave them out.
    """
    elided: str = ""
    """List: further stop words, which end with an apostrophe that is left out here: `all'alba`."""
    spellings: tuple[str, ...] = ()
    """Letters that are evidence for the language among those in Latin letters, each as much as one
    stop word.
    """
    stop_pairs: str = ""
    """List: pairs of letters that spell endings, in a script without blanks."""
    abbreviations: str = ""
    """List: abbreviations whose dot ends no sentence, without it. Known in texts of every language.
    """
    closing_abbreviations: str = ""
    """List: abbreviations whose dot ends a sentence, too, unless a digit follows."""
    titles: str = ""
    """List: closing abbreviations that a name follows where they begin with a capital: `St. Paul`.
    """
    closing_initials: str = ""
    """List: initials whose last dot ends a sentence, too, without their dots: `us` for `U.S.`"""
    letter_words: str = ""
    """List: capital letters that are words and no initials."""
    nouns_are_capitalised: bool = False
    """True if a capital inside a sentence is no evidence of a name."""
    determiners: str = ""
    """List: words before a noun that no name has, where all nouns have capitals, forms and contractions included."""
    plurals: str = ""
    """List: endings of plurals that few verbs have, with that of the singular and a `/` before it
    if it is replaced: `y/ies`.
    """
    verb_endings: str = ""
    """List: endings by which a word of a plural's stem is a verb."""
    asking: Asking | None = None
    times: Times | None = None
    follow_ups: FollowUps | None = None
    facts: FactWords | None = None
    answers: Answers | None = None
    small_talk: SmallTalk | None = None

    @property
    def has_words_alone(self) -> bool:
        """True if the language has none of the groups."""
        return self.times is None


@cache
def languages() -> tuple[str, ...]:
    """Returns the codes of the languages with a file, sorted."""
    codes = [module.name for module in iter_modules(__path__)]
    return tuple(sorted(codes))


@cache
def vocabulary(lang: str) -> Vocabulary:
    """Returns the vocabulary of an ISO 639-1 code, loaded on first use; an empty one if there is no
    file.
    """
    if lang not in languages():
        return Vocabulary()
    loaded: Vocabulary = import_module(f"{__name__}.{lang}").VOCABULARY
    return loaded


def vocabularies() -> tuple[Vocabulary, ...]:
    """Returns every language's vocabulary, for texts whose language is unknown or mixed."""
    return tuple(map(vocabulary, languages()))


@cache
def words_of_all(attribute: str) -> frozenset[str]:
    """Returns the words of one list of the vocabularies, of all languages together: texts quote other languages.

    attribute: name of a list in `Vocabulary`.
    """
    words: set[str] = set()
    for language in vocabularies():
        listed: str = getattr(language, attribute)
        words.update(listed.split())
    return frozenset(words)


def conjunctions() -> tuple[str, ...]:
    """Returns the words that stand between two citation markers, in every language, the longest
    first.
    """
    words: set[str] = set()
    for language in vocabularies():
        if language.answers is not None:
            words.update(language.answers.conjunctions.split())

    in_order = sorted(words)
    in_order.sort(key=len, reverse=True)
    return tuple(in_order)
