from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.oauth2.credentials import Credentials

from shared.adapters.vertex.discovery_engine import MAX_ANSWER, CheckGroundingJudge
from shared.judging.support import OfflineJudge
from shared.model.answers import Statement, SupportState
from tests.answering.samples import passage
from tests.servers.check_grounding import CheckGroundingServer
from tests.servers.scripted import Reply

API = passage("The API runs on Cloud Run since May.", note_id="api", title="Meeting").chunk
BEDS = passage("Die Hochbeete 🌱 sind aus Lärche.", note_id="beds").chunk
STATEMENTS = (
    Statement("The API runs on Cloud Run.", (API,)),
    Statement("Die Hochbeete 🌱 sind aus Lärche.", (BEDS,)),
    Statement("Die Hochbeete 🌱 sind aus Lärche.", (API,)),
    Statement("It snowed on Saturday in Oslo.", (API, BEDS)),
)
OFFLINE = OfflineJudge()
VALID = "token-1"


@pytest.fixture
def server() -> Iterator[CheckGroundingServer]:
    with CheckGroundingServer() as running:
        yield running


def judge(server: CheckGroundingServer, *, token: str = VALID, seconds: float = 5.0) -> CheckGroundingJudge:
    credentials = Credentials(token)  # type: ignore[no-untyped-call]  # google-auth has no types here
    return CheckGroundingJudge(
        project="demo", fallback=OFFLINE, base_url=server.url + "/", credentials=credentials, seconds=seconds
    )


def test_one_request_gets_a_verdict_for_every_statement(server: CheckGroundingServer) -> None:
    verdicts = judge(server).judge(STATEMENTS).verdicts
    assert [verdict.support.state for verdict in verdicts] == [
        SupportState.SUPPORTED,
        SupportState.SUPPORTED,
        SupportState.UNSUPPORTED,  # the service cites another passage for it
        SupportState.UNSUPPORTED,
    ]
    (request,) = server.requests
    assert request.path == "/v1/projects/demo/locations/global/groundingConfigs/default_grounding_config:check"
    assert server.bodies[0]["answerCandidate"].count("\n") == 2  # the same sentence is sent once
    assert server.bodies[0]["groundingSpec"] == {"citationThreshold": 0.6, "enableClaimLevelScore": True}
    assert [fact["factText"].split("\n")[0] for fact in server.bodies[0]["facts"]] == [
        "Meeting; 8 May 2026",
        "8 May 2026",
    ]


def test_quotes_stay_those_of_the_offline_judge(server: CheckGroundingServer) -> None:
    spans = [verdict.spans for verdict in judge(server).judge(STATEMENTS).verdicts]
    assert spans == [verdict.spans for verdict in OFFLINE.judge(STATEMENTS).verdicts]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=403),
        Reply(status=400, body={"error": {}}),
        Reply(body=[1]),
        Reply(body={"claims": [{"startPos": "x", "score": 1}]}),
        Reply(body={"claims": [{"startPos": 0, "score": 7}]}),
        Reply(body={"claims": [{"startPos": 0, "score": 1, "citationIndices": [3]}]}),
        Reply(body={"claims": [{"startPos": 0, "citationIndices": [0]}], "citedChunks": [{"source": "no number"}]}),
        Reply(body={"claims": 5}),
    ],
)
def test_whatever_else_it_replies_the_offline_judge_stands(server: CheckGroundingServer, reply: Reply) -> None:
    server.script(reply)
    assert judge(server).judge(STATEMENTS) == OFFLINE.judge(STATEMENTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize("reply", [Reply(status=503), Reply(body=b"<html>")])
def test_a_service_that_is_away_for_a_moment_is_asked_again(server: CheckGroundingServer, reply: Reply) -> None:
    server.script(reply)
    assert judge(server).judge(STATEMENTS[:1]).verdicts[0].support.score == 1.0
    assert len(server.requests) == 2


@pytest.mark.parametrize("reply", [Reply(delay=5.0), Reply(status=429)])
def test_nobody_waits_longer_than_told(server: CheckGroundingServer, reply: Reply) -> None:
    server.script(reply, reply)
    assert judge(server, seconds=0.3).judge(STATEMENTS) == OFFLINE.judge(STATEMENTS)


def test_claims_that_need_no_check_leave_the_offline_verdict(server: CheckGroundingServer) -> None:
    server.script(Reply(body={"claims": [{"startPos": 0, "groundingCheckRequired": False}]}))
    assert judge(server).judge(STATEMENTS[:1]) == OFFLINE.judge(STATEMENTS[:1])


def test_of_several_claims_in_a_sentence_the_worst_counts(server: CheckGroundingServer) -> None:
    cited = [{"source": "0"}]
    claims = [
        {"startPos": 0, "score": 0.9, "citationIndices": [0]},
        {"startPos": 8, "score": 0.4, "citationIndices": [0]},
    ]
    server.script(Reply(body={"citedChunks": cited, "claims": claims}))
    (verdict,) = judge(server).judge(STATEMENTS[:1]).verdicts
    assert (verdict.support.state, verdict.support.score) == (SupportState.PARTIAL, 0.4)


def test_what_is_too_long_for_it_is_not_sent(server: CheckGroundingServer) -> None:
    long = (Statement("The API runs. " * (MAX_ANSWER // 10), (API,)),)
    assert judge(server).judge(long) == OFFLINE.judge(long)
    assert judge(server).judge(()).verdicts == ()
    assert server.requests == []
