from __future__ import annotations

import pytest

from shared.answering.refusals import (
    SENTENCE,
    admits_not_knowing,
    reason_to_refuse,
    refusal_text,
    small_talk,
)
from shared.model.retrieval import RefusalReason


@pytest.mark.parametrize("reason", RefusalReason)
def test_every_reason_has_a_text_that_begins_as_clients_expect(reason: RefusalReason) -> None:
    text = refusal_text(reason)
    assert text.startswith(
        "I don't have enough information in your notes to answer this question: "
    )
    assert text.endswith(".")
    assert admits_not_knowing(text)


def test_each_reason_says_something_else() -> None:
    assert len({refusal_text(reason) for reason in RefusalReason}) == len(RefusalReason)


def test_without_notes_the_refusal_says_so() -> None:
    assert "there are no notes to search" in refusal_text(RefusalReason.NO_NOTES)


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        "I don’t have enough information.",
        "The notes don't mention the budget.",
        "Your notes do not say when.",
        "There is no information about it in the notes.",
        "I cannot find an answer to that.",
        "Not mentioned in the sources.",
        "The provided context is silent on this.",
        "Die Notizen enthalten dazu keine Informationen.",
        "In den Notizen steht nichts darüber.",
        "Dazu weiß ich nichts.",
        "Ich kann diese Frage anhand der Notizen nicht beantworten.",
        "Las notas no mencionan el presupuesto.",
        "No hay información sobre eso en tus notas.",
        "No lo sé.",
        "Les notes ne mentionnent pas le budget.",
        "Je n'ai pas assez d'informations pour répondre.",
        "Il n’y a aucune information à ce sujet.",
        "Je ne sais pas.",
    ],
)
def test_an_admission_is_recognised(text: str) -> None:
    assert admits_not_knowing(text)


@pytest.mark.parametrize(
    "text",
    [
        "You decided on Cloud Run.",
        "The launch was not delayed.",
        "Anna does not drink coffee.",
        "Der Start ist im März, nicht im Mai.",
        "Se decidió usar Firestore.",
        "On n'a pas choisi Redis.",
        "",
    ],
)
def test_a_claim_is_no_admission(text: str) -> None:
    assert not admits_not_knowing(text)


def test_an_answer_that_cites_nothing_is_refused_whether_it_admits_or_claims() -> None:
    assert reason_to_refuse("The notes do not say.", cites=False) is RefusalReason.BELOW_THRESHOLD
    assert reason_to_refuse("You chose Redis.", cites=False) is RefusalReason.UNSUPPORTED_CLAIMS
    assert reason_to_refuse("", cites=False) is RefusalReason.UNSUPPORTED_CLAIMS


def test_an_answer_that_cites_stands_unless_it_opens_with_the_ordered_sentence() -> None:
    assert (
        reason_to_refuse("You chose Firestore [N1]. The notes do not say when.", cites=True) is None
    )
    assert (
        reason_to_refuse(f"{SENTENCE} The nearest is [N1].", cites=True)
        is RefusalReason.BELOW_THRESHOLD
    )
    assert (
        reason_to_refuse(" " + SENTENCE.replace("'", "’") + " [N1]", cites=True)
        is RefusalReason.BELOW_THRESHOLD
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Hi", "Hello!"),
        ("Hello there! 👋", "Hello!"),
        ("thanks a lot!!", "You're welcome."),
        ("Hey, what can you do?", "I answer from your notes"),
        ("Guten Morgen", "Hallo!"),
        ("Danke schön.", "Gern geschehen."),
        ("¿Qué puedes hacer?", "Respondo a partir de tus notas"),
        ("Qu'est-ce que tu peux faire ?", "Je réponds à partir de vos notes"),
        ("Buongiorno, cosa sai fare?", "Rispondo dai tuoi appunti"),
    ],
)
def test_small_talk_is_answered_in_its_language(message: str, said: str) -> None:
    assert small_talk(message).startswith(said)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "?",
        "Hello World program",
        "thanks to Priya",
        "the help desk",
        "Hi " * 90,
        "What did I do?",
    ],
)
def test_a_message_that_asks_more_is_no_small_talk(message: str) -> None:
    assert small_talk(message) == ""
