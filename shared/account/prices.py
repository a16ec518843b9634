"""What was used -> what it costs by Google's list prices."""

from __future__ import annotations

from dataclasses import dataclass

from shared.model.answers import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPrice:
    """What Google lists, and where and when that was looked up."""

    of: str
    usd: float
    amount: int
    """What the price is for: so many documents or tokens, or one GiB and month."""
    source: str
    looked_up: str = "2026-11"

    @property
    def each(self) -> float:
        return self.usd / self.amount


FIRESTORE = "https://cloud.google.com/firestore/pricing"
GEMINI = "https://ai.google.dev/gemini-api/docs/pricing"
READ = ListPrice(of="documents read (multi-region)", usd=0.06, amount=100_000, source=FIRESTORE)
MODELS = {
    "gemini-3.5-flash-lite": (
        ListPrice(of="tokens read (gemini-3.5-flash-lite)", usd=0.30, amount=1_000_000, source=GEMINI),
        ListPrice(of="tokens written (gemini-3.5-flash-lite)", usd=2.50, amount=1_000_000, source=GEMINI),
    ),
}
"""Of models that write: what they read, and what they write."""


def usd(usage: Usage, model: str) -> float | None:
    """USD of an answer: its model's tokens and the documents read. None: tokens of a model that is not in the table.

    Not in it: what vector searches scan (one read for each hundred chunks of the tenant, at most), and the embedding
    of the question, thousandths of a cent.
    """
    documents = (usage.reads or 0) * READ.each
    if not usage.input_tokens + usage.output_tokens:
        return round(documents, 6)
    if model not in MODELS:
        return None
    read, written = MODELS[model]
    return round(documents + usage.input_tokens * read.each + usage.output_tokens * written.each, 6)
