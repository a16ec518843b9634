"""Question and passages -> scores by Vertex AI's ranking service, over REST."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shared.adapters.retry import retry_within
from shared.adapters.sdk_errors import misshapen
from shared.adapters.vertex.rest import GoogleRest
from shared.errors import PortContractError

DEFAULT_MODEL = "semantic-ranker-default@latest"
SECONDS = 4.0
"""For everything, further attempts included: without it people wait longer and get the order by scores."""
MAX_RECORDS = 200
"""In one request."""
_BASE_URL = "https://discoveryengine.googleapis.com"


class VertexReranker:
    """Uses the machine's own credentials, found on first use. Any number of threads may call at once."""

    def __init__(self, project: str, *, model: str = DEFAULT_MODEL, base_url: str = _BASE_URL) -> None:
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
        reply = retry_within(lambda seconds: self._service.post(body, seconds), model=self.model, seconds=SECONDS)
        return (*_scores(reply, len(sent), self.model), *(0.0 for _ in passages[MAX_RECORDS:]))


def _scores(reply: Any, count: int, model: str) -> tuple[float, ...]:  # noqa: ANN401 - JSON
    """In the order of the request; the reply's is best first. A record without a score has 0, as protobuf's JSON
    leaves out zeros.
    """
    try:
        found = {str(record["id"]): float(record.get("score", 0.0)) for record in reply["records"]}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise misshapen(error, model) from error
    if found.keys() != {str(place) for place in range(count)}:
        raise PortContractError(f"{model}: {count} passages were sent, others came back")
    return tuple(found[str(place)] for place in range(count))
