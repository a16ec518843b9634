"""`python -m tests.sweep.killers PROJECT MINUTES`: one call of the sweep, in a process that some notes kill.

It stands for an instance that a note takes too much memory: the kernel ends it at once, wherever it is.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from datetime import timedelta

from shared.indexing.chunking import MARKDOWN, Chunker, Slices
from shared.indexing.pipeline import Indexer
from shared.sweep.reconcile import reconcile
from tests.emulated import patient_store
from tests.fakes import HashingEmbedder
from tests.indexing.world import START

KILLER = "This note takes all memory."
WORKERS = 4


def _cut(text: str, begin: int, lang: str) -> Slices:
    if KILLER in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return MARKDOWN.cuts(text, begin, lang)


def main(project: str, minutes: int) -> None:
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    indexer = Indexer(
        store=patient_store(project),
        embedder=HashingEmbedder(),
        clock=lambda: START + timedelta(minutes=minutes),
        chunker=Chunker("deadly", _cut),
    )
    report = reconcile(indexer, budget=1000, workers=WORKERS)
    print(f"indexed {report.indexed}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
