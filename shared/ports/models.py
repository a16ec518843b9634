"""Models: embedder, reranker, writer, judge."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Protocol

from shared.errors import PortContractError
from shared.model.answers import Delta, Draft, Judgement, Prompt, Statement
from shared.model.index import Vector
from shared.model.retrieval import CosineCalibration


class Embedder(Protocol):
    """Texts to unit vectors. Queries and documents are different operations: models treat them differently."""

    @property
    def model(self) -> str:
        """Names the vector space: vectors of different models are never compared."""

    @property
    def dimension(self) -> int: ...

    @property
    def batch_size(self) -> int:
        """Most texts that `embed_documents` takes."""

    @property
    def calibration(self) -> CosineCalibration | None:
        """Scale of its cosines; None if it was not measured."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages that it speaks, ISO 639-1; in others, words tell more than its vectors. None if it speaks all."""

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Returns one unit vector a text, in order. Raises ModelUnavailable, ModelRefused, PortContractError."""

    def embed_query(self, text: str) -> Vector: ...


def check_norm(norm: float, model: str) -> None:
    """Raises PortContractError unless a model's vector can be scaled to length 1.

    Embedders call it for every vector, so that nobody needs to check vectors behind the port: a bad one would spoil
    every search it takes part in.
    """
    if not (math.isfinite(norm) and norm > 0):
        raise PortContractError(
            f"{model}: a vector without direction came back (NaN, infinity or all zeros)",
        )


MAX_WRITTEN = 2048
"""Most tokens of a draft, a thinking model's thoughts included; it bounds the cost."""


class Reranker(Protocol):
    """Scores a passage by reading it together with the question: slower and more exact than vectors and words."""

    @property
    def model(self) -> str: ...

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """Returns a score for each passage, in order; finite, greater is better, on a scale of its own.

        Raises ModelUnavailable, ModelRefused, PortContractError.
        """


class Writer(Protocol):
    """Writes a draft of the answer from a prompt."""

    @property
    def model(self) -> str: ...

    def write(self, prompt: Prompt) -> Draft:
        """Raises ModelUnavailable (try later, or let another writer answer) or ModelRefused."""

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        """Yields the draft as it is written; the texts together are the text of `write`, but for blanks around it.

        Closing the iterator ends the model call at once; so does, from another thread, the request's `Cancel`, upon
        which Cancelled is raised. Raises as `write`, before the first text or after some of it; attempts are repeated
        only before the first text.
        """


class Judge(Protocol):
    """Statements and the passages that they cite to verdicts."""

    @property
    def name(self) -> str: ...

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        """Returns one verdict a statement, in order; all in one call. An answer never fails because a judge does: one
        that asks a service falls back on another judge and raises nothing.
        """
