"""Google's check-grounding service on loopback, as far as the product uses it.

A line of the answer is one claim; it cites the facts that hold most of its words, and scores their share.
"""

from __future__ import annotations

import re

from tests.servers.scripted import Reply, Request, ScriptedServer


class CheckGroundingServer(ScriptedServer):
    """Answers `POST /v1/projects/P/locations/global/groundingConfigs/default_grounding_config:check`."""

    def __init__(self) -> None:
        super().__init__(_check)


def _check(request: Request) -> Reply:
    path = r"/v1/projects/[^/]+/locations/global/groundingConfigs/default_grounding_config:check"
    if request.method != "POST" or not re.fullmatch(path, request.path):
        return Reply(status=404, body={"error": {"code": 404, "status": "NOT_FOUND"}})
    if request.headers.get("authorization") != "Bearer token-1":
        return Reply(status=401, body={"error": {"code": 401, "status": "UNAUTHENTICATED"}})
    body = request.json()
    facts = [_words(fact["factText"]) for fact in body["facts"]]
    least = body["groundingSpec"]["citationThreshold"]
    claims: list[dict[str, object]] = []
    cited: list[dict[str, object]] = []
    start = 0
    for line in body["answerCandidate"].split("\n"):
        shares = [len(_words(line) & fact) / max(1, len(_words(line))) for fact in facts]
        indices = []
        for fact, share in enumerate(shares):
            if share >= least:
                indices.append(len(cited))
                cited.append({"chunkText": body["facts"][fact]["factText"], "source": str(fact)})
        size = len(line.encode())
        claims.append(
            {"startPos": start, "endPos": start + size, "claimText": line, "citationIndices": indices,
             "groundingCheckRequired": True, "score": round(max(shares, default=0.0), 4)}
        )  # fmt: skip
        start += size + 1
    return Reply(body={"supportScore": 0.5, "citedChunks": cited, "claims": claims})


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))
