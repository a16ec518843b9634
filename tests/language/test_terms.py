"""Stems and content words."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.terms import MAX_TERM, content_words, stem_of, stems


def test_the_specified_question_gives_its_three_keywords() -> None:
    question = "What did I decide last week about the API?"
    assert [word for word, _, _ in content_words(question, "en")] == ["decide", "week", "api"]
    assert stems(question, "en") == ["decid", "week", "api"]


@pytest.mark.parametrize("lang", ["en", "de", "ja", "uk"])
def test_a_word_in_another_script_is_stemmed_as_in_a_note_of_its_own(lang: str) -> None:
    """Declined, as such words are."""
    assert set(stems("Москва, встречи", lang)) == set(stems("Москве, встреча", "ru"))


def test_a_latin_word_in_a_russian_text_is_stemmed_as_english() -> None:
    assert stems("обсудили deployments", "ru")[1:] == stems("deployment", "en")


def test_stems_keep_order_and_repeats() -> None:
    assert stems("Notes, more notes: noting a note.", "en") == [
        "note",
        "more",
        "note",
        "note",
        "note",
    ]


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Project-X", ["project-x", "Project X", "project"]),
        ("ERR_CONN_42", ["err_conn_42", "conn", "42"]),
        ("v1.2.3", ["V1.2.3"]),
        ("anna.smith@example.com", ["Anna", "anna.smith", "example.com", "ANNA.SMITH@example.com"]),
        (
            "https://www.example.com/guides/setup.html",
            ["example.com", "setup.html", "guides", "setup"],
        ),
        ("snake_case_name", ["snake_case_name", "snake", "name"]),
        ("parseJSONFile", ["parsejsonfile", "json", "parse", "file"]),
        ("camelCase", ["camelcase", "camel"]),
        ("shared/language/terms.py", ["terms.py", "shared/language/terms.py"]),
        ("foo::bar", ["foo", "foo::bar"]),
        ("C++", ["c++"]),
        ("C#", ["c#"]),
        ("U.S.A.", ["USA"]),
        ("1,250,000", ["1250000"]),
        ("3.14", ["3.14"]),
        ("2026-11-21", ["2026", "2026-11-21"]),
        ("O'Brien", ["Brien", "O’Brien"]),
        ("Anna's", ["Anna", "Anna’s"]),
        ("l'école", ["école", "ecole"]),
        ("résumé", ["resume", "RÉSUMÉ", "re\u0301sume\u0301"]),
        ("Łódź", ["lodz"]),
        ("Straße", ["strasse", "STRASSE"]),
        ("Ｐｒｏｊｅｃｔ", ["project"]),
        ("ﬁnance", ["finance"]),
        ("Zu\xadsammen", ["zusammen"]),
        ("to-do", ["to-do"]),
        ("東京タワー", ["東京", "タワー"]),
        ("한국어", ["한국"]),
    ],
)
def test_a_written_word_is_found_whole_and_by_part(written: str, asked: list[str]) -> None:
    stored = set(stems(f"We saw {written}, twice.", "en"))
    for question in asked:
        question_stems = stems(question, "en")
        assert question_stems, question
        assert set(question_stems) <= stored, (question, question_stems, stored)


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "colleague colleagues colleague's"),
        ("de", "Häuser Haus Hauses"),
        ("es", "canción canciones cancion"),
        ("fr", "décision décisions decision"),
        ("it", "città citta"),
        ("ru", "книга книги книгу"),
        ("pt-BR", "reuniões reunioes"),
    ],
)
def test_forms_of_a_word_share_a_stem_with_and_without_accents(lang: str, words: str) -> None:
    assert len({stems(word, lang)[0] for word in words.split()}) == 1


@pytest.mark.parametrize(
    ("lang", "question"),
    [
        ("en", "What is it, and why don't we? It isn't, they'll, I've."),
        ("de", "Was habe ich über das und warum nicht?"),
        ("es", "¿Qué es y por qué no?"),
        ("fr", "Qu'est-ce que c'est et pourquoi ?"),
    ],
)
def test_stop_words_and_contractions_leave_no_stems(lang: str, question: str) -> None:
    assert [stem for stem in stems(question, lang) if "-" not in stem] == []


def test_marks_that_tell_letters_apart_stay() -> None:
    assert stems("йод", "ru") != stems("иод", "ru")
    assert stems("がく", "ja") != stems("かく", "ja")
    assert stem_of("हिन्दी", "hi") != stem_of("हन्द", "hi")


def test_chinese_gives_pairs_and_a_lone_character_itself() -> None:
    assert stems("我的猫叫什么。猫", "zh") == ["我的", "的猫", "猫叫", "叫什", "什么", "猫"]


def test_emoji_controls_and_nul_give_nothing_and_break_nothing() -> None:
    assert stems("👩\u200d💻 👍🏽 \x00 \x01\u200b \ufeff", "en") == []
    assert stems("alpha\x00beta\x07gamma", "en") == ["alpha", "beta", "gamma"]


def test_an_overlong_word_counts_by_its_beginning_and_an_overlong_compound_by_its_parts() -> None:
    assert stems("x" * 900, "en") == ["x" * MAX_TERM]
    assert stems("-".join(["green"] * 20), "en") == ["green"] * 20


def test_a_language_unknown_here_is_neither_stemmed_nor_stopped() -> None:
    assert stems("the Colleagues", "tlh") == ["the", "colleagues"]
    assert stem_of("Colleagues", "") == "colleagues"


def test_one_word_is_stemmed_as_text_is() -> None:
    assert stem_of("Colleagues", "en-GB") == stems("colleagues", "en")[0]


def test_content_words_span_the_word_without_possessive_or_article() -> None:
    text = "Anna’s Project-X visits l'école."
    words = content_words(text, "en")
    assert [word for word, _, _ in words] == ["anna", "project-x", "visits", "école"]
    assert [text[start:end].lower() for _, start, end in words] == [word for word, _, _ in words]


def test_a_stemmer_is_shared_by_threads() -> None:
    text = " ".join(f"meetings{i} decisions running{i} colleagues" for i in range(3000))
    expected = stems(text, "en")
    results: list[list[str]] = []
    threads = [threading.Thread(target=lambda: results.append(stems(text, "en"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


@given(st.text(), st.sampled_from(["en", "de", "fr", "ja", "zh", "hi", "tr", "", "xx"]))
def test_every_stem_is_short_and_without_blanks(text: str, lang: str) -> None:
    for stem in stems(text, lang):
        assert 0 < len(stem) <= MAX_TERM
        assert not any(map(str.isspace, stem))


@given(st.text(), st.sampled_from(["en", "es", "ja"]))
def test_content_words_lie_in_order_and_within_the_text(text: str, lang: str) -> None:
    position = 0
    for word, start, end in content_words(text, lang):
        assert position <= start < end <= len(text)
        assert text[start:end].lower() == word
        position = end


@given(st.text(alphabet="abcABC'-_.@/: é漢か\u0301", max_size=30))
def test_text_around_a_word_does_not_hide_it(noise: str) -> None:
    assert "zebra" in stems(f"{noise} zebra {noise}", "en")


def test_questions_do_not_wait_for_the_stemmer_to_be_imported_with_the_module() -> None:
    program = (
        "import sys, shared.language.terms, shared.language.languages, shared.language.sentences\n"
        "print(sorted(sys.modules.keys() & {'Stemmer', 'yaml', 'markdown_it', 'numpy'}))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert completed.stdout.strip() == "[]"
