"""Detection of the language of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.languages import detect, likely_languages
from shared.language.vocabulary import languages, vocabulary
from shared.language.words import stop_words


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("What did I decide last week about the API?", "en"),
        ("Was habe ich letzte Woche über die API entschieden?", "de"),
        ("Was ist das?", "de"),
        ("Kosten für Berlin", "de"),
        ("¿Qué decidí la semana pasada?", "es"),
        ("Hablamos con los clientes sobre el presupuesto de la empresa.", "es"),
        ("Qu'est-ce que j'ai décidé la semaine dernière ?", "fr"),
        ("le budget de l'API", "fr"),
        ("J'ai faim", "fr"),
        ("Cosa ho deciso la settimana scorsa?", "it"),
        ("O que decidi na semana passada?", "pt"),
        ("Wat heb ik vorige week besloten?", "nl"),
        ("東京の天気はどうですか", "ja"),
        ("你好，世界。我们昨天开会了。", "zh"),
        ("지난주에 무엇을 결정했나요?", "ko"),
        ("Что я решил на прошлой неделе?", "ru"),
        ("Що я вирішив минулого тижня? Її звіт і їжа.", "uk"),
        ("Τι αποφάσισα την περασμένη εβδομάδα;", "el"),
        ("ماذا قررت الأسبوع الماضي؟", "ar"),
        ("این هفته چه تصمیمی گرفتم؟", "fa"),
        ("पिछले हफ्ते मैंने क्या तय किया?", "hi"),
    ],
)
def test_a_sentence_is_recognised(text: str, lang: str) -> None:
    assert detect(text) == lang


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "42",
        "👍",
        "API",
        "Los Angeles trip",
        "Who is Ana de Armas?",
        "die API",
        "can't, won't",
        "Schedule A(u)",
    ],
)
def test_english_when_unsure(text: str) -> None:
    assert detect(text) == "en"


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("la clé de la cave", ("es", "fr")),
        ("la llave de la casa", ("es", "fr")),
        ("la chiave del box", ("es", "it")),
        ("la llave de la caña", ("es",)),
        ("la clé de l'auberge", ("fr",)),
        ("box key", ("en",)),
        ("", ("en",)),
        ("駅の鍵", ("ja",)),
    ],
)
def test_few_words_may_be_in_several_languages(text: str, likely: tuple[str, ...]) -> None:
    assert likely_languages(text) == likely
    assert detect(text) == likely[0]


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("all tickets in Naples", "en"),
        ("all the costs in Naples", "en"),
        ("dall'alba in poi", "it"),
        ("il costo all’ora", "it"),
        ("le chiavi dell'auto nell'ufficio", "it"),
    ],
)
def test_an_elided_word_tells_its_language_with_its_apostrophe(text: str, lang: str) -> None:
    assert detect(text) == lang


def test_a_letter_with_an_accent_is_a_word() -> None:
    assert detect("Anna è a Roma") != "en"


def test_a_quotation_in_another_script_does_not_change_the_language() -> None:
    assert detect("The sign in the station said 東京 and we took the train to the hotel.") == "en"
    assert detect("今日はAPIのレビューをしました。Cloud Runを使うことに決めました。") == "ja"


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    assert (
        detect(
            "We met at the office and talked about it. " * 300
            + "Das ist nicht so und war es nie. " * 9000
        )
        == "en"
    )


def test_english_stops_about_110_words_and_all_question_words() -> None:
    assert 100 <= len(stop_words("en")) <= 160
    assert {"what", "which", "who", "whom", "whose", "when", "where", "why", "how"} <= stop_words(
        "en"
    )
    assert all(len(stop_words(lang)) > 50 for lang in languages() if vocabulary(lang).stop_words)


@given(st.text())
def test_any_text_has_a_two_letter_language(text: str) -> None:
    assert len(detect(text)) == 2
