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
        """How many texts `embed_documents` takes at most."""

    @property
    def calibration(self) -> CosineCalibration | None:
        """What its cosines mean; None: not measured."""

    @property
    def languages(self) -> frozenset[str] | None:
        """Languages that it speaks, ISO 639-1: in others words tell more than its vectors. None: all."""

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One unit vector a text, in order. Raises ModelUnavailable, ModelRefused, PortContractError."""

    def embed_query(self, text: str) -> Vector: ...


UNIT_TOLERANCE = 1e-3
"""How far a vector's length may be from 1: float32 rounding of 2048 dimensions stays far below."""


def embed(texts: Sequence[str], embedder: Embedder) -> tuple[Vector, ...]:
    """One unit vector a text, in order. At most `embedder.batch_size` texts.

    Raises ModelUnavailable, ModelRefused, and PortContractError when the count, a dimension or a length is wrong:
    trusted from here on, a bad vector would spoil every search it takes part in.
    """
    vectors = embedder.embed_documents(texts)
    if len(vectors) != len(texts):
        raise PortContractError(f"{embedder.model} returned {len(vectors)} vectors for {len(texts)} texts")
    for vector in vectors:
        if len(vector) != embedder.dimension:
            raise PortContractError(f"{embedder.model} returned {len(vector)} dimensions, not {embedder.dimension}")
        # Written so that a length of NaN fails it too.
        if not abs(math.hypot(*vector) - 1.0) <= UNIT_TOLERANCE:
            raise PortContractError(f"{embedder.model} returned a vector that is not finite or not of length 1")
    return vectors


MAX_WRITTEN = 2048
"""Tokens of a draft at most, a thinking model's thoughts included: it bounds the cost."""


class Reranker(Protocol):
    """Reads question and passage together, which is slower and sees more than vectors and words apart."""

    @property
    def model(self) -> str: ...

    def scores(self, question: str, passages: Sequence[str]) -> tuple[float, ...]:
        """How well each passage answers the question, in order; finite, greater is better, on a scale of its own.

        Raises ModelUnavailable, ModelRefused, PortContractError.
        """


class Writer(Protocol):
    """Prompt to draft."""

    @property
    def model(self) -> str: ...

    def write(self, prompt: Prompt) -> Draft:
        """Raises ModelUnavailable (try later, or let another writer answer) or ModelRefused."""

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        """The draft as it is written; together the texts are what `write` gives, blanks around it aside.

        Closing the iterator ends the model call at once; so does, from another thread, the request's `Cancel`, upon
        which Cancelled is raised. Raises as `write`, before the first text or after some of it; attempts are repeated
        only before the first text.
        """


class Judge(Protocol):
    """Statements and the passages that they cite to verdicts."""

    @property
    def name(self) -> str: ...

    def judge(self, statements: Sequence[Statement]) -> Judgement:
        """One verdict a statement, in order; all in one call. An answer never fails because a judge does: one
        that asks a service falls back on another judge and raises nothing.
        """
