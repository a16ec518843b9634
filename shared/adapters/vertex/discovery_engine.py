"""Services of Google's Discovery Engine, over REST: ranking as a reranker, check-grounding as a judge.

Check-grounding (`groundingConfigs/default_grounding_config:check`) takes one answer and a list of facts, splits the
answer into claims itself, and says of each which facts it cites and how well it is supported. Statements become the
lines of that answer; a statement is backed by its passages as far as its claims score and cite one of them.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from shared.adapters.retry import retry_within
from shared.adapters.sdk_errors import misshapen
from shared.adapters.vertex.rest import GoogleRest
from shared.errors import ModelRefused, ModelUnavailable, PortContractError
from shared.model.answers import Judgement, Statement, Support
from shared.model.index import IndexedChunk
from shared.ports.models import Judge
from shared.times.dates import date_in_words

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

PUBLIC_ADDRESS = "https://discoveryengine.googleapis.com"
SUPPORTED, PARTIAL = 0.6, 0.3
"""Least scores of the states; 0.6 is also from where the service cites a fact."""
CHECK_SECONDS = 5.0
"""For all attempts together: an answer does not wait longer for its judge."""
MAX_FACTS = 200
"""What the service takes; a fact of at most MAX_FACT characters."""
MAX_FACT = 10_000
MAX_ANSWER = 10_000
"""Characters, under the service's 4,096 tokens. More is judged by the other judge."""

DEFAULT_MODEL = "semantic-ranker-default@latest"
RANK_SECONDS = 4.0
"""For everything, further attempts included: without it people wait longer and get the order by scores."""
MAX_RECORDS = 200
"""In one request for a ranking."""

log = logging.getLogger(__name__)


class CheckGroundingJudge:
    """`fallback` finds the quotes, and judges where the service does not or finds nothing to check.

    `credentials` None: the machine's own.
    """

    name = "check_grounding"

    def __init__(
        self,
        *,
        project: str,
        fallback: Judge,
        base_url: str | None = None,
        credentials: Credentials | None = None,
        seconds: float = CHECK_SECONDS,
    ) -> None:
        config = f"projects/{project}/locations/global/groundingConfigs/default_grounding_config"
        url = f"{(base_url or PUBLIC_ADDRESS).rstrip('/')}/v1/{config}:check"
        self._service = GoogleRest(url, name=self.name, credentials=credentials)
        self._fallback = fallback
        self._seconds = seconds

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        found = self._fallback.judge(statements)
        texts = list(dict.fromkeys(" ".join(statement.text.split()) for statement in statements))
        chunks = list({chunk.chunk_id: chunk for statement in statements for chunk in statement.passages}.values())
        if not texts or len(chunks) > MAX_FACTS or sum(map(len, texts)) > MAX_ANSWER:
            return found
        try:
            request = _request(texts, chunks)
            reply = retry_within(lambda left: self._service.post(request, left), model=self.name, seconds=self._seconds)
            claims = _claims(reply, len(chunks), texts)
        except (ModelUnavailable, ModelRefused) as problem:
            log.warning("%s did not judge (%s); %s does", self.name, type(problem).__name__, self._fallback.name)
            return found
        places = {chunk.chunk_id: place for place, chunk in enumerate(chunks)}
        supports: list[Support | None] = []
        for statement in statements:
            own = claims.get(" ".join(statement.text.split()), ())
            passages = {places[chunk.chunk_id] for chunk in statement.passages}
            # The worst of its claims; one that cites none of the passages has no support from them.
            score = min([score if cited & passages else 0.0 for score, cited in own], default=None)
            supports.append(None if score is None else Support.graded(score, supported=SUPPORTED, partial=PARTIAL))
        pairs = zip(found.verdicts, supports, strict=True)
        return replace(found, verdicts=tuple(replace(each, support=new or each.support) for each, new in pairs))


def _request(texts: Sequence[str], chunks: Sequence[IndexedChunk]) -> dict[str, Any]:
    """`attributes` come back with the facts and are free to choose; nothing of them is needed."""
    heads = ((each.title, each.heading_path, date_in_words(each.created_at)) for each in chunks)
    facts = [
        f"{'; '.join(filter(None, head))}\n{each.text}"[:MAX_FACT] for head, each in zip(heads, chunks, strict=True)
    ]
    return {
        "answerCandidate": "\n".join(texts),
        "facts": [{"factText": fact, "attributes": {"index": str(at)}} for at, fact in enumerate(facts)],
        "groundingSpec": {"citationThreshold": SUPPORTED, "enableClaimLevelScore": True},
    }


def _claims(reply: object, facts: int, texts: Sequence[str]) -> dict[str, list[tuple[float, frozenset[int]]]]:
    """Text -> its claims, without those that need no check, as (score, indices of the facts that it cites). Raises
    ModelRefused for what is not the service's form.
    """
    # Positions count UTF-8 bytes of the answer, whose lines the texts are.
    starts = list(accumulate((len(text.encode()) + 1 for text in texts), initial=0))
    found: dict[str, list[tuple[float, frozenset[int]]]] = {}
    try:
        assert isinstance(reply, dict)  # noqa: S101 - caught below
        sources = [int(chunk["source"]) for chunk in reply.get("citedChunks", ())]
        for claim in reply.get("claims", ()):
            if claim.get("groundingCheckRequired", True):
                line, cited = bisect_right(starts, int(claim.get("startPos", 0))) - 1, claim.get("citationIndices", ())
                score = float(str(claim.get("score", 1.0 if cited else 0.0)))
                if not 0 <= score <= 1:
                    raise ValueError(score)
                backing = frozenset(sources[index] for index in cited if 0 <= sources[index] < facts)
                if 0 <= line < len(texts):
                    found.setdefault(texts[line], []).append((score, backing))
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ModelRefused("check_grounding: a reply of another form") from error
    return found


class VertexReranker:
    """Uses the machine's own credentials, found on first use. Any number of threads may call at once."""

    def __init__(self, project: str, *, model: str = DEFAULT_MODEL, base_url: str = PUBLIC_ADDRESS) -> None:
        self.model = model
        url = f"{base_url}/v1/projects/{project}/locations/global/rankingConfigs/default_ranking_config:rank"
        self._service = GoogleRest(url, name=model)

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """In [0, 1]. Passages beyond 200 are not sent and come last."""
        sent = passages[:MAX_RECORDS]
        body = {
            "model": self.model,
            "query": question,
            "records": [{"id": str(place), "content": text} for place, text in enumerate(sent)],
            "ignoreRecordDetailsInResponse": True,
        }
        reply = retry_within(lambda seconds: self._service.post(body, seconds), model=self.model, seconds=RANK_SECONDS)
        try:  # best first; Protobuf's JSON leaves out zeros: no score is 0
            found = {str(record["id"]): float(record.get("score", 0.0)) for record in reply["records"]}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise misshapen(error, self.model) from error
        asked = [str(place) for place in range(len(sent))]
        if found.keys() != set(asked):
            raise PortContractError(f"{self.model}: {len(sent)} passages were sent, others came back")
        return (*(found[each] for each in asked), *(0.0 for _ in passages[MAX_RECORDS:]))
