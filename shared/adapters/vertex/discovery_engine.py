"""Ranking service of Google's Discovery Engine, over REST, as a reranker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shared.adapters.retry import retry_within
from shared.adapters.sdk_errors import misshapen
from shared.adapters.vertex.rest import GoogleRest
from shared.errors import PortContractError

PUBLIC_ADDRESS = "https://discoveryengine.googleapis.com"
DEFAULT_MODEL = "semantic-ranker-default@latest"
RANK_SECONDS = 4.0
"""Longest time for a ranking, further attempts included: without it people wait longer and get the order by scores."""
MAX_RECORDS = 200
"""Passages in one request for a ranking."""


class VertexReranker:
    """Uses the machine's own credentials, found on first use. Any number of threads may call at once."""

    def __init__(
        self,
        project: str,
        *,
        model: str = DEFAULT_MODEL,
        base_url: str = PUBLIC_ADDRESS,
    ) -> None:
        self.model = model
        url = f"{base_url}/v1/projects/{project}/locations/global/rankingConfigs/default_ranking_config:rank"
        self._service = GoogleRest(url, name=model)

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """Returns scores in [0, 1]. Passages beyond MAX_RECORDS are not sent and come last."""
        sent = passages[:MAX_RECORDS]
        records = []
        for position, text in enumerate(sent):
            records.append({"id": str(position), "content": text})
        body = {
            "model": self.model,
            "query": question,
            "records": records,
            "ignoreRecordDetailsInResponse": True,
        }
        reply = retry_within(
            lambda seconds: self._service.post(body, seconds),
            model=self.model,
            seconds=RANK_SECONDS,
        )
        try:
            scores = _scores_by_id(reply)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise misshapen(error, self.model) from error
        ids = [record["id"] for record in records]
        if scores.keys() != set(ids):
            raise PortContractError(
                f"{self.model}: {len(sent)} passages were sent, others came back",
            )
        scores_of_sent = [scores[record_id] for record_id in ids]
        scores_of_rest = [0.0] * len(passages[MAX_RECORDS:])
        return (*scores_of_sent, *scores_of_rest)


def _scores_by_id(reply: Mapping[str, Any]) -> dict[str, float]:
    """Reads the records of a reply. Protobuf's JSON leaves out zeros: a record without a score has 0."""
    scores = {}
    for record in reply["records"]:
        record_id = str(record["id"])
        scores[record_id] = float(record.get("score", 0.0))
    return scores
