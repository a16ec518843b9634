from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.adapters.extractive import MAX_SENTENCES, NO_ANSWER, ExtractiveWriter
from shared.answering.pipeline import answer
from shared.answering.prompt import build_prompt
from shared.answering.refusals import admits_not_knowing
from shared.answering.sources import label_sources
from shared.domain import Draft, Prompt, Scored, TimeHint, TimeRange
from tests.answering.samples import LAST_WEEK, WRITTEN, passage, question, retrieved

API = passage(
    "# Decisions\n\n- We use **Cloud Run** for the API. Jonas measured cold starts of 400 ms.\n"
    "- `Firestore` stays our database.\n\n# Open points\n\nPriya looks into rate limits until 29 January.",
    note_id="api",
    title="API meeting",
    path="projects/aurora/api.md",
)
BEDS = passage(
    "Built two raised beds from larch, each 60 cm high.\n\nCost: 184 euros for wood and screws.",
    note_id="beds",
    title="Raised beds",
    path="garden/beds.md",
)
INCIDENT = passage(
    "The log was full of `ERR_CONN_42`.\n\n| Deploy | Pool |\n|---|---|\n| v1.4.2 | 5 connections |\n\n"
    "```sh\nsystemctl restart api\n```",
    note_id="incident",
    title="Outage",
    path="",
)
SUPPE = passage("Die Linsen nicht einweichen, nur waschen. Zum Schluss Rotweinessig.", note_id="s", title="Linsensuppe")
CARTA = passage("Deberes: escribir una carta de cien palabras.", note_id="c", title="Español con Carmen")
FILM = passage("Le film conseillé par Hélène s'appelle Amélie.", note_id="f", title="Français")
LIBRARY = (API, BEDS, INCIDENT, SUPPE, CARTA, FILM)


def write(
    text: str,
    passages: Sequence[Scored] = LIBRARY,
    *,
    subject: str | None = None,
    time: TimeHint | None = None,
    lang: str = "en",
    similarity: float = 0.6,
) -> str:
    """`subject`: the question without its time phrase. `similarity` 0: there are no vectors."""
    offered = [replace(each, scores=replace(each.scores, similarity=similarity)) for each in passages]
    found = retrieved(*offered, text=text if subject is None else subject, time=time, lang=lang)
    return ExtractiveWriter().write(build_prompt(question(text), found, label_sources(offered))).text


VECTORS_OR_NOT = pytest.mark.parametrize("similarity", [0.6, 0.0])


@VECTORS_OR_NOT
@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Which database do we use?", "Firestore stays our database [N1]."),
        ("cold starts", "Jonas measured cold starts of 400 ms [N1]."),
        ("Who looks into rate limits?", "Priya looks into rate limits until 29 January [N1]."),
        ("What did the raised beds cost?", "Cost: 184 euros for wood and screws [N2]."),
        ("ERR_CONN_42", "The log was full of ERR_CONN_42 [N3]."),
        ("How many connections did the pool have in v1.4.2?", "v1.4.2, 5 connections [N3]."),
        ("How do I restart the api with systemctl?", "systemctl restart api [N3]."),
    ],
)
def test_a_question_gets_the_sentence_that_answers_it(text: str, first: str, similarity: float) -> None:
    assert first in write(text, similarity=similarity)


@VECTORS_OR_NOT
@pytest.mark.parametrize(
    ("text", "lang", "sentence"),
    [
        ("Soll ich die Linsen einweichen?", "de", "Die Linsen nicht einweichen, nur waschen [N4]."),
        ("¿Qué carta tengo que escribir?", "es", "Deberes: escribir una carta de cien palabras [N5]."),
        ("Quel film Hélène a-t-elle conseillé ?", "fr", "Le film conseillé par Hélène s'appelle Amélie [N6]."),
    ],
)
def test_other_languages_are_answered_in_theirs(text: str, lang: str, sentence: str, similarity: float) -> None:
    assert sentence in write(text, lang=lang, similarity=similarity)


@VECTORS_OR_NOT
@pytest.mark.parametrize(
    "text",
    [
        "What is the name of my dentist?",
        "Which Kafka topic do we use?",
        "How much does the Enterprise plan cost?",
        "ERR_CONN_43",
        "What does ERR_TIMEOUT_7 mean?",
        "Where did I park the car?",
        "What did I decide about Kubernetes?",
        "What is the boiling point of ethanol?",
    ],
)
def test_what_the_notes_do_not_hold_is_not_answered(text: str, similarity: float) -> None:
    assert write(text, similarity=similarity) == NO_ANSWER


def test_the_answering_step_recognises_that_nothing_was_found() -> None:
    assert admits_not_knowing(NO_ANSWER)


def test_a_question_that_names_only_a_time_gets_what_was_written_then() -> None:
    in_may = TimeHint(TimeRange(datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)), "in May", days=202)
    said = write("What happened in May?", (BEDS, SUPPE), subject="What happened?", time=in_may, similarity=0.5)
    assert said.startswith("Built two raised beds from larch, each 60 cm high [N1].")
    assert "Die Linsen nicht einweichen, nur waschen [N2]." in said


def test_what_was_written_at_quite_another_time_is_no_answer_to_it() -> None:
    assert write("What happened last week?", (BEDS,), subject="What happened?", time=LAST_WEEK) == NO_ANSWER
    assert not LAST_WEEK.range.contains(WRITTEN)


def test_a_subject_beside_the_time_must_be_there() -> None:
    in_may = TimeHint(TimeRange(datetime(2026, 5, 1, tzinfo=UTC), None), "since May", days=202)
    assert write("What about Kafka since May?", subject="What about Kafka?", time=in_may) == NO_ANSWER
    assert "184 euros" in write("What did the beds cost since May?", subject="What did the beds cost?", time=in_may)


def test_titles_folders_and_headings_say_what_a_sentence_is_about() -> None:
    elena = passage("Birthday on 14 November.", title="Elena", note_id="elena")
    gift = passage("Bought a pen for Elena.", title="Monday", note_id="monday")
    assert write("When is the birthday of Elena?", (gift, elena)).startswith("Birthday on 14 November [N2].")
    assert "Cloud Run" in write("What about the API of Aurora?")


def test_headings_are_read_but_never_quoted() -> None:
    said = write("What are the open points of the API meeting?")
    assert "Open points" not in said
    assert "Decisions" not in said


def test_an_answer_is_short_and_says_nothing_twice() -> None:
    many = [passage("The API runs on Cloud Run. " * 3 + f"The API has {n} users of Cloud Run. " * 2) for n in range(8)]
    said = write("What about the API on Cloud Run?", many)
    told = re.findall(r"(.+?) \[N\d+\]\.", said)
    assert len(told) == len(set(told)) <= MAX_SENTENCES
    assert len(said) < 800


def test_an_endless_sentence_is_cut_at_a_word() -> None:
    said = write("What about Firestore?", [passage("Firestore " + "scales beautifully " * 100)])
    assert len(said) < 350
    assert re.search(r"(scales|beautifully)… \[N1\]\.\Z|(scales|beautifully) \[N1\]…\Z", said)


def test_an_endless_word_is_cut_too() -> None:
    said = write("What about Firestore?", [passage("x" * 1000, title="Firestore")])
    assert said == "x" * 320 + " [N1]…"


def test_citations_in_a_note_cannot_be_quoted_as_citations() -> None:
    said = write("Which database?", [passage("The database is Oracle [N7], says [N1].")])
    assert said == "The database is Oracle (N7), says (N1) [N1]."


@pytest.mark.parametrize(
    ("sentence", "cited"),
    [
        ("Firestore it is.", "Firestore it is [N1]."),
        ("Firestore it is", "Firestore it is [N1]."),
        ("Is it Firestore?", "Is it Firestore [N1]?"),
        ('They said "Firestore".', 'They said "Firestore" [N1].'),
        ("Firestore costs 5%.", "Firestore costs 5% [N1]."),
        ("Firestore:", "Firestore [N1]."),
        ("选择 Firestore。", "选择 Firestore [N1]。"),
    ],
)
def test_the_citation_stands_before_the_full_stop(sentence: str, cited: str) -> None:
    assert write("Firestore", [passage(sentence)]) == cited


def test_without_sources_it_says_that_it_needs_a_model() -> None:
    draft = ExtractiveWriter().write(Prompt("", "", "Hello?", ()))
    assert draft.text.startswith("I don't have enough information")
    assert draft.model == "extractive"


def test_a_prompt_without_analysis_is_answered_from_its_question() -> None:
    prompt = Prompt("", "", "Which database do we use?", label_sources(LIBRARY))
    assert "Firestore stays our database [N1]." in ExtractiveWriter().write(prompt).text


def test_the_same_prompt_gives_the_same_draft() -> None:
    prompt = Prompt("", "", "What about the API?", label_sources(LIBRARY))
    assert ExtractiveWriter().write(prompt) == ExtractiveWriter().write(prompt)
    assert isinstance(ExtractiveWriter().write(prompt), Draft)


@pytest.mark.parametrize("text", ["", "?", "   ", "the of and", "🙂", "\x00", "a" * 2000, "数据库"])
def test_odd_questions_and_odd_notes_never_fail(text: str) -> None:
    odd = [passage(body) for body in ("", " ", "---", "# Only a heading", "|||", "```", "🙂", "\u202e[N1]", "…")]
    assert write(text, odd) == NO_ANSWER


def test_the_whole_answering_step_over_eight_long_passages_is_quick() -> None:
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
    texts = [
        " ".join(f"The {words[n]} {words[k % 10]} number {k} of the API costs {k * n} euros." for k in range(26))[:1200]
        for n in range(8)
    ]
    found = retrieved(*map(passage, texts), text="What does the gamma API cost?")
    asked, writer = question("What does the gamma API cost?"), ExtractiveWriter()
    durations = []
    for _ in range(15):
        started = time.process_time()
        assert answer(asked, found, writer=writer, fallback=writer).refusal is None
        durations.append(time.process_time() - started)
    assert min(durations) < 0.015 * 3  # 15 ms on an idle machine
