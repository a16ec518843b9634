"""Every language's file holds what all of them must hold."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from datetime import UTC, datetime

import pytest

from shared.judging.facts import facts_of
from shared.language.terms import stems
from shared.language.vocabulary import Times, Vocabulary, languages, vocabularies, vocabulary
from shared.model.retrieval import RefusalReason
from shared.times.calendar import PARTS, feast
from shared.times.lexicon import lexicon
from shared.times.phrases import find_time
from shared.times.readings import OF_DISTANCES
from shared.times.resolvers import IGNORED, RESOLVERS

WHOLE = [lang for lang in languages() if not vocabulary(lang).has_words_alone]
GROUPS = ("asking", "times", "follow_ups", "facts", "answers", "small_talk")
UNITS = {"day", "week", "month", "quarter", "half", "year"}
OPERATORS = {"since", "after", "before", "until"}
OPTIONAL = {
    *(
        "elided",
        "spellings",
        "abbreviations",
        "closing_abbreviations",
        "titles",
        "closing_initials",
        "letter_words",
        "plurals",
        "verb_endings",
    ),
    *(
        "stop_pairs",
        "possessive",
        "first",
        "last",
        "participles",
        "fortnights",
        "short_months",
        "verbs_as_months",
        "more_numbers",
        "tens_join",
    ),
    *(
        "articles",
        "attributes_follow",
        "hyphened",
        "day_endings",
        "date_links",
        "half_negations",
        "negated_verbs",
    ),
    *(
        "decades",
        "negates_before",
        "nouns_are_capitalised",
        "determiners",
        "names_are_lower_case",
        "month_first",
    ),
}
"""Fields that a language may have nothing for."""


def times_of(lang: str) -> Times:
    times = vocabulary(lang).times
    assert times is not None
    return times


def test_a_language_is_a_file_named_by_its_code() -> None:
    assert {"de", "en", "es", "fr"} <= set(WHOLE)
    assert all(re.fullmatch("[a-z]{2}", lang) for lang in languages())


@pytest.mark.parametrize("lang", languages())
def test_a_language_is_whole_or_has_words_alone(lang: str) -> None:
    words = vocabulary(lang)
    assert len({getattr(words, group) is None for group in GROUPS}) == 1
    assert words.stop_words or words.stop_pairs


@pytest.mark.parametrize("lang", WHOLE)
def test_a_whole_language_leaves_nothing_out(lang: str) -> None:
    words = vocabulary(lang)
    tables: list[object] = [words, *(getattr(words, group) for group in GROUPS)]
    empty = {
        field.name
        for table in tables
        for field in fields(table)  # type: ignore[arg-type]  # every one is a dataclass
        if not getattr(table, field.name)
    }
    assert empty <= OPTIONAL


@pytest.mark.parametrize("lang", WHOLE)
def test_every_refusal_has_a_sentence(lang: str) -> None:
    answers = vocabulary(lang).answers
    assert answers
    assert set(answers.refusals) == set(RefusalReason)
    assert re.findall(r"{\w+}", answers.nothing_about) == ["{subject}"]
    assert re.findall(r"{\w+}", answers.nearest_without) == ["{words}"]
    assert re.findall(r"{\w+}", answers.quoted) == ["{word}"]
    assert [re.findall(r"{\w+}", sentence) for sentence in answers.widened] == [
        ["{time}", "{days}"],
        ["{time}"],
    ]


@pytest.mark.parametrize("lang", WHOLE)
def test_the_calendar_is_whole(lang: str) -> None:
    times = times_of(lang)
    assert len(times.weekdays) == 7
    assert len(times.months) == 12
    assert len(times.seasons) == 4
    assert len(times.numbers) == 12
    assert len(times.tens) == 8
    assert len(times.ordinals) >= 4
    assert set(times.units) == UNITS
    assert set(times.operators) >= OPERATORS
    assert set(lexicon(lang).months.values()) == set(range(1, 13))
    assert set(lexicon(lang).weekdays.values()) == set(range(7))


@pytest.mark.parametrize("lang", WHOLE)
def test_the_rules_name_every_kind_that_speech_has(lang: str) -> None:
    kinds = {rule.kind for rule in times_of(lang).rules}
    assert kinds >= {
        *(
            "today",
            "yesterday",
            "day_before_yesterday",
            "recently",
            "other_day",
            "ago",
            "clock_ago",
            "rolling",
        ),
        *("last", "before_last", "this", "same_day", "current", "weekend", "date", "days_of_month"),
        *("feast", "decade"),
    }


@pytest.mark.parametrize("lang", WHOLE)
def test_every_name_in_its_times_is_one_that_is_read(lang: str) -> None:
    times = times_of(lang)
    assert {rule.kind for rule in times.rules} <= {*RESOLVERS, IGNORED}
    assert set(times.parts) <= set(PARTS)
    assert set(times.operators) <= {*OPERATORS, *OF_DISTANCES, "by"}
    assert set(times.behind) <= {*OPERATORS, "from", "included"}
    assert all(feast(name, 2025).start for name in times.feasts)


@pytest.mark.parametrize("lang", WHOLE)
def test_every_pattern_is_filled_and_wants_a_word(lang: str) -> None:
    words = lexicon(lang)
    standing_before = [
        pattern
        for _, pattern in (*words.operators, *words.parts, *words.distances, *words.ordinal_days)
    ]
    single = [words.preposition, words.named, words.named_parts, words.between, words.joiner]
    for pattern in [*(pattern for _, pattern in words.rules), *standing_before, *single]:
        assert not re.search(r"\{[a-z]", pattern.pattern)
        assert not pattern.search(" ")


@pytest.mark.parametrize("lang", WHOLE)
def test_a_range_holds_both_its_days(lang: str) -> None:
    assert times_of(lang).from_to.format("2026-03-02", "2026-03-08").count("2026-03-0") == 2


def test_what_means_a_month_only_in_dates_is_the_same_month_in_every_language() -> None:
    meanings: dict[str, set[int]] = {}
    for words in vocabularies():
        if words.times:
            for form, number in words.times.short_months.items():
                meanings.setdefault(form, set()).add(number)
            for number, forms in enumerate(words.times.months, 1):
                for form in forms.split("|"):
                    meanings.setdefault(form, set()).add(number)
    assert [form for form, numbers in meanings.items() if len(numbers) > 1] == []


@pytest.mark.parametrize("lang", [lang for lang in languages() if vocabulary(lang).stop_words])
def test_stop_words_are_searched_in_no_language_that_lists_them(lang: str) -> None:
    assert stems(vocabulary(lang).stop_words, lang) == []


def test_a_language_without_a_file_has_words_alone() -> None:
    assert vocabulary("sv") == Vocabulary()
    assert vocabulary("../en").has_words_alone
    assert vocabulary("sv").has_words_alone


@pytest.mark.parametrize("lang", ["nl", "ja", "sv"])
def test_with_words_alone_dates_in_digits_are_read_and_nothing_else(lang: str) -> None:
    def phrase(text: str) -> str | None:
        mention = find_time(
            text,
            now=datetime(2026, 3, 18, tzinfo=UTC),
            zone="UTC",
            lang=lang,
        )
        return mention.hint.phrase if mention else None

    assert phrase("2026-02-03") == "2026-02-03"
    assert phrase("3.2.2026") == "3.2.2026"
    assert phrase("did they meet in march or last week") is None
    assert facts_of("They did not meet.", lang)[0].negations == 0


def test_a_language_is_loaded_when_it_is_first_asked_for() -> None:
    program = (
        "import sys\n"
        "import shared.language.languages, shared.times.phrases, shared.judging.support, shared.answering.pipeline\n"
        "print(sorted(name for name in sys.modules if name.startswith('shared.language.vocabulary.')))\n"
        "from shared.times.lexicon import lexicon\n"
        "lexicon('de')\n"
        "print(sorted(name for name in sys.modules if name.startswith('shared.language.vocabulary.')))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert completed.stdout.splitlines() == ["[]", "['shared.language.vocabulary.de']"]
