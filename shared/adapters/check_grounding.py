"""Google's check-grounding service as a judge: `groundingConfigs/default_grounding_config:check` of Discovery Engine.

It takes one answer and a list of facts, splits the answer into claims itself, and says of each which facts it cites and
how well it is supported. Statements become the lines of that answer; a statement is backed by its passages as far as
its claims score and cite one of them.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from shared.adapters.address import checked
from shared.adapters.retry import Clock, insist
from shared.domain import IndexedChunk, Judgement, Statement, Support
from shared.errors import ModelRefused, ModelUnavailable
from shared.ports import Judge
from shared.text.dates import date_in_words

if TYPE_CHECKING:
    from google.auth.credentials import Credentials

PUBLIC_ADDRESS = "https://discoveryengine.googleapis.com"
SUPPORTED, PARTIAL = 0.6, 0.3
"""Least scores of the states; 0.6 is also from where the service cites a fact."""
SECONDS = 5.0
"""For all attempts together: an answer does not wait longer for its judge."""
MOST_FACTS = 200
"""What the service takes; a fact of at most LONGEST_FACT characters."""
LONGEST_FACT = 10_000
LONGEST_ANSWER = 10_000
"""Characters, under the service's 4,096 tokens. More is judged by the other judge."""
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_PASSING = frozenset({408, 429, 500, 502, 503, 504})

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim that the service found. `facts`: indices of those it cites."""

    start: int
    score: float
    facts: frozenset[int]


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
        seconds: float = SECONDS,
        clock: Clock = time,
    ) -> None:
        """Raises SettingsError for a bad address."""
        address = checked("CHECK_GROUNDING_BASE_URL", base_url) if base_url else PUBLIC_ADDRESS
        config = f"projects/{project}/locations/global/groundingConfigs/default_grounding_config"
        self._url = f"{address.rstrip('/')}/v1/{config}:check"
        self._fallback = fallback
        self._credentials = credentials
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        found = self._fallback.judge(statements)
        texts = list(dict.fromkeys(" ".join(statement.text.split()) for statement in statements))
        chunks = list({chunk.chunk_id: chunk for statement in statements for chunk in statement.passages}.values())
        if not texts or len(chunks) > MOST_FACTS or sum(map(len, texts)) > LONGEST_ANSWER:
            return found
        try:
            reply = insist(
                lambda left: self._post(_request(texts, chunks), left),
                model=self.name, seconds=self._seconds, clock=self._clock,
            )  # fmt: skip
            claims = _by_line(_claims(reply, len(chunks)), texts)
        except (ModelUnavailable, ModelRefused) as problem:
            log.warning("%s did not judge (%s); %s does", self.name, type(problem).__name__, self._fallback.name)
            return found
        places = {chunk.chunk_id: place for place, chunk in enumerate(chunks)}
        supports = [
            _support(
                claims.get(" ".join(statement.text.split()), ()),
                frozenset(places[chunk.chunk_id] for chunk in statement.passages),
            )
            for statement in statements
        ]
        pairs = zip(found.verdicts, supports, strict=True)
        return replace(found, verdicts=tuple(replace(each, support=own or each.support) for each, own in pairs))

    def _post(self, body: Mapping[str, Any], seconds: float) -> Any:  # noqa: ANN401 - JSON
        import requests  # noqa: PLC0415 - a cold start need not pay

        try:
            headers = {"Authorization": f"Bearer {self._token()}"}
            response = requests.post(self._url, json=body, headers=headers, timeout=seconds)
        except requests.RequestException as error:
            raise ModelUnavailable(f"{self.name}: {type(error).__name__}") from error
        if response.status_code != 200:
            kind = ModelUnavailable if response.status_code in _PASSING else ModelRefused
            raise kind(f"{self.name}: status {response.status_code}")
        try:
            return json.loads(response.content)
        except ValueError as error:
            raise ModelRefused(f"{self.name}: no JSON") from error

    def _token(self) -> str:
        """Raises ModelUnavailable where no credentials can be had."""
        import google.auth  # noqa: PLC0415 - a cold start need not pay
        from google.auth import exceptions  # noqa: PLC0415
        from google.auth.transport.requests import Request  # noqa: PLC0415

        with self._lock:
            try:
                if self._credentials is None:
                    self._credentials, _ = google.auth.default(scopes=[_SCOPE])
                if not self._credentials.valid:
                    self._credentials.refresh(Request())  # type: ignore[no-untyped-call]  # google-auth has no types here
            except exceptions.RefreshError as error:
                raise ModelRefused(f"{self.name}: no access token") from error
            except exceptions.GoogleAuthError as error:
                raise ModelUnavailable(f"{self.name}: no credentials ({type(error).__name__})") from error
            return str(self._credentials.token)


def _request(texts: Sequence[str], chunks: Sequence[IndexedChunk]) -> dict[str, Any]:
    """`attributes` come back with the facts and are free to choose; nothing of them is needed."""
    return {
        "answerCandidate": "\n".join(texts),
        "facts": [{"factText": _fact(chunk), "attributes": {"index": str(at)}} for at, chunk in enumerate(chunks)],
        "groundingSpec": {"citationThreshold": SUPPORTED, "enableClaimLevelScore": True},
    }


def _fact(chunk: IndexedChunk) -> str:
    head = "; ".join(part for part in (chunk.title, chunk.heading_path, date_in_words(chunk.created_at)) if part)
    return f"{head}\n{chunk.text}"[:LONGEST_FACT]


def _claims(reply: object, facts: int) -> list[_Claim]:
    """Raises ModelRefused for what is not the service's form. Claims that need no check are left out."""
    try:
        assert isinstance(reply, dict)  # noqa: S101 - caught below
        sources = [int(chunk["source"]) for chunk in reply.get("citedChunks", ())]
        return [
            _Claim(
                int(claim.get("startPos", 0)),
                _share(claim.get("score", 1.0 if claim.get("citationIndices") else 0.0)),
                frozenset(sources[index] for index in claim.get("citationIndices", ()) if 0 <= sources[index] < facts),
            )
            for claim in reply.get("claims", ())
            if claim.get("groundingCheckRequired", True)
        ]
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ModelRefused("check_grounding: a reply of another form") from error


def _share(value: object) -> float:
    number = float(str(value))
    if not (math.isfinite(number) and 0 <= number <= 1):
        raise ValueError(value)
    return number


def _by_line(claims: Sequence[_Claim], texts: Sequence[str]) -> dict[str, list[_Claim]]:
    """Positions count UTF-8 bytes of the answer, whose lines the statements are."""
    starts = list(accumulate((len(text.encode()) + 1 for text in texts), initial=0))
    found: dict[str, list[_Claim]] = {}
    for claim in claims:
        line = bisect_right(starts, claim.start) - 1
        if 0 <= line < len(texts):
            found.setdefault(texts[line], []).append(claim)
    return found


def _support(claims: Sequence[_Claim], passages: frozenset[int]) -> Support | None:
    """The worst of its claims; one that cites none of the passages has no support from them. None: nothing to check."""
    if not claims:
        return None
    score = min(claim.score if claim.facts & passages else 0.0 for claim in claims)
    return Support.graded(score, supported=SUPPORTED, partial=PARTIAL)
