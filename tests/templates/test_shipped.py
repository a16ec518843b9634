"""The shipped templates and the local embedder: which template `auto` finds for questions that ask for one."""

from __future__ import annotations

from shared.adapters.embedded import EmbeddedStore
from shared.adapters.local.embedder import LocalEmbedder
from shared.settings import shipped
from shared.templates.cache import FolderCache
from shared.templates.ranking import FALLBACK_SCORE
from shared.templates.service import Templates
from tests.contracts.samples import TENANT

ASKED = {
    "compare-options": (
        "Compare Cloud Run and App Engine for our API",
        "What is the difference between the two tents I looked at?",
        "Which of the bikes is better for commuting?",
    ),
    "decision-record": (
        "What did we decide about the launch date and why?",
        "Why did we choose Firestore?",
        "What was agreed on the pricing, and which alternatives were rejected?",
    ),
    "learning-notes": (
        "What did I learn from the book on systems thinking?",
        "Explain the main ideas of stoicism from my notes",
        "What does idempotency mean?",
    ),
    "meeting-brief": (
        "Prepare me for the meeting with Priya on Friday",
        "Brief me before my call with Dr. Hoffmann",
        "What should I bring up when I talk to Jonas?",
    ),
    "plan": (
        "Make a plan for the garden this spring",
        "What are the next steps to launch the app?",
        "What should I do next to get ready for the marathon?",
    ),
    "proof-by-contradiction": (
        "Prove that √2 is irrational",
        "Show that no largest prime exists",
        "How would one prove that no plan meets both deadlines?",
    ),
    "pros-and-cons": (
        "What are the pros and cons of hiring a designer?",
        "Should I buy the used car?",
        "What speaks for and against moving to Vienna?",
    ),
    "root-cause": (
        "Why did the deploy fail in March?",
        "What went wrong with the import of old notes?",
        "What was the cause of the outage?",
    ),
    "summary-open-points": (
        "Summarize the pricing project and its open questions",
        "Give me an overview of the Aurora project",
        "What are the key points of the retrospective?",
    ),
    "timeline": (
        "What happened with my knee over time?",
        "Give me a timeline of the launch",
        "How did the API develop since January?",
    ),
}
FOUND, MISTAKEN = 22, 2
"""Questions of 30 that get the template they ask for, and another, as measured."""


def test_most_questions_that_ask_for_a_template_get_theirs(embedded_store: EmbeddedStore) -> None:
    embedder = LocalEmbedder.of(None)
    templates = Templates(
        store=embedded_store,
        folders=(shipped.TEMPLATES,),
        embedder_of=lambda _: embedder,
        files=FolderCache(),
    )
    choices = [
        (expected, templates.choose(TENANT, question))
        for expected, questions in ASKED.items()
        for question in questions
    ]
    by_likeness = [
        expected == choice.template.template_id
        for expected, choice in choices
        if choice.score != FALLBACK_SCORE
    ]
    assert sum(by_likeness) >= FOUND
    assert len(by_likeness) - sum(by_likeness) <= MISTAKEN


def test_a_question_that_no_template_is_for_gets_none_and_a_proof_gets_its_own(
    embedded_store: EmbeddedStore,
) -> None:
    embedder = LocalEmbedder.of(None)
    templates = Templates(
        store=embedded_store,
        folders=(shipped.TEMPLATES,),
        embedder_of=lambda _: embedder,
        files=FolderCache(),
    )
    nuts = templates.search(TENANT, "Which nuts is Elena allergic to?", top_k=3)
    assert [match.template.template_id for match in nuts] == ["chain-of-thought"]
    proof = templates.search(TENANT, "Prove that √2 is irrational", top_k=3)
    assert proof[0].template.template_id == "proof-by-contradiction"
    several = templates.search(TENANT, "Compare the two plans and decide", top_k=3)
    assert len(several) == 3
