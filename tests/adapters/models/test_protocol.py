"""Every kind of request that the product sends to Gemini, held against what Google publishes of either API.

The server refuses what the protocol does not know, and its `close` fails the test: see `tests.servers.gemini_protocol`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from shared.adapters.gemini import GeminiEmbedder, GeminiWriter
from shared.folders.ranking import rank_folders
from shared.judging.model_judge import ModelJudge
from shared.judging.support import OfflineJudge
from shared.model.answers import Statement
from shared.model.notes import Folder
from shared.model.questions import Exchange, Question
from shared.model.templates import Template
from shared.sessions.standalone import Earlier, resolve
from shared.templates.ranking import with_vectors
from tests.answering.samples import answer_by, passage, retrieved
from tests.servers.gemini import GeminiServer
from tests.servers.gemini_protocol import violations

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
PASSAGE = passage("The API runs on Cloud Run.")
DEVELOPER = "/v1beta/models/m"
VERTEX = "/v1beta1/projects/p/locations/l/publishers/google/models/m"
CONTENT = {"role": "user", "parts": [{"text": "x"}]}


def reached(api: str, server: GeminiServer) -> dict[str, str | None]:
    project = "demo-project" if api == "vertex" else None
    return {
        "api_key": None if project else "k",
        "project": project,
        "base_url": server.url,
    }


@pytest.fixture(params=["developer", "vertex"])
def api(request: pytest.FixtureRequest, credentials: object) -> str:
    assert credentials
    return str(request.param)


def answered(writer: GeminiWriter) -> None:
    assert answer_by(writer, retrieved(PASSAGE)).model == writer.model


def judged(writer: GeminiWriter) -> None:
    ModelJudge(writer, fallback=OfflineJudge()).judge(
        [Statement("It runs on Cloud Run.", (PASSAGE.chunk,))]
    )


def followed_up(writer: GeminiWriter) -> None:
    question_text = "How much is the night train?"
    resolve(
        Question("t", "And the hotel?", NOW),
        [Earlier(Exchange(question_text, "80."), question_text, NOW)],
        rewriter=writer,
        longest=99,
    )


def folders_ranked(writer: GeminiWriter) -> None:
    rank_folders(
        "Where do we run?",
        ("work",),
        [
            Folder("work", "api"),
            Folder("work", "travel"),
        ],
        writer,
    )


@pytest.mark.parametrize("model", ["gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-3-flash"])
@pytest.mark.parametrize("ask", [answered, judged, followed_up, folders_ranked])
def test_requests_of_a_writer_follow_the_protocol(
    api: str, gemini: GeminiServer, model: str, ask: Callable[[GeminiWriter], None]
) -> None:
    ask(GeminiWriter(model=model, **reached(api, gemini)))  # type: ignore[arg-type]
    assert gemini.requests
    assert gemini.violations == []


def texts_embedded(embedder: GeminiEmbedder) -> None:
    embedder.embed_query("Where do we run?")
    embedder.embed_documents(["Cloud Run it is.", "Firestore too."])


def templates_embedded(embedder: GeminiEmbedder) -> None:
    list(with_vectors([Template("steps", "Steps", "Think.")], embedder))


@pytest.mark.parametrize("model", ["gemini-embedding-2", "gemini-embedding-001"])
@pytest.mark.parametrize("embed", [texts_embedded, templates_embedded])
def test_requests_of_an_embedder_follow_the_protocol(
    api: str, gemini: GeminiServer, model: str, embed: Callable[[GeminiEmbedder], None]
) -> None:
    embedder = GeminiEmbedder(model=model, dimension=4, **reached(api, gemini))  # type: ignore[arg-type]
    embed(embedder)
    assert gemini.requests
    assert gemini.violations == []


def wrong_requests() -> Iterator[tuple[str, dict[str, object]]]:
    for models in (DEVELOPER, VERTEX):
        yield f"{models}:generateContent", {"contents": [CONTENT], "systemPrompt": CONTENT}
        yield f"{models}:generateContent", {"contents": [{"parts": [{"words": "x"}]}]}
        yield (
            f"{models}:streamGenerateContent?alt=sse",
            {"generationConfig": {"thinkingConfig": {"thinkingLevel": "MAX"}}},
        )
        yield f"{models}:generateContent", {"contents": "x"}
        yield f"{models}:embedContents", {"content": CONTENT}
    yield "/v1/models/m:generateContent", {"contents": [CONTENT], "systemInstruction": CONTENT}
    yield "/v1/models/m:generateContent", {"generationConfig": {"responseJsonSchema": {}}}
    yield "/v9/models/m:generateContent", {}
    yield "/v1beta9/projects/p/locations/l/publishers/google/models/m:generateContent", {}
    yield "/models/m:generateContent", {}
    yield (
        f"{DEVELOPER}:batchEmbedContents",
        {
            "requests": [
                {
                    "model": "models/m",
                    "content": CONTENT,
                    "taskType": "FIND",
                }
            ]
        },
    )


@pytest.mark.parametrize(("path", "body"), list(wrong_requests()))
def test_fields_unknown_to_the_protocol_are_reported(path: str, body: dict[str, object]) -> None:
    assert violations(path, body) != []
