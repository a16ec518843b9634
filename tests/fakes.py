"""Stand-ins with state for the ports: as small as the ports allow, deterministic, and honest about their promises."""

from __future__ import annotations

import hashlib
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias, cast

from shared.errors import AuroraError, StoreUnavailable
from shared.model.answers import Delta, Draft, Prompt
from shared.model.index import Vector, folder_token, vault_token
from shared.model.retrieval import CosineCalibration
from shared.ports.stores import Store

Script: TypeAlias = "str | AuroraError | Delta | tuple[str | AuroraError | Delta, ...]"


class HashingEmbedder:
    """Texts that share words get near vectors: each word is a fixed random direction. Counts what it embeds."""

    model = "hashing"
    calibration: CosineCalibration | None = CosineCalibration(0.0, 1.0)

    def __init__(self, dimension: int = 64, batch_size: int = 10) -> None:
        self.languages: frozenset[str] | None = None
        self.dimension = dimension
        self.batch_size = batch_size
        self.embedded: Counter[str] = Counter()
        self.outage: AuroraError | None = None

    def embed_documents(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        if self.outage:
            raise self.outage
        assert 0 < len(texts) <= self.batch_size
        self.embedded.update(texts)
        return tuple(map(self._vector, texts))

    def embed_query(self, text: str) -> Vector:
        if self.outage:
            raise self.outage
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        total = [1e-3] * self.dimension
        for word, times in Counter(re.findall(r"\w+", text.lower())).items():
            digest = hashlib.shake_128(word.encode()).digest(self.dimension)
            total = [
                value + times * (byte - 127.5) for value, byte in zip(total, digest, strict=True)
            ]
        norm = math.sqrt(sum(value * value for value in total))
        return array("f", [value / norm for value in total])


class ScriptedWriter:
    """Answers what it was told to, and keeps the prompts it saw.

    A tuple is streamed piece by piece; an error in it is where the model breaks off.
    """

    model = "scripted"

    def __init__(self, *answers: Script) -> None:
        self.answers = list(answers)
        self.prompts: list[Prompt] = []
        self.hung_up = 0
        """Streams that were closed before they had ended."""

    def write(self, prompt: Prompt) -> Draft:
        return Draft("".join(piece.text for piece in self.stream(prompt)), self.model)

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        self.prompts.append(prompt)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        ended = False
        try:
            for part in answer if isinstance(answer, tuple) else (answer,):
                if isinstance(part, AuroraError):
                    ended = True
                    raise part
                yield part if isinstance(part, Delta) else Delta(part)
            ended = True
        finally:
            self.hung_up += not ended


class FailingVault:
    """A store whose searches of one vault fail."""

    def __init__(self, store: Store, vault: str) -> None:
        self._store = store
        self._vault = vault

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._store, name)

        def answered(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - the method's own
            scopes = options["restriction"].scopes if "restriction" in options else ()
            mine = (
                vault_token(self._vault),
                folder_token(self._vault, ""),
            )
            if any(
                len(group) > 0 and all(token.startswith(mine) for token in group)
                for group in scopes
            ):
                raise StoreUnavailable("this vault does not answer")
            return method(*args, **options)

        return answered

    def as_store(self) -> Store:
        return cast("Store", self)
