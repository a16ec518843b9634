"""Most questions name no time, which is told from their words without compiling an expression."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest

from shared.times.lexicon import lexicon, time_words
from tests.times.composed import COMPOSED, NOT_ASKED_FOR
from tests.times.phrases import PHRASES
from tests.times.traps import NOT_A_TIME, SPOKEN_OF

LANGUAGES = ("en", "de", "es", "fr", "it")
QUESTIONS = ("harbour", "what did we decide at the API meeting?", "Who repairs the boat?")


def has_match(text: str, lang: str) -> bool:
    """Tell whether any rule matches, as every text was read before."""
    return any(pattern.search(text) for _, pattern in lexicon(lang).rules)


def texts_of_tables() -> list[str]:
    texts = [row[1] for row in (*PHRASES, *COMPOSED, *NOT_ASKED_FOR, *NOT_A_TIME, *SPOKEN_OF)]
    return [str(text) for text in texts]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_text_of_the_tables_that_a_rule_reads_is_passed_over(lang: str) -> None:
    words = time_words(lang)
    texts = texts_of_tables()
    assert len(texts) > 500
    passed_over = [text for text in texts if not words.can_name_time(text)]
    assert [text for text in passed_over if has_match(text, lang)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_text_that_a_rule_can_match_is_read(lang: str) -> None:
    chance = random.Random(29)  # noqa: S311 - the same texts each time
    words = time_words(lang)
    for rule, pattern in lexicon(lang).rules:
        parsed = re._parser.parse(pattern.pattern, re.IGNORECASE)
        for _ in range(100):
            text = written_by(parsed, chance)
            if pattern.search(text):
                assert words.can_name_time(text), (rule, text)


def written_by(  # noqa: C901 - one case an operator
    parsed: Iterable[tuple[object, Any]], chance: random.Random
) -> str:
    """A text that a parsed expression matches, unless what must or must not stand around it forbids it."""
    text = ""
    for operator, argument in parsed:
        match str(operator):
            case "LITERAL":
                text += chance.choice(
                    (
                        chr(argument),
                        chr(argument).upper(),
                    )
                )
            case "IN":
                text += written_by([chance.choice(argument)], chance)
            case "RANGE":
                text += chr(chance.randint(*argument))
            case "CATEGORY":
                text += {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " "}[str(argument)]
            case "NEGATE" | "AT" | "ASSERT" | "ASSERT_NOT" | "FAILURE":
                pass
            case "BRANCH":
                text += written_by(chance.choice(argument[1]), chance)
            case "SUBPATTERN":
                text += written_by(argument[3], chance)
            case "MAX_REPEAT":
                least, at_most, repeated = argument
                for _ in range(chance.choice((least, least, min(at_most, 3)))):
                    text += written_by(repeated, chance)
            case _:
                raise AssertionError(f"rules did not have {operator}")
    return text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_of_random_sentences_none_that_a_rule_reads_is_passed_over(lang: str) -> None:
    chance = random.Random(29)  # noqa: S311 - the same texts each time
    words = time_words(lang)
    pieces = [*words.signals, *words.stop_words, *words.numbers, *words.units, *words.months]
    pieces += ["harbour", "-", "’", "s", "end", "café", "İ", "ı", "ſ"]
    for _ in range(1000):
        text = chance.choice((" ", "", "-")).join(chance.choices(pieces, k=chance.randint(1, 6)))
        assert words.can_name_time(text) or not has_match(text, lang), text


def test_a_language_without_words_for_times_reads_digits_alone() -> None:
    assert time_words("ja").can_name_time("2026-05-03")
    assert not time_words("ja").can_name_time("yesterday")


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_without_a_time_compiles_no_language(question: str) -> None:
    program = (
        "import sys\n"
        "from datetime import UTC, datetime\n"
        "from shared.model.questions import Question\n"
        "from shared.retrieval.analysis import analyse\n"
        "from shared.times.lexicon import lexicon\n"
        "analyse(Question('t', sys.argv[1], datetime(2026, 3, 18, tzinfo=UTC)))\n"
        "print(lexicon.cache_info().currsize)\n"
    )
    command = [sys.executable, "-c", program, question]
    compiled = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
    )
    assert compiled.stdout.strip() == "0"
