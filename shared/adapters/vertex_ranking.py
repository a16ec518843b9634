"""Question and passages -> scores by Vertex AI's ranking service, over REST."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from shared.adapters.retry import insist
from shared.adapters.sdk_errors import from_status, misshapen, retry_after, unanswered, unreadable
from shared.errors import BrokenPromise, ModelRefused

if TYPE_CHECKING:
    import requests

DEFAULT_MODEL = "semantic-ranker-default@latest"
SECONDS = 4.0
"""For everything, further attempts included: without it people wait longer and get the order by scores."""
MOST_RECORDS = 200
"""In one request."""
_BASE_URL = "https://discoveryengine.googleapis.com"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class VertexReranker:
    """Uses the machine's own credentials, found on first use. Any number of threads may call at once."""

    def __init__(self, project: str, *, model: str = DEFAULT_MODEL, base_url: str = _BASE_URL) -> None:
        self.model = model
        self._project = project
        self._credentials: Any = None
        self._lock = Lock()
        self._url = f"{base_url}/v1/projects/{project}/locations/global/rankingConfigs/default_ranking_config:rank"

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """In [0, 1]. Passages beyond 200 are not sent and come last."""
        sent = passages[:MOST_RECORDS]
        body = {
            "model": self.model,
            "query": question,
            "records": [{"id": str(place), "content": text} for place, text in enumerate(sent)],
            "ignoreRecordDetailsInResponse": True,
        }
        reply = insist(lambda seconds: self._post(body, seconds), model=self.model, seconds=SECONDS)
        return (*_scores(reply, len(sent), self.model), *(0.0 for _ in passages[MOST_RECORDS:]))

    def _post(self, body: Mapping[str, Any], seconds: float) -> Any:  # noqa: ANN401 - JSON
        import requests  # noqa: PLC0415 - loaded on first use, as google-auth's
        from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415 - as above

        try:
            with requests.Session() as session:
                headers = {"Authorization": f"Bearer {self._token(session)}", "X-Goog-User-Project": self._project}
                response = session.post(self._url, json=body, headers=headers, timeout=seconds)
        except (requests.RequestException, TransportError) as error:
            raise unanswered(error, self.model) from error
        except GoogleAuthError as error:
            raise ModelRefused(f"{self.model}: no access token for Vertex AI ({type(error).__name__})") from error
        if response.status_code != 200:
            raise from_status(response.status_code, self.model, retry_after=retry_after(response.headers))
        try:
            return json.loads(response.content)
        except ValueError as error:
            raise unreadable(error, self.model) from error

    def _token(self, session: requests.Session) -> str:
        """Kept while it is valid."""
        import google.auth  # noqa: PLC0415 - a cold start need not pay
        from google.auth.transport.requests import Request  # noqa: PLC0415 - as above

        with self._lock:
            if self._credentials is None:
                self._credentials, _ = google.auth.default(scopes=[_SCOPE])
            if not self._credentials.valid:
                self._credentials.refresh(Request(session))
            return str(self._credentials.token)


def _scores(reply: Any, count: int, model: str) -> tuple[float, ...]:  # noqa: ANN401 - JSON
    """In the order of the request; the reply's is best first. A record without a score has 0, as protobuf's JSON
    leaves out zeros.
    """
    try:
        found = {str(record["id"]): float(record.get("score", 0.0)) for record in reply["records"]}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise misshapen(error, model) from error
    if found.keys() != {str(place) for place in range(count)}:
        raise BrokenPromise(f"{model}: {count} passages were sent, others came back")
    return tuple(found[str(place)] for place in range(count))
